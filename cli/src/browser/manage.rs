//! Commands about a session as a whole: its tabs, its files, its live view, its end, and which sessions there are.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use porthole_client::Error;
use porthole_client::session::{
    Event, FilesAction, FilesRequest, StatusRequest, TabInfo, TabsAction, TabsRequest, ViewerRole,
};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::checked::checked;
use super::{Browser, forget, has_ended, note_open, open_now, session_of, show, watch};
use crate::args::session::{CloseArgs, FilesArgs, SessionsArgs, TabsArgs, WatchArgs};
use crate::caller::Caller;
use crate::failure::Failed;
use crate::saved_sessions::SavedSession;
use crate::{output, picture_file};

pub(super) async fn tabs(url: Option<String>, args: &TabsArgs) -> Result<(), Failed> {
    let action = args.action();
    let word = args.word.clone();
    let (page, tab) = match action {
        TabsAction::New => (args.page(), args.call.tab.clone()),
        TabsAction::List if word.is_some() => {
            return Err(Failed::Usage("list takes no tab; `porthole tabs select TAB` makes one active".to_owned()));
        }
        _ => (None, word.or_else(|| args.call.tab.clone())),
    };
    let request = checked(TabsRequest {
        sandbox_id: "-".to_owned(),
        timeout_ms: args.call.timeout,
        action,
        url: page,
        tab,
        ..TabsRequest::default()
    })?;
    let browser = Browser::resume(url, &args.call, "asking for tabs")?;
    // A session has its limit of tabs to itself: waiting makes no room.
    let outcome = browser.caller.with_seat(|_| true, browser.session.tabs(request)).await;
    let mut answer = browser.settle(outcome, args.call.json)?;
    if !args.call.json && action == TabsAction::New {
        // The list marks it.
        answer.events.retain(|event| !matches!(event, Event::TabOpened { tab, .. } if *tab == answer.tab));
    }
    show::noted(&browser.caller, &answer);
    if answer.result.tabs.is_empty() {
        // Closing the last tab ends the session.
        note_open(&browser.caller, &browser.forget());
    }
    if args.call.json {
        return output::json(&answer);
    }
    let line = |tab: &TabInfo| {
        let active = tab.tab == answer.tab;
        // A title may be known of the active tab alone.
        let title = if active && tab.title.is_empty() { &answer.title } else { &tab.title };
        format!("{} {}  {}", mark(active), tab.tab, show::place(&tab.url, title))
    };
    let lines: Vec<String> = answer.result.tabs.iter().map(line).collect();
    output::text(if lines.is_empty() { "the session has ended".to_owned() } else { lines.join("\n") }.as_str())
}

pub(super) async fn files(url: Option<String>, args: FilesArgs) -> Result<(), Failed> {
    let to_output = output::takes_bytes(args.output.as_deref(), "a download", args.call.json.then_some("--json"))?;
    let action = if args.file.is_some() { FilesAction::Get } else { FilesAction::List };
    let request = checked(FilesRequest {
        sandbox_id: "-".to_owned(),
        timeout_ms: args.call.timeout,
        action,
        file: args.file,
        ..FilesRequest::default()
    })?;
    let browser = Browser::resume(url, &args.call, "asking for downloads")?;
    let answer = browser.settle(browser.session.files(request).await, args.call.json)?;
    show::noted(&browser.caller, &answer);
    if args.call.json && args.output.is_none() {
        return output::json(&answer);
    }
    let Some(content) = &answer.result.content_base64 else {
        let listed = answer.result.files.iter().flatten();
        let lines: Vec<String> = listed
            .map(|file| format!("{}  {:?}  {} bytes  {}", file.file, file.name, file.bytes, file.mime_type))
            .collect();
        return output::text(if lines.is_empty() { "no downloads".to_owned() } else { lines.join("\n") }.as_str());
    };
    let no_content = |_| Failed::io("read the download", std::io::Error::other("it is not base64"));
    let content = STANDARD.decode(content).map_err(no_content)?;
    let path = match args.output {
        Some(_) if to_output => return output::bytes(&content),
        Some(path) => {
            picture_file::write(&path, &content)?;
            path
        }
        None => picture_file::write_download(answer.result.name.as_deref().unwrap_or_default(), &content)?,
    };
    if args.call.json {
        return output::json_with_path(&answer, "content_base64", &path);
    }
    output::text(&path.display().to_string())
}

