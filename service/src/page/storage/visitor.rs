//! Visits origins without asking their sites: each document is an empty one that we answer with ourselves.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chromiumoxide_cdp::cdp::browser_protocol::fetch::{
    DisableParams as DisableFetch, EnableParams as EnableFetch, FulfillRequestParams, HeaderEntry, RequestPattern,
};
use chromiumoxide_cdp::cdp::browser_protocol::network::SetBypassServiceWorkerParams;
use chromiumoxide_cdp::cdp::browser_protocol::page::{NavigateParams, ResetNavigationHistoryParams};
use chromiumoxide_cdp::cdp::browser_protocol::target::CloseTargetParams;
use chromiumoxide_types::Command;
use porthole_contract::limits::CAPTURE_TIMEOUT;
use porthole_contract::session::OriginStorage;
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use super::{READ, Read, StorageError, Stored, WRITE};
use crate::cdp::{CdpError, Events, Session};
use crate::page::watch::network;
use crate::page::world::{argument, in_frame, in_world, value};
use crate::page::{BLANK, Page, PageError};

/// Pause before the document is asked again, while the one before is still there.
const NEXT_DOCUMENT_AFTER: Duration = Duration::from_millis(5);
/// How long all origins may take together of which the local storage is read, and each of them: its document is empty, and
/// we answer for it. What is not read by then is left out.
const READS_TIMEOUT: Duration = Duration::from_secs(10);
const READ_TIMEOUT: Duration = Duration::from_secs(3);
/// The status of our answers.
const OK: i64 = 200;

/// A page that visits origins. Nothing else may use it meanwhile.
struct Visitor<'a> {
    session: &'a Session,
    frame: &'a str,
    paused: Events,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: String,
}

/// Puts entries into the local storage of origins, by a blank page that no watcher watches yet, and leaves it blank.
///
/// # Errors
/// [`StorageError`] if an origin takes none, or the page does not answer.
pub async fn put(page: &Session, frame: &str, origins: &[OriginStorage]) -> Result<(), StorageError> {
    if origins.is_empty() {
        return Ok(());
    }
    let mut visitor = Visitor::begin(page, frame).await?;
    for OriginStorage { origin, local_storage } in origins {
        let entries = local_storage.iter();
        let entries: Vec<Value> =
            entries.map(|entry| Value::from(vec![entry.name.as_str(), entry.value.expose_secret()])).collect();
        let refused = || StorageError::Origin(origin.clone());
        let asked = visitor.visit::<Option<String>>(origin, WRITE, entries.into(), Option::as_deref, CAPTURE_TIMEOUT);
        asked.await?.ok_or_else(refused)?;
    }
    visitor.end().await?;
    Ok(())
}

/// Reads the local storage of origins that no page shows, by a blank page of its own.
///
/// # Errors
/// [`PageError`] if the page does not answer.
async fn read_visited(page: &Session, frame: &str, origins: &[String], stored: &mut Stored) -> Result<(), PageError> {
    // A site's service worker would answer before we do, with a document of its own or never. It is asked for nothing only
    // where the domain is on, which is for this window alone.
    page.call(&network()).forget();
    page.call(&SetBypassServiceWorkerParams::new(true)).forget();
    let mut visitor = Visitor::begin(page, frame).await?;
    let until = Instant::now() + READS_TIMEOUT;
    for origin in origins {
        let limit = READ_TIMEOUT.min(until.saturating_duration_since(Instant::now()));
        let room = stored.room().into();
        match visitor.visit::<Option<Read>>(origin, READ, room, origin_of_read, limit).await? {
            Some(read) => stored.add(read),
            None => stored.leave_out(),
        }
    }
    Ok(())
}

impl Page {
    /// Reads the local storage of origins in a blank window of this page's context, and closes the window.
    ///
    /// # Errors
    /// [`PageError`] if the browser is gone or does not answer.
    pub async fn read_in(&self, window: &str, origins: &[String], stored: &mut Stored) -> Result<(), PageError> {
        let browser = self.session.connection().browser();
        let _closes = Closes { browser: browser.clone(), window };
        let attached = self.within(CAPTURE_TIMEOUT, "attaching to a window", browser.attach_to(window)).await?;
        read_visited(&attached, window, origins, stored).await
    }
}

