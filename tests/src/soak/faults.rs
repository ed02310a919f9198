//! The faults of the soak: browsers killed, Browserbase failing, the service restarted and killed.

use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Books, SoakOptions};
use crate::family::Relative;
use crate::remote::Remote;
use crate::stack::Server;

/// The time limit of an orderly end of the service; requests in flight have 25 s.
const ENDED_WITHIN: Duration = Duration::from_secs(40);
/// Shortest and longest pause between two faults.
const PAUSE_MS: std::ops::Range<u64> = 1_500..4_000;
/// Time that the service runs between two restarts.
const RESTART_EVERY: Duration = Duration::from_secs(600);

/// The schedule of the faults.
pub(super) struct Faults {
    rng: fastrand::Rng,
    next: Instant,
    /// The restarts of the service, the last one first. The last part has none, to measure the slope of memory.
    restarts: Vec<(Instant, Signal)>,
}

impl Faults {
    pub(super) fn new(options: SoakOptions) -> Self {
        let now = Instant::now();
        let span = options.duration.mul_f64(0.6);
        let rounds = (span.as_secs() / RESTART_EVERY.as_secs()).max(1);
        let every = span / u32::try_from(2 * rounds).unwrap_or(u32::MAX);
        let mut restarts: Vec<_> = (1..=2 * u32::try_from(rounds).unwrap_or(1))
            .map(|number| (now + every * number, if number % 2 == 1 { Signal::SIGTERM } else { Signal::SIGKILL }))
            .collect();
        restarts.reverse();
        Self { rng: fastrand::Rng::with_seed(options.seed.wrapping_add(1 << 32)), next: now, restarts }
    }

    /// Injects a fault, if it is time.
    pub(super) async fn strike(&mut self, remote: &mut Remote, books: &Books) {
        if let Some((at, signal)) = self.restarts.last().copied()
            && Instant::now() >= at
        {
            self.restarts.pop();
            restart(remote, signal, books).await;
        } else if Instant::now() >= self.next {
            self.next = Instant::now() + Duration::from_millis(self.rng.u64(PAUSE_MS));
            self.one(remote, books).await;
        }
    }

    async fn one(&mut self, remote: &Remote, books: &Books) {
        match self.rng.u8(0..8) {
            0 => {
                let browsers = remote.stack.chromium();
                self.kill_one(browsers.into_iter().filter(Relative::is_browser), "a local browser killed", books);
            }
            1 | 2 => {
                let browsers = remote.stack.chromium();
                self.kill_one(browsers.into_iter().filter(Relative::is_renderer), "a local renderer killed", books);
            }
            3 => {
                let browsers = remote.emulator.process.family();
                self.kill_one(browsers.into_iter().filter(Relative::is_browser), "a remote browser killed", books);
            }
            _ => {
                let mut fault = self.of_browserbase();
                fault["times"] = json!(1);
                remote.emulator.faults(json!([fault])).await;
                books.fault("Browserbase failed");
            }
        }
    }

    fn kill_one(&mut self, among: impl Iterator<Item = Relative>, what: &'static str, books: &Books) {
        let among: Vec<_> = among.collect();
        if let Some(one) = self.rng.choice(&among) {
            one.kill();
            books.fault(what);
        }
    }

    fn of_browserbase(&mut self) -> Value {
        let after_messages = self.rng.u64(0..40);
        let faults = [
            json!({"create": {"status": {"code": 500}}}),
            json!({"create": {"status": {"code": 429, "retry_after_s": 1}}}),
            json!({"create": {"slow": {"ms": 1500}}}),
            json!({"create": "lose_answer"}),
            json!({"create": "garbage"}),
            json!({"create": "unreachable_connect_url"}),
            json!({"release": {"status": {"code": 500}}}),
            json!({"release": "lose_answer"}),
            json!({"connect": {"status": {"code": 503}}}),
            json!({"connect": {"close": {"code": 1011, "after_messages": after_messages}}}),
            json!({"connect": {"drop_after": {"messages": after_messages}}}),
            json!({"connect": {"garbage": {"kind": "text", "after_messages": after_messages}}}),
            json!({"connect": {"freeze": {"after_messages": after_messages}}}),
            json!({"connect": {"kill_browser": {"after_messages": after_messages}}}),
        ];
        self.rng.choice(&faults).cloned().unwrap_or_default()
    }
}

/// Ends the service with `signal` and starts it again at the same addresses.
async fn restart(remote: &mut Remote, signal: Signal, books: &Books) {
    let stack = &mut remote.stack;
    books.count_leaked(&stack.metrics().await);
    let _ = stack.service.process.family();
    stack.service.process.signal(signal);
    let _ = stack.service.process.ended(ENDED_WITHIN).await;
    let mut environment = stack.of_service.clone();
    environment.insert("PORTHOLE_SERVICE_ADDR".to_owned(), stack.service.main.to_string());
    environment.insert("PORTHOLE_SERVICE_ADMIN_ADDR".to_owned(), stack.service.admin.to_string());
    stack.service = Server::start("porthole-service", &environment).await;
    books.fault(if signal == Signal::SIGKILL { "service killed" } else { "service restarted" });
}
