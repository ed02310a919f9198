//! Shared by the commands that call the worker: the client, the progress, and a sandbox created when needed.

use std::cell::OnceCell;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use porthole_client::{Client, CreateRequest, CreateResponse, Error, ErrorCode};
use time::OffsetDateTime;
use tokio::sync::watch;

use super::failure::Failed;
use super::output;
use super::private_files::PrivateFiles;
use super::progress::Progress;
use super::sandbox::SavedSandboxes;
use super::settings;

/// A client for one command.
pub(crate) struct Caller {
    client: Client,
    /// `None` if the user has no home directory, which was reported.
    saved: OnceCell<Option<SavedSandboxes>>,
    /// The last retry because of `SESSION_LIMIT`, for [`Caller::with_seat`].
    limit: Arc<watch::Sender<Option<LimitRetry>>>,
    pub(crate) progress: Progress,
}

/// A retry of a call that found no seat for a session.
#[derive(Clone)]
struct LimitRetry {
    number: usize,
    wait: Duration,
    error: Error,
}

impl Caller {
    /// Reads the settings and shows `doing` on a terminal.
    pub(crate) fn begin(url_flag: Option<String>, doing: &str) -> Result<Self, Failed> {
        let progress = Progress::new();
        let limit: Arc<watch::Sender<Option<LimitRetry>>> = Arc::new(watch::Sender::new(None));
        let client = settings::client(url_flag, |builder| {
            let (progress, limit) = (progress.clone(), Arc::clone(&limit));
            builder.on_retry(move |retry| {
                if retry.error.code() == ErrorCode::SessionLimit && limit.receiver_count() > 0 {
                    let (number, wait, error) = (retry.number, retry.wait, retry.error.clone());
                    limit.send_replace(Some(LimitRetry { number, wait, error }));
                } else {
                    progress.retry(retry);
                }
            })
        })?;
        progress.show(doing);
        Ok(Self { client, saved: OnceCell::new(), limit, progress })
    }

    /// Returns the client.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Creates a sandbox and saves it.
    pub(crate) async fn new_sandbox(&self, request: &CreateRequest) -> Result<CreateResponse, Error> {
        let sandbox = self.client.create(request).await?;
        if let Some(saved) = self.saved() {
            let written = saved.put(self.client.url(), &sandbox, OffsetDateTime::now_utc());
            self.warn_if_lost(written.err());
        }
        Ok(sandbox)
    }

    /// Runs `call` with the saved sandbox, or with a new one if none is saved, it has expired or the worker no longer
    /// accepts it.
    pub(crate) async fn in_sandbox<T>(
        &self,
        call: impl AsyncFn(&CreateResponse) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(sandbox) = self.saved_sandbox() {
            match call(&sandbox).await {
                Err(error) if error.code() == ErrorCode::Unauthorized => {}
                outcome => return outcome,
            }
        }
        call(&self.new_sandbox(&CreateRequest::default()).await?).await
    }

    /// Runs a call that needs a seat for a session or a tab. After `SESSION_LIMIT` the client would retry for half a
    /// minute, in which the user's own sessions don't end: here it retries once, and not at all if that is futile.
    pub(crate) async fn with_seat<T>(
        &self,
        is_futile: impl Fn(&Error) -> bool,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        self.limit.send_replace(None);
        let mut limit = self.limit.subscribe();
        let refused = async {
            loop {
                let seen = limit.borrow_and_update().clone();
                if let Some(LimitRetry { number, wait, error }) = seen {
                    if number > 1 || is_futile(&error) {
                        return error;
                    }
                    let (code, sentence) = (error.code(), error.sentence());
                    let line = format!("{code}: {sentence} (one retry in {:.1} s)", wait.as_secs_f64());
                    self.progress.note(&output::printable(&line));
                }
                if limit.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::select! {
            outcome = call => outcome,
            error = refused => Err(error),
        }
    }

    fn saved_sandbox(&self) -> Option<CreateResponse> {
        match self.saved()?.get(self.client.url(), OffsetDateTime::now_utc()) {
            Ok(sandbox) => sandbox,
            Err(error) => {
                tracing::debug!(%error, "saved sandboxes could not be read");
                None
            }
        }
    }

    fn saved(&self) -> Option<&SavedSandboxes> {
        self.saved
            .get_or_init(|| match PrivateFiles::of_user() {
                Ok(files) => Some(SavedSandboxes::new(files)),
                Err(error) => {
                    self.warn_if_lost(Some(error));
                    None
                }
            })
            .as_ref()
    }

    /// Warns that the sandbox can't be saved. It still serves the current command.
    fn warn_if_lost(&self, error: Option<io::Error>) {
        if let Some(error) = error {
            self.progress.note(&format!("warning: can't save the sandbox: {error}"));
        }
    }

    /// Prints the warnings of an answer.
    pub(crate) fn warn(&self, warnings: &[String]) {
        for warning in warnings {
            self.progress.note(&output::printable(&format!("warning: {warning}")));
        }
    }
}
