//! Evaluates a plan in the documents of a page, and waits until one of them has a result.
//!
//! The main document is asked first, and the frames only if it has no match. A frame that does not answer in time is
//! ignored: a busy advertisement must not fail the page around it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use porthole_contract::limits::CAPTURE_TIMEOUT;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::wanted::{Plan, Step, shown};
use crate::page::interact::{ActError, BoundingBox, Element, Frame};
use crate::page::run::NEXT_DOCUMENT_AFTER;
use crate::page::{Page, PageError};

/// How long a frame may take to answer, besides what it is told to wait.
const FRAME_TIMEOUT: Duration = Duration::from_secs(1);
/// How long documents wait for a change until they are all asked anew.
const SLICE: Duration = Duration::from_millis(1_000);
/// How deep frames are followed into one another.
const DEPTH_MAX: usize = 8;
/// How many times a document is asked anew for what the browser has said of its elements.
const ROUNDS_MAX: usize = 8;
/// How many elements the browser is asked about in one search, over all documents.
const HOSTS_MAX: usize = 2_000;
/// How many documents of a page are asked.
const DOCUMENTS_MAX: usize = 100;

/// The answer of `locate`: what a plan comes to in one document, or why it can't be read.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum PlanAnswer {
    Invalid { invalid: String },
    Outcome(Outcome),
}

/// What a plan that can be read comes to in one document.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Outcome {
    /// How many elements each try matched, as far as they were tried.
    pub counts: Vec<usize>,
    /// The frames of the document, by the numbers of their elements.
    frames: Vec<u32>,
    pub chosen: Option<Chosen>,
    /// How many custom elements may keep a role that decides over the outcome.
    #[serde(default)]
    customs: usize,
    /// How many elements may have closed shadow roots in which a match might be.
    #[serde(default)]
    hosts: usize,
    /// What tells this outcome from others.
    stamp: String,
}

/// The element that is preferred.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Chosen {
    /// The try that matched it.
    pub at: usize,
    pub number: u32,
    pub visible: bool,
    pub enabled: bool,
    /// Whether it takes text, if some is to be typed.
    fits: bool,
    is_frame: bool,
    /// In the viewport of its own document.
    pub bounding_box: BoundingBox,
    pub role: String,
    pub name: String,
    /// Whether it was found by an attribute that is not seen, and another control says what was asked for.
    pub rival: bool,
}

/// What a plan comes to in all documents that were asked, the main one first.
#[derive(Debug, Default)]
pub(super) struct Round {
    pub places: Vec<(Frame, Outcome)>,
    /// The frame selector that leads to no frame, with how many elements it matched, and the document that it was tried in.
    pub no_frame: Option<(String, usize)>,
    /// The frame selector that matches several frames, of which the first that is seen was taken, with how many.
    pub several_frames: Option<(String, usize)>,
    /// The plan that the documents wait by, where it is not the search's own.
    awaiting: Option<Value>,
}

/// A search over some time.
pub(super) struct Search<'a> {
    page: &'a Page,
    plan: &'a Plan,
    /// The plan as the kit gets it.
    plan_json: Value,
    within: Within,
    deadline: Instant,
    /// How many documents the page had seen as the main one was opened, and that.
    main: Option<(u64, Frame)>,
    opened: HashMap<(String, u32), Frame>,
    /// The elements that the browser was asked about.
    hosts: AtomicUsize,
}

/// Where is searched.
#[derive(Clone, Debug)]
pub(super) enum Within {
    /// In the page and its frames.
    Page,
    /// In the frame alone that these steps lead to.
    Steps(Vec<Step>),
    /// In this document alone.
    Document(Frame),
}

impl<'a> Search<'a> {
    pub(super) fn new(page: &'a Page, plan: &'a Plan, within: Within, deadline: Instant) -> Self {
        Self {
            page,
            plan,
            plan_json: json!(plan),
            within,
            deadline,
            main: None,
            opened: HashMap::new(),
            hosts: AtomicUsize::new(0),
        }
    }

