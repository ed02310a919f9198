//! The commands of sessions: what they send, what they print and what they remember.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::person::{Person, Ran};
use crate::scripted::{PIXEL_BASE64, Reply, Seen, Worker, answer, failure, sandbox};

const TREE: &str = "- heading \"Sign in\" [level=1]\n- textbox \"Email\" [ref=@e2]\n- button \"Go\" [ref=@e3]";

fn shown(handle: &str, fields: &Value) -> Reply {
    let mut body = json!({"ok": true, "session": handle, "tab": "t1", "url": "https://example.com/", "title": "Sign in",
        "request_id": "r-1", "timings_ms": {"total": 5}, "events": [], "warnings": [], "navigated": false, "settled": true,
        "snapshot": {"snapshot_id": "s1", "tree": TREE, "refs": {}, "element_count": 3, "truncated": false, "chars": 80}});
    for (field, value) in fields.as_object().unwrap() {
        body[field] = value.clone();
    }
    answer(200, &body)
}

/// Starts a worker whose sessions are numbered and whose calls all succeed; `fields` adds to each answer.
fn with_sessions(mut fields: impl FnMut(&Seen) -> Value + Send + 'static) -> Worker {
    let mut sessions = 0;
    Worker::start(move |seen| {
        if seen.asks_for("/create") {
            return sandbox("sb-1");
        }
        let handle = match seen.json()["session"].as_str() {
            Some(handle) => handle.to_owned(),
            None => {
                sessions += 1;
                format!("ses_{sessions}")
            }
        };
        shown(&handle, &fields(seen))
    })
}

fn bodies(worker: &Worker) -> Vec<Value> {
    worker.seen().iter().map(Seen::json).collect()
}

/// A worker that makes sessions `ses_1`, `ses_2` and so on, and answers a call of one by its handle.
fn worker_of_sessions(mut answer: impl FnMut(&str) -> Reply + Send + 'static) -> Worker {
    let mut opened = 0;
    Worker::start(move |seen| {
        if seen.asks_for("/create") {
            return sandbox("sb-1");
        }
        match seen.json()["session"].as_str() {
            None => {
                opened += 1;
                shown(&format!("ses_{opened}"), &json!({}))
            }
            Some(handle) => answer(handle),
        }
    })
}

#[test]
fn a_page_is_opened_and_acted_on_without_pasting_a_handle() {
    let worker = with_sessions(|_| json!({}));
    let person = Person::at(&worker);
    let opened = person.run(&["open", "https://example.com", "--allow-hosts", "example.com,*.example.com"]).ok();
    assert_eq!(opened.out, format!("session 1 (ses_1)\nhttps://example.com/ - Sign in\n{TREE}\n"));
    assert_eq!(person.run(&["click", "@e3"]).ok().out, format!("{TREE}\n"));
    person.run(&["type", "@e2", "ada@example.com", "--submit"]).ok();
    person.run(&["snapshot", "--all", "--root", "@e12"]).ok();

    assert_eq!(worker.asked(), ["create", "navigate", "click", "type", "snapshot"]);
    let bodies = bodies(&worker);
    assert_eq!(
        bodies[1],
        json!({"sandbox_id": "sb-1", "owner_token": "token-of-sb-1", "url": "https://example.com", "wait_until": "load",
            "allow_hosts": ["example.com", "*.example.com"], "snapshot": "full"})
    );
    assert_eq!((&bodies[2]["ref"], &bodies[2]["snapshot"]), (&json!("@e3"), &json!("changes")));
    for body in &bodies[2..] {
        assert_eq!((&body["session"], &body["owner_token"]), (&json!("ses_1"), &json!("token-of-sb-1")));
    }
    assert_eq!((&bodies[3]["text"], &bodies[3]["submit"]), (&json!("ada@example.com"), &json!(true)));
    assert_eq!((&bodies[4]["root"], &bodies[4]["interactive_only"]), (&json!("@e12"), &json!(false)));
    let mode = person.config("sessions.json").metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
}

