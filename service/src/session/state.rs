//! A session's cookies and local storage: `state` reads them, `open` sets them.

use std::sync::Arc;

use porthole_contract::session::{State, StorageState};
use porthole_contract::{Invalid, WarningCode};
use url::Url;

use super::visited::{Hidden, Visited};
use super::{Session, SessionError, Turn};
use crate::cdp::Session as BlankPage;
use crate::guard::Network;
use crate::page::PageError;
use crate::page::storage::{self, ORIGINS_MAX, StorageError, Stored};

/// Marks the probe window as closed when dropped.
struct HiddenWindowGuard(Arc<Session>);

impl Drop for HiddenWindowGuard {
    fn drop(&mut self) {
        self.0.hidden.send_replace(Hidden::None);
    }
}

/// Puts a storage state into the browser context of a page that is still blank, and watched by none. Returns its origins.
///
/// # Errors
/// [`SessionError::Invalid`] for what the browser refuses.
pub(super) async fn put(
    page: &BlankPage,
    target_id: &str,
    network: &Network,
    state: &StorageState,
) -> Result<Visited, SessionError> {
    let invalid = |path: &str, problem: String| SessionError::from(Invalid::new(path, problem));
    let mut origins = state.origins.clone();
    if origins.len() > ORIGINS_MAX {
        return Err(invalid("storage_state.origins", format!("must have at most {ORIGINS_MAX} entries")));
    }
    for (at, stored) in origins.iter_mut().enumerate() {
        let path = || format!("storage_state.origins[{at}].origin");
        stored.origin = origin_of(&stored.origin).ok_or_else(|| invalid(&path(), "is not an origin".to_owned()))?;
    }
    let told = |error: StorageError| match error {
        StorageError::Cookies(_) => invalid("storage_state.cookies", error.to_string()),
        StorageError::Origin(_) => invalid("storage_state.origins", error.to_string()),
        StorageError::Page(error) => error.into(),
    };
    storage::set_cookies(page, network, &state.cookies).await.map_err(told)?;
    storage::put(page, target_id, &origins).await.map_err(told)?;
    Ok(Visited::of(origins.into_iter().map(|stored| stored.origin)))
}

impl Turn<'_> {
    /// The session's cookies and local storage.
    ///
    /// # Errors
    /// [`SessionError`] if the page does not answer.
    pub async fn state(&mut self) -> Result<State, SessionError> {
        let page = self.page();
        let cookies = page.cookies().await?;
        let mut stored = Stored::default();
        let tabs = self.session.tabs().all();
        let pages: Vec<_> = tabs.into_iter().map(|tab| tab.page).filter(|page| page.dialog().is_none()).collect();
        storage::read_open(&pages, &mut stored).await;
        let elsewhere: Vec<String> =
            self.session.visited.all().into_iter().filter(|origin| !stored.has(origin)).collect();
        if !elsewhere.is_empty() {
            stored = self.read_hidden(elsewhere, stored).await?;
        }
        if stored.left_out() > 0 {
            let count = stored.left_out();
            let warning = WarningCode::StateTruncated.says(format!(
                "the local storage of {count} origins is left out: it is too large, or was not read in time"
            ));
            self.warns([warning]);
        }
        Ok(State { storage_state: StorageState { cookies, origins: stored.into_origins() } })
    }

    async fn read_hidden(&mut self, origins: Vec<String>, mut stored: Stored) -> Result<Stored, SessionError> {
        let (page, session) = (self.page(), Arc::clone(self.session));
        // One window at a time, though a caller that has left asks again.
        let alone = Arc::clone(&session.reads_hidden).lock_owned().await;
        // In a task of its own: if the caller leaves meanwhile, the window is still closed.
        let reading = tokio::spawn(async move {
            let _alone = alone;
            session.hidden.send_replace(Hidden::Opening);
            let _hidden = HiddenWindowGuard(Arc::clone(&session));
            let target_id = page.open_window().await?;
            session.hidden.send_replace(Hidden::Open(target_id.clone()));
            page.read_in(&target_id, &origins, &mut stored).await?;
            Ok(stored)
        });
        reading.await.unwrap_or_else(|_| Err(PageError::TimedOut("reading the local storage").into()))
    }
}

impl Session {
    /// Whether a window that came is the hidden one.
    pub(super) async fn hides(&self, target_id: &str) -> bool {
        let mut hidden = self.hidden.subscribe();
        let known = hidden.wait_for(|hidden| *hidden != Hidden::Opening).await;
        known.is_ok_and(|hidden| matches!(&*hidden, Hidden::Open(id) if id == target_id))
    }

    /// Remembers that a tab showed this URL.
    pub(super) fn showed(self: &Arc<Self>, url: &str) {
        if let Some(origin) = origin_of(url) {
            self.visited.add(origin);
        }
    }
}

/// The origin of a URL of the web.
fn origin_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}
