//! Noise: what pages make a browser do outside their renderers, and which sandboxes' pages make it.
//!
//! The processes of a browser tell how much it works, and how much each renderer does, but not whose a renderer is. It is
//! found by its age: a page's first renderer is started while the page is made; any later one while the page is in use.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use porthole_chromium::{Looked, since_boot};

/// The verified id of a sandbox.
pub(super) type Sandbox = Arc<str>;

/// How many looks noise is judged by.
const LOOKS: usize = 5;
/// The processor time that a browser may use in them outside its renderers.
const BROWSER_MAX: Duration = Duration::from_millis(250);
/// What it may use beyond that for each page that it makes in this time, which costs it some 50 ms (measured).
const PAGE_MAX: Duration = Duration::from_millis(80);
/// The processor time in them, after its start, from which a renderer counts as the cause. A page that sets cookies without
/// end waits for the browser most of the time: it used 90 ms while the browser used 450 (measured).
const RENDERER_MIN: Duration = Duration::from_millis(50);
/// How far the start of a process and the time of its page's making may differ: both are cut to steps of 10 ms.
const STEPS: Duration = Duration::from_millis(20);
/// For how long a browser counts as noisy after one of its pages was found so.
const FOUND_FOR: Duration = Duration::from_secs(1);

/// The visits of one browser, when it was found noisy, and how much it works.
#[derive(Debug, Default)]
pub(super) struct Noise {
    visits: Mutex<Visits>,
    load_ms: AtomicU64,
}

#[derive(Debug, Default)]
struct Visits {
    next: u64,
    current: HashMap<u64, Visit>,
    found: Option<Instant>,
}

#[derive(Clone, Debug)]
struct Visit {
    sandbox: Sandbox,
    /// When its page was made and the page's session; `None` while it is not made.
    page: Option<(Made, Arc<str>)>,
    since: Duration,
    /// Whether its page is being disposed of.
    is_leaving: bool,
}

/// How much a page of some sandbox would wait for others in a browser: whether any other sandbox has a page there and, if so,
/// the recent processor time of the browser outside its renderers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Crowd {
    has_others: bool,
    load_ms: u64,
}

/// When a page was made, from the first command to the last, since the machine's start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Made {
    from: Duration,
    until: Duration,
}

/// A visit that counts as under way until this is dropped.
pub(super) struct Visiting {
    id: u64,
    noise: Arc<Noise>,
}

impl Visiting {
    /// Notes that the page is no longer in use but is being disposed of, which may take a noisy browser seconds.
    pub(super) fn leave(&self) {
        if let Some(visit) = self.noise.visits().current.get_mut(&self.id) {
            visit.is_leaving = true;
        }
    }
}

impl Drop for Visiting {
    fn drop(&mut self) {
        self.noise.visits().current.remove(&self.id);
    }
}

impl Made {
    /// Begins to make a page.
    pub(super) fn begin() -> Self {
        let from = since_boot().unwrap_or_default();
        Self { from, until: from }
    }

    /// The page is made.
    pub(super) fn end(&mut self) {
        self.until = since_boot().unwrap_or_default();
    }
}

impl Noise {
    /// Counts a page of this sandbox as in use: the one made at this time, with this session.
    pub(super) fn visit(self: &Arc<Self>, sandbox: Sandbox, made: Made, session: Arc<str>) -> Visiting {
        self.enter(sandbox, Some((made, session)))
    }

    /// Counts a page of this sandbox, which is not made yet, as in use.
    pub(super) fn expect(self: &Arc<Self>, sandbox: Sandbox) -> Visiting {
        self.enter(sandbox, None)
    }

    fn enter(self: &Arc<Self>, sandbox: Sandbox, page: Option<(Made, Arc<str>)>) -> Visiting {
        let visit = Visit { sandbox, page, since: since_boot().unwrap_or_default(), is_leaving: false };
        let mut visits = self.visits();
        let id = visits.next;
        visits.next += 1;
        visits.current.insert(id, visit);
        drop(visits);
        Visiting { id, noise: Arc::clone(self) }
    }

    /// Returns whether a page was found noisy just now.
    pub(super) fn was_found(&self) -> bool {
        self.visits().found.is_some_and(|found| found.elapsed() < FOUND_FOR)
    }

