//! The sessions of a replica, and what one is made of.
//!
//! What is done with a session is in the other files, which are not known here.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::end::{End, Reason};
use super::events::Events;
use super::file_list::Files;
use super::tabs::Tabs;
use super::viewers::Viewers;
use super::visited::{Hidden, Visited};
use super::{ReplicaId, SessionError, SessionId};
use crate::admission::{Admission, Seat, SeatLimits, Seats};
use crate::cdp::Attached;
use crate::guard::Judge;
use crate::owner_token::OwnerKeys;
use crate::page::interact::{Clipboard, Refs};
use crate::page::{Appearance, Identity, Page};
use crate::provider::{Lease, Provider};
use crate::telemetry::AgentMetrics;

/// How many sessions that were lost are remembered, so that their callers learn it.
const LOST_REMEMBERED_MAX: usize = 1_024;

/// How many sessions there may be, and how long they live.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits {
    /// How many there may be, here and for one sandbox.
    pub seats: SeatLimits,
    /// A session ends after this long without a call.
    pub idle: Duration,
    /// A session's longest life.
    pub age: Duration,
    /// How long sessions go on once the service was asked to end.
    pub drain: Duration,
}

impl SessionLimits {
    /// The same with a shorter idle time, where one was asked for.
    pub(super) fn with_idle(self, seconds: Option<u32>) -> Self {
        let asked = seconds.map(|seconds| Duration::from_secs(seconds.into()));
        Self { idle: asked.map_or(self.idle, |asked| asked.min(self.idle)), ..self }
    }
}

/// The sessions of this replica. Clones share them.
#[derive(Clone)]
pub struct Sessions(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) limits: SessionLimits,
    pub(super) provider: Arc<dyn Provider>,
    pub(super) judge: Judge,
    pub(super) admission: Admission,
    pub(super) seats: Seats,
    pub(super) owner_keys: Arc<OwnerKeys>,
    pub(super) replica: ReplicaId,
    pub(super) store: Mutex<Store>,
    pub(super) metrics: AgentMetrics,
    /// Cancelled when no more sessions may begin.
    pub(super) draining: CancellationToken,
    /// Cancelled when the replica ends.
    pub(super) ending: CancellationToken,
    pub(super) tasks: TaskTracker,
}

#[derive(Default)]
pub(super) struct Store {
    pub(super) live: HashMap<SessionId, Arc<Session>>,
    /// Sessions whose browser died, oldest first, with their sandboxes.
    pub(super) lost: VecDeque<(SessionId, Arc<str>)>,
}

/// A session.
pub struct Session {
    pub(super) id: SessionId,
    pub(super) handle: String,
    pub(super) sandbox: Arc<str>,
    pub(super) limits: SessionLimits,
    pub(super) appearance: Mutex<Appearance>,
    pub(super) identity: Identity,
    pub(super) visited: Visited,
    pub(super) files: Files,
    pub(super) hidden: watch::Sender<Hidden>,
    /// Held while that window is open.
    pub(super) reads_hidden: Arc<tokio::sync::Mutex<()>>,
    pub(super) judge: Judge,
    pub(super) since: Instant,
    pub(super) used: Mutex<Instant>,
    pub(super) events: Events,
    pub(super) tabs: Mutex<Tabs>,
    /// Told when a window was taken on as a tab.
    pub(super) tab_came: Notify,
    /// A place for each call that runs or waits.
    pub(super) call_slots: Semaphore,
    /// Held by the call that runs; others wait in the order of their arrival.
    pub(super) turn: tokio::sync::Mutex<CallState>,
    /// The clipboard of the session's tabs: the browser's own is shared by all of its contexts.
    pub(super) clipboard: Clipboard,
    /// Taken when the session ends.
    pub(super) lease: Mutex<Option<(Lease, Seat)>>,
    pub(super) viewers: Viewers,
    pub(super) end: End,
}

