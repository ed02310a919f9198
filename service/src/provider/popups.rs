//! The windows that pages open, and the shared workers of guest contexts: closed as they open, or handed to the lease
//! whose page opened them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use crate::cdp::{Attached, Attachments};

/// How many windows may wait for the lease's holder; more are closed. A session has at most eight tabs.
const WAITING_MAX: usize = 16;

/// Closes the pages and shared workers that are attached to from now on.
///
/// A popup and its opener stand still until the popup is handled. The browser's own session attaches to it, so its
/// opener's session hears nothing of it: a target is attached to once.
pub(super) async fn close_all(mut opened: Attachments) {
    while let Some(target) = opened.next().await {
        close(&target);
    }
}

/// Hands the pages that are attached to from now on to `lease`, and closes shared workers and pages beyond
/// [`WAITING_MAX`].
pub(super) async fn hand_over(mut opened: Attachments, lease: mpsc::Sender<Attached>) {
    while let Some(target) = opened.next().await {
        offer(&lease, target);
    }
}

/// A channel for the windows of one lease.
pub(super) fn channel() -> (mpsc::Sender<Attached>, mpsc::Receiver<Attached>) {
    mpsc::channel(WAITING_MAX)
}

fn offer(lease: &mpsc::Sender<Attached>, mut target: Attached) {
    if target.kind != "page" {
        return close(&target);
    }
    // Chromium reports that it does not wait, and yet its opener stands still until it is told to run (tried).
    target.waiting = true;
    if let Err(refused) = lease.try_send(target) {
        refused.into_inner().close();
    }
}

fn close(target: &Attached) {
    match target.kind.as_str() {
        "page" => target.close(),
        // Interception on its own session stops none of its requests (tried), so it never runs.
        "shared_worker" => target.close_halted(),
        // Attached to on this session as well, by the watcher of the page that started it.
        _ => {}
    }
}

/// Which lease gets the windows of which browser context, in a browser that many leases share. Clones share the entries.
#[derive(Clone, Debug, Default)]
pub(super) struct Router(Arc<Mutex<HashMap<String, Entry>>>);

#[derive(Debug)]
struct Entry {
    /// The context's first page, which its lease has already.
    first: String,
    lease: mpsc::Sender<Attached>,
}

/// The windows of one context; they are no longer routed once this is dropped.
#[derive(Debug)]
pub(super) struct Routed {
    router: Router,
    context: String,
    opened: Option<mpsc::Receiver<Attached>>,
}

// === impl Router ===

impl Router {
    /// Routes the pages of every context to its lease, as long as the browser lives. Pages of contexts without a lease
    /// are left alone.
    pub(super) async fn run(self, mut opened: Attachments) {
        while let Some(target) = opened.next().await {
            let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(entry) = entries.get(&target.context_id) else { continue };
            if entry.first != target.target_id {
                offer(&entry.lease, target);
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
    /// The windows of the context; `None` from the second call on.
    pub(super) fn take(&mut self) -> Option<mpsc::Receiver<Attached>> {
        self.opened.take()
    }
}

impl Drop for Routed {
    fn drop(&mut self) {
        self.router.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.context);
    }
}
