//! Tabs that close: on command, or by their page in the middle of a call.

use porthole_contract::Invalid;

use super::{SessionError, Turn};
use crate::page::PageError;
use crate::page::interact::ActError;

impl Turn<'_> {
    /// Goes on in the next tab where the call's has closed its window. A call that found its page gone for that reason is
    /// told so.
    pub async fn leave_closed<T>(&mut self, result: Result<T, SessionError>) -> Result<T, SessionError> {
        let page = self.page();
        let found_it_gone = matches!(&result, Err(SessionError::Act(ActError::Page(PageError::Crashed(_)))));
        if self.closes || !(page.is_closed() || found_it_gone && page.was_closed().await) {
            return result;
        }
        let closed = self.tab.clone();
        self.session.gather(&closed);
        self.go_on_without_tab();
        if found_it_gone {
            return Err(Invalid::new("tab", format!("{} was closed by its page during the call", closed.name)).into());
        }
        result
    }

    /// Removes the call's tab and goes on in the next one. Without one the session ends, once this call has its answer.
    fn go_on_without_tab(&mut self) {
        self.session.remove(&self.tab);
        let next = self.session.tabs().active();
        match next {
            Some(next) => self.tab = next,
            None => self.closes = true,
        }
    }

    /// Closes the call's tab, which is a new one; the one of this name becomes active again, and the call's.
    pub async fn return_to(&mut self, name: &str) {
        let refused = self.tab.name.clone();
        self.close_tab().await;
        self.session.events.forget_tab(&refused);
        let tab = self.session.tabs().get(Some(name));
        if let Ok(tab) = tab {
            self.tab = tab;
            self.select_tab();
        }
    }

    /// Closes the call's tab, unless its page asks first: then a dialog holds it, whose event says so. The last tab ends
    /// with its session, unasked.
    pub async fn close_tab_unless_asked(&mut self) {
        let tab = self.tab.clone();
        if self.session.tabs().all().len() > 1 {
            tab.set_closing(true);
            if tab.page.asks_before_it_closes().await {
                return tab.set_closing(false);
            }
        }
        self.close_tab().await;
    }

    /// Closes the call's tab; the next one becomes the call's. Closing the last one ends the session.
    pub async fn close_tab(&mut self) {
        let closed = self.tab.clone();
        closed.set_closing(true);
        self.go_on_without_tab();
        if !self.closes {
            closed.page.close().await;
        }
    }
}
