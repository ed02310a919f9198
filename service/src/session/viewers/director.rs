//! Keeps the session's state for its viewers, and its casts, while there are viewers.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use porthole_contract::session::{TabInfo, ViewerRole};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::cast::Cast;
use super::state::{State, TabView};
use super::tab_input::TabInput;
use crate::page::Page;
use crate::page::input::{InputRate, PageInput};
use crate::session::Session;
use crate::session::events::url_of;
use crate::session::tabs::Tab;

/// Pause between two looks at the tabs: a page can change its URL any number of times.
const LOOK_PAUSE: Duration = Duration::from_millis(10);
/// How often a watched tab's title is asked for: a page can change it without anything else.
const TITLE_INTERVAL: Duration = Duration::from_secs(1);
/// Changes of a tab's URL or title that viewers are told of in a second: a page may make any number of them. The last one
/// is always told.
const CHANGES_PER_SECOND_MAX: u32 = 5;
/// When a change that was not told is looked at again.
const HELD_FOR: Duration = Duration::from_millis(200);
/// How long a tab may take to tell its title.
const TITLE_TIMEOUT: Duration = Duration::from_secs(1);

/// Texts that were copied and not told yet.
const COPIES_MAX: usize = 4;

/// A title that a tab has told.
struct Title {
    tab: String,
    progress: u64,
    title: Option<String>,
}

/// What is known of the tabs' titles.
#[derive(Default)]
struct Titles {
    known: HashMap<String, Known>,
    asking: JoinSet<Title>,
    /// When a change that was not told yet is told.
    held_until: Option<Instant>,
}

struct Known {
    title: String,
    /// What viewers were told last, and how often they may be told.
    told: Option<TabInfo>,
    changes: InputRate,
    /// How far the document was when it was asked.
    progress: Option<u64>,
    is_asking: bool,
}

