//! `interact`: acting on what a person would name, in the document first.

use std::time::Duration;

use porthole_contract::session::{
    Acted, InteractAction, InteractDetails, InteractRequest, Interacted, Method, TargetAnswer, Tried,
};
use porthole_contract::{Invalid, WarningCode};
use tokio::time::Instant;

use super::act::chord;
use super::aim::{Aim, At, Looking, is_redrawn};
use super::{SessionError, Turn};
use crate::page::interact::{self, ActError, Button, Click, Doing, Element, How, Missed, Modifiers, Terms, Typing};

/// What was located, for the answer.
#[derive(Default)]
struct Found {
    element: Option<Element>,
    answer: Option<TargetAnswer>,
    tried: Vec<interact::Tried>,
    bounding_box: Option<interact::BoundingBox>,
}

impl Found {
    fn matched_count(&self) -> usize {
        let matched = self.answer.as_ref().map_or(0, |answer| answer.matched_count);
        usize::try_from(matched).unwrap_or(usize::MAX)
    }

    /// The same error, with what was tried and located.
    fn missed_by(&self, error: SessionError) -> SessionError {
        match error {
            SessionError::Act(error) if self.element.is_some() && error.is_about_the_element() => {
                SessionError::Missed(Box::new(Missed {
                    error,
                    tried: self.tried.clone(),
                    matched_count: self.matched_count(),
                    bounding_box: self.bounding_box,
                }))
            }
            error => error,
        }
    }
}

impl Turn<'_> {
    /// Locates the target, acts on it, and says how that was done.
    ///
    /// # Errors
    /// [`SessionError`]: what the target lacked, or that the page did not take the action.
    pub async fn interact(&mut self, request: &InteractRequest) -> Result<Interacted, SessionError> {
        let options = &request.options;
        let (Found { answer, tried, .. }, carried_out) = self.act_on_found(request).await?;
        let is_lost = carried_out.as_ref().is_some_and(interact::Acted::is_click_lost);
        let acted = match carried_out {
            Some(acted) => self.acted(acted, answer).await,
            None => Acted { settled: true, target: answer, ..Acted::default() },
        };
        if let Some(ms) = options.wait_for_network_idle_ms.filter(|ms| *ms > 0) {
            let page = self.page();
            let idle = page.wait_for_network_idle(Duration::from_millis(ms.into()), self.deadline).await;
            if let Err(error) = idle {
                self.warns([WarningCode::NetworkBusy.says(error.to_string())]);
            }
        }
        let picture = if options.post_action_screenshot && self.page().dialog().is_none() {
            Some(self.picture_of_viewport().await?)
        } else {
            None
        };
        let target = acted.target.as_ref();
        let details = InteractDetails {
            selector_used: target.and_then(|target| target.selector_used.clone()),
            matched_count: target.map_or(0, |target| target.matched_count),
            bounding_box: target.and_then(|target| target.bounding_box),
            navigation_occurred: acted.navigated,
            method: acted.method.filter(|_| request.action != InteractAction::WaitForSelector),
            tried: tried.into_iter().map(Tried::from).collect(),
        };
        let message = message(request.action, is_lost, target, acted.method);
        let (image_base64, mime_type) = picture.map(|picture| (picture.image_base64, picture.mime_type)).unzip();
        let screenshot_label = options.screenshot_label.clone().filter(|_| image_base64.is_some());
        Ok(Interacted { acted, success: true, message, details, image_base64, mime_type, screenshot_label })
    }

    /// Locates the target and acts on it; again, where it was drawn anew meanwhile.
    async fn act_on_found(
        &mut self,
        request: &InteractRequest,
    ) -> Result<(Found, Option<interact::Acted>), SessionError> {
        let options = &request.options;
        let until = self.wait_until(options.timeout_or_default_ms());
        let looking = looking_for(request, until);
        let how = if options.falls_back_to_cdp() { How::DocumentFirst } else { How::DocumentOnly };
        let terms = Terms { deadline: until, how, visible: looking.visible, enabled: looking.enabled };
        let (found, carried_out) = loop {
            let found = match self.found(request, looking).await {
                Err(SessionError::Missed(missed)) if request.action == InteractAction::WaitForSelector => {
                    return Err(SessionError::Missed(Box::new(timed_out(*missed, options.timeout_or_default_ms()))));
                }
                found => found?,
            };
            match self.carry_out(request, found.element.as_ref(), terms).await {
                Err(SessionError::Act(error)) if request.target.is_some() && is_redrawn(&error, until) => {}
                carried_out => break (found, carried_out),
            }
        };
        let carried_out = self.leave_closed(carried_out).await.map_err(|error| found.missed_by(error))?;
        Ok((found, carried_out))
    }

    async fn found(&mut self, request: &InteractRequest, looking: Looking<'_>) -> Result<Found, SessionError> {
        let Some(target) = &request.target else {
            return Ok(Found::default());
        };
        let located = self.locate(target, looking).await?;
        let (tried, bounding_box) = (located.tried.clone(), Some(located.bounding_box));
        let Aim { at, answer } = self.aimed_at(located);
        let key = request.value.as_deref().filter(|_| request.action == InteractAction::Keypress);
        self.show_at(&at, &answer, key).await;
        let element = match at {
            At::Element(element) => Some(element),
            At::Point(_) => None,
        };
        Ok(Found { element, answer: Some(answer), tried, bounding_box })
    }

    /// Does what is asked; `None` where that was only to wait.
    async fn carry_out(
        &mut self,
        request: &InteractRequest,
        element: Option<&Element>,
        terms: Terms,
    ) -> Result<Option<interact::Acted>, SessionError> {
        let page = self.page();
        let value = request.value.clone().unwrap_or_default();
        if request.action == InteractAction::Keypress {
            if element.is_none() {
                self.expects_document()?;
            }
            let clipboard = self.session.clipboard.clone();
            return Ok(Some(page.press(element, &chord("value", &value)?, &clipboard, &terms).await?));
        }
        let element = element.ok_or_else(|| Invalid::new("target", "is missing"))?;
        let acted = match request.action {
            InteractAction::Click => {
                let click = Click { button: Button::Left, count: 1, modifiers: Modifiers::default(), terms };
                page.click(element, &click).await?
            }
            InteractAction::Type => {
                let typing = Typing { text: value, clear: true, submit: false, slowly: false, terms };
                page.type_text(element, &typing).await?
            }
            InteractAction::Select => page.select(element, &[value], &terms).await?,
            InteractAction::Check => page.check(element, true, &terms).await?,
            InteractAction::Uncheck => page.check(element, false, &terms).await?,
            InteractAction::Hover => page.hover(element, &terms).await?,
            InteractAction::WaitForSelector | InteractAction::Keypress => return Ok(None),
        };
        Ok(Some(acted))
    }
}

