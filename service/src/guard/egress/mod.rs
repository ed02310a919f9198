//! The way out: a forward proxy on loopback, one for each lease, through which every byte of its page leaves.
//!
//! For each connection it resolves the host once, has the [`Guard`] judge every answer, dials what was judged and nothing
//! else, and fails closed. How each dial ended is kept ([`Report`]), since to the browser a refusal looks like any other
//! answer of a proxy: whoever navigates asks here, never the status code.
//!
//! `browser` speaks with the browser, `message` is what may pass between it and a site, `upstream` a connection to a
//! site, `dial` makes one, `tunnel` joins two, [`report`] keeps books, `peers` knows our own browser. Judging targets is
//! the guard's matter, and nothing here knows pages or leases.

mod browser;
mod dial;
mod idle;
mod limits;
mod message;
mod peers;
mod report;
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

use self::report::Books;
use super::{Guard, OwnListeners, PageGuard};

/// How long accepting rests after it failed: what is lacking then (descriptors, memory) is not back at once.
const ACCEPT_REST: Duration = Duration::from_millis(50);

/// Connections that may wait in the system's queue. One that finds it full tries again after a second only.
const WAITING_MAX: u32 = 1024;

/// A forward proxy for one lease. Dropping it closes the listener and every connection.
#[derive(Debug)]
pub struct Egress {
    addr: SocketAddr,
    books: Arc<Books>,
    guard: PageGuard,
    _open: DropGuard,
}

/// What every connection of one egress shares.
#[derive(Debug)]
struct Shared {
    guard: PageGuard,
    limits: EgressLimits,
    peers: Peers,
    books: Arc<Books>,
    open: CancellationToken,
}

/// A listener that no target may reach, for as long as it listens.
#[derive(Debug)]
struct Door {
    // First, so that it is closed before its address is forgotten.
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
    /// Opens a proxy on 127.0.0.1, at a port that the system chooses. It serves only these peers, and its own address is
    /// one of the guard's [`OwnListeners`] as long as it is open. It uses no exception until its page's [`PageGuard`] has been
    /// told of the document that the caller named.
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
        let shared = Shared { guard: guard.clone(), limits, peers, books: Arc::clone(&books), open: open.clone() };
        tokio::spawn(open.clone().run_until_cancelled_owned(accept(door, Arc::new(shared))));
        Ok(Egress { addr, books, guard, _open: open.drop_guard() })
    }

    /// Where it listens: `proxyServer` of a browser context is `http://` and this, with `<-loopback>` as its bypass list.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Lets the lease use its limits so many times in all: once unless this is called.
    pub fn set_lease_factor(&self, factor: u32) {
        self.books.set_lease_factor(factor);
    }

    /// A new document begins, and has the full limits again, within what the whole lease may use
    /// ([`Egress::set_lease_factor`]).
    pub fn renew(&self) {
        self.books.renew();
    }

    /// The guard of its page: whoever drives the page tells it where the page goes.
    #[must_use]
    pub fn guard(&self) -> &PageGuard {
        &self.guard
    }

    /// All that has happened so far.
    #[must_use]
    pub fn report(&self) -> Report {
        self.books.report()
    }

    /// How the latest connection to this host and port ended, or stands; `None` if nobody asked for one.
    #[must_use]
    pub fn outcome_of(&self, host: &Host<String>, port: u16) -> Option<DialOutcome> {
        self.books.outcome_of(host, port)
    }

    /// Whether the latest answer under this URL was given here, in its site's place: what a browser shows of it is no page.
    /// Never so for `https:`, since no browser shows how a proxy answers a `CONNECT`.
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

// === impl Shared ===

impl Shared {
    /// Runs this until it ends or the egress is dropped.
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        tokio::spawn(self.open.clone().run_until_cancelled_owned(task));
    }
}

/// Takes connections in. Those beyond the limit wait in the system's queue until another ends.
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
                tracing::debug!(%error, "the egress could not take a connection in");
                tokio::time::sleep(ACCEPT_REST).await;
            }
        }
    }
}
