//! Locates the element that a caller names, and waits until it is in the requested state.

use std::time::Duration;

use porthole_contract::{Warning, WarningCode};
use serde::Serialize;
use serde_json::json;
use tokio::time::Instant;

use super::search::{Chosen, Round, Search, Within};
use super::wanted::{Plan, Step, Wanted, shown};
use crate::page::interact::element::Meant;
use crate::page::interact::{ActError, BoundingBox, Element, Frame};
use crate::page::{Page, PageError};

/// How long a frame may take to say where it stands.
const ORIGIN_TIMEOUT: Duration = Duration::from_secs(1);

/// A selector that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// The selector, as a chain.
    pub selector: String,
    /// How many elements it matched.
    pub matched: usize,
}

/// An element that was located.
#[derive(Clone, Debug)]
pub struct Located {
    /// The element.
    pub element: Element,
    /// The selector that matched, as a chain.
    pub selector_used: String,
    /// How many elements it matched, hidden ones included.
    pub matched_count: usize,
    /// Where it is in the page's viewport; for a checkbox, radio or file field that only its label shows, the label's.
    pub bounding_box: BoundingBox,
    /// Its ARIA role.
    pub role: String,
    /// Its accessible name, at most 200 characters.
    pub name: String,
    /// The selectors that were tried, this one included.
    pub tried: Vec<Tried>,
    /// What a caller should know, such as that several elements match.
    pub warnings: Vec<Warning>,
}

/// Why nothing was located, or why what is located is not as it must be.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{error}")]
pub struct Missed {
    /// The reason.
    pub error: ActError,
    /// The selectors that were tried.
    pub tried: Vec<Tried>,
    /// How many elements the selector matched that came nearest.
    pub matched_count: usize,
    /// Where the element is that lacks something, if there is one.
    pub bounding_box: Option<BoundingBox>,
}

impl Missed {
    /// The reason, with the selector that located the element.
    pub fn details(&self) -> String {
        let details = self.error.to_string();
        match self.tried.iter().rfind(|tried| tried.matched > 0) {
            Some(used) if !details.contains(&used.selector) => format!("{details} (located by {})", used.selector),
            _ => details,
        }
    }
}

impl Page {
    /// Locates an element, and waits until there is one that is visible and enabled where that is wanted, until `deadline`
    /// at most. The main document is searched first, then its frames.
    ///
    /// # Errors
    /// [`Missed`] with [`ActError::Invalid`] for a selector that is none, at once; with [`ActError::NotFound`],
    /// [`ActError::NotVisible`] or [`ActError::NotEnabled`], what is still lacking at the deadline; [`ActError::TimedOut`] where
    /// the page did not tell; or with what ended the
    /// page's work.
    pub async fn locate(&self, wanted: &Wanted, deadline: Instant) -> Result<Located, Missed> {
        let plan = wanted.plan()?;
        let mut search = Search::new(self, &plan, wanted.within()?, deadline);
        let begun = Instant::now();
        let ran = search.run(|round| round.satisfies(&plan)).await;
        let (round, is_there) = ran.map_err(|error| match error {
            // Its script is busy, or it is too large to be searched in the time.
            ActError::Page(PageError::TimedOut(_)) => ActError::TimedOut {
                what: format!("the page did not tell where {} is", value_of(&plan)),
                waited_ms: begun.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
            },
            error => error,
        })?;
        match round.best(&plan) {
            Some((frame, chosen)) if is_there => {
                let bounding_box = self.in_viewport(frame, chosen.bounding_box).await?;
                Ok(located(&plan, &round, frame, chosen, bounding_box))
            }
            _ => Err(self.missed(&plan, &round).await),
        }
    }

    /// What a round lacks.
    pub(super) async fn missed(&self, plan: &Plan, round: &Round) -> Missed {
        let tried = tried(plan, round);
        let all = || plan.tries.first().map_or_else(|| "the element".to_owned(), |steps| shown(steps));
        let Some((frame, chosen)) = round.best(plan) else {
            let error = match &round.no_frame {
                Some((selector, 0)) => ActError::no_element(format!("frame_selector {selector}")),
                Some((selector, _)) => ActError::Invalid(format!("frame_selector: {selector} matches no frame")),
                None if plan.lenient => ActError::no_element(value_of(plan)),
                None => ActError::no_element(all()),
            };
            return Missed { error, tried, matched_count: 0, bounding_box: None };
        };
        let selector = plan.tries.get(chosen.at).map_or_else(all, |steps| shown(steps));
        let error = match chosen.visible || !plan.visible {
            true => ActError::NotEnabled(selector),
            false => ActError::NotVisible(selector),
        };
        let bounding_box = self.in_viewport(frame, chosen.bounding_box).await.ok();
        Missed { error, tried, matched_count: round.matched(chosen.at), bounding_box }
    }

