//! Writes a picture to a file, named by the user or after the page's host.

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
    let stem = stem(page);
    let ending = ending(mime_type);
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
    let mut name: String =
        host.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' }).collect();
    name.truncate(STEM_MAX_BYTES);
    match name.trim_matches(['.', '-']) {
        "" => "page".to_owned(),
        name => name.to_owned(),
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
    fn no_file_is_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let write = |bytes: &[u8]| write_named_in(directory.path(), "http://a.example", "image/webp", bytes).unwrap();
        let paths = [write(b"1"), write(b"2"), write(b"3")];
        let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a.example.webp", "a.example-2.webp", "a.example-3.webp"]);
        assert_eq!(fs::read(&paths[0]).unwrap(), b"1");
    }
}
