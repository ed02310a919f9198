//! Files that hold secrets, in the user's config directory. The directory is 0700, each file 0600 and never partial.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use secrecy::{ExposeSecret as _, SecretString};
use tempfile::NamedTempFile;

const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Porthole's directory in the user's configuration.
#[derive(Clone, Debug)]
pub(crate) struct PrivateFiles {
    directory: PathBuf,
}

impl PrivateFiles {
    /// `porthole` in `XDG_CONFIG_HOME`, or in `~/.config`.
    pub(crate) fn of_user() -> io::Result<Self> {
        let base = etcetera::choose_base_strategy().map_err(io::Error::other)?;
        Ok(Self::at(base.config_dir().join("porthole")))
    }

    pub(crate) fn at(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Returns the path of the file of that name, which need not exist.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Reads the file; `None` if it does not exist. If others may read the file, its mode is tightened to 0600.
    pub(crate) fn read(&self, name: &str) -> io::Result<Option<SecretString>> {
        let path = self.path(name);
        match fs::read_to_string(&path) {
            Ok(text) => {
                tighten(&path, FILE_MODE)?;
                Ok(Some(SecretString::from(text)))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes the file atomically: a reader sees the old or the new content, never a part.
    pub(crate) fn write(&self, name: &str, text: &SecretString) -> io::Result<()> {
        self.prepared(text)?.persist(self.path(name)).map_err(|error| error.error)?;
        Ok(())
    }

    /// Writes the file unless it exists; returns whether it did.
    pub(crate) fn write_new(&self, name: &str, text: &SecretString) -> io::Result<bool> {
        match self.prepared(text)?.persist_noclobber(self.path(name)) {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
        }
    }

    /// Locks out other processes until the returned file is dropped, to read, change and write a file as one step.
    pub(crate) fn lock(&self) -> io::Result<fs::File> {
        self.make_directory()?;
        let file = fs::OpenOptions::new().create(true).append(true).open(self.path("lock"))?;
        file.lock()?;
        Ok(file)
    }

    fn prepared(&self, text: &SecretString) -> io::Result<NamedTempFile> {
        self.make_directory()?;
        prepared_in(&self.directory, text)
    }

    fn make_directory(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(&self.directory)?;
        tighten(&self.directory, DIRECTORY_MODE)
    }
}

/// Writes a file that the user named, atomically and with mode 0600.
pub(crate) fn write_at(path: &Path, text: &SecretString) -> io::Result<()> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    prepared_in(directory.unwrap_or(Path::new(".")), text)?.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a complete temporary file with mode 0600 in this directory, ready to be renamed.
fn prepared_in(directory: &Path, text: &SecretString) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix(".new-")
        .permissions(Permissions::from_mode(FILE_MODE))
        .tempfile_in(directory)?;
    file.write_all(text.expose_secret().as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn tighten(path: &Path, mode: u32) -> io::Result<()> {
    let seen = fs::metadata(path)?.permissions().mode() & 0o777;
    if seen & !mode == 0 { Ok(()) } else { fs::set_permissions(path, Permissions::from_mode(mode)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_and_their_directory_are_accessible_to_their_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let files = PrivateFiles::at(home.path().join("a/porthole"));
        assert!(files.read("x").unwrap().is_none());
        files.write("x", &SecretString::from("one")).unwrap();
        files.write("x", &SecretString::from("two")).unwrap();
        assert_eq!(files.read("x").unwrap().unwrap().expose_secret(), "two");
        assert_eq!((mode(&files.path("x")), mode(&home.path().join("a/porthole"))), (0o600, 0o700));
    }

    #[test]
    fn reading_removes_the_access_of_others() {
        let home = tempfile::tempdir().unwrap();
        let files = PrivateFiles::at(home.path().to_owned());
        fs::write(files.path("x"), "text").unwrap();
        fs::set_permissions(files.path("x"), Permissions::from_mode(0o644)).unwrap();
        files.read("x").unwrap();
        assert_eq!(mode(&files.path("x")), 0o600);
    }

    #[test]
    fn a_second_new_file_does_not_replace_the_first() {
        let home = tempfile::tempdir().unwrap();
        let files = PrivateFiles::at(home.path().to_owned());
        assert!(files.write_new("x", &SecretString::from("first")).unwrap());
        assert!(!files.write_new("x", &SecretString::from("second")).unwrap());
        assert_eq!(files.read("x").unwrap().unwrap().expose_secret(), "first");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "no temporary file is left");
    }
}
