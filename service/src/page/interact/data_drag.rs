//! HTML's drag and drop: what the page has made of a drag, handed over by the browser and given back to the page.

use std::borrow::Cow;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchDragEventParams, DispatchDragEventReturns, DispatchDragEventType, SetInterceptDragsParams,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::acted::Point;
use crate::cdp::{Call, Event, Events};
use crate::page::Page;

const INTERCEPTED: &[&str] = &["Input.dragIntercepted"];

/// What is dragged, as the browser tells it and wants it back.
#[derive(Debug, Deserialize)]
pub(super) struct DragData {
    data: Value,
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

impl chromiumoxide_types::Method for DispatchDragEvent<'_> {
    fn identifier(&self) -> Cow<'static, str> {
        DispatchDragEventParams::IDENTIFIER.into()
    }
}

impl chromiumoxide_types::Command for DispatchDragEvent<'_> {
    type Response = DispatchDragEventReturns;
}

/// Has the browser hand over the page's drags until it is dropped.
struct Intercepting<'a>(&'a Page);

impl Intercepting<'_> {
    fn begin(page: &Page) -> (Intercepting<'_>, Events) {
        let events = page.session.events(INTERCEPTED);
        page.session.call(&SetInterceptDragsParams::new(true)).forget();
        (Intercepting(page), events)
    }
}

impl std::ops::Drop for Intercepting<'_> {
    fn drop(&mut self) {
        self.0.session.call(&SetInterceptDragsParams::new(false)).forget();
    }
}

