//! All sessions: created within their project's limits, each with a browser and a keeper task; listed after their end.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use time::OffsetDateTime;
use tokio::net::TcpSocket;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::lifetimes::Lifetimes;
use super::limits::{Creations, Standing};
use super::request::CreateRequest;
use super::totals::Totals;
use super::traffic::Traffic;
use super::{EndedBy, Session, State, Status};
use crate::browser::{Browser, BrowserError, Browsers};
use crate::keys;

/// Ended sessions that are still listed.
const OVER_MAX: usize = 10_000;
/// Random part of a signing key, in bytes.
const SIGNING_KEY_BYTES: usize = 96;
/// `Retry-After` at the concurrency limit; the time until a session ends is unknown.
const CONCURRENCY_RETRY_AFTER_S: u64 = 5;

/// Limits on a project's sessions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectLimits {
    pub(crate) concurrency: usize,
    pub(crate) per_minute: usize,
}

/// All sessions.
pub(crate) struct Sessions {
    browsers: Browsers,
    pub(crate) lifetimes: Lifetimes,
    pub(crate) limits: ProjectLimits,
    known: Mutex<Known>,
    /// Keeper tasks of sessions, connections of clients, and creations in progress.
    tasks: TaskTracker,
    ending: CancellationToken,
}

#[derive(Default)]
struct Known {
    /// Oldest first.
    sessions: VecDeque<Arc<Session>>,
    creations: BTreeMap<String, Creations>,
    /// Totals of the sessions that are no longer listed.
    forgotten: Totals,
}

