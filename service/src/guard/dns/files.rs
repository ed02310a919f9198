//! Reads `/etc/hosts` and `/etc/resolv.conf`, again whenever they have changed. Invalid entries are skipped, as the
//! system's own resolver does.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV6};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::guard::name;

/// Longest part of a file that is read, in bytes.
const FILE_MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Limits of `resolv.conf` (resolv.conf(5)).
const SERVERS_MAX: usize = 3;
const NDOTS_MAX: usize = 15;
const TIMEOUT_MAX_SECONDS: u64 = 30;
const ATTEMPTS_MAX: usize = 5;
/// Search domains; glibc has no limit since 2.26.
const SEARCH_MAX: usize = 32;
const DNS_PORT: u16 = 53;

/// The files, with the contents that were read last.
#[derive(Debug)]
pub(in crate::guard) struct SystemFiles {
    hosts: Mutex<Watched<Hosts>>,
    servers: Mutex<Watched<Servers>>,
}

/// Names of `/etc/hosts`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hosts(HashMap<String, Vec<IpAddr>>);

/// Contents of `/etc/resolv.conf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::guard) struct Servers {
    /// The servers, in the order in which they are asked.
    pub(super) addresses: Vec<SocketAddr>,
    /// Domains that are tried after a name.
    search: Vec<String>,
    /// A name with at least this many dots is tried as it is before the search domains.
    ndots: usize,
    /// How long to wait for one server's answer.
    pub(super) timeout: Duration,
    /// How often each server is asked.
    pub(super) attempts: usize,
}

/// A file, its parsed contents, and its state when it was read.
#[derive(Debug)]
struct Watched<T> {
    path: PathBuf,
    read: Option<(Stamp, Arc<T>)>,
}

/// When a file changed, and its length; `None` if it does not exist.
type Stamp = Option<(SystemTime, u64)>;

// === impl SystemFiles ===

impl SystemFiles {
    pub(in crate::guard) fn at(hosts: impl Into<PathBuf>, servers: impl Into<PathBuf>) -> SystemFiles {
        SystemFiles {
            hosts: Mutex::new(Watched { path: hosts.into(), read: None }),
            servers: Mutex::new(Watched { path: servers.into(), read: None }),
        }
    }

    /// Returns the current contents of both files.
    pub(super) fn read(&self) -> (Arc<Hosts>, Arc<Servers>) {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner).get(Hosts::parse);
        let own_domain = || nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok());
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        (hosts, servers.get(|text| Servers::parse(text, own_domain().as_deref().unwrap_or_default())))
    }
}

impl Default for SystemFiles {
    fn default() -> Self {
        SystemFiles::at("/etc/hosts", "/etc/resolv.conf")
    }
}

impl<T> Watched<T> {
    fn get(&mut self, parse: impl FnOnce(&str) -> T) -> Arc<T> {
        let stamp = fs::metadata(&self.path).ok().and_then(|file| Some((file.modified().ok()?, file.len())));
        if let Some((read_at, read)) = &self.read
            && *read_at == stamp
        {
            return Arc::clone(read);
        }
        let mut bytes = Vec::new();
        let read = File::open(&self.path).and_then(|file| file.take(FILE_MAX_BYTES).read_to_end(&mut bytes));
        if let Err(error) = read {
            tracing::debug!(path = %self.path.display(), %error, "a resolver file can't be read");
        }
        let parsed = Arc::new(parse(&String::from_utf8_lossy(&bytes)));
        self.read = Some((stamp, Arc::clone(&parsed)));
        parsed
    }
}

// === impl Hosts ===

impl Hosts {
    pub(super) fn parse(text: &str) -> Hosts {
        let mut names: HashMap<String, Vec<IpAddr>> = HashMap::new();
        for line in text.lines() {
            let mut words = line.split('#').next().unwrap_or_default().split_ascii_whitespace();
            let Some(address) = words.next().and_then(|word| word.parse().ok()) else { continue };
            for name in words {
                let addresses = names.entry(name::without_root(name).to_ascii_lowercase()).or_default();
                if !addresses.contains(&address) {
                    addresses.push(address);
                }
            }
        }
        Hosts(names)
    }

