//! The id of a viewer's ping, which its pong repeats.

use serde::{Deserialize, Serialize};
use serde_json::Number;

/// A number or a text, as the viewer chose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PingId {
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
}
