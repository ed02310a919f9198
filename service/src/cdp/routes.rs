//! The routing table: an answer goes to its pending call, an event to its subscribers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};

use super::bounds::{Allowances, Bounds, Meter, Verdict};
use super::error::CdpError;
use super::event::{EVENTS_WAITING_MAX, Event, EventSink, Events, FLOODED, Flooded};
use super::transport::Oversized;

/// The first bytes of Chromium's events.
pub(super) const EVENT_START: &[u8] = br#"{"method":""#;
/// Their last bytes, with the session's id between the two.
const SESSION_START: &[u8] = br#""sessionId":""#;
const SESSION_END: &[u8] = br#""}"#;
/// The first bytes of Chromium's answers.
const ANSWER_START: &[u8] = br#"{"id":"#;
pub(super) const ATTACHED: &str = "Target.attachedToTarget";
/// How the methods of events begin that a request may make as long as its URL.
const NETWORK: &[u8] = b"Network.";
const DETACHED: &str = "Target.detachedFromTarget";

/// The longest answer, and parameters of an event, that are copied out of the buffer that was read.
const COPIED_MAX_BYTES: usize = 1_024;

/// A session's id; `None` for the browser's own session.
pub(super) type SessionId = Option<Arc<str>>;

/// The outcome of a call: the `result`'s JSON, or the refusal.
pub(super) type Answer = Result<Bytes, Refused>;

/// A [`CdpError`] without the method's name, which the call adds.
#[derive(Debug)]
pub(super) enum Refused {
    Closed(Cow<'static, str>),
    Detached,
    Remote { code: i64, message: String },
    TooLarge { bytes: usize },
}

impl Refused {
    pub(super) fn of(self, method: Cow<'static, str>) -> CdpError {
        match self {
            Refused::Closed(reason) => CdpError::Closed(reason),
            Refused::Detached => CdpError::Detached,
            Refused::Remote { code, message } => CdpError::Remote { method, code, message },
            Refused::TooLarge { bytes } => CdpError::TooLarge { method, bytes },
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

/// The routing table of one connection.
#[derive(Default)]
pub(super) struct Routes {
    pending: HashMap<u64, Pending>,
    subscribers: HashMap<SessionId, Vec<Subscriber>>,
    /// How much each page may send; `None` if the browser is not shared.
    allowances: Option<Allowances>,
    meter: Meter,
    closed: Option<Cow<'static, str>>,
}

impl Routes {
    /// Creates an empty table. `bounds` limit what each page of a shared browser may send.
    pub(super) fn new(bounds: Option<Bounds>, meter: Meter) -> Self {
        Self { allowances: bounds.map(Allowances::new), meter, ..Self::default() }
    }

    /// Registers call `id` and returns the receiver of its answer; the call fails at once if the connection is closed.
    pub(super) fn expect(&mut self, id: u64, session: SessionId) -> oneshot::Receiver<Answer> {
        let (answer, receiver) = oneshot::channel();
        match &self.closed {
            Some(reason) => drop(answer.send(Err(Refused::Closed(reason.clone())))),
            None => drop(self.pending.insert(id, Pending { session, answer })),
        }
        receiver
    }

    /// Removes call `id`: its answer is no longer awaited.
    pub(super) fn forget(&mut self, id: u64) {
        self.pending.remove(&id);
    }

    pub(super) fn subscribe(&mut self, session: SessionId, methods: &'static [&'static str]) -> (Events, EventSink) {
        let (events, receiver) = mpsc::channel(EVENTS_WAITING_MAX);
        let sink = EventSink(events.downgrade());
        self.add(session, Subscriber { methods, events });
        (Events::new(receiver), sink)
    }

    /// Subscribes a stream to another session's events; does nothing if the stream has ended.
    pub(super) fn report_to(&mut self, sink: &EventSink, session: SessionId, methods: &'static [&'static str]) {
        if let Some(events) = sink.0.upgrade() {
            self.add(session, Subscriber { methods, events });
        }
    }

    fn add(&mut self, session: SessionId, subscriber: Subscriber) {
        if self.closed.is_none() {
            self.subscribers.entry(session).or_default().push(subscriber);
        }
    }

    pub(super) fn closed(&self) -> Option<Cow<'static, str>> {
        self.closed.clone()
    }

    /// Closes the table: all pending calls fail and all streams of events end.
    pub(super) fn close(&mut self, reason: Cow<'static, str>) {
        for (_, pending) in self.pending.drain() {
            drop(pending.answer.send(Err(Refused::Closed(reason.clone()))));
        }
        self.subscribers.clear();
        self.closed.get_or_insert(reason);
    }

