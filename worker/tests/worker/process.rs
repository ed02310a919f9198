//! The real process: its command line, its log and its exit.

use std::net::SocketAddr;
use std::process::{Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};

use crate::harness::{SCREENSHOT, SOON, Service, fetch};

fn command(environment: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_porthole-worker"));
    command.env_clear().envs(environment.iter().copied()).kill_on_drop(true).stdin(Stdio::null());
    command
}

async fn output(environment: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = tokio::time::timeout(SOON, command(environment).args(arguments).output())
        .await
        .expect("the process does not exit")
        .unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

struct Process {
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
    output: String,
}

impl Process {
    fn start(environment: &[(&str, &str)]) -> Self {
        let anywhere = [("PORTHOLE_WORKER_ADDR", "127.0.0.1:0"), ("PORTHOLE_WORKER_ADMIN_ADDR", "127.0.0.1:0")];
        let mut child = command(&anywhere).envs(environment.iter().copied()).stderr(Stdio::piped()).spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, log, output: String::new() }
    }

    /// Reads the log until an event matches.
    async fn line(&mut self, matches: impl Fn(&Value) -> bool) -> Value {
        let reading = async {
            while let Some(line) = self.log.next_line().await.unwrap() {
                self.output += &line;
                let event: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if matches(&event) {
                    return event;
                }
            }
            panic!("the log ended: {}", self.output);
        };
        tokio::time::timeout(SOON, reading).await.expect("no such log line")
    }

    async fn listening(&mut self, listener: &str) -> SocketAddr {
        let line = self.line(|event| event["message"] == "listening" && event["listener"] == listener).await;
        line["addr"].as_str().unwrap().parse().unwrap()
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().unwrap().try_into().unwrap()), signal).unwrap();
    }

    async fn ended(&mut self) -> Option<i32> {
        tokio::time::timeout(SOON, self.child.wait()).await.expect("the process does not exit").unwrap().code()
    }
}

#[tokio::test]
async fn invalid_settings_end_the_process_with_64_and_a_message() {
    for (environment, arguments, words) in [
        (vec![("PORTHOLE_WORKER_ADDR", "nowhere")], vec![], vec!["PORTHOLE_WORKER_ADDR", "nowhere", "IP address"]),
        (vec![], vec!["--rate-limit", "0"], vec!["PORTHOLE_RATE_LIMIT", "\"0\"", "from 1"]),
        (vec![("PORTHOLE_WORKER_ADDR", "0.0.0.0:0")], vec![], vec!["0.0.0.0:0", "PORTHOLE_CLIENT_KEYS"]),
        (vec![("PORTHOLE_CLIENT_KEYS", "hidden")], vec![], vec!["PORTHOLE_CLIENT_KEYS", "32 bytes"]),
        (vec![("PORTHOLE_LOG", "loudly=please")], vec![], vec!["PORTHOLE_LOG", "loudly=please"]),
        (vec![], vec!["--client-keys", "hidden"], vec!["--client-keys"]),
    ] {
        let (code, stdout, stderr) = output(&environment, &arguments).await;
        assert_eq!((code, stdout.as_str()), (Some(64), ""), "{stderr}");
        for word in words {
            assert!(stderr.contains(word), "{word} is missing in {stderr}");
        }
        assert!(!stderr.contains("hidden"), "{stderr}");
    }
}

#[tokio::test]
async fn help_and_version_succeed_and_show_no_secret() {
    let (code, help, _) = output(&[("PORTHOLE_SERVICE_KEY", "hidden")], &["--help"]).await;
    assert_eq!(code, Some(0));
    for shown in ["--worker-addr", "PORTHOLE_WORKER_ADDR", "--service-url", "--rate-limit", "--log"] {
        assert!(help.contains(shown), "{shown} is missing in {help}");
    }
    assert!(!help.contains("KEY") && !help.contains("hidden"), "{help}");
    assert_eq!(output(&[], &["--version"]).await.0, Some(0));
}

