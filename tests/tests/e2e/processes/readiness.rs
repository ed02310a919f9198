//! Readiness: `/readyz` depends on a call to the browser itself, and one failed call is not enough to turn it.

use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use porthole_tests::eventually::so;
use porthole_tests::family::Relative;
use porthole_tests::stack::{Home, Server};
use porthole_tests::{Caller, Stack, eventually, owner};

const FLIPS_WITHIN: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_browser_that_stands_still_makes_both_processes_unready_until_it_goes_on() {
    let stack = Stack::with().setting("PORTHOLE_WARM_PAGES", "0").start().await;
    let browser = stack.chromium().into_iter().find(Relative::is_browser).expect("a browser");
    let signal = |signal| kill(Pid::from_raw(browser.pid), signal).expect("the browser is alive");
    signal(Signal::SIGSTOP);
    for server in [&stack.service, &stack.worker] {
        eventually(FLIPS_WITHIN, async || {
            let ready = stack.admin(server, "/readyz").await;
            so(ready.status == 503, format!("{ready:?}"))
        })
        .await;
    }
    let alive = stack.admin(&stack.service, "/healthz").await;
    assert_eq!(alive.status, 200, "{alive:?}");
    signal(Signal::SIGCONT);
    for server in [&stack.service, &stack.worker] {
        eventually(FLIPS_WITHIN, async || {
            let ready = stack.admin(server, "/readyz").await;
            so(ready.status == 200, format!("{ready:?}"))
        })
        .await;
    }
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_service_whose_browser_can_t_start_is_alive_and_never_ready() {
    let home = Home::new();
    let mut environment = home.environment();
    for (name, value) in [
        ("PORTHOLE_SERVICE_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_OWNER_KEYS", owner::FIRST.setting()),
        ("PORTHOLE_PROVIDER", "local".to_owned()),
        ("PORTHOLE_CHROMIUM", "/bin/false".to_owned()),
    ] {
        environment.insert(name.to_owned(), value);
    }
    let service = Server::start("porthole-service", &environment).await;
    let caller = Caller::of(service.url(""));
    // One attempt is up to two starts of a browser.
    let tried = || service.process.stderr().iter().filter(|line| line.contains("died while it started")).count();
    // During the back-off a request fails at once, with the remaining time as `retry_after_ms`, and starts no browser.
    eventually(FLIPS_WITHIN, async || {
        let before = tried();
        let answer = caller.screenshot(serde_json::json!({"url": "http://93.184.215.14/"})).await;
        so(answer.code().as_deref() == Some("SESSION_CREATE_FAILED"), format!("{answer:?}"))?;
        let waits = answer.json()["retry_after_ms"].as_u64().is_some_and(|ms| (1..=30_000).contains(&ms));
        so(waits && tried() == before, format!("{} starts, then {}: {answer:?}", before, tried()))
    })
    .await;
    let ready = caller.send(caller.http.get(service.admin_url("/readyz"))).await;
    assert_eq!(ready.status, 503, "{ready:?}");
    let alive = caller.send(caller.http.get(service.admin_url("/healthz"))).await;
    assert_eq!(alive.status, 200, "{alive:?}");
    assert!(tried() >= 2, "fewer than two starts were logged");
    assert!(tried() < 10, "the browser was started {} times", tried());
    // A readiness probe may be starting a browser just now.
    eventually(FLIPS_WITHIN, async || so(home.left_in_temp().is_empty(), format!("{:?} is left", home.left_in_temp())))
        .await;
}
