//! Acting on the page: one function for each route that acts.

use std::time::Instant as Clock;

use porthole_contract::Invalid;
use porthole_contract::session::{
    Acted, CheckRequest, ClickRequest, DragRequest, HoverRequest, Method, Modifier, MouseButton, PressRequest,
    ScrollDirection, ScrollEnd, ScrollRequest, SelectRequest, SessionRequest as _, Target, TargetAnswer, Targeted as _,
    TypeRequest, UploadRequest,
};

use super::aim::{Aim, At, Looking, box_of, is_redrawn};
use super::shown::ShownAction;
use super::{SessionError, Turn};
use crate::page::Page;
use crate::page::interact::{
    self, ActError, ActedOn, Button, Chord, Click, Direction, Doing, Drop, End, File, Grip, Modifiers, Scroll, Terms,
    Typing,
};

impl Turn<'_> {
    /// Clicks an element or a point.
    ///
    /// # Errors
    /// [`SessionError`]: what the target lacked. No click came to another element.
    pub async fn click(&mut self, request: &ClickRequest) -> Result<Acted, SessionError> {
        let until = self.wait_until(request.target_wait_ms());
        let click = Click {
            button: button(request.button),
            count: request.click_count.unwrap_or(1),
            modifiers: modifiers(&request.modifiers)?,
            terms: Terms::until(until),
        };
        let looking = Looking { doing: Doing::Click, ..Looking::until(until) };
        self.act_on(&target(request.target())?, looking, Gesture::Click(&click)).await
    }

    /// Types into a field.
    ///
    /// # Errors
    /// [`SessionError`]; [`interact::ActError::NoEffect`] where the text is not there afterwards.
    pub async fn type_text(&mut self, request: &TypeRequest) -> Result<Acted, SessionError> {
        let until = self.wait_until(request.target_wait_ms());
        let typing = Typing {
            text: request.text.clone(),
            clear: request.clears(),
            submit: request.submit,
            slowly: request.slowly,
            terms: Terms::until(until),
        };
        let looking = Looking { doing: Doing::Type, ..Looking::until(until) };
        self.act_on(&target(request.target())?, looking, Gesture::Type(&typing)).await
    }

    /// Presses keys on a target, or on what has the focus.
    ///
    /// # Errors
    /// [`SessionError`]; [`SessionError::Invalid`] for a key that there is not.
    pub async fn press(&mut self, request: &PressRequest) -> Result<Acted, SessionError> {
        let chord = chord("key", &request.key)?;
        let until = self.wait_until(request.target_wait_ms());
        let (element, answer) = match request.target() {
            Some(target) => {
                let (element, answer) =
                    self.aim_at_element_with(&target, Looking::until(until), Some(&request.key)).await?;
                (Some(element), Some(answer))
            }
            None => {
                self.expects_document()?;
                self.show(ShownAction { key: Some(&request.key), ..ShownAction::default() });
                (None, None)
            }
        };
        let clipboard = self.session.clipboard.clone();
        let acted = self.page().press(element.as_ref(), &chord, &clipboard, &Terms::until(until)).await?;
        Ok(self.acted(acted, answer).await)
    }

    /// Moves the pointer over an element or to a point.
    ///
    /// # Errors
    /// [`SessionError`]: what the target lacked.
    pub async fn hover(&mut self, request: &HoverRequest) -> Result<Acted, SessionError> {
        let until = self.wait_until(request.target_wait_ms());
        let looking = Looking::until(until).disabled_too();
        self.act_on(&target(request.target())?, looking, Gesture::Hover(&Terms::until(until))).await
    }

    /// Chooses in a select.
    ///
    /// # Errors
    /// [`SessionError`]; [`interact::ActError::NotFound`] for a value that it lacks.
    pub async fn select(&mut self, request: &SelectRequest) -> Result<Acted, SessionError> {
        let until = self.wait_until(request.target_wait_ms());
        let input = Gesture::Select(&request.values, &Terms::until(until));
        self.act_on(&target(request.target())?, Looking::until(until), input).await
    }

    /// Sets a checkbox, a radio button or a switch.
    ///
    /// # Errors
    /// [`SessionError`]; [`interact::ActError::NoEffect`] where it stays as it was.
    pub async fn check(&mut self, request: &CheckRequest) -> Result<Acted, SessionError> {
        let until = self.wait_until(request.target_wait_ms());
        let input = Gesture::Check(request.is_checked(), &Terms::until(until));
        self.act_on(&target(request.target())?, Looking::until(until), input).await
    }

    /// Drags one element to another, or to a point.
    ///
    /// # Errors
    /// [`SessionError`]: what either lacked.
    pub async fn drag(&mut self, request: &DragRequest) -> Result<Acted, SessionError> {
        let until = self.wait_until(request.target_wait_ms());
        let Aim { at: from, answer } = self.aim(&target(request.target())?, Looking::until(until)).await?;
        let from = match from {
            At::Element(element) => Grip::Element(element),
            At::Point(point) => Grip::Point(point, self.page().element_at(point).await?),
        };
        let Aim { at: to, .. } = self.aim(&target(request.to.target())?, Looking::until(until)).await?;
        let to = match &to {
            At::Element(element) => Drop::Element(element),
            At::Point(point) => Drop::Point(*point),
        };
        let acted = self.page().drag(&from, &to, &Terms::until(until)).await?;
        Ok(self.acted(acted, Some(answer)).await)
    }

    /// Scrolls the page or a part of it, or an element into view.
    ///
    /// # Errors
    /// [`SessionError`]: the element is gone or not visible.
    pub async fn scroll(&mut self, request: &ScrollRequest) -> Result<Acted, SessionError> {
        let until = self.wait_until(request.target_wait_ms());
        let (element, answer) = match request.target() {
            Some(target) => {
                let (element, answer) = self.aim_at_element(&target, Looking::until(until).disabled_too()).await?;
                (Some(element), Some(answer))
            }
            None => (None, None),
        };
        let scroll = match (request.direction, request.to) {
            (Some(direction), _) => Scroll::By(way(direction), request.amount.map(f64::from)),
            (None, Some(end)) => Scroll::To(match end {
                ScrollEnd::Top => End::Top,
                ScrollEnd::Bottom => End::Bottom,
            }),
            (None, None) => Scroll::IntoView,
        };
        let acted = self.page().scroll(element.as_ref(), scroll, until).await?;
        Ok(self.acted(acted, answer).await)
    }

    /// Puts files into a file field.
    ///
    /// # Errors
    /// [`SessionError`]: the field takes none, or not so many.
    pub async fn upload(&mut self, request: &UploadRequest) -> Result<Acted, SessionError> {
        let until = self.wait_until(request.target_wait_ms());
        let target = target(request.target())?;
        // A field for files is often hidden behind a button of the page's own.
        let (element, answer) = match &target {
            Target::Semantic(semantic) => {
                let looking = Looking { visible: false, ..Looking::until(until) };
                let located = self.locate(semantic, looking).await?;
                let element = located.element.clone();
                (element, self.aimed_at(located).answer)
            }
            target => self.aim_at_element(target, Looking::until(until)).await?,
        };
        let files: Vec<File> = request.files.iter().map(File::from).collect();
        let acted = self.page().upload(&element, &files, until, self.deadline).await?;
        Ok(self.acted(acted, Some(answer)).await)
    }

    /// Acts on what the request aims at. If what a semantic target names is drawn anew before it is acted on, it is looked for
    /// again.
    async fn act_on(
        &mut self,
        target: &Target,
        looking: Looking<'_>,
        input: Gesture<'_>,
    ) -> Result<Acted, SessionError> {
        let is_named = matches!(target, Target::Semantic(_));
        loop {
            let Aim { at, answer } = self.aim(target, looking).await?;
            if let (Gesture::Click(click), At::Point(point)) = (&input, &at) {
                let (ActedOn { role, name, .. }, acted) = self.page().click_at(*point, click).await?;
                let matched_count = u64::from(!role.is_empty());
                let answer = TargetAnswer { role, name, matched_count, ..answer };
                return Ok(self.acted(acted, Some(answer)).await);
            }
            match input.give(&self.page(), &at).await {
                Err(error) if is_named && is_redrawn(&error, looking.until) => {}
                acted => return Ok(self.acted(acted?, Some(answer)).await),
            }
        }
    }

    /// What an action came to, for its answer.
    pub(super) async fn acted(&mut self, acted: interact::Acted, target: Option<TargetAnswer>) -> Acted {
        let interact::Acted { settled, method, bounding_box, warnings, typed: _ } = acted;
        self.settling_since = Clock::now().checked_sub(settled.took);
        let is_settled = settled.settled && (!settled.download || self.settle_downloads().await);
        self.is_unsettled = !is_settled;
        self.warns(warnings);
        let target = target
            .map(|target| TargetAnswer { bounding_box: bounding_box.map(box_of).or(target.bounding_box), ..target });
        Acted {
            navigated: settled.navigated,
            settled: is_settled,
            target,
            method: Some(match method {
                interact::Method::Dom => Method::Dom,
                interact::Method::Cdp => Method::Cdp,
            }),
            status_code: None,
        }
    }
}