/// How the request's target is looked for.
fn looking_for(request: &InteractRequest, until: Instant) -> Looking<'_> {
    let options = &request.options;
    Looking {
        until,
        frame_selector: options.frame_selector.as_deref(),
        visible: options.waits_for_visible(),
        enabled: options.waits_for_enabled() && request.action != InteractAction::WaitForSelector,
        doing: match request.action {
            InteractAction::Click => Doing::Click,
            InteractAction::Type => Doing::Type,
            InteractAction::Select => Doing::Select,
            _ => Doing::Other,
        },
    }
}

/// What was waited for did not come about.
fn timed_out(missed: Missed, timeout_ms: u32) -> Missed {
    let error = match missed.error {
        error @ (ActError::NotFound(_) | ActError::NotVisible(_) | ActError::NotEnabled(_)) => {
            ActError::TimedOut { what: error.to_string(), waited_ms: timeout_ms.into() }
        }
        error => error,
    };
    Missed { error, ..missed }
}

/// What was done, as a sentence.
fn message(action: InteractAction, is_lost: bool, target: Option<&TargetAnswer>, method: Option<Method>) -> String {
    let done = match action {
        InteractAction::Click if is_lost => "Pressed, without a click,",
        InteractAction::Click => "Clicked",
        InteractAction::Type => "Typed into",
        InteractAction::Select => "Chose in",
        InteractAction::Check => "Checked",
        InteractAction::Uncheck => "Unchecked",
        InteractAction::Keypress => "Pressed a key on",
        InteractAction::Hover => "Moved the pointer over",
        InteractAction::WaitForSelector => "Found",
    };
    let what = match target {
        Some(target) if target.name.is_empty() => target.role.clone(),
        Some(target) => format!("{} {:?}", target.role, target.name),
        None => "what has the focus".to_owned(),
    };
    match method.filter(|_| action != InteractAction::WaitForSelector) {
        Some(Method::Cdp) => format!("{done} {what} by the browser's input"),
        Some(Method::Dom) | None => format!("{done} {what}"),
    }
}
