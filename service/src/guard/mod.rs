//! Decides whether a target may be visited. URLs, names and addresses are judged before a browser sees them, and again
//! when an address is about to be dialled.
//!
//! [`Guard`] combines the parts: [`address`], [`name`] and [`port`] are the tables, [`target`] reads URLs, [`policy`]
//! holds the operator's settings, [`listeners`] Porthole's own listening addresses, [`host`] this host's addresses,
//! `hosts` the hosts that a session's caller names. `resolve` looks up names. `page` judges for one page: `scope` decides
//! whether that page may use an exception, `lookups` bounds its look-ups, `leaving` tells it of refusals. [`refusal`]
//! lists the reasons of a refusal. None of these knows browsers or HTTP; [`egress`] does, the forward proxy that asks
//! them about every connection.

pub mod address;
mod deny;
mod dns;
pub mod egress;
mod entries;
pub mod exception;
pub mod host;
mod hosts;
mod judge;
mod leaving;
mod lent;
pub mod listeners;
mod lookups;
pub mod name;
mod network;
mod overrides;
mod page;
mod patterns;
pub mod policy;
pub mod port;
pub mod refusal;
mod resolve;
mod scope;
pub mod target;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use url::Host;

pub use self::deny::DenyCidrs;
pub use self::entries::PolicyError;
pub use self::exception::AllowTargets;
pub use self::host::{HostAddresses, undenied_networks};
pub use self::hosts::{AllowHosts, NotAHost};
pub use self::judge::Judge;
pub use self::leaving::OnRefusal;
pub use self::listeners::OwnListeners;
pub use self::network::{Intercept, Network, RemoteNetwork};
pub use self::overrides::ResolveOverrides;
pub use self::page::PageGuard;
pub use self::policy::{AllowFrom, Policy};
pub use self::refusal::Refusal;
pub use self::resolve::{LookUp, Resolver};
pub use self::scope::{Asker, CatchUp};
pub use self::target::{Authority, Grounds, Target};

use self::address::{Block, block};
use self::name::LocalName;
use self::refusal::Blocked;
use self::resolve::{Answer, known};

/// Judges targets by the tables and one [`Policy`]. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Guard {
    policy: Arc<Policy>,
}

/// Classifies a host before its addresses are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// A literal address; it needs no look-up.
    Literal(IpAddr),
    /// A name that an exception opens; its addresses are not judged.
    Opened,
    /// A name that is judged by its addresses.
    Ordinary,
    /// A local name: only an exception for the range of its addresses can open it.
    Local(LocalName),
}

/// Why an address may be dialled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Public,
    Exception,
}

impl Guard {
    /// Creates a guard with this policy.
    #[must_use]
    pub fn new(policy: Policy) -> Guard {
        Guard { policy: Arc::new(policy) }
    }

    /// Creates a guard that uses this function in place of DNS.
    #[cfg(test)]
    pub(crate) fn asking(policy: Policy, look_up: impl LookUp) -> Guard {
        Guard::new(Policy { resolver: Resolver::new(look_up), ..policy })
    }

    /// Judges a URL without asking DNS: by the URL itself, its name, a literal address and `PORTHOLE_RESOLVE`.
    ///
    /// A public name passes ([`Grounds::NameOnly`]), because only DNS could show that it is private. A local name is
    /// refused, even if its addresses might lie in a range that the operator opens.
    ///
    /// # Errors
    /// [`Refusal::InvalidUrl`] or [`Refusal::Blocked`].
    pub fn judge_url(&self, raw: &str) -> Result<Target, Refusal> {
        let target = Target::read(raw)?;
        let standing = self.standing(target.host(), target.port());
        if let Some(answer) = self.known(&target, standing) {
            return self.judge_answer(target, &answer);
        }
        match (standing, target.host()) {
            (Standing::Local(kind), Host::Domain(host)) => Err(Blocked::Name { host: host.clone(), kind }.into()),
            (Standing::Opened, _) => Ok(target.passed(Grounds::Exception, Vec::new())),
            _ => Ok(target),
        }
    }

