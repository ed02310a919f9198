//! A local provider with one warm page, as tests of held pages need it; `long_lived` uses it too.

use std::path::Path;

use porthole_chromium::find_executable;
use porthole_service::guard::Judge;
use porthole_service::guard::egress::EgressLimits;
use porthole_service::page;
use porthole_service::provider::local::{LocalOptions, LocalProvider, RecyclePolicy};
use porthole_service::telemetry::LeaseMetrics;

/// A provider whose browsers keep their profiles in this folder.
pub(crate) fn provider(profiles: &Path, judge: &Judge, metrics: &LeaseMetrics) -> LocalProvider {
    let options = LocalOptions {
        executable: Ok(find_executable(None).unwrap()),
        egress: EgressLimits::default(),
        session_browsers: 1,
        warm_pages: 1,
        begin_frame: false,
        recycle: RecyclePolicy { pages_max: 1_000, memory_max_bytes: u64::MAX, memory_percent_max: 100 },
        profiles: profiles.to_owned(),
    };
    LocalProvider::new(options, page::prepare, judge, metrics)
}
