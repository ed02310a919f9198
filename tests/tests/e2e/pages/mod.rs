//! Pages: whatever a site does, the answer is the contract's and comes in its time.

mod directives;
mod egress;
mod frames;
mod hidden;
mod hostile;
mod kinds;
mod neighbours;
mod ordinary;
mod partial;
mod reading;
mod reading_limits;
mod redirects;
mod unreachable;
mod waiting;
