//! An OpenTelemetry collector: receives the processes' spans by OTLP over HTTP and exposes them to tests.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::eventually::{eventually, so};

/// The time limit for spans to arrive, on a busy machine.
const SENT_WITHIN: Duration = Duration::from_secs(20);

/// A received span. Ids are hexadecimal; `parent_id` is empty for a span without a parent.
#[derive(Clone, Debug)]
pub struct Span {
    /// The service that sent it.
    pub service: String,
    /// Its name.
    pub name: String,
    /// The id of its trace.
    pub trace_id: String,
    /// Its own id.
    pub span_id: String,
    /// The id of its parent.
    pub parent_id: String,
    /// The W3C `tracestate`.
    pub trace_state: String,
    /// Its kind.
    pub kind: Kind,
    /// Whether it failed.
    pub failed: bool,
    /// Its attributes.
    pub attributes: BTreeMap<String, String>,
}

/// The kind of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Work within a process.
    Internal,
    /// The answering side of a request.
    Server,
    /// The asking side of a request.
    Client,
}

#[derive(Default)]
struct Received {
    spans: Vec<Span>,
    bodies: Vec<Bytes>,
    heads: Vec<HeaderMap>,
}

/// A collector on a free loopback port. It runs until it is dropped.
pub struct Collector {
    addr: SocketAddr,
    received: Arc<Mutex<Received>>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Collector {
    /// Starts a collector.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    pub fn start() -> Self {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a socket that can be polled");
        let addr = listener.local_addr().expect("a bound socket has an address");
        let received = Arc::<Mutex<Received>>::default();
        let router = Router::new().route("/v1/traces", post(take)).with_state(Arc::clone(&received));
        let (end, ended) = oneshot::channel();
        // On its own thread, so that it still answers the processes' last export when a test has ended.
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                let serving = axum::serve(listener, router).into_future();
                tokio::select! {
                    served = serving => served.expect("it serves"),
                    _ = ended => {}
                }
            });
        });
        Self { addr, received, end: Some(end), thread: Some(thread) }
    }

    /// Returns the settings of the processes: the collector's endpoint, and an export every 100 ms.
    #[must_use]
    pub fn settings(&self) -> [(&'static str, String); 2] {
        let endpoint = format!("http://{}", self.addr);
        [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint), ("OTEL_BSP_SCHEDULE_DELAY", "100".to_owned())]
    }

    /// Returns the spans received so far.
    #[must_use]
    pub fn spans(&self) -> Vec<Span> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).spans.clone()
    }

    /// Waits for `count` spans of a trace and returns its spans.
    ///
    /// # Panics
    /// When fewer arrive in time.
    pub async fn trace(&self, trace_id: &str, count: usize) -> Vec<Span> {
        eventually(SENT_WITHIN, async || {
            let mut spans = self.spans();
            spans.retain(|span| span.trace_id == trace_id);
            so(spans.len() >= count, format!("expected {count} spans of {trace_id}: {spans:#?}"))?;
            Ok(spans)
        })
        .await
    }

    /// Waits for `count` spans, asserts that every request had this header, and returns all spans.
    ///
    /// # Panics
    /// When fewer arrive in time, or a request lacks the header.
    pub async fn with_header(&self, name: &str, value: &str, count: usize) -> Vec<Span> {
        let spans = eventually(SENT_WITHIN, async || {
            let spans = self.spans();
            so(spans.len() >= count, format!("expected {count} spans, got {}", spans.len()))?;
            Ok(spans)
        })
        .await;
        let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let all = received.heads.iter().all(|headers| headers.get(name).is_some_and(|had| had == value));
        assert!(all, "a request lacks {name}: {:#?}", received.heads);
        spans
    }

    /// Returns every received body unchanged, for assertions about what must not be in it.
    #[must_use]
    pub fn bodies(&self) -> Vec<Bytes> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).bodies.clone()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn take(
    State(received): State<Arc<Mutex<Received>>>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, Json<Value>) {
    let is_json = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let read = serde_json::from_slice(&body).map_err(|error| error.to_string()).and_then(|request| spans_of(&request));
    let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
    received.bodies.push(body);
    received.heads.push(headers);
    match read {
        Ok(spans) if is_json => {
            received.spans.extend(spans);
            (StatusCode::OK, Json(json!({})))
        }
        Ok(_) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, Json(json!({}))),
        Err(why) => (StatusCode::BAD_REQUEST, Json(json!({"message": why}))),
    }
}

/// Parses an `ExportTraceServiceRequest` in the JSON encoding of opentelemetry-proto.
fn spans_of(request: &Value) -> Result<Vec<Span>, String> {
    let mut spans = Vec::new();
    for resource in list(request, "resourceSpans")? {
        let resource_attributes = attributes(&resource["resource"])?;
        let service = resource_attributes.get("service.name").cloned().unwrap_or_default();
        for scope in list(resource, "scopeSpans")? {
            for span in list(scope, "spans")? {
                let kind = match span["kind"].as_u64() {
                    Some(1) => Kind::Internal,
                    Some(2) => Kind::Server,
                    Some(3) => Kind::Client,
                    _ => return Err(format!("no known kind: {span}")),
                };
                let nanoseconds = |name: &str| {
                    let text = span[name].as_str().ok_or_else(|| format!("{name} is not text: {span}"))?;
                    text.parse::<u64>().map_err(|error| format!("{name}: {error}"))
                };
                if nanoseconds("startTimeUnixNano")? > nanoseconds("endTimeUnixNano")? {
                    return Err(format!("it ends before it begins: {span}"));
                }
                spans.push(Span {
                    service: service.clone(),
                    kind,
                    failed: span["status"]["code"] == 2,
                    attributes: attributes(span)?,
                    name: text(span, "name")?,
                    trace_id: id(span, "traceId", 32)?,
                    span_id: id(span, "spanId", 16)?,
                    parent_id: if span["parentSpanId"] == "" { String::new() } else { id(span, "parentSpanId", 16)? },
                    trace_state: text(span, "traceState")?,
                });
            }
        }
    }
    Ok(spans)
}

fn list<'a>(value: &'a Value, name: &str) -> Result<&'a Vec<Value>, String> {
    value[name].as_array().ok_or_else(|| format!("{name} is not a list: {value}"))
}

fn text(value: &Value, name: &str) -> Result<String, String> {
    value[name].as_str().map(str::to_owned).ok_or_else(|| format!("{name} is not text: {value}"))
}

fn id(span: &Value, name: &str, digits: usize) -> Result<String, String> {
    let id = text(span, name)?;
    let hexadecimal = id.len() == digits && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    so(hexadecimal && id.bytes().any(|byte| byte != b'0'), format!("{name} is not an id: {span}"))?;
    Ok(id)
}

fn attributes(holder: &Value) -> Result<BTreeMap<String, String>, String> {
    let attributes = list(holder, "attributes")?.iter().map(|one| {
        let value = &one["value"];
        let text_value = value["stringValue"].as_str().or_else(|| value["intValue"].as_str());
        Ok((text(one, "key")?, text_value.map_or_else(|| value.to_string(), str::to_owned)))
    });
    attributes.collect()
}
