//! What the browser reports of a lease's downloads, and where it puts them.
//!
//! A local browser writes them into a folder of the lease, inside the browser's profile folder: it is removed
//! with the lease, and with the profile where the browser or the service ends first. Remote browsers refuse downloads, and say so.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::browser::{
    BrowserContextId, CancelDownloadParams, GetVersionParams, SetDownloadBehaviorBehavior, SetDownloadBehaviorParams,
};
use serde::Deserialize;
use tokio::time::timeout;

use crate::cdp::{Event, EventSink, Events, Session};

/// Only this user may enter a folder of downloads.
const FOLDER_MODE: u32 = 0o700;
/// Longest name that a file in the folder may have, in bytes. The browser gives each a UUID.
const GUID_MAX_BYTES: usize = 64;

/// How long the browser may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// How many files of a folder are looked at in one go.
const LISTED_MAX: usize = 1_000;

/// What the browser adds to the name of a file that it is writing.
const UNFINISHED: &str = ".crdownload";

// A download's beginning is reported by the page that it is of, whose allowance pays for its URL; the browser's own event
// names a frame that may be any sandbox's. How it goes on is reported by the browser, also once the page is closed.
const BEGINS: &str = "Page.downloadWillBegin";
const PROGRESSES: &str = "Browser.downloadProgress";

/// The downloads of one lease.
pub struct Downloads {
    browser: Session,
    context: Option<BrowserContextId>,
    events: Events,
    reports: DownloadReports,
    folder: Option<PathBuf>,
}

/// Where the pages of a lease report the downloads that they begin.
#[derive(Clone)]
pub struct DownloadReports(EventSink);

/// What the browser reports of a download.
#[derive(Debug)]
pub enum DownloadNews {
    /// It begins.
    Begins {
        /// Its name in the browser.
        guid: String,
        /// The target session that it is of: a page's, or that of a frame in a process of its own.
        session: Option<Arc<str>>,
        /// The file name that the page suggests, as it does.
        suggested: String,
    },
    /// It goes on, or has ended.
    Progresses {
        /// Its name in the browser.
        guid: String,
        /// Bytes so far.
        received: u64,
        /// Bytes in all; 0 where that is unknown.
        total: u64,
        /// Whether it has ended, and how.
        state: DownloadState,
    },
}