/// What only the call that runs may touch.
#[derive(Debug, Default)]
pub(super) struct CallState {
    pub(super) refs: Refs,
    /// The tab that the last answer was about, if it was open then.
    pub(super) tab_told: Option<String>,
    /// How many requests that the egress refused were told of.
    pub(super) blocked_by_egress_told: u64,
    /// How many requests over the page's budget were.
    pub(super) over_budget_told: u64,
}

// === impl Sessions ===

impl Sessions {
    /// The sessions of a replica that has none yet.
    #[must_use]
    pub fn new(
        limits: SessionLimits,
        provider: Arc<dyn Provider>,
        judge: Judge,
        admission: Admission,
        owner_keys: Arc<OwnerKeys>,
        replica: ReplicaId,
        metrics: AgentMetrics,
    ) -> Self {
        let seats = Seats::new(limits.seats, admission.clone());
        Self(Arc::new(Shared {
            limits,
            provider,
            judge,
            admission,
            seats,
            owner_keys,
            replica,
            store: Mutex::default(),
            metrics,
            draining: CancellationToken::new(),
            ending: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }))
    }

    /// This replica's id.
    #[must_use]
    pub fn replica(&self) -> ReplicaId {
        self.0.replica
    }

    /// How many sessions there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.store().live.len()
    }

    /// The session of this handle, if it belongs to the sandbox.
    ///
    /// # Errors
    /// [`SessionError::NoPage`] without a handle, [`SessionError::NotFound`] for one that is forged, another sandbox's or
    /// ended, [`SessionError::Lost`] for one whose browser died or whose replica is gone.
    pub fn find(&self, handle: Option<&str>, sandbox: &str) -> Result<Arc<Session>, SessionError> {
        let handle = handle.ok_or(SessionError::NoPage)?;
        let id = SessionId::read(handle, &self.0.owner_keys).ok_or(SessionError::NotFound)?;
        let store = self.0.store();
        if let Some(session) = store.live.get(&id) {
            return if *session.sandbox == *sandbox { Ok(Arc::clone(session)) } else { Err(SessionError::NotFound) };
        }
        let was_lost = store.lost.iter().any(|(lost, owner)| *lost == id && **owner == *sandbox);
        Err(if was_lost || id.replica() != self.0.replica { SessionError::Lost } else { SessionError::NotFound })
    }

    /// How sessions end, as metrics name it.
    pub fn ends() -> impl Iterator<Item = &'static str> {
        Reason::ALL.into_iter().map(Reason::name)
    }

    /// Lets no more sessions begin, and waits until there is none, for [`SessionLimits::drain`] at most.
    pub async fn drain(&self) {
        self.0.draining.cancel();
        // Sessions that begin now are refused, so it only closes.
        self.0.tasks.close();
        drop(tokio::time::timeout(self.0.limits.drain, self.0.tasks.wait()).await);
    }

    /// Ends all sessions and waits until they have given everything back.
    pub async fn end(&self) {
        self.0.ending.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }
}

impl Shared {
    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    pub(super) fn remember_lost(&mut self, id: SessionId, sandbox: Arc<str>) {
        if self.lost.len() == LOST_REMEMBERED_MAX {
            self.lost.pop_front();
        }
        self.lost.push_back((id, sandbox));
    }
}

// === impl Session ===

impl Session {
    /// Its handle.
    #[must_use]
    pub fn handle(&self) -> &str {
        &self.handle
    }

    pub(super) fn tabs(&self) -> MutexGuard<'_, Tabs> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn appearance(&self) -> Appearance {
        *self.appearance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks the session as used now, and returns how long it was not.
    pub(super) fn touch(&self) -> Duration {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut *used, now))
    }

    /// How long the session was not used.
    #[must_use]
    pub fn idle_for(&self) -> Duration {
        self.idle_since().elapsed()
    }

    pub(super) fn idle_since(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes on a window as a tab. `None` once the session has ended.
    pub(super) fn adopt(&self, window: &Attached) -> Option<Arc<Page>> {
        let mut lease = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
        let (lease, _) = lease.as_mut()?;
        Some(Arc::new(Page::adopt(lease, window, &self.judge, &self.appearance(), &self.identity)))
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("id", &self.id).finish_non_exhaustive()
    }
}
