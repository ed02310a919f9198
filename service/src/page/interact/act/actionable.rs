//! Waiting until an element can be acted on, and finding the point at which it is hit.
//!
//! Playwright's checks in its order: attached, visible, enabled, editable, still, in view, hit at the point in its own frame
//! and in every frame around it. `script/interact/act/act.js` makes them; this file repeats them, and carries the point from
//! frame to frame. From the last check on the events at the point are guarded (`script/interact/act/guard.js`).

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::input::MouseButton;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::readiness::{Lack, Readiness, read, read_unless_lacking};
use crate::page::Page;
use crate::page::interact::acted::{BoundingBox, Point, Terms};
use crate::page::interact::element::Meant;
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

    /// The error for what an element lacks in the end, or has become instead of what was meant.
    pub(super) fn error(&self, lacking: Readiness, meant: &Meant) -> ActError {
        let Readiness { lacks, what, by, is, .. } = lacking;
        if let Some(now) = is {
            return now.changed(meant);
        }
        match lacks.unwrap_or(Lack::Still) {
            Lack::Attached => ActError::no_element(what),
            Lack::Visible | Lack::View | Lack::List => ActError::NotVisible(what),
            Lack::Enabled => ActError::NotEnabled(what),
            Lack::Field | Lack::Editable => ActError::NotEditable(what),
            Lack::Uncovered => ActError::Covered { covered: what, by: by.unwrap_or_default() },
            Lack::Still => {
                ActError::TimedOut { what: format!("{what} did not stand still"), waited_ms: self.waited_ms() }
            }
            Lack::Same => ActError::no_element(format!("what was found: {what} is something else now")),
            Lack::Option => ActError::no_element(format!("the option {:?} of {what}", by.unwrap_or_default())),
            Lack::Options => ActError::NoEffect(format!("{what} had other options once it had the focus")),
            Lack::Value => ActError::Invalid(format!("the value does not suit {what}")),
            Lack::Select => ActError::Invalid(format!(
                "{what} is no select element: click it, then one of the options that it shows"
            )),
            Lack::One => ActError::Invalid(format!("{what} takes one value")),
            Lack::Files => ActError::Invalid(format!("{what} takes no files")),
            Lack::OneFiles => {
                ActError::Invalid(format!("{what} has several fields for files inside: name one of them"))
            }
            Lack::Many => ActError::Invalid(format!("{what} takes one file")),
        }
    }
}

impl Page {
    /// Waits until an element is as `ask` wants.
    pub(super) async fn ready(&self, element: &Element, ask: Ask, tries: &mut Tries) -> Result<Spot, ActError> {
        let mut lacking = Readiness::default();
        while tries.next().await {
            self.takes_sent_input().await;
            let (found, points) = self.look_through(element, ask, tries).await?;
            if found.lacks.is_none() {
                let Readiness { x, y, bounds, what, waited, .. } = found;
                let (point, bounds) = (Point { x, y }, bounds.unwrap_or_default());
                return Ok(Spot { point, bounds, what, points, waited: waited || tries.number > 1 });
            }
            lacking = found;
            if !lacking.may_come() {
                break;
            }
            if let Some(point) =
                lacking.waits_for_pointer().filter(|_| tries.number == 1 && element.frame.owner().is_none())
            {
                self.send_move(point, MouseButton::None, 0).forget();
            }
        }
        Err(tries.error(lacking, &element.meant))
    }

    /// Looks once whether an element is as `ask` wants.
    pub(super) async fn look(&self, element: &Element, ask: Ask, tries: &Tries) -> Result<Readiness, ActError> {
        Ok(self.look_through(element, ask, tries).await?.0)
    }

    /// Looks at an element in its own document, and then at its frame in each document around that, at the point at which the
    /// element is hit. Returns that point in each of them, too. Ends with the first document in which something is lacking.
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
        let mut found: Readiness = read("ready", element.call(self, tries.limit(), "ready", asked).await?)?;
        let mut points = vec![Point { x: found.x, y: found.y }];
        let mut frame = &element.frame;
        while found.lacks.is_none()
            && let Some((outer, number)) = frame.owner()
        {
            let inside = json!({
                "x": found.x, "y": found.y, "box": found.bounds, "hit": ask.hit, "reached": ask.reached, "enabled": ask.enabled,
            });
            let answer = outer.call(self, tries.limit(), "through", vec![number.into(), inside]).await?;
            let around: Readiness = read("through", answer)?;
            let what = if around.lacks == Some(Lack::Attached) { around.what } else { found.what };
            found = Readiness { what, ..around };
            points.push(Point { x: found.x, y: found.y });
            frame = outer;
        }
        Ok((found, points))
    }

    /// Calls a function of the kit on an element, again and again while it answers that the element lacks something for it that
    /// may still come.
    pub(super) async fn call_until_ready<T>(
        &self,
        element: &Element,
        function: &str,
        arguments: &Value,
        tries: &mut Tries,
    ) -> Result<T, ActError>
    where
        T: DeserializeOwned,
    {
        let mut lacking = Readiness::default();
        while tries.next().await {
            match self.call_or_lack(element, function, arguments.clone(), tries.limit()).await? {
                Ok(answer) => return Ok(answer),
                Err(lacks) => lacking = lacks,
            }
            if !lacking.may_come() {
                break;
            }
        }
        Err(tries.error(lacking, &element.meant))
    }

    /// Calls such a function once; what the element lacks is an error.
    pub(super) async fn call_once<T>(
        &self,
        element: &Element,
        function: &str,
        arguments: Value,
        tries: &Tries,
    ) -> Result<T, ActError>
    where
        T: DeserializeOwned,
    {
        self.call_or_lack(element, function, arguments, tries.limit())
            .await?
            .map_err(|lacking| tries.error(lacking, &element.meant))
    }

    /// What the function returns, or what the element lacks for it.
    async fn call_or_lack<T>(
        &self,
        element: &Element,
        function: &str,
        arguments: Value,
        limit: Duration,
    ) -> Result<Result<T, Readiness>, ActError>
    where
        T: DeserializeOwned,
    {
        read_unless_lacking(function, element.call(self, limit, function, arguments).await?)
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
