//! Waiting for one condition.

use std::time::Duration;

use porthole_contract::Invalid;
use porthole_contract::session::{Condition, ElementState, Plain, SessionRequest as _, Target, WaitRequest};
use tokio::time::{Instant, sleep_until};

use super::aim::{Looking, wanted};
use super::turn::ANSWER_TIME;
use super::{SessionError, Turn};
use crate::page::interact::{ActError, Awaited, UrlGlob};

/// How long it may take until a wait has begun.
const START_TIME: Duration = Duration::from_millis(200);

impl Turn<'_> {
    /// Waits for the request's condition, until the call's time is over.
    ///
    /// # Errors
    /// [`SessionError`]; [`crate::page::interact::ActError::TimedOut`] where it does not come about.
    pub async fn wait(&mut self, request: &WaitRequest) -> Result<Plain, SessionError> {
        let Some(condition) = request.condition() else {
            return Err(Invalid::new("ms", "is missing: send one condition").into());
        };
        let page = self.page();
        self.rests();
        // The call must end with its own answer, not with the end of its time.
        let until = self.deadline.checked_sub(ANSWER_TIME).unwrap_or(self.deadline);
        let began = Instant::now();
        let left = until.saturating_duration_since(began);
        // A wait as long as its call may take ends in time for the answer.
        let as_long_as = |ms: u32| {
            let asked = Duration::from_millis(ms.into());
            if ms <= request.timeout_ms() { asked.min(left.saturating_sub(START_TIME)) } else { asked }
        };
        match condition {
            Condition::Ms(ms) => {
                let asked = as_long_as(ms);
                tokio::select! {
                    () = sleep_until(until.min(began + asked)) => {}
                    dialog = page.dialog_opens() => drop(dialog?),
                }
                if asked > left && page.dialog().is_none() {
                    let (what, waited_ms) = (format!("{ms} ms were not over"), super::call::millis(left));
                    return Err(ActError::TimedOut { what, waited_ms }.into());
                }
            }
            Condition::Element(Target::Ref(reference), state) => {
                match self.by_ref(reference).await {
                    // It went before the wait began.
                    Err(SessionError::Act(error)) if state == ElementState::Hidden && error.is_of_a_gone_ref() => {}
                    found => {
                        let (element, _) = found?;
                        page.wait_for_element(&element, awaited(state), until).await.map_err(Box::new)?;
                    }
                }
            }
            Condition::Element(Target::Semantic(target), state) => {
                let looking = Looking::until(until).disabled_too();
                page.wait_for(&wanted(&target, looking), awaited(state), until).await.map_err(Box::new)?;
            }
            Condition::Element(Target::At(_), _) => {
                return Err(Invalid::new("at", "is a point, which has no state").into());
            }
            Condition::Text(text) => page.wait_for_text(&text, until).await.map_err(Box::new)?,
            Condition::TextGone(text) => page.wait_for_text_gone(&text, until).await.map_err(Box::new)?,
            Condition::Url(glob) => {
                let glob = UrlGlob::parse(&glob).map_err(|error| Invalid::new("url", error.to_string()))?;
                page.wait_for_url(&glob, until).await?;
            }
            Condition::NetworkIdleMs(ms) => {
                page.wait_for_network_idle(as_long_as(ms), until).await?;
            }
        }
        Ok(Plain {})
    }
}

const fn awaited(state: ElementState) -> Awaited {
    match state {
        ElementState::Visible => Awaited::Visible,
        ElementState::Hidden => Awaited::Hidden,
        ElementState::Enabled => Awaited::Enabled,
    }
}
