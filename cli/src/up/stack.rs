//! Service and worker together: their settings, the order of their start, readiness and end.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::time::Duration;

use porthole_client::{Admin, Readiness, SecretString};
use tokio::time::{Instant, sleep, timeout_at};

use super::addresses::{self, Addresses, Endpoint};
use super::announce::Ready;
use super::executables::{self, Executables};
use super::keys::Keys;
use super::process::{Launch, Process};
use super::supervise::{died, keep};
use crate::args::UpArgs;
use crate::failure::Failed;
use crate::progress::Progress;

/// From the first start until ready: the first start of Chromium on a slow disk takes long.
const READY_TIMEOUT: Duration = Duration::from_secs(60);
const READY_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Withheld from the worker: its service is the one that `up` starts.
const SERVICE_PEERS: &str = "PORTHOLE_SERVICE_PEERS";
const OWNER_KEYS: &str = "PORTHOLE_OWNER_KEYS";
const OWNER_KEYS_FILE: &str = "PORTHOLE_OWNER_KEYS_FILE";
const SERVICE_KEY: &str = "PORTHOLE_SERVICE_KEY";
const SERVICE_KEY_FILE: &str = "PORTHOLE_SERVICE_KEY_FILE";
const CLIENT_KEYS: [&str; 2] = ["PORTHOLE_CLIENT_KEYS", "PORTHOLE_CLIENT_KEYS_FILE"];
/// A filter of the user's may hide the lines that name the addresses.
const LOG: &str = "PORTHOLE_LOG";
/// The key of the client, which neither process needs.
const CLIENT_KEY: [&str; 2] = ["PORTHOLE_KEY", "PORTHOLE_KEY_FILE"];

/// Both processes.
pub(super) struct Stack {
    service: Process,
    worker: Process,
    addresses: Addresses,
    progress: Progress,
}

impl Stack {
    /// Prepares both processes. Keys in the environment take precedence over the saved ones.
    pub(super) fn new(
        executables: Executables,
        addresses: Addresses,
        keys: &Keys,
        args: &UpArgs,
        progress: &Progress,
    ) -> Self {
        let mut service = Launch {
            name: executables::SERVICE,
            program: executables.service,
            settings: BTreeMap::new(),
            secrets: BTreeMap::new(),
            withheld: CLIENT_KEY.iter().chain(&CLIENT_KEYS).copied().collect(),
            verbose: args.verbose,
        };
        let mut worker = Launch {
            name: executables::WORKER,
            program: executables.worker,
            settings: BTreeMap::new(),
            secrets: BTreeMap::new(),
            withheld: CLIENT_KEY.iter().chain(&[OWNER_KEYS, OWNER_KEYS_FILE, SERVICE_PEERS]).copied().collect(),
            verbose: args.verbose,
        };
        if !is_set(OWNER_KEYS) && !is_set(OWNER_KEYS_FILE) {
            service.secrets.insert(OWNER_KEYS, keys.owner_keys.clone());
        }
        if !is_set(SERVICE_KEY) && !is_set(SERVICE_KEY_FILE) {
            service.secrets.insert(SERVICE_KEY, keys.service_key.clone());
            worker.secrets.insert(SERVICE_KEY, keys.service_key.clone());
        }
        if let Some(targets) = &args.allow_targets {
            service.settings.insert("PORTHOLE_ALLOW_TARGETS", targets.into());
        }
        Self {
            service: Process::new(service, progress.clone()),
            worker: Process::new(worker, progress.clone()),
            addresses,
            progress: progress.clone(),
        }
    }

    /// Makes the stack its command's own: keys and addresses of the environment don't count, the worker asks for `key`,
    /// and serves nothing that only others need.
    pub(super) fn keep_to_ourselves(&mut self, key: &SecretString, keys: &Keys) {
        let Addresses { worker, worker_admin, service, service_admin } = &self.addresses;
        for (process, endpoints) in
            [(&mut self.service, [service, service_admin]), (&mut self.worker, [worker, worker_admin])]
        {
            let launch = &mut process.launch;
            launch.withheld.extend([OWNER_KEYS_FILE, SERVICE_KEY_FILE, CLIENT_KEYS[1], LOG]);
            launch.secrets.insert(SERVICE_KEY, keys.service_key.clone());
            launch.settings.extend(endpoints.map(|endpoint| (endpoint.variable, OsString::from(&endpoint.asked))));
        }
        self.service.launch.secrets.insert(OWNER_KEYS, keys.owner_keys.clone());
        // The stack's only caller ends with it, so no session needs time to go on.
        self.service.launch.settings.insert("PORTHOLE_SESSION_DRAIN_SECONDS", "0".into());
        self.worker.launch.secrets.insert(CLIENT_KEYS[0], key.clone());
        self.worker.launch.settings.insert("PORTHOLE_MCP", "off".into());
        self.worker.launch.settings.insert("PORTHOLE_RATE_LIMIT", u32::MAX.to_string().into());
    }

