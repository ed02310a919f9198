//! Sets options of a select, check boxes, switches and radio buttons, and verifies the result.

use std::time::Duration;

use porthole_contract::{Warning, WarningCode};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::actionable::{Ask, Tries};
use super::click::Click;
use crate::page::Page;
use crate::page::interact::acted::{Acted, How, Method, Settled, Terms};
use crate::page::interact::error::unless_held;
use crate::page::interact::quiet::Quiet;
use crate::page::interact::{ActError, Element};

/// How long a box may take to show that it was checked, and the pause between two looks.
const CHECKED_WITHIN: Duration = Duration::from_millis(1_500);
const CHECKED_AGAIN: Duration = Duration::from_millis(50);

#[derive(Deserialize)]
struct Chosen {
    what: String,
    /// The options, each with its value and label.
    chosen: Value,
    /// The texts that name several options alike.
    #[serde(default)]
    twins: Vec<String>,
    /// Whether another element is drawn in the select's place.
    #[serde(default)]
    unseen: bool,
}

#[derive(Deserialize)]
struct Check {
    what: String,
    /// The box, where the element is its label.
    number: u32,
    /// The native box inside of it that has its state.
    inner: Option<u32>,
    checked: Option<bool>,
    /// Whether it is checked in part, which is neither.
    mixed: bool,
    radio: bool,
    /// Whether it keeps its state where only the protocol can read it.
    #[serde(default)]
    custom: bool,
    /// Whether its row is another entry's by now.
    #[serde(default)]
    another: bool,
    /// Whether it is the element that took the place of the box.
    #[serde(default)]
    anew: bool,
}

/// The warning of an element that a list has given to another entry.
pub(super) fn of_another(what: &str) -> Warning {
    WarningCode::NotReadBack.says(format!("the row of {what} is about something else now"))
}

impl Page {
    /// Chooses options of a select, by their values or labels. Waits for options that are not there yet.
    ///
    /// # Errors
    /// [`ActError::NotFound`] names an option that the select lacks; [`ActError::Invalid`] where it is no select, or takes
    /// one value; [`ActError::NoEffect`] where the page took the choice back, or had other options once it had the focus.
    pub async fn select(&self, element: &Element, values: &[String], terms: &Terms) -> Result<Acted, ActError> {
        self.or_stale(element, self.select_in(element, values, terms).await).await
    }

    async fn select_in(&self, element: &Element, values: &[String], terms: &Terms) -> Result<Acted, ActError> {
        let mut quiet = Quiet::watch(self, &element.frame);
        let mut tries = Tries::until(terms.deadline);
        let spot = self.ready(element, Ask::document(terms), &mut tries).await?;
        quiet.begins();
        let mut tries = Tries::until(terms.deadline);
        let answer = self.call_until_ready(element, "select", &json!(values), &mut tries).await;
        let Some(chosen) = unless_held::<Chosen>(answer)? else {
            return Ok(Acted::new(quiet.settle(None).await?, Method::Dom, Some(spot.bounds)));
        };
        let rest = quiet.rest().await?;
        let answers = rest.is_some();
        let is_unshown = chosen.unseen && rest.as_ref().is_some_and(|rest| !rest.beside);
        let mut acted = Acted::new(quiet.settle(rest).await?, Method::Dom, Some(spot.bounds));
        let twins = chosen.twins.iter();
        acted.warnings.extend(twins.map(|text| {
            WarningCode::SeveralMatch.says(format!("several options are called {text:?}; the first was taken"))
        }));
        let unshown = || {
            WarningCode::NotShown
                .says(format!("nothing changed where {} is drawn: click that, and then the option", chosen.what))
        };
        acted.warnings.extend(is_unshown.then(unshown));
        if answers { self.with_choice(acted, element, chosen, &tries).await } else { Ok(acted) }
    }

    /// Chooses the option that the element is; `None` where it is none of a closed select.
    pub(super) async fn choose(&self, element: &Element, terms: &Terms) -> Result<Option<Acted>, ActError> {
        let mut quiet = Quiet::watch(self, &element.frame);
        let tries = Tries::until(terms.deadline);
        quiet.count_changes().await?;
        quiet.begins();
        let rest = match unless_held(self.call_once(element, "choose", Value::Null, &tries).await)? {
            Some(true) => quiet.rest().await?,
            Some(false) => return Ok(None),
            None => None,
        };
        let answers = rest.is_some();
        let acted = Acted::new(quiet.settle(rest).await?, Method::Dom, None);
        let chosen = Chosen { what: "the select".to_owned(), chosen: Value::Null, twins: Vec::new(), unseen: false };
        Ok(Some(if answers { self.with_choice(acted, element, chosen, &tries).await? } else { acted }))
    }

