//! A session: one method for each route, the handle kept between calls, and the rule for their retries.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use porthole_contract::ErrorCode;
use porthole_contract::metrics::Operation;
use porthole_contract::routes::session as routes;
use porthole_contract::session::{
    Acted, CheckRequest, ClickRequest, CloseRequest, Closed, DialogRequest, DragRequest, Extracted, Files,
    FilesRequest, HoverRequest, InteractRequest, Interacted, NavigateRequest, OPEN_FIELDS, OpenRequest, Picture, Plain,
    PressRequest, ScrollRequest, SelectRequest, SessionAnswer, SessionExtractRequest, SessionScreenshotRequest,
    SnapshotRequest, State, StateRequest, Status, StatusRequest, Tabs, TabsRequest, TypeRequest, UploadRequest,
    ViewerAnswer, ViewerRequest, WaitRequest,
};
use secrecy::SecretString;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::client::{Client, Sent};
use crate::error::Error;
use crate::retry::may_retry;

/// A browser that stays between calls: it navigates, looks at pages and acts on them.
///
/// The first [`navigate`](Session::navigate) or [`open`](Session::open) makes the session; its handle is kept here and
/// sent with every later call. Requests need only their own fields: sandbox, token and handle are put in.
///
/// A call that acts is retried only when it was refused before it acted, and never once it may have arrived: a click that
/// may have happened is not clicked again ([`Error::Unanswered`]). Calls that only look are retried like one-shot
/// requests. Cheap to clone; clones share the handle.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use porthole_client::session::{ClickRequest, SnapshotRequest};
/// use porthole_client::{Client, CreateRequest};
///
/// let client = Client::builder().build()?;
/// let sandbox = client.create(&CreateRequest::default()).await?;
/// let session = client.session(sandbox.sandbox_id, sandbox.owner_token);
/// session.go_to("https://example.com").await?;
/// let page = session.snapshot(SnapshotRequest::default()).await?;
/// println!("{}", page.snapshot.unwrap_or_default().tree);
/// session.click(ClickRequest { reference: Some("@e1".parse()?), ..ClickRequest::default() }).await?;
/// session.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Session {
    client: Client,
    sandbox_id: String,
    owner_token: Option<SecretString>,
    handle: Arc<Mutex<Option<String>>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("sandbox_id", &self.sandbox_id).finish_non_exhaustive()
    }
}

impl Client {
    /// Returns a session of this sandbox, without any request yet.
    #[must_use]
    pub fn session(&self, sandbox_id: impl Into<String>, owner_token: Option<SecretString>) -> Session {
        Session { client: self.clone(), sandbox_id: sandbox_id.into(), owner_token, handle: Arc::default() }
    }
}

