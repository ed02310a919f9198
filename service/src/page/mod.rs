//! Operations on an open page: navigate, settle, capture, read.
//!
//! `watch` reads the page's events and keeps its state; `script` holds all JavaScript that runs in it, `world` runs
//! it. Uses `cdp`, the `guard` that judges documents, and `provider`'s lease; never knows which provider.

mod appearance;
mod arrival;
mod begin_frame;
mod capture;
mod console;
mod dialog;
mod error;
mod failed;
mod frames;
mod identity;
pub mod input;
pub mod interact;
mod jpeg;
mod navigate;
mod news;
mod partial;
mod read;
mod revival;
mod screencast;
mod script;
mod settle;
pub mod storage;
mod stuck;
mod travel;
mod watch;
mod window;
mod world;

use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::inspector::EnableParams as EnableInspector;
use chromiumoxide_cdp::cdp::browser_protocol::page::{EnableParams as EnablePage, SetLifecycleEventsEnabledParams};
use porthole_contract::Viewport;
use tokio::sync::watch::{Receiver, Sender, channel};
use tokio::time::{Instant, timeout};

pub use self::appearance::Appearance;
pub use self::arrival::Arrival;
use self::begin_frame::FrameControl;
pub use self::capture::{Capture, Placement, Region};
pub use self::error::PageError;
pub use self::identity::{Identity, IdentityError};
pub use self::news::{Changes, News, NewsFeed};
pub use self::partial::before;
pub use self::revival::Revival;
pub use self::screencast::{CastFrame, CastOptions, FRAMES_UNDER_WAY_MAX, Screencast};
pub use self::travel::Travel;
pub use self::watch::Dialog;
use self::watch::{EventBarrier, Fatal, NetworkUse, PageState, Stop, Watched};
use crate::cdp::{Attached, CdpError, Session};
use crate::guard::{AllowHosts, Judge, Network, OnRefusal, PageGuard, Refusal};
use crate::provider::{Lease, Popups, Purpose};

/// Sends the setup commands of every page: they enable its events and create our world in each document. A warm page
/// gets them beforehand.
pub fn prepare(session: &Session) {
    session.call(&EnablePage::default()).forget();
    session.call(&SetLifecycleEventsEnabledParams::new(true)).forget();
    session.call(&EnableInspector::default()).forget();
    world::prepare(session);
}

/// Returns the page's guard: that of its egress if it has one, otherwise a new one.
fn page_guard(network: &Network, hosts: Option<&AllowHosts>, judge: &Judge) -> PageGuard {
    if let Some(egress) = network.egress() {
        return egress.guard().clone();
    }
    let guard = PageGuard::new(judge.guard.clone());
    if let Some(hosts) = hosts {
        guard.restrict(hosts.clone());
    }
    guard
}

/// An open page. It outlives its documents: it can be navigated again, even after a failed or refused navigation or a
/// renderer crash. The lease owns the page and its watchers.
pub struct Page {
    session: Session,
    main_frame: String,
    purpose: Purpose,
    /// The sending side of `state`, shared with the watchers; updated for navigations that we begin ourselves.
    known: Sender<PageState>,
    state: Receiver<PageState>,
    viewport: Viewport,
    guard: PageGuard,
    network: Network,
    /// The state for drawing by `begin_frame`; `None` if the page draws by itself.
    frame_control: Option<FrameControl>,
    barrier: EventBarrier,
    latest_document: interact::LatestDocument,
    network_use: NetworkUse,
    /// What the guard tells refused targets, of a local session's page.
    stops_refused: Option<Arc<OnRefusal>>,
}

impl Page {
    /// Opens a lease's blank page. Awaits nothing: the browser executes commands in order, so these take effect
    /// before any that are sent later.
    #[must_use]
    pub fn open(lease: &mut Lease, judge: &Judge, appearance: &Appearance) -> Self {
        let (session, target_id, is_prepared) =
            (lease.page().clone(), lease.target_id().to_owned(), lease.is_prepared());
        Self::drive(lease, session, target_id, is_prepared, judge, appearance, &Identity::default())
    }

    /// The same for the first page of a session, whose pages have this identity.
    ///
    /// # Errors
    /// [`IdentityError`] where the browser refuses the identity.
    pub async fn open_as(
        lease: &mut Lease,
        judge: &Judge,
        appearance: &Appearance,
        identity: &Identity,
    ) -> Result<Self, IdentityError> {
        let (session, target_id, is_prepared) =
            (lease.page().clone(), lease.target_id().to_owned(), lease.is_prepared());
        identity.try_on(&session).await?;
        Ok(Self::drive(lease, session, target_id, is_prepared, judge, appearance, identity))
    }

