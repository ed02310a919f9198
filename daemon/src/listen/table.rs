//! The table of a listener's open connections: enforces their limits, in total and by client network, and selects the
//! connection to close at a limit.
//!
//! A connection that waits for its caller (for the rest of a request's head or body, or idle between requests) can be
//! closed without losing work, so it is closed to make room. One that is being answered never is.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::counts::{ConnectionCounts, Shed};
use super::limits::Limits;
use crate::client_network::{ClientNetwork, TrustedProxies};

/// Time that a connection may wait for its caller before it is closed for one from another network: enough for a head
/// over a slow line with a lost packet (RFC 6298: retransmitted after 1 s).
pub(super) const GRACE: Duration = Duration::from_millis(1500);
/// A network with more waiting connections than this gets no grace. Browsers open six to a host.
pub(super) const WAITING_MAX_WITH_GRACE: usize = 16;

/// A listener's connections.
pub(super) struct Table {
    limits: Limits,
    proxies: TrustedProxies,
    counts: ConnectionCounts,
    open: Mutex<Open>,
    /// Notified when a connection ends or begins to wait.
    changed: Notify,
}

#[derive(Default)]
struct Open {
    next_id: u64,
    entries: HashMap<u64, Entry>,
}

struct Entry {
    network: ClientNetwork,
    /// Whether it comes from a trusted proxy, which is exempt from the limits by address.
    trusted: bool,
    phase: Phase,
    /// When this request's body was first awaited. A body that trickles in does not reset it.
    body_since: Option<Instant>,
    flags: Arc<Flags>,
    cut: CancellationToken,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Awaits a request's head: a new connection, or a kept-alive one.
    AwaitsHead(Instant),
    /// Awaits the rest of a request's body.
    AwaitsBody(Instant),
    /// The request is being handled, or its answer written.
    Answers,
    Upgraded,
}

/// State that is read or written at every read and write, so it is kept outside of the table's lock.
#[derive(Default)]
struct Flags {
    /// All bytes that the caller has sent were read while the connection waited.
    read_everything: AtomicBool,
    /// The answer's body has ended; its last bytes may be unsent.
    answered: AtomicBool,
    upgraded: AtomicBool,
}

/// Why a connection may not be upgraded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoUpgrade {
    /// The listener is at its limit of upgraded connections.
    Full,
    /// The caller's network is at its limit.
    FullForAddress,
    /// The connection is being closed.
    Closed,
}

/// A request's handle on its connection's entry.
#[derive(Clone)]
pub(super) struct Handle {
    table: Arc<Table>,
    id: u64,
    flags: Arc<Flags>,
}

/// A connection's entry in the table; dropping it removes the entry. The connection's socket owns it.
pub(super) struct Slot(Handle);

impl Table {
    pub(super) fn new(limits: Limits, proxies: TrustedProxies, counts: ConnectionCounts) -> Arc<Self> {
        Arc::new(Self { limits, proxies, counts, open: Mutex::default(), changed: Notify::new() })
    }

    /// Returns the number of open connections, plain and upgraded.
    pub(super) fn len(&self) -> usize {
        self.lock().entries.len()
    }

