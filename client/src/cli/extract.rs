//! `porthole extract`.

use porthole_client::{CreateResponse, ExtractRequest};
use porthole_contract::Validate as _;

use super::args::ExtractArgs;
use super::failure::Failed;
use super::output;
use super::session::Session;

pub(crate) async fn run(url: Option<String>, args: ExtractArgs) -> Result<(), Failed> {
    let json = args.json;
    let request = ExtractRequest {
        sandbox_id: "-".to_owned(),
        viewport: args.window.viewport(),
        wait: args.wait.wait(),
        timeout_ms: args.wait.timeout,
        max_chars: args.max_chars,
        url: args.page,
        instruction: args.instruction,
        ..ExtractRequest::default()
    };
    request.validate().map_err(|invalid| Failed::Usage(invalid.to_string()))?;

    let session = Session::begin(url, &format!("reading {}", request.url))?;
    let answer = session
        .in_sandbox(async |sandbox: &CreateResponse| {
            let request = ExtractRequest {
                sandbox_id: sandbox.sandbox_id.clone(),
                owner_token: sandbox.owner_token.clone(),
                ..request.clone()
            };
            session.client().extract(&request).await
        })
        .await?;
    session.progress.done();

    session.warn(&answer.warnings);
    if answer.truncated {
        let shown = answer.content.chars().count();
        session.progress.note(&format!("truncated: {shown} of {} characters", answer.total_chars));
    }
    if json { output::json(&answer) } else { output::text(&answer.content) }
}
