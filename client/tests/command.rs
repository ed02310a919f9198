//! The `porthole` command as a person or a script runs it: a scripted worker on one side, pipes on the other.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod scripted;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use scripted::{PIXEL_BASE64, Reply, Worker, answer, extract, failure, sandbox, screenshot_answer};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A person with a home of their own.
struct Person {
    home: TempDir,
    url: String,
}

impl Person {
    fn at(worker: &Worker) -> Self {
        Self { home: tempfile::tempdir().unwrap(), url: worker.url() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_porthole"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PORTHOLE_")) {
            command.env_remove(name);
        }
        command
            .args(args)
            .current_dir(self.home.path())
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path().join("config"))
            .env("PORTHOLE_URL", &self.url)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        Ran::of(&self.command(args).output().unwrap())
    }

    fn config(&self, name: &str) -> PathBuf {
        self.home.path().join("config/porthole").join(name)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }
}

#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    #[track_caller]
    fn failed(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A worker whose every request succeeds; each sandbox has a number.
fn willing() -> Worker {
    let mut sandboxes = 0;
    Worker::start(move |seen| {
        if seen.asks_for("/create") {
            sandboxes += 1;
            sandbox(&format!("sb-{sandboxes}"))
        } else if seen.asks_for("/browser-extract") {
            extract("the text")
        } else {
            answer(200, &screenshot_answer())
        }
    })
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn a_sandbox_is_made_once_saved_for_its_owner_alone_and_used_again() {
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
fn a_sandbox_that_is_not_known_any_more_is_made_anew_once() {
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
fn a_worker_that_knows_no_sandbox_at_all_is_asked_no_third_time() {
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
fn an_expired_sandbox_is_not_even_tried() {
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
fn a_home_that_can_not_be_written_costs_a_warning() {
    let worker = willing();
    let person = Person::at(&worker);
    std::fs::write(person.file("config"), "a file where the directory should be").unwrap();
    let ran = person.run(&["extract", "https://example.com"]).ok();
    assert_eq!(ran.out, "the text\n");
    assert!(ran.err.starts_with("warning: can't save the sandbox: "), "{ran:?}");
}

#[test]
fn many_at_once_leave_a_whole_file() {
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
fn create_hands_the_token_over() {
    let worker = willing();
    let person = Person::at(&worker);
    let ran = person.run(&["create", "--ttl", "2h"]).ok();
    assert_eq!(worker.seen()[0].json(), json!({"ttl_seconds": 7200}));
    assert!(ran.out.contains("owner_token  token-of-sb-1\n"), "{ran:?}");
    assert_eq!(person.run(&["create", "--json"]).ok().json()["owner_token"], "token-of-sb-2");
}

#[test]
fn a_picture_is_named_after_its_host_and_never_written_over_another() {
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
                --reduced-motion --wait load --wait-selector main --wait-timeout 2s --delay 10 --timeout 30s \
                --max-bytes 1000";
    person.run(&line.split_whitespace().collect::<Vec<_>>()).ok();
    let expected = json!({
        "sandbox_id": "sb-1", "owner_token": "token-of-sb-1", "url": "https://example.com", "full_page": false,
        "viewport": {"width": 800, "height": 600, "device_scale_factor": 2.0, "mobile": false},
        "selector": "h1", "format": "webp", "quality": 50, "color_scheme": "dark", "reduced_motion": true,
        "wait": {"until": "load", "timeout_ms": 2000, "selector": "main", "delay_ms": 10},
        "timeout_ms": 30000, "max_bytes": 1000,
    });
    assert_eq!(worker.seen()[1].json(), expected);
}

#[test]
fn a_picture_of_another_kind_than_the_files_name_says_is_remarked() {
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
fn warnings_and_a_cut_are_told_on_standard_error() {
    let worker = Worker::start(|seen| {
        let mut told = screenshot_answer();
        told["warnings"] = json!(["wait_ended: the page \u{1b}[31m kept loading"]);
        told["truncated"] = json!(true);
        if seen.asks_for("/create") { sandbox("sb-1") } else { answer(200, &told) }
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
fn a_failed_request_is_told_with_code_sentence_details_and_id() {
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
fn an_answer_that_is_not_portholes_is_a_failure_with_its_status() {
    let worker = Worker::start(|_| Reply::Answer(502, Vec::new(), "Bad Gateway".to_owned()));
    let ran = Person::at(&worker).run(&["create"]).failed(1);
    assert!(ran.err.starts_with("INTERNAL: ") && ran.err.contains("HTTP 502"), "{ran:?}");
}

#[test]
fn wrong_usage_ends_with_2_before_anything_is_asked() {
    let worker = willing();
    let person = Person::at(&worker);
    for line in [
        "",
        "nonsense",
        "screenshot",
        "screenshot https://example.com --quality 101",
        "screenshot https://example.com --viewport 1280",
        "screenshot https://example.com --full-page --selector h1",
        "screenshot https://example.com --timeout 100ms",
        "screenshot https://example.com -o - --json",
        "screenshot https://example.com --url nonsense",
        "extract https://example.com --max-chars 0",
        "create --ttl 1s",
        "metrics --admin-url nonsense",
        "metrics --watch=0",
        "metrics --max-p95 soon",
        "metrics --max-error-rate 1",
        "metrics --max-error-rate 101%",
        "metrics --max-error-rate 1% --watch",
    ] {
        let ran = person.run(&line.split_whitespace().collect::<Vec<_>>()).failed(2);
        assert!(!ran.err.is_empty() && ran.out.is_empty(), "{line}: {ran:?}");
    }
    assert_eq!(worker.asked(), [""; 0]);
}

#[test]
fn a_wrong_setting_ends_with_64_and_names_variable_value_and_what_is_accepted() {
    let worker = willing();
    let person = Person::at(&worker);
    let run =
        |name: &str, value: &str| Ran::of(&person.command(&["create"]).env(name, value).output().unwrap()).failed(64);
    let url = run("PORTHOLE_URL", "ftp://x");
    assert!(url.err.contains("PORTHOLE_URL") && url.err.contains("ftp://x") && url.err.contains("accepted"), "{url:?}");
    let password = run("PORTHOLE_URL", "http://me:hidden@x");
    assert!(password.err.contains("PORTHOLE_URL") && !password.err.contains("hidden"), "{password:?}");
    let key = run("PORTHOLE_KEY", "hid den");
    assert!(key.err.contains("PORTHOLE_KEY") && !key.err.contains("hid"), "{key:?}");
    assert!(run("PORTHOLE_KEY_FILE", "/no/such/file").err.contains("/no/such/file"));
    assert!(run("PORTHOLE_LOG", "a=b=c").err.contains("PORTHOLE_LOG"));
    assert_eq!(worker.asked(), [""; 0]);
}

#[test]
fn the_client_key_is_sent_from_variable_or_file_and_shown_nowhere() {
    let worker = willing();
    let person = Person::at(&worker);
    std::fs::write(person.file("key"), "key-of-a-file\n").unwrap();
    let mut command = person.command(&["extract", "https://example.com"]);
    let by_file =
        Ran::of(&command.env("PORTHOLE_KEY_FILE", person.file("key")).env("PORTHOLE_LOG", "trace").output().unwrap())
            .ok();
    person.command(&["create"]).env("PORTHOLE_KEY", "key-of-a-variable").output().unwrap();
    let keys: Vec<_> = worker.seen().iter().map(|seen| seen.header("authorization").map(str::to_owned)).collect();
    let expected = ["Bearer key-of-a-file", "Bearer key-of-a-file", "Bearer key-of-a-variable"];
    assert_eq!(keys, expected.map(|key| Some(key.to_owned())));
    assert!(by_file.err.contains("porthole_client"), "a log was asked for: {by_file:?}");
    assert!(!by_file.err.contains("key-of") && !by_file.err.contains("token-of"), "{by_file:?}");
}

#[test]
fn a_debug_line_tells_of_each_operation() {
    let worker = willing();
    let person = Person::at(&worker);
    let mut command = person.command(&["screenshot", "https://example.com", "-o", "a.png"]);
    let ran = Ran::of(&command.env("PORTHOLE_LOG", "porthole_client=debug").output().unwrap());
    let messages: Vec<String> = ran
        .err
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["message"].as_str().unwrap().to_owned())
        .collect();
    let [create, screenshot] = messages.as_slice() else { panic!("{messages:?}") };
    assert!(create.starts_with("create ok ") && create.ends_with("ms retries=0"), "{create}");
    assert!(screenshot.starts_with("screenshot ok ") && screenshot.ends_with("ms retries=0"), "{screenshot}");
}

#[test]
fn proxies_are_for_workers_elsewhere() {
    let proxy = willing();
    let person = Person::at(&proxy);
    let dead = "http://127.0.0.1:9";
    let loopback =
        person.command(&["create"]).envs([("HTTP_PROXY", dead), ("http_proxy", dead), ("ALL_PROXY", dead)]).output();
    Ran::of(&loopback.unwrap()).ok();

    let mut command = person.command(&["create", "--url", "http://worker.invalid:8787"]);
    command.env("http_proxy", proxy.url()).env_remove("no_proxy").env_remove("NO_PROXY");
    Ran::of(&command.output().unwrap()).ok();
    assert_eq!(proxy.seen()[1].line, "POST http://worker.invalid:8787/api/sandbox/create");
}

#[test]
fn metrics_have_what_fails_and_what_is_slow_first_and_break_limits_with_1() {
    let operation = |count: u64, errors_by_code: Value, p95: u64| json!({"count": count, "ok": 1, "errors_by_code": errors_by_code, "latency_ms": {"p95": p95}});
    let metrics = json!({"operations": {
        "create": operation(10, json!({"UNAUTHORIZED": 9}), 3),
        "extract": operation(100, json!({"NAVIGATION_FAILED": 5, "OVERLOADED": 2}), 900),
        "screenshot": operation(50, json!({}), 1_200),
    }});
    let told = metrics.clone();
    let admin = Worker::start(move |_| answer(200, &told));
    let person = Person::at(&admin);
    let url = admin.url();
    let run = |limits: &str| {
        let line = format!("metrics --admin-url {url} {limits}");
        person.run(&line.split_whitespace().collect::<Vec<_>>())
    };

    let table = run("").ok().out;
    let at = |word: &str| table.find(word).unwrap_or_else(|| panic!("no {word}: {table}"));
    assert!(at("extract") < at("screenshot") && at("screenshot") < at("create"), "{table}");
    assert!(at("NAVIGATION_FAILED 5") < at("OVERLOADED 2") && table.contains(" 2%"), "{table}");

    run("--max-p95 1200ms --max-error-rate 2%").ok();
    let slow = run("--max-p95 1s --max-error-rate 2%").failed(1);
    assert_eq!(slow.err, "porthole: screenshot: p95 is 1200 ms, over 1000 ms\n");
    assert_eq!(slow.out.trim_end(), table.trim_end(), "the table is there all the same");
    let failing = run("--max-error-rate 1.5% --json").failed(1);
    assert_eq!(failing.err, "porthole: extract: 2% of requests were errors (2 of 100), over 1.5%\n");
    assert_eq!(failing.json(), metrics);
    let both = run("--max-p95 1s --max-error-rate 0%").failed(1);
    assert_eq!(both.err.lines().count(), 2, "{both:?}");
}

#[test]
fn limits_are_broken_where_nobody_can_tell() {
    let admin = Worker::start(|_| answer(200, &json!({"operations": "none"})));
    let person = Person::at(&admin);
    let ran = person.run(&["metrics", "--max-p95", "2s", "--admin-url", &admin.url()]).failed(1);
    assert!(ran.err.contains("no metrics"), "{ran:?}");
    person.run(&["metrics", "--max-p95", "2s", "--admin-url", "http://127.0.0.1:9"]).failed(1);
}

#[test]
fn metrics_are_a_table_or_json_and_watching_repeats_them() {
    let metrics = json!({"operations": {"screenshot": {"count": 2, "ok": 1, "errors_by_code": {"INTERNAL": 1}}},
        "uptime_s": 61, "novelty": 7});
    let told = metrics.clone();
    let admin = Worker::start(move |_| answer(200, &told));
    let person = Person::at(&admin);
    let url = admin.url();
    let table = person.run(&["metrics", "--admin-url", &url]).ok();
    assert!(table.out.contains("screenshot") && table.out.contains("INTERNAL 1"), "{table:?}");
    assert_eq!(table.err, "");
    assert_eq!(person.run(&["metrics", "--json", "--admin-url", &url]).ok().json(), metrics);
    assert_eq!(admin.seen()[0].line, "GET /api/metrics");
    assert_eq!(admin.seen()[0].header("authorization"), None);

    let mut watching = person
        .command(&["metrics", "--json", "--watch=1", "--admin-url", &url])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(watching.stdout.take().unwrap()));
    for line in lines.take(2) {
        assert_eq!(serde_json::from_str::<Value>(&line.unwrap()).unwrap(), metrics);
    }
    // The reader is gone, so the next write ends the watch, without a panic.
    assert_eq!(watching.wait().unwrap().code(), Some(0));
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
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
fn help_manual_and_completions_are_there() {
    let worker = willing();
    let person = Person::at(&worker);
    for command in ["up", "create", "screenshot", "extract", "metrics", "completions", "man"] {
        let help = person.run(&[command, "--help"]).ok();
        assert!(help.out.contains("Example"), "{command}: {help:?}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(person.run(&["completions", shell]).ok().out.contains("screenshot"));
    }
    assert!(person.run(&["man"]).ok().out.starts_with(".ie"));
    assert!(person.run(&["--version"]).ok().out.starts_with("porthole "));
}

#[test]
fn a_retry_is_told_in_a_pipe_too() {
    // One retry costs two real seconds: the command's clock is the real one.
    let mut asked = 0;
    let worker = Worker::start(move |seen| {
        asked += 1;
        if asked == 1 && seen.asks_for("/create") { failure(503, "OVERLOADED", true) } else { sandbox("sb-1") }
    });
    let ran = Person::at(&worker).run(&["create"]).ok();
    assert!(ran.err.starts_with("OVERLOADED: sentence of OVERLOADED (retry 1 of 4 in 2."), "{ran:?}");
}
