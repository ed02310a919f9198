//! Reading a page: one function of ours in the page answers a whole plan, so that all of it is of one moment.

use porthole_contract::limits::CAPTURE_TIMEOUT;
use porthole_reading::frames::Document;
use porthole_reading::outcome::Plan;
use serde_json::Value;

use super::{Page, PageError};

/// The page function: finds what a plan names, walks it, and writes it down. Bounded in nodes and text, so that of fifty
/// megabytes only what is wanted is sent.
pub(super) const READ: &str = concat!(
    "(plan, asks) => {\n",
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
        let returned = self.run(CAPTURE_TIMEOUT, "reading the page", READ, [plan.clone(), Value::Null]).await?;
        Ok(self.with_frames(&plan, returned).await)
    }
}