/// Runs until the last viewer has left, or the session has ended.
pub(super) async fn direct(session: Arc<Session>) {
    let viewers = &session.viewers;
    let mut titles = Titles::default();
    let mut titles_at = Instant::now() + TITLE_INTERVAL;
    loop {
        let asks_again = Instant::now() >= titles_at;
        if asks_again {
            titles_at = Instant::now() + TITLE_INTERVAL;
        }
        let ControlFlow::Continue(control_until) = look(&session, &mut titles, asks_again) else { break };
        let expires = async {
            match control_until {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let wakes_at = titles.held_until.map_or(titles_at, |held| held.min(titles_at));
        tokio::select! {
            () = viewers.stirred.notified() => sleep(LOOK_PAUSE).await,
            Some(Ok(title)) = titles.asking.join_next() => titles.learn(title),
            () = sleep_until(wakes_at) => {}
            () = expires => {}
            _ = session.end.asked() => break,
        }
    }
    // Where the last viewer has left, another one may have come already, with a director of its own.
    if session.end.reason().is_some() {
        let mut state = viewers.state();
        state.casts.clear();
        state.inputs.clear();
        state.tabs.clear();
    }
    // Viewers and waiting calls hear of the session's end by themselves.
    viewers.publish();
}

/// Brings what viewers are told, and the casts, up to date, and returns until when control lasts. Breaks without viewers.
fn look(session: &Arc<Session>, titles: &mut Titles, asks_again: bool) -> ControlFlow<(), Option<Instant>> {
    let (open, active) = {
        let tabs = session.tabs();
        (tabs.all(), tabs.active().map(|tab| tab.name).unwrap_or_default())
    };
    titles.held_until = None;
    let views: Vec<TabView> = open.iter().map(|tab| view(tab, titles)).collect();
    let mut state = session.viewers.state();
    if let Some(viewport) = state.resize.take() {
        open.iter().for_each(|tab| tab.page.resize(&viewport));
    }
    if state.watching.is_empty() {
        state.has_director = false;
        state.casts.clear();
        state.inputs.clear();
        return ControlFlow::Break(());
    }
    state.expire();
    let has_control_changed = std::mem::take(&mut state.has_control_changed);
    let is_new = has_control_changed || state.tabs != views || state.active != active;
    (state.tabs, state.active) = (views, active);
    let viewport = session.viewport();
    let mut wishes = state.wishes();
    wishes.values_mut().for_each(|wish| *wish = wish.in_pixels_of(viewport));
    let begun = cast(session, &mut state, &open, &wishes);
    let begun = hold(session, &mut state, &open, &wishes) || begun;
    let control_until = state.control.expires_at();
    drop(state);
    titles.ask(&open, |tab| asks_again && wishes.contains_key(tab));
    if is_new || begun {
        session.viewers.publish();
    }
    ControlFlow::Continue(control_until)
}

/// Begins, changes and ends casts as the viewers wish. Whether one has begun or ended.
fn cast(session: &Session, state: &mut State, open: &[Tab], wishes: &HashMap<String, super::wish::Wish>) -> bool {
    let before = state.casts.len();
    // A renderer that died takes its cast along.
    let runs = |name: &String| {
        wishes.contains_key(name) && open.iter().any(|tab| tab.name == *name && !tab.page.has_crashed())
    };
    let of_this_renderer =
        |name: &String, cast: &Cast| open.iter().any(|tab| tab.name == *name && tab.page.crashes() == cast.crashes);
    state.casts.retain(|name, cast| runs(name) && of_this_renderer(name, cast));
    let mut is_new = state.casts.len() != before;
    for tab in open.iter().filter(|tab| runs(&tab.name)) {
        let Some(wish) = wishes.get(&tab.name) else { continue };
        if let Some(cast) = state.casts.get(&tab.name) {
            cast.wish(*wish);
            continue;
        }
        state.casts_given += 1;
        let cast = Cast::begin(state.casts_given, Arc::clone(&tab.page), *wish, Arc::clone(&session.viewers.seq));
        state.casts.insert(tab.name.clone(), cast);
        is_new = true;
    }
    is_new
}

/// Takes input to the tabs that are watched, and to no others. Whether there is a new one.
fn hold(session: &Arc<Session>, state: &mut State, open: &[Tab], wishes: &HashMap<String, super::wish::Wish>) -> bool {
    state.inputs.retain(|name, _| wishes.contains_key(name) && open.iter().any(|tab| tab.name == *name));
    let may_act = state.watching.values().any(|watching| watching.role == ViewerRole::Control);
    let mut is_new = false;
    for tab in open.iter().filter(|tab| wishes.contains_key(&tab.name)) {
        let tab_input = state.inputs.entry(tab.name.clone()).or_insert_with(|| {
            is_new = true;
            take_input(session, Arc::clone(&tab.page))
        });
        tab_input.input.set_controlled(may_act);
    }
    is_new
}

fn view(tab: &Tab, titles: &mut Titles) -> TabView {
    let now = Instant::now();
    let known = titles.known.entry(tab.name.clone()).or_insert_with(|| Known::new(now));
    let info = TabInfo { tab: tab.name.clone(), url: url_of(&tab.page.url()), title: known.title.clone() };
    let is_told = known.tells(info, now);
    if !is_told {
        titles.held_until = Some(now + HELD_FOR);
    }
    let (dialog, has_crashed) = (tab.page.dialog(), tab.page.has_crashed());
    TabView {
        info: known.told.clone().unwrap_or_default(),
        is_known: dialog.is_some() || has_crashed || known.progress.is_some(),
        dialog,
        has_crashed,
        crashes: tab.page.crashes(),
    }
}

impl Titles {
    /// Asks the tabs whose documents have come further, and those of `also`.
    fn ask(&mut self, open: &[Tab], also: impl Fn(&str) -> bool) {
        self.known.retain(|name, _| open.iter().any(|tab| tab.name == *name));
        for tab in open {
            let progress = tab.page.load_progress();
            let known = self.known.entry(tab.name.clone()).or_insert_with(|| Known::new(Instant::now()));
            let is_due = known.progress != Some(progress) || also(&tab.name);
            // A page that a dialog holds, or whose renderer is gone, would not answer.
            if !is_due || known.is_asking || tab.page.dialog().is_some() || tab.page.has_crashed() {
                continue;
            }
            known.is_asking = true;
            self.asking.spawn(ask(tab.name.clone(), Arc::clone(&tab.page), progress));
        }
    }

    fn learn(&mut self, Title { tab, progress, title }: Title) {
        let Some(known) = self.known.get_mut(&tab) else { return };
        known.is_asking = false;
        known.progress = Some(progress);
        if let Some(title) = title {
            known.title = title;
        }
    }
}

impl Known {
    fn new(now: Instant) -> Self {
        Self {
            title: String::new(),
            told: None,
            changes: InputRate::new(CHANGES_PER_SECOND_MAX, now),
            progress: None,
            is_asking: false,
        }
    }

    /// Has viewers told this, unless they were told too often. Whether they are.
    fn tells(&mut self, info: TabInfo, now: Instant) -> bool {
        if self.told.as_ref() == Some(&info) {
            return true;
        }
        let may_tell = self.told.is_none() || self.changes.admits(now);
        if may_tell {
            self.told = Some(info);
        }
        may_tell
    }
}

async fn ask(tab: String, page: Arc<Page>, progress: u64) -> Title {
    let title = timeout(TITLE_TIMEOUT, page.title()).await.ok().flatten();
    Title { tab, progress, title }
}

/// Begins to take input to a page. What a person copies is told to the viewer that has control.
fn take_input(session: &Arc<Session>, page: Arc<Page>) -> TabInput {
    let (copies, mut copied) = mpsc::channel(COPIES_MAX);
    let input = Arc::new(PageInput::start(page, session.clipboard.clone(), copies));
    let session = Arc::downgrade(session);
    tokio::spawn(async move {
        while let Some(text) = copied.recv().await {
            let Some(session) = session.upgrade() else { return };
            session.viewers.state().copied(text);
            session.viewers.publish();
        }
    });
    let outside = input.outside();
    TabInput { input, outside }
}