#[test]
fn words_and_flags_become_the_request() {
    let worker = with_sessions(|_| json!({}));
    let person = Person::at(&worker);
    person.run(&["open", "https://example.com"]).ok();
    std::fs::write(person.file("a.txt"), "hello").unwrap();
    for (line, route, expected) in [
        (
            &["click", "--role", "button", "--name", "Save"][..],
            "click",
            json!({"target": {"by": "role", "value": "button", "name": "Save"}}),
        ),
        (
            &["click", "--at", "10,20", "--double", "--button", "right"],
            "click",
            json!({"at": {"x": 10.0, "y": 20.0}, "click_count": 2, "button": "right"}),
        ),
        (&["click", "@e7", "--hold", "shift,ctrl"], "click", json!({"ref": "@e7", "modifiers": ["Shift", "Control"]})),
        (
            &["type", "--label", "Email", "@e9", "--append"],
            "type",
            json!({"target": {"by": "label", "value": "Email"}, "text": "@e9", "clear": false}),
        ),
        (&["press", "Control+A"], "press", json!({"key": "Control+A"})),
        (&["press", "@e2", "Enter", "--full"], "press", json!({"ref": "@e2", "key": "Enter", "snapshot": "full"})),
        (&["select", "@e4", "One", "Two"], "select", json!({"ref": "@e4", "values": ["One", "Two"]})),
        (&["check", "--css", "#agree", "--off"], "check", json!({"checked": false})),
        (
            &["hover", "--text", "Menu", "--partly"],
            "hover",
            json!({"target": {"by": "text", "value": "Menu", "exact": false}}),
        ),
        (&["drag", "@e1", "5,6"], "drag", json!({"ref": "@e1", "to": {"at": {"x": 5.0, "y": 6.0}}})),
        (&["scroll", "down", "--amount", "300"], "scroll", json!({"direction": "down", "amount": 300})),
        (&["scroll", "@e9", "bottom"], "scroll", json!({"ref": "@e9", "to": "bottom"})),
        (
            &["upload", "@e6", "a.txt"],
            "upload",
            json!({"ref": "@e6", "files": [{"name": "a.txt", "content_base64": "aGVsbG8="}]}),
        ),
        (&["wait", "--text", "Done"], "wait", json!({"text": "Done"})),
        (&["wait", "@e3", "--state", "hidden"], "wait", json!({"ref": "@e3", "state": "hidden"})),
        (&["wait", "--page-url", "**/done", "--timeout", "5s"], "wait", json!({"url": "**/done", "timeout_ms": 5000})),
        (&["dialog", "accept", "yes"], "dialog", json!({"accept": true, "text": "yes"})),
        (&["dialog", "dismiss"], "dialog", json!({"accept": false})),
        (&["back"], "navigate", json!({"action": "back", "snapshot": "full"})),
        (&["reload", "--tab", "t2"], "navigate", json!({"action": "reload", "tab": "t2"})),
        (&["goto", "https://example.com/b"], "navigate", json!({"url": "https://example.com/b"})),
        (&["goto", "example.com/b"], "navigate", json!({"url": "https://example.com/b"})),
    ] {
        person.run(line).ok();
        let seen = worker.seen().pop().unwrap();
        assert!(seen.asks_for(&format!("/session/{route}")), "{line:?}: {}", seen.line);
        let body = seen.json();
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(body[field], *value, "{line:?}: {field} in {body}");
        }
    }
}