/// Whether a download has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DownloadState {
    /// It has not.
    UnderWay,
    /// It is there as a whole.
    Complete,
    /// It failed, or was cancelled.
    Failed,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WillBegin {
    guid: String,
    #[serde(default)]
    suggested_filename: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Progress {
    guid: String,
    #[serde(default)]
    received_bytes: f64,
    #[serde(default)]
    total_bytes: f64,
    state: String,
}

/// Makes a new folder inside `root`, which only this user may enter.
///
/// # Errors
/// If the disk is full, or the browser's profile is gone.
pub(super) fn make_folder(root: &Path) -> io::Result<PathBuf> {
    let mut builder = DirBuilder::new();
    builder.mode(FOLDER_MODE);
    builder.recursive(true).create(root)?;
    let folder = root.join(uuid::Uuid::new_v4().simple().to_string());
    builder.recursive(false).create(&folder)?;
    Ok(folder)
}

/// Builds the command that lets the browser write a context's downloads into a folder, or refuse them where there is none.
/// Whether downloads are reported is a setting of the connection, so every such command has to ask for it.
pub(super) fn behavior(context: Option<BrowserContextId>, folder: Option<&Path>) -> SetDownloadBehaviorParams {
    let mut params = SetDownloadBehaviorParams::new(match folder {
        // Under names that the browser chooses: the page's may be anything.
        Some(_) => SetDownloadBehaviorBehavior::AllowAndName,
        None => SetDownloadBehaviorBehavior::Deny,
    });
    params.browser_context_id = context;
    params.download_path = folder.map(|folder| folder.to_string_lossy().into_owned());
    params.events_enabled = Some(true);
    params
}

impl Downloads {
    /// Lets the browser write a context's downloads into a folder, or refuse them where there is none. The browser
    /// reports how the downloads of all its contexts go on: each reader must know its own.
    #[must_use]
    pub(super) fn begin(browser: Session, context: Option<BrowserContextId>, folder: Option<PathBuf>) -> Self {
        // One stream: what begins is read before how it goes on.
        let (events, sink) = browser.events_of_several(&[PROGRESSES]);
        browser.call(&behavior(context.clone(), folder.as_deref())).forget();
        Self { browser, context, events, reports: DownloadReports(sink), folder }
    }

    /// Returns where pages report what they begin.
    #[must_use]
    pub(super) fn reports(&self) -> DownloadReports {
        self.reports.clone()
    }

    /// Whether downloads are written at all.
    #[must_use]
    pub fn are_kept(&self) -> bool {
        self.folder.is_some()
    }

    /// Waits for the next report; `None` when the browser is gone, or reported more than could be read. Cancelling it
    /// loses nothing.
    pub async fn next(&mut self) -> Option<DownloadNews> {
        loop {
            if let Some(news) = read(&self.events.next().await?) {
                return Some(news);
            }
        }
    }

    /// Returns the next report that has already arrived.
    pub fn try_next(&mut self) -> Option<DownloadNews> {
        loop {
            if let Some(news) = read(&self.events.try_next()?) {
                return Some(news);
            }
        }
    }

    /// Waits until all that the browser has reported by now has arrived.
    pub async fn catch_up(&self) {
        drop(timeout(ANSWER_TIMEOUT, self.browser.call(&GetVersionParams::default())).await);
    }

    /// Cancels a download. The browser reports that as its failure.
    pub fn cancel(&self, guid: &str) {
        let mut cancel = CancelDownloadParams::new(guid);
        cancel.browser_context_id.clone_from(&self.context);
        self.browser.call(&cancel).forget();
    }

    /// Makes the browser refuse further downloads.
    pub fn refuse(&self) {
        self.browser.call(&behavior(self.context.clone(), None)).forget();
    }

    /// Lists what the browser has written into the lease's folder, finished or not: each download's name and its bytes.
    pub async fn written(&self) -> Vec<(String, u64)> {
        let Some(folder) = self.folder.clone() else { return Vec::new() };
        let listed = tokio::task::spawn_blocking(move || list(&folder)).await.map_err(io::Error::other);
        listed.and_then(|listed| listed).unwrap_or_else(|error| {
            tracing::warn!(%error, "the folder of downloads can't be read");
            Vec::new()
        })
    }

    /// Cancels a download and removes what there is of it.
    pub async fn discard(&self, guid: &str) {
        self.cancel(guid);
        self.remove(guid).await;
    }

    /// Removes what there is of a download.
    pub async fn remove(&self, guid: &str) {
        let Some(path) = self.path_of(guid) else { return };
        for path in [unfinished(&path), path] {
            if let Err(error) = tokio::fs::remove_file(&path).await
                && error.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(%error, "a failed download can't be removed; it goes with its session");
            }
        }
    }

    /// Returns where a download is.
    #[must_use]
    pub fn path_of(&self, guid: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(guid))
    }
}

// === impl DownloadReports ===

impl DownloadReports {
    /// Has a page, or a frame of it in a process of its own, report the downloads that it begins.
    pub fn listen(&self, page: &Session) {
        page.report_to(&self.0, &[BEGINS]);
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
fn try_read(event: &Event) -> Option<DownloadNews> {
    if event.method == BEGINS {
        let WillBegin { guid, suggested_filename } = event.read().ok()?;
        let (session, suggested) = (event.session.clone(), suggested_filename);
        return is_file_name(&guid).then_some(DownloadNews::Begins { guid, session, suggested });
    }
    let Progress { guid, received_bytes, total_bytes, state } = event.read().ok()?;
    let state = match state.as_str() {
        "completed" => DownloadState::Complete,
        "canceled" => DownloadState::Failed,
        _ => DownloadState::UnderWay,
    };
    Some(DownloadNews::Progresses { guid, received: received_bytes as u64, total: total_bytes as u64, state })
}

fn read(event: &Event) -> Option<DownloadNews> {
    let news = try_read(event);
    if news.is_none() {
        tracing::warn!("an event about a download can't be read");
    }
    news
}

fn list(folder: &Path) -> io::Result<Vec<(String, u64)>> {
    let mut written = Vec::new();
    for entry in std::fs::read_dir(folder)?.take(LISTED_MAX) {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let guid = name.strip_suffix(UNFINISHED).unwrap_or(&name);
        // It may be finished, and thereby renamed, just now.
        if let (true, Ok(about)) = (is_file_name(guid), entry.metadata()) {
            written.push((guid.to_owned(), about.len()));
        }
    }
    Ok(written)
}

/// Where the browser writes a download until it is complete.
fn unfinished(path: &Path) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(UNFINISHED);
    path.into()
}

/// The browser chooses it; still it becomes a path.
fn is_file_name(guid: &str) -> bool {
    (1..=GUID_MAX_BYTES).contains(&guid.len()) && guid.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
