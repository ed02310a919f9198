//! Downloads of a session's pages: bounded while they are written, reported as events, read by `files`.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use porthole_contract::Invalid;
use porthole_contract::limits::DOWNLOADS_MAX_BYTES;
use porthole_contract::session::{Event, FileInfo, Files as FilesAnswer};
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::end::Reason;
use super::file_list::{Coming, FileList, Kept};
use super::file_name::file_name;
use super::{Session, SessionError, Turn};
use crate::page::media_type::media_type;
use crate::provider::{DownloadNews, DownloadState, Downloads};

/// Files of one session, those under way included.
const FILES_MAX: usize = 100;
/// Downloads that are followed at the same time, those included that were refused and have not ended.
const COMING_MAX: usize = 1_000;
/// How long a call waits for the end of a download that it began.
const END_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the session may take to hear of a download that the page has told of.
const BEGIN_TIMEOUT: Duration = Duration::from_secs(2);
/// How often the folder is looked at for files that no page reported.
const STRAYS_EVERY: Duration = Duration::from_secs(1);
/// And how soon again where there were any.
const STRAYS_AGAIN: Duration = Duration::from_millis(100);
/// How often in a session that had no call for so long.
const STRAYS_WHEN_IDLE: Duration = Duration::from_secs(10);
const IDLE_AFTER: Duration = Duration::from_secs(30);
/// A file of this size that no page has reported is removed when it is first seen; a smaller one when it is seen again.
const STRAY_MAX_BYTES: u64 = 1024 * 1024;

/// A session ends whose pages begin so many more downloads than it may have, or so many that no page reports: they occupy the
/// browser, which all sessions share.
const EXCESS_MAX: usize = 1_000;
/// So does one with files of so many bytes at a time that no page reports.
const STRAYS_MAX_BYTES: u64 = 2 * DOWNLOADS_MAX_BYTES;
/// A download that no page reports counts like this many: it is no charge on its page's allowance.
const STRAY_COUNTS: usize = 50;

const TOO_LARGE: &str = "the session's downloads would be over 50 MB";
const TOO_MANY: &str = "the session has as many downloads as one may have";
const NOT_KEPT: &str = "this provider keeps no downloads";
const FAILED: &str = "the download failed";
const STRAY: &str = "the frame that began the download was removed before it came";
/// How a file is called whose name no page has told.
const STRAY_NAME: &str = "download";

/// Follows the downloads of a session until its browser is gone.
pub(super) async fn follow(session: Arc<Session>, mut downloads: Downloads) {
    session.files.list().is_open = downloads.are_kept();
    let mut looks_for_strays = interval(STRAYS_EVERY);
    looks_for_strays.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut strays = HashSet::new();
    loop {
        if session.files.list().excess >= EXCESS_MAX {
            tracing::warn!(session = %session.id, "a session's pages began more downloads than it may have");
            session.end.ask(Reason::Lost);
            break;
        }
        tokio::select! {
            biased;
            news = downloads.next() => match news {
                Some(news) => note(&session, &downloads, news).await,
                None => break,
            },
            _ = looks_for_strays.tick(), if downloads.are_kept() => {
                let before = session.files.list().excess;
                strays = remove_strays(&session, &mut downloads, &strays).await;
                let has_found = session.files.list().excess > before;
                let is_idle = session.idle_for() > IDLE_AFTER && strays.is_empty();
                looks_for_strays.reset_after(match (has_found, is_idle) {
                    (true, _) => STRAYS_AGAIN,
                    (false, true) => STRAYS_WHEN_IDLE,
                    (false, false) => STRAYS_EVERY,
                });
            }
        }
    }
    // The browser is gone, reported more than could be followed, or its pages began too many: nothing is written unwatched.
    downloads.refuse();
    let coming: Vec<String> = {
        let mut list = session.files.list();
        list.is_open = false;
        list.coming.drain().map(|(guid, _)| guid).collect()
    };
    for guid in coming {
        downloads.discard(&guid).await;
    }
    session.files.changed.notify_waiters();
}

async fn note(session: &Session, downloads: &Downloads, news: DownloadNews) {
    match news {
        DownloadNews::Begins { guid, session: page, suggested } => {
            begins(session, downloads, &guid, page.as_deref(), file_name(&suggested));
        }
        DownloadNews::Progresses { guid, received, total, state } => {
            progresses(session, downloads, &guid, received.max(total), state).await;
        }
    }
}

