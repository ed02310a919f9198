//! How answers of sessions are printed: the page on standard output, what else happened on standard error.

use porthole_client::Error;
use porthole_client::session::{DialogKind, Event, SessionAnswer};
use serde::Serialize;

use crate::caller::Caller;
use crate::failure::Failed;
use crate::output;

/// Prints the answer of a call that acted: where the page is now, if it went elsewhere, and the snapshot.
pub(super) fn acted<T: Serialize>(
    caller: &Caller,
    answer: &SessionAnswer<T>,
    navigated: bool,
    json: bool,
) -> Result<(), Failed> {
    noted(caller, answer);
    if json {
        return output::json(answer);
    }
    let place = navigated.then(|| place(&answer.url, &answer.title));
    let tree = answer.snapshot.as_ref().map(|snapshot| snapshot.tree.clone());
    let parts: Vec<String> = place.into_iter().chain(tree).filter(|part| !part.is_empty()).collect();
    if !parts.is_empty() {
        return output::text(&parts.join("\n"));
    }
    if answer.snapshot.as_ref().is_some_and(|snapshot| snapshot.changes == Some(true)) {
        caller.progress.note("(no line of the page changed)");
    }
    Ok(())
}

/// Prints that the server called its answer an error: the page may look like any other.
pub(super) fn status(caller: &Caller, status_code: Option<u16>, json: bool) {
    if let Some(status) = status_code.filter(|status| *status >= 400 && !json) {
        caller.progress.note(&format!("the server answered with HTTP {status}"));
    }
}

/// Prints events and warnings.
pub(super) fn noted<T>(caller: &Caller, answer: &SessionAnswer<T>) {
    caller.progress.done();
    caller.warn(&answer.warnings);
    events(caller, &answer.events);
}

/// Prints what a failed call tells of its session; the failure itself is reported by the command.
pub(super) fn failed(caller: &Caller, error: Error, json: bool) -> Failed {
    if !json {
        events(caller, error.events());
        let tree = error.snapshot().map(|snapshot| &snapshot.tree).filter(|tree| !tree.is_empty());
        if let Some(Err(unprinted)) = tree.map(|tree| output::text(tree)) {
            return unprinted;
        }
    }
    error.into()
}

/// Where a page is.
pub(super) fn place(url: &str, title: &str) -> String {
    if title.is_empty() { url.to_owned() } else { format!("{url} - {}", one_line(title)) }
}

/// A page's text as one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn events(caller: &Caller, events: &[Event]) {
    for line in events.iter().filter_map(event) {
        caller.progress.note(&output::printable(&line));
    }
}

/// A line for an event; none of what the command's own output says.
fn event(event: &Event) -> Option<String> {
    Some(match event {
        Event::Navigated { .. } | Event::Other => return None,
        Event::Dialog { tab, kind, message, .. } => {
            let kind = match kind {
                DialogKind::Alert => "alert",
                DialogKind::Confirm => "confirm",
                DialogKind::Prompt => "prompt",
                DialogKind::BeforeUnload => "beforeunload",
            };
            format!("dialog ({kind}) in {tab}: {:?}; answer it: porthole dialog accept, or dismiss", one_line(message))
        }
        Event::TabOpened { tab, url } => format!("tab {tab} opened: {url}; go to it: porthole tabs select {tab}"),
        Event::TabClosed { tab, url } => format!("tab {tab} closed: {url}"),
        Event::Download { name, error: Some(error), .. } => format!("download {name:?} failed: {error}"),
        Event::Download { file, name, bytes, .. } => {
            let file = file.as_deref().unwrap_or_default();
            format!("download {name:?}, {bytes} bytes; get it: porthole files {file}")
        }
        Event::Blocked { count } => format!("{count} requests of the page were blocked"),
        Event::Console { text } => format!("console: {}", one_line(text)),
        Event::Crashed { tab } => format!("tab {tab} crashed; porthole reload loads it again"),
        Event::Dropped { count } => format!("{count} more events"),
    })
}
