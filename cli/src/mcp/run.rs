//! Sends the tools' calls to a worker, in one sandbox for as long as the command runs.

use std::sync::Arc;

use porthole_client::{Client, CreateRequest, CreateResponse, Error, ErrorAnswer, ErrorCode, Operation};
use porthole_contract::Failure;
use porthole_tools::{Call, Runner};
use secrecy::ExposeSecret as _;
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio_util::task::TaskTracker;

use super::stack::{Stack, Wanted};
use crate::failure::Failed;
use crate::settings;

/// Runs the calls of one connection. Clones share the stack and the sandbox.
#[derive(Clone)]
pub(super) struct ToolCaller(Arc<Inner>);

struct Inner {
    wanted: Wanted,
    reached: Mutex<Option<Reached>>,
    /// What keeps a stack of its own running.
    tasks: TaskTracker,
}

/// The stack, once a call has needed it, and the sandbox there.
struct Reached {
    stack: Stack,
    sandbox: Option<CreateResponse>,
}

impl ToolCaller {
    /// Reads where the worker is. Nothing is started or asked before the first call.
    pub(super) fn new(url: Option<String>, own: bool) -> Result<Self, Failed> {
        let wanted = if own {
            Wanted::Own
        } else if settings::names_a_worker(url.as_deref())? {
            Wanted::Named(settings::client(url, |builder| builder)?)
        } else {
            Wanted::Any
        };
        Ok(Self(Arc::new(Inner { wanted, reached: Mutex::default(), tasks: TaskTracker::new() })))
    }

    /// Ends the stack that the calls have started, also one that was not ready yet.
    pub(super) async fn end(&self) {
        drop(self.0.reached.lock().await.take());
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }

    /// Returns the client and the sandbox; makes what is missing. A `refused` sandbox is replaced.
    async fn place(&self, refused: Option<&CreateResponse>) -> Result<(Client, CreateResponse), Box<ErrorAnswer>> {
        let mut reached = self.0.reached.lock().await;
        if reached.is_none() {
            let stack = Stack::reach(&self.0.wanted, &self.0.tasks).await.map_err(|failed| unreachable(&failed))?;
            *reached = Some(Reached { stack, sandbox: None });
        }
        let Some(Reached { stack, sandbox }) = &mut *reached else {
            return Err(Box::new(Failure::new(ErrorCode::Internal, "there is no stack").answer("")));
        };
        let is_refused =
            |sandbox: &CreateResponse| refused.is_some_and(|refused| refused.sandbox_id == sandbox.sandbox_id);
        if let Some(sandbox) = sandbox.as_ref().filter(|sandbox| !is_refused(sandbox)) {
            return Ok((stack.client.clone(), sandbox.clone()));
        }
        let made = stack.client.create(&CreateRequest::default()).await.map_err(|error| answer(&error))?;
        *sandbox = Some(made.clone());
        Ok((stack.client.clone(), made))
    }

    async fn sent(&self, call: &Call, operation: Operation) -> Result<Value, Box<ErrorAnswer>> {
        let (client, sandbox) = self.place(None).await?;
        match client.send(operation, &body(call, &sandbox)).await {
            // The token has expired, or the worker was started with other keys.
            Err(error) if error.code() == ErrorCode::Unauthorized => {
                let (client, sandbox) = self.place(Some(&sandbox)).await?;
                client.send(operation, &body(call, &sandbox)).await.map_err(|error| answer(&error))
            }
            outcome => outcome.map_err(|error| answer(&error)),
        }
    }
}

fn body(call: &Call, sandbox: &CreateResponse) -> Map<String, Value> {
    let mut body = call.body.clone();
    body.insert("sandbox_id".to_owned(), Value::from(sandbox.sandbox_id.as_str()));
    if let Some(token) = &sandbox.owner_token {
        body.insert("owner_token".to_owned(), Value::from(token.expose_secret()));
    }
    body
}

fn answer(error: &Error) -> Box<ErrorAnswer> {
    Box::new(error.error_answer())
}

fn unreachable(failed: &Failed) -> Box<ErrorAnswer> {
    Box::new(Failure::new(ErrorCode::ServiceUnavailable, failed.to_string()).answer(""))
}

impl Runner for ToolCaller {
    async fn send(&self, call: &Call) -> Result<Value, Box<ErrorAnswer>> {
        match Operation::of_route(call.route) {
            Some(operation) => self.sent(call, operation).await,
            None => Err(Box::new(Failure::new(ErrorCode::Internal, "the tool has no operation").answer(""))),
        }
    }

    async fn compute<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done,
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }
}
