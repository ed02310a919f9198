//! Ends a page's process that holds too much memory: as many bytes as two browsers may have, or most while the machine is short
//! of memory, when no sandbox gets a page. A page's process is not measured by its page, and what holds the memory may as well
//! be the browser's own: such as the data of blobs.

use std::sync::Weak;
use std::time::Duration;

use porthole_chromium::{ProcessMemory, end_of_group, largest_of_groups};
use tokio::time::sleep;

use super::options::{RecyclePolicy, Setup};
use crate::memory::Memory;

/// How often the processes are measured, which reads a file of each.
const EVERY: Duration = Duration::from_secs(1);
/// How many times in a row the machine must be short of memory. A page that ends frees its memory within a second.
const SHORT_MAX: u32 = 3;
/// A process has too much for itself from this many times what a browser may have before it is replaced.
const TOO_MUCH: u64 = 2;
/// While the machine is short of memory a process counts from this part of what a browser may have, and from this part of all
/// memory: where others than our pages hold it, ending an honest page would help no one.
const MUCH: u64 = 4;
const MUCH_OF_ALL: u64 = 16;

/// Watches the browsers until the provider is dropped.
pub(super) async fn watch(setup: Weak<Setup>) {
    let Some(policy) = setup.upgrade().map(|setup| setup.options.recycle) else { return };
    let memory = Memory::new(policy.memory_percent_max);
    let mut short_for = 0;
    loop {
        sleep(EVERY).await;
        let Some(browsers) = setup.upgrade().map(|setup| setup.started.running()) else { return };
        short_for = if memory.pressed().is_some() { short_for + 1 } else { 0 };
        let is_short = short_for >= SHORT_MAX;
        let leaders: Vec<u32> = browsers.iter().map(|browser| browser.group()).collect();
        let looking = tokio::task::spawn_blocking(move || largest_of_groups(&leaders));
        let Ok(Some(heaviest)) = looking.await else { continue };
        if heaviest.bytes <= allowed(policy, memory.total_bytes(), is_short) {
            continue;
        }
        short_for = 0;
        let ProcessMemory { leader, process, bytes } = heaviest;
        tracing::warn!(process, bytes, is_short, "a page's process is ended: it holds too much memory");
        // The browser's own process takes all its pages with it.
        if let Some(browser) = browsers.iter().find(|browser| process == browser.group()) {
            browser.kill();
        } else if !end_of_group(leader, process) {
            tracing::debug!(process, "the process has ended meanwhile");
        }
    }
}

/// How many bytes one process may have.
fn allowed(policy: RecyclePolicy, all: u64, is_short: bool) -> u64 {
    let too_much = policy.memory_max_bytes.saturating_mul(TOO_MUCH);
    if is_short { too_much.min((policy.memory_max_bytes / MUCH).max(all / MUCH_OF_ALL)) } else { too_much }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_have_less_while_the_machine_is_short_of_memory() {
        let policy = RecyclePolicy { pages_max: 1, memory_max_bytes: 1_000, memory_percent_max: 95 };
        let in_all = |all| [false, true].map(|is_short| allowed(policy, all, is_short));
        assert_eq!(in_all(1_600), [2_000, 250]);
        assert_eq!(in_all(16_000), [2_000, 1_000]);
        assert_eq!(in_all(160_000), [2_000, 2_000]);
    }
}
