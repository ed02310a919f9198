//! Ends a page's process that holds too much memory: twice what a browser may have, or most of the browser with most while the
//! machine is short of memory, when no sandbox gets a page. What holds the memory may be the browser's own process, such as the data
//! of blobs.

use std::collections::HashMap;
use std::sync::Weak;
use std::time::Duration;

use porthole_chromium::{GroupMemory, Shared, end_of_group, memory_of_groups};
use tokio::time::{Instant, sleep};

use super::kind::BrowserKind;
use super::options::{RecyclePolicy, Setup};
use crate::memory::Memory;

/// How often the processes are measured, which reads a file of each.
const EVERY: Duration = Duration::from_secs(1);
/// How many times in a row the machine must be short of memory. A page that ends frees its memory within a second.
const SHORT_MAX: u32 = 3;
/// A process has too much for itself from this many times what a browser may have before it is replaced.
const TOO_MUCH: u64 = 2;
/// While the machine is short of memory a browser counts from this part of what it may have, and from this part of all memory:
/// where others than our pages hold it, ending an honest page would help no one.
const MUCH: u64 = 2;
const MUCH_OF_ALL: u64 = 16;
/// No less than this is much, however small the setting: an honest page may need as many bytes.
const HONEST_BYTES: u64 = 256_000_000;
/// A browser of sessions ends with this many ends of its processes within this time: a session loads a crashed page again, which may
/// fill the memory anew.
const ENDS_MAX: usize = 3;
const ENDS_WITHIN: Duration = Duration::from_secs(60);

/// Watches the browsers until the provider is dropped.
pub(super) async fn watch(setup: Weak<Setup>) {
    let Some(policy) = setup.upgrade().map(|setup| setup.options.recycle) else { return };
    let memory = Memory::new(policy.memory_percent_max);
    let mut short_for = 0;
    let mut ends: HashMap<u32, Vec<Instant>> = HashMap::new();
    loop {
        sleep(EVERY).await;
        let Some(browsers) = setup.upgrade().map(|setup| setup.started.running()) else { return };
        short_for = if memory.pressed().is_some() { short_for + 1 } else { 0 };
        let is_short = short_for >= SHORT_MAX;
        let leaders: Vec<u32> = browsers.iter().map(|(browser, _)| browser.group()).collect();
        ends.retain(|leader, _| leaders.contains(leader));
        // Descriptors are many, and tell nothing while there is memory.
        let shared = if is_short { Shared::Held } else { Shared::Mapped };
        let groups = measure(leaders, shared).await;
        let Some(mut heavy) = heavy(&groups, policy, memory.total_bytes(), is_short) else { continue };
        // What the browser's own process has mapped, a page may hold.
        if heavy.largest == heavy.leader && shared == Shared::Mapped {
            heavy = measure(vec![heavy.leader], Shared::Held).await.first().copied().unwrap_or(heavy);
        }
        let Some((browser, kind)) = browsers.iter().find(|(browser, _)| browser.group() == heavy.leader) else {
            continue;
        };
        short_for = 0;
        let GroupMemory { leader, bytes, largest, largest_bytes } = heavy;
        let times = ends.entry(leader).or_default();
        times.retain(|at| at.elapsed() < ENDS_WITHIN);
        times.push(Instant::now());
        let goes_on = *kind == BrowserKind::Session && times.len() >= ENDS_MAX;
        tracing::warn!(
            process = largest,
            largest_bytes,
            bytes,
            is_short,
            "a page's process is ended: too much memory is held"
        );
        // The browser's own process takes all its pages with it.
        if goes_on || largest == leader {
            browser.kill();
        } else if !end_of_group(leader, largest) {
            tracing::debug!(process = largest, "the process has ended meanwhile");
        }
    }
}

async fn measure(leaders: Vec<u32>, shared: Shared) -> Vec<GroupMemory> {
    let measured = tokio::task::spawn_blocking(move || memory_of_groups(&leaders, shared));
    measured.await.unwrap_or_default()
}

/// The browser that holds too much, if any.
fn heavy(groups: &[GroupMemory], policy: RecyclePolicy, all: u64, is_short: bool) -> Option<GroupMemory> {
    let most = policy.memory_max_bytes.max(HONEST_BYTES / TOO_MUCH);
    let alone = groups.iter().max_by_key(|group| group.largest_bytes);
    let alone = alone.filter(|group| group.largest_bytes > most.saturating_mul(TOO_MUCH));
    let much = most.saturating_mul(TOO_MUCH).min((most / MUCH).max(all / MUCH_OF_ALL));
    let together = || groups.iter().max_by_key(|group| group.bytes).filter(|group| is_short && group.bytes > much);
    alone.or_else(together).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_may_have_less_while_the_machine_is_short_of_memory() {
        const MB: u64 = 1_000_000;
        let policy = RecyclePolicy { pages_max: 1, memory_max_bytes: 1_000 * MB, memory_percent_max: 95 };
        let group = |leader, all: u64, largest: u64| GroupMemory {
            leader,
            bytes: all * MB,
            largest: leader + 1,
            largest_bytes: largest * MB,
        };
        let found = |groups: &[GroupMemory], all| {
            [false, true].map(|is_short| heavy(groups, policy, all * MB, is_short).map(|group| group.leader))
        };
        assert_eq!(found(&[group(10, 500, 300), group(20, 400, 350)], 1_600), [None, None]);
        assert_eq!(found(&[group(10, 501, 300), group(20, 400, 350)], 1_600), [None, Some(10)]);
        assert_eq!(found(&[group(10, 1_000, 300)], 16_000), [None, None]);
        assert_eq!(found(&[group(10, 2_300, 300), group(20, 2_200, 2_001)], 1_600_000), [Some(20), Some(20)]);
        assert_eq!(found(&[group(10, 2_001, 300)], 1_600_000), [None, Some(10)]);
        let small = RecyclePolicy { memory_max_bytes: 1, ..policy };
        assert!(heavy(&[group(10, 200, 200)], small, 1, false).is_none());
    }
}
