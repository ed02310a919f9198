//! A process of Porthole as a child of the test: started with a bare environment, its output collected, always ended.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use serde_json::Value;

use crate::eventually::{eventually, so};
use crate::executable::binary;
use crate::family::{self, Relative};

/// The time limit for a process to bind its listeners; the service starts a browser meanwhile.
const LISTENING_WITHIN: Duration = Duration::from_secs(40);
/// The time limit for a process to end on SIGTERM before it is killed.
const ENDING_WITHIN: Duration = Duration::from_secs(8);
/// The time limit for its descendants after that.
const FAMILY_ENDING_WITHIN: Duration = Duration::from_secs(4);

/// Number of a process's last log lines that a failed test shows.
const LINES_SHOWN: usize = 60;

/// A process's settings: its whole environment.
pub type Environment = BTreeMap<String, String>;

/// A child of this test in its own process group. Dropping it ends it and all its descendants.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    stdout: Lines,
    stderr: Lines,
    family: Mutex<Vec<Relative>>,
    watchdog: Child,
}

type Lines = Arc<Mutex<Output>>;

/// The output collected from a stream so far.
#[derive(Debug, Default)]
struct Output {
    lines: Vec<String>,
    /// Whether the stream has ended: no process holds its other end open.
    ended: bool,
}

impl Process {
    /// Starts one of the workspace's executables with exactly this environment.
    ///
    /// # Panics
    /// When it can't be started.
    #[must_use]
    pub fn spawn(name: &str, arguments: &[&str], environment: &Environment) -> Self {
        Self::spawn_program(&binary(name), arguments, environment)
    }

    /// Starts a program from outside the workspace in the same way.
    ///
    /// # Panics
    /// When it can't be started.
    #[must_use]
    pub fn spawn_program(program: &Path, arguments: &[&str], environment: &Environment) -> Self {
        let name = program.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(environment)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        let stdout = collect(child.stdout.take().expect("standard output is piped"));
        let stderr = collect(child.stderr.take().expect("standard error is piped"));
        let watchdog = watchdog(child.id(), environment.get("TMPDIR").map_or("", String::as_str));
        Self { name, child, stdout, stderr, family: Mutex::default(), watchdog }
    }

