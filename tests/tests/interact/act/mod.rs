//! Acting on elements of a page, below the session: the real service's page in a real Chromium, on local sites.

mod boards;
mod boxes;
mod choices;
mod clicks;
mod covers;
mod drags;
mod editors;
mod fields;
mod focus;
mod frames;
mod keys;
mod readiness;
pub(crate) mod scene;
mod scrolls;
mod settles;
mod strays;
mod uploads;
