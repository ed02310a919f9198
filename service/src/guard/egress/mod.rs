//! The egress: a forward proxy on loopback, one for each lease, that carries every byte of its page.
//!
//! For each connection it resolves the host once, has the [`Guard`] judge every answer, dials only judged addresses,
//! and fails closed. It records how each dial ended ([`Report`]), because to the browser a refusal looks like any
//! other answer of a proxy: navigation reads the outcome here, never from the status code.
//!
//! `browser` serves the browser's connections, `message` rewrites requests and answers, `upstream` is a connection to
//! a site, `dial` opens one, `tunnel` joins two connections, [`report`] records outcomes, `peers` recognises our own
//! browser. The guard judges targets; nothing here knows pages or leases.

mod browser;
mod dial;
mod fate;
mod idle;
mod limits;
mod message;
mod peers;
mod report;
mod shared;
#[cfg(test)]
mod tests;
mod tunnel;
mod upstream;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Host;

pub use self::limits::EgressLimits;
pub use self::peers::Peers;
pub use self::report::{Dial, DialOutcome, Excess, Report};

use self::peers::Entrance;
use self::report::Books;
use self::shared::Shared;
use super::{Guard, OwnListeners, PageGuard};

/// Pause after a failed accept: missing descriptors or memory don't come back at once.
const ACCEPT_REST: Duration = Duration::from_millis(50);

/// Backlog of the listener. A connection that finds it full tries again only after a second.
const WAITING_MAX: u32 = 1024;

/// A forward proxy for one lease. Dropping it closes the listener and every connection.
#[derive(Debug)]
pub struct Egress {
    addr: SocketAddr,
    books: Arc<Books>,
    guard: PageGuard,
    unreached: CancellationToken,
    _open: DropGuard,
}

/// A listener whose address is blocked as a target while it is open.
#[derive(Debug)]
struct Door {
    // Declared first, so that it is closed before its address is unblocked.
    listener: TcpListener,
    _closed_to_targets: Registered,
}

#[derive(Debug)]
struct Registered {
    own: OwnListeners,
    addr: SocketAddr,
}

// === impl Egress ===

impl Egress {
    /// Opens a proxy on 127.0.0.1, at a port that the system chooses. It serves only these peers. Its address is one
    /// of the guard's [`OwnListeners`] while it is open. It uses no exception until [`PageGuard::name`] was called
    /// with the caller's document.
    ///
    /// # Errors
    /// When no port can be bound.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn open(guard: Guard, limits: EgressLimits, peers: Peers) -> io::Result<Egress> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
        let listener = socket.listen(WAITING_MAX)?;
        let addr = listener.local_addr()?;
        let own = guard.own_listeners().clone();
        own.insert(addr);
        tracing::trace!(%addr, "an egress is open");
        let door = Door { listener, _closed_to_targets: Registered { own, addr } };
        let open = CancellationToken::new();
        let books = Arc::new(Books::new(&limits));
        let guard = PageGuard::new(guard);
        let entrance = Entrance::new(peers);
        let shared = Shared { guard: guard.clone(), limits, entrance, books: Arc::clone(&books), open: open.clone() };
        tokio::spawn(open.clone().run_until_cancelled_owned(accept(door, Arc::new(shared))));
        Ok(Egress { addr, books, guard, unreached: open.child_token(), _open: open.drop_guard() })
    }

    /// Returns its address. Set a browser context's `proxyServer` to `http://` and this address, with `<-loopback>` as
    /// the bypass list.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Notes that its browser does not reach it any more: the browser's network service has crashed, and the one that
    /// replaces it is foreign to all egresses.
    pub fn note_unreached(&self) {
        self.unreached.cancel();
    }

    /// Returns a token that is cancelled once that is noted, and when the egress is dropped.
    #[must_use]
    pub fn unreached(&self) -> CancellationToken {
        self.unreached.clone()
    }

    /// Sets how many times its limits the whole lease may use; once if this is not called.
    pub fn set_lease_factor(&self, factor: u32) {
        self.books.set_lease_factor(factor);
    }

    /// Gives a new document the full limits again, within the limit of the whole lease ([`Egress::set_lease_factor`]).
    pub fn renew(&self) {
        self.books.renew();
    }

    /// Returns the guard of its page. The code that drives the page reports navigations to it.
    #[must_use]
    pub fn guard(&self) -> &PageGuard {
        &self.guard
    }

    /// Returns the report of everything so far.
    #[must_use]
    pub fn report(&self) -> Report {
        self.books.report()
    }

    /// Returns how many requests were refused as over a budget.
    #[must_use]
    pub fn over_budget(&self) -> u64 {
        self.books.over_budget()
    }

    /// Returns the outcome of the latest connection to this host and port; `None` if none was requested.
    #[must_use]
    pub fn outcome_of(&self, host: &Host<String>, port: u16) -> Option<DialOutcome> {
        self.books.outcome_of(host, port)
    }

    /// Returns whether the egress itself gave the latest answer for this URL, so that the browser does not show the
    /// site's page. Always `false` for `https:`, since browsers don't show how a proxy answers a `CONNECT`.
    #[must_use]
    pub fn was_answered_in_place(&self, url: &str) -> bool {
        self.books.was_answered_in_place(url)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.own.remove(self.addr);
    }
}

/// Accepts connections. Those beyond the limit wait in the backlog until another ends.
async fn accept(door: Door, shared: Arc<Shared>) {
    let permits = Arc::new(Semaphore::new(shared.limits.connections));
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
        match door.listener.accept().await {
            Ok((stream, peer)) => {
                let connection = browser::serve(stream, peer, Arc::new(permit), Arc::clone(&shared));
                shared.spawn(connection);
            }
            Err(error) => {
                tracing::debug!(%error, "the egress could not accept a connection");
                tokio::time::sleep(ACCEPT_REST).await;
            }
        }
    }
}
