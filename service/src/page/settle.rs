//! Waits for a page to settle. A wait that is not met never fails a request; it ends, and adds a warning.

use std::pin::pin;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::emulation::{
    SetVirtualTimePolicyParams, SetVirtualTimePolicyReturns, VirtualTimePolicy,
};
use futures_util::FutureExt as _;
use porthole_contract::{Until, Wait, Warning, WarningCode};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::script::{DECODE_EARLY, DECODED_BY_THEN, MATCHES};
use super::world::{argument, value};
use super::{Page, PageError};
use crate::cdp::Call;
use crate::provider::PageTime;

/// Virtual time that passes at least after the load: timers of up to three seconds have fired by then.
const BUDGET_MS: u32 = 3_000;
/// How long before its end, in virtual time, we check whether everything is decoded.
const LOOK_BEFORE_END_MS: u32 = 50;
/// Longest animation that is ended early: a person would wait to see it finish.
const ANIMATION_MAX_MS: u32 = 10_000;
/// Virtual time between two checks for an element that is waited for.
const SELECTOR_BUDGET_MS: u32 = 500;
/// Real time given to a page's workers: their clocks can't be run ahead.
const WORKERS_TIME: Duration = Duration::from_millis(400);
/// Additional virtual time for late changes, such as images that a timer inserted.
const LATE_BUDGET_MS: u32 = 200;
/// Tasks that may run while the page's clock stands still, before it is advanced: a loop of messages would hold it
/// for ever.
const STARVATION_TASKS_MAX: i64 = 100;
/// First step of the clock of a page drawn by `begin_frame`: the time of one frame.
const STEP_FIRST_MS: u32 = 16;
/// Factor by which each step is longer than the one before, while nothing moves: five steps make three seconds.
const STEP_GROWTH: u32 = 5;
/// Longest step while something moves: ten frames show an animation of a second.
const STEP_MOVING_MS: u32 = 100;
/// Number of frames for which steps stay short because something moves.
const STEPS_FOLLOWED_MAX: u32 = 16;
/// Interval between frames while we wait for something that comes only with frames.
const FRAME_EVERY: Duration = Duration::from_millis(16);
/// Real time that fonts and images in view have to be decoded.
const DECODE_TIMEOUT: Duration = Duration::from_millis(1_500);
/// Time limit for finding a local document's isolated world. Without it a check costs one more command.
const WORLD_TIMEOUT: Duration = Duration::from_millis(500);
/// Real time between two checks for a selector.
const SELECTOR_EVERY: Duration = Duration::from_millis(50);
/// Time limit for a clock that a long poll held up to finish its budget, once it no longer waits for the network.
const ADVANCE_TIMEOUT: Duration = Duration::from_millis(500);
/// Part of the wait that is reserved for that: one in this many, at most [`ADVANCE_RESERVE_MAX`].
const ADVANCE_RESERVE_SHARE: u32 = 5;
const ADVANCE_RESERVE_MAX: Duration = Duration::from_millis(1_000);

impl Page {
    /// Waits as requested. Returns a warning, as `code: sentence`, for each condition that was not met.
    ///
    /// # Errors
    /// [`PageError`] if the page is refused or crashes, or a selector is invalid.
    pub async fn settle(&self, wait: &Wait, request_deadline: Instant) -> Result<Vec<Warning>, PageError> {
        let limit_ms = wait.timeout_or_default_ms();
        let deadline = (Instant::now() + Duration::from_millis(limit_ms.into())).min(request_deadline);
        let mut warnings = Vec::new();
        let in_time = match wait.until {
            Until::DomContentLoaded => true,
            Until::Load => self.reaches(deadline, |state| state.document.loaded).await?,
            Until::NetworkIdle => {
                self.reaches(deadline, |state| state.document.loaded && state.document.network_idle).await?
            }
            // In real time a page may never settle, so only its load is waited for.
            Until::Settled if self.purpose.time() == PageTime::Real => {
                self.reaches(deadline, |state| state.document.loaded).await?
            }
            Until::Settled => self.settled(deadline).await?,
        };
        if !in_time {
            let until = serde_json::to_value(wait.until).unwrap_or_default();
            let until = until.as_str().unwrap_or_default();
            warnings
                .push(WarningCode::WaitTimeout.says(format!("the page had not reached `{until}` after {limit_ms} ms")));
        }
        if let Some(selector) = &wait.selector
            && !self.element_appears(selector, wait.until, deadline).await?
        {
            warnings.push(
                WarningCode::WaitTimeout.says(format!("nothing matched the selector to wait for within {limit_ms} ms")),
            );
        }
        match wait.delay_ms {
            None | Some(0) => {}
            Some(delay_ms) if wait.until == Until::Settled && self.purpose.time() == PageTime::Virtual => {
                // In virtual time, with a limit in real time in case a request holds the clock.
                let limit = Instant::now() + Duration::from_millis(delay_ms.into());
                self.pass(delay_ms, limit.min(request_deadline)).await?;
            }
            Some(delay_ms) => {
                let until = (Instant::now() + Duration::from_millis(delay_ms.into())).min(request_deadline);
                self.reaches(until, |_| false).await?;
            }
        }
        Ok(warnings)
    }

