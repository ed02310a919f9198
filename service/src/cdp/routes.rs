//! Where an incoming message goes: an answer to the call that waits for it, an event to whoever asked for it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};

use super::error::CdpError;
use super::event::{EVENTS_WAITING_MAX, Event, Events};

/// How Chromium's events begin.
const EVENT_START: &[u8] = br#"{"method":""#;
const DETACHED: &str = "Target.detachedFromTarget";

/// A session's id; none for the browser itself.
pub(super) type SessionId = Option<Arc<str>>;

/// What a call gets: the `result`'s JSON, or why there is none.
pub(super) type Answer = Result<Bytes, Refused>;

/// A refusal before the caller adds its method's name.
#[derive(Debug)]
pub(super) enum Refused {
    Closed(Cow<'static, str>),
    Detached,
    Remote { code: i64, message: String },
}

impl Refused {
    pub(super) fn of(self, method: Cow<'static, str>) -> CdpError {
        match self {
            Refused::Closed(reason) => CdpError::Closed(reason),
            Refused::Detached => CdpError::Detached,
            Refused::Remote { code, message } => CdpError::Remote { method, code, message },
        }
    }
}

struct Pending {
    session: SessionId,
    answer: oneshot::Sender<Answer>,
}

struct Subscriber {
    methods: &'static [&'static str],
    events: mpsc::Sender<Event>,
}

/// The table of who waits for what.
#[derive(Default)]
pub(super) struct Routes {
    pending: HashMap<u64, Pending>,
    subscribers: HashMap<SessionId, Vec<Subscriber>>,
    closed: Option<Cow<'static, str>>,
}

impl Routes {
    /// Waits for the answer to call `id`; answered at once if the connection is closed already.
    pub(super) fn expect(&mut self, id: u64, session: SessionId) -> oneshot::Receiver<Answer> {
        let (answer, receiver) = oneshot::channel();
        match &self.closed {
            Some(reason) => drop(answer.send(Err(Refused::Closed(reason.clone())))),
            None => drop(self.pending.insert(id, Pending { session, answer })),
        }
        receiver
    }

    /// Nobody waits for call `id` any more.
    pub(super) fn forget(&mut self, id: u64) {
        self.pending.remove(&id);
    }

    pub(super) fn subscribe(&mut self, session: SessionId, methods: &'static [&'static str]) -> Events {
        let (events, receiver) = mpsc::channel(EVENTS_WAITING_MAX);
        if self.closed.is_none() {
            self.subscribers.entry(session).or_default().push(Subscriber { methods, events });
        }
        Events::new(receiver)
    }

    pub(super) fn closed(&self) -> Option<Cow<'static, str>> {
        self.closed.clone()
    }

    /// Ends everything: each pending call fails, each stream of events ends.
    pub(super) fn close(&mut self, reason: Cow<'static, str>) {
        for (_, pending) in self.pending.drain() {
            drop(pending.answer.send(Err(Refused::Closed(reason.clone()))));
        }
        self.subscribers.clear();
        self.closed.get_or_insert(reason);
    }

    /// Routes one message. A message that can't be read is reported and otherwise passed over: the calls that wait
    /// have time limits of their own.
    pub(super) fn route(&mut self, message: &Bytes) {
        if !self.concerns_anybody(message) {
            return;
        }
        let envelope: Envelope<'_> = match serde_json::from_slice(message) {
            Ok(envelope) => envelope,
            Err(error) => {
                tracing::warn!(bytes = message.len(), %error, "a message from the browser can't be read");
                return;
            }
        };
        match (envelope.id, envelope.method) {
            (Some(id), _) => {
                let Some(pending) = self.pending.remove(&id) else { return };
                let answer = match (envelope.error, envelope.result) {
                    (Some(error), _) => Err(Refused::Remote { code: error.code, message: error.message }),
                    (None, Some(result)) => Ok(slice_of(message, result)),
                    (None, None) => Ok(Bytes::from_static(b"{}")),
                };
                drop(pending.answer.send(answer));
            }
            (None, Some(method)) => {
                let params = envelope.params.map_or(Bytes::from_static(b"{}"), |params| slice_of(message, params));
                let session = envelope.session_id.map(Arc::from);
                if method == DETACHED {
                    self.detach(&params);
                }
                self.publish(&session, &method, &params);
            }
            (None, None) => tracing::warn!("a message from the browser is neither an answer nor an event"),
        }
    }

    /// Whether it is worth reading. Most events that browsers send with the few that are wanted are told by their first
    /// bytes; whatever begins in another way is read.
    fn concerns_anybody(&self, message: &[u8]) -> bool {
        let method = message.strip_prefix(EVENT_START).and_then(|rest| rest.split(|byte| *byte == b'"').next());
        method.filter(|method| !method.contains(&b'\\')).is_none_or(|method| {
            let wanted = |subscriber: &Subscriber| subscriber.methods.iter().any(|wanted| wanted.as_bytes() == method);
            method == DETACHED.as_bytes() || self.subscribers.values().flatten().any(wanted)
        })
    }

    fn publish(&mut self, session: &SessionId, method: &str, params: &Bytes) {
        let Some(subscribers) = self.subscribers.get_mut(session) else { return };
        subscribers.retain(|subscriber| {
            let Some(method) = subscriber.methods.iter().find(|wanted| **wanted == method) else { return true };
            // A stream that is full or has no reader ends here.
            subscriber.events.try_send(Event::new(method, params.clone())).is_ok()
        });
        if subscribers.is_empty() {
            self.subscribers.remove(session);
        }
    }

    /// A session's target is gone: its calls fail and its streams end at once.
    fn detach(&mut self, params: &Bytes) {
        let Ok(detached) = serde_json::from_slice::<Detached>(params) else { return };
        let session: SessionId = Some(Arc::from(detached.session_id));
        self.subscribers.remove(&session);
        let gone: Vec<u64> =
            self.pending.iter().filter(|(_, pending)| pending.session == session).map(|(id, _)| *id).collect();
        for id in gone {
            if let Some(pending) = self.pending.remove(&id) {
                drop(pending.answer.send(Err(Refused::Detached)));
            }
        }
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "sessionId")]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    error: Option<RemoteError>,
}

#[derive(Deserialize)]
struct RemoteError {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct Detached {
    #[serde(rename = "sessionId")]
    session_id: String,
}

/// The part of the message that `raw` borrows, without copying it: a picture is megabytes.
fn slice_of(message: &Bytes, raw: &RawValue) -> Bytes {
    message.slice_ref(raw.get().as_bytes())
}
