//! Operations on an open page: navigate, settle, capture, read.
//!
//! `watch` reads the page's events and keeps its state; `script` holds all JavaScript that runs in it, `run` and
//! `world` run it. Uses `cdp`, the `guard` that judges documents, and `provider`'s lease; never knows which provider.

mod appearance;
mod arrival;
mod begin_frame;
mod capture;
mod captures_beyond;
mod chooser;
mod console;
mod dialog;
mod error;
mod failed;
mod frame_control;
mod frames;
mod handle;
mod identity;
pub mod input;
pub mod interact;
mod jpeg;
pub mod media_type;
mod navigate;
mod news;
mod open;
mod partial;
mod read;
mod revival;
mod run;
mod screencast;
mod script;
mod settle;
pub mod storage;
mod stuck;
mod travel;
mod watch;
mod window;
mod world;

pub use self::appearance::Appearance;
pub use self::arrival::Arrival;
pub use self::capture::{Capture, Placement, Region};
pub use self::error::PageError;
pub use self::handle::Page;
pub use self::identity::{Identity, IdentityError};
pub use self::news::{Changes, News, NewsFeed};
pub use self::open::prepare;
pub use self::partial::before;
pub use self::revival::Revival;
pub use self::screencast::{CastFrame, CastOptions, FRAMES_UNDER_WAY_MAX, Screencast};
pub use self::travel::{Travel, Travelled};
pub use self::watch::{BLANK, Dialog};
