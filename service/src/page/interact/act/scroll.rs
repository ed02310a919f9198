//! Scrolls the page, an element inside it, or until an element is in view.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::actionable::Tries;
use crate::page::Page;
use crate::page::interact::acted::{Acted, BoundingBox, Method};
use crate::page::interact::error::unless_held;
use crate::page::interact::quiet::Quiet;
use crate::page::interact::{ActError, Element};

/// Where to scroll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scroll {
    /// In a direction, by CSS pixels, or by most of what is in view.
    By(Direction, Option<f64>),
    /// To an end.
    To(End),
    /// Until the element is in view.
    IntoView,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

/// An end of what scrolls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum End {
    Top,
    Bottom,
}

/// How long an element may take to tell where it is.
const PLACE_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Deserialize)]
struct Scrolled {
    #[serde(rename = "box")]
    bounds: Option<BoundingBox>,
}

impl Page {
    /// Where an element is in the viewport; `None` for one that is gone.
    ///
    /// # Errors
    /// [`ActError`] where its frame is gone or does not answer.
    pub async fn place_of(&self, element: &Element) -> Result<Option<BoundingBox>, ActError> {
        self.placed(element, false).await
    }

    /// The same of what its frames have room for.
    ///
    /// # Errors
    /// As [`Page::place_of`].
    pub async fn part_of(&self, element: &Element) -> Result<Option<BoundingBox>, ActError> {
        self.placed(element, true).await
    }

    async fn placed(&self, element: &Element, is_part: bool) -> Result<Option<BoundingBox>, ActError> {
        let place: Option<BoundingBox> = element.call(self, PLACE_TIMEOUT, "place", Value::Null).await?;
        match place {
            Some(place) => self.outward(&element.frame, place, is_part, PLACE_TIMEOUT).await.map(Some),
            None => Ok(None),
        }
    }

    /// Scrolls the page, or within an element, or to it, also where that is disabled.
    ///
    /// # Errors
    /// [`ActError`]: the element is gone or not visible, the page died; [`ActError::Invalid`] for into view of no element.
    pub async fn scroll(
        &self,
        element: Option<&Element>,
        scroll: Scroll,
        deadline: tokio::time::Instant,
    ) -> Result<Acted, ActError> {
        let page_itself;
        let element = match element {
            Some(element) => element,
            None if scroll == Scroll::IntoView => {
                return Err(ActError::Invalid("no element to scroll into view".to_owned()));
            }
            None => {
                page_itself = Element::node(self.main_document().await?, 0);
                &page_itself
            }
        };
        let mut quiet = Quiet::watch(self, &element.frame);
        let mut tries = Tries::until(deadline);
        let (name, options) = match scroll {
            Scroll::By(direction, amount) => ("scroll", json!({"direction": direction, "amount": amount})),
            Scroll::To(end) => ("scroll", json!({"to": end})),
            Scroll::IntoView => ("scrollIntoView", json!({})),
        };
        let answer = self.call_until_ready(element, name, &options, &mut tries).await;
        let Some(scrolled) = unless_held::<Scrolled>(answer)? else {
            return Ok(Acted::new(quiet.settle(None).await?, Method::Dom, None));
        };
        let rest = quiet.rest().await?;
        let settled = quiet.settle(rest).await?;
        let bounds = match scrolled.bounds.filter(|_| element.number != 0) {
            Some(bounds) => self.in_viewport(&element.frame, bounds).await.ok(),
            None => None,
        };
        let acted = Acted::new(settled, Method::Dom, bounds);
        Ok(if scroll == Scroll::IntoView { acted } else { acted.warns_of_no_change() })
    }
}
