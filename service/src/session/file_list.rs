//! The files that a session's pages downloaded, and those that are coming.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use porthole_contract::session::FileInfo;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// The files of a session.
#[derive(Debug, Default)]
pub(super) struct Files {
    list: Mutex<FileList>,
    /// Told when a download has ended.
    pub(super) ended: Notify,
}

#[derive(Debug, Default)]
pub(super) struct FileList {
    pub(super) given: u32,
    pub(super) coming: HashMap<String, Coming>,
    pub(super) kept: Vec<Kept>,
    /// Whether downloads are written at all.
    pub(super) is_open: bool,
    /// Whether the browser refuses further ones, since there were as many as there may be.
    pub(super) is_full: bool,
    /// Downloads beyond the number that a session may have, and those that no page reported.
    pub(super) excess: usize,
}

/// A download under way.
#[derive(Debug)]
pub(super) struct Coming {
    pub(super) tab: String,
    pub(super) name: String,
    pub(super) bytes: u64,
    /// Whether it was cancelled, or refused: told already.
    pub(super) cancelled: bool,
}

#[derive(Debug)]
pub(super) struct Kept {
    pub(super) info: FileInfo,
    pub(super) path: PathBuf,
}

impl Files {
    pub(super) fn list(&self) -> MutexGuard<'_, FileList> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no download is under way but those that were cancelled; false if one still is by `until`.
    pub(super) async fn settle(&self, until: Instant) -> bool {
        let waiting = async {
            loop {
                let ended = self.ended.notified();
                tokio::pin!(ended);
                ended.as_mut().enable();
                if self.list().coming.values().all(|coming| coming.cancelled) {
                    return;
                }
                ended.await;
            }
        };
        timeout_at(until, waiting).await.is_ok()
    }
}

impl FileList {
    /// The files that are kept, or may come.
    pub(super) fn count(&self) -> usize {
        self.kept.len() + self.coming.values().filter(|coming| !coming.cancelled).count()
    }

    /// Whether a download is one of the session's, by its name in the browser.
    pub(super) fn has(&self, guid: &str) -> bool {
        self.coming.contains_key(guid) || self.kept.iter().any(|kept| kept.path.ends_with(guid))
    }

    /// Bytes that are kept, or may come.
    pub(super) fn bytes(&self) -> u64 {
        let coming = self.coming.values().filter(|coming| !coming.cancelled).map(|coming| coming.bytes);
        self.kept.iter().map(|kept| kept.info.bytes).chain(coming).fold(0, u64::saturating_add)
    }
}
