//! Making a session.

use std::sync::{Arc, Mutex};

use porthole_contract::limits::SESSION_CALLS_MAX;
use porthole_contract::session::OpenOptions;
use porthole_contract::{Invalid, Viewport};
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use super::end::End;
use super::state;
use super::store::CallState;
use super::tabs::Tabs;
use super::viewers::Viewers;
use super::visited::Visited;
use super::{Session, SessionError, SessionId, Sessions};
use crate::admission::Client;
use crate::guard::{AllowHosts, NotAHost};
use crate::page::interact::Clipboard;
use crate::page::{Appearance, Identity, Page};
use crate::provider::{Credentials, LeaseRequest, ProviderError};

/// Who wants a session, and how it is to be.
pub struct Opening<'a> {
    /// The sandbox that it belongs to.
    pub sandbox: &'a str,
    /// Who asks, for the queue.
    pub client: &'a Client,
    /// How it is to be.
    pub options: &'a OpenOptions,
    /// The account whose remote sessions are used, where the request brought one.
    pub credentials: Option<Credentials>,
    /// The end of the call's time.
    pub deadline: Instant,
}

impl Sessions {
    /// Makes a session with one blank tab.
    ///
    /// # Errors
    /// [`SessionError`]: no seat, no permit in time, no page.
    pub async fn open(&self, opening: Opening<'_>) -> Result<Arc<Session>, SessionError> {
        let shared = &self.0;
        let Opening { sandbox, client, options, credentials, deadline } = opening;
        if shared.draining.is_cancelled() {
            return Err(ProviderError::Ending.into());
        }
        let seat = shared.seats.take(sandbox)?;
        let id = SessionId::random(shared.replica).map_err(|error| SessionError::Handle(error.to_string()))?;
        let handle = id.handle(&shared.owner_keys).map_err(|error| SessionError::Handle(error.to_string()))?;
        let _permit = shared.admission.acquire(client, deadline).await?;
        let request = LeaseRequest::session(shared.limits.age, credentials).of_sandbox(sandbox);
        let mut lease = shared.provider.lease(request).await?;
        let appearance = appearance(options);
        let identity = Identity::new(options.locale.clone(), options.time_zone.clone(), options.user_agent.clone());
        if let Some(hosts) = &options.allow_hosts {
            lease.restrict(allow_hosts(hosts)?);
        }
        let visited = match &options.storage_state {
            Some(state) => {
                // A lease is not shared between threads.
                let (page, target_id, network) =
                    (lease.page().clone(), lease.target_id().to_owned(), lease.network().clone());
                state::put(&page, &target_id, &network, state).await?
            }
            None => Visited::default(),
        };
        let (windows, downloads) = (lease.take_popups(), lease.take_downloads());
        let page = Page::open_as(&mut lease, &shared.judge, &appearance, &identity).await?;
        let mut tabs = Tabs::default();
        tabs.add(Arc::new(page), None, true);
        let limits = shared.limits.with_idle(options.idle_seconds);
        let now = Instant::now();
        let session = Arc::new(Session {
            id,
            handle,
            sandbox: sandbox.into(),
            limits,
            appearance: Mutex::new(appearance),
            identity,
            visited,
            files: Default::default(),
            hidden: Default::default(),
            reads_hidden: Default::default(),
            judge: shared.judge.clone(),
            since: now,
            used: Mutex::new(now),
            events: Default::default(),
            tabs: Mutex::new(tabs),
            tab_came: Notify::new(),
            call_slots: Semaphore::new(SESSION_CALLS_MAX),
            turn: tokio::sync::Mutex::new(CallState::default()),
            clipboard: Clipboard::default(),
            lease: Mutex::new(Some((lease, seat))),
            viewers: Viewers::new(shared.metrics.live.clone()),
            end: End::default(),
        });
        shared.store().live.insert(id, Arc::clone(&session));
        shared.tasks.spawn(Arc::clone(shared).live(Arc::clone(&session), windows, downloads));
        shared.metrics.began();
        tracing::info!(session = %id, "a session has begun");
        Ok(session)
    }
}

fn appearance(options: &OpenOptions) -> Appearance {
    Appearance {
        viewport: options.viewport.unwrap_or(Viewport::DESKTOP),
        color_scheme: options.color_scheme,
        reduced_motion: options.reduced_motion,
    }
}

/// Reads the only hosts that the session may reach.
fn allow_hosts(hosts: &[String]) -> Result<AllowHosts, Invalid> {
    AllowHosts::parse(hosts)
        .map_err(|NotAHost { at }| Invalid::new(format!("allow_hosts[{at}]"), "is neither a host name nor an address"))
}
