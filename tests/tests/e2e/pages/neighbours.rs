//! A second sandbox's requests beside hostile pages of many kinds: all succeed, no browser dies, at most one of each kind is
//! put in quarantine at a time, and the bytes that such a page makes the service read are bounded. The `neighbours` example
//! measures how long they take.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use porthole_tests::eventually::so;
use porthole_tests::exposition::prometheus;
use porthole_tests::neighbours::{NEIGHBOURS, Neighbour};
use porthole_tests::{Stack, eventually, owner};
use serde_json::json;

/// How long a hostile page is kept after its load, in milliseconds of real time.
const KEPT_MS: u32 = 800;
/// The same for a page that is ended by its oversized message, which takes seconds to be made on a busy machine.
const KEPT_FOR_ITS_MESSAGE_MS: u32 = 8_000;
/// Number of requests that the second sandbox makes beside each hostile page.
const REQUESTS: usize = 2;
/// Maximum bytes read from the browser for a page without oversized messages and for the second sandbox's pictures: the
/// page's allowance of events, refilled while it lives, and a margin.
const READ_MAX_BYTES: f64 = 64e6;
/// The same for a page of whose strings none is read: events of a fixed size, as many as it makes while it lives. On a busy
/// machine it lives longer (seen: 5 MB).
const SILENT_MAX_BYTES: f64 = 16e6;
/// Maximum size of one oversized message of these pages, whose strings have up to 30 MB. Its bytes are read past without
/// being kept and do not count for the page's allowance of events.
const OVERSIZED_BYTES: f64 = 31e6;
/// Maximum number of oversized messages before the page's end is felt: what the browser had written by then (seen: 3).
const OVERSIZED_MAX: f64 = 6.0;

/// The shortest time between two browsers that are put in quarantine: the service's own constant.
const CHANGES_EVERY_SECONDS: f64 = 10.0;
/// Limit for a browser to dispose of a hostile page.
const GONE_WITHIN: Duration = Duration::from_secs(30);
/// Error codes that a hostile page's own request may end with.
const ENDS: [&str; 4] = ["NAVIGATION_FAILED", "NAVIGATION_TIMEOUT", "DEADLINE_EXCEEDED", "BROWSER_CRASHED"];

struct Read {
    bytes: f64,
    oversized: f64,
    floods: f64,
    died: f64,
    noisy: f64,
}

async fn read(stack: &Stack) -> Read {
    let answer = stack.admin(&stack.service, "/metrics").await;
    let text = std::str::from_utf8(&answer.body).expect("metrics are text");
    let families = prometheus(text);
    let sample = |family: &str, series: &str| {
        let family = families.get(family).unwrap_or_else(|| panic!("no {family}:\n{text}"));
        family.samples.get(series).copied().unwrap_or_default()
    };
    let count = |name: &str| sample(name, name);
    let started = |reason: &str| {
        sample("porthole_browser_starts_total", &format!("porthole_browser_starts_total{{reason=\"{reason}\"}}"))
    };
    Read {
        bytes: count("porthole_cdp_read_bytes_total"),
        oversized: count("porthole_cdp_oversized_messages_total"),
        floods: count("porthole_cdp_floods_total"),
        died: started("died"),
        noisy: started("noisy"),
    }
}

/// Returns the pids of the browsers' main processes, without their renderers.
fn browsers(stack: &Stack) -> BTreeSet<i32> {
    let chromium = stack.chromium();
    let pids: BTreeSet<i32> = chromium.iter().map(|process| process.pid).collect();
    chromium.iter().filter(|process| !pids.contains(&process.parent)).map(|process| process.pid).collect()
}