    /// Adds what the browser used outside its renderers since the last look. Older looks count less and less.
    pub(super) fn worked(&self, used: Duration) {
        let used_ms = u64::try_from(used.as_millis()).unwrap_or(u64::MAX);
        // Only one task looks.
        self.load_ms.store((self.load_ms.load(Ordering::Relaxed) * 3 / 4).saturating_add(used_ms), Ordering::Relaxed);
    }

    /// Returns how much a page of this sandbox would wait for others.
    pub(super) fn crowd(&self, sandbox: &Sandbox) -> Crowd {
        let has_others = self.visits().current.values().any(|visit| visit.sandbox != *sandbox);
        Crowd { has_others, load_ms: if has_others { self.load_ms.load(Ordering::Relaxed) } else { 0 } }
    }

    /// Returns the sandboxes whose pages have these renderers, and notes that there are some.
    pub(super) fn blame(&self, renderers: &[Duration]) -> Vec<Sandbox> {
        let mut visits = self.visits();
        let blamed: Vec<Sandbox> = renderers.iter().flat_map(|started| visits.of_renderer(*started)).collect();
        if !blamed.is_empty() {
            visits.found = Some(Instant::now());
        }
        blamed
    }

    /// Returns the sandbox whose page has this session and was ended because of what it sent, and notes that there is one.
    pub(super) fn flooded(&self, session: &str) -> Option<Sandbox> {
        let mut visits = self.visits();
        let is_of = |visit: &&Visit| visit.page.as_ref().is_some_and(|(_, own)| **own == *session);
        let sandbox = visits.current.values().find(is_of).map(|visit| Arc::clone(&visit.sandbox))?;
        visits.found = Some(Instant::now());
        Some(sandbox)
    }

    /// Returns whether the browser has no visits, and none of their pages is being disposed of.
    pub(super) fn is_empty(&self) -> bool {
        self.visits().current.is_empty()
    }

    /// Returns whether pages of sandboxes other than these are in use.
    pub(super) fn has_others(&self, is_marked: impl Fn(&Sandbox) -> bool) -> bool {
        self.visits().current.values().any(|visit| !visit.is_leaving && !is_marked(&visit.sandbox))
    }

    fn visits(&self) -> MutexGuard<'_, Visits> {
        self.visits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visits {
    /// Returns the sandboxes of the visits that a renderer started at this time may belong to: the one whose page was
    /// being made then, or else all that were under way.
    fn of_renderer(&self, started: Duration) -> Vec<Sandbox> {
        let made = |visit: &&Visit| {
            visit.page.as_ref().is_some_and(|(made, _)| started + STEPS >= made.from && started <= made.until + STEPS)
        };
        let of = |is: &dyn Fn(&&Visit) -> bool| {
            self.current.values().filter(is).map(|visit| Arc::clone(&visit.sandbox)).collect::<Vec<Sandbox>>()
        };
        let own = of(&made);
        if own.is_empty() { of(&|visit: &&Visit| !visit.is_leaving && visit.since <= started) } else { own }
    }
}

/// What a browser did at its last looks.
#[derive(Debug, Default)]
pub(super) struct Recent(VecDeque<Look>);

#[derive(Debug)]
struct Look {
    looked: Looked,
    pages_made: u64,
}

impl Recent {
    /// Adds a look, with the number of pages made so far. If the browser was noisy, returns the starts of the renderers
    /// that cause it, and begins anew.
    pub(super) fn add(&mut self, looked: Looked, pages_made: u64) -> Vec<Duration> {
        self.0.push_back(Look { looked, pages_made });
        if self.0.len() > LOOKS {
            self.0.pop_front();
        }
        let looks = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let shares: f64 = self.0.iter().map(|look| 1.0 / look.looked.contention).sum();
        // Where a processor is shared, the same flood uses less of it.
        let shared = |alone: Duration| alone.mul_f64(shares) / looks;
        let browser: Duration = self.0.iter().map(|look| look.looked.browser).sum();
        let pages = self.0.front().map_or(0, |first| pages_made.saturating_sub(first.pages_made));
        if browser < shared(BROWSER_MAX) + PAGE_MAX * u32::try_from(pages).unwrap_or(u32::MAX) {
            return Vec::new();
        }
        let mut renderers: HashMap<u32, (Duration, Duration)> = HashMap::new();
        for time in self.0.iter().flat_map(|look| &look.looked.renderers) {
            let (_, used) = renderers.entry(time.process).or_insert((time.started, Duration::ZERO));
            *used += time.used;
        }
        let least = shared(RENDERER_MIN);
        let is_busy = |(_, used): &(Duration, Duration)| *used >= least;
        let busy: Vec<Duration> = renderers.into_values().filter(is_busy).map(|(started, _)| started).collect();
        if !busy.is_empty() {
            self.0.clear();
        }
        busy
    }
}

#[cfg(test)]
mod tests {
    use porthole_chromium::RendererTime;

    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn looked(browser: u64, renderers: &[(u32, u64)]) -> Looked {
        let time = |(process, used): &(u32, u64)| RendererTime {
            process: *process,
            started: ms(u64::from(*process)),
            used: ms(*used),
        };
        let renderers = renderers.iter().map(time).collect();
        Looked { lowered: Vec::new(), browser: ms(browser), contention: 1.0, renderers }
    }

