//! The tests in `web/tests/`, each file in each browser.

use crate::bench::Bench;
use crate::browser::Browser;

async fn in_chromium(suite: &str) {
    Bench::start().await.runs(suite, &Browser::chromium().await).await;
}

async fn in_firefox(suite: &str) {
    match Browser::firefox().await {
        Some(firefox) => Bench::start().await.runs(suite, &firefox).await,
        None => {
            assert!(
                std::env::var_os("CI").is_none(),
                "firefox-esr is missing: CI must run every suite in both browsers"
            );
            eprintln!("SKIPPED: firefox-esr is missing, so {suite} is not run in Firefox");
        }
    }
}

/// Runs a suite that needs a package of npm, whose path is in this variable.
async fn with_package(suite: &str, variable: &str) {
    if std::env::var_os(variable).is_some() {
        in_chromium(suite).await;
    } else {
        eprintln!("SKIPPED: `make web-check` brings from npm what {suite} needs");
    }
}

#[tokio::test]
async fn axe_finds_nothing() {
    with_package("axe", "PORTHOLE_AXE").await;
}

#[tokio::test]
async fn the_example_for_react_runs() {
    with_package("react", "PORTHOLE_REACT").await;
}

macro_rules! suites {
    ($($suite:ident,)+) => {
        $(mod $suite {
            #[tokio::test]
            async fn in_chromium() {
                super::in_chromium(stringify!($suite)).await;
            }

            #[tokio::test]
            async fn in_firefox() {
                super::in_firefox(stringify!($suite)).await;
            }
        })+
    };
}

suites! {
    cards,
    live,
    mapping,
    markdown,
}