    /// What was done, once the page has settled, since it may have asked its server. Fails where a select, or the one of an
    /// option, has other options chosen by now; warns where it has left its document, which is still there.
    async fn with_choice(
        &self,
        mut acted: Acted,
        element: &Element,
        Chosen { what, chosen, .. }: Chosen,
        tries: &Tries,
    ) -> Result<Acted, ActError> {
        if acted.settled.navigated {
            return Ok(acted);
        }
        match element.call::<Option<bool>>(self, tries.limit(), "selected", chosen).await {
            Err(ActError::Dialog(_) | ActError::NotFound(_)) => Ok(acted),
            Ok(Some(is_kept)) => match element.call(self, tries.limit(), "isAnothersNow", Value::Null).await {
                Ok(true) => {
                    acted.warnings.push(of_another(&what));
                    Ok(acted)
                }
                _ if is_kept => Ok(acted),
                _ => Err(ActError::NoEffect(format!("{what} did not keep the choice"))),
            },
            Ok(None) => {
                acted
                    .warnings
                    .push(WarningCode::FieldGone.says(format!("{what} left the page, and what was chosen with it")));
                Ok(acted)
            }
            Err(error) => Err(error),
        }
    }

    /// Sets a check box, a switch or a radio button, by clicking it, or its label where it is not visible.
    ///
    /// # Errors
    /// As [`Page::click`]; [`ActError::NoEffect`] where it is not so afterwards, [`ActError::Invalid`] where it can't be
    /// checked.
    pub async fn check(&self, element: &Element, checked: bool, terms: &Terms) -> Result<Acted, ActError> {
        self.or_stale(element, self.check_to(element, checked, terms).await).await
    }

    async fn check_to(&self, element: &Element, checked: bool, terms: &Terms) -> Result<Acted, ActError> {
        let mut tries = Tries::until(terms.deadline);
        let ask = Ask { labels: true, ..Ask::pointer(terms) };
        let before = self.check_of(element, true, &tries).await?;
        let Some(was) = before.checked else {
            return Err(ActError::Invalid(format!("{} can't be checked", before.what)));
        };
        if was == checked && !before.mixed {
            // Nothing is to be done, if it could be.
            let spot = self.ready(element, Ask { hit: false, still: false, same: false, ..ask }, &mut tries).await?;
            let settled = Settled { settled: true, no_change: true, ..Default::default() };
            return Ok(Acted::new(settled, Method::Dom, Some(spot.bounds)));
        }
        if before.radio && !checked {
            return Err(ActError::NoEffect(format!("{} is unchecked by checking another", before.what)));
        }
        let checked_box = if before.number == element.number { element.clone() } else { element.box_of(before.number) };
        // In the document a label is not needed, nor around a box that is drawn in the element.
        let clicked =
            if terms.document_first() || before.inner == Some(checked_box.number) { &checked_box } else { element };
        let mut acted = self.click_as(clicked, &Click::once(*terms), ask).await?;
        let gone = || WarningCode::FieldGone.says(format!("{} left the page, and its state with it", before.what));
        // A label may be for another box by now.
        let after = match self.checked_by_now(&checked_box, checked, &tries).await {
            Err(ActError::Dialog(_)) => return Ok(acted),
            Err(ActError::NotFound(_)) => {
                if !acted.settled.navigated {
                    acted.warnings.push(gone());
                }
                return Ok(acted);
            }
            after => after?,
        };
        if after.checked == Some(checked) && !after.mixed {
            return Ok(acted);
        }
        if after.another || after.anew {
            acted.warnings.push(if after.another { of_another(&after.what) } else { gone() });
            return Ok(acted);
        }
        if before.mixed && !after.mixed {
            // The first click made one of the two states of it.
            return Box::pin(self.check_to(element, checked, terms)).await;
        }
        if let Some(inner) = before.inner.filter(|inner| acted.settled.no_change && *inner != checked_box.number) {
            // The element around the box takes no clicks.
            return Box::pin(self.check_to(&element.box_of(inner), checked, terms)).await;
        }
        // A page that has done something may still be at it: another click would undo the first.
        if acted.method == Method::Dom && acted.settled.no_change && terms.by_input() {
            let by_input = Terms { how: How::Input, ..*terms };
            return Box::pin(self.check_to(element, checked, &by_input)).await;
        }
        Err(ActError::NoEffect(format!("{} did not change", after.what)))
    }

    /// The state of a box that was clicked. Waits a moment for one that is not as it shall be: many are drawn anew, or set by
    /// a timer, and another click would undo the first.
    async fn checked_by_now(&self, element: &Element, checked: bool, tries: &Tries) -> Result<Check, ActError> {
        let until = self.settles_until(Instant::now() + CHECKED_WITHIN);
        loop {
            let now = self.check_of(element, false, tries).await?;
            if now.checked == Some(checked) || now.mixed || now.another || Instant::now() >= until {
                return Ok(now);
            }
            sleep(CHECKED_AGAIN).await;
        }
    }

    async fn check_of(&self, element: &Element, begins: bool, tries: &Tries) -> Result<Check, ActError> {
        let check: Check = self.call_once(element, "checked", begins.into(), tries).await?;
        if !check.custom || !self.read_internals(&element.frame, "customOf", vec![check.number.into()]).await? {
            return Ok(check);
        }
        self.call_once(element, "checked", begins.into(), tries).await
    }
}
