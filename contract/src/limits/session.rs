//! The limits of sessions, of their snapshots, actions, tabs and files, and of the live view.

use std::time::Duration;

/// The body of `session/open` at the worker, in bytes: a storage state is large.
pub const OPEN_BODY_MAX_BYTES: usize = 1_000_000;
/// The body of `session/upload` at the worker, in bytes: [`UPLOAD_MAX_BYTES`] in base64, and the rest.
pub const UPLOAD_BODY_MAX_BYTES: usize = 14_000_000;
/// The files of one upload together, in bytes after base64.
pub const UPLOAD_MAX_BYTES: usize = 10_000_000;
/// Files of one upload.
pub const UPLOAD_FILES_MAX: usize = 100;
/// A file's name, in bytes: what file systems take.
pub const FILE_NAME_MAX_BYTES: usize = 255;
/// Downloads of one session together, in bytes.
pub const DOWNLOADS_MAX_BYTES: u64 = 50_000_000;

/// A session's handle, a tab's or a file's name, in characters.
pub const HANDLE_MAX_CHARS: usize = 64;
/// Default `timeout_ms` of a call to a session.
pub const SESSION_TIMEOUT_DEFAULT_MS: u32 = 30_000;
/// Shortest `idle_seconds`.
pub const SESSION_IDLE_MIN_SECONDS: u32 = 1;
/// Largest and default `idle_seconds`: an idle session ends after it.
pub const SESSION_IDLE_MAX_SECONDS: u32 = 300;
/// Sessions of a replica, for each of its cores.
pub const SESSIONS_PER_CORE: usize = 4;
/// Pause between look-ups of the replicas' DNS name.
pub const PEERS_LOOKUP_INTERVAL: Duration = Duration::from_secs(5);
/// Calls of one session that run or wait for their turn.
pub const SESSION_CALLS_MAX: usize = 50;
/// Calls to sessions that count as one request against a caller's rate.
pub const SESSION_CALLS_PER_REQUEST: u32 = 10;
/// Tabs of a session.
pub const TABS_MAX: usize = 8;

/// Events kept between two calls; the rest is counted as dropped.
pub const EVENTS_MAX: usize = 100;
/// Console errors among them.
pub const CONSOLE_EVENTS_MAX: usize = 20;
/// A console error, in Unicode scalar values.
pub const CONSOLE_TEXT_MAX_CHARS: usize = 200;

/// Default wait for a target to be there, visible, enabled, still and uncovered; never longer than the call's own.
pub const TARGET_WAIT_DEFAULT_MS: u32 = 5_000;
/// Largest `ms` of `session/wait`.
pub const SESSION_WAIT_MAX_MS: u32 = 30_000;
/// Largest `network_idle_ms` and `wait_for_network_idle_ms`.
pub const NETWORK_IDLE_MAX_MS: u32 = 30_000;

/// Default `max_chars` of a snapshot, in Unicode scalar values.
pub const SNAPSHOT_CHARS_DEFAULT: u32 = 20_000;
/// Smallest `max_chars` of a snapshot.
pub const SNAPSHOT_CHARS_MIN: u32 = 500;
/// Largest `max_chars` of a snapshot.
pub const SNAPSHOT_CHARS_MAX: u32 = 100_000;
/// Largest `max_depth` of a snapshot, in levels.
pub const SNAPSHOT_DEPTH_MAX: u32 = 1_000;

