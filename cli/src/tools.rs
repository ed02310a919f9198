//! `porthole tools` and `porthole run-tool`.

use std::io::Read as _;
use std::sync::{Mutex, PoisonError};

use porthole_client::{Client, CreateResponse, Error, ErrorAnswer, Operation};
use porthole_contract::limits::TOOLS_BODY_MAX_BYTES;
use porthole_contract::{ErrorCode, Failure};
use porthole_tools::{Call, Detected, DetectedCall, Format, Runner, detect, prompt, run_calls};
use secrecy::ExposeSecret as _;
use serde_json::{Map, Value};

use super::args::session::SessionName;
use super::args::{RunToolArgs, ToolsFormatArg};
use super::caller::Caller;
use super::failure::Failed;
use super::saved_sessions::SavedSession;
use super::{browser, output};

/// Prints the tools.
pub(crate) fn definitions(format: ToolsFormatArg) -> Result<(), Failed> {
    match format {
        ToolsFormatArg::Mcp => output::json(&Format::Mcp.tools()),
        ToolsFormatArg::Openai => output::json(&Format::OpenAi.tools()),
        ToolsFormatArg::Anthropic => output::json(&Format::Anthropic.tools()),
        ToolsFormatArg::Prompt => output::text(&prompt()),
    }
}

/// Runs the calls of a message, or one call.
pub(crate) async fn run(url: Option<String>, args: RunToolArgs) -> Result<(), Failed> {
    let detected = calls(&args)?;
    let caller = Caller::begin(url, "calling tools")?;
    let remembered = args.session.as_ref().map(|name| browser::find(&caller, name)).transpose()?.flatten();
    let session = match (&remembered, args.session) {
        (Some(SavedSession { handle, .. }), _) => Some(handle.clone()),
        (None, Some(SessionName::Handle(handle))) => Some(handle),
        (None, _) => None,
    };
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| Failed::io("get random bits", error.into()))?;
    let run_in = async |sandbox: &CreateResponse| {
        let runner = ToWorker { client: caller.client(), sandbox, refused: Mutex::default() };
        let ran = run_calls(&runner, detected.calls.clone(), session.clone(), next_of(random)).await;
        // The sandbox's token has expired: nothing was run.
        match runner.refused.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) if ran.calls.first().is_some_and(|call| !call.ok) => Err(error),
            _ => Ok(ran),
        }
    };
    let ran = match &remembered {
        Some(SavedSession { sandbox, .. }) => run_in(sandbox).await?,
        None => caller.in_sandbox(run_in).await?,
    };
    caller.progress.done();
    let failed = ran.calls.iter().find(|call| !call.ok).map(|call| Failed::Tool {
        tool: call.tool.clone(),
        code: call.error.as_ref().map_or("skipped", |error| error.error.name()),
    });
    let answer = ran.answer(detected, String::new());
    if args.json {
        output::json(&answer)?;
    } else {
        let results: Vec<&str> = answer.calls.iter().map(|call| call.result.as_str()).collect();
        output::text(&results.join("\n\n"))?;
    }
    if answer.incomplete {
        caller.progress.note("warning: the message ends in a call that is cut off");
    }
    failed.map_or(Ok(()), Err)
}

/// The calls that are asked for.
fn calls(args: &RunToolArgs) -> Result<Detected, Failed> {
    let Some(tool) = &args.tool else {
        let mut message = String::new();
        let limit = TOOLS_BODY_MAX_BYTES as u64;
        let read = std::io::stdin().lock().take(limit).read_to_string(&mut message);
        read.map_err(|error| Failed::io("read a message from standard input", error))?;
        let detected = detect(&message);
        return match detected.calls.is_empty() {
            true => Err(Failed::Usage("the message has no call: see `porthole tools --format prompt`".to_owned())),
            false => Ok(detected),
        };
    };
    if tool.trim_start().starts_with(['{', '[', '`', '<']) {
        let how = "a model's message is read from standard input: echo '…' | porthole run-tool";
        return Err(Failed::Usage(format!("NAME is a tool's name; {how}")));
    }
    let arguments = args.arguments.as_deref().unwrap_or("{}");
    let arguments: Value = serde_json::from_str(arguments)
        .map_err(|error| Failed::Usage(format!("the arguments of {tool} are not JSON: {error}")))?;
    let call = DetectedCall { tool: tool.clone(), args: arguments };
    Ok(Detected { calls: vec![call], ..Detected::default() })
}

/// The bits of each result's boundary: those of a message differ.
fn next_of(mut random: [u8; 16]) -> impl FnMut() -> [u8; 16] {
    move || {
        random[0] = random[0].wrapping_add(1);
        random
    }
}

/// Sends calls to the worker.
struct ToWorker<'a> {
    client: &'a Client,
    sandbox: &'a CreateResponse,
    /// The answer that the sandbox is not accepted.
    refused: Mutex<Option<Error>>,
}

impl Runner for ToWorker<'_> {
    async fn send(&self, call: &Call) -> Result<Value, Box<ErrorAnswer>> {
        let Some(operation) = Operation::of_route(call.route) else {
            let failure = Failure::new(ErrorCode::Internal, format!("there is no route {}", call.route));
            return Err(Box::new(failure.answer("")));
        };
        let mut body: Map<String, Value> = call.body.clone();
        body.insert("sandbox_id".to_owned(), Value::from(self.sandbox.sandbox_id.as_str()));
        if let Some(token) = &self.sandbox.owner_token {
            body.insert("owner_token".to_owned(), Value::from(token.expose_secret()));
        }
        self.client.send(operation, &body).await.map_err(|error| {
            let answer = error.error_answer();
            if error.code() == ErrorCode::Unauthorized {
                *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
            Box::new(answer)
        })
    }
}
