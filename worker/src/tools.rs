//! Models' tools: lists them, runs the calls in a model's message, and judges whether a person's message asks for a
//! browser.
//!
//! The crate `porthole-tools` defines the tools, finds calls in a text and writes results. This file has the callers
//! and sends calls to the service. All of it is off unless `PORTHOLE_BROWSER_TOOLS` is on.

mod send;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::extract::{ConnectInfo, Extension, Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::{HeaderMap, Uri, header};
use porthole_contract::limits::TOOLS_BODY_MAX_BYTES;
use porthole_contract::routes::{TOOLS, TOOLS_INTENT, TOOLS_RUN, WORKER_PREFIX};
use porthole_contract::tools::{ToolsAnswer, ToolsIntentAnswer, ToolsIntentRequest, ToolsRunRequest};
use porthole_contract::{ErrorCode, Failure, Invalid, Validate, parse, replace_lone_surrogates};
use porthole_daemon::answer::Refused;
use porthole_daemon::body::read_json;
use porthole_daemon::body_room::Held;
use porthole_daemon::request_id::RequestId;
use porthole_daemon::trace::TraceContext;
use porthole_tools::{Detected, DetectedCall, Format, Intent, detect, intent, prompt, run_calls};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

use self::send::Sender;
use crate::callers::{Admitted, Weight};
use crate::shared::Shared;
use crate::tool_calls::ToService;

/// Adds the tool routes.
pub(crate) fn add(router: Router<Arc<Shared>>) -> Router<Arc<Shared>> {
    router
        .route(&format!("{WORKER_PREFIX}{TOOLS}"), get(definitions))
        .route(&format!("{WORKER_PREFIX}{TOOLS_RUN}"), post(run))
        .route(&format!("{WORKER_PREFIX}{TOOLS_INTENT}"), post(judge))
}

async fn definitions(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Response> {
    admit(&shared, &headers, peer).map_err(|refusal| *refusal)?;
    let mut query = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let format: Format = match query.find(|(name, _)| name == "format").as_ref().map(|(_, format)| format.as_ref()) {
        None | Some("") => Format::default(),
        Some(name) => name.parse().map_err(|error| refused(Invalid::new("format", format!("{error}"))))?,
    };
    if format == Format::Prompt {
        let text = if shared.browser_tools { prompt() } else { String::new() };
        return Ok(match wants_json_only(&headers) {
            true => Json(ToolsAnswer { ok: true, tools: Vec::new(), prompt: Some(text) }).into_response(),
            false => ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response(),
        });
    }
    let tools = if shared.browser_tools { format.tools() } else { Vec::new() };
    Ok(Json(ToolsAnswer { ok: true, tools, prompt: None }).into_response())
}

/// Whether a caller reads nothing but JSON.
fn wants_json_only(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    accepts.contains("application/json") && !accepts.contains("text/") && !accepts.contains("*/*")
}

async fn judge(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Result<Response, Response> {
    let admitted = admit(&shared, request.headers(), peer).map_err(|refusal| *refusal)?;
    let (asked, _held): (ToolsIntentRequest, Held) = read(request, &admitted).await?;
    let Intent { browser_intent, urls, hint } =
        if shared.browser_tools { intent(&asked.message) } else { Intent::default() };
    Ok(Json(ToolsIntentAnswer { ok: true, browser_intent, urls, hint }).into_response())
}

async fn run(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(id): Extension<RequestId>,
    Extension(trace): Extension<TraceContext>,
    request: Request,
) -> Result<Response, Response> {
    let since = Instant::now();
    let admitted = admit(&shared, request.headers(), peer).map_err(|refusal| *refusal)?;
    if !shared.browser_tools {
        return Err(refused(Failure::new(ErrorCode::ToolsDisabled, "PORTHOLE_BROWSER_TOOLS is off")));
    }
    let callers = Arc::clone(&shared);
    let _in_flight = callers.callers.enter(&admitted).map_err(refused)?;
    let host = request.headers().get(header::HOST).cloned();
    let host: HeaderMap = host.into_iter().map(|host| (header::HOST, host)).collect();
    let (asked, _held) = read(request, &admitted).await?;
    let ToolsRunRequest { sandbox_id, owner_token, session, message, call } = asked;
    let mut detected = match (call, message) {
        (Some(call), _) => {
            let args = call.args.unwrap_or_else(|| Value::Object(Default::default()));
            Detected { calls: vec![DetectedCall { tool: call.tool, args }], ..Detected::default() }
        }
        (None, message) => detect(&message.unwrap_or_default()),
    };
    let request_id = id.as_str().to_owned();
    let first_was_sent = AtomicBool::new(false);
    let to_service = ToService { shared, admitted: Arc::new(admitted), id, trace, host };
    let sender = Sender { to_service, since, sandbox_id, owner_token, first_was_sent };
    let calls = std::mem::take(&mut detected.calls);
    let mut ran = run_calls(&sender, calls, session, || Uuid::new_v4().into_bytes()).await;
    if let Some(made) = ran.made.clone()
        && let Some(url) = sender.live_url(&made).await
    {
        ran.show_live(&url);
    }
    Ok(Json(ran.answer(detected, request_id)).into_response())
}

/// Admits a caller; one-shot calls of a message count for what they are besides.
fn admit(shared: &Shared, headers: &HeaderMap, peer: SocketAddr) -> Result<Admitted, Box<Response>> {
    shared.callers.admit_caller(headers, peer.ip(), Weight::SESSION_CALL)
}

/// Reads a request, with the room that it takes beside others.
async fn read<T: DeserializeOwned + Validate>(request: Request, admitted: &Admitted) -> Result<(T, Held), Response> {
    let caller = admitted.name().to_str().unwrap_or_default();
    let (bytes, held) = read_json(request, TOOLS_BODY_MAX_BYTES, caller).await.map_err(refused)?.into_parts();
    let mut body = Vec::from(bytes);
    // A model's text may be cut within an emoji.
    replace_lone_surrogates(&mut body);
    Ok((parse(&body).map_err(refused)?, held))
}

fn refused(failure: impl Into<Failure>) -> Response {
    Refused(failure.into()).into_response()
}