/// Declares the method of each route.
macro_rules! session_routes {
    ($($(#[doc = $doc:literal])+ $method:ident, $operation:ident, $request:ty, $answer:ty;)+) => {
        impl Session {
            $(
                $(#[doc = $doc])+
                ///
                /// # Errors
                /// [`Error`], with the session's events and the snapshot that was asked for.
                pub async fn $method(&self, mut request: $request) -> Result<$answer, Error> {
                    request.sandbox_id.clone_from(&self.sandbox_id);
                    request.owner_token.clone_from(&self.owner_token);
                    let body = serde_json::to_value(&request).expect("a request of the contract serializes to JSON");
                    let answer: $answer = self.call(Operation::$operation, &body).await?;
                    self.keep(&answer.session);
                    Ok(answer)
                }
            )+
        }
    };
}

session_routes! {
    /// Makes a session with given options, in place of the one of the calls before.
    open, SessionOpen, OpenRequest, SessionAnswer<Plain>;
    /// Goes to a URL or through the history. The first call makes the session.
    navigate, SessionNavigate, NavigateRequest, SessionAnswer<Acted>;
    /// Reads what is on the page, with refs to act by.
    snapshot, SessionSnapshot, SnapshotRequest, SessionAnswer<Plain>;
    /// Clicks an element or a point.
    click, SessionClick, ClickRequest, SessionAnswer<Acted>;
    /// Types into a field.
    type_text, SessionType, TypeRequest, SessionAnswer<Acted>;
    /// Presses a key or a combination of keys.
    press, SessionPress, PressRequest, SessionAnswer<Acted>;
    /// Moves the pointer over an element or to a point.
    hover, SessionHover, HoverRequest, SessionAnswer<Acted>;
    /// Chooses in a select.
    select, SessionSelect, SelectRequest, SessionAnswer<Acted>;
    /// Sets a checkbox, a radio button or a switch.
    check, SessionCheck, CheckRequest, SessionAnswer<Acted>;
    /// Drags one element to another.
    drag, SessionDrag, DragRequest, SessionAnswer<Acted>;
    /// Scrolls the page or a part of it, or an element into view.
    scroll, SessionScroll, ScrollRequest, SessionAnswer<Acted>;
    /// Puts files into a file field.
    upload, SessionUpload, UploadRequest, SessionAnswer<Acted>;
    /// Waits for one condition.
    wait, SessionWait, WaitRequest, SessionAnswer<Plain>;
    /// Acts on what a person would name, in the page first.
    interact, SessionInteract, InteractRequest, SessionAnswer<Interacted>;
    /// Takes a picture of the page.
    screenshot, SessionScreenshot, SessionScreenshotRequest, SessionAnswer<Picture>;
    /// Reads the page, as it stands.
    extract, SessionExtract, SessionExtractRequest, SessionAnswer<Extracted>;
    /// Answers the dialog that holds the page.
    dialog, SessionDialog, DialogRequest, SessionAnswer<Acted>;
    /// Lists, opens, selects and closes tabs.
    tabs, SessionTabs, TabsRequest, SessionAnswer<Tabs>;
    /// Lists and reads downloads.
    files, SessionFiles, FilesRequest, SessionAnswer<Files>;
    /// Reads cookies and local storage, for [`open`](Session::open) later. A secret.
    state, SessionState, StateRequest, SessionAnswer<State>;
    /// Reads tabs, age, idle time and control.
    status, SessionStatus, StatusRequest, SessionAnswer<Status>;
    /// Makes a ticket for the live view.
    viewer, SessionViewer, ViewerRequest, ViewerAnswer;
}

impl Session {
    /// Continues the session of a handle that an earlier answer named.
    #[must_use]
    pub fn with_handle(self, handle: impl Into<String>) -> Self {
        self.keep(&handle.into());
        self
    }

    /// Returns the session's handle; `None` before the first call.
    #[must_use]
    pub fn handle(&self) -> Option<String> {
        self.held().clone()
    }

    /// Goes to a URL and waits until it is loaded.
    ///
    /// # Errors
    /// As [`navigate`](Session::navigate).
    pub async fn go_to(&self, url: impl Into<String>) -> Result<SessionAnswer<Acted>, Error> {
        self.navigate(NavigateRequest { url: Some(url.into()), ..NavigateRequest::default() }).await
    }

    /// Ends the session. One that had ended, or whose replica is gone, is a success with `closed: false`. Later calls
    /// begin anew.
    ///
    /// # Errors
    /// [`Error`]; `NO_PAGE` if there is no session.
    pub async fn close(&self) -> Result<SessionAnswer<Closed>, Error> {
        let request = CloseRequest {
            sandbox_id: self.sandbox_id.clone(),
            owner_token: self.owner_token.clone(),
            ..CloseRequest::default()
        };
        let body = serde_json::to_value(&request).expect("a request of the contract serializes to JSON");
        let answer = match self.call(Operation::SessionClose, &body).await {
            Err(error)
                if [ErrorCode::SessionNotFound, ErrorCode::SessionLost].iter().any(|code| error.code() == *code) =>
            {
                SessionAnswer { ok: true, session: self.handle().unwrap_or_default(), ..SessionAnswer::default() }
            }
            outcome => outcome?,
        };
        *self.held() = None;
        Ok(answer)
    }

    async fn call<T: DeserializeOwned>(&self, operation: Operation, body: &Value) -> Result<T, Error> {
        let route = operation.route();
        let acts = routes::acts(route);
        let opens = route == routes::OPEN;
        let first = self.handle().is_none();
        let attempt = async || {
            let body = Bytes::from(self.addressed(body, opens, first).to_string());
            let outcome = self.client.attempt(Sent { operation, route, acts }, body).await;
            // A first call that fails may have made its session: a retry is about that one.
            if let Err(error) = &outcome
                && let Some(handle) = error.context().and_then(|context| context.session.as_deref())
            {
                self.keep(handle);
            }
            outcome
        };
        let may_retry = |error: &Error| {
            let made_a_session = opens && error.context().is_some_and(|context| context.session.is_some());
            may_retry(error, acts) && !made_a_session
        };
        self.client.retried(operation, attempt, may_retry).await
    }

    /// The body with the handle, if there is one. A retry of the call that made the session, which was the `first`, does
    /// not say again how it is to be.
    fn addressed(&self, body: &Value, opens: bool, first: bool) -> Value {
        let mut body = body.clone();
        let Some(fields) = body.as_object_mut() else { return body };
        match self.handle().filter(|_| !opens) {
            Some(handle) => {
                fields.insert("session".to_owned(), Value::String(handle));
                fields.retain(|field, _| !first || !OPEN_FIELDS.contains(&field.as_str()));
            }
            None => drop(fields.remove("session")),
        }
        body
    }

    fn keep(&self, handle: &str) {
        if !handle.is_empty() {
            *self.held() = Some(handle.to_owned());
        }
    }

    fn held(&self) -> MutexGuard<'_, Option<String>> {
        // A handle is written whole.
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
