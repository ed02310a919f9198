//! Half a minute of the soak; `make soak` runs it for longer.

use std::time::Duration;

use porthole_tests::soak::{SoakOptions, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_minute_of_mixed_traffic_and_faults_leaves_nothing_behind() {
    let report = Box::pin(run(SoakOptions { duration: Duration::from_secs(30), seed: fastrand::u64(..) })).await;
    println!("{report}");
    assert!(report.violations.is_empty(), "{report}");
    for kind in ["text", "picture", "sandbox"] {
        assert!(report.ok(kind) > 0, "no request for {kind} succeeded, so this tests nothing: {report}");
    }
}
