//! Reads a page: visits it, carries out the directives, and turns its snapshots into their results.

use std::sync::Arc;
use std::thread;

use porthole_contract::{Directive, ExtractRequest, ExtractResult, Invalid, Timings, Viewport};
use porthole_reading::outcome::{self, ReadError, Schemas};
use porthole_reading::walls;
use tokio::sync::oneshot;

use super::phase::phase;
use super::visit::{Stopwatch, Visit, within};
use super::{Browsing, OperationError, credentials};
use crate::admission::{Client, Permit};
use crate::page::{Appearance, Arrival, PageError};
use crate::provider::Frames;

/// Stack size of a reading thread, in bytes: the trees are of bounded depth, and need far less than this.
const READING_STACK_BYTES: usize = 16 * 1024 * 1024;

const NOT_UNDERSTOOD: &str = "instruction_ignored: the instruction is no directive such as `article` or `selector: CSS`, so this is the whole page's text";

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
    pub warnings: Vec<String>,
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
        let understood = request.directives()?;
        let ignored = understood.is_none().then(|| NOT_UNDERSTOOD.to_owned());
        let directives = understood.unwrap_or_else(|| {
            vec![Directive { offset: request.offset, max_chars: request.max_chars, ..Directive::default() }]
        });
        let invalid = |invalid: Invalid| Invalid::new(field, invalid.to_string());
        let plan = outcome::plan(&directives).map_err(invalid)?;
        let directives: Arc<[Directive]> = directives.into();
        let visit = Visit {
            client,
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
        let mut visited = self
            .visit_prepared(visit, async |permit| {
                if directives.iter().all(|directive| directive.schema.is_none()) {
                    return Ok(Schemas::default());
                }
                let directives = Arc::clone(&directives);
                let compiled = on_own_stack(permit, move |_| outcome::schemas(&directives)).await;
                Ok(compiled.ok_or_else(unread).map_err(|error| of_reading(field, error))?.map_err(invalid)?)
            })
            .await?;
        let work = Stopwatch::start();
        let (document, arrival) = visited.page.arrival(phase("capture", visited.page.read(&plan))).await;
        let arrival = arrival?;
        let status = arrival.status_code;
        let document = document?;
        let schemas = std::mem::take(&mut visited.prepared);
        let work_of_reading = move |is_over: &dyn Fn() -> bool| {
            let snapshot = document.joined().map_err(|_| unread())?;
            let walls = walls::warnings(&snapshot.head, status);
            Ok((outcome::read(&directives, &schemas, snapshot, is_over)?, walls))
        };
        let read = on_own_stack(visited.permit(), work_of_reading).await;
        let (results, walls) = read.unwrap_or_else(|| Err(unread())).map_err(|error| of_reading(field, error))?;
        let (timings, mut warnings) = visited.account(&arrival, work, started);
        warnings.extend(ignored);
        warnings.extend(walls);
        Ok(Extract { results, arrival, timings, warnings })
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