/// Removes files that no page has reported: the browser reports nothing of a download whose frame was removed before its
/// server answered. Returns those that are left, to be looked at again.
async fn remove_strays(session: &Session, downloads: &mut Downloads, seen: &HashSet<String>) -> HashSet<String> {
    let mut strays = downloads.written().await;
    strays.retain(|(guid, _)| !session.files.list().has(guid));
    if !strays.is_empty() {
        // Their reports may be on the way.
        downloads.catch_up().await;
        while let Some(news) = downloads.try_next() {
            note(session, downloads, news).await;
        }
        strays.retain(|(guid, _)| !session.files.list().has(guid));
    }
    let mut left = HashSet::new();
    if strays.iter().map(|(_, bytes)| bytes).sum::<u64>() > STRAYS_MAX_BYTES {
        session.files.list().excess += EXCESS_MAX;
    }
    for (guid, bytes) in strays {
        if bytes < STRAY_MAX_BYTES && !seen.contains(&guid) {
            left.insert(guid);
            continue;
        }
        downloads.discard(&guid).await;
        session.files.list().excess += STRAY_COUNTS;
        let tab = session.tabs().active().map(|tab| tab.name).unwrap_or_default();
        session.events.push(failed(tab, STRAY_NAME.to_owned(), STRAY));
    }
    left
}

fn begins(session: &Session, downloads: &Downloads, guid: &str, page: Option<&str>, name: String) {
    let active = || session.tabs().active().map(|tab| tab.name);
    let tab = page.and_then(|page| session.tab_with(page)).or_else(active).unwrap_or_default();
    let refused = {
        let mut list = session.files.list();
        list.begun += 1;
        let refused = if !downloads.are_kept() {
            Some(NOT_KEPT)
        } else if list.is_full || list.count() >= FILES_MAX {
            list.is_full = true;
            Some(TOO_MANY)
        } else {
            None
        };
        // A refused one may be complete before it is cancelled: its file is removed then.
        if list.coming.len() < COMING_MAX {
            let cancelled = refused.is_some();
            let coming = Coming { number: list.begun, tab: tab.clone(), name: name.clone(), bytes: 0, cancelled };
            list.coming.insert(guid.to_owned(), coming);
        }
        refused
    };
    close_unused(session, &tab);
    if let Some(error) = refused {
        downloads.cancel(guid);
        if error == TOO_MANY {
            // None of them will be kept, and each would occupy the browser.
            downloads.refuse();
            session.files.list().excess += 1;
        }
        session.events.push(failed(tab, name, error));
    }
    session.files.changed.notify_waiters();
}

/// Closes the window that a page has opened for a download: it would stay blank. A tab that the agent is in stays.
fn close_unused(session: &Session, name: &str) {
    let tabs = session.tabs();
    let is_active = tabs.active().is_some_and(|tab| tab.name == name);
    if let Some(tab) = tabs.get(Some(name)).ok().filter(|tab| !is_active && tab.is_unused_popup()) {
        tab.page.begin_close();
    }
}

async fn progresses(session: &Session, downloads: &Downloads, guid: &str, bytes: u64, state: DownloadState) {
    let is_too_large = {
        let mut list = session.files.list();
        let Some(coming) = list.coming.get_mut(guid) else { return };
        coming.bytes = bytes;
        list.bytes() > DOWNLOADS_MAX_BYTES
    };
    match state {
        DownloadState::UnderWay if is_too_large => {
            downloads.cancel(guid);
            let told = session.files.list().coming.get_mut(guid).and_then(|coming| {
                let is_news = !std::mem::replace(&mut coming.cancelled, true);
                is_news.then(|| failed(coming.tab.clone(), coming.name.clone(), TOO_LARGE))
            });
            told.into_iter().for_each(|event| session.events.push(event));
        }
        DownloadState::UnderWay => {}
        DownloadState::Complete | DownloadState::Failed => {
            let path = downloads.path_of(guid);
            // The size on the disk counts, not the one that was reported.
            let size = match (&path, state) {
                (Some(path), DownloadState::Complete) => tokio::fs::metadata(path).await.ok().map(|file| file.len()),
                _ => None,
            };
            let (event, is_kept) = ended(&mut session.files.list(), guid, path, size);
            if !is_kept {
                downloads.remove(guid).await;
            }
            event.into_iter().for_each(|event| session.events.push(event));
            session.files.changed.notify_waiters();
        }
    }
}

