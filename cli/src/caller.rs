//! Shared by the commands that call the worker: the client, the progress, and a sandbox created when needed.

use std::cell::OnceCell;
use std::io;

use porthole_client::{Client, CreateRequest, CreateResponse, Error, ErrorCode};
use time::OffsetDateTime;

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
    pub(crate) progress: Progress,
}

impl Caller {
    /// Reads the settings and shows `doing` on a terminal.
    pub(crate) fn begin(url_flag: Option<String>, doing: &str) -> Result<Self, Failed> {
        let progress = Progress::new();
        let client = settings::client(url_flag, |builder| {
            let progress = progress.clone();
            builder.on_retry(move |retry| progress.retry(retry))
        })?;
        progress.show(doing);
        Ok(Self { client, saved: OnceCell::new(), progress })
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
