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
    /// Told when a download has begun or ended.
    pub(super) changed: Notify,
}

#[derive(Debug, Default)]
pub(super) struct FileList {
    pub(super) given: u32,
    /// How many downloads have begun, refused ones included.
    pub(super) begun: u64,
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
    /// Its number among the session's downloads.
    pub(super) number: u64,
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

    /// Waits until one more than `begun` has begun; false if none has by `until`.
    pub(super) async fn has_begun(&self, begun: u64, until: Instant) -> bool {
        self.reaches(|list| list.begun > begun, until).await
    }

    /// Waits until no download that has begun after so many is under way, but those that were cancelled; false if one still
    /// is by `until`.
    pub(super) async fn settle(&self, begun: u64, until: Instant) -> bool {
        let is_over = |coming: &Coming| coming.cancelled || coming.number <= begun;
        self.reaches(|list| list.coming.values().all(is_over), until).await
    }

    async fn reaches(&self, wanted: impl Fn(&FileList) -> bool, until: Instant) -> bool {
        let waiting = async {
            loop {
                let changed = self.changed.notified();
                tokio::pin!(changed);
                changed.as_mut().enable();
                if wanted(&self.list()) {
                    return;
                }
                changed.await;
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
