//! What happened in a session between two calls.

use std::collections::VecDeque;
use std::mem::discriminant;
use std::sync::{Mutex, PoisonError};

use porthole_contract::limits::{CONSOLE_EVENTS_MAX, EVENTS_MAX};
use porthole_contract::session::Event;

/// Longest URL in an event, in characters: a page can go to one of two megabytes.
const URL_MAX_CHARS: usize = 2_000;

/// All texts of the events between two calls, in characters.
const CHARS_MAX: usize = 20_000;
/// How often a tab's navigations are told one by one; beyond, only the latest is.
const NAVIGATIONS_MAX: usize = 50;
/// A window that was closed for want of room is told while fewer tabs than this are told as closed.
const UNOPENED_MAX: usize = 3;

/// The events that no answer has told yet.
#[derive(Debug, Default)]
pub(super) struct Events(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    events: VecDeque<Event>,
    chars: usize,
    dropped: u64,
}

impl Events {
    /// Adds an event; beyond [`EVENTS_MAX`] it is counted only.
    pub(super) fn push(&self, event: Event) {
        let alike_max = match &event {
            Event::Console { .. } => CONSOLE_EVENTS_MAX,
            Event::Navigated { .. } => NAVIGATIONS_MAX,
            _ => EVENTS_MAX,
        };
        self.add(event, alike_max);
    }

    /// The same of a window that was closed for want of room: a page can open any number of them.
    pub(super) fn push_unopened(&self, event: Event) {
        self.add(event, UNOPENED_MAX);
    }

    fn add(&self, event: Event, alike_max: usize) {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let alike = |other: &Event| match (&event, other) {
            (Event::Navigated { tab, .. }, Event::Navigated { tab: other, .. }) => tab == other,
            (event, other) => discriminant(event) == discriminant(other),
        };
        let alike: Vec<usize> = (0..queue.events.len()).filter(|at| alike(&queue.events[*at])).collect();
        let chars = chars_of(&event);
        let is_full = |queue: &Queue| queue.events.len() >= EVENTS_MAX || queue.chars + chars > CHARS_MAX;
        let has_no_room = alike.len() >= alike_max || is_full(&queue);
        if let (true, Event::Navigated { .. }, Some(last)) = (has_no_room, &event, alike.last()) {
            // Where the tab is now matters more than where it was before.
            queue.remove(*last);
        }
        let is_over = alike.len() >= alike_max && !matches!(event, Event::Navigated { .. });
        if is_over || is_full(&queue) {
            queue.dropped += 1;
        } else {
            queue.chars += chars;
            queue.events.push_back(event);
        }
    }

    /// Forgets what was not told yet of a tab that no answer has named.
    pub(super) fn forget_tab(&self, name: &str) {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_tab =
            |event: &Event| matches!(event, Event::TabOpened { tab, .. } | Event::Navigated { tab, .. } if tab == name);
        queue.events.retain(|event| !of_tab(event));
        queue.chars = queue.events.iter().map(chars_of).sum();
    }

    /// Whether there is a dialog of this tab among them.
    pub(super) fn has_dialog_of(&self, name: &str) -> bool {
        let queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queue.events.iter().any(|event| matches!(event, Event::Dialog { tab, .. } if tab == name))
    }

    /// Takes all events, and how many were dropped.
    pub(super) fn take(&self) -> Vec<Event> {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut events: Vec<Event> = queue.events.drain(..).collect();
        queue.chars = 0;
        let dropped = std::mem::take(&mut queue.dropped);
        events.extend((dropped > 0).then_some(Event::Dropped { count: dropped }));
        events
    }
}

impl Queue {
    fn remove(&mut self, at: usize) {
        if let Some(event) = self.events.remove(at) {
            self.chars -= chars_of(&event);
            self.dropped += 1;
        }
    }
}

/// The length of an event's texts, in bytes, which are no fewer than characters.
fn chars_of(event: &Event) -> usize {
    match event {
        Event::Navigated { url, .. } | Event::TabOpened { url, .. } | Event::TabClosed { url, .. } => url.len(),
        Event::Dialog { message, default, .. } => message.len() + default.as_ref().map_or(0, String::len),
        Event::Download { name, error, .. } => name.len() + error.as_ref().map_or(0, String::len),
        Event::Console { text } => text.len(),
        _ => 0,
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
            events.push(Event::Crashed { tab: format!("t{number}") });
        }
        let told = events.take();
        assert_eq!(told.len(), EVENTS_MAX + 1);
        assert_eq!(told.last(), Some(&Event::Dropped { count: 3 }));
        assert_eq!(events.take(), []);
    }

    #[test]
    fn a_tab_that_navigates_without_end_is_told_by_its_last_url() {
        let events = Events::default();
        for number in 0..200 {
            events.push(Event::Navigated { tab: "t1".to_owned(), url: format!("{number}{}", "x".repeat(1_500)) });
        }
        let told = events.take();
        let chars: usize = told.iter().map(chars_of).sum();
        assert!(told.len() <= NAVIGATIONS_MAX + 1 && chars <= CHARS_MAX, "{} events, {chars}", told.len());
        let last = told.iter().rev().find_map(|event| match event {
            Event::Navigated { url, .. } => Some(url.as_str()),
            _ => None,
        });
        assert!(last.is_some_and(|url| url.starts_with("199x")), "{last:?}");
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