/// Visits a hostile page beside the second sandbox's requests and returns the violations.
async fn beside(stack: &Stack, number: usize, neighbour: Neighbour) -> Vec<String> {
    let before = read(stack).await;
    let url = stack.site.html(&neighbour.html());
    // A sandbox of its own for each kind: what is known of one would have the next page made in the quarantine, where it
    // gives way to everything on a busy machine.
    let hostile = stack.caller().owning(&format!("sb-hostile-{number}"), &owner::FIRST);
    let visit = tokio::spawn(async move {
        let kept_ms = if neighbour.oversized { KEPT_FOR_ITS_MESSAGE_MS } else { KEPT_MS };
        let wait = json!({"until": "load", "delay_ms": kept_ms});
        hostile.extract(json!({"url": url, "wait": wait, "timeout_ms": 15_000})).await
    });
    let mut amiss = Vec::new();
    let mut expect = |holds: bool, what: String| {
        if !holds {
            amiss.push(format!("{}: {what}", neighbour.name));
        }
    };
    let other = stack.caller().owning("sb-of-another", &owner::SECOND);
    let quiet = stack.site.html("<title>quiet</title><p>all is well");
    for number in 0..REQUESTS {
        let answer = if number % 2 == 0 {
            other.screenshot(json!({"url": quiet, "wait": {"until": "load"}})).await
        } else {
            other.extract(json!({"url": quiet})).await
        };
        expect(answer.code().is_none(), format!("the second sandbox's request failed: {answer:?}"));
    }
    let code = visit.await.expect("a visit does not panic").code();
    // Messages that the page sent before it was ended may still arrive until its context is gone.
    stack.expect_idle(GONE_WITHIN).await;
    let after = read(stack).await;
    let read_bytes = after.bytes - before.bytes;
    let (oversized, floods) = (after.oversized - before.oversized, after.floods - before.floods);
    println!("{}: {:.0} kB read, {oversized} oversized, {floods} floods, {code:?}", neighbour.name, read_bytes / 1e3);
    let is_an_end = code.as_ref().is_none_or(|code| ENDS.contains(&code.as_str()));
    expect(is_an_end, format!("it ended with {code:?}"));
    expect(after.died <= before.died, "a browser died".to_owned());
    let read_max_bytes = READ_MAX_BYTES + oversized * OVERSIZED_BYTES;
    expect(read_bytes < read_max_bytes, format!("{read_bytes} bytes were read"));
    if neighbour.oversized {
        let is_ended = (1.0..=OVERSIZED_MAX).contains(&oversized) && floods >= 1.0;
        expect(is_ended, format!("{oversized} oversized messages, {floods} pages ended"));
        expect(code.as_deref() == Some("NAVIGATION_FAILED"), format!("it ended with {code:?}"));
    } else {
        expect(oversized == 0.0, format!("{oversized} oversized messages"));
        let is_silent = floods == 0.0 && !neighbour.name.starts_with("history");
        expect(!is_silent || read_bytes < SILENT_MAX_BYTES, format!("{read_bytes} bytes were read"));
    }
    amiss
}

#[tokio::test]
async fn a_second_sandbox_is_served_beside_hostile_pages() {
    // Hostile pages take memory, for which a browser is replaced in time: here only a fault may replace one.
    let stack = Stack::with()
        .setting("PORTHOLE_MAX_CONCURRENT", "4")
        .setting("PORTHOLE_BROWSER_MAX_MEMORY_MB", "1000000")
        .start()
        .await;
    stack.expect_alive().await;
    let running = browsers(&stack).len();
    let (mut amiss, started) = (Vec::new(), Instant::now());
    // Kinds that follow one another are alike: every second one, and all of them in the `neighbours` example.
    for (number, neighbour) in NEIGHBOURS.into_iter().enumerate().skip(1).step_by(2) {
        amiss.extend(beside(&stack, number, neighbour).await);
        // Each may have its spare and one in quarantine, and the one before that ends.
        eventually(GONE_WITHIN, async || {
            let now = browsers(&stack).len();
            so(now <= running * 3, format!("{}: {now} browsers run", neighbour.name))
        })
        .await;
    }
    assert_eq!(amiss, Vec::<String>::new());
    let (noisy, seconds) = (read(&stack).await.noisy, started.elapsed().as_secs_f64());
    let noisy_max = (1.0 + seconds / CHANGES_EVERY_SECONDS) * running as f64;
    assert!(noisy <= noisy_max, "{noisy} browsers were started in {seconds} s because of noise");
    let sessions = stack.metrics().await["sessions"].clone();
    assert_eq!(sessions["leaked"], 0, "{sessions}");
}
