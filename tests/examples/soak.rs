//! `soak [SECONDS [SEED]]`: mixed traffic at twice the capacity with random faults. Prints a report; exits with 1 after
//! violations.

use std::process::ExitCode;
use std::time::Duration;

use porthole_tests::soak::{SoakOptions, run};

const SECONDS: u64 = 3600;

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let (Ok(seconds), Ok(seed)) =
        (arguments.next().unwrap_or(Ok(SECONDS)), arguments.next().unwrap_or_else(|| Ok(fastrand::u64(..))))
    else {
        eprintln!("usage: soak [SECONDS [SEED]]");
        return ExitCode::from(64);
    };
    let report = run(SoakOptions { duration: Duration::from_secs(seconds), seed }).await;
    println!("{report}");
    if report.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
