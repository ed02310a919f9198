//! Browsers that fail while they start.

use std::path::PathBuf;

use porthole_chromium::find_executable;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::flaky::{CRASHES, EXITS, FlakyBrowser, HANGS, LISTENS_AND_DIES};
use porthole_tests::{Emulator, eventually, eventually::so};
use serde_json::json;

use super::client::{PATIENCE, connect, release, try_create};

/// Attempts at a scenario whose second start is the real browser's, because that one crashes now and then, too.
const TRIES: usize = 2;

fn real() -> PathBuf {
    find_executable(None).unwrap()
}

async fn emulator(browser: &FlakyBrowser) -> Emulator {
    Emulator::start(EmulatorOptions::new().setting("PORTHOLE_CHROMIUM", browser.path())).await
}

/// Creates and drives a session whose browser fails its first start in this way.
async fn expect_second_serves_after(fails: &str) {
    for attempt in 1..=TRIES {
        let browser = FlakyBrowser::new(&real(), "1", fails);
        let emulator = emulator(&browser).await;
        let (status, session) = try_create(&emulator, json!({})).await;
        assert_eq!(browser.starts(), 2, "{fails}: {session}");
        if status == 500 && attempt < TRIES {
            continue;
        }
        assert_eq!(status, 201, "{fails}: {session}");
        let mut socket = connect(&session).await;
        assert!(socket.call("Browser.getVersion", json!({})).await["product"].is_string());
        release(&emulator, &session).await;
        let ledger = emulator.expect_all_given_back(PATIENCE).await;
        assert_eq!(ledger["totals"]["ended_by"], json!({"released": 1}), "{fails}");
        eventually(PATIENCE, async || {
            so(emulator.home.left_in_temp().is_empty(), format!("{:?} is left", emulator.home.left_in_temp()))
        })
        .await;
        return;
    }
}

#[tokio::test]
async fn a_browser_that_dies_while_it_starts_is_replaced_before_the_create_is_answered() {
    for fails in [EXITS, CRASHES, LISTENS_AND_DIES] {
        expect_second_serves_after(fails).await;
    }
}

#[tokio::test]
async fn a_browser_that_never_listens_is_replaced_within_the_creates_time() {
    expect_second_serves_after(HANGS).await;
}

#[tokio::test]
async fn a_create_whose_second_browser_fails_too_is_an_error_and_leaves_nothing() {
    let browser = FlakyBrowser::new(&real(), "*", EXITS);
    let emulator = emulator(&browser).await;
    for creates in 1..=2 {
        let (status, refusal) = try_create(&emulator, json!({})).await;
        assert_eq!(status, 500, "{refusal}");
        assert_eq!(browser.starts(), 2 * creates, "a create must start two browsers");
    }
    let ledger = emulator.expect_all_given_back(PATIENCE).await;
    assert_eq!(ledger["totals"]["ended_by"], json!({"browser_died": 2}));
    assert!(emulator.home.left_in_temp().is_empty(), "{:?}", emulator.home.left_in_temp());
}
