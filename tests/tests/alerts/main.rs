//! Every alert of `deploy/prometheus/alerts.yml` fires when its cause happens to a real stack, and a healthy stack
//! fires none. Prometheus itself evaluates the rules; `deploy/tools prometheus` fetches it where it isn't installed.
#![expect(clippy::unwrap_used, reason = "a test's panic is its failure")]

mod browsers;
mod callers;
mod hurried;
mod load;
mod processes;
mod prometheus;
mod well;
