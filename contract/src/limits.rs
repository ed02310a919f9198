//! Every size and time limit of the contract, in one place, each with its unit in its name.
//!
//! Times are nested: an outer limit is longer than every inner one, so that the innermost part that
//! failed reports the failure.

use std::time::Duration;

mod session;

pub use session::*;

/// The body of a request to the worker, in bytes.
pub const WORKER_BODY_MAX_BYTES: usize = 64 * 1024;
/// The body of a request to the service, in bytes: the worker's, and room for the credentials that it adds.
pub const SERVICE_BODY_MAX_BYTES: usize = WORKER_BODY_MAX_BYTES + INJECTED_MAX_BYTES;
/// The body of a request to the worker's tool routes, in bytes.
pub const TOOLS_BODY_MAX_BYTES: usize = 1024 * 1024;
/// Calls of one message that are run.
pub const TOOL_CALLS_MAX: usize = 5;
/// What the worker may add to a body, in bytes: the credentials of a browser provider.
pub const INJECTED_MAX_BYTES: usize = 8 * 1024;
/// Values in a body of JSON, about: each takes up to 600 bytes once it is read, however short it is.
pub const BODY_VALUES_MAX: usize = 10_000;
/// The same in a body that is larger than [`SERVICE_BODY_MAX_BYTES`].
pub const LARGE_BODY_VALUES_MAX: usize = 50_000;
/// What all bodies that a process holds may have together, in bytes, beyond [`SERVICE_BODY_MAX_BYTES`] of each.
pub const BODIES_MAX_BYTES: usize = 64 * 1024 * 1024;
/// The same of one caller: half, so that others have room.
pub const BODIES_OF_ONE_MAX_BYTES: usize = BODIES_MAX_BYTES / 2;
/// How much of a too large body is read and thrown away before the answer, so that its sender can read that answer.
pub const BODY_DRAIN_MAX_BYTES: usize = 2 * 1024 * 1024;

/// An image, in bytes before base64.
pub const IMAGE_MAX_BYTES: usize = 1_500_000;
/// An image's height, in image pixels: about the limit of Chromium's textures.
pub const IMAGE_MAX_HEIGHT_PX: u32 = 16_384;
/// An image's area, in image pixels.
pub const IMAGE_MAX_PIXELS: u64 = 50_000_000;
/// The JPEG quality of an image that was over the size cap.
pub const LADDER_JPEG_QUALITY: u8 = 60;

/// Extracted text, in Unicode scalar values.
pub const TEXT_MAX_CHARS: usize = 20_000;
/// Directives of one extract.
pub const DIRECTIVES_MAX: usize = 16;
/// A selector, in Unicode scalar values.
pub const SELECTOR_MAX_CHARS: usize = 4_000;
/// Steps of a selector.
pub const SELECTOR_STEPS_MAX: usize = 16;
/// Largest `offset` of an extract, in characters, rows or entries.
pub const OFFSET_MAX: u32 = 100_000_000;
/// A page's title, in Unicode scalar values: longer ones are cut.
pub const TITLE_MAX_CHARS: usize = 1_000;

/// Viewport width, in CSS pixels.
pub const VIEWPORT_MAX_WIDTH: u32 = 3840;
/// Viewport height, in CSS pixels.
pub const VIEWPORT_MAX_HEIGHT: u32 = 2160;
/// Smallest device scale factor.
pub const DEVICE_SCALE_FACTOR_MIN: f64 = 0.5;
/// Largest device scale factor.
pub const DEVICE_SCALE_FACTOR_MAX: f64 = 3.0;

/// Shortest life of an owner token, in seconds.
pub const TOKEN_TTL_MIN_SECONDS: u64 = 60;
/// Longest life of an owner token, in seconds.
pub const TOKEN_TTL_MAX_SECONDS: u64 = 2_592_000;
/// Default life of an owner token, in seconds.
pub const TOKEN_TTL_DEFAULT_SECONDS: u64 = 86_400;

/// One attempt of the client.
pub const CLIENT_TIMEOUT: Duration = Duration::from_secs(90);
/// The worker's wait for the service's whole answer.
pub const WORKER_TIMEOUT: Duration = Duration::from_secs(80);
/// The service's outermost timeout of a request.
pub const SERVICE_TIMEOUT: Duration = Duration::from_secs(70);
/// Smallest `timeout_ms`.
pub const REQUEST_TIMEOUT_MIN_MS: u32 = 1_000;
/// Largest and default `timeout_ms`.
pub const REQUEST_TIMEOUT_MAX_MS: u32 = 60_000;
/// Creating a session, or starting the local browser.
pub const SESSION_CREATE_TIMEOUT: Duration = Duration::from_secs(20);
/// Connecting to a browser, and its first answer.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// From the navigation's start to `DOMContentLoaded`.
pub const NAVIGATION_TIMEOUT: Duration = Duration::from_secs(15);
/// Default of `wait.timeout_ms`.
pub const WAIT_TIMEOUT_DEFAULT_MS: u32 = 5_000;
/// Largest `wait.timeout_ms`.
pub const WAIT_TIMEOUT_MAX_MS: u32 = 30_000;
/// Largest `wait.delay_ms`.
pub const WAIT_DELAY_MAX_MS: u32 = 10_000;
/// A capture or a reading.
pub const CAPTURE_TIMEOUT: Duration = Duration::from_secs(10);

/// Most retries of one request by a client.
pub const RETRIES_MAX: usize = 4;
/// The wait before the first retry; it doubles with each further retry.
pub const RETRY_FIRST_DELAY: Duration = Duration::from_secs(2);
/// Largest random addition to a retry's wait, as a share of the wait.
pub const RETRY_JITTER: f64 = 0.2;

/// Shortest key of an owner, a service or a client, in bytes.
pub const KEY_MIN_BYTES: usize = 32;
