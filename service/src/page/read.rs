//! Reads a page: one script in the page answers a whole plan, so that all results show the same moment.

use porthole_contract::limits::CAPTURE_TIMEOUT;
use porthole_reading::frames::Document;
use porthole_reading::outcome::Plan;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::run::NEXT_DOCUMENT_AFTER;
use super::script::READ;
use super::{Page, PageError};

impl Page {
    /// Carries out a plan. Returns snapshots as JSON, of the page and of those frames of other origins that the plan
    /// concerns.
    ///
    /// # Errors
    /// [`PageError`]: took too long, crashed.
    pub async fn read(&self, plan: &Plan) -> Result<Document, PageError> {
        let plan = serde_json::to_value(plan).unwrap_or_default();
        let deadline = Instant::now() + CAPTURE_TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let returned = self.run(left, "reading the page", READ, [plan.clone(), Value::Null]).await?;
            let Some(returned) = returned else {
                if let Some(error) = self.never_begun().await {
                    return Err(error);
                }
                // The new document has only just begun, and it loads no further while the page's clock stands still.
                self.resume_clock();
                sleep(NEXT_DOCUMENT_AFTER).await;
                continue;
            };
            return Ok(self.with_frames(&plan, returned).await);
        }
    }
}
