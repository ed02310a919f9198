//! A viewer's requests to a session other than input to a page. Nothing here waits for the browser: slow work runs in
//! tasks of its own.

use std::sync::Arc;

use porthole_contract::live::{Goto, ServerMessage, ViewerMessage};
use porthole_contract::{ErrorCode, Viewport};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use crate::page::{Page, PageError};
use crate::session::Session;
use crate::session::destination::{judge, travel};

/// Acts that run beside a viewer; more are dropped.
const RUNNING_MAX: usize = 16;

/// Steers the tabs of a session for one viewer.
pub(super) struct Steering {
    session: Arc<Session>,
    running: JoinSet<Option<ServerMessage>>,
    /// The navigation that runs; another one replaces it.
    navigation: Option<AbortHandle>,
}

impl Steering {
    pub(super) fn new(session: Arc<Session>) -> Self {
        Self { session, running: JoinSet::new(), navigation: None }
    }

    /// Does what the viewer asks of this tab. Whether that does anything.
    pub(super) fn act(&mut self, tab: &str, act: ViewerMessage) -> bool {
        let Ok(tab) = self.session.tabs().get(Some(tab)) else { return false };
        match act {
            ViewerMessage::Navigate(goto) if self.running.len() < RUNNING_MAX => {
                if let Some(before) = self.navigation.take() {
                    before.abort();
                }
                // It was meant for the page that is left.
                tab.page.drop_input(Instant::now());
                self.navigation = Some(self.running.spawn(go(Arc::clone(&self.session), tab.page, goto)));
                true
            }
            ViewerMessage::Resize(size) => {
                self.session.resize(size.width, size.height);
                true
            }
            _ => false,
        }
    }

    /// Waits for what an act has to tell the viewer.
    pub(super) async fn next(&mut self) -> ServerMessage {
        loop {
            match self.running.join_next().await {
                Some(Ok(Some(message))) => return message,
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }
}

/// Goes where the viewer asks. A refusal is told to it.
async fn go(session: Arc<Session>, page: Arc<Page>, goto: Goto) -> Option<ServerMessage> {
    let gone = match (goto.url, goto.action) {
        (Some(url), _) => match judge(&page, &session.judge, &url).await {
            Ok(target) => page.or_stop(page.navigate(&target)).await,
            Err(refusal) => return Some(error(refusal.code())),
        },
        (None, Some(action)) => page.or_stop(page.travel(travel(action))).await.map(drop),
        (None, None) => return None,
    };
    match gone {
        // The page is as it was; the download is an event.
        Ok(()) | Err(PageError::Download(_)) => None,
        Err(failed) => {
            drop(page.take_refusal());
            let code =
                if let PageError::Blocked(refusal) = &failed { refusal.code() } else { ErrorCode::NavigationFailed };
            Some(error(code))
        }
    }
}

fn error(code: ErrorCode) -> ServerMessage {
    ServerMessage::Error { error: code, message: code.message().to_owned() }
}

impl Session {
    /// The viewport of its tabs.
    pub(in crate::session) fn viewport(&self) -> Viewport {
        self.appearance().viewport
    }

    /// Makes the viewport of all tabs another size. The director gives it to the tabs there are, the last of many sizes only.
    pub(super) fn resize(&self, width: u32, height: u32) {
        let viewport = {
            let mut appearance = self.appearance.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            (appearance.viewport.width, appearance.viewport.height) = (width, height);
            appearance.viewport
        };
        self.viewers.state().resize = Some(viewport);
        self.viewers.stir();
    }
}
