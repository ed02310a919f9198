//! The contract: the wire format between Porthole's parts and their callers.
//!
//! Requests, responses, error codes and limits as types, and the OpenAPI document generated from them. This crate
//! has no I/O, no async and no clock, and depends on no other crate of the workspace.

mod error;
mod extract;
mod instruction;
mod json;
pub mod limits;
pub mod live;
pub mod metrics;
pub mod openapi;
mod request;
mod response;
pub mod routes;
mod scan;
mod secret;
mod selector;
pub mod session;
mod surrogates;
pub mod tools;
mod warning;

pub use error::{ErrorAnswer, ErrorCode, Failure};
pub use extract::{Directive, Directives, ExtractKind, TableFormat};
pub use instruction::Instruction;
pub use json::{Invalid, StrictObject, Validate, parse, values};
pub use request::{
    ColorScheme, CreateRequest, ExtractRequest, ImageFormat, OnTimeout, ScreenshotRequest, TenantRequest, Until,
    Viewport, Wait,
};
pub use response::{CreateResponse, ExtractFormat, ExtractResponse, ExtractResult, ScreenshotResponse, Timings};
pub use selector::{By, Chain, Step};
pub use surrogates::replace_lone_surrogates;
pub use warning::{Warning, WarningCode};
