//! Events of a page that no command asked for, read from the page's state, for owners that hold the page for long.

use tokio::sync::watch::Receiver;

use super::watch::{BLANK, Fatal, PageState};
use super::{Dialog, Page};
use crate::guard::egress::Report;

/// Something that happened to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// It went to another document, or to another URL within its document.
    Navigated {
        /// Where it is now.
        url: String,
    },
    /// A dialog holds it.
    Dialog(Dialog),
    /// Its renderer died. A navigation may start another.
    Crashed,
    /// It is gone, with its window or its browser. Nothing follows.
    Gone,
}

/// The news of one page. What happens between two looks is joined: of several navigations the last is told.
pub struct NewsFeed {
    state: Receiver<PageState>,
    seen: Seen,
}

/// Tells when there may be news.
pub struct Changes(Receiver<PageState>);

/// What was told already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    arrivals: u64,
    within_document: u64,
    dialog: Option<Dialog>,
    has_crashed: bool,
    is_gone: bool,
}

impl Seen {
    fn of(state: &PageState) -> Self {
        Self {
            arrivals: state.arrivals,
            within_document: state.within_document,
            dialog: state.dialog.clone(),
            has_crashed: matches!(state.fatal, Some(Fatal::Crashed)),
            is_gone: matches!(state.fatal, Some(Fatal::Gone | Fatal::Flooded)),
        }
    }
}

impl Page {
    /// What happens to the page from now on.
    #[must_use]
    pub fn news(&self) -> NewsFeed {
        let seen = Seen::of(&self.state.borrow());
        NewsFeed { state: self.state.clone(), seen }
    }

    /// The URL of its document, as the browser reported it last.
    #[must_use]
    pub fn url(&self) -> String {
        self.state.borrow().document.url.clone()
    }

    /// The URL of its document, or, where it is blank, the URL that it was to go to last.
    #[must_use]
    pub fn meant_url(&self) -> String {
        let state = self.state.borrow();
        let shown = &state.document.url;
        let is_blank = shown.is_empty() || shown == BLANK;
        let meant = if is_blank && !state.asked_for.is_empty() { &state.asked_for } else { shown };
        if meant.is_empty() { BLANK.to_owned() } else { meant.clone() }
    }

    /// Whether it is as a window is opened: nothing but a blank document was there.
    #[must_use]
    pub fn has_shown_nothing(&self) -> bool {
        self.state.borrow().has_shown_nothing()
    }

    /// How many documents and URLs within documents it has had.
    #[must_use]
    pub fn navigations(&self) -> u64 {
        let state = self.state.borrow();
        state.arrivals + state.within_document
    }

    /// Grows whenever its document changes, or comes further in its loading.
    #[must_use]
    pub fn load_progress(&self) -> u64 {
        let state = self.state.borrow();
        let document = &state.document;
        let steps =
            u64::from(document.dom_content_loaded) + u64::from(document.loaded) + u64::from(document.network_idle);
        (state.arrivals + state.within_document) * 4 + steps
    }

    /// Whether its renderer died, and no navigation has started another yet.
    #[must_use]
    pub fn has_crashed(&self) -> bool {
        matches!(self.state.borrow().fatal, Some(Fatal::Crashed))
    }

    /// How often its renderer has died.
    #[must_use]
    pub fn crashes(&self) -> u64 {
        self.state.borrow().crashes
    }

    /// Waits until its renderer has died more than `known` times and is dead, and returns how often; `None` once the page
    /// is gone.
    pub async fn crashes_after(&self, known: u64) -> Option<u64> {
        let mut state = self.state.clone();
        let died = |state: &PageState| match state.fatal {
            Some(Fatal::Crashed) => state.crashes > known,
            Some(Fatal::Gone | Fatal::Flooded) => true,
            None => false,
        };
        let state = state.wait_for(died).await.ok()?;
        matches!(state.fatal, Some(Fatal::Crashed)).then_some(state.crashes)
    }

    /// The HTTP status of its document, where one is known.
    #[must_use]
    pub fn status_code(&self) -> Option<u16> {
        self.state.borrow().document.status
    }

    /// How many of the page's own requests were refused, without those that the egress refused.
    #[must_use]
    pub fn blocked_requests(&self) -> u64 {
        self.state.borrow().blocked_requests
    }

    /// How many requests of its lease the egress refused: those of all its pages.
    #[must_use]
    pub fn blocked_by_egress(&self) -> u64 {
        self.network.egress().map_or(0, |egress| Report::blocked_requests(&egress.report()))
    }

    /// How many requests of its lease got nothing, since a document may not load more.
    #[must_use]
    pub fn over_budget_requests(&self) -> u64 {
        self.network.egress().map_or(0, |egress| egress.over_budget())
    }
}

impl NewsFeed {
    /// What is new, without waiting; nothing once [`News::Gone`] was told.
    pub fn take(&mut self) -> Vec<News> {
        let mut news = Vec::new();
        while !self.seen.is_gone {
            let (now, url) = {
                let state = self.state.borrow();
                (Seen::of(&state), state.document.url.clone())
            };
            if self.state.has_changed().is_err() {
                self.seen.is_gone = true;
                news.push(News::Gone);
            } else if now == self.seen {
                break;
            } else {
                news.extend(self.first_of(now, url));
            }
        }
        news
    }

    /// Whether the page is gone, and that was told.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.seen.is_gone
    }

    /// A receiver that is told whenever there may be news.
    #[must_use]
    pub fn changes(&self) -> Changes {
        Changes(self.state.clone())
    }

    /// The first thing that is new, which is then seen.
    fn first_of(&mut self, now: Seen, url: String) -> Option<News> {
        let seen = &mut self.seen;
        if (seen.arrivals, seen.within_document) != (now.arrivals, now.within_document) {
            (seen.arrivals, seen.within_document) = (now.arrivals, now.within_document);
            return Some(News::Navigated { url });
        }
        if seen.dialog != now.dialog {
            seen.dialog.clone_from(&now.dialog);
            if let Some(dialog) = now.dialog {
                return Some(News::Dialog(dialog));
            }
        }
        if seen.has_crashed != now.has_crashed {
            seen.has_crashed = now.has_crashed;
            if now.has_crashed {
                return Some(News::Crashed);
            }
        }
        if now.is_gone {
            seen.is_gone = true;
            return Some(News::Gone);
        }
        None
    }
}

impl Changes {
    /// Waits until there may be news.
    pub async fn changed(&mut self) {
        // The end of the page's watchers is news as well, and the last.
        let _ = self.0.changed().await;
    }
}
