//! How a connection to a site ends: known to the connection itself, and to the answers that are read from it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::report::{Authority, Books, DialOutcome, Excess};

/// How a connection to a site ends. Clones share their state.
#[derive(Clone, Debug)]
pub(super) struct Fate(Arc<FateInner>);

#[derive(Debug)]
struct FateInner {
    authority: Authority,
    books: Arc<Books>,
    awaited: AtomicBool,
    /// Whether the head of an answer is awaited, and how many bytes have come since.
    head_awaited: AtomicBool,
    head_bytes: AtomicUsize,
    ended: OnceLock<DialOutcome>,
}

// === impl Fate ===

impl Fate {
    /// The fate of a connection to this host and port, which is recorded in these books.
    pub(super) fn new(authority: Authority, books: Arc<Books>) -> Self {
        Self(Arc::new(FateInner {
            authority,
            books,
            awaited: AtomicBool::new(true),
            head_awaited: AtomicBool::new(false),
            head_bytes: AtomicUsize::new(0),
            ended: OnceLock::new(),
        }))
    }

    /// Counts bytes that the connection carried.
    ///
    /// # Errors
    /// The limit that they exceed.
    pub(super) fn more_bytes(&self, count: usize) -> Result<(), Excess> {
        self.0.books.more_bytes(count)
    }

    /// Sets whether an answer is awaited. A kept connection that ends while none is awaited has not failed.
    pub(super) fn await_answer(&self, awaited: bool) {
        self.0.awaited.store(awaited, Ordering::Relaxed);
    }

    /// Sets whether the head of an answer is awaited.
    pub(super) fn await_head(&self, awaited: bool) {
        self.0.head_bytes.store(0, Ordering::Relaxed);
        self.0.head_awaited.store(awaited, Ordering::Relaxed);
    }

    /// Returns whether it is.
    pub(super) fn awaits_head(&self) -> bool {
        self.0.head_awaited.load(Ordering::Relaxed)
    }

    /// Counts bytes that came while it is, and returns all of them.
    pub(super) fn head_bytes(&self, count: usize) -> usize {
        self.0.head_bytes.fetch_add(count, Ordering::Relaxed).saturating_add(count)
    }

    /// Sets how the connection ended. The first reason counts, and it is recorded if an answer was awaited.
    pub(super) fn ends(&self, outcome: DialOutcome) {
        if self.0.ended.set(outcome.clone()).is_ok() && self.0.awaited.load(Ordering::Relaxed) {
            self.0.books.ended(&self.0.authority, outcome);
        }
    }

    /// Returns how it ended; `None` while it is open and after a regular close.
    pub(super) fn outcome(&self) -> Option<DialOutcome> {
        self.0.ended.get().cloned()
    }
}
