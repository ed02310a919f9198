//! Navigation: the `navigate` call, and its part in `open` and in new tabs.

use porthole_contract::session::{Acted, HistoryAction, LoadState};
use porthole_contract::{Until, Wait, WarningCode};
use tokio::time::Instant;

use super::destination::{Destination, judge, travel};
use super::shown::ShownAction;
use super::{SessionError, Turn};
use crate::guard::Refusal;
use crate::page::interact::NavigationWatch;
use crate::page::{Page, PageError};

impl Turn<'_> {
    /// Goes there and waits until the document is as wanted. A navigation that fails leaves the tab usable.
    ///
    /// # Errors
    /// [`SessionError`]: the target is refused, or can't be loaded.
    pub async fn navigate(&mut self, to: Destination<'_>, until: LoadState) -> Result<Acted, SessionError> {
        if !self.page().frees_itself().await {
            self.replace_tab().await?;
        }
        let page = self.page();
        self.show(ShownAction::default());
        let follow = match to {
            Destination::Url(url) => match self.go_to(&page, url).await? {
                Some(follow) => follow,
                // The page is as it was; the download is an event.
                None => return Ok(Acted { settled: self.settle_downloads().await, ..Acted::default() }),
            },
            Destination::History(action) => self.go_in_history(&page, action).await?,
        };
        self.settling_since = Some(std::time::Instant::now());
        let wait = Wait { until: state(until), ..Wait::default() };
        // A dialog holds up the load, too, until it is answered.
        let warnings = if follow.stayed() {
            Vec::new()
        } else {
            tokio::select! {
                biased;
                opened = page.dialog_opens() => opened.map(|_| Vec::new()),
                warnings = page.settle(&wait, self.deadline.max(Instant::now())) => warnings,
            }?
        };
        // A renderer may die of its document while that loads.
        page.can_go_on()?;
        page.cut_document().await.map_or(Ok(()), Err)?;
        // Applications fetch what they show once they are loaded.
        let is_loaded = warnings.is_empty() && page.dialog().is_none();
        let rests = is_loaded && (follow.stayed() || until == LoadState::Load);
        if rests && !follow.stayed() {
            page.shows_first().await;
        }
        let rested = if rests { follow.rests().await? } else { None };
        let settled = is_loaded && page.dialog().is_none() && rested.is_none_or(|rested| rested.settled);
        self.warns(warnings);
        let status_code = if page.dialog().is_some() { page.status_code() } else { page.answered_with().await };
        Ok(Acted { navigated: true, settled, target: None, method: None, status_code })
    }

    /// Goes to a URL, if it may be visited; `None` where that is a download, which the session keeps.
    async fn go_to<'a>(&self, page: &'a Page, url: &str) -> Result<Option<NavigationWatch<'a>>, SessionError> {
        let judged_by = &self.session.judge;
        let target = match judge(page, judged_by, url).await {
            Ok(target) => target,
            Err(refusal) => {
                if let Refusal::Blocked(_) = &refusal {
                    judged_by.blocked.blocked(refusal.label(), 1);
                }
                return Err(refusal.into());
            }
        };
        let follow = page.watch_navigation();
        match page.or_stop(page.navigate(&target)).await.inspect_err(|_| drop(page.take_refusal())) {
            Err(PageError::Download(_)) if self.keeps_downloads() => Ok(None),
            navigated => navigated.map(|_| Some(follow)).map_err(SessionError::from),
        }
    }

    /// Goes back or forward, or loads the document again.
    async fn go_in_history<'a>(
        &mut self,
        page: &'a Page,
        action: HistoryAction,
    ) -> Result<NavigationWatch<'a>, SessionError> {
        let follow = page.watch_navigation();
        let travelled = page.or_stop(page.travel(travel(action))).await;
        if travelled.inspect_err(|_| drop(page.take_refusal()))?.form_was_resent {
            self.warns([WarningCode::FormResent.says("the page came from a form, which was sent again for it")]);
        }
        Ok(follow)
    }
}

const fn state(until: LoadState) -> Until {
    match until {
        LoadState::Load => Until::Load,
        LoadState::DomContentLoaded => Until::DomContentLoaded,
        LoadState::NetworkIdle => Until::NetworkIdle,
    }
}
