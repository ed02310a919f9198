//! Bounds the look-ups of one page: how many at once, how many in all, and none of a name that failed. A look-up holds
//! no resource that another page needs (see `resolve`), so these bounds suffice to keep one tenant from slowing
//! another.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::Refusal;
use super::resolve::{Answer, LookUpError, Resolver};

/// Look-ups of one page under way at once; more wait.
const AT_ONCE_MAX: usize = 16;
/// Look-ups that one page may make in all.
const NAMES_MAX: usize = 1_024;
/// How long one look-up may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of a look-up after one of the page has timed out: a page must not wait the full time for each of many dead
/// names.
const TIMEOUT_AFTER_SILENCE: Duration = Duration::from_secs(2);

/// The look-ups of one page.
#[derive(Debug)]
pub(super) struct PageLookups {
    free: Semaphore,
    history: Mutex<History>,
}

#[derive(Debug, Default)]
struct History {
    asked: usize,
    /// Names that have no address or timed out; this page does not look them up again.
    failed: HashSet<String>,
    was_silent: bool,
}

impl Default for PageLookups {
    fn default() -> Self {
        PageLookups { free: Semaphore::new(AT_ONCE_MAX), history: Mutex::default() }
    }
}

impl PageLookups {
    /// Looks up the addresses of this name.
    pub(super) async fn ask(&self, resolver: &Resolver, host: &str, port: u16) -> Result<Answer, Refusal> {
        let not_resolved = || Refusal::NotResolved { host: host.to_owned() };
        if self.has_failed(host) {
            return Err(not_resolved());
        }
        // Nothing closes this semaphore.
        let _permit = self.free.acquire().await.map_err(|_| not_resolved())?;
        let timeout = {
            let mut history = self.history();
            // Another request for the same name may have failed while this one waited.
            if history.failed.contains(host) || history.asked >= NAMES_MAX {
                return Err(not_resolved());
            }
            history.asked += 1;
            if history.was_silent { TIMEOUT_AFTER_SILENCE } else { TIMEOUT }
        };
        resolver.ask(host, port, timeout).await.map_err(|error| {
            let mut history = self.history();
            history.was_silent |= error == LookUpError::Silent;
            history.failed.insert(host.to_owned());
            not_resolved()
        })
    }

    fn has_failed(&self, host: &str) -> bool {
        self.history().failed.contains(host)
    }

    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::time::Instant;

    use super::*;
    use crate::guard::dns::{Servers, SystemFiles};

    fn public(port: u16) -> Vec<SocketAddr> {
        vec![SocketAddr::from(([1, 1, 1, 1], port))]
    }

    /// Starts a DNS server that never answers, with a resolver that asks it.
    async fn silent() -> (tokio::net::UdpSocket, Resolver) {
        let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let servers = Servers::only(vec![socket.local_addr().unwrap()]);
        (socket, Resolver::of_files(SystemFiles::saying("10.1.2.3 good.example", servers)))
    }

    #[tokio::test]
    async fn a_name_that_failed_is_not_asked_for_again() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let resolver = Resolver::new(move |host: &str, port: u16| {
            count.fetch_add(1, Ordering::SeqCst);
            if host == "good.example" { Ok(public(port)) } else { Err(io::Error::other("NXDOMAIN")) }
        });
        let page = PageLookups::default();
        for _ in 0..3 {
            page.ask(&resolver, "bad.example", 80).await.unwrap_err();
        }
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        for _ in 0..3 {
            page.ask(&resolver, "good.example", 80).await.unwrap();
        }
        assert_eq!(asked.load(Ordering::SeqCst), 4, "an answer is never remembered");
        PageLookups::default().ask(&resolver, "bad.example", 80).await.unwrap_err();
        assert_eq!(asked.load(Ordering::SeqCst), 5, "pages don't share failures");
    }

    #[tokio::test]
    async fn a_page_has_a_limited_number_of_look_ups() {
        let resolver = Resolver::new(|_: &str, port: u16| Ok(public(port)));
        let page = PageLookups::default();
        for n in 0..NAMES_MAX {
            page.ask(&resolver, &format!("n{n}.example"), 80).await.unwrap();
        }
        page.ask(&resolver, "more.example", 80).await.unwrap_err();
    }

    #[tokio::test(start_paused = true)]
    async fn one_dead_name_after_another_costs_less_each() {
        let (_silent, resolver) = silent().await;
        let page = PageLookups::default();
        let begun = Instant::now();
        page.ask(&resolver, "dead.example", 80).await.unwrap_err();
        let first = begun.elapsed();
        page.ask(&resolver, "also-dead.example", 80).await.unwrap_err();
        let second = begun.elapsed() - first;
        page.ask(&resolver, "dead.example", 80).await.unwrap_err();
        assert!(first <= TIMEOUT && second <= TIMEOUT_AFTER_SILENCE, "{first:?}, {second:?}");
        assert_eq!(begun.elapsed(), first + second, "a name that failed costs nothing");
    }

    #[tokio::test]
    async fn pages_full_of_dead_names_do_not_delay_other_pages() {
        let (_silent, resolver) = silent().await;
        let mut dead = tokio::task::JoinSet::new();
        for _ in 0..5 {
            let page = Arc::new(PageLookups::default());
            for n in 0..400 {
                let (page, resolver) = (Arc::clone(&page), resolver.clone());
                dead.spawn(async move { page.ask(&resolver, &format!("dead{n}.example"), 80).await });
            }
        }
        tokio::task::yield_now().await;
        // These must succeed before any look-up of a dead name times out.
        resolver.ask_first("good.example", 80).await.unwrap();
        PageLookups::default().ask(&resolver, "good.example", 80).await.unwrap();
        assert_eq!(dead.len(), 2_000);
        assert!(dead.try_join_next().is_none(), "the dead names are still being looked up");
    }
}
