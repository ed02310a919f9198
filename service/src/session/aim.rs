//! Resolves the target of a call to an element or a point of its tab.

use std::time::Duration;

use porthole_contract::session::{BoundingBox, ElementRef, SemanticTarget, Target, TargetAnswer, TargetBy, Tried};
use porthole_contract::{Invalid, Viewport};
use tokio::time::Instant;

use super::SessionError;
use super::turn::{ANSWER_TIME, Turn};
use crate::page::interact::{self, ActError, Doing, Element, Located, Point, Ref, Wanted};

/// What a call acts on.
pub(super) struct Aim {
    /// The element, or the point.
    pub at: At,
    /// What the answer says of it.
    pub answer: TargetAnswer,
}

/// An element, or a point of the viewport.
pub(super) enum At {
    /// An element.
    Element(Element),
    /// A point.
    Point(Point),
}

/// How a semantic target is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looking<'a> {
    /// Until when.
    pub until: Instant,
    /// The frame that alone is looked into.
    pub frame_selector: Option<&'a str>,
    /// Whether it must be visible.
    pub visible: bool,
    /// Whether it must be enabled.
    pub enabled: bool,
    /// What is to be done with it.
    pub doing: Doing,
}

impl Looking<'_> {
    /// For what is visible and enabled.
    pub(super) fn until(until: Instant) -> Self {
        Self { until, frame_selector: None, visible: true, enabled: true, doing: Doing::Other }
    }

    /// Also for what is disabled.
    pub(super) fn disabled_too(self) -> Self {
        Self { enabled: false, ..self }
    }
}