/// Closes a window when dropped.
struct Closes<'a> {
    browser: Session,
    window: &'a str,
}

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        self.browser.call(&CloseTargetParams::new(self.window.to_owned())).forget();
    }
}

// === impl Visitor ===

impl<'a> Visitor<'a> {
    async fn begin(session: &'a Session, frame: &'a str) -> Result<Self, PageError> {
        let paused = session.events(&["Fetch.requestPaused"]);
        let all = vec![RequestPattern::builder().url_pattern("*").build()];
        let visitor = Self { session, frame, paused };
        visitor.ask(&EnableFetch { patterns: Some(all), handle_auth_requests: None }).await?;
        Ok(visitor)
    }

    /// Goes to an origin and calls a function there; `None` if its document does not come within `limit`. `origin_of` is
    /// where the function says that it was: the document before may still be there for a moment.
    async fn visit<T: DeserializeOwned + Default>(
        &mut self,
        origin: &str,
        function: &str,
        given: Value,
        origin_of: fn(&T) -> Option<&str>,
        limit: Duration,
    ) -> Result<T, PageError> {
        let session = self.session;
        let visiting = async {
            let mut navigated = session.call(&NavigateParams::new(format!("{origin}/")));
            loop {
                tokio::select! {
                    biased;
                    Some(event) = self.paused.next() => session.call(&empty(event.read::<Paused>()?)).forget(),
                    answer = &mut navigated => break drop(answer?),
                }
            }
            loop {
                let context = session.call(&in_frame(self.frame)).await;
                let asked = async {
                    let call = in_world(*context?.execution_context_id.inner(), function, &[argument(given.clone())]);
                    value::<T>(session.call(&call).await?)
                };
                match asked.await {
                    Ok(said) if origin_of(&said) == Some(origin) => return Ok(said),
                    Ok(_) | Err(CdpError::Remote { .. }) => sleep(NEXT_DOCUMENT_AFTER).await,
                    Err(error) => return Err(error),
                }
            }
        };
        match timeout(limit, visiting).await {
            Ok(said) => Ok(said?),
            Err(_) => Ok(T::default()),
        }
    }

    /// Leaves the page as blank as it was.
    async fn end(self) -> Result<(), PageError> {
        self.ask(&DisableFetch::default()).await?;
        self.ask(&NavigateParams::new(BLANK)).await?;
        // The answer comes before the document does, whose entry is to be the only one.
        let arriving = async {
            while !self.is_blank().await? {
                sleep(NEXT_DOCUMENT_AFTER).await;
            }
            Ok::<_, PageError>(())
        };
        timeout(CAPTURE_TIMEOUT, arriving).await.map_err(|_| PageError::TimedOut("leaving the last origin"))??;
        self.ask(&ResetNavigationHistoryParams::default()).await
    }

    async fn is_blank(&self) -> Result<bool, PageError> {
        let asked = async {
            let context = self.session.call(&in_frame(self.frame)).await?.execution_context_id;
            value::<String>(self.session.call(&in_world(*context.inner(), "() => location.href", &[])).await?)
        };
        match asked.await {
            Ok(url) => Ok(url == BLANK),
            Err(CdpError::Remote { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    async fn ask<C: Command>(&self, command: &C) -> Result<(), PageError> {
        match timeout(CAPTURE_TIMEOUT, self.session.call(command)).await {
            Ok(answer) => Ok(answer.map(drop)?),
            Err(_) => Err(PageError::TimedOut("preparing the local storage")),
        }
    }
}

fn origin_of_read(read: &Option<Read>) -> Option<&str> {
    read.as_ref().map(|read| read.origin.as_str())
}

/// An empty document for a paused request.
fn empty(paused: Paused) -> FulfillRequestParams {
    let mut answer = FulfillRequestParams::new(paused.request_id, OK);
    answer.response_headers = Some(vec![HeaderEntry::new("content-type", "text/html")]);
    answer.body = Some(BASE64_STANDARD.encode("<!doctype html>").into());
    answer
}