#[test]
fn wrong_words_are_a_wrong_usage_and_nothing_is_sent() {
    let worker = with_sessions(|_| json!({}));
    let person = Person::at(&worker);
    person.run(&["open", "https://example.com"]).ok();
    let before = worker.seen().len();
    for line in [
        &["click"][..],
        &["click", "Save"],
        &["click", "@e1", "--text", "Save"],
        &["click", "--text", "a", "--css", "b"],
        &["click", "--name", "Save"],
        &["type", "@e1"],
        &["scroll", "sideways"],
        &["drag", "@e1", "nowhere"],
        &["upload", "@e1", "no-such-file"],
        &["wait"],
        &["wait", "--text", "a", "--idle", "1s"],
        &["tabs", "select"],
        &["snapshot", "--root", "x"],
        &["click", "@e1", "--session", "9"],
        &["click", "@e1", "--session", "ses_9"],
        &["click", "@e1", "--session", "first"],
        &["run-tool", "browser_snapshot", "--session", "9"],
    ] {
        let ran = person.run(line).failed(2);
        assert!(!ran.err.is_empty() && ran.out.is_empty(), "{line:?}: {ran:?}");
    }
    assert_eq!(worker.seen().len(), before);
}

#[test]
fn without_a_session_a_command_says_how_to_begin() {
    let worker = with_sessions(|_| json!({}));
    let person = Person::at(&worker);
    let ran = person.run(&["click", "@e3"]).failed(1);
    assert_eq!(ran.err, "NO_PAGE: No page is open: porthole open URL\n");
    assert_eq!(person.run(&["click", "@e3", "--json"]).failed(1).json()["error"], "NO_PAGE");
    assert!(worker.seen().is_empty());
}

#[test]
fn a_failure_has_its_sentence_its_code_what_to_do_and_the_page() {
    let worker = Worker::start(|seen| {
        if seen.asks_for("/create") {
            return sandbox("sb-1");
        }
        if seen.asks_for("/navigate") {
            return shown("ses_1", &json!({}));
        }
        answer(
            409,
            &json!({"ok": false, "error": "STALE_REF", "message": "The page has changed - look at it again",
                "details": "@e3: gone", "retryable": false, "request_id": "r-7", "session": "ses_1", "tab": "t1",
                "events": [{"type": "dialog", "tab": "t1", "kind": "confirm", "message": "Sure?\u{1b}[2J"}],
                "snapshot": {"snapshot_id": "s2", "tree": "- button \"Other\" [ref=@e4]", "refs": {}, "element_count": 1,
                    "truncated": false, "chars": 27}}),
        )
    });
    let person = Person::at(&worker);
    person.run(&["open", "https://example.com"]).ok();
    let ran = person.run(&["click", "@e3"]).failed(1);
    assert_eq!(ran.out, "- button \"Other\" [ref=@e4]\n");
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(lines[0].starts_with("dialog (confirm) in t1: ") && !ran.err.contains('\u{1b}'), "{ran:?}");
    assert_eq!(
        lines[1..],
        [
            "STALE_REF: The page has changed - look at it again",
            "  @e3: gone",
            "  request r-7",
            "  `porthole snapshot` shows the page as it is now, with its refs.",
        ]
    );
    let json = person.run(&["click", "@e3", "--json"]).failed(1).json();
    assert_eq!((&json["error"], &json["snapshot"]["snapshot_id"]), (&json!("STALE_REF"), &json!("s2")));
}

