//! The connection to one browser, its sessions, and calls on them.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};

use chromiumoxide_types::{Command, MethodId};
use porthole_contract::replace_lone_surrogates;
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::bounds::{Bounds, Meter};
use super::error::CdpError;
use super::event::{EventSink, Events};
use super::routes::{Answer, Refused, Routes, SessionId};
use super::transport::{Ending, Incoming, Receiver, Sender};

/// The most messages written together: more than any caller sends without waiting for an answer.
const MESSAGES_AT_ONCE: usize = 64;

/// A connection to a browser. Clones share it; it closes when the last one, sessions included, is dropped.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
}

struct Shared {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    next_id: AtomicU64,
    routes: Arc<Mutex<Routes>>,
    closed: CancellationToken,
}

impl Shared {
    fn routes(&self) -> MutexGuard<'_, Routes> {
        lock(&self.routes)
    }
}

/// Locks the routing table, ignoring poison: each of its methods leaves it consistent.
fn lock(routes: &Mutex<Routes>) -> MutexGuard<'_, Routes> {
    routes.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("closed", &self.shared.routes().closed()).finish_non_exhaustive()
    }
}

impl Connection {
    /// Starts the task that moves messages between `sender`, `receiver` and the routing table. `bounds` limit what one
    /// page of a shared browser may send.
    pub(super) fn start(
        sender: impl Sender + 'static,
        receiver: impl Receiver + 'static,
        bounds: Option<Bounds>,
        meter: Meter,
    ) -> Self {
        let (outgoing, outbox) = mpsc::unbounded_channel();
        let routes = Arc::new(Mutex::new(Routes::new(bounds, meter)));
        let closed = CancellationToken::new();
        let shared =
            Shared { outgoing, next_id: AtomicU64::new(1), routes: Arc::clone(&routes), closed: closed.clone() };
        tokio::spawn(async move {
            // Both directions at once: if the browser stops reading while it sends, we must go on reading.
            let reason = tokio::select! {
                reason = send_all(sender, outbox) => reason,
                reason = receive_all(receiver, &routes) => reason,
            };
            tracing::debug!(%reason, "the connection to a browser ended");
            lock(&routes).close(reason);
            closed.cancel();
        });
        Self { shared: Arc::new(shared) }
    }

    /// Returns the browser's own session, on which targets and contexts are created.
    #[must_use]
    pub fn browser(&self) -> Session {
        Session { connection: self.clone(), id: None }
    }

    /// Returns the session with this id, which was attached with `flatten`.
    #[must_use]
    pub fn session(&self, id: impl Into<Arc<str>>) -> Session {
        Session { connection: self.clone(), id: Some(id.into()) }
    }

    /// Returns whether the connection is closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.closed.is_cancelled()
    }

    /// Waits until the connection is closed, without keeping it open: the future holds no handle to it.
    pub fn closing(&self) -> WaitForCancellationFutureOwned {
        self.shared.closed.clone().cancelled_owned()
    }

    /// Waits until the connection is closed; returns the reason.
    pub async fn closed(&self) -> Cow<'static, str> {
        self.shared.closed.cancelled().await;
        self.shared.routes().closed().unwrap_or("closed".into())
    }
}

async fn send_all(mut sender: impl Sender, mut outbox: mpsc::UnboundedReceiver<Vec<u8>>) -> Ending {
    let mut messages = Vec::new();
    loop {
        tokio::select! {
            count = outbox.recv_many(&mut messages, MESSAGES_AT_ONCE) => if count == 0 {
                return "its last handle was dropped".into();
            },
            Err(ending) = sender.keep_alive() => return ending,
        }
        if let Err(ending) = sender.send(messages.drain(..)).await {
            return ending;
        }
    }
}

async fn receive_all(mut receiver: impl Receiver, routes: &Mutex<Routes>) -> Ending {
    loop {
        match receiver.receive().await {
            Ok(Incoming::Whole(message)) => lock(routes).route(&message),
            Ok(Incoming::Oversized(message)) => lock(routes).fail_oversized(&message),
            Err(ending) => return ending,
        }
    }
}

