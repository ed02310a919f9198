//! `porthole create`.

use porthole_client::{CreateRequest, CreateResponse};
use secrecy::ExposeSecret;

use super::args::CreateArgs;
use super::caller::Caller;
use super::failure::Failed;
use super::output;

pub(crate) async fn run(url: Option<String>, args: &CreateArgs) -> Result<(), Failed> {
    let caller = Caller::begin(url, "making a sandbox")?;
    let sandbox = caller.new_sandbox(&CreateRequest { ttl_seconds: args.ttl }).await?;
    caller.progress.done();
    if args.json {
        return output::json(&sandbox);
    }
    // Printing the token is the purpose of this command.
    let CreateResponse { sandbox_id, owner_token, expires_at, .. } = &sandbox;
    let token = owner_token.as_ref().map(ExposeSecret::expose_secret).unwrap_or_default();
    output::text(&format!("sandbox_id   {sandbox_id}\nowner_token  {token}\nexpires_at   {expires_at}"))
}
