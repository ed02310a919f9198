//! Reads request bodies within limits of size and time, and drains what handlers leave unread.
//!
//! A caller that is still sending does not read an answer, so the unread rest of a body is read and dropped before the
//! answer is sent, up to a limit. Parsing bodies is left to the handlers.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, header};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use porthole_contract::limits::BODY_DRAIN_MAX_BYTES;
use porthole_contract::{ErrorCode, Failure};
use tokio::time::Instant;

use crate::body_room::{BodyRoom, Held, ReadBody};

/// Time from a request's head to the end of its body.
pub const BODY_READ_TIMEOUT: Duration = Duration::from_secs(10);

/// How bodies are read: for how long, and the room for large ones.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub timeout: Duration,
    pub room: Arc<BodyRoom>,
}

/// The deadline for the end of a request's body, and the room for large ones.
#[derive(Clone)]
struct ReadUntil(Instant, Arc<BodyRoom>);

/// Reads a JSON body of at most `max_bytes` that `caller` sends.
///
/// # Errors
/// `INVALID_REQUEST` for another content type and a body that breaks off or is late; `REQUEST_TOO_LARGE`; `OVERLOADED`
/// where there is no room for it beside other large ones.
pub async fn read_json(request: Request, max_bytes: usize, caller: &str) -> Result<ReadBody, Failure> {
    must_be_json(request.headers())?;
    let ReadUntil(deadline, room) = request
        .extensions()
        .get()
        .cloned()
        .unwrap_or_else(|| ReadUntil(Instant::now() + BODY_READ_TIMEOUT, Arc::default()));
    let mut held = Held::nothing(room, caller);
    let no_room = || {
        let failure = Failure::new(ErrorCode::Overloaded, "body: too many large bodies are being read");
        failure.retry_after(Duration::from_secs(1))
    };
    let too_large =
        || Failure::new(ErrorCode::RequestTooLarge, format!("the body must have at most {max_bytes} bytes"));
    let mut body = request.into_body();
    if body.size_hint().lower() > max_bytes as u64 {
        return Err(too_large());
    }
    let mut read = BytesMut::new();
    loop {
        let frame = tokio::time::timeout_at(deadline, body.frame())
            .await
            .map_err(|_late| invalid("body: did not arrive in time"))?;
        match frame {
            None => return Ok(ReadBody::new(read.freeze(), held)),
            Some(Err(_broken)) => return Err(invalid("body: broke off, or is not framed as its headers say")),
            Some(Ok(frame)) => {
                let data = frame.into_data().unwrap_or_default();
                let length = read.len() + data.len();
                if length > max_bytes {
                    return Err(too_large());
                }
                if !held.grow(length) {
                    return Err(no_room());
                }
                read.extend_from_slice(&data);
            }
        }
    }
}

fn invalid(details: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::InvalidRequest, details)
}

/// Requires `application/json`, in any case, with or without parameters.
fn must_be_json(headers: &HeaderMap) -> Result<(), Failure> {
    let refused = || invalid("content-type: must be application/json");
    let value = headers.get(header::CONTENT_TYPE).ok_or_else(refused)?.to_str().map_err(|_bytes| refused())?;
    let media_type = value.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case("application/json") { Ok(()) } else { Err(refused()) }
}

/// Reads and drops what the handler left unread, before its answer is sent. Closes the connection if the rest is too
/// large or too late.
pub(crate) async fn drain_leftovers(State(reading): State<Reading>, request: Request, next: Next) -> Response {
    let deadline = Instant::now() + reading.timeout;
    let asks_first = request.headers().contains_key(header::EXPECT);
    let (mut parts, body) = request.into_parts();
    if body.is_end_stream() {
        return next.run(Request::from_parts(parts, body)).await;
    }
    parts.extensions.insert(ReadUntil(deadline, reading.room));
    let shared = Shared(Arc::new(Mutex::new(Leftover { body, touched: false })));
    let mut response = next.run(Request::from_parts(parts, Body::new(shared.clone()))).await;
    // The answer tells a caller that waits for `100 Continue` not to send its body.
    let unasked = asks_first && !shared.touched();
    if unasked || !matches!(tokio::time::timeout_at(deadline, shared.drain()).await, Ok(true)) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// A request's body, shared by its handler and the layer that drains it afterwards.
#[derive(Clone)]
struct Shared(Arc<Mutex<Leftover>>);

struct Leftover {
    body: Body,
    touched: bool,
}

impl Shared {
    fn with<T>(&self, act: impl FnOnce(&mut Leftover) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn touched(&self) -> bool {
        self.with(|leftover| leftover.touched)
    }

    /// Reads and drops the rest, and returns whether the body's end was reached.
    async fn drain(mut self) -> bool {
        let mut drained = 0;
        while drained <= BODY_DRAIN_MAX_BYTES {
            match self.frame().await {
                None => return true,
                Some(Err(_broken)) => return false,
                Some(Ok(frame)) => drained += frame.data_ref().map_or(0, Bytes::len),
            }
        }
        false
    }
}

impl HttpBody for Shared {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        self.with(|leftover| {
            leftover.touched = true;
            Pin::new(&mut leftover.body).poll_frame(context)
        })
    }

    fn is_end_stream(&self) -> bool {
        self.with(|leftover| leftover.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.with(|leftover| leftover.body.size_hint())
    }
}
