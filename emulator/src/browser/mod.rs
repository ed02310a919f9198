//! One session's browser: a Chromium process of its own, with one page in its default context.
//!
//! It has a debugging port on loopback, since every client connection needs its own connection to the browser. It also
//! has a debugging pipe that carries no messages: when this process ends, in any way, the pipe closes and the browser
//! exits. Nothing here knows sessions or clients.

mod endpoint;
mod error;
mod flags;
mod start;

pub(crate) use self::endpoint::{Connected, Endpoint, Target, websocket};
pub(crate) use self::error::BrowserError;

pub(crate) use self::flags::{Options, Resolve, Viewport};
pub(crate) use self::start::{Browser, Browsers};
