//! How a page is opened: a lease's blank one, a session's first one, and a window that one of its pages opened.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use chromiumoxide_cdp::cdp::browser_protocol::inspector::EnableParams as EnableInspector;
use chromiumoxide_cdp::cdp::browser_protocol::page::{EnableParams as EnablePage, SetLifecycleEventsEnabledParams};
use tokio::sync::watch::{Receiver, channel};

use super::captures_beyond::CapturesBeyond;
use super::frame_control::FrameControl;
use super::input::Sharing;
use super::interact::LatestDocument;
use super::watch::{EventBarrier, NetworkUse, PageState, Watched};
use super::{Appearance, Identity, IdentityError, Page, appearance, console, watch, world};
use crate::cdp::{Attached, Session};
use crate::guard::{Judge, PageGuard};
use crate::provider::{Lease, Popups, Purpose};

/// Sends the setup commands of every page: they enable its events and create our world in each document. A warm page
/// gets them beforehand.
pub fn prepare(session: &Session) {
    session.call(&EnablePage::default()).forget();
    session.call(&SetLifecycleEventsEnabledParams::new(true)).forget();
    session.call(&EnableInspector::default()).forget();
    world::prepare(session);
}

/// A target of the browser that becomes a page.
struct Target {
    session: Session,
    main_frame: String,
    /// Whether [`prepare`] has been called.
    is_prepared: bool,
}

impl Target {
    /// The lease's blank page.
    fn leased(lease: &Lease) -> Self {
        let (session, main_frame) = (lease.page().clone(), lease.target_id().to_owned());
        Self { session, main_frame, is_prepared: lease.is_prepared() }
    }
}

impl Page {
    /// Opens a lease's blank page. Awaits nothing: the browser executes commands in order, so these take effect
    /// before any that are sent later.
    #[must_use]
    pub fn open(lease: &mut Lease, judge: &Judge, appearance: &Appearance) -> Self {
        let target = Target::leased(lease);
        Self::drive(lease, target, judge, appearance, &Identity::default())
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
        let target = Target::leased(lease);
        identity.try_on(&target.session).await?;
        let page = Self::drive(lease, target, judge, appearance, identity);
        page.begins_blank();
        Ok(page)
    }

    /// Notes that no page has opened it: nothing comes until it is led somewhere.
    pub fn begins_blank(&self) {
        self.known.send_if_modified(|state| {
            let is_new = state.arrivals == 0;
            state.document.dom_content_loaded |= is_new;
            is_new
        });
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
        let target =
            Target { session: window.session.clone(), main_frame: window.target_id.clone(), is_prepared: false };
        identity.apply(&target.session);
        let page = Self::drive(lease, target, judge, appearance, identity);
        page.known.send_modify(|state| state.document.url.clone_from(&window.url));
        window.resume();
        lease.watchers().spawn(watch::find_first_document(window.session.clone(), page.known.clone()));
        page
    }

    /// Watches and guards a target before it goes anywhere, and sends what sets it up.
    fn drive(lease: &mut Lease, target: Target, judge: &Judge, appearance: &Appearance, identity: &Identity) -> Self {
        let Target { session, main_frame, is_prepared } = target;
        let network = lease.network().clone();
        let (known, state) = channel(PageState::default());
        let barrier = EventBarrier::default();
        let guard = page_guard(lease, judge);
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
            downloads: lease.download_reports().cloned(),
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
        set_up(lease, &session, &state);
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
            latest_document: LatestDocument::default(),
            settles_by: Mutex::default(),
            network_use,
            stops_refused,
            has_pointer: AtomicBool::new(false),
            captures_beyond: CapturesBeyond::default(),
            sharing: Sharing::default(),
        }
    }
}

/// Sends the setup commands that depend on what the page is for, and on where it runs.
fn set_up(lease: &mut Lease, session: &Session, state: &Receiver<PageState>) {
    let remote = lease.network().remote();
    let judges_addresses = remote.is_some_and(|remote| remote.judges_addresses);
    if remote.is_some() {
        session.call(&watch::network()).forget();
        world::report(session);
    }
    if lease.purpose() == Purpose::Session {
        console::keep_errors(session);
        if judges_addresses {
            lease.watchers().spawn(watch::leave_withheld(session.clone(), state.clone()));
        }
    }
}

/// Returns the page's guard: that of its egress if it has one, otherwise the lease's own.
fn page_guard(lease: &mut Lease, judge: &Judge) -> PageGuard {
    if let Some(egress) = lease.network().egress() {
        return egress.guard().clone();
    }
    let hosts = lease.hosts().cloned();
    lease.remote_guard(|| {
        let guard = PageGuard::new(judge.guard.clone());
        if let Some(hosts) = hosts {
            guard.restrict(hosts);
        }
        guard
    })
}