/// One session on a connection: the browser's own, or one target's.
#[derive(Clone, Debug)]
pub struct Session {
    connection: Connection,
    id: SessionId,
}

#[derive(Serialize)]
struct Message<'a, C> {
    id: u64,
    method: MethodId,
    params: &'a C,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
}

impl Session {
    /// Returns the connection that this session is on.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Returns its id; `None` for the browser's own session.
    #[must_use]
    pub fn id(&self) -> Option<&Arc<str>> {
        self.id.as_ref()
    }

    /// Returns whether both are the same session of the same connection.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.id == other.id && Arc::ptr_eq(&self.connection.shared, &other.connection.shared)
    }

    /// Sends a command now. Awaiting the [`Call`] gives its answer; dropping it discards the answer, not the command.
    pub fn call<C: Command>(&self, command: &C) -> Call<C::Response> {
        let shared = &self.connection.shared;
        let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
        let method = command.identifier();
        let message = Message { id, method: method.clone(), params: command, session_id: self.id.as_deref() };
        // Registered before the message is sent, since the answer may arrive at once.
        let answer = shared.routes().expect(id, self.id.clone());
        match serde_json::to_vec(&message) {
            Ok(message) => drop(shared.outgoing.send(message)),
            Err(error) => {
                // Dropping the expectation makes the call fail at once.
                tracing::error!(%method, %error, "a command can't be written as JSON");
                shared.routes().forget(id);
            }
        }
        Call { connection: self.connection.clone(), id, method, answer, response: PhantomData }
    }

    /// Subscribes to this session's events of these methods from now on, in the browser's order. Most domains send none
    /// until they are enabled.
    #[must_use]
    pub fn events(&self, methods: &'static [&'static str]) -> Events {
        self.connection.shared.routes().subscribe(self.id.clone(), methods).0
    }

    /// The same, with the stream's sending side.
    #[must_use]
    pub fn events_of_several(&self, methods: &'static [&'static str]) -> (Events, EventSink) {
        self.connection.shared.routes().subscribe(self.id.clone(), methods)
    }

    /// Has this session's events of these methods come in a stream that another session of the same connection began,
    /// all in the browser's order. A stream that falls behind ends as a whole.
    pub fn report_to(&self, sink: &EventSink, methods: &'static [&'static str]) {
        self.connection.shared.routes().report_to(sink, self.id.clone(), methods);
    }
}

/// A command that was sent: a future of its answer.
#[must_use = "a call that is dropped loses its answer"]
pub struct Call<T> {
    connection: Connection,
    id: u64,
    method: MethodId,
    answer: oneshot::Receiver<Answer>,
    response: PhantomData<fn() -> T>,
}

impl<T> Call<T> {
    /// Discards the answer or the failure; the command still runs.
    pub fn forget(self) {}
}

impl<T: serde::de::DeserializeOwned> Future for Call<T> {
    type Output = Result<T, CdpError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Poll::Ready(answer) = Pin::new(&mut self.answer).poll(context) else { return Poll::Pending };
        let method = self.method.clone();
        let answer = answer.unwrap_or_else(|_| Err(Refused::Closed("the call was never sent".into())));
        Poll::Ready(match answer {
            Ok(result) => serde_json::from_slice(&result)
                // A page chooses what is in texts, such as the id that describes an element.
                .or_else(|_| {
                    let mut repaired = result.to_vec();
                    replace_lone_surrogates(&mut repaired);
                    serde_json::from_slice(&repaired)
                })
                .map_err(|error| CdpError::Unreadable { method, reason: error.to_string() }),
            Err(refused) => Err(refused.of(method)),
        })
    }
}

impl<T> Drop for Call<T> {
    fn drop(&mut self) {
        self.connection.shared.routes().forget(self.id);
    }
}
