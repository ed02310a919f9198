//! Reading a page: visit it, read what the instruction asks for.

use porthole_contract::limits::TEXT_MAX_CHARS;
use porthole_contract::{ExtractRequest, Timings, Viewport};

use super::instruction::Instruction;
use super::visit::{Stopwatch, Visit, within};
use super::{Browsing, OperationError, credentials};
use crate::page::{Appearance, Arrival, Reading};

/// A page that was read.
#[derive(Clone, Debug)]
pub struct Extract {
    /// The text, cut at the limit.
    pub content: String,
    /// Whether the text goes on.
    pub truncated: bool,
    /// The whole text's length in Unicode scalar values.
    pub total_chars: u64,
    /// Where the page was.
    pub arrival: Arrival,
    /// Where the time went.
    pub timings: Timings,
    /// What did not go quite as asked.
    pub warnings: Vec<String>,
}

impl Browsing {
    /// Reads a page.
    ///
    /// # Errors
    /// [`OperationError`]: every code of the contract that a reading can fail with.
    pub async fn extract(&self, request: &ExtractRequest) -> Result<Extract, OperationError> {
        let started = Stopwatch::start();
        within(request.timeout_ms, async |deadline| self.read(request, deadline, started).await).await
    }

    async fn read(
        &self,
        request: &ExtractRequest,
        deadline: tokio::time::Instant,
        started: Stopwatch,
    ) -> Result<Extract, OperationError> {
        let instruction = Instruction::parse(request.instruction.as_deref().unwrap_or_default())?;
        let mut visited = self
            .visit(Visit {
                url: &request.url,
                appearance: Appearance {
                    viewport: request.viewport.unwrap_or(Viewport::DESKTOP),
                    color_scheme: None,
                    reduced_motion: None,
                },
                wait: request.wait.clone().unwrap_or_default(),
                deadline,
                credentials: credentials(request.browserbase_api_key.as_ref(), request.browserbase_project_id.as_ref()),
            })
            .await?;
        let work = Stopwatch::start();
        let max_chars = request.max_chars.unwrap_or(u32::try_from(TEXT_MAX_CHARS).unwrap_or(u32::MAX));
        let (reading, arrival) =
            tokio::join!(visited.page.read_text(&instruction.text_of, max_chars), visited.page.arrival());
        let arrival = arrival?;
        let Reading { content, total_chars, blank } =
            reading.map_err(|error| OperationError::of_selector("instruction", error))?;
        if blank {
            return Err(OperationError::Empty);
        }
        let (timings, mut warnings) = visited.account(&arrival, work, started);
        warnings.extend(instruction.warning);
        let truncated = total_chars > u64::from(max_chars);
        Ok(Extract { content, truncated, total_chars, arrival, timings, warnings })
    }
}
