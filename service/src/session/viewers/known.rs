//! The state that a viewer was last sent. Each method takes the current state and returns a message if it differs.

use porthole_contract::limits::TITLE_MAX_CHARS;
use porthole_contract::live::{LiveStatus, ServerMessage};
use porthole_contract::session::{Control, TabInfo};

use super::frame::ShownViewport;
use super::state::TabView;
use crate::page::input::Outside;

/// What a viewer was told.
#[derive(Default)]
pub(super) struct Known {
    /// The tab that it watches.
    pub(super) tab: String,
    status: Option<LiveStatus>,
    viewport: Option<ShownViewport>,
    place: Option<(String, String)>,
    tabs: Option<(Vec<TabInfo>, String)>,
    control: Option<(Control, bool)>,
    /// How often the renderer of the watched tab had died.
    crashes: Option<u64>,
    /// Whether a dialog holds the tab.
    is_held: bool,
    outside: Outside,
    /// Whether it has been sent no frame of the watched tab since it turned to that from another one.
    is_unseen: bool,
}

impl Known {
    /// A viewer that was told that it is connected, and watches this tab.
    pub(super) fn connected(tab: String) -> Self {
        Self { tab, status: Some(LiveStatus::Connected), ..Self::default() }
    }

    /// Whether a frame may come: the viewer knows that frames do, and the viewport that it shows.
    pub(super) fn awaits_frame_of(&self, viewport: ShownViewport) -> bool {
        self.viewport == Some(viewport) && self.streams()
    }

    /// Whether frames come, as far as the viewer knows. They do while a dialog holds the tab.
    pub(super) fn streams(&self) -> bool {
        self.status == Some(LiveStatus::Streaming) || self.is_held
    }

    pub(super) fn status(&mut self, status: LiveStatus) -> Option<ServerMessage> {
        (self.status.replace(status) != Some(status)).then_some(ServerMessage::Status { status })
    }

    pub(super) fn viewport(&mut self, viewport: ShownViewport) -> Option<ServerMessage> {
        let ShownViewport { width, height, offset_top, page_scale_factor } = viewport;
        let message = ServerMessage::Viewport { width, height, offset_top, page_scale_factor };
        (self.viewport.replace(viewport) != Some(viewport)).then_some(message)
    }

    pub(super) fn control(&mut self, holder: Control, you: bool) -> Option<ServerMessage> {
        let is_news = self.control.replace((holder, you)) != Some((holder, you));
        is_news.then_some(ServerMessage::Control { holder, you })
    }

    pub(super) fn tabs(&mut self, tabs: Vec<TabInfo>, active: String) -> Option<ServerMessage> {
        let now = Some((tabs, active));
        if self.tabs == now {
            return None;
        }
        self.tabs = now;
        self.tabs.clone().map(|(tabs, active)| ServerMessage::Tabs { tabs, active })
    }

    /// The viewer watches this tab from now on.
    pub(super) fn turns_to(&mut self, tab: String) {
        if self.tab != tab {
            (self.tab, self.crashes, self.is_unseen) = (tab, None, true);
        }
    }

    /// The viewer is sent a frame of the watched tab.
    pub(super) fn sees(&mut self) {
        self.is_unseen = false;
    }

    /// Whether it can't know what it would act on: it saw another tab last.
    pub(super) fn is_blind(&self) -> bool {
        self.is_unseen
    }

    /// What is new of the watched tab.
    pub(super) fn watched_tab(&mut self, view: TabView) -> impl Iterator<Item = ServerMessage> + use<> {
        let TabView { info, dialog, has_crashed, crashes, .. } = view;
        let place = (info.url, info.title.chars().take(TITLE_MAX_CHARS).collect::<String>());
        let moved = (self.place.as_ref() != Some(&place)).then(|| {
            self.place = Some(place.clone());
            ServerMessage::Url { url: place.0, title: place.1 }
        });
        let before = self.crashes.replace(crashes);
        // The page may be back already.
        let has_died = has_crashed || before.is_some_and(|before| before != crashes);
        self.is_held = dialog.is_some();
        let status = if has_died {
            self.status(LiveStatus::BrowserStarting)
        } else if dialog.is_some() {
            self.status(LiveStatus::Paused)
        } else if self.status == Some(LiveStatus::Paused) {
            self.status(LiveStatus::Streaming)
        } else {
            None
        };
        moved.into_iter().chain(status)
    }

    /// The number of the dialog that it was told of, if that is open still.
    pub(super) fn dialog(&self) -> Option<u64> {
        self.outside.dialog.as_ref().map(|(number, _)| *number)
    }

    /// What is new outside of the page.
    pub(super) fn outside(&mut self, now: Outside) -> Vec<ServerMessage> {
        let news = now.news(&self.outside);
        self.outside = now;
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(has_crashed: bool, crashes: u64) -> TabView {
        let info = TabInfo { tab: "t1".to_owned(), url: "https://a/".to_owned(), title: "a".to_owned() };
        TabView { info, dialog: None, has_crashed, crashes, is_known: true }
    }

    fn statuses(known: &mut Known, view: TabView) -> Vec<LiveStatus> {
        let told = known.watched_tab(view);
        told.filter_map(|message| if let ServerMessage::Status { status } = message { Some(status) } else { None })
            .collect()
    }

    #[test]
    fn a_renderer_that_died_and_is_back_is_told_once() {
        let mut known = Known::connected("t1".to_owned());
        assert_eq!(statuses(&mut known, view(false, 2)), [], "it died before anyone watched");
        assert!(known.status(LiveStatus::Streaming).is_some());
        assert_eq!(statuses(&mut known, view(false, 3)), [LiveStatus::BrowserStarting]);
        assert!(!known.streams());
        assert_eq!(statuses(&mut known, view(false, 3)), []);
        assert!(known.status(LiveStatus::Streaming).is_some());
        assert_eq!(statuses(&mut known, view(true, 4)), [LiveStatus::BrowserStarting]);
        assert!(known.status(LiveStatus::Streaming).is_some());
        assert_eq!(statuses(&mut known, view(false, 4)), []);
        assert!(!known.is_blind(), "who has just come may act at once");
        known.turns_to("t2".to_owned());
        assert!(known.is_blind());
        known.sees();
        assert!(!known.is_blind());
        assert_eq!(statuses(&mut known, view(false, 0)), [], "another tab's count is not this one's");
    }
}
