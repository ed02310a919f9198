//! Keeps the list of replicas up to date: looks up the DNS name, and asks each replica for its id and whether it
//! accepts requests.

use std::time::Duration;

use futures_util::StreamExt as _;
use http::{HeaderMap, StatusCode};
use porthole_contract::limits::PEERS_LOOKUP_INTERVAL;
use porthole_contract::routes::{READYZ, REPLICA_HEADER};
use porthole_contract::session::{HANDLE_PREFIX, replica_of};
use porthole_contract::{ErrorAnswer, ErrorCode, Failure};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::Way;
use super::resolver::Lookup;
use crate::forward::{Service, beginning};
use crate::service_error::ServiceError;

/// Time for a look-up.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);
/// Time for a replica to tell its id.
const ASK_TIMEOUT: Duration = Duration::from_secs(2);
/// Replicas asked at once.
const ASKED_AT_ONCE: usize = 16;
/// Pause between two rounds of questions; handles that callers send don't shorten it.
const ASK_PAUSE: Duration = Duration::from_secs(1);

/// What a replica answered.
struct ReplicaAnswer {
    id: Option<String>,
    ready: Result<(), ServiceError>,
}

impl Service {
    /// The way of a call that names `session`, or no session.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND` for a text that is not a handle.
    pub(crate) async fn way(&self, session: Option<&str>) -> Result<Way, Failure> {
        let Some(handle) = session else { return Ok(self.replicas.any()) };
        let Some(replica) = replica_of(handle) else {
            return Err(Failure::new(ErrorCode::SessionNotFound, "session: is not a valid handle"));
        };
        if let Some(base) = self.replicas.alone() {
            return Ok(Way { bases: [base].into(), of_session: true });
        }
        if let Some(way) = self.replicas.to(replica) {
            return Ok(way);
        }
        self.refresh(Instant::now()).await;
        // A replica that is not found is gone, or the handle was tampered with: every replica can tell which.
        Ok(self.replicas.to(replica).unwrap_or_else(|| self.replicas.any()))
    }

    /// Whether any replica would accept a request.
    ///
    /// # Errors
    /// [`ServiceError::NotReady`] with the service's failure, or another if it did not answer within `timeout`.
    pub(crate) async fn ready(&self, timeout: Duration) -> Result<(), ServiceError> {
        self.ask_all(timeout).await
    }

    /// Finds the replicas before the first call.
    pub(crate) async fn find_replicas(&self) {
        if self.replicas.alone().is_none() {
            self.refresh(Instant::now()).await;
        }
    }

    /// Keeps the replicas known until `ended` is cancelled. One at a fixed address needs no watching.
    pub(crate) async fn watch_replicas(&self, ended: CancellationToken) {
        if self.replicas.alone().is_some() {
            return;
        }
        loop {
            tokio::select! {
                () = tokio::time::sleep(PEERS_LOOKUP_INTERVAL) => self.refresh(Instant::now()).await,
                () = ended.cancelled() => return,
            }
        }
    }

    /// Looks up and asks all replicas, unless another call did so after `since`.
    async fn refresh(&self, since: Instant) {
        let mut asked = self.replicas.asked.lock().await;
        if let Some(last) = *asked {
            if last >= since {
                return;
            }
            tokio::time::sleep_until(last + ASK_PAUSE).await;
        }
        *asked = Some(Instant::now());
        self.look_up().await;
        // What each of them answered is noted; that none is ready is for the calls to find out.
        let _ = self.ask_all(ASK_TIMEOUT).await;
    }

    /// Looks up the replicas' name. The addresses known before stay when that fails.
    async fn look_up(&self) {
        let Some(Lookup { peers, resolver }) = &self.replicas.lookup else { return };
        match tokio::time::timeout(LOOKUP_TIMEOUT, resolver(peers.clone())).await {
            Ok(Ok(addresses)) if !addresses.is_empty() => {
                let bases = addresses.into_iter().filter_map(|address| Url::parse(&format!("http://{address}")).ok());
                self.replicas.name(bases.collect());
            }
            Ok(Ok(_none)) => tracing::warn!(name = peers.name, "the replicas' name has no addresses"),
            Ok(Err(error)) => tracing::warn!(name = peers.name, %error, "the replicas' name can't be looked up"),
            Err(_late) => tracing::warn!(name = peers.name, "the look-up of the replicas' name takes too long"),
        }
    }

    /// Asks every replica; succeeds if one is ready.
    async fn ask_all(&self, timeout: Duration) -> Result<(), ServiceError> {
        let bases = self.replicas.bases();
        let mut asking = futures_util::stream::iter(bases)
            .map(|base| async move {
                let told = self.ask(&base, timeout).await;
                (base, told)
            })
            .buffer_unordered(ASKED_AT_ONCE);
        let mut outcome = Err(ServiceError::Nowhere);
        while let Some((base, told)) = asking.next().await {
            self.replicas.note(&base, told.id, told.ready.is_ok());
            match (&outcome, told.ready) {
                (Err(_), Ok(())) => outcome = Ok(()),
                (Err(ServiceError::Nowhere), Err(error)) => outcome = Err(error),
                _ => {}
            }
        }
        outcome
    }

    /// Asks one replica for its id and whether it would accept a request.
    async fn ask(&self, base: &Url, timeout: Duration) -> ReplicaAnswer {
        let request = self.to(http::Method::GET, base, READYZ).timeout(timeout);
        match request.send().await {
            Ok(answer) => ReplicaAnswer { id: id_in(answer.headers()), ready: readiness(answer, timeout).await },
            Err(error) => ReplicaAnswer { id: None, ready: Err(ServiceError::of(error, timeout)) },
        }
    }
}

async fn readiness(mut answer: reqwest::Response, timeout: Duration) -> Result<(), ServiceError> {
    let (status, headers) = (answer.status(), answer.headers().clone());
    if status == StatusCode::OK {
        return Ok(());
    }
    let body = beginning(&mut answer, timeout).await?;
    let failure: Option<ErrorAnswer> = serde_json::from_slice(&body).ok();
    match failure {
        Some(failure) if status == StatusCode::SERVICE_UNAVAILABLE => {
            Err(ServiceError::NotReady(Failure::new(failure.error, failure.details)))
        }
        _ => Err(ServiceError::refusal(status, &headers)),
    }
}

/// The replica's id in an answer, if it is one.
fn id_in(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REPLICA_HEADER)?.to_str().ok()?;
    (replica_of(&format!("{HANDLE_PREFIX}{id}")) == Some(id)).then(|| id.to_owned())
}