    /// Routes one message. A message that can't be read is logged and skipped: pending calls have their own timeouts.
    pub(super) fn route(&mut self, message: &Bytes) {
        if !self.is_allowed(message) || !self.is_wanted(message) {
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
                    (None, Some(result)) => Ok(part_of(message, result)),
                    (None, None) => Ok(Bytes::from_static(b"{}")),
                };
                drop(pending.answer.send(answer));
            }
            (None, Some(method)) => {
                let params = envelope.params.map_or(Bytes::from_static(b"{}"), |params| part_of(message, params));
                let session = envelope.session_id.map(Arc::from);
                if method == DETACHED {
                    self.detach(&params);
                } else if method == ATTACHED {
                    self.attach(session.as_deref(), &params);
                }
                self.publish(&session, &method, &params);
            }
            (None, None) => tracing::warn!("a message from the browser is neither an answer nor an event"),
        }
    }

    /// Fails the call, or else the page, that a message over its size cap is of. Events of the network only count against
    /// the page's allowance.
    pub(super) fn fail_oversized(&mut self, message: &Oversized) {
        let Oversized { head, tail, bytes } = message;
        self.meter.oversized.inc();
        let session = session_at_end(tail);
        tracing::warn!(bytes, cdp_session = session, begins = %head.escape_ascii(), "a message from the browser is over its size cap");
        if let Some(pending) = id_at_start(head).and_then(|id| self.pending.remove(&id)) {
            drop(pending.answer.send(Err(Refused::TooLarge { bytes: *bytes })));
        } else if let (Some(session), Some(allowances)) = (session, &mut self.allowances) {
            // A request of a `data:` URL tells the URL whole. It is passed over, and its page pays for it.
            let network = method_at_start(head).filter(|method| method.starts_with(NETWORK));
            let verdict = match network {
                Some(method) => allowances.take(session, method, *bytes, Instant::now()),
                None => allowances.fail(session),
            };
            self.carry_out(&verdict);
        }
    }

    /// Charges an event to its page's allowance and ends a page that exceeds it; returns whether to route the message.
    /// Answers are always routed.
    fn is_allowed(&mut self, message: &[u8]) -> bool {
        let Some(allowances) = &mut self.allowances else { return true };
        let (Some(method), Some(session)) = (method_at_start(message), session_at_end(message)) else { return true };
        let verdict = allowances.take(session, method, message.len(), Instant::now());
        self.carry_out(&verdict) || method == DETACHED.as_bytes()
    }

    /// Sends [`FLOODED`] to the subscribers of a page that is ended, and to the browser's; returns whether to route the event.
    fn carry_out(&mut self, verdict: &Verdict) -> bool {
        if let Verdict::End(page) = verdict {
            self.meter.floods.inc();
            tracing::warn!(cdp_session = &**page, "a page exceeded its allowance of events");
            self.publish(&Some(Arc::clone(page)), FLOODED, &Bytes::from_static(b"{}"));
            if let Ok(params) = serde_json::to_vec(&Flooded { session: Arc::clone(page) }) {
                self.publish(&None, FLOODED, &Bytes::from(params));
            }
        }
        *verdict == Verdict::Route
    }

    /// Returns whether to parse the message. The first bytes are enough to drop most unwanted events; a message that
    /// begins in any other way is parsed.
    fn is_wanted(&self, message: &[u8]) -> bool {
        method_at_start(message).filter(|method| !method.contains(&b'\\')).is_none_or(|method| {
            let wanted = |subscriber: &Subscriber| subscriber.methods.iter().any(|wanted| wanted.as_bytes() == method);
            let is_ours = method == DETACHED.as_bytes() || method == ATTACHED.as_bytes();
            is_ours || self.subscribers.values().flatten().any(wanted)
        })
    }

    fn publish(&mut self, session: &SessionId, method: &str, params: &Bytes) {
        let subscribers = self.subscribers.get(session).into_iter().flatten();
        let mut ended = Vec::new();
        for Subscriber { methods, events } in subscribers {
            let Some(method) = methods.iter().find(|wanted| **wanted == method) else { continue };
            // A failed send ends the stream: it is full or has no reader.
            if events.try_send(Event::new(method, session.clone(), params.clone())).is_err() {
                ended.push(events.clone());
            }
        }
        ended.iter().for_each(|stream| self.end_stream(stream));
    }

    /// Ends a stream for all sessions that report into it: its reader must not take a gap for silence.
    fn end_stream(&mut self, stream: &mpsc::Sender<Event>) {
        self.subscribers.retain(|_, subscribers| {
            subscribers.retain(|subscriber| !subscriber.events.same_channel(stream));
            !subscribers.is_empty()
        });
    }

    /// Records a child session, whose events are charged to its page.
    fn attach(&mut self, parent: Option<&str>, params: &Bytes) {
        let (Some(parent), Some(allowances)) = (parent, &mut self.allowances) else { return };
        if let Ok(attached) = serde_json::from_slice::<OfSession>(params) {
            allowances.attached(parent, &attached.session_id);
        }
    }

    /// Fails the calls and ends the streams of a detached session.
    fn detach(&mut self, params: &Bytes) {
        let Ok(detached) = serde_json::from_slice::<OfSession>(params) else { return };
        if let Some(allowances) = &mut self.allowances {
            allowances.detached(&detached.session_id);
        }
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
struct OfSession {
    #[serde(rename = "sessionId")]
    session_id: String,
}

/// Reads the session's id, which Chromium writes last. A page can't forge it: quotation marks in `params` are escaped.
fn session_at_end(message: &[u8]) -> Option<&str> {
    let rest = message.strip_suffix(SESSION_END)?;
    let id = &rest[rest.iter().rposition(|byte| *byte == b'"')? + 1..];
    let before = &rest[..rest.len() - id.len()];
    before.ends_with(SESSION_START).then(|| std::str::from_utf8(id).ok()).flatten()
}

/// Reads the call's id, which Chromium writes first in an answer.
fn id_at_start(message: &[u8]) -> Option<u64> {
    let rest = message.strip_prefix(ANSWER_START)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

/// Reads the method, which Chromium writes first in an event.
fn method_at_start(message: &[u8]) -> Option<&[u8]> {
    message.strip_prefix(EVENT_START)?.split(|byte| *byte == b'"').next()
}

/// Returns the part of the message that `raw` borrows. A large one is not copied: a picture is megabytes. A small one is,
/// since it would keep the whole buffer that it was read into for as long as someone holds it unread.
fn part_of(message: &Bytes, raw: &RawValue) -> Bytes {
    let part = raw.get().as_bytes();
    if part.len() <= COPIED_MAX_BYTES { Bytes::copy_from_slice(part) } else { message.slice_ref(part) }
}
