//! HTML's drag and drop: what a page has made of a drag, which the browser hands over and gets back with each event.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchDragEventParams, DispatchDragEventReturns, DispatchDragEventType, SetInterceptDragsParams,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::timeout;

use crate::cdp::{Call, Events, command};
use crate::page::Page;
use crate::page::interact::ActError;
use crate::page::interact::acted::Point;
use crate::page::interact::quiet::Quiet;

/// How long the browser may take to report a drag that the page has begun.
const REPORTED_WITHIN: Duration = Duration::from_secs(1);
const INTERCEPTED: &[&str] = &["Input.dragIntercepted"];

/// What is dragged, as the browser has told it and wants it back.
#[derive(Debug, Deserialize)]
pub(super) struct DragData {
    data: Value,
}

impl DragData {
    /// Sends an event of the drag to what is at a point.
    pub(super) fn send(
        &self,
        page: &Page,
        kind: DispatchDragEventType,
        Point { x, y }: Point,
    ) -> Call<DispatchDragEventReturns> {
        page.session.call(&DispatchDragEvent { kind, x, y, data: &self.data })
    }
}

/// `Input.dispatchDragEvent`. The generated type leaves out an empty list of items, which a drag without data has, and the
/// browser refuses an event without one: the page stays in its drag.
#[derive(Debug, Serialize)]
struct DispatchDragEvent<'a> {
    #[serde(rename = "type")]
    kind: DispatchDragEventType,
    x: f64,
    y: f64,
    data: &'a Value,
}

command!(DispatchDragEvent<'_>, DispatchDragEventParams::IDENTIFIER => DispatchDragEventReturns);

/// Has the browser hand over the page's drags until it is dropped.
pub(super) struct Intercepting<'a> {
    page: &'a Page,
    drags: Events,
}

impl<'a> Intercepting<'a> {
    pub(super) fn begin(page: &'a Page) -> Self {
        let drags = page.session.events(INTERCEPTED);
        page.session.call(&SetInterceptDragsParams::new(true)).forget();
        Self { page, drags }
    }

    /// Returns what the browser has handed over, if anything; waits for it where the page has begun a drag.
    pub(super) async fn take(&mut self, quiet: &Quiet<'_>) -> Result<Option<DragData>, ActError> {
        let event = match self.drags.try_next() {
            Some(event) => Some(event),
            None if quiet.drag_began().await? => timeout(REPORTED_WITHIN, self.drags.next()).await.ok().flatten(),
            None => None,
        };
        Ok(event.and_then(|event| event.read().ok()))
    }
}

impl Drop for Intercepting<'_> {
    fn drop(&mut self) {
        self.page.session.call(&SetInterceptDragsParams::new(false)).forget();
    }
}
