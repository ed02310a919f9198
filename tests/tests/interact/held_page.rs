//! A page of a local Chromium that is leased as for a session: what the scenes of all rooms stand on.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_cdp::cdp::js_protocol::runtime::EvaluateParams;
use porthole_service::cdp::Session;
use porthole_service::page::{Appearance, Page, PageError};
use porthole_service::provider::Lease;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::shared_browser::SharedBrowser;

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A page that is held, in the browser that tests share.
pub(crate) struct HeldPage {
    pub(crate) page: Arc<Page>,
    /// There until this is dropped.
    lease: Option<Lease>,
    browser: Arc<SharedBrowser>,
}

impl Deref for HeldPage {
    type Target = SharedBrowser;

    fn deref(&self) -> &SharedBrowser {
        &self.browser
    }
}

impl HeldPage {
    /// A blank page of this width and height in CSS pixels.
    pub(crate) async fn open((width, height): (u32, u32)) -> Self {
        let browser = SharedBrowser::get().await;
        let mut lease = browser.lease().await;
        let viewport = serde_json::from_value(json!({"width": width, "height": height})).unwrap();
        let appearance = Appearance { viewport, color_scheme: None, reduced_motion: None };
        let page = browser.opens(|judge| Page::open(&mut lease, judge, &appearance));
        Self { page: Arc::new(page), lease: Some(lease), browser }
    }

    /// Navigates to a URL that the policy allows.
    pub(crate) async fn goes(&self, url: &str) {
        self.try_goes(url).await.unwrap();
    }

    /// The same where it is known to fail.
    pub(crate) async fn try_goes(&self, url: &str) -> Result<(), PageError> {
        let target = self.browser.judge.guard.judge(url).await.unwrap();
        let went = timeout(PATIENCE, self.page.navigate(&target)).await;
        went.unwrap_or_else(|_| panic!("{url} never ended"))
    }

    /// The page's own target session.
    pub(crate) fn session(&self) -> &Session {
        self.lease.as_ref().unwrap().page()
    }

    /// The value of an expression in the page's own world, or what its promise is resolved with.
    pub(crate) async fn evaluate(&self, expression: &str) -> Value {
        let mut evaluate = EvaluateParams::new(expression);
        evaluate.return_by_value = Some(true);
        evaluate.await_promise = Some(true);
        let evaluated = timeout(PATIENCE, self.session().call(&evaluate)).await;
        let evaluated = evaluated.unwrap_or_else(|_| panic!("{expression} never ended")).unwrap();
        assert!(evaluated.exception_details.is_none(), "{expression}: {:?}", evaluated.exception_details);
        evaluated.result.value.unwrap_or_default()
    }

    /// Ends the page, and the browser if no other test has it.
    pub(crate) async fn ends(self) {
        tokio::task::spawn_blocking(move || drop(self)).await.unwrap();
    }
}

impl Drop for HeldPage {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            self.browser.release(lease);
        }
    }
}
