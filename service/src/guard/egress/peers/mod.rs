//! Who is at the other end of a connection from this host. An egress is for its browser alone: any other process here
//! could use it to leave with Porthole's address.
//!
//! On Linux the browser's socket is found by its address, then the process of the browser's group that holds it. Other
//! systems have no such look-up without `unsafe`: there whoever can reach loopback is let in.

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

/// How long to wait before looking again for a socket's process: `/proc` is no snapshot, and a browser that starts a
/// process meanwhile must not lose a connection by it.
#[cfg(target_os = "linux")]
const LOOK_AGAIN_AFTER: [Duration; 2] = [Duration::from_millis(2), Duration::from_millis(20)];

/// Whose connections an egress serves. Clones share what one of them has learnt: give all leases of a browser the same.
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
    /// Whoever can reach loopback.
    #[must_use]
    pub fn anyone() -> Peers {
        Peers(Who::Anyone)
    }

    /// The processes of this process group: its leader's id. Not Linux: [`Peers::anyone`].
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn of_group(leader: u32) -> Peers {
        Peers(Who::Group(Arc::new(Mutex::new(Group::new(leader)))))
    }

    /// The processes of this process group: its leader's id. Not Linux: [`Peers::anyone`].
    #[cfg(not(target_os = "linux"))]
    #[must_use]
    pub fn of_group(_leader: u32) -> Peers {
        Peers::anyone()
    }

    /// Whether the socket at `peer` that is connected to `local` belongs to one of them. When that can't be found out, it
    /// does not.
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

/// One look-up at a time: the second of two connections is mostly answered by what the first has found.
#[cfg(target_os = "linux")]
async fn holds(group: &Arc<Mutex<Group>>, peer: SocketAddr, local: SocketAddr) -> bool {
    let mut group = Arc::clone(group).lock_owned().await;
    // Mostly it is found where the latest one was, in less time than another thread takes to wake.
    if group.soon_known_to_hold(peer, local) {
        return true;
    }
    tokio::task::spawn_blocking(move || group.holds(peer, local)).await.unwrap_or(false)
}
