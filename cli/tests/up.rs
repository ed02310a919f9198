//! `porthole up` with two stand-ins: shell scripts that log their addresses as the real processes do, and an admin
//! listener of the test.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../client/tests/scripted/mod.rs"]
mod scripted;

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use scripted::{Reply, Worker, answer, failure};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Logs its addresses, records its environment and process id, and on SIGTERM records that and ends. It also ends when
/// its directory is removed, so that a failed test leaves no process behind.
const WELL_BEHAVED: &str = r#"
env > "$HOME/$name.env"
listening main "$main"
listening admin "$admin"
trap 'echo >> "$HOME/$name.ended"; exit 0' TERM
echo $$ >> "$HOME/$name.pids"
while [ -e "$HOME/porthole" ]; do sleep 1 & wait $!; done
"#;

/// A directory with `porthole`, its two stand-ins and a home.
struct Place {
    directory: TempDir,
    admin: Worker,
}

impl Place {
    /// Creates stand-ins that behave well, and an admin listener that reports the worker ready.
    fn new() -> Self {
        Self::with_admin(Worker::start(|_| answer(200, &json!({"ok": true}))))
    }

    fn with_admin(admin: Worker) -> Self {
        let place = Self { directory: tempfile::tempdir().unwrap(), admin };
        let porthole = place.path("porthole");
        if fs::hard_link(env!("CARGO_BIN_EXE_porthole"), &porthole).is_err() {
            fs::copy(env!("CARGO_BIN_EXE_porthole"), &porthole).unwrap();
        }
        place.script("porthole-service", WELL_BEHAVED);
        place.script("porthole-worker", WELL_BEHAVED);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn script(&self, name: &str, body: &str) {
        let admin = self.admin.address();
        let prelude = format!(
            r#"#!/bin/sh
name={name} main={admin} admin={admin}
listening() {{ echo '{{"level":"INFO","message":"listening","listener":"'$1'","addr":"'$2'"}}' >&2; }}
"#
        );
        fs::write(self.path(name), prelude + body).unwrap();
        fs::set_permissions(self.path(name), Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.path("porthole"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PORTHOLE_")) {
            command.env_remove(name);
        }
        command
            .arg("up")
            .args(args)
            .env("HOME", self.directory.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        for listener in ["WORKER", "WORKER_ADMIN", "SERVICE", "SERVICE_ADMIN"] {
            command.env(format!("PORTHOLE_{listener}_ADDR"), "127.0.0.1:0");
        }
        command
    }

    /// Starts `up` and waits until it prints the addresses.
    async fn up(&self) -> Up {
        let mut child = self.command(&["--json"]).spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        timeout(PATIENCE, out.read_line(&mut line)).await.unwrap().unwrap();
        Up { child, ready: serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")) }
    }

    /// Runs the command until it ends; returns exit code and standard error.
    async fn fails(&self, command: &mut Command) -> (Option<i32>, String) {
        let output = timeout(PATIENCE, command.output()).await.unwrap().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn lines(&self, name: &str) -> Vec<String> {
        fs::read_to_string(self.path(name)).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn environment(&self, name: &str, variable: &str) -> Option<String> {
        let prefix = format!("{variable}=");
        self.lines(&format!("{name}.env")).iter().find_map(|line| line.strip_prefix(&prefix).map(str::to_owned))
    }

    fn process_ids(&self, name: &str) -> Vec<Pid> {
        self.lines(&format!("{name}.pids")).iter().map(|id| Pid::from_raw(id.parse().unwrap())).collect()
    }
}

/// A running `up`.
struct Up {
    child: Child,
    ready: Value,
}

impl Up {
    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().unwrap().try_into().unwrap()), signal).unwrap();
    }

    /// Waits until it ends; returns exit status and standard error.
    async fn ended(mut self) -> (ExitStatus, String) {
        let status = timeout(PATIENCE, self.child.wait()).await.unwrap().unwrap();
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).await.unwrap();
        (status, err)
    }
}

async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let held = timeout(PATIENCE, async {
        while !condition() {
            sleep(POLL_INTERVAL).await;
        }
    });
    assert!(held.await.is_ok(), "timed out waiting until {what}");
}

fn lives(id: Pid) -> bool {
    // A zombie counts as dead.
    fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[tokio::test]
async fn up_starts_both_with_generated_keys_and_ends_both() {
    let place = Place::new();
    let up = place.up().await;
    let admin = place.admin.url();
    assert_eq!((&up.ready["worker"], &up.ready["service"]), (&json!(admin), &json!(admin)));

    let owner_keys = place.environment("porthole-service", "PORTHOLE_OWNER_KEYS").unwrap();
    assert!(owner_keys.starts_with("up-"), "{owner_keys}");
    assert_eq!(place.environment("porthole-worker", "PORTHOLE_OWNER_KEYS"), None);
    let service_key = place.environment("porthole-service", "PORTHOLE_SERVICE_KEY");
    assert!(service_key.as_ref().is_some_and(|key| key.len() >= 32));
    assert_eq!(place.environment("porthole-worker", "PORTHOLE_SERVICE_KEY"), service_key);
    assert_eq!(place.environment("porthole-worker", "PORTHOLE_SERVICE_URL"), Some(admin));
    let keys = place.path("config/porthole/keys.json");
    assert_eq!(keys.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    up.signal(Signal::SIGTERM);
    let (status, err) = up.ended().await;
    assert_eq!((status.code(), err.as_str()), (Some(0), ""));
    assert_eq!((place.lines("porthole-service.ended").len(), place.lines("porthole-worker.ended").len()), (1, 1));

    let again = place.up().await;
    assert_eq!(place.environment("porthole-service", "PORTHOLE_OWNER_KEYS"), Some(owner_keys));
    again.signal(Signal::SIGINT);
    assert_eq!(again.ended().await.0.code(), Some(0));
}

#[tokio::test]
async fn settings_of_the_environment_are_passed_on_and_flags_win() {
    let place = Place::new();
    let mut command = place.command(&["--allow-targets", "localhost:3000"]);
    command
        .env("PORTHOLE_OWNER_KEYS", "mine:key")
        .env("PORTHOLE_ALLOW_TARGETS", "other")
        .env("PORTHOLE_MAX_QUEUE", "3")
        .env("PORTHOLE_CLIENT_KEYS", "client-keys")
        .env("PORTHOLE_KEY", "client-key")
        .env("PORTHOLE_SERVICE_URL", "http://elsewhere");
    let mut child = command.spawn().unwrap();
    let mut printed = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    while !printed.contains("Ctrl-C ends both.") {
        assert!(timeout(PATIENCE, out.read_line(&mut printed)).await.unwrap().unwrap() > 0, "{printed}");
    }
    assert!(printed.contains(r#"-H "authorization: Bearer $PORTHOLE_KEY""#), "{printed}");
    assert!(!printed.contains("client-key\"") && !printed.contains("client-keys"), "{printed}");
    let service = |variable: &str| place.environment("porthole-service", variable);
    assert_eq!(service("PORTHOLE_OWNER_KEYS").as_deref(), Some("mine:key"));
    assert_eq!(service("PORTHOLE_ALLOW_TARGETS").as_deref(), Some("localhost:3000"));
    assert_eq!(service("PORTHOLE_MAX_QUEUE").as_deref(), Some("3"));
    assert_eq!((service("PORTHOLE_KEY"), service("PORTHOLE_CLIENT_KEYS")), (None, None));
    let worker = |variable: &str| place.environment("porthole-worker", variable);
    assert_eq!(worker("PORTHOLE_CLIENT_KEYS").as_deref(), Some("client-keys"));
    assert_eq!(worker("PORTHOLE_SERVICE_URL"), Some(place.admin.url()));
    let up = Up { child, ready: Value::Null };
    up.signal(Signal::SIGTERM);
    assert_eq!(up.ended().await.0.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn neither_outlives_up_even_when_up_is_killed() {
    let place = Place::new();
    let up = place.up().await;
    let ids = [place.process_ids("porthole-service"), place.process_ids("porthole-worker")].concat();
    assert!(ids.len() == 2 && ids.iter().all(|id| lives(*id)));
    up.signal(Signal::SIGKILL);
    assert_eq!(up.ended().await.0.code(), None);
    eventually("both end", || ids.iter().all(|id| !lives(*id))).await;
    assert_eq!(place.lines("porthole-service.ended").len(), 1, "it received SIGTERM and ended in order");
}

#[tokio::test]
async fn a_process_that_dies_is_restarted_at_its_address() {
    let place = Place::new();
    let up = place.up().await;
    kill(place.process_ids("porthole-service")[0], Signal::SIGKILL).unwrap();
    eventually("the service runs again", || place.process_ids("porthole-service").len() == 2).await;
    let address = place.environment("porthole-service", "PORTHOLE_SERVICE_ADDR");
    assert_eq!(address, Some(place.admin.address().to_string()));
    assert_eq!(place.process_ids("porthole-worker").len(), 1);
    up.signal(Signal::SIGTERM);
    let (status, err) = up.ended().await;
    assert_eq!(status.code(), Some(0));
    assert!(err.starts_with("porthole-service ended (signal: 9 (SIGKILL)); it is started again in 0.25 s"), "{err}");
}

#[tokio::test]
async fn up_gives_up_on_a_crash_loop_and_ends_the_other_process() {
    let place = Place::new();
    // Ready at first; exits at every start once the test has created `broken`.
    place.script(
        "porthole-worker",
        r#"
[ -e "$HOME/broken" ] && { echo "no more" >&2; exit 3; }
listening main "$main"
listening admin "$admin"
echo $$ >> "$HOME/$name.pids"
while [ -e "$HOME/porthole" ]; do sleep 1 & wait $!; done
"#,
    );
    let up = place.up().await;
    fs::write(place.path("broken"), "").unwrap();
    kill(place.process_ids("porthole-worker")[0], Signal::SIGKILL).unwrap();
    let (status, err) = up.ended().await;
    assert_eq!(status.code(), Some(1), "{err}");
    assert!(err.contains("porthole-worker died 5 times within 60 s, last with exit status: 3"), "{err}");
    assert_eq!(err.matches("porthole-worker: no more").count(), 4, "{err}");
    assert_eq!(place.lines("porthole-service.ended").len(), 1);
}

#[tokio::test]
async fn a_process_that_dies_at_its_start_is_reported_with_its_last_lines() {
    let place = Place::new();
    place.script("porthole-service", r#"echo '{"level":"INFO","message":"looking for a browser"}' >&2; exit 1"#);
    let (code, err) = place.fails(&mut place.command(&[])).await;
    assert_eq!(code, Some(1), "{err}");
    assert!(
        err.contains("porthole-service ended before it was ready: exit status: 1\n  INFO  looking for a browser"),
        "{err}"
    );
}

#[tokio::test]
async fn up_exits_with_the_code_of_a_refused_setting() {
    let place = Place::new();
    place.script("porthole-worker", "echo 'PORTHOLE_RATE_LIMIT is \"x\": must be a number' >&2; exit 64");
    let (code, err) = place.fails(&mut place.command(&[])).await;
    assert_eq!(code, Some(64), "{err}");
    assert_eq!(err.matches("PORTHOLE_RATE_LIMIT is \"x\": must be a number").count(), 1, "{err}");
    assert_eq!(place.lines("porthole-service.ended").len(), 1);
}

#[tokio::test]
async fn up_waits_until_the_worker_reports_ready() {
    let mut asked = 0;
    let place = Place::with_admin(Worker::start(move |_| {
        asked += 1;
        if asked < 4 { failure(503, "SERVICE_UNAVAILABLE", true) } else { answer(200, &json!({"ok": true})) }
    }));
    let up = place.up().await;
    assert_eq!(place.admin.asked(), ["readyz"; 4]);
    up.signal(Signal::SIGTERM);
    up.ended().await;
}

#[tokio::test]
async fn up_ends_on_a_signal_while_it_waits_for_readiness() {
    let place = Place::with_admin(Worker::start(|_| failure(503, "SERVICE_UNAVAILABLE", true)));
    let mut child = place.command(&[]).spawn().unwrap();
    eventually("`up` polls readiness", || !place.admin.asked().is_empty()).await;
    let up = Up {
        ready: Value::Null,
        child: {
            child.stdout.take();
            child
        },
    };
    up.signal(Signal::SIGTERM);
    assert_eq!(up.ended().await.0.code(), Some(0));
    assert_eq!(place.lines("porthole-worker.ended").len(), 1);
}

#[tokio::test]
async fn a_port_in_use_and_a_missing_executable_are_reported_before_anything_starts() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (code, err) = place.fails(place.command(&[]).env("PORTHOLE_WORKER_ADDR", &address)).await;
    assert_eq!(code, Some(1));
    assert!(err.contains(&address) && err.contains("another `porthole up`"), "{err}");

    fs::remove_file(place.path("porthole-worker")).unwrap();
    let (code, err) = place.fails(place.command(&[]).env("PATH", "/nowhere")).await;
    assert_eq!(code, Some(1));
    assert!(err.contains("porthole-worker is neither beside this program"), "{err}");
    assert!(!place.path("porthole-service.env").exists());
}

#[tokio::test]
async fn warnings_and_panics_are_shown_and_the_rest_with_verbose() {
    let place = Place::new();
    place.script(
        "porthole-service",
        r#"
echo '{"level":"WARN","message":"target allowed","entry":"a"}' >&2
echo '{"level":"INFO","message":"quiet"}' >&2
echo 'not a log line' >&2
exit 1
"#,
    );
    for (args, expected) in [(&[][..], 0), (&["--verbose"][..], 1)] {
        let (_, err) = place.fails(&mut place.command(args)).await;
        assert!(err.contains("porthole-service: WARN  target allowed entry=a\n"), "{err}");
        assert!(err.contains("porthole-service: not a log line\n"), "{err}");
        assert_eq!(err.matches("porthole-service: INFO  quiet\n").count(), expected, "{err}");
    }
}

/// Runs the commands that `up` prints in a shell, unchanged.
#[tokio::test]
async fn the_curl_lines_work_by_copy_and_paste() {
    let place = Place::with_admin(Worker::start(|seen| {
        if seen.asks_for("/readyz") {
            answer(200, &json!({"ok": true}))
        } else if seen.asks_for("/create") {
            let body = r#"{"ok":true,"sandbox_id":"sb-1","owner_token":"a.b_c-d","expires_at":"2999-01-01T00:00:00Z"}"#;
            Reply::Answer(200, Vec::new(), body.to_owned())
        } else {
            Reply::Answer(200, Vec::new(), "the answer".to_owned())
        }
    }));
    let mut child = place.command(&[]).spawn().unwrap();
    let mut printed = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    while !printed.contains("Ctrl-C ends both.") {
        assert!(timeout(PATIENCE, out.read_line(&mut printed)).await.unwrap().unwrap() > 0, "{printed}");
    }
    let script: String = printed.split("curl alone:\n").nth(1).unwrap().replace("Ctrl-C ends both.", "");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(&script).current_dir(place.directory.path()).kill_on_drop(true);
    let output = timeout(PATIENCE, shell.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));

    assert_eq!(String::from_utf8_lossy(&output.stdout), "the answer", "the text is printed");
    assert_eq!(fs::read_to_string(place.path("page.png")).unwrap(), "the answer", "the picture is a file");
    let seen: Vec<_> = place.admin.seen().into_iter().filter(|seen| seen.line.starts_with("POST")).collect();
    let body = json!({"sandbox_id": "sb-1", "owner_token": "a.b_c-d", "url": "https://example.com"});
    assert_eq!((seen[1].line.as_str(), seen[1].json()), ("POST /api/sandbox/browser-screenshot", body.clone()));
    assert_eq!((seen[3].line.as_str(), seen[3].json()), ("POST /api/sandbox/browser-extract", body));
    let up = Up { child, ready: Value::Null };
    up.signal(Signal::SIGTERM);
    assert_eq!(up.ended().await.0.code(), Some(0));
}
