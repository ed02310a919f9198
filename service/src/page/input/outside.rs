//! What a browser draws outside of the page. No frame of a screencast shows it, so the viewer draws it.

use std::sync::Arc;

use porthole_contract::live::{OpenField, ServerMessage};
use porthole_contract::session::DialogKind;

use crate::page::Dialog;

/// What is outside of a page now. Numbers grow, so that two that look alike are told apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Outside {
    /// The field whose popup is open.
    pub field: Option<Arc<OpenField>>,
    /// The dialog that holds the page, and its number.
    pub dialog: Option<(u64, Dialog)>,
    /// The file chooser that waits for files.
    pub chooser: Option<Chooser>,
    /// The pointer's shape, as CSS names it, at the place where a person moved it last.
    pub cursor: &'static str,
}

/// A file chooser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chooser {
    /// Which one of the page's.
    pub number: u64,
    /// Whether it takes more than one file.
    pub multiple: bool,
    /// The `accept` attribute of its field, cut at 1 000 characters.
    pub accept: String,
}

/// The names that CSS has for cursors.
const CURSORS: [&str; 36] = [
    "default",
    "none",
    "context-menu",
    "help",
    "pointer",
    "progress",
    "wait",
    "cell",
    "crosshair",
    "text",
    "vertical-text",
    "alias",
    "copy",
    "move",
    "no-drop",
    "not-allowed",
    "grab",
    "grabbing",
    "e-resize",
    "n-resize",
    "ne-resize",
    "nw-resize",
    "s-resize",
    "se-resize",
    "sw-resize",
    "w-resize",
    "ew-resize",
    "ns-resize",
    "nesw-resize",
    "nwse-resize",
    "col-resize",
    "row-resize",
    "all-scroll",
    "zoom-in",
    "zoom-out",
    "auto",
];

impl Default for Outside {
    /// Nothing is open.
    fn default() -> Self {
        Self { field: None, dialog: None, chooser: None, cursor: CURSORS[0] }
    }
}

impl Outside {
    /// Messages that take a viewer from the state `before` to this one.
    #[must_use]
    pub fn news(&self, before: &Self) -> Vec<ServerMessage> {
        let mut news = Vec::new();
        if self.dialog != before.dialog {
            news.extend(before.dialog.as_ref().map(|_| ServerMessage::DialogClosed));
            news.extend(self.dialog.as_ref().map(|(_, dialog)| dialog_opened(dialog)));
        }
        if self.field != before.field {
            news.push(match &self.field {
                Some(field) => ServerMessage::Select(OpenField::clone(field)),
                None => ServerMessage::SelectClosed,
            });
        }
        if let Some(Chooser { multiple, accept, .. }) = self.chooser.as_ref().filter(|_| self.chooser != before.chooser)
        {
            news.push(ServerMessage::FileChooser { multiple: *multiple, accept: accept.clone() });
        }
        if self.cursor != before.cursor {
            news.push(ServerMessage::Cursor { cursor: self.cursor.to_owned() });
        }
        news
    }
}

/// The cursor of this name; the default for a name that CSS does not have.
pub(super) fn cursor_named(name: &str) -> &'static str {
    CURSORS.into_iter().find(|known| *known == name).unwrap_or(CURSORS[0])
}

fn dialog_opened(dialog: &Dialog) -> ServerMessage {
    let kind = dialog.wire_kind();
    let default = (kind == DialogKind::Prompt).then(|| dialog.default.clone());
    ServerMessage::Dialog { kind, message: dialog.message.clone(), default }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_and_nothing_else() {
        let nothing = Outside::default();
        assert_eq!(nothing.news(&nothing), []);
        let dialog = Dialog { kind: "alert".into(), message: "again".into(), default: String::new() };
        let one = Outside { dialog: Some((1, dialog.clone())), ..nothing.clone() };
        let next = Outside { dialog: Some((2, dialog)), ..nothing.clone() };
        let told = ServerMessage::Dialog { kind: DialogKind::Alert, message: "again".into(), default: None };
        assert_eq!(one.news(&nothing), std::slice::from_ref(&told));
        assert_eq!(next.news(&one), [ServerMessage::DialogClosed, told], "another one that says the same");
        assert_eq!(nothing.news(&next), [ServerMessage::DialogClosed]);
        let chooser = Chooser { number: 1, multiple: true, accept: ".txt".into() };
        let asks = Outside { chooser: Some(chooser), cursor: cursor_named("pointer"), ..nothing.clone() };
        assert_eq!(
            asks.news(&nothing),
            [
                ServerMessage::FileChooser { multiple: true, accept: ".txt".into() },
                ServerMessage::Cursor { cursor: "pointer".into() }
            ]
        );
        assert_eq!(nothing.news(&asks), [ServerMessage::Cursor { cursor: "default".into() }]);
        assert_eq!(cursor_named("url(x)"), "default");
    }
}