impl Turn<'_> {
    /// Until when a target is waited for: `wait_ms` from now, but not to the end of the call's own time, which would be
    /// reported instead of what the target lacks.
    pub(super) fn wait_until(&self, wait_ms: u32) -> Instant {
        let last = self.deadline.checked_sub(ANSWER_TIME).unwrap_or(self.deadline);
        (Instant::now() + Duration::from_millis(wait_ms.into())).min(last)
    }

    /// What the request aims at. An element by its ref is there at once or not at all; another is waited for.
    ///
    /// # Errors
    /// [`SessionError`]: the ref is stale, or nothing that is ready matches.
    pub(super) async fn aim(&mut self, target: &Target, looking: Looking<'_>) -> Result<Aim, SessionError> {
        self.aim_with(target, looking, None).await
    }

    /// The same; viewers are shown the key that is pressed on the target.
    pub(super) async fn aim_with(
        &mut self,
        target: &Target,
        looking: Looking<'_>,
        key: Option<&str>,
    ) -> Result<Aim, SessionError> {
        let aim = self.find(target, looking).await?;
        self.show_at(&aim.at, &aim.answer, key).await;
        Ok(aim)
    }

    async fn find(&mut self, target: &Target, looking: Looking<'_>) -> Result<Aim, SessionError> {
        match target {
            Target::Ref(reference) => {
                let (element, answer) = self.by_ref(*reference).await?;
                Ok(Aim { at: At::Element(element), answer })
            }
            Target::Semantic(semantic) => {
                let located = self.locate(semantic, looking).await?;
                Ok(self.aimed_at(located))
            }
            Target::At(point) => {
                self.expects_document()?;
                let Viewport { width, height, .. } = self.session.viewport();
                if point.x >= width.into() || point.y >= height.into() {
                    let message = format!("is outside of the viewport, which is {width} by {height}");
                    return Err(Invalid::new("at", message).into());
                }
                Ok(Aim { at: At::Point(Point { x: point.x, y: point.y }), answer: TargetAnswer::default() })
            }
        }
    }

    /// The same as an element; for a point, the one that is hit there.
    pub(super) async fn aim_at_element(
        &mut self,
        target: &Target,
        looking: Looking<'_>,
    ) -> Result<(Element, TargetAnswer), SessionError> {
        self.aim_at_element_with(target, looking, None).await
    }

    /// The same; viewers are shown the key that is pressed on it.
    pub(super) async fn aim_at_element_with(
        &mut self,
        target: &Target,
        looking: Looking<'_>,
        key: Option<&str>,
    ) -> Result<(Element, TargetAnswer), SessionError> {
        let Aim { at, answer } = self.aim_with(target, looking, key).await?;
        match at {
            At::Element(element) => Ok((element, answer)),
            At::Point(point) => Ok((self.page().element_at(point).await?, answer)),
        }
    }

    /// The element of a ref, if it still is what it was shown as.
    pub(super) async fn by_ref(&mut self, reference: ElementRef) -> Result<(Element, TargetAnswer), SessionError> {
        let page = self.page();
        let own = Ref(reference.0.into());
        let refs = self.refs();
        if let Some(shown) = refs.get(own)
            && !page.shows(&shown.frame)
        {
            let frame = shown.frame.clone();
            let other = self.session.tabs().all().into_iter().find(|tab| tab.page.shows(&frame));
            if let Some(other) = other {
                return Err(Invalid::new("ref", format!("is in tab {}: send that tab", other.name)).into());
            }
        }
        let refs = self.refs();
        let element = page.resolve(refs, own).await?;
        let (role, name) = refs.get(own).map(|shown| (shown.role.clone(), shown.name.clone())).unwrap_or_default();
        let answer =
            TargetAnswer { reference: Some(reference), role, name, matched_count: 1, ..TargetAnswer::default() };
        Ok((element, answer))
    }

    /// The element that a caller names.
    pub(super) async fn locate(
        &mut self,
        target: &SemanticTarget,
        looking: Looking<'_>,
    ) -> Result<Located, SessionError> {
        self.expects_tab()?;
        Ok(self.page().locate(&wanted(target, looking), looking.until).await.map_err(Box::new)?)
    }

    pub(super) fn aimed_at(&mut self, located: Located) -> Aim {
        let Located { element, selector_used, matched_count, bounding_box, role, name, warnings, .. } = located;
        self.warns(warnings);
        let refs = self.refs();
        let own = refs.known(&element);
        // What no role names is called what a snapshot showed of it.
        let name = match own.and_then(|own| refs.get(own)) {
            Some(shown) if name.is_empty() => shown.name.clone(),
            _ => name,
        };
        let reference = own.and_then(|own| u32::try_from(own.0).ok()).map(ElementRef);
        let answer = TargetAnswer {
            reference,
            role,
            name,
            selector_used: Some(selector_used),
            matched_count: matched_count as u64,
            bounding_box: Some(box_of(bounding_box)),
        };
        Aim { at: At::Element(element), answer }
    }
}

/// Whether an element has left before it was acted on, so that its name may find another one in time.
pub(super) fn is_redrawn(error: &ActError, until: Instant) -> bool {
    error.is_of_a_gone_element() && Instant::now() < until
}

/// What is wanted, as pages look for it.
pub(super) fn wanted(target: &SemanticTarget, looking: Looking<'_>) -> Wanted {
    Wanted {
        // A name goes with a role alone.
        by: target.by.or(target.name.as_ref().map(|_| TargetBy::Role)),
        value: target.value.clone(),
        name: target.name.clone(),
        exact: target.exact,
        frame_selector: looking.frame_selector.map(str::to_owned),
        wait_for_visible: looking.visible,
        wait_for_enabled: looking.enabled,
        doing: looking.doing,
    }
}

/// A box on the wire.
pub(super) fn box_of(bounds: interact::BoundingBox) -> BoundingBox {
    let interact::BoundingBox { x, y, width, height } = bounds;
    BoundingBox { x, y, width, height }
}

impl From<interact::Tried> for Tried {
    fn from(interact::Tried { selector, matched }: interact::Tried) -> Self {
        Self { selector, matched: matched as u64 }
    }
}

impl From<ActError> for Box<interact::Missed> {
    fn from(error: ActError) -> Self {
        Box::new(error.into())
    }
}