    pub(super) fn addresses(&self, host: &str) -> Option<&[IpAddr]> {
        self.0.get(&name::without_root(host).to_ascii_lowercase()).map(Vec::as_slice)
    }
}

// === impl Servers ===

impl Servers {
    /// Parses the file's text. The domain of `host_name`, this host's own name, is searched if the file names none.
    pub(super) fn parse(text: &str, host_name: &str) -> Servers {
        let mut servers = Servers {
            addresses: Vec::new(),
            search: host_name.split_once('.').map(|(_, domain)| domain.to_owned()).into_iter().collect(),
            ndots: 1,
            timeout: Duration::from_secs(5),
            attempts: 2,
        };
        for line in text.lines().filter(|line| !line.starts_with([';', '#'])) {
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("nameserver") => servers.addresses.extend(words.next().and_then(server)),
                Some("domain") => servers.search = words.take(1).map(str::to_owned).collect(),
                Some("search") => servers.search = words.take(SEARCH_MAX).map(str::to_owned).collect(),
                Some("options") => words.for_each(|option| servers.set(option)),
                _ => {}
            }
        }
        servers.addresses.truncate(SERVERS_MAX);
        if servers.addresses.is_empty() {
            servers.addresses.push((Ipv4Addr::LOCALHOST, DNS_PORT).into());
        }
        servers.search.retain(|domain| name::is_host_name(domain));
        servers
    }

    fn set(&mut self, option: &str) {
        match option.split_once(':') {
            Some(("ndots", value)) => self.ndots = value.parse().unwrap_or(self.ndots).min(NDOTS_MAX),
            Some(("timeout", value)) => {
                let seconds = value.parse().unwrap_or(self.timeout.as_secs()).clamp(1, TIMEOUT_MAX_SECONDS);
                self.timeout = Duration::from_secs(seconds);
            }
            Some(("attempts", value)) => self.attempts = value.parse().unwrap_or(self.attempts).clamp(1, ATTEMPTS_MAX),
            _ => {}
        }
    }

    /// Returns the names to ask for, in this order.
    pub(super) fn names(&self, host: &str) -> Vec<String> {
        let bare = name::without_root(host);
        if bare != host {
            return vec![bare.to_owned()];
        }
        let dots = bare.bytes().filter(|byte| *byte == b'.').count();
        let searched = self.search.iter().map(|domain| format!("{bare}.{}", name::without_root(domain)));
        let mut names: Vec<String> = searched.filter(|name| name::is_host_name(name)).collect();
        let at = if dots >= self.ndots { 0 } else { names.len() };
        names.insert(at, bare.to_owned());
        names
    }
}

/// Parses a server's address; a link-local one has its interface after `%`.
fn server(word: &str) -> Option<SocketAddr> {
    let Some((address, zone)) = word.split_once('%') else {
        return Some(SocketAddr::new(word.parse().ok()?, DNS_PORT));
    };
    let index = nix::net::if_::if_nametoindex(zone).ok().or_else(|| zone.parse().ok())?;
    Some(SocketAddrV6::new(address.parse().ok()?, DNS_PORT, 0, index).into())
}

#[cfg(test)]
impl Servers {
    /// Returns these servers with default options.
    pub(in crate::guard) fn only(addresses: Vec<SocketAddr>) -> Servers {
        Servers { addresses, ..Servers::parse("", "") }
    }
}

#[cfg(test)]
impl SystemFiles {
    /// Returns files with these contents instead of those on the disk.
    pub(in crate::guard) fn saying(hosts: &str, servers: Servers) -> SystemFiles {
        let files = SystemFiles::at("/nonexistent/hosts", "/nonexistent/resolv.conf");
        files.hosts.lock().unwrap().read = Some((None, Arc::new(Hosts::parse(hosts))));
        files.servers.lock().unwrap().read = Some((None, Arc::new(servers)));
        files
    }
}