    /// Searches until `done` says so, or until the deadline; the last round, and whether it was done.
    pub(super) async fn run(&mut self, mut done: impl FnMut(&Round) -> bool) -> Result<(Round, bool), ActError> {
        loop {
            let asked_at = Instant::now();
            let (page, deadline) = (self.page, self.deadline);
            let round = tokio::select! {
                biased;
                round = self.round() => round,
                () = leaves_at(page, deadline) => Err(PageError::Leaving.into()),
            };
            match round {
                Ok(round) => {
                    if done(&round) {
                        return Ok((round, true));
                    }
                    if asked_at >= self.deadline {
                        return Ok((round, false));
                    }
                    self.changes(&round).await?;
                }
                // Its document is gone; the next one comes.
                Err(ActError::NotFound(_)) if matches!(self.within, Within::Document(_)) => {
                    return Ok((Round::default(), false));
                }
                Err(ActError::NotFound(_)) => {
                    self.main = None;
                    if asked_at >= self.deadline {
                        return Ok((Round::default(), false));
                    }
                    sleep(NEXT_DOCUMENT_AFTER).await;
                }
                // It may stay after all, or the next one comes; its script may be busy.
                Err(ActError::Page(PageError::Leaving | PageError::TimedOut(_))) if Instant::now() < self.deadline => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Asks each document once.
    async fn round(&mut self) -> Result<Round, ActError> {
        let limit = self.deadline.saturating_duration_since(Instant::now()).max(FRAME_TIMEOUT).min(CAPTURE_TIMEOUT);
        if let Within::Document(frame) = &self.within {
            let outcome = self.ask(frame, &self.plan_json, limit).await?;
            return Ok(Round { places: vec![(frame.clone(), outcome)], ..Round::default() });
        }
        let main = self.main(limit).await?;
        if let Within::Steps(steps) = self.within.clone() {
            return self.round_in_frame(main, &steps, limit).await;
        }
        let outcome = self.ask(&main, &self.plan_json, limit).await?;
        let mut round = Round { places: vec![(main, outcome)], ..Round::default() };
        // Words that name a field may be in the page, and the field in a frame.
        let best = round.best(self.plan);
        if !best.is_some_and(|(_, chosen)| chosen.fits && chosen.satisfies(self.plan)) {
            self.ask_frames(&mut round).await;
        }
        Ok(round)
    }

    /// Asks the frames of the main document, level by level.
    async fn ask_frames(&mut self, round: &mut Round) {
        let mut level = 0..round.places.len();
        for _ in 0..DEPTH_MAX {
            let of_this = round.places[level.clone()].iter();
            let mut inner: Vec<(Frame, u32)> = of_this
                .flat_map(|(frame, outcome)| outcome.frames.iter().map(|number| (frame.clone(), *number)))
                .collect();
            inner.truncate(DOCUMENTS_MAX.saturating_sub(round.places.len()));
            if inner.is_empty() {
                return;
            }
            let this = &*self;
            let asking = inner.into_iter().map(|(outer, number)| async move {
                let key = (outer.document().to_owned(), number);
                let answer = timeout(FRAME_TIMEOUT, this.ask_inside(&outer, number, this.opened.get(&key))).await;
                (key, answer.ok().and_then(Result::ok))
            });
            let answers = join_all(asking).await;
            level = round.places.len()..round.places.len();
            for (key, answer) in answers {
                let Some((frame, outcome)) = answer else {
                    self.opened.remove(&key);
                    continue;
                };
                self.opened.insert(key, frame.clone());
                round.places.push((frame, outcome));
                level.end += 1;
            }
        }
    }

    /// Asks inside a frame: in its document that is known already, or in the present one.
    async fn ask_inside(
        &self,
        outer: &Frame,
        number: u32,
        known: Option<&Frame>,
    ) -> Result<(Frame, Outcome), ActError> {
        if let Some(frame) = known
            && let Ok(outcome) = self.ask(frame, &self.plan_json, FRAME_TIMEOUT).await
        {
            return Ok((frame.clone(), outcome));
        }
        let frame = self.page.frame_in(outer, number).await?;
        let outcome = self.ask(&frame, &self.plan_json, FRAME_TIMEOUT).await?;
        Ok((frame, outcome))
    }

    /// Follows the steps to a frame and asks in its document alone.
    async fn round_in_frame(&self, main: Frame, steps: &[Step], limit: Duration) -> Result<Round, ActError> {
        let mut frame = main;
        let mut several_frames = None;
        let mut from = 0;
        for until in 1..=steps.len() {
            let part = &steps[from..until];
            let plan = json!(Plan { tries: vec![part.to_vec()], visible: false, ..self.plan.clone() });
            let outcome = self.ask(&frame, &plan, limit).await?;
            match outcome.chosen.as_ref() {
                Some(chosen) if chosen.is_frame => {
                    let matched = outcome.counts.first().copied().unwrap_or_default();
                    several_frames =
                        several_frames.or_else(|| (matched > 1).then(|| (shown(&steps[..until]), matched)));
                    frame = self.page.frame_in(&frame, chosen.number).await?;
                    from = until;
                }
                Some(_) if until < steps.len() => {}
                _ => {
                    let matched = outcome.counts.first().copied().unwrap_or_default();
                    return Ok(Round {
                        places: vec![(frame, outcome)],
                        no_frame: Some((shown(&steps[..until]), matched)),
                        awaiting: Some(plan),
                        several_frames: None,
                    });
                }
            }
        }
        let outcome = self.ask(&frame, &self.plan_json, limit).await?;
        Ok(Round { places: vec![(frame, outcome)], several_frames, ..Round::default() })
    }

    /// Asks a document what the plan matches there, and again where the browser has said new things of its custom elements, or
    /// was asked for closed shadow roots.
    async fn ask(&self, frame: &Frame, plan: &Value, limit: Duration) -> Result<Outcome, ActError> {
        let mut outcome = self.ask_once(frame, plan, limit).await?;
        for _ in 0..ROUNDS_MAX {
            let asks = outcome.hosts > 0 && self.hosts.fetch_add(outcome.hosts, Ordering::Relaxed) < HOSTS_MAX;
            if asks {
                self.page.open_closed_roots(frame, "hosts").await?;
            }
            let knows_more = outcome.customs > 0 && self.page.read_internals(frame, "customs", Vec::new()).await?;
            if !asks && !knows_more {
                break;
            }
            // What was opened counts all the same.
            let is_late = Instant::now() >= self.deadline;
            outcome = self.ask_once(frame, plan, limit).await?;
            if is_late {
                break;
            }
        }
        Ok(outcome)
    }

    async fn ask_once(&self, frame: &Frame, plan: &Value, limit: Duration) -> Result<Outcome, ActError> {
        match frame.call(self.page, limit, "locate", vec![plan.clone()]).await? {
            PlanAnswer::Outcome(outcome) => Ok(outcome),
            PlanAnswer::Invalid { invalid } => Err(ActError::Invalid(invalid)),
        }
    }

    /// The main frame's document, the one that is known while no other has arrived.
    async fn main(&mut self, limit: Duration) -> Result<Frame, ActError> {
        let arrivals = self.page.state.borrow().arrivals;
        match &self.main {
            Some((then, main)) if *then == arrivals => Ok(main.clone()),
            _ => {
                let main = self.page.main_document_within(limit).await?;
                self.main = Some((arrivals, main.clone()));
                Ok(main)
            }
        }
    }

    /// Waits until a document may come to something else, or until it is time to ask all of them anew.
    async fn changes(&self, round: &Round) -> Result<(), ActError> {
        let slice = SLICE.min(self.deadline.saturating_duration_since(Instant::now()));
        let arrivals = self.page.state.borrow().arrivals;
        let plan = round.awaiting.as_ref().unwrap_or(&self.plan_json);
        let mut waiting: FuturesUnordered<_> = round
            .places
            .iter()
            .map(|(frame, outcome)| {
                let arguments = vec![plan.clone(), outcome.stamp.clone().into(), json!(slice.as_millis())];
                frame.call::<bool>(self.page, slice + FRAME_TIMEOUT, "locateChanges", arguments)
            })
            .collect();
        let change = async {
            while let Some(answer) = waiting.next().await {
                match answer {
                    Ok(true) => return Ok(()),
                    Ok(false) => {}
                    Err(error @ (ActError::Dialog(_) | ActError::Page(PageError::Crashed(_)))) => return Err(error),
                    // That document is gone, or it is too busy to tell.
                    Err(_) => {
                        sleep(NEXT_DOCUMENT_AFTER).await;
                        return Ok(());
                    }
                }
            }
            Ok(())
        };
        tokio::select! {
            change = timeout(slice + FRAME_TIMEOUT, change) => change.unwrap_or(Ok(())),
            // A document that is kept for going back would not answer any more.
            arrived = self.page.reaches(self.deadline, |state| state.arrivals != arrivals) => Ok(arrived.map(drop)?),
        }
    }
}

/// Returns at `deadline` where the page is leaving then, and so tells nothing; else never.
async fn leaves_at(page: &Page, deadline: Instant) {
    sleep_until(deadline).await;
    if !page.is_leaving() {
        std::future::pending::<()>().await;
    }
}

// === impl Round ===

impl Round {
    /// The place of the element that is preferred over all documents: of those that fit and of the try that comes first, the
    /// first that is as the plan wants it.
    pub(super) fn best(&self, plan: &Plan) -> Option<(&Frame, &Chosen)> {
        if self.no_frame.is_some() {
            return None;
        }
        let chosen = self.places.iter().filter_map(|(frame, outcome)| Some((frame, outcome.chosen.as_ref()?)));
        chosen.min_by_key(|(_, chosen)| {
            (plan.visible && !chosen.visible, !chosen.fits, chosen.at, !chosen.satisfies(plan))
        })
    }

    pub(super) fn satisfies(&self, plan: &Plan) -> bool {
        self.best(plan).is_some_and(|(_, chosen)| chosen.satisfies(plan))
    }

    /// How many elements a try matched in all documents.
    pub(super) fn matched(&self, at: usize) -> usize {
        self.places.iter().filter_map(|(_, outcome)| outcome.counts.get(at)).sum()
    }
}

// === impl Chosen ===

impl Chosen {
    fn satisfies(&self, plan: &Plan) -> bool {
        (self.visible || !plan.visible) && (self.enabled || !plan.enabled)
    }

    pub(super) fn element(&self, frame: &Frame) -> Element {
        Element::node(frame.clone(), self.number)
    }
}
