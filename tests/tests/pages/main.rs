//! Pages: whatever a site does, the answer is the contract's and comes in its time.

mod egress;
mod hostile;
mod kinds;
mod ordinary;
mod directives;
mod hidden;
mod reading;
mod reading_limits;
mod redirects;
mod unreachable;
mod waiting;
