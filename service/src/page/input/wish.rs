//! What a person did since the page was looked at last, and where the pointer is.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// What was done since the page was looked at last.
#[derive(Default)]
pub(super) struct Looks {
    wish: Mutex<Wish>,
    pub(super) came: Notify,
}

/// What a look is for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wish {
    /// Where the pointer is, once a person has moved it.
    pub at: Option<(f64, f64)>,
    pub moved: bool,
    pub acted: bool,
    pub pressed: bool,
    pub typed: bool,
    pub closes: bool,
}

impl Looks {
    pub(super) fn moved(&self, at: (f64, f64)) {
        self.wish(|wish| (wish.at, wish.moved) = (Some(at), true));
    }

    pub(super) fn pressed(&self, at: (f64, f64)) {
        self.wish(|wish| (wish.at, wish.acted, wish.pressed) = (Some(at), true, true));
    }

    pub(super) fn typed(&self) {
        self.wish(|wish| (wish.acted, wish.typed, wish.closes) = (true, true, false));
    }

    pub(super) fn closed(&self) {
        self.wish(|wish| (wish.acted, wish.typed, wish.closes) = (true, false, true));
    }

    pub(super) fn acted(&self) {
        self.wish(|wish| wish.acted = true);
    }

    fn wish(&self, change: impl FnOnce(&mut Wish)) {
        change(&mut self.lock());
        self.came.notify_one();
    }

    /// Takes what was done; where the pointer is stays known.
    pub(super) fn take(&self) -> Wish {
        let mut wish = self.lock();
        let next = Wish { at: wish.at, ..Wish::default() };
        std::mem::replace(&mut *wish, next)
    }

    /// Keeps what was taken for the next look, unless something else was done since.
    pub(super) fn keep(&self, taken: Wish) {
        let mut wish = self.lock();
        if !wish.acted {
            (wish.pressed, wish.typed, wish.closes) = (taken.pressed, taken.typed, taken.closes);
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Wish> {
        self.wish.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_is_kept_unless_something_else_was_done() {
        let looks = Looks::default();
        looks.pressed((1.0, 2.0));
        looks.keep(looks.take());
        let again = looks.take();
        assert!(again.pressed && again.at == Some((1.0, 2.0)));
        looks.closed();
        looks.keep(again);
        assert!(!looks.take().pressed, "Escape came after the press");
        looks.typed();
        let typed = looks.take();
        looks.keep(typed);
        assert!(looks.take().typed);
        looks.acted();
        looks.keep(Wish { pressed: true, ..typed });
        let chosen = looks.take();
        assert!(!chosen.typed && !chosen.pressed, "the option was chosen since");
    }
}