#[test]
fn sessions_are_listed_chosen_and_forgotten() {
    let status = json!({"tabs": [{"tab": "t1", "url": "https://example.com/", "title": "Sign in"}], "age_seconds": 130,
        "idle_seconds": 1, "expires_at": "2999-01-01T00:00:00Z", "control": "none", "closed": true});
    let ended = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let gone = std::sync::Arc::clone(&ended);
    let worker = worker_of_sessions(move |handle| match handle {
        "ses_3" if gone.load(std::sync::atomic::Ordering::SeqCst) => failure(410, "SESSION_LOST", false),
        handle => shown(handle, &status),
    });
    let person = Person::at(&worker);
    assert_eq!(person.run(&["sessions"]).ok().out, "no session is open\n");
    for _ in 0..3 {
        person.run(&["open", "https://example.com"]).ok();
    }
    let last = || worker.seen().pop().unwrap().json()["session"].clone();
    person.run(&["click", "@e1"]).ok();
    assert_eq!(last(), "ses_3");
    person.run(&["click", "@e1", "--session", "ses_2"]).ok();
    assert_eq!(last(), "ses_2");
    person.run(&["click", "@e1", "--session", "ses_3"]).ok();
    person.run(&["click", "@e1", "--session", "1"]).ok();
    person.run(&["click", "@e1"]).ok();
    assert_eq!(last(), "ses_1", "the current one");
    for session in ["2", "ses_2"] {
        person.run(&["run-tool", "browser_snapshot", "--session", session]).ok();
        assert_eq!(last(), "ses_2");
    }
    let listed = person.run(&["sessions"]).ok().out;
    let line = |mark: &str, number: u32| format!("{mark} {number}  https://example.com/ - Sign in  (2 min, tabs: 1)\n");
    assert_eq!(listed, [line(" ", 2), line(" ", 3), line("*", 1)].concat());

    ended.store(true, std::sync::atomic::Ordering::SeqCst);
    let ran = person.run(&["click", "@e1", "--session", "3"]).failed(1);
    assert!(ran.err.contains("SESSION_LOST") && ran.err.ends_with("  Session 1 is the current one.\n"), "{ran:?}");
    let closed = person.run(&["close"]).ok();
    assert_eq!(last(), "ses_1");
    assert!(closed.err.starts_with("Session 2 is open, and not chosen: name it with --session 2;"), "{closed:?}");
    let json = person.run(&["sessions", "--json"]).ok().json();
    assert_eq!((&json["sessions"][0]["number"], json["sessions"].as_array().unwrap().len()), (&json!(2), 1));
    person.run(&["close", "--all"]).ok();
    assert_eq!(person.run(&["sessions"]).ok().out, "no session is open\n");
    assert!(
        !person.config("sessions.json").exists()
            || !std::fs::read_to_string(person.config("sessions.json")).unwrap().contains("token")
    );
}

#[test]
fn no_command_reaches_a_session_that_was_not_chosen() {
    let lost = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_lost = std::sync::Arc::clone(&lost);
    let worker = worker_of_sessions(move |handle| match handle {
        "ses_2" if is_lost.load(std::sync::atomic::Ordering::SeqCst) => failure(410, "SESSION_LOST", false),
        handle => shown(handle, &json!({"closed": true})),
    });
    let person = Person::at(&worker);
    for _ in 0..3 {
        person.run(&["open", "https://example.com"]).ok();
    }
    let closed = person.run(&["close"]).ok();
    assert!(closed.err.starts_with("Sessions 1, 2 are open, and none is chosen:"), "{closed:?}");
    let before = worker.seen().len();
    let refused = person.run(&["click", "@e1"]).failed(1);
    assert!(refused.err.starts_with("NO_PAGE: Sessions 1, 2 are open, and none is chosen:"), "{refused:?}");
    assert!(refused.err.contains("--session 1"), "{refused:?}");
    assert_eq!(worker.seen().len(), before, "nothing was sent");

    person.run(&["click", "@e1", "--session", "2"]).ok();
    lost.store(true, std::sync::atomic::Ordering::SeqCst);
    let ended = person.run(&["click", "@e1"]).failed(1);
    assert!(ended.err.contains("SESSION_LOST") && ended.err.contains("Session 1 is open, and not chosen"), "{ended:?}");
    person.run(&["click", "@e1"]).failed(1);
    person.run(&["click", "@e1", "--session", "1"]).ok();
    person.run(&["click", "@e1"]).ok();
}

