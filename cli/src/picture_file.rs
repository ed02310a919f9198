//! Writes a picture or a download to a file, named by the user, after the page's host or as the page named it.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use porthole_client::ImageFormat;
use url::Url;

use super::failure::Failed;

/// How many file names are tried before the command fails.
const NAMES_MAX: u32 = 10_000;
/// The longest host part of a file name, in bytes. File systems allow 255 for the whole name.
const STEM_MAX_BYTES: usize = 200;
/// The longest extension of a download, in bytes.
const ENDING_MAX_BYTES: usize = 16;

/// Writes to the file that the user named, replacing an existing one.
pub(crate) fn write(path: &Path, picture: &[u8]) -> Result<(), Failed> {
    fs::write(path, picture).map_err(|error| Failed::io(format!("write {}", path.display()), error))
}

/// Writes to a new file in the working directory, named after the page's host, and returns its path:
/// `example.com.png`, or `example.com-2.png` if that exists.
pub(crate) fn write_named(page: &str, mime_type: &str, picture: &[u8]) -> Result<PathBuf, Failed> {
    write_named_in(Path::new(""), page, mime_type, picture)
}

fn write_named_in(directory: &Path, page: &str, mime_type: &str, picture: &[u8]) -> Result<PathBuf, Failed> {
    write_new(directory, &stem(page), ending(mime_type), picture)
}

/// Writes to a new file in the working directory, named as a page named the download but never hidden, in another
/// directory or over another file, and returns its path.
pub(crate) fn write_download(name: &str, content: &[u8]) -> Result<PathBuf, Failed> {
    let (stem, ending) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).unwrap_or((name, ""));
    let ending = plain(ending, ENDING_MAX_BYTES);
    let ending = if ending.is_empty() { "bin" } else { &ending };
    let stem = plain(stem, STEM_MAX_BYTES);
    write_new(Path::new(""), if stem.is_empty() { "download" } else { &stem }, ending, content)
}

fn write_new(directory: &Path, stem: &str, ending: &str, picture: &[u8]) -> Result<PathBuf, Failed> {
    for number in 1..=NAMES_MAX {
        let name = if number == 1 { format!("{stem}.{ending}") } else { format!("{stem}-{number}.{ending}") };
        let path = directory.join(name);
        let failed = |error| Failed::io(format!("write {}", path.display()), error);
        match fs::File::create_new(&path) {
            Ok(mut file) => {
                file.write_all(picture).map_err(failed)?;
                return Ok(path);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(Failed::io(format!("name a file after {stem}"), ErrorKind::AlreadyExists.into()))
}

/// Turns a host into a file name. It never begins or ends with a dot or a dash, so it is neither hidden nor a flag.
fn stem(page: &str) -> String {
    let host = Url::parse(page).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    match plain(&host, STEM_MAX_BYTES) {
        empty if empty.is_empty() => "page".to_owned(),
        name => name,
    }
}

/// Keeps what is plain in a file name; the result is neither hidden nor a flag.
fn plain(text: &str, max_bytes: usize) -> String {
    let mut name: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' }).collect();
    name.truncate(max_bytes);
    name.trim_matches(['.', '-']).to_owned()
}

/// Returns the format of a file extension.
pub(crate) fn format_of(path: &Path) -> Option<ImageFormat> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "png" => Some(ImageFormat::Png),
        "jpg" | "jpeg" => Some(ImageFormat::Jpeg),
        "webp" => Some(ImageFormat::Webp),
        _ => None,
    }
}

fn ending(mime_type: &str) -> &'static str {
    [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Webp]
        .into_iter()
        .find(|format| format.mime_type() == mime_type)
        .map_or("img", ImageFormat::extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_become_file_names() {
        for (page, expected) in [
            ("https://example.com/a/../b?c", "example.com"),
            ("http://[::1]:3000/", "1"),
            ("http://127.0.0.1:3000/", "127.0.0.1"),
            ("https://bücher.example", "xn--bcher-kva.example"),
            ("data:text/html,x", "page"),
            ("no url", "page"),
        ] {
            assert_eq!(stem(page), expected, "{page}");
        }
        assert_eq!(stem(&format!("http://{}.example", "a".repeat(300))).len(), STEM_MAX_BYTES);
    }

    #[test]
    fn a_downloads_name_is_plain() {
        for (name, expected) in [
            ("report.pdf", "report"),
            ("../../.ssh/authorized_keys", "ssh-authorized_keys"),
            ("-rf", "rf"),
            (".bashrc", "bashrc"),
            ("\u{202e}fdp.exe", "fdp.exe"),
            ("…", ""),
        ] {
            let stem = name.strip_suffix(".pdf").unwrap_or(name);
            assert_eq!(plain(stem, STEM_MAX_BYTES), expected, "{name}");
        }
    }

    #[test]
    fn file_extensions_select_the_format() {
        for (name, expected) in [
            ("a.PNG", Some(ImageFormat::Png)),
            ("a.b.jpeg", Some(ImageFormat::Jpeg)),
            ("a.jpg", Some(ImageFormat::Jpeg)),
            ("dir.webp/a", None),
            ("a.gif", None),
        ] {
            assert_eq!(format_of(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn no_file_is_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let write = |bytes: &[u8]| write_named_in(directory.path(), "http://a.example", "image/webp", bytes).unwrap();
        let paths = [write(b"1"), write(b"2"), write(b"3")];
        let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a.example.webp", "a.example-2.webp", "a.example-3.webp"]);
        assert_eq!(fs::read(&paths[0]).unwrap(), b"1");
    }
}
