//! What happened in a session between two calls.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use porthole_contract::limits::{CONSOLE_EVENTS_MAX, EVENTS_MAX};
use porthole_contract::session::Event;

/// Longest URL in an event, in characters: a page can go to one of two megabytes.
const URL_MAX_CHARS: usize = 2_000;

/// The events that no answer has told yet.
#[derive(Debug, Default)]
pub(super) struct Events(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    events: VecDeque<Event>,
    dropped: u64,
}

impl Events {
    /// Adds an event; beyond [`EVENTS_MAX`] it is counted only.
    pub(super) fn push(&self, event: Event) {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_console = |event: &Event| matches!(event, Event::Console { .. });
        let is_over = queue.events.len() >= EVENTS_MAX
            || is_console(&event)
                && queue.events.iter().filter(|event| is_console(event)).count() >= CONSOLE_EVENTS_MAX;
        if is_over {
            queue.dropped += 1;
        } else {
            queue.events.push_back(event);
        }
    }

    /// Takes all events, and how many were dropped.
    pub(super) fn take(&self) -> Vec<Event> {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut events: Vec<Event> = queue.events.drain(..).collect();
        let dropped = std::mem::take(&mut queue.dropped);
        events.extend((dropped > 0).then_some(Event::Dropped { count: dropped }));
        events
    }
}

/// A URL as events have it.
pub(super) fn url_of(url: &str) -> String {
    url.chars().take(URL_MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_once_and_bounded() {
        let events = Events::default();
        for number in 0..EVENTS_MAX + 3 {
            events.push(Event::Navigated { tab: "t1".to_owned(), url: number.to_string() });
        }
        let told = events.take();
        assert_eq!(told.len(), EVENTS_MAX + 1);
        assert_eq!(told.last(), Some(&Event::Dropped { count: 3 }));
        assert_eq!(events.take(), []);
    }

    #[test]
    fn a_chatty_console_leaves_room_for_others() {
        let events = Events::default();
        for _ in 0..EVENTS_MAX {
            events.push(Event::Console { text: "error".to_owned() });
        }
        events.push(Event::Crashed { tab: "t1".to_owned() });
        let told = events.take();
        assert_eq!(told.iter().filter(|event| matches!(event, Event::Console { .. })).count(), CONSOLE_EVENTS_MAX);
        assert!(told.contains(&Event::Crashed { tab: "t1".to_owned() }));
    }
}
