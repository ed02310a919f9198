//! Pages: whatever a site does, the answer keeps the contract and the deadline.

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
