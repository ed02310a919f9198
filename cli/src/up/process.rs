//! One of the two processes: starts it, reads its log, ends it. `supervise` decides when to restart it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStderr};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::log_lines::{LogLine, Tail};
use super::tied;
use crate::failure::EXIT_SETTING;
use crate::output::printable;
use crate::progress::Progress;

/// How long a process may take to finish its work after SIGTERM.
const END_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait for the last lines of a dead process: one of its children may hold the pipe open.
const LAST_LINES_TIMEOUT: Duration = Duration::from_secs(1);

/// How a process is started.
pub(super) struct Launch {
    /// Its name in messages.
    pub(super) name: &'static str,
    pub(super) program: PathBuf,
    /// Variables added to our own environment.
    pub(super) settings: BTreeMap<&'static str, OsString>,
    /// Secrets added to our own environment.
    pub(super) secrets: BTreeMap<&'static str, SecretString>,
    /// Variables removed from our environment.
    pub(super) withheld: Vec<&'static str>,
    /// Whether every log line is shown.
    pub(super) verbose: bool,
}

/// A process, running or not.
pub(super) struct Process {
    pub(super) launch: Launch,
    running: Option<Running>,
    /// The addresses that it logged, by listener: `main` or `admin`.
    listeners: watch::Sender<BTreeMap<String, SocketAddr>>,
    progress: Progress,
}

struct Running {
    child: Child,
    tail: Arc<Mutex<Tail>>,
    reader: Option<JoinHandle<()>>,
}

/// Receives the addresses on which a process listens.
pub(super) struct Listening(watch::Receiver<BTreeMap<String, SocketAddr>>);

impl Listening {
    /// Waits until the process logs the address of that listener.
    pub(super) async fn address(&mut self, listener: &str) -> SocketAddr {
        loop {
            if let Some(address) = self.0.borrow_and_update().get(listener) {
                return *address;
            }
            if self.0.changed().await.is_err() {
                // The `Process` was dropped, so this future is about to be dropped too.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// How a process ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// Its last log lines that were not shown.
    pub(super) unseen: Vec<String>,
}

impl Ended {
    /// Returns whether it refused its settings.
    pub(super) fn refused_settings(&self) -> bool {
        self.status.code() == Some(i32::from(EXIT_SETTING))
    }
}

impl Process {
    pub(super) fn new(launch: Launch, progress: Progress) -> Self {
        Self { launch, running: None, listeners: watch::Sender::default(), progress }
    }

    /// Starts the process in its own process group: Ctrl-C reaches only `up`, which then ends both in order.
    pub(super) fn start(&mut self) -> io::Result<()> {
        let mut command = tied::command(self.launch.program.as_os_str());
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        for name in &self.launch.withheld {
            command.env_remove(name);
        }
        command.envs(&self.launch.settings);
        command.envs(self.launch.secrets.iter().map(|(name, secret)| (name, secret.expose_secret())));

        let mut child = tokio::process::Command::from(command).kill_on_drop(true).spawn()?;
        let tail = Arc::new(Mutex::new(Tail::default()));
        let reader = child.stderr.take().map(|stderr| tokio::spawn(self.read_log(stderr, Arc::clone(&tail))));
        self.running = Some(Running { child, tail, reader });
        Ok(())
    }

    fn read_log(&self, stderr: ChildStderr, tail: Arc<Mutex<Tail>>) -> impl Future<Output = ()> + use<> {
        let (name, verbose) = (self.launch.name, self.launch.verbose);
        let (listeners, progress) = (self.listeners.clone(), self.progress.clone());
        async move {
            let mut lines = BufReader::new(stderr).split(b'\n');
            while let Ok(Some(line)) = lines.next_segment().await {
                let line = LogLine::read(&String::from_utf8_lossy(&line));
                let shown = verbose || line.matters;
                tail.lock().unwrap_or_else(PoisonError::into_inner).push(&line.text, shown);
                if shown {
                    progress.note(&printable(&format!("{name}: {}", line.text)));
                }
                if let Some((listener, address)) = line.listening {
                    listeners.send_modify(|known| {
                        known.insert(listener, address);
                    });
                }
            }
        }
    }

    /// Subscribes to its listeners' addresses, so that a caller can wait for them and for the process's end at once.
    pub(super) fn listeners(&self) -> Listening {
        Listening(self.listeners.subscribe())
    }

    /// Returns the address of that listener, if the process has logged it.
    pub(super) fn address(&self, listener: &str) -> Option<SocketAddr> {
        self.listeners.borrow().get(listener).copied()
    }

    /// Waits until the process ends. Cancel-safe.
    pub(super) async fn ended(&mut self) -> io::Result<Ended> {
        let Some(running) = &mut self.running else {
            return std::future::pending().await;
        };
        let status = running.child.wait().await?;
        if let Some(reader) = &mut running.reader {
            let _ = timeout(LAST_LINES_TIMEOUT, reader).await;
            running.reader = None;
        }
        let unseen = running.tail.lock().unwrap_or_else(PoisonError::into_inner).unseen().map(str::to_owned).collect();
        self.running = None;
        Ok(Ended { status, unseen })
    }

    /// Returns the last log lines of a running process that were not shown.
    pub(super) fn unseen(&self) -> Vec<String> {
        self.running
            .iter()
            .flat_map(|running| {
                let tail = running.tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.unseen().map(str::to_owned).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Ends the process: SIGTERM, then SIGKILL after [`END_TIMEOUT`].
    pub(super) async fn end(&mut self) {
        let Some(id) = self.running.as_ref().and_then(|running| running.child.id()) else {
            return;
        };
        if let Ok(id) = i32::try_from(id) {
            // It may have ended meanwhile, but it has not been waited for, so its id is not reused.
            let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
        }
        if timeout(END_TIMEOUT, self.ended()).await.is_err() {
            let seconds = END_TIMEOUT.as_secs();
            self.progress.note(&format!("{} has not ended within {seconds} s and is killed", self.launch.name));
            self.kill().await;
        }
    }

    /// Kills the process.
    pub(super) async fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            let _ = running.child.kill().await;
        }
    }
}