    /// Waits until one more connection can be served: below the limit, or in place of a waiting one.
    pub(super) async fn room(&self) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Registers before the check, so that no change between check and await is missed.
            changed.as_mut().enable();
            let next = {
                let open = self.lock();
                if open.plain() < self.limits.connections || open.first_to_give_way(None).is_some() {
                    return;
                }
                open.entries.values().filter_map(Entry::waits_since).min().map(|since| since + GRACE)
            };
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => {}
            }
        }
    }

    /// Enters a connection, and closes a waiting one at a limit. Returns `None` if its network is at its limit with all
    /// connections being answered.
    ///
    /// If the connection that [`Table::room`] saw waiting is being answered by now, the total exceeds its limit by one.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr, cut: CancellationToken) -> Option<Slot> {
        let (network, trusted) = (ClientNetwork::of(address), self.proxies.contains(address));
        let mut open = self.lock();
        let at_its_bound = match self.limits.connections_by_address {
            Some(max) if !trusted => open.plain_of(network) >= max,
            _ => false,
        };
        if at_its_bound {
            let Some(id) = open.first_to_give_way(Some(network)) else {
                self.counts.shed(Shed::Refused);
                return None;
            };
            open.close(id);
            self.counts.shed(Shed::Address);
        } else if open.plain() >= self.limits.connections
            && let Some(id) = open.first_to_give_way(None)
        {
            open.close(id);
            self.counts.shed(Shed::Full);
        }
        let id = open.next_id;
        open.next_id += 1;
        let flags = Arc::<Flags>::default();
        let (phase, body_since) = (Phase::AwaitsHead(Instant::now()), None);
        open.entries.insert(id, Entry { network, trusted, phase, body_since, flags: Arc::clone(&flags), cut });
        self.count(&open);
        drop(open);
        Some(Slot(Handle { table: Arc::clone(self), id, flags }))
    }

    fn count(&self, open: &Open) {
        let plain = open.plain();
        self.counts.open(plain, open.entries.len() - plain);
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn plain(&self) -> usize {
        self.entries.values().filter(|entry| entry.phase != Phase::Upgraded).count()
    }

    fn plain_of(&self, network: ClientNetwork) -> usize {
        self.entries.values().filter(|entry| entry.phase != Phase::Upgraded && entry.network == network).count()
    }

    /// Selects the connection to close: the one that has waited longest, of this network, or of the network with the
    /// most waiting connections.
    fn first_to_give_way(&self, of: Option<ClientNetwork>) -> Option<u64> {
        let now = Instant::now();
        let waiting = || {
            let entries = self.entries.iter().filter(|(_, entry)| of.is_none_or(|network| network == entry.network));
            entries.filter_map(|(id, entry)| Some((*id, entry, entry.waits_since()?)))
        };
        let mut by_network: HashMap<ClientNetwork, usize> = HashMap::new();
        for (_, entry, _) in waiting() {
            *by_network.entry(entry.network).or_default() += 1;
        }
        waiting()
            .filter_map(|(id, entry, since)| {
                let many = by_network[&entry.network];
                let without_grace = of.is_some() || (many > WAITING_MAX_WITH_GRACE && !entry.trusted);
                let gives_way = without_grace || now.duration_since(since) >= GRACE;
                gives_way.then_some((!entry.trusted, many, std::cmp::Reverse((since, id))))
            })
            .max()
            .map(|(_, _, std::cmp::Reverse((_, id)))| id)
    }

    fn close(&mut self, id: u64) {
        if let Some(entry) = self.entries.remove(&id) {
            entry.cut.cancel();
        }
    }
}

impl Entry {
    /// Returns since when the connection waits for its caller. It does not wait while received bytes are unread: they
    /// may be complete requests.
    fn waits_since(&self) -> Option<Instant> {
        match self.phase {
            Phase::AwaitsHead(since) => self.flags.read_everything.load(Ordering::Acquire).then_some(since),
            Phase::AwaitsBody(since) => Some(since),
            Phase::Answers | Phase::Upgraded => None,
        }
    }
}

impl Handle {
    /// Reports that a request's head is complete.
    pub(super) fn head_came(&self) {
        self.flags.answered.store(false, Ordering::Release);
        self.update(|entry| (entry.phase, entry.body_since) = (Phase::Answers, None));
    }

    /// Reports that the handler awaits more of the request's body.
    pub(super) fn awaits_body(&self) {
        self.update(|entry| {
            let since = *entry.body_since.get_or_insert_with(Instant::now);
            entry.phase = Phase::AwaitsBody(since);
        });
        self.table.changed.notify_waiters();
    }

    /// Reports that more of the request's body has arrived, or is no longer awaited.
    pub(super) fn body_came(&self) {
        self.update(|entry| {
            if matches!(entry.phase, Phase::AwaitsBody(_)) {
                entry.phase = Phase::Answers;
            }
        });
    }

    /// Reports that the answer's body has ended.
    pub(super) fn answered(&self) {
        self.flags.answered.store(true, Ordering::Release);
    }

