//! The emulator's process: its output, and what it leaves behind however it ends.

use std::time::Duration;

use http::Method;
use nix::sys::signal::Signal;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::eventually::so;
use porthole_tests::family::Relative;
use porthole_tests::{Emulator, eventually};
use serde_json::{Value, json};

use super::client::{PATIENCE, connect, create};

/// Returns the secrets that must not appear in any output.
fn secrets_of(emulator: &Emulator, sessions: &[&Value]) -> Vec<String> {
    let keys = sessions.iter().map(|session| session["signingKey"].as_str().unwrap().to_owned());
    keys.chain([emulator.api_key().to_owned()]).collect()
}

#[tokio::test]
async fn on_sigterm_it_ends_its_sessions_prints_the_ledger_and_leaves_nothing() {
    let options = EmulatorOptions::new().setting("PORTHOLE_LOG", "trace");
    let mut emulator = Emulator::start(options).await;
    let one = create(&emulator, json!({})).await;
    let other = create(&emulator, json!({})).await;
    let mut socket = connect(&one).await;
    socket.call("Browser.getVersion", json!({})).await;
    let path = super::client::path(&one);
    emulator.call(Method::GET, &format!("{path}/debug"), None).await;
    super::client::release(&emulator, &one).await;
    socket.ended().await;
    let family = emulator.process.family();
    assert!(family.iter().any(Relative::is_browser));

    emulator.process.signal(Signal::SIGTERM);
    assert!(emulator.process.ended(PATIENCE).await.success());
    eventually(PATIENCE, async || {
        so(!family.iter().any(Relative::is_alive), "a process of the emulator is still alive")
    })
    .await;
    assert!(emulator.home.left_in_temp().is_empty(), "{:?}", emulator.home.left_in_temp());

    let ledger = emulator.process.stdout().join("\n");
    let line = |session: &Value| {
        let id = session["id"].as_str().unwrap();
        ledger.lines().find(|line| line.contains(id)).unwrap().to_owned()
    };
    assert!(line(&one).contains("released") && !line(&one).contains("LEAKED"), "{ledger}");
    assert!(line(&other).contains("shutdown") && line(&other).contains("LEAKED"), "{ledger}");
    assert!(ledger.ends_with("created 2  connected 1  released 1  expired 0  leaked 1"), "{ledger}");

    let said = emulator.process.stderr().join("\n") + &ledger;
    assert!(said.contains("a session has ended"));
    for secret in secrets_of(&emulator, &[&one, &other]) {
        assert!(!said.contains(&secret), "a secret was printed");
    }
}

#[tokio::test]
async fn killed_it_takes_its_browsers_along_and_the_next_start_removes_their_folders() {
    let mut emulator = Emulator::start(EmulatorOptions::new()).await;
    let session = create(&emulator, json!({"keepAlive": true})).await;
    let _socket = connect(&session).await;
    let family = eventually(PATIENCE, async || {
        let family = emulator.process.family();
        so(family.iter().any(Relative::is_renderer), "its page has no renderer yet")?;
        Ok(family)
    })
    .await;
    emulator.process.signal(Signal::SIGKILL);
    assert!(!emulator.process.ended(PATIENCE).await.success());
    eventually(PATIENCE, async || so(!family.iter().any(Relative::is_alive), "a browser is still alive")).await;
    let profiles = emulator.home.left_in_temp();
    assert_eq!(profiles.len(), 1, "{profiles:?}");

    let temp = emulator.home.temp();
    let next = Emulator::start(EmulatorOptions::new().setting("TMPDIR", temp.to_str().unwrap())).await;
    eventually(Duration::from_secs(10), async || {
        so(emulator.home.left_in_temp().is_empty(), "profile folders are left")
    })
    .await;
    drop(next);
}

#[tokio::test]
async fn a_wrong_setting_ends_it_with_a_message() {
    let home = porthole_tests::stack::Home::new();
    let mut environment = home.environment();
    environment.insert("PORTHOLE_EMULATOR_ADDR".to_owned(), "127.0.0.1:0".to_owned());
    let help = porthole_tests::command::run("porthole-emulator", &["--help"], &environment, b"").await;
    let help = help.expect_code(0);
    assert!(help.contains("--addr") && help.contains("--tls") && !help.contains("API_KEYS"), "{help}");
    for (arguments, sentence) in [
        (&["--per-minute", "0"][..], "PORTHOLE_EMULATOR_PER_MINUTE is \"0\": must be a whole number"),
        (&["--addr", "0.0.0.0:0"], "as long as PORTHOLE_EMULATOR_API_KEYS names no keys"),
        (&["--nonsense"], "unexpected argument"),
    ] {
        let finished = porthole_tests::command::run("porthole-emulator", arguments, &environment, b"").await;
        assert_eq!(finished.code, Some(64), "{arguments:?}: {}", finished.stderr);
        assert!(finished.stderr.contains(sentence), "{arguments:?}: {}", finished.stderr);
    }
}
