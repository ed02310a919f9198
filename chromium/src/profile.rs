//! Profile folders: one for each browser process, removed with it.
//!
//! Each folder holds a file that the browser's owner has locked. The kernel releases the lock however the owner ends,
//! so the next start recognises leftover folders.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::{NamedTempFile, TempDir};

/// The prefix of our folders' names.
const PREFIX: &str = "porthole-profile-";
const LOCK: &str = "porthole.lock";
/// A folder without a lock file is being created, or, beyond this age, its creator died before it made the lock.
const UNLOCKED_AGE_MAX: Duration = Duration::from_secs(60);
/// Attempts to remove a profile while the browser's last children still write into it.
const REMOVE_TRIES: u32 = 20;
const REMOVE_EVERY: Duration = Duration::from_millis(50);
/// Checks, [`REMOVE_EVERY`] apart, whether a browser whose owner was killed has ended: ten seconds in all.
const ENDING_TRIES: u32 = 200;

/// A profile folder, removed when dropped.
#[derive(Debug)]
pub struct Profile {
    folder: TempDir,
    _locked: File,
}

impl Profile {
    /// Creates a folder in `root` that only this user can enter.
    ///
    /// # Errors
    /// If the folder or its lock can't be created.
    pub fn create(root: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(root)?;
        // Locked before it gets its final name, so that no other process ever sees it unlocked while we live.
        let lock = NamedTempFile::new_in(folder.path())?;
        lock.as_file().try_lock().map_err(io::Error::other)?;
        let locked = lock.persist(folder.path().join(LOCK)).map_err(|error| error.error)?;
        Ok(Self { folder, _locked: locked })
    }

    /// Returns the folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Removes the folder. Retries while the browser's last children end.
    pub async fn remove(self) {
        let path = self.path().to_owned();
        if let Err(error) = remove(&path).await {
            tracing::warn!(
                folder = %path.display(), %error, "a profile folder can't be removed; the next start tries again"
            );
        }
    }
}

/// Removes a folder. Retries while the browser's last children write into it.
async fn remove(path: &Path) -> io::Result<()> {
    let mut tries = 1;
    loop {
        match tokio::fs::remove_dir_all(path).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(_) if tries < REMOVE_TRIES => tokio::time::sleep(REMOVE_EVERY).await,
            removed => return removed,
        }
        tries += 1;
    }
}

/// Removes the folders in `root` whose owners have ended, after their browsers have ended too: a browser whose owner
/// was killed takes a moment to exit, and until then it recreates a removed folder.
pub async fn sweep(root: &Path) {
    let Ok(own) = fs::metadata("/proc/self").map(|metadata| metadata.uid()) else { return };
    for Orphan { folder, _lock } in orphans(root, own) {
        let mut tries = 0;
        while is_used(&folder) && tries < ENDING_TRIES {
            tokio::time::sleep(REMOVE_EVERY).await;
            tries += 1;
        }
        match remove(&folder).await {
            Ok(()) => tracing::info!(folder = %folder.display(), "removed a profile folder that a killed process left"),
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "a leftover profile folder can't be removed");
            }
        }
    }
}

/// A folder whose owner has ended.
struct Orphan {
    folder: PathBuf,
    /// Held by this process now; `None` without a lock file.
    _lock: Option<File>,
}

/// Lists the folders whose owners have ended.
fn orphans(root: &Path, own: u32) -> Vec<Orphan> {
    let Ok(entries) = fs::read_dir(root) else { return Vec::new() };
    let ours = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    ours.filter_map(|entry| orphaned(entry.path(), own)).collect()
}

/// Returns whether any process's command line names this folder.
fn is_used(folder: &Path) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else { return false };
    let name = folder.as_os_str().as_encoded_bytes();
    let commands = processes.flatten().filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    commands.into_iter().any(|command| command.windows(name.len()).any(|part| part == name))
}

/// Returns an orphaned folder; `None` if it is in use, a link or another user's.
fn orphaned(folder: PathBuf, own: u32) -> Option<Orphan> {
    let metadata = fs::symlink_metadata(&folder).ok().filter(|metadata| metadata.is_dir() && metadata.uid() == own)?;
    let lock = match File::open(folder.join(LOCK)) {
        Ok(lock) => {
            lock.try_lock().ok()?;
            Some(lock)
        }
        Err(_) => {
            let age = SystemTime::now().duration_since(metadata.modified().ok()?).ok()?;
            if age <= UNLOCKED_AGE_MAX {
                return None;
            }
            None
        }
    };
    Some(Orphan { folder, _lock: lock })
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn a_sweep_waits_for_a_browser_that_has_yet_to_end() {
        let root = tempfile::tempdir().unwrap();
        let left = root.path().join(format!("{PREFIX}left"));
        fs::create_dir(&left).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        // Like Chromium, it saves its settings when its pipe closes.
        let mut ending = tokio::process::Command::new("/bin/sh");
        ending.args(["-c", r#"echo here; read -r _; mkdir -p "$0"; : > "$0/Local State""#]).arg(&left);
        let piped = std::process::Stdio::piped;
        let mut ending = ending.stdin(piped()).stdout(piped()).spawn().unwrap();
        let pipe = ending.stdin.take().unwrap();
        // Its command line is readable only once it runs, a moment after the spawn.
        ending.stdout.as_mut().unwrap().read_u8().await.unwrap();
        let closing = async move {
            tokio::task::yield_now().await;
            drop(pipe);
            ending.wait().await.unwrap()
        };
        let ((), _) = tokio::join!(sweep(root.path()), closing);
        assert!(!left.exists());
    }

    #[tokio::test]
    async fn a_sweep_keeps_folders_in_use_and_removes_those_of_a_killed_process() {
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

        sweep(root.path()).await;
        assert!(living.path().exists() && being_made.exists() && foreign.exists());
        assert!(!left.exists());
        let path = living.path().to_owned();
        drop(living);
        assert!(!path.exists());
    }
}
