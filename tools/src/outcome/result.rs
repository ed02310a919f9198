//! What came of a call, for the model and for people.

use porthole_contract::ErrorAnswer;
use porthole_contract::tools::Card;

use super::picture::Image;

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The result for the model: under 25 000 tokens, with what to do next where it failed.
    pub text: String,
    /// The picture, for tools that take one.
    pub image: Option<Image>,
    /// What a chat app shows; none of a call to a tool that there isn't.
    pub card: Option<Card>,
    /// The session's handle; none where there is none, or it has ended.
    pub session: Option<String>,
    /// Why it failed.
    pub error: Option<Box<ErrorAnswer>>,
}

impl Outcome {
    /// Whether it succeeded.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.error.is_none()
    }
}
