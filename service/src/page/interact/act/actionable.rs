//! Waiting until an element can be acted on, and finding the point at which it is hit.
//!
//! Playwright's checks in its order: attached, visible, enabled, editable, still, in view, hit at the point in its own frame
//! and in every frame around it. `script/interact/act/act.js` makes them; this file repeats them, and carries the point from
//! frame to frame. From the last check on the events at the point are guarded (`script/interact/act/guard.js`).

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::input::MouseButton;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::page::Page;
use crate::page::interact::acted::{BoundingBox, Point, Terms};
use crate::page::interact::element::Meant;
use crate::page::interact::resolve::Identity;
use crate::page::interact::{ActError, Element};

/// Pauses before the tries; the last one repeats. Playwright's.
const RETRY_AFTER_MS: [u64; 5] = [0, 20, 100, 100, 500];
/// How an element is scrolled into view, try by try: as little as possible, then so that a header or footer that sticks
/// to an edge does not cover it.
const ALIGNMENTS: [Option<&str>; 4] = [None, Some("end"), Some("center"), Some("start")];
/// How long a try may take beyond the deadline.
const TRY_TIMEOUT: Duration = Duration::from_secs(2);

/// Checks to run on an element.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Ask {
    pub visible: bool,
    pub enabled: bool,
    pub editable: bool,
    /// Stands still for a frame.
    pub still: bool,
    /// Is what is hit at the point.
    pub hit: bool,
    /// Is clicked there: not on a control in it that is for something else.
    pub clicks: bool,
    /// Nothing stands before it and the whole page.
    pub reached: bool,
    /// Its label will do where it is not visible.
    pub labels: bool,
    /// The point of its document at which it is hit, as it is and without any other check.
    pub at: Option<[f64; 2]>,
    /// Is what it was shown or found as.
    #[serde(skip)]
    pub same: bool,
}

/// An element that is ready.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub point: Point,
    pub bounds: BoundingBox,
    /// The element, as `<button id="save">`.
    pub what: String,
    /// The point in each document from the element's own to the page's.
    pub points: Vec<Point>,
    /// Whether the page's script may have run since it was asked for first.
    pub waited: bool,
}

/// The answer of a function of `act.js` or `fields.js` about an element: what it lacks, or where it is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Readiness {
    pub lacks: Option<String>,
    pub what: String,
    pub by: Option<String>,
    pub x: f64,
    pub y: f64,
    #[serde(rename = "box")]
    pub bounds: Option<BoundingBox>,
    /// What the element has become, where it lacks being the same.
    pub is: Option<Identity>,
    /// Whether the page's script may have run during the look.
    pub waited: bool,
}

impl Readiness {
    /// The middle of an element that the whole page covers: some pages take no pointer until it moves, so that it may pass over
    /// others on its way into a submenu.
    fn waits_for_pointer(&self) -> Option<Point> {
        let is_page = self.lacks.as_deref() == Some("uncovered") && self.by.as_deref() == Some("<html>");
        let at = self.bounds.filter(|_| is_page)?;
        Some(Point { x: at.x + at.width / 2.0, y: at.y + at.height / 2.0 })
    }
}

/// Counts the tries of one action.
#[derive(Debug)]
pub(super) struct Tries {
    begun: Instant,
    deadline: Instant,
    /// Until when a call of the kit may take, where that is longer.
    calls_until: Instant,
    number: usize,
}

impl Tries {
    pub(super) fn until(deadline: Instant) -> Self {
        Self { begun: Instant::now(), deadline, calls_until: deadline, number: 0 }
    }

    /// Lets a call of the kit take longer than the element is waited for.
    pub(super) fn with_calls_until(self, calls_until: Instant) -> Self {
        Self { calls_until, ..self }
    }

