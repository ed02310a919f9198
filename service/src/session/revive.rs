//! Brings back tabs whose renderer died, by reloading the page as a person would.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use porthole_contract::ErrorCode;
use porthole_contract::live::ServerMessage;
use tokio::time::Instant;

use super::Session;
use super::destination::judge;
use super::tabs::Tab;
use crate::page::{Page, PageError, Revival, Travel};

/// How often a tab is brought back within [`WITHIN`]: a page whose renderer dies of it would be loaded without end.
const REVIVALS_MAX: usize = 3;
const WITHIN: Duration = Duration::from_secs(60);

/// When a tab was brought back.
#[derive(Debug, Default)]
struct Revivals(VecDeque<Instant>);

impl Revivals {
    /// Whether the tab may be brought back once more.
    fn admits(&mut self, now: Instant) -> bool {
        self.0.retain(|at| now < *at + WITHIN);
        let admits = self.0.len() < REVIVALS_MAX;
        if admits {
            self.0.push_back(now);
        }
        admits
    }
}

/// Brings a tab back each time its renderer has died, until it is gone. Calls wait meanwhile.
pub(super) async fn revive(session: Arc<Session>, tab: Tab) {
    let (mut revivals, mut crashes) = (Revivals::default(), 0);
    while let Some(now) = tab.page.crashes_after(crashes).await {
        crashes = now;
        // The call that runs fails at once; one that was waiting already may go elsewhere first.
        let _turn = session.turn.lock().await;
        if !tab.page.has_crashed() {
            continue;
        }
        if revivals.admits(Instant::now()) {
            bring_back(&session, &tab.page).await;
        } else {
            tracing::info!(session = %session.id, tab = tab.name, "gave up on a page whose renderer keeps crashing");
            session.viewers.tell_all(&ServerMessage::Error {
                error: ErrorCode::BrowserCrashed,
                message: ErrorCode::BrowserCrashed.message().to_owned(),
            });
        }
    }
}

/// Loads the page again. If that fails the browser shows why.
async fn bring_back(session: &Session, page: &Page) {
    let went = match page.revival().await {
        Some(Revival::Reload) => page.or_stop(page.travel(Travel::Reload)).await.map(drop),
        Some(Revival::GoTo(url)) => match judge(page, &session.judge, &url).await {
            Ok(target) => page.or_stop(page.navigate(&target)).await,
            Err(refusal) => Err(PageError::Blocked(refusal)),
        },
        None => return,
    };
    if let Err(error) = went {
        drop(page.take_refusal());
        tracing::info!(session = %session.id, %error, "a page did not come back after its renderer had died");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_is_brought_back_three_times_a_minute() {
        let (mut revivals, start) = (Revivals::default(), Instant::now());
        let second = |number: u64| start + Duration::from_secs(number);
        assert_eq!([0, 10, 20, 30].map(|at| revivals.admits(second(at))), [true, true, true, false]);
        assert_eq!([60, 61, 71].map(|at| revivals.admits(second(at))), [true, false, true]);
    }
}