    /// Judges a URL and every address of its name; one bad address refuses the URL.
    ///
    /// # Errors
    /// As [`Guard::judge_url`], [`Refusal::NotResolved`] if the name has no address or none comes within 5 s, and
    /// [`Refusal::LookupsFull`] if too many other names are being looked up.
    pub async fn judge(&self, raw: &str) -> Result<Target, Refusal> {
        let target = Target::read(raw)?;
        let answer = self.answer(&target, |host, port| self.policy.resolver.ask_first(host, port)).await?;
        self.judge_answer(target, &answer)
    }

    /// Returns the addresses of a target: those known without a look-up, or those that `ask` returns.
    async fn answer<'a, F>(&self, target: &'a Target, ask: impl FnOnce(&'a str, u16) -> F) -> Result<Answer, Refusal>
    where
        F: Future<Output = Result<Answer, Refusal>>,
    {
        let standing = self.standing(target.host(), target.port());
        if let Some(answer) = self.known(target, standing) {
            return Ok(answer);
        }
        let host = match target.host() {
            Host::Domain(host) => host,
            // A literal address is always known.
            address => return Err(Refusal::NotResolved { host: address.to_string() }),
        };
        // Only an exception for a range can open a local name. Without one, DNS is not asked and does not learn the
        // name.
        if let Standing::Local(kind) = standing
            && !self.policy.allow.has_ranges()
        {
            return Err(Blocked::Name { host: host.clone(), kind }.into());
        }
        ask(host, target.port()).await
    }

    /// Judges an address that is about to be dialled, or has been, for a URL or a `CONNECT` with this host. The port
    /// is the address's. Uses the same table and policy as [`Guard::judge`].
    ///
    /// # Errors
    /// [`Refusal::Blocked`].
    pub fn judge_address(&self, host: &Host<String>, dialled: SocketAddr) -> Result<(), Refusal> {
        self.judge_pass(host, dialled).map(drop)
    }

    /// Judges as [`Guard::judge_address`] does, and returns why the address may be dialled.
    fn judge_pass(&self, host: &Host<String>, dialled: SocketAddr) -> Result<Pass, Refusal> {
        let port = dialled.port();
        if port::is_restricted(port) {
            return Err(Blocked::Port { port }.into());
        }
        Ok(self.judge_dialled(host, self.standing(host, port), dialled, self.policy.host.has(dialled.ip()))?)
    }

    /// Judges an established connection. If its local and remote addresses are equal, it has not left this host, even
    /// if the routing table said otherwise a moment before.
    ///
    /// # Errors
    /// [`Refusal::Blocked`].
    pub fn judge_connected(&self, host: &Host<String>, dialled: SocketAddr, local: SocketAddr) -> Result<(), Refusal> {
        if local.ip().to_canonical() == dialled.ip().to_canonical() {
            self.judge_dialled(host, self.standing(host, dialled.port()), dialled, true)?;
        }
        Ok(())
    }

    /// Returns this guard with every address open to every page, for tests that show what the guard prevents.
    pub(crate) fn opened(&self) -> Guard {
        let policy = Policy::clone(&self.policy);
        Guard::new(Policy { allow: AllowTargets::everything(), allow_from: AllowFrom::Any, ..policy })
    }

    /// Returns this guard without any exception.
    fn without_exceptions(&self) -> Guard {
        Guard::new(Policy { allow: AllowTargets::default(), ..Policy::clone(&self.policy) })
    }

    /// Returns whether an exception opens this authority, judged without asking DNS.
    fn excepts(&self, (host, port): &Authority) -> bool {
        let url = format!("http://{host}:{port}/");
        self.judge_url(&url).is_ok_and(|target| target.grounds() == Grounds::Exception)
    }

    /// Returns the addresses that Porthole itself listens on.
    fn own_listeners(&self) -> &OwnListeners {
        &self.policy.own
    }

    fn standing(&self, host: &Host<String>, port: u16) -> Standing {
        match (target::literal(host), host) {
            (Some(address), _) => Standing::Literal(address),
            (None, Host::Domain(host)) if self.policy.allow.opens_name(host, port) => Standing::Opened,
            (None, host) => name::local(&host.to_string()).map_or(Standing::Ordinary, Standing::Local),
        }
    }

    /// Returns the addresses of this target that are known without a look-up.
    fn known(&self, target: &Target, standing: Standing) -> Option<Answer> {
        match (standing, target.host()) {
            (Standing::Literal(address), _) => Some(Answer::Addresses(vec![SocketAddr::new(address, target.port())])),
            (_, Host::Domain(host)) => known(&self.policy.resolve, host, target.port()),
            _ => None,
        }
    }

    fn judge_answer(&self, target: Target, answer: &Answer) -> Result<Target, Refusal> {
        let standing = self.standing(target.host(), target.port());
        let judged = |address: &SocketAddr| {
            let is_own = self.policy.host.has(address.ip());
            self.judge_dialled(target.host(), standing, *address, is_own).map(|pass| (*address, pass))
        };
        let passed: Vec<(SocketAddr, Pass)> = match answer {
            Answer::Addresses(addresses) => addresses.iter().map(judged).collect::<Result<_, _>>()?,
            Answer::Localhost(addresses) => {
                let (passed, refused): (Vec<_>, Vec<_>) = addresses.iter().map(judged).partition(Result::is_ok);
                let passed: Vec<_> = passed.into_iter().flatten().collect();
                if let (true, Some(Err(refusal))) = (passed.is_empty(), refused.into_iter().next()) {
                    return Err(refusal.into());
                }
                passed
            }
        };
        let grounds = if standing == Standing::Opened || passed.iter().any(|(_, pass)| *pass == Pass::Exception) {
            Grounds::Exception
        } else if matches!(standing, Standing::Literal(_)) {
            Grounds::PublicAddress
        } else {
            Grounds::Resolved
        };
        let addresses = passed.into_iter().map(|(address, _)| address).collect();
        Ok(target.passed(grounds, addresses))
    }

    /// Lets an address through or refuses it. Every judgement of an address ends here.
    fn judge_dialled(
        &self,
        host: &Host<String>,
        standing: Standing,
        dialled: SocketAddr,
        is_own: bool,
    ) -> Result<Pass, Blocked> {
        let (address, port) = (dialled.ip(), dialled.port());
        let refused = |block: Block| match standing {
            Standing::Literal(literal) if literal == address => Blocked::Address { address, block },
            _ => Blocked::Resolved { host: host.to_string(), block },
        };
        // An exception does not lift the operator's own denial.
        if self.policy.deny.contains(address) {
            return Err(refused(Block::Denied));
        }
        let allow = &self.policy.allow;
        let opened = allow.opens_dialled(address)
            || match standing {
                Standing::Opened => true,
                Standing::Literal(literal) => literal == address && allow.opens_literal(literal, port),
                Standing::Ordinary | Standing::Local(_) => false,
            };
        let special = block(address).or(is_own.then_some(Block::ThisHost));
        let pass = match (standing, special) {
            (Standing::Local(kind), _) if !opened => {
                return Err(Blocked::Name { host: host.to_string(), kind });
            }
            (_, Some(block)) if !opened => return Err(refused(block)),
            (Standing::Ordinary | Standing::Literal(_), None) => Pass::Public,
            _ => Pass::Exception,
        };
        // Checked last: only a caller who may reach the address learns that Porthole listens there.
        if self.policy.own.contains(dialled, &self.policy.host) {
            return Err(Blocked::OwnListener { host: host.to_string(), port });
        }
        Ok(pass)
    }
}
