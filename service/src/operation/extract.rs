//! Reads a page: visits it, carries out the directives, and turns its snapshots into their results.

use std::sync::Arc;
use std::thread;

use porthole_contract::{Directive, ExtractRequest, ExtractResult, Invalid, Timings, Viewport, Warning, WarningCode};
use porthole_reading::outcome::{self, Plan, ReadError, Schemas};

use porthole_reading::walls;
use tokio::sync::oneshot;

use super::phase::phase;
use super::visit::{Stopwatch, Visit, within};
use super::{Browsing, OperationError, credentials};
use crate::admission::{Client, Permit};
use crate::page::{Appearance, Arrival, Page, PageError};
use crate::provider::Frames;

/// Stack size of a reading thread, in bytes: the trees are of bounded depth, and need far less than this.
const READING_STACK_BYTES: usize = 16 * 1024 * 1024;

const NOT_UNDERSTOOD: &str =
    "the instruction is no directive such as `article` or `selector: CSS`, so this is the whole page's text";

/// A page that was read.
#[derive(Clone, Debug)]
pub struct Extract {
    /// The result of each directive; at least one.
    pub results: Vec<ExtractResult>,
    /// Where the page was.
    pub arrival: Arrival,
    /// Where the time went.
    pub timings: Timings,
    /// Warnings about the page as a whole, each as `code: sentence`.
    pub warnings: Vec<Warning>,
}

impl Browsing {
    /// Reads a page.
    ///
    /// # Errors
    /// [`OperationError`]: every code of the contract that a reading can fail with.
    pub async fn extract(&self, client: &Client, request: &ExtractRequest) -> Result<Extract, OperationError> {
        let started = Stopwatch::start();
        within(request.timeout_ms, async |deadline| self.read(client, request, deadline, started).await).await
    }

    async fn read(
        &self,
        client: &Client,
        request: &ExtractRequest,
        deadline: tokio::time::Instant,
        started: Stopwatch,
    ) -> Result<Extract, OperationError> {
        let field = if request.extract.is_some() { "extract" } else { "instruction" };
        let asked = Asked::of(field, request.directives()?, request.offset, request.max_chars)?;
        let visit = Visit {
            client,
            sandbox_id: &request.sandbox_id,
            url: &request.url,
            appearance: Appearance {
                viewport: request.viewport.unwrap_or(Viewport::DESKTOP),
                color_scheme: None,
                reduced_motion: None,
            },
            wait: request.wait.clone().unwrap_or_default(),
            on_timeout: request.on_timeout.unwrap_or_default(),
            frames: Frames::Ordinary,
            deadline,
            credentials: credentials(request.browserbase_api_key.as_ref(), request.browserbase_project_id.as_ref()),
        };
        let mut visited = self.visit_prepared(visit, async |permit| asked.schemas(permit).await).await?;
        let work = Stopwatch::start();
        let schemas = std::mem::take(&mut visited.prepared);
        let Reading { results, arrival, warnings: of_reading } =
            asked.read(&visited.page, schemas, visited.permit()).await?;
        let (timings, mut warnings) = visited.account(&arrival, work, started);
        warnings.extend(of_reading);
        Ok(Extract { results, arrival, timings, warnings })
    }
}

/// What a request asks of a page.
pub(crate) struct Asked {
    /// The field that errors are reported against.
    field: &'static str,
    directives: Arc<[Directive]>,
    plan: Plan,
    /// Whether the instruction was free text, which is not understood.
    is_ignored: bool,
}

/// What was read of a page.
pub(crate) struct Reading {
    /// The result of each directive; at least one.
    pub results: Vec<ExtractResult>,
    /// Where the page was.
    pub arrival: Arrival,
    /// Warnings, each as `code: sentence`.
    pub warnings: Vec<Warning>,
}

impl Asked {
    /// Plans the reading. Without directives it is the page's text.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] against `field` for directives that say something impossible.
    pub(crate) fn of(
        field: &'static str,
        directives: Option<Vec<Directive>>,
        offset: Option<u32>,
        max_chars: Option<u32>,
    ) -> Result<Self, OperationError> {
        let is_ignored = directives.is_none();
        let directives = directives.unwrap_or_else(|| vec![Directive { offset, max_chars, ..Directive::default() }]);
        let plan = outcome::plan(&directives).map_err(|invalid| Invalid::new(field, invalid.to_string()))?;
        Ok(Self { field, directives: directives.into(), plan, is_ignored })
    }

    /// Compiles the schemas of the directives, if there are any.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for a schema that is not accepted.
    pub(crate) async fn schemas(&self, permit: Arc<Permit>) -> Result<Schemas, OperationError> {
        if self.directives.iter().all(|directive| directive.schema.is_none()) {
            return Ok(Schemas::default());
        }
        let directives = Arc::clone(&self.directives);
        let compiled = on_own_stack(permit, move |_| outcome::schemas(&directives)).await;
        let compiled = compiled.ok_or_else(unread).map_err(|error| of_reading(self.field, error))?;
        Ok(compiled.map_err(|invalid| Invalid::new(self.field, invalid.to_string()))?)
    }

    /// Reads the page as it stands.
    ///
    /// # Errors
    /// [`OperationError`]: nothing matches, nothing to read, refused or dead page.
    pub(crate) async fn read(
        self,
        page: &Page,
        schemas: Schemas,
        permit: Arc<Permit>,
    ) -> Result<Reading, OperationError> {
        let Self { field, directives, plan, is_ignored } = self;
        let (document, arrival) = page.arrival(phase("capture", page.read(&plan))).await;
        let arrival = arrival?;
        let (status, document) = (arrival.status_code, document?);
        let work_of_reading = move |is_over: &dyn Fn() -> bool| {
            let snapshot = document.joined().map_err(|_| unread())?;
            let walls = walls::warnings(&snapshot.head, status);
            Ok((outcome::read(&directives, &schemas, snapshot, is_over)?, walls))
        };
        let read = on_own_stack(permit, work_of_reading).await;
        let (results, walls) = read.unwrap_or_else(|| Err(unread())).map_err(|error| of_reading(field, error))?;
        let ignored = is_ignored.then(|| WarningCode::InstructionIgnored.says(NOT_UNDERSTOOD));
        Ok(Reading { results, arrival, warnings: ignored.into_iter().chain(walls).collect() })
    }
}

/// Does work on a thread of its own, since it may take a while and recurses. Returns `None` if the thread can't be
/// started or panics.
///
/// A thread can't be ended from outside. So the work bounds itself, checks now and then whether the caller has gone,
/// and holds the request's permit until it ends.
async fn on_own_stack<T: Send + 'static>(
    permit: Arc<Permit>,
    work: impl FnOnce(&dyn Fn() -> bool) -> T + Send + 'static,
) -> Option<T> {
    let (done, answer) = oneshot::channel();
    let work = move || {
        let result = work(&|| done.is_closed());
        drop(permit);
        // The caller may have gone.
        let _ = done.send(result);
    };
    thread::Builder::new().name("reading".to_owned()).stack_size(READING_STACK_BYTES).spawn(work).ok()?;
    answer.await.ok()
}

fn unread() -> ReadError {
    ReadError::TooMuch("the page can't be read".to_owned())
}

fn of_reading(field: &str, error: ReadError) -> OperationError {
    match error {
        ReadError::InvalidSelector(_) | ReadError::TooMuch(_) | ReadError::Ended => {
            Invalid::new(field, error.to_string()).into()
        }
        ReadError::NotFound(selector) => PageError::SelectorNotFound(selector).into(),
        ReadError::Empty(what) => OperationError::Empty(what),
    }
}
