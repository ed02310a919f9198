//! Commands about a session as a whole: its tabs, its files, its live view, its end, and which sessions there are.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use porthole_client::session::{
    Event, FilesAction, FilesRequest, StatusRequest, TabInfo, TabsAction, TabsRequest, ViewerRole,
};
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::acting::checked;
use super::{Browser, forget, has_ended, session_of, show, watch};
use crate::args::session::{CloseArgs, FilesArgs, SessionsArgs, TabsArgs, WatchArgs};
use crate::failure::Failed;
use crate::{output, picture_file};

pub(super) async fn tabs(url: Option<String>, args: &TabsArgs) -> Result<(), Failed> {
    let action = args.action();
    let word = args.word.clone();
    let (page, tab) = match action {
        TabsAction::New => (word, args.call.tab.clone()),
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
    let mut answer = browser.settle(browser.session.tabs(request).await, args.call.json)?;
    if !args.call.json && action == TabsAction::New {
        // The list marks it.
        answer.events.retain(|event| !matches!(event, Event::TabOpened { tab, .. } if *tab == answer.tab));
    }
    show::noted(&browser.caller, &answer);
    if answer.result.tabs.is_empty() {
        // Closing the last tab ends the session.
        forget(&browser.caller, &browser.saved, &answer.session);
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
    let to_output = args.output.as_deref().is_some_and(|path| path.as_os_str() == "-");
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
    output::text(&path.display().to_string())
}

pub(super) async fn watch(url: Option<String>, args: &WatchArgs) -> Result<(), Failed> {
    let browser = Browser::resume_numbered(url, args.session, "asking for the live view")?;
    let role = if args.view_only { ViewerRole::View } else { ViewerRole::Control };
    let address = browser.settle(watch::address(&browser.session, role).await, args.json)?;
    if args.json {
        return output::json(&json!({"ok": true, "role": role, "url": address.expose_secret()}));
    }
    watch::show(&address, false)
}

pub(super) async fn close(url: Option<String>, args: &CloseArgs) -> Result<(), Failed> {
    if !args.all {
        let browser = Browser::resume_numbered(url, args.session, "closing")?;
        let handle = browser.session.handle().unwrap_or_default();
        let answer = browser.settle(browser.session.close().await, args.json)?;
        forget(&browser.caller, &browser.saved, &handle);
        return if args.json { output::json(&answer) } else { Ok(()) };
    }
    let (caller, saved) = Browser::begin(url, "closing")?;
    let all = saved.all(caller.client().url()).map_err(|error| Failed::io("read the saved sessions", error))?;
    for session in all {
        let answer = session_of(&caller, &session).close().await?;
        forget(&caller, &saved, &session.handle);
        if args.json {
            output::json(&answer)?;
        }
    }
    caller.progress.done();
    Ok(())
}

pub(super) async fn sessions(url: Option<String>, args: &SessionsArgs) -> Result<(), Failed> {
    let (caller, saved) = Browser::begin(url, "asking for sessions")?;
    let all = saved.all(caller.client().url()).map_err(|error| Failed::io("read the saved sessions", error))?;
    let mut lines = Vec::new();
    let mut answers = Vec::new();
    let last = all.last().map(|session| session.number);
    for session in all {
        let status = match session_of(&caller, &session).status(StatusRequest::default()).await {
            Ok(status) => status,
            Err(error) if has_ended(&error) => {
                forget(&caller, &saved, &session.handle);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let used_last = last == Some(session.number);
        let (minutes, tabs) = (status.result.age_seconds / 60, status.result.tabs.len());
        let place = show::place(&status.url, &status.title);
        lines.push(format!("{} {}  {place}  ({minutes} min, tabs: {tabs})", mark(used_last), session.number));
        answers.push(json!({"number": session.number, "used_last": used_last, "status": status}));
    }
    caller.progress.done();
    if args.json {
        return output::json(&json!({"ok": true, "sessions": answers}));
    }
    output::text(if lines.is_empty() { "no session is open".to_owned() } else { lines.join("\n") }.as_str())
}

fn mark(marked: bool) -> char {
    if marked { '*' } else { ' ' }
}
