//! Reading a page: visit it, carry out the directives, make their results of what came back.

use std::thread;

use porthole_contract::{Directive, ExtractRequest, ExtractResult, Invalid, Timings, Viewport};
use porthole_reading::frames::Document;
use porthole_reading::outcome::{self, ReadError};
use porthole_reading::walls;
use tokio::sync::oneshot;

use super::phase::phase;
use super::visit::{Stopwatch, Visit, within};
use super::{Browsing, OperationError, credentials};
use crate::admission::Client;
use crate::page::{Appearance, Arrival, PageError};

/// The stack that pages are read on, in bytes: the trees are of bounded depth, and this is far more than they need.
const READING_STACK_BYTES: usize = 16 * 1024 * 1024;

const NOT_UNDERSTOOD: &str = "instruction_ignored: the instruction is no directive such as `article` or `selector: CSS`, so this is the whole page's text";

/// A page that was read.
#[derive(Clone, Debug)]
pub struct Extract {
    /// What each directive gave; at least one.
    pub results: Vec<ExtractResult>,
    /// Where the page was.
    pub arrival: Arrival,
    /// Where the time went.
    pub timings: Timings,
    /// What did not go quite as asked with the page as a whole.
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
        let plan = outcome::plan(&directives).map_err(|invalid| Invalid::new(field, invalid.to_string()))?;
        let mut visited = self
            .visit(Visit {
                client,
                url: &request.url,
                appearance: Appearance {
                    viewport: request.viewport.unwrap_or(Viewport::DESKTOP),
                    color_scheme: None,
                    reduced_motion: None,
                },
                wait: request.wait.clone().unwrap_or_default(),
                by_hand: false,
                deadline,
                credentials: credentials(request.browserbase_api_key.as_ref(), request.browserbase_project_id.as_ref()),
            })
            .await?;
        let work = Stopwatch::start();
        let (document, arrival) = visited.page.arrival(phase("capture", visited.page.read(&plan))).await;
        let arrival = arrival?;
        let status = arrival.status_code;
        let (results, walls) =
            on_own_stack(document?, directives, status).await.map_err(|error| of_reading(field, error))?;
        let (timings, mut warnings) = visited.account(&arrival, work, started);
        warnings.extend(ignored);
        warnings.extend(walls);
        Ok(Extract { results, arrival, timings, warnings })
    }
}

/// Makes results of a snapshot, on a thread of its own: it may take a while, and it recurses.
async fn on_own_stack(
    document: Document,
    directives: Vec<Directive>,
    status: u16,
) -> Result<(Vec<ExtractResult>, Vec<String>), ReadError> {
    let (done, answer) = oneshot::channel();
    let work = move || {
        let read = || {
            let snapshot = document.joined().map_err(|_| ReadError::TooMuch("the page can't be read".to_owned()))?;
            let walls = walls::warnings(&snapshot.head, status);
            Ok((outcome::read(&directives, snapshot)?, walls))
        };
        // Whoever asked may have gone.
        let _ = done.send(read());
    };
    let spawned = thread::Builder::new().name("reading".to_owned()).stack_size(READING_STACK_BYTES).spawn(work);
    let failed = || ReadError::TooMuch("the page can't be read".to_owned());
    spawned.map_err(|_| failed())?;
    answer.await.unwrap_or_else(|_| Err(failed()))
}

fn of_reading(field: &str, error: ReadError) -> OperationError {
    match error {
        ReadError::InvalidSelector(_) | ReadError::TooMuch(_) => Invalid::new(field, error.to_string()).into(),
        ReadError::NotFound(selector) => PageError::SelectorNotFound(selector).into(),
        ReadError::Empty(what) => OperationError::Empty(what),
    }
}