/// Takes a download that has ended into the list, if it is whole and there is room. Returns what is told of it, and
/// whether its file stays.
fn ended(list: &mut FileList, guid: &str, path: Option<PathBuf>, size: Option<u64>) -> (Option<Event>, bool) {
    let Some(Coming { tab, name, cancelled, .. }) = list.coming.remove(guid) else { return (None, false) };
    let (Some(bytes), Some(path), false) = (size, path, cancelled) else {
        return ((!cancelled).then(|| failed(tab, name, FAILED)), false);
    };
    if list.bytes().saturating_add(bytes) > DOWNLOADS_MAX_BYTES {
        return (Some(failed(tab, name, TOO_LARGE)), false);
    }
    list.given += 1;
    let file = format!("f{}", list.given);
    let mime_type = media_type(&name).unwrap_or("application/octet-stream").to_owned();
    list.kept.push(Kept { info: FileInfo { file: file.clone(), name: name.clone(), mime_type, bytes }, path });
    (Some(Event::Download { tab, file: Some(file), name, bytes, error: None }), true)
}

fn failed(tab: String, name: String, error: &str) -> Event {
    Event::Download { tab, file: None, name, bytes: 0, error: Some(error.to_owned()) }
}

impl Session {
    /// The name of the tab whose page, or a frame of it, has this target session.
    fn tab_with(&self, page: &str) -> Option<String> {
        self.tabs().all().into_iter().find(|tab| tab.page.has_session(page)).map(|tab| tab.name)
    }
}

impl Turn<'_> {
    /// Whether the session keeps what its pages download.
    pub(super) fn keeps_downloads(&self) -> bool {
        self.session.files.list().is_open
    }

    /// Waits for the end of the downloads that the call began, which the page has told of. Whether they ended.
    pub(super) async fn settle_downloads(&mut self) -> bool {
        // Others work meanwhile.
        self.rests();
        let begun = self.downloads_before;
        // A snapshot that the answer is to have needs its time, too.
        let left = self.deadline.saturating_duration_since(Instant::now());
        let last = Instant::now() + left / 2;
        let by = |limit| (Instant::now() + limit).min(last);
        self.session.files.has_begun(begun, by(BEGIN_TIMEOUT)).await
            && self.session.files.settle(begun, by(END_TIMEOUT)).await
    }

    /// The files that were downloaded.
    #[must_use]
    pub fn files(&self) -> FilesAnswer {
        FilesAnswer::list(self.session.files.list().kept.iter().map(|kept| kept.info.clone()).collect())
    }

    /// One of them, without its content, and that as a file that is open: it may have megabytes, and a caller takes it as
    /// slowly as it likes.
    ///
    /// # Errors
    /// [`SessionError::Invalid`] for one that there is not; [`SessionError::Lost`] where it is gone with its browser.
    pub async fn file(&self, file: &str) -> Result<(FilesAnswer, tokio::fs::File), SessionError> {
        let found = self.session.files.list().kept.iter().find(|kept| kept.info.file == file).map(|kept| {
            let Kept { info, path } = kept;
            (info.clone(), path.clone())
        });
        let (info, path) = found.ok_or_else(|| Invalid::new("file", "is not a file of this session"))?;
        let content = tokio::fs::File::open(&path).await.map_err(|error| {
            tracing::warn!(%error, "a download can't be read");
            SessionError::Lost
        })?;
        Ok((FilesAnswer::one(info, String::new()), content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_never_exceeds_the_bound() {
        let mut list = FileList::default();
        let mut end = |guid: &str, size| {
            let coming =
                Coming { number: 1, tab: "t1".to_owned(), name: "a.txt".to_owned(), bytes: 0, cancelled: false };
            list.coming.insert(guid.to_owned(), coming);
            ended(&mut list, guid, Some(PathBuf::from("/x")), size)
        };
        assert!(end("a", Some(DOWNLOADS_MAX_BYTES)).1);
        let (told, is_kept) = end("b", Some(1));
        assert!(!is_kept);
        assert!(matches!(told, Some(Event::Download { error: Some(error), .. }) if error == TOO_LARGE));
        assert!(matches!(end("c", None), (Some(Event::Download { error: Some(_), .. }), false)));
        assert_eq!(list.kept[0].info.mime_type, "text/plain");
    }
}
