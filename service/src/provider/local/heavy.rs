//! Ends a page's process that holds too much memory: as many bytes as two browsers may have, or most while the machine is short
//! of memory, when no sandbox gets a page. A page's process is not measured by its page, and what holds the memory may as well
//! be the browser's own: such as the data of blobs.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use porthole_chromium::{ProcessMemory, end_of_group, largest_of_groups};
use tokio::time::sleep;

use super::browser::Browser;
use super::options::{RecyclePolicy, Setup};
use crate::memory::Memory;

/// How often the processes are measured, which reads a file of each.
const EVERY: Duration = Duration::from_secs(1);
/// How many times in a row the machine must be short of memory. A page that ends frees its memory within a second.
const SHORT_MAX: u32 = 3;
/// A process has too much for itself from this many times what a browser may have before it is replaced.
const TOO_MUCH: u64 = 2;
/// While the machine is short of memory a process counts from this part of it.
const MUCH: u64 = 4;

/// The browsers that were started.
#[derive(Debug, Default)]
pub(super) struct Started(Mutex<Vec<Weak<Browser>>>);

impl Started {
    pub(super) fn add(&self, browser: &Arc<Browser>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(browser));
    }

    fn running(&self) -> Vec<Arc<Browser>> {
        let mut browsers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        browsers.retain(|browser| browser.strong_count() > 0);
        browsers.iter().filter_map(Weak::upgrade).collect()
    }
}

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
        if !is_too_much(heaviest.bytes, is_short, policy) {
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

fn is_too_much(bytes: u64, is_short: bool, policy: RecyclePolicy) -> bool {
    let most = policy.memory_max_bytes;
    bytes > if is_short { most / MUCH } else { most.saturating_mul(TOO_MUCH) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_is_too_much_while_the_machine_is_short_of_memory() {
        let policy = RecyclePolicy { pages_max: 1, memory_max_bytes: 1_000, memory_percent_max: 95 };
        let too_much = |bytes| [false, true].map(|is_short| is_too_much(bytes, is_short, policy));
        assert_eq!(too_much(250), [false, false]);
        assert_eq!(too_much(251), [false, true]);
        assert_eq!(too_much(2_000), [false, true]);
        assert_eq!(too_much(2_001), [true, true]);
    }
}
