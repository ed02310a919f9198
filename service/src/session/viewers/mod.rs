//! The viewers of a session, and what they are shown.
//!
//! `viewer` is one of them, without its transport, `heard` what it says and `known` what it was told; they `join` and
//! leave. `state` is the state that all are told. `director` keeps it and runs one `cast` for each watched tab, by the
//! `wish` of those who watch it. They share its `frame`s; `captures` take its place at low rates. `window` bounds what is
//! under way to one viewer, `line` is how fast that goes, `pace` when its next frame is due. `control` says who may act,
//! `tab_input` is the input to a tab, `steer` is what they ask of a session beside that. Without viewers there is no
//! director, no cast and no cost.

mod captures;
mod cast;
mod control;
mod director;
mod frame;
mod heard;
mod join;
mod known;
mod line;
mod pace;
mod state;
mod steer;
mod tab_input;
mod viewer;
mod window;
mod wish;

pub use self::frame::Packed;
pub(super) use self::join::Acting;
pub(super) use self::state::Viewers;
pub use self::viewer::{BARE_PING, Outgoing, Viewer};
