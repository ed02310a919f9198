//! Waiting for one condition.

use std::time::Duration;

use porthole_contract::Invalid;
use porthole_contract::session::{Condition, ElementState, Plain, Target, WaitRequest};
use tokio::time::{Instant, sleep};

use super::aim::{Looking, wanted};
use super::turn::ANSWER_TIME;
use super::{SessionError, Turn};
use crate::page::interact::{Awaited, UrlGlob};

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
        // The call must end with its own answer, not with the end of its time.
        let until = self.deadline.checked_sub(ANSWER_TIME).unwrap_or(self.deadline);
        match condition {
            Condition::Ms(ms) => {
                let until = Instant::now() + Duration::from_millis(ms.into());
                tokio::select! {
                    () = sleep(until.saturating_duration_since(Instant::now())) => {}
                    dialog = page.dialog_opens() => drop(dialog?),
                }
            }
            Condition::Element(Target::Ref(reference), state) => {
                let (element, _) = self.by_ref(reference).await?;
                page.wait_for_element(&element, awaited(state), until).await.map_err(Box::new)?;
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
                page.wait_for_network_idle(Duration::from_millis(ms.into()), until).await?;
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
