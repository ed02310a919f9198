//! Calls about a session as a whole: its tabs, its dialog, its status and its end.

use std::time::Duration;

use futures_util::future::join_all;
use porthole_contract::Invalid;
use porthole_contract::limits::{CAPTURE_TIMEOUT, TABS_MAX};
use porthole_contract::session::{Acted, Event, Status, TabInfo, Tabs, ViewerRole};
use secrecy::SecretString;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::time::{Instant, timeout, timeout_at};

use super::end::Reason;
use super::events::url_of;
use super::tabs::Tab;
use super::ticket::Ticket;
use super::{Session, SessionError, Sessions, Turn};
use crate::page::PageError;
use crate::page::interact::ActError;

/// How long a tab may take to tell its title.
const TITLE_TIMEOUT: Duration = Duration::from_secs(1);

async fn info(tab: &Tab) -> TabInfo {
    let asking = async {
        match tab.page.dialog() {
            _ if tab.page.withheld().is_some() => None,
            None => tab.page.title().await,
            // A page that a dialog holds would not answer.
            Some(_) => tab.page.last_place().await.map(|(_, title)| title),
        }
    };
    let title = timeout(TITLE_TIMEOUT, asking).await.ok().flatten();
    TabInfo { tab: tab.name.clone(), url: url_of(&tab.page.meant_url()), title: title.unwrap_or_default() }
}

impl Session {
    /// Ends the session. Whether this was what ended it.
    pub fn close(&self) -> bool {
        self.end.ask(Reason::Closed)
    }
}

/// A ticket for the live view.
pub struct ViewerTicket {
    /// What its holder presents.
    pub ticket: SecretString,
    /// When it expires, RFC 3339 in UTC.
    pub expires_at: String,
}

impl Sessions {
    /// Makes a ticket that opens live views of this session.
    ///
    /// # Errors
    /// [`SessionError::Handle`] for a fault of the signing library.
    pub fn admit_viewer(
        &self,
        session: &Session,
        role: ViewerRole,
        ttl: Duration,
    ) -> Result<ViewerTicket, SessionError> {
        let (ticket, expires_at) = Ticket::new(session.handle.clone(), role, ttl);
        let expires_at = expires_at.format(&Rfc3339).unwrap_or_default();
        Ok(ViewerTicket { ticket: ticket.sign(&self.0.owner_keys)?, expires_at })
    }
}

impl Session {
    /// Waits until the window of this target is a tab.
    async fn tab_of(&self, target_id: &str) -> Tab {
        loop {
            let came = self.tab_came.notified();
            let tab = self.tabs().by_target(target_id);
            match tab {
                Some(tab) => return tab,
                None => came.await,
            }
        }
    }
}

impl Turn<'_> {
    /// All tabs, with where they are and their titles. One that does not answer in time has none.
    pub async fn tabs(&self) -> Tabs {
        let tabs = self.session.tabs().all();
        Tabs { tabs: join_all(tabs.iter().map(info)).await }
    }

    /// Has the answer be about the active tab, whichever the call names.
    pub fn show_active_tab(&mut self) {
        if let Some(active) = self.session.tabs().active() {
            self.tab = active;
        }
    }

    /// Makes the call's tab the active one.
    pub fn select_tab(&mut self) {
        self.session.tabs().activate(&self.tab.name);
        self.session.viewers.stir();
    }

    /// Opens a blank tab, which becomes active and the call's.
    ///
    /// # Errors
    /// [`SessionError::Limit`] where there are as many as there may be; otherwise as the browser refuses.
    pub async fn new_tab(&mut self) -> Result<(), SessionError> {
        if !self.session.tabs().has_room() {
            let message = format!("this session has {TABS_MAX} tabs, the most it may have; close one with `tabs`");
            return Err(SessionError::Limit(message));
        }
        let target_id = self.tab.page.open_window().await?;
        let until = (Instant::now() + CAPTURE_TIMEOUT).min(self.deadline);
        // The browser reports it as it does a popup, and it is taken on likewise.
        let tab = timeout_at(until, self.session.tab_of(&target_id)).await;
        let tab = tab.map_err(|_| SessionError::NotAttached)?;
        tab.page.takes_commands(until).await?;
        tab.page.begins_blank();
        self.session.tabs().activate(&tab.name);
        self.session.viewers.stir();
        self.tab = tab;
        Ok(())
    }

    /// Opens a blank tab instead of the call's, which is closed: it answers nothing any more.
    ///
    /// # Errors
    /// As [`Turn::new_tab`].
    pub(super) async fn replace_tab(&mut self) -> Result<(), SessionError> {
        let stuck = self.tab.clone();
        if !self.session.tabs().has_room() {
            self.session.tabs().remove(&stuck.name);
        }
        self.new_tab().await?;
        self.session.tabs().remove(&stuck.name);
        self.session.events.push(Event::TabClosed { tab: stuck.name.clone(), url: url_of(&stuck.page.url()) });
        stuck.page.close().await;
        Ok(())
    }

    /// Answers the dialog that holds the tab, if an answer has told of it: the page, or a person, may have put another one in the
    /// place of the one that the caller knows.
    ///
    /// # Errors
    /// [`SessionError::Invalid`] where none is open; [`SessionError::UntoldDialog`], with the dialog as an event.
    pub async fn answer_dialog(
        &mut self,
        is_tab_named: bool,
        accept: bool,
        text: Option<String>,
    ) -> Result<Acted, SessionError> {
        // Without a tab the dialog that is open is meant.
        if !is_tab_named && self.tab.page.dialog().is_none() {
            self.tab = self.session.dialog().map_or_else(|| self.tab.clone(), |(tab, _)| tab);
        }
        let page = self.page();
        let Some(dialog) = page.dialog() else {
            return Err(Invalid::new("accept", "answers a dialog, and none is open").into());
        };
        self.session.gather(&self.tab);
        if self.session.events.has_dialog_of(&self.tab.name) {
            return Err(SessionError::UntoldDialog { tab: self.tab.name.clone(), kind: dialog.kind });
        }
        self.select_tab();
        let settled = match page.answer_dialog_and_settle(accept, text).await {
            // Chromium forgets a dialog that was opened while the page was leaving for another site: it takes no answer, and the
            // page does nothing any more.
            Err(ActError::Page(PageError::Browser(_))) if page.dialog().is_some() => {
                tracing::warn!("a dialog takes no answer; its tab is replaced");
                self.replace_tab().await?;
                return Ok(Acted { settled: true, ..Acted::default() });
            }
            settled => settled?,
        };
        Ok(Acted { navigated: settled.navigated, settled: settled.settled, ..Acted::default() })
    }

    /// Tabs, age and end. `idle` is how long the session was not used before this call.
    pub async fn status(&self, idle: Duration) -> Status {
        let session = self.session;
        let now = Instant::now();
        let dies_in = (session.since + session.limits.age).saturating_duration_since(now);
        let ends_in = dies_in.min(session.limits.idle);
        let expires_at = OffsetDateTime::now_utc() + ends_in;
        Status {
            tabs: self.tabs().await.tabs,
            age_seconds: session.since.elapsed().as_secs(),
            idle_seconds: idle.as_secs(),
            expires_at: expires_at.format(&Rfc3339).unwrap_or_default(),
            control: session.viewers.control(),
        }
    }
}
