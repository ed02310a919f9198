//! Errors of a page's scripts. The browser's `Runtime` and `Log` domains stay off, because there a page chooses how
//! much is sent. Instead, functions of ours listen for errors in the page and keep a few; they are read when a caller
//! asks.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::AddScriptToEvaluateOnNewDocumentParams;
use porthole_contract::limits::{CONSOLE_EVENTS_MAX, CONSOLE_TEXT_MAX_CHARS};

use super::Page;
use super::script::{CONSOLE, CONSOLE_KEPT, ERRORS};
use super::world::WORLD;
use crate::cdp::Session;

/// How long a document may take to tell.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

/// Has the errors of each later document kept. Without randomness there are none: a page that knew the name could
/// make some up.
pub(super) fn keep_errors(session: &Session) {
    let mut random = [0; 16];
    if let Err(error) = getrandom::fill(&mut random) {
        tracing::warn!(%error, "can't collect a page's console errors: no random name");
        return;
    }
    let name = u128::from_ne_bytes(random);
    let kept = format!("{CONSOLE_KEPT}('{name:032x}', {CONSOLE_EVENTS_MAX}, {CONSOLE_TEXT_MAX_CHARS})");
    let mut ours = AddScriptToEvaluateOnNewDocumentParams::new(kept);
    ours.world_name = Some(WORLD.to_owned());
    session.call(&ours).forget();
    let told = format!("{CONSOLE}('{name:032x}', {CONSOLE_TEXT_MAX_CHARS})");
    session.call(&AddScriptToEvaluateOnNewDocumentParams::new(told)).forget();
}

impl Page {
    /// Takes the errors of the main document's scripts since the last time, at most [`CONSOLE_EVENTS_MAX`] of
    /// [`CONSOLE_TEXT_MAX_CHARS`] each: uncaught ones, rejections that nothing handles, calls of `console.error`. None of a
    /// document that does not answer, or has gone.
    pub async fn take_errors(&self) -> Vec<String> {
        let mut errors: Vec<String> =
            self.run(ANSWER_TIMEOUT, "asking for errors", ERRORS, []).await.unwrap_or_default();
        errors.truncate(CONSOLE_EVENTS_MAX);
        for error in &mut errors {
            *error = error.chars().take(CONSOLE_TEXT_MAX_CHARS).collect();
        }
        errors
    }
}
