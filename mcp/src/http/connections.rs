//! The connections of HTTP clients of 2025-11-25, by tenant and `Mcp-Session-Id`.
//!
//! A server that was started again, or another one, does not know an id and takes it all the same: its client loses the
//! implied session, and is told so by the tool, instead of losing the server. An id that its client has ended stays
//! ended for as long as it is remembered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::connection::Connection;

/// Connections that are remembered, each in a few hundred bytes.
const CONNECTIONS_MAX: usize = 4_096;
/// Connections of one tenant that are remembered, so that no tenant takes the memory of all.
const CONNECTIONS_OF_TENANT_MAX: usize = 1_024;
/// How long a connection without requests is remembered; browser sessions end sooner.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(3_600);

/// A tenant's connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    tenant: Arc<str>,
    id: Box<str>,
}

#[derive(Debug)]
struct Known {
    connection: Connection,
    used: Instant,
    ended: bool,
}

/// The connections that are known.
#[derive(Debug, Default)]
pub(super) struct Connections(Mutex<HashMap<Key, Known>>);

impl Connections {
    /// Returns the tenant's connection of this id; `None` once it has ended.
    pub(super) fn get(&self, tenant: &Arc<str>, id: &str) -> Option<Connection> {
        let mut known = self.known();
        let key = Key { tenant: Arc::clone(tenant), id: id.into() };
        let now = Instant::now();
        if let Some(known) = known.get_mut(&key) {
            known.used = now;
            return (!known.ended).then(|| known.connection.clone());
        }
        make_room(&mut known, tenant, now);
        let connection = Connection::default();
        known.insert(key, Known { connection: connection.clone(), used: now, ended: false });
        Some(connection)
    }

    /// Ends the tenant's connection of this id, and returns it; `None` if it had ended.
    pub(super) fn end(&self, tenant: &Arc<str>, id: &str) -> Option<Connection> {
        let connection = self.get(tenant, id)?;
        if let Some(known) = self.known().get_mut(&Key { tenant: Arc::clone(tenant), id: id.into() }) {
            known.ended = true;
        }
        connection.cancel_all();
        Some(connection)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Key, Known>> {
        // Each change is complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room for one more: forgets those that are long unused, then the one of the tenant, or of all, that has been
/// unused for longest. Requests in flight go on without theirs.
fn make_room(known: &mut HashMap<Key, Known>, tenant: &Arc<str>, now: Instant) {
    let of_tenant = known.keys().filter(|key| key.tenant == *tenant).count();
    if known.len() < CONNECTIONS_MAX && of_tenant < CONNECTIONS_OF_TENANT_MAX {
        return;
    }
    known.retain(|_, known| now.duration_since(known.used) < FORGOTTEN_AFTER || known.connection.is_busy());
    let full = if of_tenant >= CONNECTIONS_OF_TENANT_MAX { Some(tenant) } else { None };
    let candidates = known.iter().filter(|(key, _)| full.is_none_or(|tenant| key.tenant == *tenant));
    let oldest =
        candidates.min_by_key(|(_, known)| (known.connection.is_busy(), known.used)).map(|(key, _)| key.clone());
    if let Some(oldest) = oldest {
        known.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(name: &str) -> Arc<str> {
        name.into()
    }

    #[tokio::test(start_paused = true)]
    async fn an_id_is_its_tenants_alone() {
        let connections = Connections::default();
        connections.get(&tenant("a"), "1").unwrap().opened("ses_a");
        assert_eq!(connections.get(&tenant("a"), "1").unwrap().implied().as_deref(), Some("ses_a"));
        assert_eq!(connections.get(&tenant("b"), "1").unwrap().implied(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_ended_connection_stays_ended() {
        let connections = Connections::default();
        let (_guard, cancelled) = connections.get(&tenant("a"), "1").unwrap().begin("7".to_owned());
        assert!(connections.end(&tenant("a"), "1").is_some());
        assert!(cancelled.is_cancelled());
        assert!(connections.get(&tenant("a"), "1").is_none() && connections.end(&tenant("a"), "1").is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn connections_are_bounded_by_tenant_and_the_longest_unused_goes_first() {
        let connections = Connections::default();
        connections.get(&tenant("b"), "kept").unwrap().opened("ses_b");
        connections.get(&tenant("a"), "first").unwrap().opened("ses_first");
        connections.get(&tenant("a"), "second").unwrap().opened("ses_second");
        for number in 0..CONNECTIONS_OF_TENANT_MAX - 2 {
            tokio::time::advance(Duration::from_millis(1)).await;
            connections.get(&tenant("a"), &number.to_string());
        }
        connections.get(&tenant("a"), "first");
        connections.get(&tenant("a"), "one more");
        assert_eq!(connections.known().len(), CONNECTIONS_OF_TENANT_MAX + 1);
        assert_eq!(connections.get(&tenant("a"), "first").unwrap().implied().as_deref(), Some("ses_first"));
        assert_eq!(connections.get(&tenant("a"), "second").unwrap().implied(), None, "forgotten, and begun anew");
        assert_eq!(connections.get(&tenant("b"), "kept").unwrap().implied().as_deref(), Some("ses_b"));
    }
}