    /// Starts both and waits until the worker accepts requests.
    pub(super) async fn start(&mut self, progress: &Progress) -> Result<Ready, Failed> {
        let deadline = Instant::now() + READY_TIMEOUT;
        start(&mut self.service)?;
        let service = bound(&mut self.service, "main", &self.addresses.service, deadline).await?;
        // After a restart it must listen at the address that the worker knows.
        self.service.launch.settings.insert(self.addresses.service.variable, service.to_string().into());

        progress.show("starting the worker");
        self.worker.launch.settings.insert("PORTHOLE_SERVICE_URL", addresses::url(service).into());
        start(&mut self.worker)?;
        let worker = bound(&mut self.worker, "main", &self.addresses.worker, deadline).await?;
        let worker_admin = bound(&mut self.worker, "admin", &self.addresses.worker_admin, deadline).await?;
        self.worker.launch.settings.insert(self.addresses.worker.variable, worker.to_string().into());
        self.worker.launch.settings.insert(self.addresses.worker_admin.variable, worker_admin.to_string().into());

        progress.show("waiting until both are ready");
        self.ready(&addresses::url(worker_admin), deadline, progress).await?;
        let service_admin = self.service.address("admin").or(self.addresses.service_admin.known());
        if let Some(address) = service_admin {
            self.service.launch.settings.insert(self.addresses.service_admin.variable, address.to_string().into());
        }
        Ok(Ready {
            worker: addresses::url(worker),
            worker_admin: addresses::url(worker_admin),
            service: addresses::url(service),
            service_admin: service_admin.map(addresses::url),
            playground: serves_playground(worker),
            needs_key: CLIENT_KEYS.iter().any(|name| is_set(name)),
        })
    }

    /// Polls the worker's `/readyz`, which includes the service's, until it reports ready.
    async fn ready(&mut self, worker_admin: &str, deadline: Instant, progress: &Progress) -> Result<(), Failed> {
        let admin =
            Admin::new(worker_admin).map_err(|error| Failed::io("ask the worker", std::io::Error::other(error)))?;
        let mut reason = "it does not answer".to_owned();
        let asked = async {
            loop {
                reason = match admin.readiness().await {
                    Ok(Readiness::Ready) => return,
                    Ok(Readiness::NotReady(reason)) => reason,
                    Err(error) => error.to_string(),
                };
                progress.show(&format!("waiting until both are ready: {reason}"));
                sleep(READY_POLL_INTERVAL).await;
            }
        };
        let late = tokio::select! {
            answered = timeout_at(deadline, asked) => answered.is_err(),
            ended = self.service.ended() => return Err(died_early(executables::SERVICE, ended)),
            ended = self.worker.ended() => return Err(died_early(executables::WORKER, ended)),
        };
        if !late {
            return Ok(());
        }
        let mut sentence = format!("not ready within {} s: {reason}", READY_TIMEOUT.as_secs());
        for process in [&self.service, &self.worker] {
            for line in process.unseen() {
                sentence += &format!("\n  {}: {line}", process.launch.name);
            }
        }
        Err(Failed::Up { sentence, setting: false })
    }

    /// Keeps both running; returns only when it gives up.
    pub(super) async fn keep(&mut self) -> Failed {
        tokio::select! {
            failed = keep(&mut self.service, &self.progress) => failed,
            failed = keep(&mut self.worker, &self.progress) => failed,
        }
    }

    /// Ends both, giving each time to finish its work.
    pub(super) async fn end(&mut self) {
        tokio::join!(self.worker.end(), self.service.end());
    }

    /// Kills both.
    pub(super) async fn kill(&mut self) {
        tokio::join!(self.worker.kill(), self.service.kill());
    }
}

fn start(process: &mut Process) -> Result<(), Failed> {
    process.start().map_err(|error| Failed::io(format!("start {}", process.launch.name), error))
}

/// Returns a listener's address: from the settings, or as its process logs it.
async fn bound(
    process: &mut Process,
    listener: &str,
    asked: &Endpoint,
    deadline: Instant,
) -> Result<SocketAddr, Failed> {
    if let Some(address) = asked.known() {
        return Ok(address);
    }
    let name = process.launch.name;
    let mut listeners = process.listeners();
    tokio::select! {
        address = timeout_at(deadline, listeners.address(listener)) => address.map_err(|_| Failed::Up {
            sentence: format!(
                "{name} has not logged its address within {} s; with {}={} it must log at level info (PORTHOLE_LOG)",
                READY_TIMEOUT.as_secs(), asked.variable, asked.asked
            ),
            setting: false,
        }),
        ended = process.ended() => Err(died_early(name, ended)),
    }
}

fn died_early(name: &str, ended: std::io::Result<super::process::Ended>) -> Failed {
    match ended {
        Ok(ended) => died(name, "ended before it was ready:", &ended),
        Err(error) => Failed::io(format!("watch {name}"), error),
    }
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// Whether the worker serves the playground: on loopback, unless the setting says otherwise.
fn serves_playground(worker: SocketAddr) -> bool {
    match std::env::var("PORTHOLE_PLAYGROUND").as_deref() {
        Ok("on") => true,
        Ok("off") => false,
        _ => worker.ip().is_loopback(),
    }
}