    /// A box of a frame's viewport in the page's.
    pub(in crate::page::interact) async fn in_viewport(
        &self,
        frame: &Frame,
        of_frame: BoundingBox,
    ) -> Result<BoundingBox, ActError> {
        self.outward(frame, of_frame, false, ORIGIN_TIMEOUT).await
    }

    /// The same; with `is_part` only what the frames around it have room for. Each of them has `limit` to answer.
    pub(in crate::page) async fn outward(
        &self,
        frame: &Frame,
        of_frame: BoundingBox,
        is_part: bool,
        limit: Duration,
    ) -> Result<BoundingBox, ActError> {
        let mut bounds = of_frame;
        let mut owner = frame.owner();
        while let Some((outer, number)) = owner {
            let arguments = vec![number.into(), json!(bounds), is_part.into()];
            let outward: Option<BoundingBox> = outer.call(self, limit, "outward", arguments).await?;
            bounds = outward.ok_or_else(|| ActError::no_element("the frame"))?;
            owner = outer.owner();
        }
        Ok(bounds)
    }
}

fn located(plan: &Plan, round: &Round, frame: &Frame, chosen: &Chosen, bounding_box: BoundingBox) -> Located {
    let matched_count = round.matched(chosen.at);
    let mut warnings = Vec::new();
    if matched_count > 1 {
        let taken = if chosen.visible { "the first that is visible and enabled" } else { "the first" };
        warnings.push(WarningCode::SeveralMatch.says(format!("{matched_count} elements match; {taken} was taken")));
    }
    let selector_used = plan.tries.get(chosen.at).map(|steps| shown(steps)).unwrap_or_default();
    let rival = || {
        WarningCode::SeveralMatch.says(format!("{selector_used} was taken, and another element has this as its text"))
    };
    warnings.extend(chosen.rival.then(rival));
    warnings.extend(round.several_frames.as_ref().map(|(selector, count)| {
        WarningCode::SeveralMatch.says(format!("{count} frames match {selector}; the first that is visible was taken"))
    }));
    let names = plan.tries.get(chosen.at).is_some_and(|steps| steps.iter().any(Step::names));
    let meant = if names { Meant::Found } else { Meant::Matched };
    Located {
        element: Element { meant, ..chosen.element(frame) },
        selector_used,
        matched_count,
        bounding_box,
        role: chosen.role.clone(),
        name: chosen.name.clone(),
        tried: tried(plan, round),
        warnings,
    }
}

/// The tries that some document carried out.
fn tried(plan: &Plan, round: &Round) -> Vec<Tried> {
    if let Some((selector, matched)) = &round.no_frame {
        return vec![Tried { selector: selector.clone(), matched: *matched }];
    }
    let carried_out = round.places.iter().map(|(_, outcome)| outcome.counts.len()).max().unwrap_or_default();
    let tries = plan.tries.iter().take(carried_out.max(1)).enumerate();
    tries.map(|(at, steps)| Tried { selector: shown(steps), matched: round.matched(at) }).collect()
}

/// The value of which all kinds were tried.
fn value_of(plan: &Plan) -> String {
    let all = plan.tries.last().map(|steps| shown(steps)).unwrap_or_default();
    all.split_once(": ").map_or(all.clone(), |(_, value)| value.to_owned())
}

// === impl Wanted ===

impl Wanted {
    /// Where is searched.
    pub(super) fn within(&self) -> Result<Within, ActError> {
        let steps = self.frame_steps()?;
        Ok(if steps.is_empty() { Within::Page } else { Within::Steps(steps) })
    }
}

// === impl Missed ===

impl From<ActError> for Missed {
    fn from(error: ActError) -> Self {
        Self { error, tried: Vec::new(), matched_count: 0, bounding_box: None }
    }
}
