//! Handles the windows that pages open, and the shared workers of guest contexts: closes them, or hands windows to the
//! lease whose page opened them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::mpsc;

use crate::cdp::{Attached, Attachments};

/// How many windows may wait in a lease's channel; further ones are closed. A session has at most `TABS_MAX` tabs.
const WAITING_MAX: usize = 16;

/// Closes the pages that are attached from now on.
///
/// A popup and its opener are halted until the popup is handled. Auto-attach reports each target once, here on the
/// browser's own session, so the opener's session gets no event for it.
pub(super) async fn close_all(mut opened: Attachments) {
    while let Some(target) = opened.next().await {
        // The watcher of the page that started a worker attaches to it as well and handles it.
        if target.kind == "page" {
            target.close();
        }
    }
}

/// Closes the shared workers that are attached from now on, which are halted. Interception on their own sessions stops
/// none of their requests (tried), so none is ever resumed.
pub(super) async fn close_workers(mut started: Attachments) {
    let mut closing = FuturesUnordered::new();
    loop {
        tokio::select! {
            target = started.next() => match target {
                Some(worker) => closing.push(async move { worker.close_halted_worker().await }),
                None => return,
            },
            Some(()) = closing.next() => {}
        }
    }
}

/// Hands the pages that are attached from now on to `lease`, and closes those beyond [`WAITING_MAX`].
pub(super) async fn hand_over(mut opened: Attachments, lease: mpsc::Sender<Box<Attached>>) {
    while let Some(target) = opened.next().await {
        offer(&lease, target);
    }
}

/// Creates the channel for the windows of one lease. They are boxed: a channel keeps room for 32 from its beginning, and
/// most pages open none.
pub(super) fn channel() -> (mpsc::Sender<Box<Attached>>, mpsc::Receiver<Box<Attached>>) {
    mpsc::channel(WAITING_MAX)
}

fn offer(lease: &mpsc::Sender<Box<Attached>>, mut target: Attached) {
    if target.kind != "page" {
        return;
    }
    // Chromium reports that the window does not wait, yet its opener is halted until the window is resumed (tried).
    target.waiting = true;
    if let Err(refused) = lease.try_send(Box::new(target)) {
        refused.into_inner().close();
    }
}

/// Maps each browser context of a shared browser to the lease that gets its windows. Clones share the entries.
#[derive(Clone, Debug, Default)]
pub(super) struct Router(Arc<Mutex<HashMap<String, Entry>>>);

#[derive(Debug)]
struct Entry {
    /// The target of the context's first page, which is the leased one.
    first: String,
    lease: mpsc::Sender<Box<Attached>>,
}

/// A context's entry in the [`Router`], removed when dropped.
#[derive(Debug)]
pub(super) struct Routed {
    router: Router,
    context: String,
    opened: Option<mpsc::Receiver<Box<Attached>>>,
}

// === impl Router ===

impl Router {
    /// Routes the windows of every context to its lease until the connection ends. First pages, and pages of contexts
    /// without a lease, are resumed at once.
    pub(super) async fn run(self, mut opened: Attachments) {
        while let Some(target) = opened.next().await {
            let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match entries.get(&target.context_id) {
                Some(entry) if entry.first != target.target_id => offer(&entry.lease, target),
                _ => target.resume(),
            }
        }
    }

    /// Routes the windows of this context, whose first page is `first`.
    pub(super) fn add(&self, context: String, first: String) -> Routed {
        let (lease, opened) = channel();
        let entry = Entry { first, lease };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(context.clone(), entry);
        Routed { router: self.clone(), context, opened: Some(opened) }
    }
}

// === impl Routed ===

impl Routed {
    /// Takes the channel of the context's windows; `None` from the second call on.
    pub(super) fn take(&mut self) -> Option<mpsc::Receiver<Box<Attached>>> {
        self.opened.take()
    }
}

impl Drop for Routed {
    fn drop(&mut self) {
        self.router.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.context);
    }
}