    /// Waits for the next try; whether there is time for one. There always is for the first.
    pub(super) async fn next(&mut self) -> bool {
        let pause_ms = RETRY_AFTER_MS[self.number.min(RETRY_AFTER_MS.len() - 1)];
        self.number += 1;
        if pause_ms == 0 {
            return true;
        }
        let pause = Duration::from_millis(pause_ms);
        let left = self.deadline.saturating_duration_since(Instant::now());
        // A last look at the very end rather than none for up to 500 ms before it.
        sleep(pause.min(left)).await;
        !left.is_zero()
    }

    /// Whether the time is over.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    fn alignment(&self) -> Option<&'static str> {
        ALIGNMENTS[self.number.saturating_sub(1) % ALIGNMENTS.len()]
    }

    pub(super) fn limit(&self) -> Duration {
        let now = Instant::now();
        (self.deadline.saturating_duration_since(now) + TRY_TIMEOUT)
            .max(self.calls_until.saturating_duration_since(now))
    }

    fn waited_ms(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Whether waiting may bring what `told` lacks.
    fn may_come(told: &Readiness) -> bool {
        !matches!(
            told.lacks.as_deref(),
            Some(
                "attached"
                    | "same"
                    | "field"
                    | "list"
                    | "value"
                    | "select"
                    | "one"
                    | "files"
                    | "one-files"
                    | "many"
                    | "options"
            )
        )
    }

    /// The error for what an element lacks in the end.
    pub(super) fn error(&self, told: Readiness) -> ActError {
        let what = told.what;
        match told.lacks.as_deref() {
            Some("attached") => ActError::no_element(what),
            Some("enabled") => ActError::NotEnabled(what),
            Some("field" | "editable") => ActError::NotEditable(what),
            Some("uncovered") => ActError::Covered { covered: what, by: told.by.unwrap_or_default() },
            Some("still") => {
                ActError::TimedOut { what: format!("{what} did not stand still"), waited_ms: self.waited_ms() }
            }
            Some("option") => {
                let option = told.by.unwrap_or_default();
                ActError::no_element(format!("the option {option:?} of {what}"))
            }
            Some("options") => ActError::NoEffect(format!("{what} had other options once it had the focus")),
            Some("value") => ActError::Invalid(format!("the value does not suit {what}")),
            Some("select") => ActError::Invalid(format!(
                "{what} is no select element: click it, then one of the options that it shows"
            )),
            Some("one") => ActError::Invalid(format!("{what} takes one value")),
            Some("files") => ActError::Invalid(format!("{what} takes no files")),
            Some("one-files") => {
                ActError::Invalid(format!("{what} has several fields for files inside: name one of them"))
            }
            Some("many") => ActError::Invalid(format!("{what} takes one file")),
            _ => ActError::NotVisible(what),
        }
    }
}

impl Page {
    /// Waits until an element is as `ask` wants.
    pub(super) async fn ready(&self, element: &Element, ask: Ask, tries: &mut Tries) -> Result<Spot, ActError> {
        let mut lacking = Readiness::default();
        while tries.next().await {
            self.takes_sent_input().await;
            let (told, points) = self.look_through(element, ask, tries).await?;
            if told.lacks.is_none() {
                let Readiness { x, y, bounds, what, waited, .. } = told;
                let (point, bounds) = (Point { x, y }, bounds.unwrap_or_default());
                return Ok(Spot { point, bounds, what, points, waited: waited || tries.number > 1 });
            }
            lacking = told;
            if !Tries::may_come(&lacking) {
                break;
            }
            if let Some(point) =
                lacking.waits_for_pointer().filter(|_| tries.number == 1 && element.frame.owner().is_none())
            {
                self.send_move(point, MouseButton::None, 0).forget();
            }
        }
        if lacking.lacks.is_none() {
            lacking.lacks = Some("still".to_owned());
        }
        match lacking.is.take() {
            Some(now) => Err(now.changed(&element.meant)),
            None => Err(tries.error(lacking)),
        }
    }

