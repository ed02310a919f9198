//! A session's tabs: its windows, under the names that callers use.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use porthole_contract::Invalid;
use porthole_contract::limits::TABS_MAX;

use super::SessionError;
use crate::page::{NewsFeed, Page};

/// A tab. Clones are the same.
#[derive(Clone)]
pub struct Tab {
    /// Its name, `t1`; never given again.
    pub name: String,
    /// Its page.
    pub page: Arc<Page>,
    /// What happened to it that no event tells yet.
    pub(super) news: Arc<Mutex<NewsFeed>>,
    /// The tab that opened it, if a page did.
    opener: Option<String>,
    /// Whether it closes on command, so that no event tells it.
    is_closing: Arc<AtomicBool>,
}

impl Tab {
    /// Says whether it closes on command.
    pub(super) fn set_closing(&self, is_closing: bool) {
        self.is_closing.store(is_closing, Ordering::Relaxed);
    }

    /// Whether it closes on command.
    pub(super) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }

    /// Whether a page opened it that has shown nothing in it yet.
    pub(super) fn is_unused_popup(&self) -> bool {
        self.opener.is_some() && self.page.has_shown_nothing()
    }
}

/// The tabs of one session, in the order of their opening.
#[derive(Default)]
pub(super) struct Tabs {
    given: u32,
    open: Vec<Tab>,
    /// The names of the tabs that were active, the present one last.
    active: Vec<String>,
    /// How many requests of tabs that were closed had been refused.
    blocked_of_closed: u64,
    /// How many refused requests were told of.
    blocked_told: u64,
}

impl Tabs {
    /// Adds a tab, which becomes active if `is_active`.
    pub(super) fn add(&mut self, page: Arc<Page>, opener: Option<String>, is_active: bool) -> Tab {
        self.given += 1;
        let news = Arc::new(Mutex::new(page.news()));
        let tab = Tab { name: format!("t{}", self.given), page, news, opener, is_closing: Arc::default() };
        self.open.push(tab.clone());
        if is_active {
            self.activate(&tab.name);
        }
        tab
    }

    /// A name for a window that is closed for want of room.
    pub(super) fn refuse(&mut self) -> String {
        self.given = self.given.wrapping_add(1);
        format!("t{}", self.given)
    }

    /// Whether there is room for another.
    pub(super) fn has_room(&self) -> bool {
        self.open.len() < TABS_MAX
    }

    /// The tab of this name, else the active one.
    ///
    /// # Errors
    /// [`SessionError::Invalid`] for a name that no tab has; [`SessionError::NotFound`] if there are no tabs any more.
    pub(super) fn get(&self, name: Option<&str>) -> Result<Tab, SessionError> {
        match name {
            Some(name) => {
                let tab = self.open.iter().find(|tab| tab.name == name).cloned();
                tab.ok_or_else(|| Invalid::new("tab", "is not a tab of this session").into())
            }
            None => self.active().ok_or(SessionError::NotFound),
        }
    }

    /// The active tab; `None` without tabs.
    pub(super) fn active(&self) -> Option<Tab> {
        let name = self.active.last()?;
        self.open.iter().find(|tab| tab.name == *name).cloned()
    }

    /// Makes a tab the active one.
    pub(super) fn activate(&mut self, name: &str) {
        self.active.retain(|other| other != name);
        self.active.push(name.to_owned());
    }

    /// Removes a tab. If it was active, its opener becomes active, else the tab that was active before it.
    pub(super) fn remove(&mut self, name: &str) -> Option<Tab> {
        let at = self.open.iter().position(|tab| tab.name == name)?;
        let tab = self.open.remove(at);
        self.blocked_of_closed += tab.page.blocked_requests();
        let was_active = self.active.last().is_some_and(|active| *active == tab.name);
        self.active.retain(|other| *other != tab.name);
        if was_active {
            let opener = tab.opener.as_ref().filter(|opener| self.open.iter().any(|tab| tab.name == **opener));
            let next = opener.or_else(|| self.active.last()).or_else(|| self.open.last().map(|tab| &tab.name)).cloned();
            if let Some(next) = next {
                self.activate(&next);
            }
        }
        Some(tab)
    }

    /// How many requests of all tabs, open or closed, were refused since this was asked last; without those that the egress
    /// refused.
    pub(super) fn take_blocked(&mut self) -> u64 {
        let of_open: u64 = self.open.iter().map(|tab| tab.page.blocked_requests()).sum();
        let all = self.blocked_of_closed + of_open;
        let told = std::mem::replace(&mut self.blocked_told, all);
        // The tabs of a session that ends are dropped while a call may still run.
        all.saturating_sub(told)
    }

    /// All tabs.
    pub(super) fn all(&self) -> Vec<Tab> {
        self.open.clone()
    }

    /// The name of the tab whose window has this target.
    pub(super) fn by_target(&self, target_id: &str) -> Option<Tab> {
        self.open.iter().find(|tab| tab.page.target_id() == target_id).cloned()
    }

    /// Drops all tabs.
    pub(super) fn clear(&mut self) {
        (self.open, self.active) = (Vec::new(), Vec::new());
    }
}
