//! The routes, as the service has them. The worker's public ones have [`WORKER_PREFIX`] before them.

pub mod session;

/// What the worker's public routes begin with.
pub const WORKER_PREFIX: &str = "/api/sandbox";
/// Makes a sandbox and its owner token.
pub const CREATE: &str = "/create";
/// Takes a screenshot.
pub const SCREENSHOT: &str = "/browser-screenshot";
/// Reads a page.
pub const EXTRACT: &str = "/browser-extract";
/// The OpenAPI document, on both main listeners, without the prefix.
pub const OPENAPI: &str = "/openapi.json";
/// Prometheus metrics, on the admin listeners.
pub const METRICS: &str = "/metrics";
/// The same metrics as JSON, on the admin listeners.
pub const API_METRICS: &str = "/api/metrics";
/// 200 while the process lives, on the admin listeners.
pub const HEALTHZ: &str = "/healthz";
/// 200 while a request would be taken, on the admin listeners.
pub const READYZ: &str = "/readyz";

/// The header that carries a request's id, on every answer.
pub const REQUEST_ID_HEADER: &str = "x-request-id";
/// The header by which the worker tells the service whose request it forwards: a hash, so that the queue can be fair.
pub const CLIENT_HEADER: &str = "x-porthole-client";
/// What the metadata headers of a raw image begin with.
pub const METADATA_HEADER_PREFIX: &str = "x-porthole-";
