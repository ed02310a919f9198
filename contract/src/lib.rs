//! The contract: what goes over the wire between Porthole's parts and their callers.
//!
//! Requests, responses, error codes and limits as types, and the OpenAPI document made from them. No I/O, no async
//! and no clock live here, and this crate knows no other crate of the workspace.

mod error;
mod json;
pub mod limits;
pub mod metrics;
pub mod openapi;
mod request;
mod response;
pub mod routes;
mod secret;

pub use error::{ErrorAnswer, ErrorCode, Failure};
pub use json::{Invalid, StrictObject, Validate, parse};
pub use request::{ColorScheme, CreateRequest, ExtractRequest, ImageFormat, ScreenshotRequest, Until, Viewport, Wait};
pub use response::{CreateResponse, ExtractFormat, ExtractResponse, ScreenshotResponse, Timings};
