//! Identifies the process at the other end of a loopback connection. An egress serves only its browser: any other
//! process of this host could use it to send traffic from Porthole's address.
//!
//! On Linux the peer's socket is found by its address, then the process of the browser's group that holds it. Other
//! systems have no such look-up without `unsafe`: there every process that can reach loopback is served.

#[cfg(target_os = "linux")]
mod group;
#[cfg(target_os = "linux")]
mod socket;

use std::net::SocketAddr;
#[cfg(target_os = "linux")]
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::time::Duration;

use tokio::sync::Mutex;

#[cfg(target_os = "linux")]
use self::group::Group;

/// Pauses before a socket's process is searched again: `/proc` is no snapshot, and a browser that starts a process
/// during the search must not lose a connection.
#[cfg(target_os = "linux")]
const LOOK_AGAIN_AFTER: [Duration; 2] = [Duration::from_millis(2), Duration::from_millis(20)];

/// Decides which processes an egress serves. Clones share what they learn: give all leases of a browser clones of one.
#[derive(Clone, Debug)]
pub struct Peers(Who);

#[derive(Clone, Debug)]
enum Who {
    Anyone,
    #[cfg(target_os = "linux")]
    Group(Arc<Mutex<Group>>),
}

/// The peers of one egress. Its connections are checked one after the other: a page that opens hundreds at once has one
/// place among the look-ups of its browser, like every other page.
#[derive(Debug)]
pub(super) struct Entrance {
    peers: Peers,
    turn: Mutex<()>,
}

// === impl Entrance ===

impl Entrance {
    pub(super) fn new(peers: Peers) -> Entrance {
        Entrance { peers, turn: Mutex::default() }
    }

    /// Returns what [`Peers::admit`] does, after the connections that came before.
    pub(super) async fn admit(&self, peer: SocketAddr, local: SocketAddr) -> bool {
        let _turn = self.turn.lock().await;
        self.peers.admit(peer, local).await
    }
}

// === impl Peers ===

impl Peers {
    /// Serves every process that can reach loopback.
    #[must_use]
    pub fn anyone() -> Peers {
        Peers(Who::Anyone)
    }

    /// Serves the processes of the group with this leader. On systems other than Linux it is [`Peers::anyone`].
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn of_group(leader: u32) -> Peers {
        Peers(Who::Group(Arc::new(Mutex::new(Group::new(leader)))))
    }

    /// Serves the processes of the group with this leader. On systems other than Linux it is [`Peers::anyone`].
    #[cfg(not(target_os = "linux"))]
    #[must_use]
    pub fn of_group(_leader: u32) -> Peers {
        Peers::anyone()
    }

    /// Returns whether the socket at `peer` that is connected to `local` belongs to a served process; `false` if that
    /// can't be determined.
    async fn admit(&self, peer: SocketAddr, local: SocketAddr) -> bool {
        if !peer.ip().is_loopback() {
            return false;
        }
        match &self.0 {
            Who::Anyone => true,
            #[cfg(target_os = "linux")]
            Who::Group(group) => {
                if holds(group, peer, local).await {
                    return true;
                }
                for rest in LOOK_AGAIN_AFTER {
                    tokio::time::sleep(rest).await;
                    if holds(group, peer, local).await {
                        return true;
                    }
                }
                false
            }
        }
    }
}

/// Runs one look-up at a time: what the first one finds mostly answers the second.
#[cfg(target_os = "linux")]
async fn holds(group: &Arc<Mutex<Group>>, peer: SocketAddr, local: SocketAddr) -> bool {
    let mut group = Arc::clone(group).lock_owned().await;
    // The socket is mostly found with or beside the latest one, faster than another thread wakes up.
    if group.quickly_holds(peer, local) {
        return true;
    }
    tokio::task::spawn_blocking(move || group.holds(peer, local)).await.unwrap_or(false)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    #[tokio::test]
    async fn the_many_connections_of_one_egress_do_not_delay_another() {
        const MANY: usize = 100;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let local = listener.local_addr().unwrap();
        let peers = Peers::of_group(porthole_chromium::group_of(std::process::id()).unwrap());
        let Who::Group(group) = &peers.0 else { panic!("a group") };
        let held = Arc::clone(group).lock_owned().await;
        let (busy, other) = (Arc::new(Entrance::new(peers.clone())), Entrance::new(peers.clone()));
        let mut streams = Vec::new();
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..MANY {
            let stream = TcpStream::connect(local).await.unwrap();
            let (busy, peer) = (Arc::clone(&busy), stream.local_addr().unwrap());
            streams.push(stream);
            waiting.spawn(async move { busy.admit(peer, local).await });
        }
        let stream = TcpStream::connect(local).await.unwrap();
        // All of them wait for the group now.
        tokio::task::yield_now().await;
        drop(held);
        assert!(other.admit(stream.local_addr().unwrap(), local).await);
        let before = std::iter::from_fn(|| waiting.try_join_next()).count();
        assert!(before < MANY / 2, "{before} connections of the other egress were checked first");
        assert_eq!(waiting.join_all().await, vec![true; MANY - before]);
    }
}