    #[test]
    fn noise_is_a_browser_that_works_more_than_its_pages_explain_and_a_busy_renderer() {
        let busy = |pages: fn(u64) -> u64, renderer: u64| {
            let mut recent = Recent::default();
            (1..=10)
                .flat_map(|number| recent.add(looked(90, &[(7, renderer), (8, 1)]), pages(number)))
                .collect::<Vec<Duration>>()
        };
        assert_eq!(busy(|_| 3, 60), vec![ms(7); 3], "every third look, when 250 ms are full");
        assert_eq!(busy(|number| number, 60), Vec::<Duration>::new(), "it makes a page at each look");
        assert_eq!(busy(|_| 3, 18), vec![ms(7); 3], "the page waits for the browser most of the time");
        assert_eq!(busy(|_| 3, 9), Vec::<Duration>::new(), "no renderer is busy enough to be the cause");
        let mut recent = Recent::default();
        let shared = Looked { contention: 3.0, ..looked(30, &[(7, 6)]) };
        let beside = (1..=10).flat_map(|_| recent.add(shared.clone(), 3)).collect::<Vec<Duration>>();
        assert_eq!(beside, vec![ms(7); 3], "as it waits for a processor for twice the time");
        let mut recent = Recent::default();
        let calm = (1..=10).flat_map(|_| recent.add(looked(40, &[(7, 100)]), 3)).collect::<Vec<Duration>>();
        assert!(calm.is_empty(), "a renderer alone loads no browser");
    }

    #[test]
    fn a_renderer_belongs_to_the_page_that_was_made_with_it_or_to_those_in_use() {
        let noise = Arc::new(Noise::default());
        let visit = |name: &str, from: u64, until: u64, since: u64| {
            let made = Made { from: ms(from), until: ms(until) };
            let visiting = noise.visit(Sandbox::from(name), made, name.into());
            noise.visits().current.get_mut(&visiting.id).expect("it is under way").since = ms(since);
            visiting
        };
        let (first, _second) = (visit("first", 100, 150, 1000), visit("second", 300, 350, 2000));
        let blamed = |started: u64| {
            let mut names: Vec<String> = noise.blame(&[ms(started)]).iter().map(ToString::to_string).collect();
            names.sort();
            names
        };
        assert_eq!(blamed(90), ["first"], "both times are cut to steps");
        assert_eq!(blamed(340), ["second"]);
        assert!(noise.was_found());
        assert_eq!(blamed(1500), ["first"], "the second was not in use yet");
        assert_eq!(blamed(2500), ["first", "second"]);
        assert_eq!(noise.flooded("second").as_deref(), Some("second"));
        assert_eq!(noise.flooded("third"), None);
        first.leave();
        assert_eq!((blamed(2500), blamed(120)), (vec!["second".to_owned()], vec!["first".to_owned()]));
        drop(first);
        assert_eq!((blamed(120), noise.is_empty()), (Vec::<String>::new(), false));
    }

    #[test]
    fn a_browser_is_crowded_by_other_sandboxes_until_their_pages_are_gone() {
        let noise = Arc::new(Noise::default());
        let crowd = |name: &str| noise.crowd(&Sandbox::from(name));
        let empty = crowd("first");
        noise.worked(ms(100));
        assert_eq!(crowd("first"), empty, "what it works matters only beside others");
        let visiting = noise.expect("first".into());
        assert_eq!(crowd("first"), empty);
        let less = crowd("second");
        assert!(less > empty);
        noise.worked(ms(100));
        assert!(crowd("second") > less);
        visiting.leave();
        assert!(crowd("second") > less, "it is being disposed of");
        drop(visiting);
        assert_eq!(crowd("second"), empty);
    }
}
