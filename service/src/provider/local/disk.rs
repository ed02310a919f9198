//! What a browser writes of downloads.
//!
//! It writes each into a temp file of its own as soon as it begins, whether it is refused or not, and into the folder of its
//! lease once its name is known. One of its threads does all of that in turn, so thousands that a page began are still written
//! after the page has gone, and cancelled only then. No event tells of those whose frame is gone.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use porthole_contract::limits::DOWNLOADS_MAX_BYTES;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How often is looked.
const LOOKS_EVERY: Duration = Duration::from_millis(500);
/// What a browser may have on the disk of downloads beside what sessions may keep, in bytes. One that exceeds it is ended with
/// all its pages, since otherwise the disk is full for everyone.
const WRITTEN_MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// A lease's folder is removed again and again until it has been gone for so long.
const GONE_FOR: Duration = Duration::from_secs(5);
/// How the names of the browser's temp files begin; they are in its profile folder.
const TEMP_PREFIX: &str = ".org.chromium.";
/// How many entries of a folder are counted.
const ENTRIES_MAX: usize = 10_000;

/// Waits until the browser with this profile has written too much, and returns how many bytes there are.
pub(super) async fn fills(profile: PathBuf, downloads: PathBuf) -> u64 {
    loop {
        sleep(LOOKS_EVERY).await;
        let (profile, downloads) = (profile.clone(), downloads.clone());
        let written = spawn_blocking(move || written(&profile, &downloads)).await.unwrap_or_default();
        if written > WRITTEN_MAX_BYTES {
            return written;
        }
    }
}

/// Removes the folder of a lease that has ended, until its browser writes no more into it, or has ended itself.
pub(super) async fn remove(folder: PathBuf, browser_ended: CancellationToken) {
    let mut seen = Instant::now();
    while seen.elapsed() < GONE_FOR && !browser_ended.is_cancelled() {
        match tokio::fs::remove_dir_all(&folder).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // A failure means that something was written meanwhile.
            Ok(()) | Err(_) => seen = Instant::now(),
        }
        sleep(LOOKS_EVERY).await;
    }
}

fn written(profile: &Path, downloads: &Path) -> u64 {
    let temp = bytes_in(profile, |name| name.starts_with(TEMP_PREFIX));
    let leases = std::fs::read_dir(downloads).into_iter().flatten().flatten().take(ENTRIES_MAX);
    let kept = |lease: &Path| bytes_in(lease, |_| true).saturating_sub(DOWNLOADS_MAX_BYTES);
    leases.map(|lease| kept(&lease.path())).fold(temp, u64::saturating_add)
}

/// The bytes of the files of a folder, of which any may go meanwhile.
fn bytes_in(folder: &Path, counts: impl Fn(&str) -> bool) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES_MAX);
    let files = entries.filter(|entry| counts(&entry.file_name().to_string_lossy()));
    files.filter_map(|file| file.metadata().ok()).map(|about| about.len()).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temp_files_count_and_what_leases_have_beyond_what_they_may_keep() {
        let profile = tempfile::tempdir().unwrap();
        let downloads = profile.path().join("downloads");
        let lease = downloads.join("lease");
        std::fs::create_dir_all(&lease).unwrap();
        for (path, bytes) in [
            (profile.path().join(".org.chromium.Chromium.x"), 3),
            (profile.path().join("Cookies"), 100),
            (lease.join("one.crdownload"), DOWNLOADS_MAX_BYTES + 5),
        ] {
            // No more than its length is written.
            std::fs::File::create(path).unwrap().set_len(bytes).unwrap();
        }
        assert_eq!(written(profile.path(), &downloads), 8);
    }
}
