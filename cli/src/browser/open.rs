//! `open`: makes a session that later commands find. One whose page can't be opened is closed again.

use porthole_client::session::{NavigateRequest, SnapshotInAnswer, SnapshotMode, ViewerRole};
use porthole_client::{Code, CreateResponse, Error, ErrorCode, Session};

use super::checked::checked;
use super::{Browser, has_ended, show, state, watch};
use crate::args::session::OpenArgs;
use crate::caller::Caller;
use crate::failure::Failed;
use crate::output;
use crate::saved_sessions::SavedSessions;

pub(super) async fn open(url: Option<String>, args: OpenArgs) -> Result<(), Failed> {
    let state = args.state.as_deref().map(state::read).transpose()?;
    let mut request = checked(NavigateRequest {
        sandbox_id: "-".to_owned(),
        url: Some(args.page.clone()),
        wait_until: args.wait(),
        viewport: args.window.viewport(),
        color_scheme: args.color_scheme(),
        reduced_motion: args.reduced_motion.then_some(true),
        idle_seconds: args.idle_seconds(),
        locale: args.locale,
        time_zone: args.time_zone,
        user_agent: args.user_agent,
        allow_hosts: args.allow_hosts,
        timeout_ms: args.timeout,
        snapshot: Some(SnapshotInAnswer::Mode(SnapshotMode::Full)),
        ..NavigateRequest::default()
    })?;
    // A state may be larger than what `navigate` takes.
    let opening = state.map(|state| checked(state::opening(&mut request, state))).transpose()?;
    let (caller, saved) = Browser::begin(url, &format!("opening {}", args.page))?;
    let outcome = caller
        .in_sandbox(async |sandbox: &CreateResponse| {
            let session = caller.client().session(sandbox.sandbox_id.clone(), sandbox.owner_token.clone());
            let opened = async {
                if let Some(opening) = &opening {
                    session.open(opening.clone()).await?;
                }
                session.navigate(request.clone()).await
            };
            let full = full_of_own(&caller, &saved, sandbox);
            let answer = match caller.with_seat(|error| error.details().contains(&full), opened).await {
                Ok(answer) => answer,
                Err(error) => {
                    leave(&caller, &saved, &session, sandbox, &error).await;
                    return Err(error);
                }
            };
            let number = session.handle().and_then(|handle| Browser::remember(&caller, &saved, &handle, sandbox));
            let address = match args.watch {
                true => Some(watch::address(&session, ViewerRole::Control).await),
                false => None,
            };
            Ok((answer, address, number))
        })
        .await;
    caller.progress.done();
    let (answer, address, number) = outcome.map_err(|error| show::failed(&caller, error, args.json))?;
    if !args.json {
        output::text(&name(number, &answer.session))?;
    }
    if let Some(Ok(address)) = &address {
        watch::show(address, args.json)?;
    }
    show::status(&caller, answer.result.status_code, args.json);
    show::acted(&caller, &answer, true, args.json)?;
    match address {
        Some(Err(error)) => Err(error.into()),
        _ => Ok(()),
    }
}

fn name(number: Option<u32>, handle: &str) -> String {
    number.map_or_else(|| format!("session {handle}"), |number| format!("session {number} ({handle})"))
}

/// What the details of `SESSION_LIMIT` say if the sandbox is full of the user's own sessions: no other ends meanwhile.
/// If a service says it otherwise, the call is retried once.
fn full_of_own(caller: &Caller, saved: &SavedSessions, sandbox: &CreateResponse) -> String {
    let all = saved.all(caller.client().url()).unwrap_or_default();
    let own = all.iter().filter(|session| session.sandbox.sandbox_id == sandbox.sandbox_id).count();
    format!("this sandbox already has {own} sessions")
}

/// After a failure: remembers the session if the failure shows its page, else closes it. A call that failed may have
/// made one all the same.
async fn leave(caller: &Caller, saved: &SavedSessions, session: &Session, sandbox: &CreateResponse, error: &Error) {
    let Some(handle) = session.handle().filter(|_| !has_ended(error)) else { return };
    if shows_page(error) {
        let number = Browser::remember(caller, saved, &handle, sandbox);
        caller.progress.note(&format!("{} stays open", name(number, &handle)));
    } else if let Err(error) = session.close().await {
        caller.progress.note(&output::printable(&format!("warning: can't close {}: {error}", name(None, &handle))));
    }
}

/// Whether there is a page to go on with: one that was not loaded in time, or that a dialog holds.
fn shows_page(error: &Error) -> bool {
    let has_tree = || error.snapshot().is_some_and(|snapshot| !snapshot.tree.is_empty());
    match error.code() {
        Code::Known(ErrorCode::DialogOpen) => true,
        Code::Known(ErrorCode::NavigationTimeout | ErrorCode::DeadlineExceeded | ErrorCode::Timeout) => has_tree(),
        _ => false,
    }
}
