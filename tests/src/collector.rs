//! A collector of OpenTelemetry's spans: takes what the processes send by OTLP over HTTP, and tells what was in it.

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

/// How long until spans have come, on a machine that is busy.
const SENT_WITHIN: Duration = Duration::from_secs(20);

/// A span that was sent. Ids are in hexadecimal digits; a span without a parent has none.
#[derive(Clone, Debug)]
pub struct Span {
    /// Who sent it.
    pub service: String,
    /// What it is called.
    pub name: String,
    /// Its trace.
    pub trace_id: String,
    /// Itself.
    pub span_id: String,
    /// The span around it.
    pub parent_id: String,
    /// What others on the way want to hear again.
    pub trace_state: String,
    /// Whose side of a request it is.
    pub kind: Kind,
    /// Whether it failed.
    pub failed: bool,
    /// What it says.
    pub attributes: BTreeMap<String, String>,
}

/// Whose side of a request a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Neither: work within a process.
    Internal,
    /// Who answers.
    Server,
    /// Who asks.
    Client,
}

#[derive(Default)]
struct Got {
    spans: Vec<Span>,
    bodies: Vec<Bytes>,
    heads: Vec<HeaderMap>,
}

/// A collector on a free loopback port. It runs until it is dropped.
pub struct Collector {
    addr: SocketAddr,
    got: Arc<Mutex<Got>>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Collector {
    /// Opens one.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    pub fn start() -> Self {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a socket that can be polled");
        let addr = listener.local_addr().expect("a bound socket has an address");
        let got = Arc::<Mutex<Got>>::default();
        let router = Router::new().route("/v1/traces", post(take)).with_state(Arc::clone(&got));
        let (end, ended) = oneshot::channel();
        // A thread of its own: it answers the processes' last words, too, when a test has ended.
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
        Self { addr, got, end: Some(end), thread: Some(thread) }
    }

    /// What the processes are told, by setting: where it is, and to send every tenth of a second.
    #[must_use]
    pub fn settings(&self) -> [(&'static str, String); 2] {
        let endpoint = format!("http://{}", self.addr);
        [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint), ("OTEL_BSP_SCHEDULE_DELAY", "100".to_owned())]
    }

    /// The spans that have come so far.
    #[must_use]
    pub fn spans(&self) -> Vec<Span> {
        self.got.lock().unwrap_or_else(PoisonError::into_inner).spans.clone()
    }

    /// The spans of a trace, once `count` of them have come.
    ///
    /// # Panics
    /// When fewer come.
    pub async fn trace(&self, trace_id: &str, count: usize) -> Vec<Span> {
        eventually(SENT_WITHIN, async || {
            let mut spans = self.spans();
            spans.retain(|span| span.trace_id == trace_id);
            so(spans.len() >= count, format!("{count} spans of {trace_id} are wanted: {spans:#?}"))?;
            Ok(spans)
        })
        .await
    }

    /// All spans, once `count` of them have come; every request that brought some had this header.
    ///
    /// # Panics
    /// When fewer come, or one came without.
    pub async fn with_header(&self, name: &str, value: &str, count: usize) -> Vec<Span> {
        let spans = eventually(SENT_WITHIN, async || {
            let spans = self.spans();
            so(spans.len() >= count, format!("{count} spans are wanted: {}", spans.len()))?;
            Ok(spans)
        })
        .await;
        let got = self.got.lock().unwrap_or_else(PoisonError::into_inner);
        let all = got.heads.iter().all(|headers| headers.get(name).is_some_and(|had| had == value));
        assert!(all, "without {name}: {:#?}", got.heads);
        spans
    }

    /// Everything that came, as it came: for what must not be in it.
    #[must_use]
    pub fn bodies(&self) -> Vec<Bytes> {
        self.got.lock().unwrap_or_else(PoisonError::into_inner).bodies.clone()
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

async fn take(State(got): State<Arc<Mutex<Got>>>, headers: HeaderMap, body: Bytes) -> (StatusCode, Json<Value>) {
    let named = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let read = serde_json::from_slice(&body).map_err(|error| error.to_string()).and_then(|request| spans_of(&request));
    let mut got = got.lock().unwrap_or_else(PoisonError::into_inner);
    got.bodies.push(body);
    got.heads.push(headers);
    match read {
        Ok(spans) if named => {
            got.spans.extend(spans);
            (StatusCode::OK, Json(json!({})))
        }
        Ok(_) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, Json(json!({}))),
        Err(why) => (StatusCode::BAD_REQUEST, Json(json!({"message": why}))),
    }
}

/// What an `ExportTraceServiceRequest` in JSON holds, if it is one as opentelemetry-proto has it.
fn spans_of(request: &Value) -> Result<Vec<Span>, String> {
    let mut spans = Vec::new();
    for resource in list(request, "resourceSpans")? {
        let attributes = told(&resource["resource"])?;
        let service = attributes.get("service.name").cloned().unwrap_or_default();
        for scope in list(resource, "scopeSpans")? {
            for span in list(scope, "spans")? {
                let kind = match span["kind"].as_u64() {
                    Some(1) => Kind::Internal,
                    Some(2) => Kind::Server,
                    Some(3) => Kind::Client,
                    _ => return Err(format!("no kind: {span}")),
                };
                let nanoseconds = |name: &str| {
                    let text = span[name].as_str().ok_or_else(|| format!("{name} is no text: {span}"))?;
                    text.parse::<u64>().map_err(|error| format!("{name}: {error}"))
                };
                if nanoseconds("startTimeUnixNano")? > nanoseconds("endTimeUnixNano")? {
                    return Err(format!("it ends before it begins: {span}"));
                }
                spans.push(Span {
                    service: service.clone(),
                    kind,
                    failed: span["status"]["code"] == 2,
                    attributes: told(span)?,
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
    value[name].as_array().ok_or_else(|| format!("{name} is no list: {value}"))
}

fn text(value: &Value, name: &str) -> Result<String, String> {
    value[name].as_str().map(str::to_owned).ok_or_else(|| format!("{name} is no text: {value}"))
}

fn id(span: &Value, name: &str, digits: usize) -> Result<String, String> {
    let id = text(span, name)?;
    let hexadecimal = id.len() == digits && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    so(hexadecimal && id.bytes().any(|byte| byte != b'0'), format!("{name} is no id: {span}"))?;
    Ok(id)
}

fn told(holder: &Value) -> Result<BTreeMap<String, String>, String> {
    let attributes = list(holder, "attributes")?.iter().map(|one| {
        let value = &one["value"];
        let said = value["stringValue"].as_str().or_else(|| value["intValue"].as_str());
        Ok((text(one, "key")?, said.map_or_else(|| value.to_string(), str::to_owned)))
    });
    attributes.collect()
}