    /// Waits for the load, runs virtual time ahead, then waits for fonts and images. Repeats this if the page
    /// navigated meanwhile.
    async fn settled(&self, deadline: Instant) -> Result<bool, PageError> {
        let loaded_by = before(deadline);
        loop {
            let loaded = self.reaches(loaded_by, |state| state.document.loaded && state.document.stays()).await?;
            if self.network.egress().is_some() {
                // The watcher asked for it when the document arrived, and the document answers in order.
                let found_by = (Instant::now() + WORLD_TIMEOUT).min(loaded_by);
                self.reaches(found_by, |state| state.world.is_some() || !state.document.stays()).await?;
            }
            let loader = self.state.borrow().document.loader.clone();
            // Sent before the clock runs, and answered while it runs: both together cost one round trip.
            let look = self.call_now(
                DECODED_BY_THEN,
                &[argument((BUDGET_MS - LOOK_BEFORE_END_MS).into()), argument(ANIMATION_MAX_MS.into())],
            );
            let passed = self.pass(BUDGET_MS, deadline).await?;
            if self.state.borrow().has_workers {
                let until = (Instant::now() + WORKERS_TIME).min(deadline);
                self.reaches(until, |_| false).await?;
                self.pass(LATE_BUDGET_MS, deadline).await?;
            }
            // An answer that was sent before the budget's end has arrived by now.
            let looked = look.and_then(|call| call.now_or_never()).map(|returned| returned.and_then(value));
            if !matches!(looked, Some(Ok(true))) {
                self.decoded(deadline).await?;
            }
            let stayed = {
                let document = &self.state.borrow().document;
                document.loader == loader && document.stays()
            };
            if stayed {
                return Ok(loaded && passed);
            }
            if Instant::now() >= loaded_by {
                return Ok(false);
            }
        }
    }

    /// Runs virtual time ahead by `budget_ms`, pausing while fetches are pending. Returns whether that ended before
    /// the deadline.
    async fn pass(&self, budget_ms: u32, deadline: Instant) -> Result<bool, PageError> {
        let patient_until = before(deadline);
        let mut patient = true;
        let mut advance_until = None;
        let mut steps = self.frame_control.as_ref().map_or_else(|| Steps::one(budget_ms), |_| Steps::of(budget_ms));
        while let Some(step_ms) = steps.next() {
            if patient {
                patient = self.step(VirtualTimePolicy::PauseIfNetworkFetchesPending, step_ms, patient_until).await?;
            }
            if !patient {
                // A long poll or an event stream holds the clock for ever: go on without waiting for the network.
                let until = *advance_until.get_or_insert_with(|| deadline.max(Instant::now() + ADVANCE_TIMEOUT));
                if !self.step(VirtualTimePolicy::Advance, step_ms, until).await? {
                    break;
                }
            }
            let Some(control) = &self.frame_control else { continue };
            if !self.state.borrow().document.stays() {
                // Another document is about to replace this one, whose frames may never be drawn.
                break;
            }
            if self.draw(control).await? {
                steps.moved();
            }
        }
        Ok(patient)
    }

    /// Lets `step_ms` of virtual time pass. Returns whether it did before the deadline.
    async fn step(&self, policy: VirtualTimePolicy, step_ms: u32, deadline: Instant) -> Result<bool, PageError> {
        let expired = self.state.borrow().budgets_expired;
        let granted = self.grant(policy, step_ms);
        let passed = self.reaches(deadline, |state| state.budgets_expired > expired).await?;
        if let Some(control) = self.frame_control.as_ref().filter(|_| passed)
            && let Some(Ok(granted)) = granted.now_or_never()
        {
            control.passed(granted.virtual_time_ticks_base, step_ms);
        }
        Ok(passed)
    }

