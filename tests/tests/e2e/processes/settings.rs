//! Settings: a wrong one ends the process at once, with a message that names it.

use std::time::Duration;

use porthole_tests::owner::FIRST;
use porthole_tests::process::{Environment, Process};
use porthole_tests::stack::{Home, Server};

const ENDED_WITHIN: Duration = Duration::from_secs(20);
/// Exit code for a wrong setting: `EX_USAGE` of sysexits.h.
const WRONG_SETTING: i32 = 64;

/// Returns valid settings for a service or a worker.
fn right(home: &Home) -> Environment {
    let mut environment = home.environment();
    for (name, value) in [
        ("PORTHOLE_SERVICE_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_WORKER_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_WORKER_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_OWNER_KEYS", FIRST.setting()),
    ] {
        environment.insert(name.to_owned(), value);
    }
    environment
}

async fn refusal(executable: &str, arguments: &[&str], environment: &Environment) -> String {
    let mut process = Process::spawn(executable, arguments, environment);
    let status = process.ended(ENDED_WITHIN).await;
    let said = [process.stderr(), process.stdout()].concat().join("\n");
    assert_eq!(status.code(), Some(WRONG_SETTING), "{executable}: {status:?}\n{said}");
    said
}

#[tokio::test]
async fn a_wrong_setting_ends_the_process_and_is_named_with_its_value() {
    let home = Home::new();
    for (executable, name, value) in [
        ("porthole-service", "PORTHOLE_PROVIDER", "netscape"),
        ("porthole-service", "PORTHOLE_SERVICE_ADDR", "nowhere"),
        ("porthole-service", "PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:99999"),
        ("porthole-service", "PORTHOLE_MAX_CONCURRENT", "many"),
        ("porthole-service", "PORTHOLE_MAX_CONCURRENT", "0"),
        ("porthole-service", "PORTHOLE_MAX_QUEUE", "-1"),
        ("porthole-service", "PORTHOLE_CHROMIUM", "/nowhere/chromium"),
        ("porthole-service", "PORTHOLE_ALLOW_TARGETS", "10.0.0.0/99"),
        ("porthole-service", "PORTHOLE_ALLOW_TARGETS_FROM", "everywhere"),
        ("porthole-service", "PORTHOLE_DENY_CIDRS", "10.0.0.300/8"),
        ("porthole-service", "PORTHOLE_RESOLVE", "name-without-address"),
        ("porthole-service", "OTEL_EXPORTER_OTLP_ENDPOINT", "collector.example:4318"),
        ("porthole-worker", "OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://collector.example"),
        ("porthole-worker", "PORTHOLE_WORKER_ADDR", "nowhere"),
        ("porthole-worker", "PORTHOLE_WORKER_ADMIN_ADDR", "127.0.0.1:x"),
        ("porthole-worker", "PORTHOLE_SERVICE_URL", "ftp://service"),
        ("porthole-worker", "PORTHOLE_RATE_LIMIT", "fast"),
        ("porthole-worker", "PORTHOLE_RATE_LIMIT", "0"),
        ("porthole-worker", "PORTHOLE_TRUSTED_PROXIES", "proxy.example"),
        ("porthole-worker", "PORTHOLE_ALLOWED_ORIGINS", "chat.example/path"),
    ] {
        eprintln!("{executable} with {name}={value}");
        let mut environment = right(&home);
        environment.insert(name.to_owned(), value.to_owned());
        let said = refusal(executable, &[], &environment).await;
        assert!(said.contains(name) && said.contains(value), "{name}={value}: {said}");
    }
}

#[tokio::test]
async fn a_wrong_flag_is_a_wrong_setting() {
    let home = Home::new();
    for (executable, flag, name) in [
        ("porthole-service", "--provider", "PORTHOLE_PROVIDER"),
        ("porthole-service", "--max-concurrent", "PORTHOLE_MAX_CONCURRENT"),
        ("porthole-worker", "--rate-limit", "PORTHOLE_RATE_LIMIT"),
    ] {
        let said = refusal(executable, &[flag, "nonsense"], &right(&home)).await;
        assert!(said.contains(flag) || said.contains(name), "{flag}: {said}");
        assert!(said.contains("nonsense"), "{flag}: {said}");
    }
}

