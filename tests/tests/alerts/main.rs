//! Every alert of `deploy/prometheus/alerts.yml` fires when its cause happens to a real stack, and a stack that is well
//! fires none. Prometheus itself judges; `deploy/tools prometheus` brings it where it isn't installed.
#![expect(clippy::unwrap_used, reason = "a test's panic is its failure")]

mod browsers;
mod callers;
mod hurried;
mod load;
mod processes;
mod prometheus;
mod well;
