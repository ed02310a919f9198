//! One of the two processes: started, listened to, ended. When to start it again is `supervise`'s to say.

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

/// How long a process has for its work under way after SIGTERM.
const END_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the last lines of a dead process are waited for: a process that it started may hold the pipe open.
const LAST_LINES_TIMEOUT: Duration = Duration::from_secs(1);

/// How a process is started.
pub(super) struct Launch {
    /// Its name for a person.
    pub(super) name: &'static str,
    pub(super) program: PathBuf,
    /// What it gets beside our own environment.
    pub(super) settings: BTreeMap<&'static str, OsString>,
    /// The secrets that it gets beside our own environment.
    pub(super) secrets: BTreeMap<&'static str, SecretString>,
    /// What it does not get from our environment.
    pub(super) withheld: Vec<&'static str>,
    /// Whether every line of its log is shown.
    pub(super) verbose: bool,
}

/// A process, running or not.
pub(super) struct Process {
    pub(super) launch: Launch,
    running: Option<Running>,
    /// The addresses that it told: by listener, `main` or `admin`.
    listeners: watch::Sender<BTreeMap<String, SocketAddr>>,
    progress: Progress,
}

struct Running {
    child: Child,
    tail: Arc<Mutex<Tail>>,
    reader: Option<JoinHandle<()>>,
}

/// Hears where a process listens.
pub(super) struct Listening(watch::Receiver<BTreeMap<String, SocketAddr>>);

impl Listening {
    /// The address of that listener, as soon as the process tells it.
    pub(super) async fn address(&mut self, listener: &str) -> SocketAddr {
        loop {
            if let Some(address) = self.0.borrow_and_update().get(listener) {
                return *address;
            }
            if self.0.changed().await.is_err() {
                // Its process is gone, and so is whoever would wait for this.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// How a process ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// Its last log lines that nobody has seen yet.
    pub(super) unseen: Vec<String>,
}

impl Ended {
    /// Whether it refused its settings.
    pub(super) fn refused_settings(&self) -> bool {
        self.status.code() == Some(i32::from(EXIT_SETTING))
    }
}

impl Process {
    pub(super) fn new(launch: Launch, progress: Progress) -> Self {
        Self { launch, running: None, listeners: watch::Sender::default(), progress }
    }

    /// Starts it, in a process group of its own: a Ctrl-C is for `up`, which then ends both in order.
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

    /// What it tells of its listeners, to be waited for while the process itself is watched.
    pub(super) fn listeners(&self) -> Listening {
        Listening(self.listeners.subscribe())
    }

    /// The address of that listener, if the process has told it.
    pub(super) fn address(&self, listener: &str) -> Option<SocketAddr> {
        self.listeners.borrow().get(listener).copied()
    }

    /// Waits for its end. Cancelling this loses nothing.
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

    /// The last log lines that nobody has seen, of a process that runs.
    pub(super) fn unseen(&self) -> Vec<String> {
        self.running
            .iter()
            .flat_map(|running| {
                let tail = running.tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.unseen().map(str::to_owned).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Ends it: SIGTERM, and SIGKILL for one that takes too long.
    pub(super) async fn end(&mut self) {
        let Some(id) = self.running.as_ref().and_then(|running| running.child.id()) else {
            return;
        };
        if let Ok(id) = i32::try_from(id) {
            // It may have ended meanwhile; nobody has waited for it yet, so the id is nobody else's.
            let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
        }
        if timeout(END_TIMEOUT, self.ended()).await.is_err() {
            let seconds = END_TIMEOUT.as_secs();
            self.progress.note(&format!("{} has not ended within {seconds} s; it is killed", self.launch.name));
            self.kill().await;
        }
    }

    /// Ends it at once.
    pub(super) async fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            let _ = running.child.kill().await;
        }
    }
}