#[tokio::test]
async fn a_wrong_secret_is_named_and_never_shown() {
    let home = Home::new();
    for (executable, name, value) in [
        ("porthole-service", "PORTHOLE_OWNER_KEYS", "kid-a:c2hvcnQtc2VjcmV0"),
        ("porthole-service", "PORTHOLE_OWNER_KEYS", "a-secret-without-its-kid-0123456789012345678901234567890"),
        ("porthole-service", "PORTHOLE_OWNER_KEYS", "kid-a:not*base64*url*not*base64*url*not*base64*url*"),
        ("porthole-service", "PORTHOLE_SERVICE_KEY", "too-short-secret"),
        ("porthole-worker", "PORTHOLE_SERVICE_KEY", "too-short-secret"),
        ("porthole-worker", "PORTHOLE_CLIENT_KEYS", "too-short-secret"),
        ("porthole-worker", "OTEL_EXPORTER_OTLP_HEADERS", "secret-without-its-name"),
        ("porthole-service", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:secret-of-mine@collector.example"),
    ] {
        let mut environment = right(&home);
        environment.insert(name.to_owned(), value.to_owned());
        let said = refusal(executable, &[], &environment).await;
        let secret = value.rsplit(':').next().unwrap_or(value);
        assert!(said.contains(name), "{name}: {said}");
        assert!(!said.contains(secret), "{name} is shown: {said}");
    }
}

#[tokio::test]
async fn a_service_without_owner_keys_does_not_start() {
    let home = Home::new();
    let mut environment = right(&home);
    environment.remove("PORTHOLE_OWNER_KEYS");
    let said = refusal("porthole-service", &[], &environment).await;
    assert!(said.contains("PORTHOLE_OWNER_KEYS"), "{said}");
}

#[tokio::test]
async fn no_server_listens_beyond_loopback_without_keys() {
    let home = Home::new();
    for addr in ["0.0.0.0:0", "[::]:0"] {
        let mut environment = right(&home);
        environment.insert("PORTHOLE_SERVICE_ADDR".to_owned(), addr.to_owned());
        let said = refusal("porthole-service", &[], &environment).await;
        assert!(said.contains("PORTHOLE_SERVICE_KEY"), "{said}");
        let mut environment = right(&home);
        environment.insert("PORTHOLE_WORKER_ADDR".to_owned(), addr.to_owned());
        let said = refusal("porthole-worker", &[], &environment).await;
        assert!(said.contains("PORTHOLE_CLIENT_KEYS"), "{said}");
    }
}

#[tokio::test]
async fn a_secret_can_be_given_as_a_file() {
    let home = Home::new();
    let file = home.home().join("owner-keys");
    std::fs::write(&file, format!("{}\n", FIRST.setting())).unwrap();
    let mut environment = right(&home);
    environment.remove("PORTHOLE_OWNER_KEYS");
    environment.insert("PORTHOLE_OWNER_KEYS_FILE".to_owned(), file.to_str().unwrap().to_owned());
    drop(Server::start("porthole-service", &environment).await);

    environment.insert("PORTHOLE_OWNER_KEYS_FILE".to_owned(), "/nowhere/owner-keys".to_owned());
    let said = refusal("porthole-service", &[], &environment).await;
    assert!(said.contains("PORTHOLE_OWNER_KEYS_FILE") && said.contains("/nowhere/owner-keys"), "{said}");
}

#[tokio::test]
async fn help_lists_every_setting_and_no_secret() {
    let home = Home::new();
    let mut environment = right(&home);
    let secrets = ["service-key-that-nobody-may-read-0001", "client-key-that-nobody-may-read-0001"];
    environment.insert("PORTHOLE_SERVICE_KEY".to_owned(), secrets[0].to_owned());
    environment.insert("PORTHOLE_CLIENT_KEYS".to_owned(), secrets[1].to_owned());
    for (executable, flags) in [
        ("porthole-service", ["--provider", "--max-concurrent", "--allow-targets"]),
        ("porthole-worker", ["--service-url", "--rate-limit", "--allowed-origins"]),
    ] {
        let mut process = Process::spawn(executable, &["--help"], &environment);
        let status = process.ended(ENDED_WITHIN).await;
        assert_eq!(status.code(), Some(0));
        let said = process.stdout().join("\n");
        for flag in flags {
            assert!(said.contains(flag), "{flag} is not in {said}");
        }
        let owner_key = FIRST.setting();
        for secret in [owner_key.as_str(), secrets[0], secrets[1]] {
            assert!(!said.contains(secret), "a secret is shown: {said}");
        }
        for flag in ["--owner-keys", "--service-key", "--client-keys"] {
            assert!(!said.contains(flag), "a secret has a flag: {said}");
        }
    }
}
