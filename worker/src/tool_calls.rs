//! The common part of tool calls over the tool routes and over MCP: each call is sent to the service as its own route
//! would send it, counted and logged as its own operation; its answer is read, and its result is computed outside the
//! runtime's threads.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::response::Response;
use futures_util::stream::StreamExt as _;
use http::HeaderMap;
use porthole_contract::metrics::Operation;
use porthole_contract::{ErrorAnswer, ErrorCode, Failure, StrictObject};
use porthole_daemon::answer::failure_of;
use porthole_daemon::request_id::RequestId;
use porthole_daemon::trace::TraceContext;
use porthole_tools::Call;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use self::cut::fields_before_content;
use crate::callers::Admitted;
use crate::routes::{self, Route};
use crate::shared::{Asked, Shared};

mod cut;

/// The largest answer that is read whole, in bytes: four times the largest picture in base64.
const ANSWER_MAX_BYTES: usize = 8 * 1024 * 1024;
/// How much is read of an answer that announces more, in bytes: the fields before a file's content.
const BEGINNING_MAX_BYTES: usize = 256 * 1024;
/// Results that are worked out at a time: a picture that is scaled takes up to 210 MB.
static COMPUTING: Semaphore = Semaphore::const_new(2);

/// Sends the calls of one request to the service, on behalf of its caller.
#[derive(Clone)]
pub(crate) struct ToService {
    pub(crate) shared: Arc<Shared>,
    pub(crate) admitted: Arc<Admitted>,
    pub(crate) id: RequestId,
    pub(crate) trace: TraceContext,
    /// The host that the request was sent to, if answers name it, and no other header: what its sender accepts is not
    /// what a call's answer may be.
    pub(crate) host: HeaderMap,
}

impl ToService {
    /// Returns the route of a call.
    pub(crate) fn route(&self, call: &Call) -> Result<Route, Box<ErrorAnswer>> {
        routes::all().find(|route| route.service_path == call.route).ok_or_else(|| {
            self.failure(&Failure::new(ErrorCode::Internal, format!("the worker has no route {}", call.route)))
        })
    }

    /// Sends a body with the operator's credentials and reads the answer. Its time limit counts from `since`.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        route: Route,
        body: StrictObject,
        since: Instant,
    ) -> Result<T, Box<ErrorAnswer>> {
        let asked =
            Asked { headers: &self.host, id: &self.id, client: self.admitted.name(), trace: &self.trace, since };
        let response = self.shared.ask(route, asked, body).await.map_err(|failure| self.failure(&failure))?;
        self.read(response).await
    }

    /// Counts and logs a call as a request of its operation.
    pub(crate) async fn counted(
        &self,
        call: &Call,
        sending: impl Future<Output = Result<Value, Box<ErrorAnswer>>>,
    ) -> Result<Value, Box<ErrorAnswer>> {
        let begun = Operation::of_route(call.route).map(|operation| self.shared.requests.begin(operation));
        let answer = sending.await;
        let code = answer.as_ref().err().map(|error| error.error);
        if let Some(begun) = begun {
            begun.end(code);
        }
        let code = code.map_or("OK", ErrorCode::name);
        tracing::info!(request_id = self.id.as_str(), tool = call.tool.name, code, "called a tool");
        answer
    }

    pub(crate) fn failure(&self, failure: &Failure) -> Box<ErrorAnswer> {
        Box::new(failure.answer(self.id.as_str()))
    }

    /// Reads an answer of the contract. That of a file which is too large comes without the file's content.
    async fn read<T: DeserializeOwned>(&self, response: Response) -> Result<T, Box<ErrorAnswer>> {
        if let Some(failure) = failure_of(&response) {
            return Err(self.failure(failure));
        }
        let succeeded = response.status().is_success();
        let unreadable = |error: serde_json::Error| {
            tracing::warn!(column = error.column(), "unreadable answer");
            self.failure(&Failure::new(ErrorCode::Internal, "the service's answer can't be read"))
        };
        let body = match whole(response.into_body()).await {
            Ok(body) => body,
            Err(Unread::TooLong(beginning)) => {
                let fields = fields_before_content(&beginning).ok_or_else(|| {
                    let details = format!("the service's answer has more than {ANSWER_MAX_BYTES} bytes");
                    self.failure(&Failure::new(ErrorCode::Internal, details).retryable(false))
                })?;
                return serde_json::from_value(Value::Object(fields)).map_err(unreadable);
            }
            Err(Unread::Broken) => {
                let failure = Failure::new(ErrorCode::ServiceUnavailable, "the service's answer broke off");
                return Err(self.failure(&failure));
            }
        };
        match succeeded {
            true => serde_json::from_slice(&body).map_err(unreadable),
            false => Err(serde_json::from_slice(&body).map_err(unreadable)?),
        }
    }
}

/// Why a body was not read whole.
enum Unread {
    /// The connection ended too early.
    Broken,
    /// It has more than [`ANSWER_MAX_BYTES`]; this is how it begins.
    TooLong(Vec<u8>),
}

async fn whole(body: Body) -> Result<Vec<u8>, Unread> {
    let announced = body.size_hint().lower();
    let max_bytes = if announced > ANSWER_MAX_BYTES as u64 { BEGINNING_MAX_BYTES } else { ANSWER_MAX_BYTES };
    let mut chunks = body.into_data_stream();
    let mut read = Vec::new();
    while let Some(chunk) = chunks.next().await {
        read.extend_from_slice(&chunk.map_err(|_broken| Unread::Broken)?);
        if read.len() > max_bytes {
            return Err(Unread::TooLong(read));
        }
    }
    Ok(read)
}

/// Does what keeps a processor busy beside the runtime.
pub(crate) async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let _permit = COMPUTING.acquire().await;
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}
