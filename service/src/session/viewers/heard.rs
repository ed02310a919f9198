//! What a viewer says, and whether it may: control, input, and how it wants to be shown the page.

use std::time::Duration;

use porthole_contract::ErrorCode;
use porthole_contract::live::{
    ControlAction, KeyEventType, MouseEventType, QualityChange, ServerMessage, TouchEventType, Unread, ViewerMessage,
};
use porthole_contract::session::ViewerRole;
use tokio::time::Instant;

use super::control::HeldByAnother;
use super::viewer::Viewer;
use crate::page::input::{InputEvent, Taken};

/// Input that no frame has followed by then had no effect to be seen.
const INPUT_SHOWN_WITHIN: Duration = Duration::from_secs(1);

impl Viewer {
    /// The viewer says something. What can't be read, or what it may not say, is ignored and counted.
    pub fn hears(&mut self, text: &str) {
        let message = match ViewerMessage::parse(text) {
            Ok(message) => message,
            Err(Unread::Malformed) => return self.ignore("malformed"),
            Err(Unread::UnknownType) => return self.ignore("unknown"),
            Err(Unread::Unusable(invalid)) => {
                if self.role == ViewerRole::Control {
                    self.tell([refused(ErrorCode::InvalidRequest, invalid.to_string())]);
                }
                return self.ignore("malformed");
            }
        };
        if self.role == ViewerRole::View && !message.only_watches() {
            return self.ignore("role");
        }
        let is_within = message.only_watches() || self.rate.admits(Instant::now());
        match message {
            ViewerMessage::Tab { tab } => self.watch_tab(tab),
            ViewerMessage::Quality(change) => self.change_quality(change),
            ViewerMessage::Ack { seq } => {
                self.window.acknowledged(seq, Instant::now());
                self.adapt();
            }
            ViewerMessage::Ping { id } => self.tell([ServerMessage::Pong { id }]),
            ViewerMessage::Control { action: ControlAction::Release } => {
                if self.session.viewers.state().release(self.id) {
                    self.session.viewers.stir();
                }
            }
            ViewerMessage::Navigate(_) if !self.navigations.admits(Instant::now()) => self.ignore("rate"),
            _ if !is_within && !releases(&message) => self.ignore("rate"),
            ViewerMessage::Control { action: ControlAction::Take } => self.take_control(),
            act => self.act(act),
        }
    }

    /// A binary message, which no viewer sends.
    pub fn hears_binary(&mut self) {
        self.ignore("malformed");
    }

    fn act(&mut self, act: ViewerMessage) {
        let now = Instant::now();
        let is_move = moves(&act);
        let acted = self.session.viewers.state().act(self.id);
        match acted {
            Err(HeldByAnother) => return self.ignore("control"),
            Ok(true) => self.session.viewers.stir(),
            Ok(false) => {}
        }
        self.session.touch();
        match self.steer(act) {
            Taken::Taken => {}
            Taken::Ignored => return self.ignore("moot"),
            Taken::TooManyFiles => {
                self.tell([refused(ErrorCode::InvalidRequest, "files: the field takes one file".to_owned())]);
                return self.ignore("moot");
            }
        }
        self.session.viewers.metrics.input();
        if self.input_at.is_none_or(|at| now > at + INPUT_SHOWN_WITHIN) {
            self.input_at = Some(now);
        }
        if !is_move && self.pace.acts(now) {
            self.window.stir();
            self.adapt();
        }
    }

    /// Does what the viewer asks of the tab that it watches.
    fn steer(&mut self, act: ViewerMessage) -> Taken {
        let tab = &self.told.tab;
        if matches!(act, ViewerMessage::Navigate(_) | ViewerMessage::Resize(_)) {
            return if self.steering.act(tab, act) { Taken::Taken } else { Taken::Ignored };
        }
        let is_move = moves(&act);
        if self.told.is_blind() && !releases(&act) {
            return Taken::Ignored;
        }
        let state = self.session.viewers.state();
        if let ViewerMessage::Dialog(answer) = act {
            let (tab, seen) = (state.inputs.get(tab), self.told.dialog());
            return tab.zip(seen).map_or(Taken::Ignored, |(tab, seen)| tab.input.answer_dialog(seen, answer));
        }
        let Some(event) = InputEvent::of(act) else { return Taken::Ignored };
        // A pointer moves all the time: the frames that show it come at the rate that viewers ask for.
        if let Some(cast) = state.casts.get(tab).filter(|_| !is_move) {
            cast.hurry();
        }
        state.inputs.get(tab).map_or(Taken::Ignored, |tab| tab.input.send(event))
    }

    fn take_control(&mut self) {
        let taken = self.session.viewers.state().take(self.id);
        match taken {
            Ok(()) => {
                self.session.touch();
                self.session.viewers.stir();
            }
            Err(HeldByAnother) => {
                self.tell([refused(ErrorCode::ControlHeld, ErrorCode::ControlHeld.message().to_owned())]);
            }
        }
    }

    fn watch_tab(&mut self, tab: Option<String>) {
        let mut state = self.session.viewers.state();
        let is_known = tab.as_ref().is_none_or(|tab| state.tabs.iter().any(|view| view.info.tab == *tab));
        if let (true, Some(watching)) = (is_known, state.watching.get_mut(&self.id)) {
            watching.tab = tab;
            drop(state);
            self.changed.mark_changed();
            self.session.viewers.stir();
        } else {
            drop(state);
            self.ignore("malformed");
        }
    }

    fn change_quality(&mut self, QualityChange { quality, max_fps }: QualityChange) {
        self.pace.max_fps = max_fps.unwrap_or(self.pace.max_fps);
        self.asked_quality = quality.unwrap_or(self.asked_quality);
        self.adapt();
    }

    fn ignore(&self, reason: &'static str) {
        self.session.viewers.metrics.ignored(reason);
    }
}

fn refused(error: ErrorCode, message: String) -> ServerMessage {
    ServerMessage::Error { error, message }
}

/// Whether a message is one of the many by which something moves.
fn moves(message: &ViewerMessage) -> bool {
    match message {
        ViewerMessage::Mouse { event } => event.kind == MouseEventType::MouseMoved,
        ViewerMessage::Touch { event } => event.kind == TouchEventType::TouchMove,
        _ => false,
    }
}

/// Whether a message lets go of something: it is heard beyond a viewer's rate, or a button would stay down.
fn releases(message: &ViewerMessage) -> bool {
    match message {
        ViewerMessage::Mouse { event } => event.kind == MouseEventType::MouseReleased,
        ViewerMessage::Keyboard { event } => event.kind == KeyEventType::KeyUp,
        ViewerMessage::Touch { event } => matches!(event.kind, TouchEventType::TouchEnd | TouchEventType::TouchCancel),
        _ => false,
    }
}
