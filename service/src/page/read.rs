//! Reading a page: one function of ours in the page answers a whole plan, so that all of it is of one moment.

use porthole_contract::limits::CAPTURE_TIMEOUT;
use porthole_reading::frames::Document;
use porthole_reading::outcome::Plan;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::world::NEXT_DOCUMENT_AFTER;
use super::{Page, PageError};

/// The page function: finds what a plan names, walks it, and writes it down. Bounded in nodes and text, so that of fifty
/// megabytes only what is wanted is sent. Nothing comes back of a document that has only just begun.
pub(super) const READ: &str = concat!(
    "(plan, asks) => {\n",
    "if (document.readyState === 'loading' && document.documentElement === null) return null;\n",
    include_str!("script/find.js"),
    include_str!("script/walk.js"),
    include_str!("script/answer.js"),
    "return answer(plan, asks);\n}"
);

impl Page {
    /// Carries out a plan; what comes back are snapshots as JSON, of the page and of those frames of other origins that
    /// the plan is about.
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
                // It takes another's place, and comes no further while the page's clock stands still.
                self.go_on();
                sleep(NEXT_DOCUMENT_AFTER).await;
                continue;
            };
            return Ok(self.with_frames(&plan, returned).await);
        }
    }
}
