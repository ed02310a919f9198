//! The end of a session, and its reason.

use std::sync::OnceLock;

use tokio_util::sync::CancellationToken;

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// A call closed it, or the last of its tabs.
    Closed,
    /// No call came for its idle time.
    Idle,
    /// It had its full age.
    Age,
    /// Its browser died.
    Lost,
    /// The replica ends.
    Drained,
}

/// A session's end: asked for at most once, heard by all.
#[derive(Debug, Default)]
pub(super) struct End {
    reason: OnceLock<Reason>,
    asked: CancellationToken,
}

impl Reason {
    /// Every reason.
    pub(super) const ALL: [Self; 5] = [Self::Closed, Self::Idle, Self::Age, Self::Lost, Self::Drained];

    /// Its name in logs and metrics.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Idle => "idle",
            Self::Age => "age",
            Self::Lost => "lost",
            Self::Drained => "drained",
        }
    }
}

impl End {
    /// Asks for the end. Whether this was the first to ask.
    pub(super) fn ask(&self, reason: Reason) -> bool {
        let is_first = self.reason.set(reason).is_ok();
        self.asked.cancel();
        is_first
    }

    /// Cancelled once the end is asked for.
    pub(super) fn token(&self) -> CancellationToken {
        self.asked.clone()
    }

    /// Waits until the end is asked for, and returns why.
    pub(super) async fn asked(&self) -> Reason {
        self.asked.cancelled().await;
        self.reason.get().copied().unwrap_or(Reason::Closed)
    }

    /// Why the session ended, if it has.
    pub(super) fn reason(&self) -> Option<Reason> {
        self.reason.get().copied()
    }
}
