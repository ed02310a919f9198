//! The service's routes. The worker's public routes are the same, prefixed with [`WORKER_PREFIX`].

pub mod session;

/// What the worker's public routes begin with.
pub const WORKER_PREFIX: &str = "/api/sandbox";
/// Creates a sandbox and its owner token.
pub const CREATE: &str = "/create";
/// Gives the worker the owner token of a tenant's sandbox. The service's alone: the worker has no such route.
pub const TENANT: &str = "/tenant";
/// Takes a screenshot.
pub const SCREENSHOT: &str = "/browser-screenshot";
/// Reads a page.
pub const EXTRACT: &str = "/browser-extract";
/// The live view's WebSocket.
pub const LIVE: &str = "/live";
/// The Model Context Protocol, at the worker, without the prefix.
pub const MCP: &str = "/mcp";
/// The tools of a model, at the worker.
pub const TOOLS: &str = "/tools";
/// Runs the calls of a model's message, at the worker.
pub const TOOLS_RUN: &str = "/tools/run";
/// Judges whether a message asks for a browser, at the worker.
pub const TOOLS_INTENT: &str = "/tools/intent";
/// The OpenAPI document, on both main listeners, without the prefix.
pub const OPENAPI: &str = "/openapi.json";
/// Prometheus metrics, on the admin listeners.
pub const METRICS: &str = "/metrics";
/// The same metrics as JSON, on the admin listeners.
pub const API_METRICS: &str = "/api/metrics";
/// Answers 200 while the process runs, on the admin listeners.
pub const HEALTHZ: &str = "/healthz";
/// Answers 200 while the process accepts requests, on the admin listeners.
pub const READYZ: &str = "/readyz";

/// The header that carries a request's id, on every answer.
pub const REQUEST_ID_HEADER: &str = "x-request-id";
/// The header with a hash of the caller, which the worker sends so that the service's queue can be fair.
pub const CLIENT_HEADER: &str = "x-porthole-client";
/// The header by which a service's `/healthz` and `/readyz` name the replica, so that a worker finds the one that a
/// session's handle names.
pub const REPLICA_HEADER: &str = "x-porthole-replica";
/// The header with the worker's own address as callers know it, which it sends with `session/viewer`: the answer's `url`
/// begins with it.
pub const PUBLIC_URL_HEADER: &str = "x-porthole-public-url";
/// Prefix of the metadata headers of a raw image.
pub const METADATA_HEADER_PREFIX: &str = "x-porthole-";