#[tokio::test]
async fn an_address_in_use_is_named_in_the_error() {
    let taken = crate::harness::bound().await;
    let addr = taken.addr().to_string();
    let (code, _, stderr) = output(&[("PORTHOLE_WORKER_ADDR", &addr)], &[]).await;
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains(&addr), "{stderr}");
}

#[tokio::test]
async fn the_log_has_one_line_per_request_and_no_secret_or_body() {
    let service = Service::answering(r#"{"secret-answer":1}"#).await;
    let url = format!("http://{}", service.addr);
    let mut process = Process::start(&[
        ("PORTHOLE_SERVICE_URL", &url),
        ("PORTHOLE_SERVICE_KEY", "secret-service-key-long-enough-really"),
        ("PORTHOLE_CLIENT_KEYS", "secret-client-key-that-is-long-enough"),
        ("BROWSERBASE_API_KEY", "secret-browserbase-key"),
        ("BROWSERBASE_PROJECT_ID", "secret-browserbase-project"),
        ("PORTHOLE_LOG", "trace"),
        ("PORTHOLE_RATELIMIT", "secret-slip-of-the-pen"),
    ]);
    let main = process.listening("main").await;
    let client = reqwest::Client::builder().no_proxy().timeout(SOON).build().unwrap();
    let post = |key: &str, id: &str| {
        client
            .post(format!("http://{main}{SCREENSHOT}?secret-query"))
            .bearer_auth(key)
            .header("x-request-id", id)
            .header("content-type", "application/json")
            .body(r#"{"owner_token":"secret-token","url":"https://secret.example"}"#)
    };
    let answer = fetch(post("secret-client-key-that-is-long-enough", "r-1")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(fetch(post("secret-wrong-key", "r-2")).await.status, 401);

    let line = process.line(|event| event["message"] == "answered" && event["request_id"] == "r-1").await;
    assert_eq!(
        (&line["method"], &line["route"], &line["status"], &line["code"]),
        (&"POST".into(), &SCREENSHOT.into(), &200.into(), &"OK".into())
    );
    assert!(line["latency_ms"].is_u64() && line["bytes_out"] == 19, "{line}");
    let line = process.line(|event| event["message"] == "answered" && event["request_id"] == "r-2").await;
    assert_eq!((&line["status"], &line["code"]), (&401.into(), &"UNAUTHORIZED".into()));
    drop(service);
    assert_eq!(fetch(post("secret-client-key-that-is-long-enough", "r-3")).await.status, 502);
    process.line(|event| event["request_id"] == "r-3").await;

    process.signal(Signal::SIGTERM);
    assert_eq!(process.ended().await, Some(0));
    while let Some(line) = process.log.next_line().await.unwrap() {
        process.output += &line;
    }
    assert!(process.output.contains("PORTHOLE_RATELIMIT"), "{}", process.output);
    assert!(!process.output.contains("secret"), "{}", process.output);
}

#[tokio::test]
async fn a_second_signal_answers_hanging_requests_and_ends_the_process() {
    let service = Service::start(axum::Router::new().fallback(std::future::pending::<()>)).await;
    let url = format!("http://{}", service.addr);
    let mut process = Process::start(&[("PORTHOLE_SERVICE_URL", &url)]);
    let main = process.listening("main").await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let endless =
        client.post(format!("http://{main}{SCREENSHOT}")).header("content-type", "application/json").body("{}");
    let caller = tokio::spawn(endless.send());
    crate::harness::eventually("the request is in flight", async || !service.seen().is_empty()).await;
    process.signal(Signal::SIGINT);
    process.line(|event| event["signal"] == "SIGINT").await;
    assert!(process.child.try_wait().unwrap().is_none(), "the process must wait for the request");
    process.signal(Signal::SIGTERM);
    let answer = caller.await.unwrap().unwrap();
    assert_eq!(answer.status(), 503);
    assert_eq!(answer.json::<serde_json::Value>().await.unwrap()["error"], "SHUTTING_DOWN");
    assert_eq!(process.ended().await, Some(0));
}
