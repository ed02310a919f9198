//! Where a tab goes, judged before it does.

use porthole_contract::session::HistoryAction;

use crate::guard::{Judge, Refusal, Target};
use crate::page::{Page, Travel};

/// Where a navigation goes.
#[derive(Clone, Copy, Debug)]
pub enum Destination<'a> {
    /// To a URL.
    Url(&'a str),
    /// Through the tab's history.
    History(HistoryAction),
}

/// A step in the history, as pages take it.
pub(super) const fn travel(action: HistoryAction) -> Travel {
    match action {
        HistoryAction::Back => Travel::Back,
        HistoryAction::Forward => Travel::Forward,
        HistoryAction::Reload => Travel::Reload,
    }
}

/// Judges a URL before a tab goes there.
pub(super) async fn judge(page: &Page, by: &Judge, url: &str) -> Result<Target, Refusal> {
    page.judge_host(url)?;
    by.guard.judge(url).await
}
