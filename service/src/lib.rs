//! The sandbox service: a guarded browser behind owner tokens.
//!
//! One request is a straight walk: `http` checks the token, `guard` judges the URL, `admission` gives a place,
//! `provider` leases a page, `page` navigates, settles and captures, the lease ends. No step reaches back.

pub mod cdp;
