//! The files of `web/` that are served, within the executable.

/// A file that is served.
pub(super) struct File {
    /// Its path below `web/`, which is its URL's.
    pub(super) path: &'static str,
    /// What it is.
    pub(super) kind: Kind,
    /// Its bytes.
    pub(super) content: &'static [u8],
}

/// What a file is, by its name's ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `.html`.
    Page,
    /// `.js`.
    Script,
    /// `.css`.
    Style,
}

impl Kind {
    const fn of(path: &str) -> Self {
        let bytes = path.as_bytes();
        match (bytes[bytes.len() - 2], bytes[bytes.len() - 1]) {
            (b'm', b'l') => Self::Page,
            (b'j', b's') => Self::Script,
            (b's', b's') => Self::Style,
            _ => panic!("a file without a known ending"),
        }
    }

    /// The media type.
    pub(super) const fn media_type(self) -> &'static str {
        match self {
            Self::Page => "text/html; charset=utf-8",
            Self::Script => "text/javascript; charset=utf-8",
            Self::Style => "text/css; charset=utf-8",
        }
    }
}

macro_rules! files {
    ($($path:literal,)+) => {
        /// Every file that is served.
        pub(super) const ALL: &[File] = &[$(File {
            path: $path,
            kind: Kind::of($path),
            content: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../web/", $path)),
        }),+];
    };
}

files! {
    "elements/base-card.js",
    "elements/card.js",
    "elements/clipboard.js",
    "elements/device.js",
    "elements/dom.js",
    "elements/extract-card.js",
    "elements/index.js",
    "elements/live-view.js",
    "elements/live/as-text.js",
    "elements/live/connection.js",
    "elements/live/fields.js",
    "elements/live/keyboard.js",
    "elements/live/mapping.js",
    "elements/live/marks.js",
    "elements/live/notices.js",
    "elements/live/pointer.js",
    "elements/live/protocol.js",
    "elements/live/screen.js",
    "elements/live/toolbar.js",
    "elements/live/view-styles.js",
    "elements/markdown.js",
    "elements/picture.js",
    "elements/safe.js",
    "elements/screenshot-card.js",
    "elements/sentences.js",
    "elements/session-card.js",
    "elements/styles.js",
    "live/index.html",
    "live/page.css",
    "live/page.js",
    "playground/calls.js",
    "playground/code.js",
    "playground/index.html",
    "playground/page.css",
    "playground/page.js",
    "playground/session.js",
    "playground/shown.js",
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn every_file_of_the_three_folders_is_served_and_no_other() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
        let mut found = BTreeSet::new();
        let mut folders: Vec<PathBuf> = ["elements", "live", "playground"].map(|name| web.join(name)).to_vec();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&web).unwrap().to_str().unwrap().to_owned();
                if path.is_dir() {
                    folders.push(path);
                } else if !name.ends_with(".d.ts") {
                    found.insert(name);
                }
            }
        }
        let served: BTreeSet<String> = ALL.iter().map(|file| file.path.to_owned()).collect();
        assert_eq!(served, found);
    }

    #[test]
    fn kinds_are_told_by_their_endings() {
        assert_eq!(["a/b.html", "a.js", "a.css"].map(Kind::of), [Kind::Page, Kind::Script, Kind::Style]);
    }
}