/// What an element or a point is given.
enum Gesture<'a> {
    Click(&'a Click),
    Type(&'a Typing),
    Hover(&'a Terms),
    Select(&'a [String], &'a Terms),
    Check(bool, &'a Terms),
}

impl Gesture<'_> {
    async fn give(&self, page: &Page, at: &At) -> Result<interact::Acted, ActError> {
        let element = match (self, at) {
            (Self::Hover(_), At::Point(point)) => return page.hover_at(*point).await,
            (_, At::Point(point)) => &page.element_at(*point).await?,
            (_, At::Element(element)) => element,
        };
        match self {
            Self::Click(click) => page.click(element, click).await,
            Self::Type(typing) => page.type_text(element, typing).await,
            Self::Hover(terms) => page.hover(element, terms).await,
            Self::Select(values, terms) => page.select(element, values, terms).await,
            Self::Check(checked, terms) => page.check(element, *checked, terms).await,
        }
    }
}

/// A request's target; a valid request of these routes has one.
fn target(target: Option<Target>) -> Result<Target, SessionError> {
    target.ok_or_else(|| Invalid::new("ref", "is missing: send one of ref, target and at").into())
}

pub(super) fn chord(field: &str, key: &str) -> Result<Chord, SessionError> {
    key.parse::<Chord>().map_err(|error| Invalid::new(field, error.to_string()).into())
}

fn modifiers(held: &[Modifier]) -> Result<Modifiers, SessionError> {
    let names = held.iter().map(|modifier| match modifier {
        Modifier::Alt => "Alt",
        Modifier::Control => "Control",
        Modifier::Meta => "Meta",
        Modifier::Shift => "Shift",
    });
    Modifiers::parse(names).map_err(|error| Invalid::new("modifiers", error.to_string()).into())
}

const fn button(button: MouseButton) -> Button {
    match button {
        MouseButton::Left => Button::Left,
        MouseButton::Middle => Button::Middle,
        MouseButton::Right => Button::Right,
    }
}

const fn way(direction: ScrollDirection) -> Direction {
    match direction {
        ScrollDirection::Up => Direction::Up,
        ScrollDirection::Down => Direction::Down,
        ScrollDirection::Left => Direction::Left,
        ScrollDirection::Right => Direction::Right,
    }
}
