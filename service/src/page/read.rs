//! Reading a page: one function of ours in the page answers a whole plan, so that all of it is of one moment.

use porthole_contract::limits::CAPTURE_TIMEOUT;
use porthole_reading::outcome::Plan;

use super::{Page, PageError};

/// The page function: finds what a plan names, walks it, and writes it down. Bounded in nodes and text, so that of fifty
/// megabytes only what is wanted is sent.
const READ: &str = concat!(
    "plan => {\n",
    include_str!("script/find.js"),
    include_str!("script/walk.js"),
    include_str!("script/answer.js"),
    "return answer(plan);\n}"
);

impl Page {
    /// Carries out a plan; what comes back is a snapshot as JSON.
    ///
    /// # Errors
    /// [`PageError`]: took too long, crashed.
    pub async fn read(&self, plan: &Plan) -> Result<String, PageError> {
        let plan = serde_json::to_value(plan).unwrap_or_default();
        self.run(CAPTURE_TIMEOUT, "reading the page", READ, [plan]).await
    }
}