    /// Takes on a window that a page of the lease opened, as a page of its own, and lets it run.
    #[must_use]
    pub fn adopt(
        lease: &mut Lease,
        window: &Attached,
        judge: &Judge,
        appearance: &Appearance,
        identity: &Identity,
    ) -> Self {
        let (session, target_id) = (window.session.clone(), window.target_id.clone());
        identity.apply(&session);
        let page = Self::drive(lease, session, target_id, false, judge, appearance, identity);
        page.known.send_modify(|state| state.document.url.clone_from(&window.url));
        window.resume();
        lease.watchers().spawn(watch::find_first_document(window.session.clone(), page.known.clone()));
        page
    }

    fn drive(
        lease: &mut Lease,
        session: Session,
        main_frame: String,
        is_prepared: bool,
        judge: &Judge,
        appearance: &Appearance,
        identity: &Identity,
    ) -> Self {
        let network = lease.network().clone();
        let (known, state) = channel(PageState::default());
        let barrier = EventBarrier::new();
        let guard = page_guard(&network, lease.hosts(), judge);
        if network.egress().is_some() {
            guard.learns_by(watch::catch_up(&session, &barrier));
        }
        let network_use = NetworkUse::new(&session, network.remote().is_some());
        let watched = Watched {
            main_frame: main_frame.clone(),
            purpose: lease.purpose(),
            identity: identity.clone(),
            guard: guard.clone(),
            blocked: judge.blocked.clone(),
            network: network.clone(),
            state: known.clone(),
            barrier: barrier.clone(),
            network_use: network_use.clone(),
        };
        let stops_refused = (network.egress().is_some() && lease.purpose().popups() == Popups::Adopt)
            .then(|| watch::stop_refused(&session, &watched));
        if let Some(stops) = &stops_refused {
            guard.tells_refusals(stops);
        }
        watch::watch_page(lease.watchers(), &session, watched);
        if !is_prepared {
            prepare(&session);
        }
        if network.remote().is_some() {
            session.call(&watch::network()).forget();
            world::report(&session);
        }
        if lease.purpose() == Purpose::Session {
            console::keep_errors(&session);
        }
        appearance::apply(&session, appearance);
        Self {
            session,
            main_frame,
            purpose: lease.purpose(),
            known,
            state,
            viewport: appearance.viewport,
            guard,
            network,
            frame_control: lease.frame_lock().cloned().map(FrameControl::new),
            barrier,
            latest_document: interact::LatestDocument::default(),
            network_use,
            stops_refused,
        }
    }

    /// Refuses a URL whose host the page may not reach by its session's own list, before anyone is asked about it.
    ///
    /// # Errors
    /// [`Refusal`], also for what is not a URL.
    pub fn judge_host(&self, url: &str) -> Result<(), Refusal> {
        self.guard.judge_host(url)
    }

    /// Takes the refusal of a document that the page navigated to by itself, if any. Until it is taken, or the page
    /// is navigated, all work on the page fails with it.
    pub fn take_refusal(&self) -> Option<Refusal> {
        let mut refusal = None;
        self.known.send_if_modified(|state| {
            refusal = state.refused.take();
            refusal.is_some()
        });
        refusal
    }

    /// Awaits an answer for at most `limit`. Fails early if the page is refused or dies.
    async fn within<T>(
        &self,
        limit: Duration,
        what: &'static str,
        answer: impl Future<Output = Result<T, CdpError>>,
    ) -> Result<T, PageError> {
        tokio::select! {
            biased;
            stop = self.stop() => Err(stop.into()),
            answer = timeout(limit, answer) => Ok(answer.map_err(|_| PageError::TimedOut(what))??),
        }
    }

    /// Waits until the page's document is refused or the page dies, and returns which.
    async fn stop(&self) -> Stop {
        let mut state = self.state.clone();
        match state.wait_for(|state| state.stop().is_some()).await {
            Ok(state) => state.stop().unwrap_or(Stop::Dead(Fatal::Gone)),
            Err(_) => Stop::Dead(Fatal::Gone),
        }
    }

    /// Waits up to `limit` while the page is leaving for another document, and returns whether it stays. A page that is
    /// leaving answers nothing: the browser passes nothing on to it until the other document's server has answered.
    ///
    /// # Errors
    /// [`PageError`]: the page is refused or dead.
    pub async fn stays(&self, limit: Duration) -> Result<bool, PageError> {
        self.reaches(Instant::now() + limit, |state| state.document.stays()).await
    }

    /// Waits until the page's state is `wanted`; returns false if it is not by `deadline`. Fails early if the page is
    /// refused or dies.
    async fn reaches(&self, deadline: Instant, wanted: impl FnMut(&PageState) -> bool) -> Result<bool, PageError> {
        let mut state = self.state.clone();
        tokio::select! {
            biased;
            stop = self.stop() => Err(stop.into()),
            reached = tokio::time::timeout_at(deadline, state.wait_for(wanted)) => match reached {
                Ok(Ok(_)) => Ok(true),
                Ok(Err(_)) => Err(Fatal::Gone.into()),
                Err(_) => Ok(false),
            },
        }
    }
}