#[test]
fn a_session_whose_page_can_not_be_opened_is_closed_again() {
    let mut opened = 0;
    let worker = Worker::start(move |seen| {
        if seen.asks_for("/create") {
            return sandbox("sb-1");
        }
        if !seen.asks_for("/navigate") {
            return shown("ses_1", &json!({"closed": true}));
        }
        opened += 1;
        match opened {
            1 => shown("ses_1", &json!({})),
            _ => answer(
                502,
                &json!({"ok": false, "error": "NAVIGATION_FAILED", "message": "The page can't be reached", "details": "d",
                    "retryable": false, "request_id": "r", "session": "ses_2", "tab": "t1", "events": []}),
            ),
        }
    });
    let person = Person::at(&worker);
    person.run(&["open", "https://example.com"]).ok();
    let ran = person.run(&["open", "https://nowhere.example"]).failed(1);
    assert!(ran.err.starts_with("NAVIGATION_FAILED: "), "{ran:?}");
    let last = worker.seen().pop().unwrap();
    assert!(last.asks_for("/session/close"), "{}", last.line);
    assert_eq!(last.json()["session"], "ses_2");
    person.run(&["click", "@e1"]).ok();
    assert_eq!(worker.seen().pop().unwrap().json()["session"], "ses_1", "the one before is the current one");
}

#[test]
fn a_sandbox_that_is_full_of_the_users_sessions_is_not_waited_for() {
    let mut opened = 0;
    let worker = Worker::start(move |seen| {
        if seen.asks_for("/create") {
            return sandbox("sb-1");
        }
        opened += 1;
        match opened {
            1 => shown("ses_1", &json!({})),
            _ => answer(
                429,
                &json!({"ok": false, "error": "SESSION_LIMIT", "message": "Too many", "retryable": true, "request_id": "r",
                    "details": "this sandbox already has 1 sessions"}),
            ),
        }
    });
    let person = Person::at(&worker);
    person.run(&["open", "https://example.com"]).ok();
    let ran = person.run(&["open", "https://example.com"]).failed(1);
    assert!(ran.err.starts_with("SESSION_LIMIT: ") && !ran.err.contains("retry"), "{ran:?}");
    assert!(ran.err.contains("porthole sessions") && ran.err.contains("porthole close"), "{ran:?}");
    assert_eq!(worker.asked(), ["create", "navigate", "navigate"]);
}