    /// Returns its process id.
    ///
    /// # Panics
    /// Never: process ids fit.
    #[must_use]
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("a process id fits into an i32")
    }

    /// Returns the lines it has written to standard output.
    #[must_use]
    pub fn stdout(&self) -> Vec<String> {
        snapshot(&self.stdout)
    }

    /// Returns the lines it has written to standard error: its log.
    #[must_use]
    pub fn stderr(&self) -> Vec<String> {
        snapshot(&self.stderr)
    }

    /// Returns its current descendants, and remembers them for the check at its end.
    #[must_use]
    pub fn family(&self) -> Vec<Relative> {
        let now = family::descendants_of(self.pid());
        let mut seen = self.family.lock().unwrap_or_else(PoisonError::into_inner);
        for relative in &now {
            if !seen.contains(relative) {
                seen.push(relative.clone());
            }
        }
        now
    }

    /// Waits until its log reports the address of the listener `main` or `admin`.
    ///
    /// # Panics
    /// When the process ends, or does not log the address in time.
    pub async fn listening(&mut self, listener: &str) -> SocketAddr {
        let name = self.name.clone();
        let stderr = Arc::clone(&self.stderr);
        eventually(LISTENING_WITHIN, async || {
            let lines = snapshot(&stderr);
            if let Some(addr) = lines.iter().find_map(|line| bound(line, listener)) {
                return Ok(addr);
            }
            let ended = self.child.try_wait().expect("a child can be waited for");
            assert!(ended.is_none(), "{name} ended with {ended:?} before it listened:\n{}", lines.join("\n"));
            Err(format!("{name} did not log the address of its {listener} listener:\n{}", lines.join("\n")))
        })
        .await
    }

    /// Sends it a signal.
    ///
    /// # Panics
    /// When it has ended already.
    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid()), signal).unwrap_or_else(|error| panic!("{signal} to {}: {error}", self.name));
    }

    /// Sends a signal to its whole process group, as a terminal's Ctrl-C does.
    ///
    /// # Panics
    /// When it has ended already.
    pub fn signal_group(&self, signal: Signal) {
        killpg(Pid::from_raw(self.pid()), signal).unwrap_or_else(|error| panic!("{signal} to {}: {error}", self.name));
    }

    /// Waits until it has ended and all its output is collected; returns its exit status.
    ///
    /// # Panics
    /// When it is still running after `within`, or another process holds its output open.
    pub async fn ended(&mut self, within: Duration) -> ExitStatus {
        let name = self.name.clone();
        let streams = [Arc::clone(&self.stdout), Arc::clone(&self.stderr)];
        eventually(within, async || {
            let log = || snapshot(&streams[1]).join("\n");
            let status = self.child.try_wait().expect("a child can be waited for");
            let status = status.ok_or_else(|| format!("{name} is still running:\n{}", log()))?;
            let complete = streams.iter().all(|stream| stream.lock().unwrap_or_else(PoisonError::into_inner).ended);
            so(complete, format!("{name} has ended but a process holds its output open:\n{}", log()))?;
            Ok(status)
        })
        .await
    }

    /// Prints its last log lines, to explain a failed test.
    pub fn show_last_lines(&self) {
        let lines = self.stderr();
        let last = lines.len().saturating_sub(LINES_SHOWN);
        eprintln!("--- the last lines of {}:\n{}", self.name, lines[last..].join("\n"));
    }

    fn ends_within(&mut self, limit: Duration) -> bool {
        let started = Instant::now();
        while started.elapsed() < limit {
            if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                return true;
            }
            pause();
        }
        false
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.show_last_lines();
        }
        let running = matches!(self.child.try_wait(), Ok(None));
        if running {
            let _ = self.family();
            self.signal(Signal::SIGTERM);
            if !self.ends_within(ENDING_WITHIN) {
                eprintln!("{} did not end within {ENDING_WITHIN:?} of SIGTERM and was killed", self.name);
                let _ = self.family();
                let _ = killpg(Pid::from_raw(self.pid()), Signal::SIGKILL);
                let _ = self.child.wait();
            }
        }
        let seen = std::mem::take(&mut *self.family.lock().unwrap_or_else(PoisonError::into_inner));
        let mut groups: BTreeSet<i32> = seen.iter().filter(|one| one.group == one.pid).map(|one| one.group).collect();
        groups.insert(self.pid());
        let left = || {
            let mut left: Vec<Relative> = seen.iter().filter(|one| one.is_alive()).cloned().collect();
            left.extend(family::members_of(&groups));
            left
        };
        let started = Instant::now();
        while !left().is_empty() && started.elapsed() < FAMILY_ENDING_WITHIN {
            pause();
        }
        let left = left();
        left.iter().for_each(Relative::kill);
        let _ = self.watchdog.stdin.as_mut().map(|stdin| stdin.write_all(b"done\n"));
        let _ = self.watchdog.wait();
        assert!(left.is_empty() || std::thread::panicking(), "{} left processes behind: {left:#?}", self.name);
    }
}

#[expect(clippy::disallowed_methods, reason = "a drop can't await")]
fn pause() {
    std::thread::sleep(Duration::from_millis(20));
}

/// Starts a shell that ends the group if the test process exits without dropping it, as after Ctrl-C: the shell's
/// standard input closes then. It runs in its own group, so that the same Ctrl-C does not end it first. It also removes
/// the temp folder, if that belongs to a [`crate::stack::Home`].
fn watchdog(group: u32, folder: &str) -> Child {
    const SCRIPT: &str = r#"read -r word; [ "$word" = done ] && exit 0
kill -s TERM -- "-$1"; sleep 3; kill -s KILL -- "-$1"
case "$2" in */porthole-tests-*/tmp) rm -rf -- "${2%/tmp}";; esac"#;
    Command::new("/bin/sh")
        .args(["-c", SCRIPT, "watchdog", &group.to_string(), folder])
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell exists")
}

fn collect(stream: impl Read + Send + 'static) -> Lines {
    let lines = Lines::default();
    let collected = Arc::clone(&lines);
    std::thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(read) if read > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            collected.lock().unwrap_or_else(PoisonError::into_inner).lines.push(text);
            line.clear();
        }
        collected.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
    });
    lines
}

fn snapshot(lines: &Lines) -> Vec<String> {
    lines.lock().unwrap_or_else(PoisonError::into_inner).lines.clone()
}

fn bound(line: &str, listener: &str) -> Option<SocketAddr> {
    let event: Value = serde_json::from_str(line).ok()?;
    (event["message"] == "listening" && event["listener"] == listener).then(|| event["addr"].as_str()?.parse().ok())?
}

/// The memory that a process has.
///
/// # Panics
/// When it does not run.
#[must_use]
pub fn resident_bytes(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
    let kib =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.expect("its memory is told") * 1024
}
