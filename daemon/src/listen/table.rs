//! The table of a listener's open connections: how many there may be, in all and by client address, and which is closed
//! to make room.
//!
//! A connection that waits for its caller (for the rest of a request's head or body, or idle between requests) costs the
//! caller nothing, so it gives way when there is no room. One that is being answered never does.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Limits;
use super::counts::{ConnectionCounts, Shed};
use crate::client_network::{ClientNetwork, TrustedProxies};

/// How long a connection may wait for its caller before it gives way to one from another network: time for a head to
/// come over a slow line, a lost packet included (RFC 6298: it is sent again after 1 s).
pub(super) const GRACE: Duration = Duration::from_millis(1500);
/// A network with more waiting connections than this has no such time: browsers open six to a host.
pub(super) const WAITING_MAX_WITH_GRACE: usize = 16;

/// A listener's connections.
pub(super) struct Table {
    limits: Limits,
    proxies: TrustedProxies,
    counts: ConnectionCounts,
    open: Mutex<Open>,
    /// A connection ended, or began to wait.
    changed: Notify,
}

#[derive(Default)]
struct Open {
    next_id: u64,
    entries: HashMap<u64, Entry>,
}

struct Entry {
    network: ClientNetwork,
    /// Not bounded by address.
    trusted: bool,
    phase: Phase,
    /// When this request's body was first waited for; a body that trickles does not get younger.
    body_since: Option<Instant>,
    flags: Arc<Flags>,
    cut: CancellationToken,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// For a request's head: a new connection, or one that is kept alive.
    AwaitsHead(Instant),
    /// For the rest of a request's body.
    AwaitsBody(Instant),
    /// The request is handled or its answer is written.
    Answers,
    Upgraded,
}

/// What is asked of a connection at every read and write, so without the table's lock.
#[derive(Default)]
struct Flags {
    /// Everything that the caller has sent was read while the connection waited.
    read_everything: AtomicBool,
    /// The answer's body has ended; its last bytes may be unsent.
    answered: AtomicBool,
    upgraded: AtomicBool,
}

/// Why a connection may not be upgraded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoUpgrade {
    /// There are as many upgraded connections as there may be.
    Full,
    /// The caller's network has as many as one may have.
    FullForAddress,
    /// The connection is being closed.
    Closed,
}

/// One connection in the table, as its requests know it.
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

    /// Plain and upgraded connections that are open.
    pub(super) fn len(&self) -> usize {
        self.lock().entries.len()
    }

    /// Waits until one more connection can be served: there is room, or a connection gives way.
    pub(super) async fn room(&self) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on a change is not missed, although nothing is awaited yet.
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

    /// Enters a connection, and closes another where there is no room. `None` where its network has too many already and
    /// all of them are being answered.
    ///
    /// If the connection that [`Table::room`] saw waiting is being answered by now, there is one too many for a while.
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

    /// The connection that is closed to make room: of this network, or of the network with the most waiting connections,
    /// the one that has waited longest.
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
    /// Since when the connection waits for its caller. Not before all that came was read: a burst of complete requests
    /// that was not read yet does not wait for anybody.
    fn waits_since(&self) -> Option<Instant> {
        match self.phase {
            Phase::AwaitsHead(since) => self.flags.read_everything.load(Ordering::Acquire).then_some(since),
            Phase::AwaitsBody(since) => Some(since),
            Phase::Answers | Phase::Upgraded => None,
        }
    }
}

impl Handle {
    /// A request's head is complete.
    pub(super) fn head_came(&self) {
        self.flags.answered.store(false, Ordering::Release);
        self.update(|entry| (entry.phase, entry.body_since) = (Phase::Answers, None));
    }

    /// The request's body is asked for and has not come.
    pub(super) fn awaits_body(&self) {
        self.update(|entry| {
            let since = *entry.body_since.get_or_insert_with(Instant::now);
            entry.phase = Phase::AwaitsBody(since);
        });
        self.table.changed.notify_waiters();
    }

    /// More of the request's body has come, or no more is wanted.
    pub(super) fn body_came(&self) {
        self.update(|entry| {
            if matches!(entry.phase, Phase::AwaitsBody(_)) {
                entry.phase = Phase::Answers;
            }
        });
    }

    /// The answer's body has ended.
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

    /// The answer was no upgrade after all.
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

    /// The caller has sent nothing that was not read.
    pub(super) fn read_everything(&self) {
        if !self.0.flags.read_everything.swap(true, Ordering::AcqRel) {
            self.0.table.changed.notify_waiters();
        }
    }

    /// Everything that was written is on its way. After an answer's end the connection is idle.
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
    async fn a_body_that_trickles_does_not_get_younger() {
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
        assert!(!room.is_finished(), "a request in flight gives no room");
        drop(slot);
        room.await.unwrap();
        assert_eq!(table.len(), 0);
    }
}