    pub(super) async fn look(&self, element: &Element, ask: Ask, tries: &Tries) -> Result<Readiness, ActError> {
        Ok(self.look_through(element, ask, tries).await?.0)
    }

    async fn look_through(
        &self,
        element: &Element,
        ask: Ask,
        tries: &Tries,
    ) -> Result<(Readiness, Vec<Point>), ActError> {
        let mut asked = json!(ask);
        asked["align"] = tries.alignment().into();
        match &element.meant {
            Meant::Shown(shown) if ask.same => asked["shown"] = json!(shown),
            Meant::Found if ask.same => asked["found"] = true.into(),
            Meant::Matched if ask.same => asked["matched"] = true.into(),
            _ => {}
        }
        let mut told: Readiness = element.call(self, tries.limit(), "ready", asked).await?;
        let mut points = vec![Point { x: told.x, y: told.y }];
        let mut frame = &element.frame;
        while told.lacks.is_none()
            && let Some((outer, number)) = frame.owner()
        {
            let inside = json!({
                "x": told.x, "y": told.y, "box": told.bounds, "hit": ask.hit, "reached": ask.reached, "enabled": ask.enabled,
            });
            let around: Readiness = outer.call(self, tries.limit(), "through", vec![number.into(), inside]).await?;
            let what = if around.lacks.as_deref() == Some("attached") { around.what } else { told.what };
            told = Readiness { what, ..around };
            points.push(Point { x: told.x, y: told.y });
            frame = outer;
        }
        Ok((told, points))
    }

    /// Calls a function of the kit that says what an element lacks, until it lacks nothing or what it lacks can't come.
    pub(super) async fn told<T>(
        &self,
        element: &Element,
        name: &str,
        arguments: &Value,
        tries: &mut Tries,
    ) -> Result<T, ActError>
    where
        T: DeserializeOwned,
    {
        let mut lacking = Readiness::default();
        while tries.next().await {
            match self.tell(element, name, arguments.clone(), tries.limit()).await? {
                Ok(told) => return Ok(told),
                Err(lacks) => lacking = lacks,
            }
            if !Tries::may_come(&lacking) {
                break;
            }
        }
        Err(match lacking.is.take() {
            Some(now) => now.changed(&element.meant),
            None => tries.error(lacking),
        })
    }

    /// The same once.
    pub(super) async fn told_once<T>(
        &self,
        element: &Element,
        name: &str,
        arguments: Value,
        tries: &Tries,
    ) -> Result<T, ActError>
    where
        T: DeserializeOwned,
    {
        self.tell(element, name, arguments, tries.limit()).await?.map_err(|mut lacking| match lacking.is.take() {
            Some(now) => now.changed(&element.meant),
            None => tries.error(lacking),
        })
    }

    async fn tell<T>(
        &self,
        element: &Element,
        name: &str,
        arguments: Value,
        limit: Duration,
    ) -> Result<Result<T, Readiness>, ActError>
    where
        T: DeserializeOwned,
    {
        let told: Value = element.call(self, limit, name, arguments).await?;
        let unreadable = |error: serde_json::Error| ActError::DispatchFailed(error.to_string());
        if told.get("lacks").is_some() {
            return serde_json::from_value(told).map(Err).map_err(unreadable);
        }
        serde_json::from_value(told).map(Ok).map_err(unreadable)
    }
}

impl Ask {
    /// What a pointer needs.
    pub(super) fn pointer(terms: &Terms) -> Self {
        Self { visible: terms.visible, enabled: terms.enabled, still: true, hit: true, same: true, ..Self::default() }
    }

    /// What a field needs.
    pub(super) fn field(terms: &Terms) -> Self {
        Self { editable: true, ..Self::document(terms) }
    }

    /// What an action in the document needs.
    pub(super) fn document(terms: &Terms) -> Self {
        let Terms { visible, enabled, .. } = *terms;
        Self { visible, enabled, reached: visible, same: true, ..Self::default() }
    }
}
