//! Where the command saves its sandbox, and when it creates a new one.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::person::{Person, willing};
use crate::scripted::{Worker, answer, extract, failure, sandbox};

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn a_sandbox_is_created_once_saved_privately_and_reused() {
    let worker = willing();
    let person = Person::at(&worker);
    let first = person.run(&["extract", "https://example.com"]).ok();
    assert_eq!((first.out.as_str(), first.err.as_str()), ("the text\n", ""));
    person.run(&["extract", "https://example.com"]).ok();

    assert_eq!(worker.asked(), ["create", "browser-extract", "browser-extract"]);
    assert_eq!(worker.seen()[2].json()["owner_token"], "token-of-sb-1");
    assert_eq!(mode(&person.config("sandbox.json")), 0o600);
    assert_eq!(mode(&person.config("")), 0o700);
    let saved: Value = serde_json::from_str(&std::fs::read_to_string(person.config("sandbox.json")).unwrap()).unwrap();
    assert_eq!(saved["sandboxes"][&person.url]["sandbox_id"], "sb-1");
}

#[test]
fn a_sandbox_that_the_worker_refuses_is_replaced() {
    let mut refusals = 1;
    let mut sandboxes = 0;
    let worker = Worker::start(move |seen| {
        if seen.asks_for("/create") {
            sandboxes += 1;
            return sandbox(&format!("sb-{sandboxes}"));
        }
        if seen.json()["sandbox_id"] == "sb-1" && refusals == 0 {
            return failure(401, "UNAUTHORIZED", false);
        }
        refusals = 0;
        extract("the text")
    });
    let person = Person::at(&worker);
    person.run(&["extract", "https://example.com"]).ok();
    person.run(&["extract", "https://example.com"]).ok();
    assert_eq!(worker.asked(), ["create", "browser-extract", "browser-extract", "create", "browser-extract"]);
    assert!(std::fs::read_to_string(person.config("sandbox.json")).unwrap().contains("token-of-sb-2"));
}

#[test]
fn a_worker_that_refuses_a_new_sandbox_is_not_asked_again() {
    let worker =
        Worker::start(
            |seen| {
                if seen.asks_for("/create") { sandbox("sb-1") } else { failure(401, "UNAUTHORIZED", false) }
            },
        );
    let person = Person::at(&worker);
    let ran = person.run(&["extract", "https://example.com"]).failed(1);
    assert!(ran.err.starts_with("UNAUTHORIZED: "), "{ran:?}");
    assert_eq!(worker.asked(), ["create", "browser-extract"]);
}

#[test]
fn an_expired_sandbox_is_not_tried() {
    let mut made = 0;
    let worker = Worker::start(move |seen| {
        if !seen.asks_for("/create") {
            return extract("the text");
        }
        made += 1;
        let expires_at = if made == 1 { "2020-01-01T00:00:00Z" } else { "2999-01-01T00:00:00Z" };
        answer(200, &json!({"ok": true, "sandbox_id": "sb", "owner_token": "t", "expires_at": expires_at}))
    });
    let person = Person::at(&worker);
    person.run(&["create"]).ok();
    person.run(&["extract", "https://example.com"]).ok();
    assert_eq!(worker.asked(), ["create", "create", "browser-extract"]);
}

#[test]
fn an_unwritable_home_causes_a_warning() {
    let worker = willing();
    let person = Person::at(&worker);
    std::fs::write(person.file("config"), "a file where the directory should be").unwrap();
    let ran = person.run(&["extract", "https://example.com"]).ok();
    assert_eq!(ran.out, "the text\n");
    assert!(ran.err.starts_with("warning: can't save the sandbox: "), "{ran:?}");
}

#[test]
fn concurrent_commands_leave_a_valid_file() {
    let worker = willing();
    let person = Person::at(&worker);
    let running: Vec<_> = (0..8)
        .map(|_| person.command(&["extract", "https://example.com"]).stdout(Stdio::null()).spawn().unwrap())
        .collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    serde_json::from_str::<Value>(&std::fs::read_to_string(person.config("sandbox.json")).unwrap()).unwrap();
    let names: Vec<_> = std::fs::read_dir(person.config("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "the file and its lock: {names:?}");
}

#[test]
fn create_prints_the_token() {
    let worker = willing();
    let person = Person::at(&worker);
    let ran = person.run(&["create", "--ttl", "2h"]).ok();
    assert_eq!(worker.seen()[0].json(), json!({"ttl_seconds": 7200}));
    assert!(ran.out.contains("owner_token  token-of-sb-1\n"), "{ran:?}");
    assert_eq!(person.run(&["create", "--json"]).ok().json()["owner_token"], "token-of-sb-2");
}