pub(super) async fn watch(url: Option<String>, args: &WatchArgs) -> Result<(), Failed> {
    let browser = Browser::resume_named(url, args.session.as_ref(), "asking for the live view")?;
    let role = if args.view_only { ViewerRole::View } else { ViewerRole::Control };
    let address = browser.settle(watch::address(&browser.session, role).await, args.json)?;
    if args.json {
        return output::json(&json!({"ok": true, "role": role, "url": address.expose_secret()}));
    }
    watch::show(&address, false)
}

pub(super) async fn close(url: Option<String>, args: &CloseArgs) -> Result<(), Failed> {
    if !args.all {
        let browser = Browser::find(url, args.session.as_ref(), "closing")?;
        // The session has no handle once it is closed.
        let handle = browser.session.handle().unwrap_or_default();
        let answer = browser.settle(browser.session.close().await, args.json)?;
        forget(&browser.caller, &browser.saved, &handle);
        note_open(&browser.caller, &open_now(&browser.caller, &browser.saved));
        return if args.json { output::json(&answer) } else { Ok(()) };
    }
    let (caller, saved) = Browser::begin(url, "closing")?;
    let all = saved.all(caller.client().url()).map_err(|error| Failed::io("read the saved sessions", error))?;
    let mut refused = Refused { doing: "close", count: 0, of: all.len() };
    for session in all {
        match session_of(&caller, &session).close().await {
            Ok(answer) => {
                forget(&caller, &saved, &session.handle);
                if args.json {
                    output::json(&answer)?;
                }
            }
            Err(error) if has_ended(&error) => forget(&caller, &saved, &session.handle),
            Err(error) => {
                let answer = refused.report(&caller, &session, error)?;
                if args.json {
                    output::json(&answer)?;
                }
            }
        }
    }
    caller.progress.done();
    refused.outcome()
}

pub(super) async fn sessions(url: Option<String>, args: &SessionsArgs) -> Result<(), Failed> {
    let (caller, saved) = Browser::begin(url, "asking for sessions")?;
    let all = saved.all(caller.client().url()).map_err(|error| Failed::io("read the saved sessions", error))?;
    let mut lines = Vec::new();
    let mut answers = Vec::new();
    let mut refused = Refused { doing: "look at", count: 0, of: all.len() };
    for session in all {
        let current = session.current;
        let status = match session_of(&caller, &session).status(StatusRequest::default()).await {
            Ok(status) => status,
            Err(error) if has_ended(&error) => {
                forget(&caller, &saved, &session.handle);
                continue;
            }
            Err(error) => {
                let answer = refused.report(&caller, &session, error)?;
                answers.push(json!({"number": session.number, "current": current, "error": answer}));
                continue;
            }
        };
        let (minutes, tabs) = (status.result.age_seconds / 60, status.result.tabs.len());
        let place = show::place(&status.url, &status.title);
        lines.push(format!("{} {}  {place}  ({minutes} min, tabs: {tabs})", mark(current), session.number));
        answers.push(json!({"number": session.number, "current": current, "status": status}));
    }
    caller.progress.done();
    note_open(&caller, &open_now(&caller, &saved));
    if args.json {
        output::json(&json!({"ok": refused.count == 0, "sessions": answers}))?;
    } else if !lines.is_empty() {
        output::text(&lines.join("\n"))?;
    } else if refused.count == 0 {
        output::text("no session is open")?;
    }
    refused.outcome()
}

/// The sessions whose call was refused, of a command about all: the others have their turn all the same.
struct Refused {
    doing: &'static str,
    count: usize,
    of: usize,
}

impl Refused {
    /// Reports the failure of one session and returns its answer.
    ///
    /// # Errors
    /// The failure, if it is not about this session: without an answer of the worker the others would wait in vain.
    fn report(&mut self, caller: &Caller, session: &SavedSession, error: Error) -> Result<Value, Failed> {
        if !matches!(error, Error::Refused(_)) {
            return Err(error.into());
        }
        self.count += 1;
        let line = format!("session {}: {}: {}", session.number, error.code(), error.sentence());
        caller.progress.note(&output::printable(&line));
        Ok(error.answer())
    }

    fn outcome(self) -> Result<(), Failed> {
        let Self { doing, count, of } = self;
        if count == 0 { Ok(()) } else { Err(Failed::Sessions { doing, count, of }) }
    }
}

fn mark(marked: bool) -> char {
    if marked { '*' } else { ' ' }
}