#[test]
fn a_session_that_is_refused_keeps_no_other_from_being_listed_and_closed() {
    let status = json!({"tabs": [], "age_seconds": 60, "idle_seconds": 1, "expires_at": "2999-01-01T00:00:00Z",
        "control": "none", "closed": true});
    let worker = worker_of_sessions(move |handle| match handle {
        "ses_1" => failure(401, "UNAUTHORIZED", false),
        handle => shown(handle, &status),
    });
    let person = Person::at(&worker);
    for _ in 0..2 {
        person.run(&["open", "https://example.com"]).ok();
    }
    let refused = "session 1: UNAUTHORIZED: sentence of UNAUTHORIZED\n";
    let listed = person.run(&["sessions"]).failed(1);
    assert_eq!(listed.out, "* 2  https://example.com/ - Sign in  (1 min, tabs: 0)\n");
    assert_eq!(listed.err, format!("{refused}porthole: can't look at 1 of 2 sessions\n"));
    let json = person.run(&["sessions", "--json"]).failed(1).json();
    let [first, second] = json["sessions"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!((&json["ok"], &first["error"]["error"]), (&json!(false), &json!("UNAUTHORIZED")));
    assert_eq!(second["status"]["session"], "ses_2");
    let closed = person.run(&["close", "--all"]).failed(1);
    assert_eq!(closed.err, format!("{refused}porthole: can't close 1 of 2 sessions\n"));
    assert_eq!(person.run(&["sessions", "--json"]).failed(1).json()["sessions"].as_array().unwrap().len(), 1);
}

/// A worker with a page, a picture of it and a download.
fn with_a_download() -> Worker {
    with_sessions(|seen| {
        if seen.asks_for("/screenshot") {
            json!({"final_url": "https://example.com/", "image_base64": PIXEL_BASE64, "mime_type": "image/png",
                "truncated": false, "width": 1, "height": 1, "bytes": 70})
        } else if seen.asks_for("/extract") {
            json!({"final_url": "https://example.com/", "content": "the article", "truncated": true, "format": "markdown",
                "total_chars": 30, "next_offset": 11})
        } else if seen.asks_for("/files") && seen.json()["action"] == "get" {
            json!({"file": "f1", "name": "../../.report.pdf", "mime_type": "application/pdf", "bytes": 5,
                "content_base64": "aGVsbG8="})
        } else if seen.asks_for("/files") {
            json!({"files": [{"file": "f1", "name": "report.pdf", "mime_type": "application/pdf", "bytes": 5}]})
        } else if seen.asks_for("/tabs") {
            json!({"tabs": [{"tab": "t1", "url": "https://example.com/", "title": "A\nB"},
                {"tab": "t2", "url": "https://example.com/2", "title": ""}]})
        } else {
            json!({})
        }
    })
}

#[test]
fn bytes_that_a_page_chose_are_not_written_to_a_terminal() {
    let worker = with_a_download();
    let person = Person::at(&worker);
    person.run(&["open", "https://example.com"]).ok();
    let before = worker.seen().len();
    for line in [&["files", "f1", "-o", "-"][..], &["shot", "-o", "-"], &["screenshot", "https://a", "-o", "-"]] {
        let terminal = nix::pty::openpty(None, None).unwrap();
        let ran = Ran::of(&person.command(line).stdout(terminal.slave).output().unwrap()).failed(2);
        assert!(ran.err.contains("can't be written to a terminal"), "{line:?}: {ran:?}");
    }
    assert_eq!(worker.seen().len(), before, "nothing was asked for");
    assert_eq!(person.run(&["files", "f1", "-o", "-"]).ok().out, "hello");
}

#[test]
fn pictures_texts_and_downloads_are_written_or_printed() {
    let worker = with_a_download();
    let person = Person::at(&worker);
    person.run(&["open", "https://example.com"]).ok();
    assert_eq!(person.run(&["shot"]).ok().out, "example.com.png\n");
    assert_eq!(person.run(&["shot", "@e3", "-o", "a.webp", "--annotate"]).ok().out, "a.webp\n");
    let body = worker.seen().pop().unwrap().json();
    assert_eq!((&body["ref"], &body["format"], &body["annotate"]), (&json!("@e3"), &json!("webp"), &json!(true)));
    let read = person.run(&["read", "article"]).ok();
    assert_eq!(
        (read.out.as_str(), read.err.as_str()),
        ("the article\n", "truncated: 11 of 30 characters; the rest: --offset 11\n")
    );
    assert_eq!(person.run(&["files"]).ok().out, "f1  \"report.pdf\"  5 bytes  application/pdf\n");
    assert_eq!(person.run(&["files", "f1"]).ok().out, "report.pdf\n");
    assert_eq!(std::fs::read_to_string(person.file("report.pdf")).unwrap(), "hello");
    assert_eq!(person.run(&["files", "f1"]).ok().out, "report-2.pdf\n");
    let json = person.run(&["files", "f1", "-o", "a.pdf", "--json"]).ok().json();
    assert_eq!((&json["path"], &json["bytes"], &json["content_base64"]), (&json!("a.pdf"), &json!(5), &Value::Null));
    assert!(person.run(&["files", "f1", "-o", "-", "--json"]).failed(2).err.contains("both want standard output"));
    assert_eq!(person.run(&["tabs"]).ok().out, "* t1  https://example.com/ - A B\n  t2  https://example.com/2\n");
    person.run(&["tabs", "select", "t2"]).ok();
    let body = worker.seen().pop().unwrap().json();
    assert_eq!((&body["action"], &body["tab"]), (&json!("select"), &json!("t2")));
    person.run(&["tabs", "new", "localhost:3000"]).ok();
    let body = worker.seen().pop().unwrap().json();
    assert_eq!((&body["action"], &body["url"]), (&json!("new"), &json!("http://localhost:3000")));
}
