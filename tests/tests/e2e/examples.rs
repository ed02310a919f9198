//! Runs the examples for users, in three languages, against a stack: `client/examples` and `docs/examples`.
#![expect(clippy::unwrap_used, reason = "a test's panic is its failure")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::routing::post;
use axum::{Json, Router};
use http::StatusCode;
use porthole_tests::command::{Finished, run_foreign};
use porthole_tests::executable::example;
use porthole_tests::process::Environment;
use porthole_tests::stack::Home;
use porthole_tests::{Picture, Stack, owner};
use serde_json::{Value, json};

const PAGE: &str = "<title>example</title><body style='margin: 0; background: rgb(0, 170, 102)'>an example's page";

const KEY: &str = "the-client-key-of-the-examples-0001";

/// The languages of the examples.
#[derive(Clone, Copy, Debug)]
enum Language {
    Rust,
    JavaScript,
    Python,
}

impl Language {
    /// Returns the languages that this machine can run. Panics without Python; reports a missing Node as skipped.
    fn runnable() -> Vec<Self> {
        assert!(in_path("python3").is_some(), "python3 is missing: the examples of docs/examples can't be run");
        let mut runnable = vec![Self::Rust, Self::Python];
        if in_path("node").is_some() {
            runnable.push(Self::JavaScript);
        } else {
            assert!(std::env::var_os("CI").is_none(), "node is missing: CI must run every example");
            eprintln!("SKIPPED: node is missing, so the examples in JavaScript are not run");
        }
        runnable
    }

    async fn run(self, name: &str, arguments: &[&str], environment: &Environment) -> Finished {
        let (program, script) = match self {
            Self::Rust => return run_foreign(&example(name), arguments, environment).await,
            Self::JavaScript => ("node", format!("{name}.mjs")),
            Self::Python => ("python3", format!("{name}.py")),
        };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples").join(script);
        let arguments = [&[script.to_str().unwrap()], arguments].concat();
        run_foreign(&in_path(program).unwrap(), &arguments, environment).await
    }
}

fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Returns an environment in which `PORTHOLE_URL` is this worker's.
fn at(home: &Home, url: &str) -> Environment {
    let mut environment = home.environment();
    environment.insert("PORTHOLE_URL".to_owned(), url.to_owned());
    environment
}

#[tokio::test]
async fn a_screenshot_is_written_to_its_file() {
    let stack = Stack::with().setting("PORTHOLE_CLIENT_KEYS", KEY).start().await;
    let url = stack.site.html(PAGE);
    for language in Language::runnable() {
        let file = stack.home.home().join(format!("{language:?}.png"));
        let file = file.to_str().unwrap();
        let mut environment = at(&stack.home, &stack.worker.url(""));
        let refused = language.run("screenshot", &[&url, file], &environment).await;
        assert!(refused.code != Some(0) && refused.stderr.contains("UNAUTHORIZED"), "{language:?}: {refused:?}");

        environment.insert("PORTHOLE_KEY".to_owned(), KEY.to_owned());
        let told = language.run("screenshot", &[&url, file], &environment).await.expect_code(0);
        assert_eq!(told.trim(), format!("{file}: 390x844 image/png"), "{language:?}");
        let picture = Picture::decode(&std::fs::read(file).unwrap());
        assert_eq!(picture.at(200, 400), [0, 170, 102], "{language:?}");
    }
}

#[tokio::test]
async fn a_minted_token_reads_a_page() {
    let stack = Stack::start().await;
    let url = stack.site.html(PAGE);
    for language in Language::runnable() {
        let mut environment = at(&stack.home, &stack.worker.url(""));
        environment.insert("PORTHOLE_OWNER_KEYS".to_owned(), owner::FIRST.setting());
        let token = language.run("mint_token", &["sb-minted"], &environment).await.expect_code(0);
        for (name, value) in [("PORTHOLE_SANDBOX_ID", "sb-minted"), ("PORTHOLE_OWNER_TOKEN", token.trim())] {
            environment.insert(name.to_owned(), value.to_owned());
        }
        let read = language.run("extract", &[&url, "selector: body"], &environment).await.expect_code(0);
        assert_eq!(read.trim(), "an example's page", "{language:?}");

        environment.insert("PORTHOLE_SANDBOX_ID".to_owned(), "sb-of-another".to_owned());
        let refused = language.run("extract", &[&url], &environment).await;
        assert!(refused.code != Some(0) && refused.stderr.contains("UNAUTHORIZED"), "{language:?}: {refused:?}");
    }
}

#[tokio::test]
async fn an_extract_is_tried_again_when_the_answer_says_so() {
    let home = Home::new();
    for language in Language::runnable() {
        let asked = Arc::new(AtomicUsize::new(0));
        let url = busy_once(Arc::clone(&asked)).await;
        let finished = language.run("extract", &["https://example.com"], &at(&home, &url)).await;
        assert_eq!(finished.expect_code(0).trim(), "read at last", "{language:?}");
        assert!(finished.stderr.contains("retry 1 in"), "{language:?}: {finished:?}");
        assert_eq!(asked.load(Ordering::SeqCst), 2, "{language:?}");
    }
}

/// Starts a stand-in for a worker that answers the first extract with `OVERLOADED`.
async fn busy_once(asked: Arc<AtomicUsize>) -> String {
    let create = async || {
        Json(json!({"ok": true, "sandbox_id": "sb-1", "owner_token": "t", "expires_at": "2030-01-01T00:00:00Z"}))
    };
    let extract = async move || -> (StatusCode, Json<Value>) {
        if asked.fetch_add(1, Ordering::SeqCst) == 0 {
            let busy = json!({"ok": false, "error": "OVERLOADED", "message": "busy", "details": "", "retryable": true,
                "request_id": "r-1"});
            return (StatusCode::SERVICE_UNAVAILABLE, Json(busy));
        }
        let answer = json!({"ok": true, "title": "", "final_url": "https://example.com/", "status_code": 200,
            "content": "read at last", "truncated": false, "format": "text", "total_chars": 12, "request_id": "r-2",
            "timings_ms": {}, "blocked_requests": 0, "warnings": []});
        (StatusCode::OK, Json(answer))
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router =
        Router::new().route("/api/sandbox/create", post(create)).route("/api/sandbox/browser-extract", post(extract));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}