    /// Counts the connection as upgraded from now on.
    pub(super) fn upgrade(&self) -> Result<(), NoUpgrade> {
        let table = &self.table;
        let mut open = table.lock();
        let upgraded = |entry: &&Entry| entry.phase == Phase::Upgraded;
        let entry = open.entries.get(&self.id).ok_or(NoUpgrade::Closed)?;
        if open.entries.values().filter(upgraded).count() >= table.limits.upgraded {
            return Err(NoUpgrade::Full);
        }
        let of_network = open.entries.values().filter(upgraded).filter(|other| other.network == entry.network).count();
        if !entry.trusted && table.limits.upgraded_by_address.is_some_and(|max| of_network >= max) {
            return Err(NoUpgrade::FullForAddress);
        }
        open.entries.entry(self.id).and_modify(|entry| entry.phase = Phase::Upgraded);
        self.flags.upgraded.store(true, Ordering::Release);
        table.count(&open);
        drop(open);
        table.changed.notify_waiters();
        Ok(())
    }

    /// Counts the connection as plain again if its answer was no upgrade.
    pub(super) fn stays_plain(&self) {
        if self.flags.upgraded.swap(false, Ordering::AcqRel) {
            self.update(|entry| entry.phase = Phase::Answers);
            self.table.count(&self.table.lock());
        }
    }

    pub(super) fn is_upgraded(&self) -> bool {
        self.flags.upgraded.load(Ordering::Acquire)
    }

    fn update(&self, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.table.lock().entries.get_mut(&self.id) {
            change(entry);
        }
    }
}

impl Slot {
    pub(super) fn handle(&self) -> &Handle {
        &self.0
    }

    pub(super) fn is_upgraded(&self) -> bool {
        self.0.is_upgraded()
    }

    /// Reports that all bytes from the caller were read.
    pub(super) fn read_everything(&self) {
        if !self.0.flags.read_everything.swap(true, Ordering::AcqRel) {
            self.0.table.changed.notify_waiters();
        }
    }

    /// Reports that all written bytes were flushed. After the end of an answer the connection is idle.
    pub(super) fn flushed(&self) {
        if self.0.flags.answered.swap(false, Ordering::AcqRel) {
            self.0.update(|entry| {
                if entry.phase == Phase::Answers {
                    entry.phase = Phase::AwaitsHead(Instant::now());
                }
            });
            self.0.table.changed.notify_waiters();
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let Handle { table, id, .. } = &self.0;
        let mut open = table.lock();
        open.entries.remove(id);
        table.count(&open);
        drop(open);
        table.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Duration = Duration::from_millis(100);

    fn table(limits: Limits) -> Arc<Table> {
        Table::new(limits, TrustedProxies::default(), ConnectionCounts::default())
    }

    fn admitted(table: &Arc<Table>, address: &str) -> (Slot, CancellationToken) {
        let cut = CancellationToken::new();
        let slot = table.admit(address.parse().unwrap(), cut.clone()).expect("refused");
        slot.read_everything();
        (slot, cut)
    }

    #[tokio::test(start_paused = true)]
    async fn a_trickling_body_does_not_reset_its_waiting_time() {
        let table = table(Limits { connections_by_address: Some(2), ..Limits::default() });
        let (trickling, trickling_cut) = admitted(&table, "192.0.2.1");
        trickling.handle().head_came();
        trickling.handle().awaits_body();
        tokio::time::advance(STEP).await;
        let (silent, silent_cut) = admitted(&table, "192.0.2.1");
        silent.handle().head_came();
        silent.handle().awaits_body();
        tokio::time::advance(STEP).await;
        trickling.handle().body_came();
        trickling.handle().awaits_body();
        let _new = admitted(&table, "192.0.2.1");
        assert!(trickling_cut.is_cancelled() && !silent_cut.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn one_ipv6_network_is_one_caller() {
        let table = table(Limits { connections_by_address: Some(1), ..Limits::default() });
        let (_first, first_cut) = admitted(&table, "2001:db8::1");
        let (_other, _) = admitted(&table, "2001:db8:0:1::1");
        assert!(!first_cut.is_cancelled());
        let (_second, _) = admitted(&table, "2001:db8::ffff:2");
        assert!(first_cut.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn the_entry_ends_with_the_slot() {
        let table = table(Limits { connections: 1, ..Limits::default() });
        let (slot, _) = admitted(&table, "192.0.2.1");
        slot.handle().head_came();
        let room = tokio::spawn({
            let table = Arc::clone(&table);
            async move { table.room().await }
        });
        tokio::time::advance(GRACE * 10).await;
        assert!(!room.is_finished(), "a request in flight does not make room");
        drop(slot);
        room.await.unwrap();
        assert_eq!(table.len(), 0);
    }
}