/// What a target, a condition or a frame is named by, in Unicode scalar values.
pub const TARGET_VALUE_MAX_CHARS: usize = 4_000;
/// A key or a combination of keys, in Unicode scalar values.
pub const KEY_MAX_CHARS: usize = 100;
/// Most clicks of one `click`.
pub const CLICK_COUNT_MAX: u8 = 3;
/// Largest `amount` of a scroll, in CSS pixels.
pub const SCROLL_AMOUNT_MAX_PX: u32 = 100_000;
/// Largest coordinate of a point, in CSS pixels of the viewport: Chromium's largest viewport.
pub const POINT_MAX_PX: f64 = 10_000.0;
/// A screenshot's label, in Unicode scalar values.
pub const LABEL_MAX_CHARS: usize = 200;
/// A locale, in bytes (BCP 47's longest sensible tag).
pub const LOCALE_MAX_BYTES: usize = 35;
/// A time zone's IANA name, in bytes.
pub const TIME_ZONE_MAX_BYTES: usize = 64;
/// A user agent, in bytes.
pub const USER_AGENT_MAX_BYTES: usize = 512;
/// Entries of `allow_hosts`.
pub const ALLOW_HOSTS_MAX: usize = 100;
/// An entry of `allow_hosts`, in bytes: a DNS name's longest, and `*.`.
pub const ALLOW_HOST_MAX_BYTES: usize = 255;
/// A URL, in bytes.
pub const URL_MAX_BYTES: usize = 32 * 1024;

/// Default life of a viewer's ticket, in seconds.
pub const TICKET_TTL_DEFAULT_SECONDS: u32 = 300;
/// Shortest life of a viewer's ticket, in seconds.
pub const TICKET_TTL_MIN_SECONDS: u32 = 30;
/// Longest life of a viewer's ticket, in seconds.
pub const TICKET_TTL_MAX_SECONDS: u32 = 3_600;
/// From a live view's handshake to its `hello`.
pub const LIVE_HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// A viewer's message, in bytes.
pub const LIVE_MESSAGE_MAX_BYTES: usize = 65_536;
/// A viewer's `files` message, in bytes.
pub const LIVE_FILES_MESSAGE_MAX_BYTES: usize = 14_000_000;
/// Viewers of a session.
pub const LIVE_VIEWERS_MAX: usize = 100;
/// Largest `max_fps`, in frames a second.
pub const LIVE_FPS_MAX: u32 = 60;
/// Default `max_fps`, in frames a second.
pub const LIVE_FPS_DEFAULT: u32 = 30;
/// Default `max_width` of a frame, in pixels of the picture.
pub const LIVE_WIDTH_DEFAULT: u32 = 1280;
/// Default `max_height` of a frame, in pixels of the picture.
pub const LIVE_HEIGHT_DEFAULT: u32 = 720;
/// Largest `max_width` and `max_height` of a frame, in pixels of the picture; no frame is larger than its viewport.
pub const LIVE_SIZE_MAX: u32 = 16_384;
/// Default JPEG `quality` of frames.
pub const LIVE_QUALITY_DEFAULT: u32 = 70;
/// Largest JPEG `quality` of frames.
pub const LIVE_QUALITY_MAX: u32 = 100;
/// Frames that the service holds for one viewer, and frames under way to a viewer that acknowledges them.
pub const LIVE_FRAMES_HELD_MAX: usize = 2;
/// Input events of one viewer in a second; more are ignored.
pub const LIVE_INPUT_EVENTS_PER_SECOND_MAX: u32 = 1_000;
/// Largest coordinate of an input event in either direction, in CSS pixels: a drag may leave the viewport.
pub const LIVE_COORDINATE_MAX_PX: f64 = 1_000_000.0;
/// Points of a touch event: what Chromium takes (`WebTouchEvent::kTouchesLengthCap`).
pub const LIVE_TOUCH_POINTS_MAX: usize = 16;
/// The id of a ping, in bytes.
pub const LIVE_PING_ID_MAX_BYTES: usize = 100;
/// Largest wheel delta in either direction, in CSS pixels.
pub const LIVE_WHEEL_MAX_PX: f64 = 500.0;
/// A viewer keeps control without input for this long.
pub const CONTROL_IDLE: Duration = Duration::from_secs(60);
/// Another viewer can take control after this long without input.
pub const CONTROL_TAKE_AFTER: Duration = Duration::from_secs(5);
