//! Profile folders: one for each browser process, removed with it.
//!
//! The folder of a living browser holds a file that the browser's owner has locked. The kernel lets go of the lock
//! however the owner ended, so the next start knows which folders nobody needs any more.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::{NamedTempFile, TempDir};

/// What the names of our folders begin with.
const PREFIX: &str = "porthole-profile-";
const LOCK: &str = "porthole.lock";
/// A folder without a lock file is one that is just being made, or one whose maker died in between.
const UNLOCKED_AGE_MAX: Duration = Duration::from_secs(60);
/// How often the removal of a profile is tried while the browser's last children still write into it.
const REMOVE_TRIES: u32 = 20;
const REMOVE_EVERY: Duration = Duration::from_millis(50);

/// A profile folder, removed when dropped.
#[derive(Debug)]
pub struct Profile {
    folder: TempDir,
    _locked: File,
}

impl Profile {
    /// Makes a folder in `root` that only this user can enter.
    ///
    /// # Errors
    /// Where the folder or the lock in it can't be made.
    pub fn create(root: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(root)?;
        // Locked before it has its name, so that nobody ever sees it unlocked while we live.
        let lock = NamedTempFile::new_in(folder.path())?;
        lock.as_file().try_lock().map_err(io::Error::other)?;
        let locked = lock.persist(folder.path().join(LOCK)).map_err(|error| error.error)?;
        Ok(Self { folder, _locked: locked })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Removes it; the browser's children may need a moment to be gone.
    pub async fn remove(self) {
        let path = self.path().to_owned();
        for _ in 0..REMOVE_TRIES {
            match tokio::fs::remove_dir_all(&path).await {
                Ok(()) => return,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return,
                Err(_) => tokio::time::sleep(REMOVE_EVERY).await,
            }
        }
        tracing::warn!(folder = %path.display(), "a profile folder can't be removed; the next start tries again");
    }
}

/// Removes the folders in `root` whose owners are gone.
pub fn sweep(root: &Path) {
    let Ok(entries) = fs::read_dir(root) else { return };
    let Ok(own) = fs::metadata("/proc/self").map(|metadata| metadata.uid()) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) || !is_orphan(&path, own) {
            continue;
        }
        match fs::remove_dir_all(&path) {
            Ok(()) => tracing::info!(folder = %path.display(), "removed a profile folder that a killed process left"),
            Err(error) => tracing::warn!(folder = %path.display(), %error, "a left profile folder can't be removed"),
        }
    }
}

/// A folder (no link) of our own user whose lock nobody holds.
fn is_orphan(path: &PathBuf, own: u32) -> bool {
    let Ok(metadata) = fs::symlink_metadata(path) else { return false };
    if !metadata.is_dir() || metadata.uid() != own {
        return false;
    }
    match File::open(path.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(_) => metadata
            .modified()
            .is_ok_and(|made| SystemTime::now().duration_since(made).is_ok_and(|age| age > UNLOCKED_AGE_MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_spares_the_living_and_removes_what_a_killed_process_left() {
        let root = tempfile::tempdir().unwrap();
        let living = Profile::create(root.path()).unwrap();
        let left = root.path().join(format!("{PREFIX}left"));
        fs::create_dir(&left).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        fs::write(left.join("Cookies"), "secret").unwrap();
        let being_made = root.path().join(format!("{PREFIX}being-made"));
        fs::create_dir(&being_made).unwrap();
        let foreign = root.path().join("something-else");
        fs::create_dir(&foreign).unwrap();

        sweep(root.path());
        assert!(living.path().exists() && being_made.exists() && foreign.exists());
        assert!(!left.exists());
        let path = living.path().to_owned();
        drop(living);
        assert!(!path.exists());
    }
}