/// Why a session can't be created.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CreateError {
    #[error(
        "You've exceeded your max concurrent sessions limit (limit {limit}, currently {current}). End a session and \
         try again."
    )]
    Concurrency { limit: usize, current: usize, standing: Standing },
    #[error("You've exceeded your session creation limit (limit {} per minute). Try again later.", .0.limit)]
    PerMinute(Standing),
    #[error("the system provides no random bytes")]
    Random(#[from] getrandom::Error),
    #[error("can't reserve a port")]
    Port(#[source] std::io::Error),
    #[error(transparent)]
    Browser(#[from] BrowserError),
    #[error("the emulator is ending")]
    Ending,
}

impl Sessions {
    pub(crate) fn new(browsers: Browsers, lifetimes: Lifetimes, limits: ProjectLimits) -> Self {
        let tasks = TaskTracker::new();
        let profiles = browsers.profiles.clone();
        tasks.spawn(async move { porthole_chromium::sweep(&profiles).await });
        Self { browsers, lifetimes, limits, known: Mutex::default(), tasks, ending: CancellationToken::new() }
    }

    /// Creates a session and starts its browser. Continues if the caller leaves, as Browserbase does: such a session
    /// runs although no client knows its id.
    pub(crate) async fn create(
        self: &Arc<Self>,
        project_id: String,
        request: CreateRequest,
        asked_with: Value,
        is_unreachable: bool,
    ) -> Result<(Arc<Session>, Standing), CreateError> {
        let unreachable = is_unreachable.then(reserve_port).transpose().map_err(CreateError::Port)?;
        let settings = request.browser_settings.clone().unwrap_or_default();
        let options = settings.options();
        let lifetime = request.lifetime(&self.lifetimes);
        let now = OffsetDateTime::now_utc();
        let session = Arc::new(Session {
            id: Uuid::new_v4().to_string(),
            signing_key: keys::random(SIGNING_KEY_BYTES)?.into(),
            project_id,
            region: request.region.unwrap_or_default(),
            keep_alive: request.keep_alive.unwrap_or_default(),
            user_metadata: request.user_metadata,
            asked_with,
            created_at: now,
            lifetime,
            traffic: settings.logs_session().then(Traffic::default),
            unreachable,
            over: CancellationToken::new(),
            kill: CancellationToken::new(),
            killed: CancellationToken::new(),
            state: Mutex::new(State {
                status: Status::Pending,
                updated_at: now,
                ended: None,
                endpoint: None,
                sockets: 0,
                connections: 0,
                release_requests: 0,
                released: false,
            }),
        });
        let standing = self.admit(&session)?;
        let expires = Instant::now() + lifetime;
        let sessions = Arc::clone(self);
        let creating = self.tasks.spawn(async move {
            match sessions.browsers.start(options, &session.over).await {
                Ok(browser) => {
                    // If the session was ended meanwhile, its keeper ends the browser at once.
                    session.runs(browser.endpoint.clone());
                    tracing::info!(session = session.id, pid = browser.process.id(), "a session is running");
                    let keeper = keep(Arc::clone(&session), browser, expires, sessions.lifetimes.clone());
                    sessions.tasks.spawn(keeper);
                    Ok(session)
                }
                Err(error) => {
                    session.end(EndedBy::BrowserDied);
                    Err(error)
                }
            }
        });
        let session = creating.await.map_err(|_panicked| CreateError::Ending)??;
        Ok((session, standing))
    }

    /// Checks the limits and enters the session, atomically.
    fn admit(&self, session: &Arc<Session>) -> Result<Standing, CreateError> {
        let ProjectLimits { concurrency, per_minute } = self.limits;
        let mut known = self.known();
        if self.ending.is_cancelled() {
            return Err(CreateError::Ending);
        }
        let now = Instant::now();
        let creations = known.creations.entry(session.project_id.clone()).or_default();
        if creations.standing(per_minute, now).remaining == 0 {
            return Err(CreateError::PerMinute(creations.standing(per_minute, now)));
        }
        let is_open = |other: &&Arc<Session>| other.project_id == session.project_id && !other.state().status.is_over();
        let current = known.sessions.iter().filter(is_open).count();
        if current >= concurrency {
            let standing = Standing { limit: concurrency, remaining: 0, reset_s: CONCURRENCY_RETRY_AFTER_S };
            return Err(CreateError::Concurrency { limit: concurrency, current, standing });
        }
        known.sessions.push_back(Arc::clone(session));
        known.forget_oldest();
        let creations = known.creations.entry(session.project_id.clone()).or_default();
        creations.count(now);
        Ok(creations.standing(per_minute, now))
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<Session>> {
        self.known().sessions.iter().find(|session| session.id == id).cloned()
    }

    /// Finds the session of a connect URL.
    pub(crate) fn by_signing_key(&self, key: &str) -> Option<Arc<Session>> {
        // Copied, so that the lock is not held while keys are compared.
        let sessions: Vec<_> = self.known().sessions.iter().rev().cloned().collect();
        sessions.into_iter().find(|session| keys::same(&session.signing_key, key))
    }

    /// Returns all listed sessions, newest first.
    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        self.known().sessions.iter().rev().cloned().collect()
    }

    /// Returns the totals of the sessions that are no longer listed.
    pub(crate) fn forgotten(&self) -> Totals {
        self.known().forgotten.clone()
    }

    /// Spawns a task that [`Sessions::end`] waits for.
    pub(crate) fn run(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(task);
    }

    /// Ends every session and waits until all browsers have exited. Later creations are refused.
    pub(crate) async fn end(&self) {
        self.ending.cancel();
        let sessions: Vec<_> = self.known().sessions.iter().cloned().collect();
        sessions.iter().for_each(|session| session.end(EndedBy::Shutdown));
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn forget_oldest(&mut self) {
        while self.sessions.len() > OVER_MAX {
            let oldest_over = self.sessions.iter().position(|session| session.state().status.is_over());
            let Some(session) = oldest_over.and_then(|at| self.sessions.remove(at)) else { return };
            self.forgotten.add(&session.state());
        }
    }
}

/// Waits until a session or its browser ends, then kills the browser and removes its profile.
async fn keep(session: Arc<Session>, browser: Browser, expires: Instant, lifetimes: Lifetimes) {
    let Browser { mut process, _pipe: pipe, .. } = browser;
    let never_connected = async {
        sleep(lifetimes.connect_within).await;
        if session.state().connections > 0 {
            std::future::pending::<()>().await;
        }
    };
    let ended_by = tokio::select! {
        () = session.over.cancelled() => None,
        status = process.ended() => {
            Some(if status.is_ok_and(|status| status.success()) { EndedBy::BrowserClosed } else { EndedBy::BrowserDied })
        }
        () = session.kill.cancelled() => Some(EndedBy::BrowserDied),
        () = sleep_until(expires) => Some(EndedBy::TimedOut),
        () = never_connected => Some(EndedBy::TimedOut),
    };
    // Clients get a close frame when a session times out, but none when its browser dies.
    if ended_by == Some(EndedBy::TimedOut) {
        session.end(EndedBy::TimedOut);
    }
    let profile = process.kill().await;
    session.killed.cancel();
    if let Some(ended_by) = ended_by {
        session.end(ended_by);
    }
    drop(pipe);
    profile.remove().await;
}

/// Reserves a loopback port without listening on it, so that connections are refused.
fn reserve_port() -> std::io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(([127, 0, 0, 1], 0).into())?;
    Ok(socket)
}
