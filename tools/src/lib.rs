//! A model's tools: what each is called and takes, how a call is read, what its result says to the model.
//!
//! The one source for MCP, the worker's tool routes and the command line. This crate has no I/O, no async runtime, no
//! clock and no randomness, and knows only `contract`: a [`Runner`] sends the requests, and its caller brings the random
//! bits of a [`Boundary`].
//!
//! ```
//! use porthole_tools::{Call, tool};
//! use serde_json::json;
//!
//! let call = Call::read("browser_click", json!({"ref": "@e5", "clickCount": 2}), Some("ses_1")).unwrap();
//! assert_eq!(call.route, "/session/click");
//! assert_eq!(call.body["click_count"], 2);
//! assert_eq!((call.session(), &call.body["snapshot"]), (Some("ses_1"), &json!("changes")));
//!
//! let wrong = Call::read("browser_click", json!({"selector": "#save"}), None).unwrap_err();
//! assert!(wrong.to_string().starts_with("browser_click has no argument \"selector\""));
//! assert!(tool("browser_click").unwrap().annotations.destructive);
//! ```

mod boundary;
mod call;
mod definitions;
mod detect;
mod format;
mod intent;
mod message;
mod names;
mod outcome;
mod runner;
mod wording;

pub use boundary::Boundary;
pub use call::{BadCall, Call};
pub use definitions::{Annotations, Tool, all, tool};
pub use detect::{Detected, DetectedCall, detect};
pub use format::{Format, prompt};
pub use intent::{Intent, intent};
pub use message::{Ran, run_calls};
pub use outcome::{Image, Outcome, PICTURE_MAX_SIDE_PX, advice};
pub use runner::{Runner, run};
