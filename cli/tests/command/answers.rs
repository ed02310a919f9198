//! How the command presents answers: files, lines, JSON, failures.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::person::{Person, Ran, willing};
use crate::scripted::{PIXEL_BASE64, Reply, Worker, answer, extract, failure, sandbox, screenshot_answer};

#[test]
fn a_picture_is_named_after_its_host_and_never_overwrites_another() {
    let worker = willing();
    let person = Person::at(&worker);
    let first = person.run(&["screenshot", "https://example.com/page"]).ok();
    assert_eq!((first.out.as_str(), first.err.as_str()), ("example.com.png\n", ""));
    assert_eq!(person.run(&["screenshot", "https://example.com/page"]).ok().out, "example.com-2.png\n");
    assert_eq!(std::fs::read(person.file("example.com.png")).unwrap()[1..4], *b"PNG");
}

#[test]
fn flags_become_the_request() {
    let worker = willing();
    let person = Person::at(&worker);
    let line = "screenshot https://example.com -o a.webp --viewport 800x600@2 --selector h1 --quality 50 --dark \
                --reduced-motion --wait load --wait-selector main --wait-timeout 2s --delay 10 --on-timeout fail \
                --timeout 30s --max-bytes 1000";
    person.run(&line.split_whitespace().collect::<Vec<_>>()).ok();
    let expected = json!({
        "sandbox_id": "sb-1", "owner_token": "token-of-sb-1", "url": "https://example.com", "full_page": false,
        "viewport": {"width": 800, "height": 600, "device_scale_factor": 2.0, "mobile": false},
        "selector": "h1", "format": "webp", "quality": 50, "color_scheme": "dark", "reduced_motion": true,
        "wait": {"until": "load", "timeout_ms": 2000, "selector": "main", "delay_ms": 10},
        "on_timeout": "fail", "timeout_ms": 30000, "max_bytes": 1000,
    });
    assert_eq!(worker.seen()[1].json(), expected);
}

#[test]
fn a_page_may_be_named_without_its_scheme() {
    let worker = willing();
    let person = Person::at(&worker);
    person.run(&["extract", "example.com:8080/x"]).ok();
    assert_eq!(worker.seen()[1].json()["url"], "https://example.com:8080/x");
    assert_eq!(person.run(&["screenshot", "localhost:3000"]).ok().out, "localhost.png\n");
    assert_eq!(worker.seen()[2].json()["url"], "http://localhost:3000");
}

#[test]
fn a_picture_whose_format_differs_from_its_file_extension_causes_a_warning() {
    let worker = willing();
    let person = Person::at(&worker);
    let ran = person.run(&["screenshot", "https://example.com", "-o", "a.jpg"]).ok();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("a.jpg\n", "warning: a.jpg holds image/png, not image/jpeg\n"));
}

#[test]
fn a_dash_writes_the_bytes_and_nothing_else() {
    let worker = willing();
    let person = Person::at(&worker);
    let output = person.command(&["screenshot", "https://example.com", "-o", "-"]).output().unwrap();
    assert_eq!((output.stdout.len(), output.stderr.len()), (70, 0));
    assert!(output.stdout.starts_with(b"\x89PNG\r\n\x1a\n"));
}

#[test]
fn warnings_and_truncation_are_reported_on_standard_error() {
    let worker = Worker::start(|seen| {
        let mut body = screenshot_answer();
        body["warnings"] = json!(["wait_ended: the page \u{1b}[31m kept loading"]);
        body["truncated"] = json!(true);
        if seen.asks_for("/create") { sandbox("sb-1") } else { answer(200, &body) }
    });
    let ran = Person::at(&worker).run(&["screenshot", "https://example.com", "-o", "a.png"]).ok();
    assert_eq!(
        ran.err,
        "warning: wait_ended: the page \u{fffd}[31m kept loading\ntruncated: the page goes on below the picture\n"
    );
}

#[test]
fn json_holds_the_picture_or_its_path() {
    let worker = willing();
    let person = Person::at(&worker);
    let whole = person.run(&["screenshot", "https://example.com", "--json"]).ok();
    assert_eq!(whole.json()["image_base64"], PIXEL_BASE64);
    assert_eq!(whole.out.lines().count(), 1);
    assert!(!person.file("example.com.png").exists());
    let filed = person.run(&["screenshot", "https://example.com", "--json", "-o", "a.png"]).ok().json();
    assert_eq!((&filed["path"], &filed["image_base64"]), (&json!("a.png"), &Value::Null));
    assert_eq!(person.run(&["extract", "https://example.com", "--json"]).ok().json()["content"], "the text");
}

#[test]
fn a_failed_request_is_reported_with_code_sentence_details_and_id() {
    let worker =
        Worker::start(
            |seen| {
                if seen.asks_for("/create") { sandbox("sb-1") } else { failure(403, "BLOCKED_TARGET", false) }
            },
        );
    let person = Person::at(&worker);
    let ran = person.run(&["screenshot", "http://10.0.0.1"]).failed(1);
    assert_eq!(ran.err, "BLOCKED_TARGET: sentence of BLOCKED_TARGET\n  the details\n  request r-7\n");
    assert_eq!(ran.out, "");
    let ran = person.run(&["extract", "http://10.0.0.1", "--json"]).failed(1);
    assert_eq!((&ran.json()["error"], &ran.json()["retryable"]), (&json!("BLOCKED_TARGET"), &json!(false)));
    assert!(ran.err.starts_with("BLOCKED_TARGET: "), "{ran:?}");
}

#[test]
fn an_answer_not_from_porthole_is_a_failure_with_its_status() {
    let worker = Worker::start(|_| Reply::Answer(502, Vec::new(), "Bad Gateway".to_owned()));
    let ran = Person::at(&worker).run(&["create"]).failed(1);
    assert!(ran.err.starts_with("INTERNAL: ") && ran.err.contains("HTTP 502"), "{ran:?}");
}

#[test]
fn a_closed_standard_output_causes_no_panic() {
    let long = "line\n".repeat(100_000);
    let worker = Worker::start(move |seen| if seen.asks_for("/create") { sandbox("sb-1") } else { extract(&long) });
    let person = Person::at(&worker);
    let mut child = person
        .command(&["extract", "https://example.com"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ran = Ran::of(&child.wait_with_output().unwrap()).ok();
    assert_eq!(ran.err, "");
}

#[test]
fn a_retry_is_reported_in_a_pipe_too() {
    // One retry takes two seconds: the command uses the real clock.
    let mut asked = 0;
    let worker = Worker::start(move |seen| {
        asked += 1;
        if asked == 1 && seen.asks_for("/create") { failure(503, "OVERLOADED", true) } else { sandbox("sb-1") }
    });
    let ran = Person::at(&worker).run(&["create"]).ok();
    assert!(ran.err.starts_with("OVERLOADED: sentence of OVERLOADED (retry 1 of 4 in 2."), "{ran:?}");
}