    fn grant(&self, policy: VirtualTimePolicy, budget_ms: u32) -> Call<SetVirtualTimePolicyReturns> {
        let mut params = SetVirtualTimePolicyParams::new(policy);
        params.budget = Some(f64::from(budget_ms));
        params.max_virtual_time_task_starvation_count = Some(STARVATION_TASKS_MAX);
        self.session.call(&params)
    }

    /// Lets a clock that ran ahead and then stopped advance a little further.
    pub(super) fn resume_clock(&self) {
        if self.state.borrow().budgets_expired > 0 {
            self.grant(VirtualTimePolicy::PauseIfNetworkFetchesPending, LATE_BUDGET_MS).forget();
        }
    }

    /// Waits for fonts and images in view. Grants a little more virtual time, without which nothing would move.
    async fn decoded(&self, deadline: Instant) -> Result<(), PageError> {
        let limit = deadline.saturating_duration_since(Instant::now()).min(DECODE_TIMEOUT);
        self.grant(VirtualTimePolicy::PauseIfNetworkFetchesPending, LATE_BUDGET_MS).forget();
        // Prepares a document that began before our script was installed.
        let decoded = format!(
            "async () => {{ if (!globalThis.porthole) {DECODE_EARLY}; \
             porthole.endAnimations({ANIMATION_MAX_MS}); await porthole.decode(); }}"
        );
        let decoding = self.run::<Value>(limit, "decoding", &decoded, []);
        match self.while_drawing(decoding).await {
            // A document that is replaced, or too busy to answer, is used as it is.
            Err(error) if !error.is_without_answer() => Err(error),
            _ => Ok(()),
        }
    }

    /// Does `work`, and draws frames meanwhile if the page is drawn by `begin_frame`.
    async fn while_drawing<T>(&self, work: impl Future<Output = Result<T, PageError>>) -> Result<T, PageError> {
        let Some(control) = &self.frame_control else { return work.await };
        let mut work = pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = sleep(FRAME_EVERY) => {}
            }
            self.draw(control).await?;
        }
    }

    async fn element_appears(&self, selector: &str, until: Until, deadline: Instant) -> Result<bool, PageError> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.run::<Option<bool>>(left, "looking for an element", MATCHES, [selector.into()]).await {
                Ok(Some(true)) => return Ok(true),
                Ok(None) => return Err(PageError::InvalidSelector(selector.to_owned())),
                Err(error) if !error.is_without_answer() => return Err(error),
                Ok(Some(false)) | Err(_) => {}
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            if until == Until::Settled && self.purpose.time() == PageTime::Virtual {
                self.pass(SELECTOR_BUDGET_MS, deadline).await?;
            }
            self.reaches((Instant::now() + SELECTOR_EVERY).min(deadline), |_| false).await?;
        }
    }
}

/// The steps in which a page's clock runs ahead, with a frame after each. They grow as long as nothing moves, as on
/// most pages; while something moves they stay short for a limited number of frames.
#[derive(Debug)]
struct Steps {
    left_ms: u32,
    next_ms: u32,
    /// How many more frames may show movement before the steps grow regardless: a spinner never ends.
    followed: u32,
}

impl Steps {
    /// The whole budget in one step.
    fn one(budget_ms: u32) -> Self {
        Self { left_ms: budget_ms, next_ms: budget_ms, followed: 0 }
    }

    /// Steps that begin with the time of one frame.
    fn of(budget_ms: u32) -> Self {
        Self { left_ms: budget_ms, next_ms: STEP_FIRST_MS, followed: STEPS_FOLLOWED_MAX }
    }

    fn next(&mut self) -> Option<u32> {
        let step_ms = self.next_ms.min(self.left_ms);
        self.left_ms -= step_ms;
        self.next_ms *= STEP_GROWTH;
        (step_ms > 0).then_some(step_ms)
    }

    /// Notes that the frame after the last step showed something new.
    fn moved(&mut self) {
        if self.followed > 0 {
            self.followed -= 1;
            self.next_ms = self.next_ms.min(STEP_MOVING_MS);
        }
    }
}

/// Returns until when to wait for pending fetches, so that time is left to go on without them.
fn before(deadline: Instant) -> Instant {
    let left = deadline.saturating_duration_since(Instant::now());
    deadline - (left / ADVANCE_RESERVE_SHARE).min(ADVANCE_RESERVE_MAX)
}
