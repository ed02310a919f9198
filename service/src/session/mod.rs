//! Sessions: pages that agents act in, and that live between calls.
//!
//! A session owns a lease, its tabs and a seat; when it ends all three are given back. It knows no transport but the live
//! view's close codes: HTTP speaks to [`Sessions`] and [`Session`]. `store` is what both are made of, `handle` how callers name a session, `tabs` its
//! windows, `events` what happened between two calls, `life` what ends it, `call` how one call runs and `turn` what it works
//! with, `viewers` the people who watch, by a `ticket`, and the other files what calls do.

mod act;
mod action;
mod aim;
mod call;
mod closing;
mod destination;
mod end;
mod error;
mod events;
mod file_list;
mod file_name;
mod files;
mod handle;
mod interact;
mod life;
mod look;
mod manage;
mod navigate;
mod open;
mod revive;
mod shown;
mod state;
mod store;
mod tabs;
mod ticket;
mod turn;
mod viewers;
mod visited;
mod wait;

pub use self::call::Answered;
pub use self::destination::Destination;
pub use self::error::SessionError;
pub use self::handle::{NoRandomness, ReplicaId, SessionId};
pub use self::manage::ViewerTicket;
pub use self::open::Opening;
pub use self::store::{Session, SessionLimits, Sessions};
pub use self::turn::{Call, Context, Failed, Kind, Turn};
pub use self::viewers::{BARE_PING, Outgoing, Packed, Viewer};
