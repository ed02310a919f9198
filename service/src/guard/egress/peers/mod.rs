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

#[cfg(target_os = "linux")]
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
    pub(super) async fn admit(&self, peer: SocketAddr, local: SocketAddr) -> bool {
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
    // The socket is mostly found beside the latest one, faster than another thread wakes up.
    if group.quickly_holds(peer, local) {
        return true;
    }
    tokio::task::spawn_blocking(move || group.holds(peer, local)).await.unwrap_or(false)
}
