//! Dragging an element onto another: by the pointer alone, or as HTML's drag and drop where the page makes it one.
//!
//! `ends` is what is dragged and where to, `carry` the way there, `drop` whether what is under the pointer then is meant,
//! `data` what HTML's drag and drop carries.

mod carry;
mod data;
mod drop;
mod ends;

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchMouseEventParams, DispatchMouseEventReturns, DispatchMouseEventType, MouseButton,
};
use porthole_contract::WarningCode;
use serde_json::Value;

use self::carry::Carrying;
use self::data::Intercepting;
use self::drop::Zone;
pub use self::ends::{Drop, Grip};
use crate::cdp::Call;
use crate::page::Page;
use crate::page::interact::Modifiers;
use crate::page::interact::act::actionable::{Ask, Tries};
use crate::page::interact::act::pointer::Pointing;
use crate::page::interact::act::press::{Came, Press};
use crate::page::interact::acted::{Acted, BoundingBox, Method, Point, Terms};
use crate::page::interact::quiet::{Quiet, Rest};
use crate::page::interact::{ActError, Element};

/// What is dragged, once the button is down on it.
struct Taken {
    at: Point,
    bounds: Option<BoundingBox>,
    /// `None` where a dialog holds the page.
    rest: Option<Rest>,
}

impl Page {
    /// Drags an element to another one, or to a point. What is under the pointer when it is let go is checked: where that is
    /// another element than the target, or the target is no longer what was meant, nothing is dropped there, what is dragged
    /// is put back, and nothing is clicked. What comes to a point meanwhile with words of its own gets nothing, either.
    ///
    /// # Errors
    /// As [`Page::click`], for either element; [`ActError::Covered`] where another element would have got the drop.
    pub async fn drag(&self, from: &Grip, to: &Drop<'_>, terms: &Terms) -> Result<Acted, ActError> {
        let (Grip::Element(source) | Grip::Point(_, source)) = from;
        // A person's input waits until the drop is checked.
        let acting = self.acts();
        let mut quiet = Quiet::watch(self, &source.frame);
        let mut tries = Tries::until(terms.deadline);
        if let Grip::Element(source) = from {
            // In view before the target is looked at.
            let ask = Ask { hit: false, still: false, ..Ask::pointer(terms) };
            self.ready(source, ask, &mut Tries::until(terms.deadline)).await?;
            self.make_room(source, to, &tries).await?;
        }
        acting.begins();
        let there = self.under(to).await?;
        let zone = self.drop_zone(source, to, there.as_ref(), terms).await?;
        let intercepting = Intercepting::begin(self);
        let Taken { at, bounds, rest } = self.take_up(from, terms, &mut quiet, &mut tries).await?;
        if rest.is_none() {
            return Ok(Acted::new(quiet.settle(None).await?, Method::Cdp, bounds));
        }
        let mut carrying = Carrying::new(self, from, at, to, zone, intercepting, terms);
        let carried = match carrying.carry(&mut quiet).await {
            Ok(carried) => carried,
            Err(error) => return Err(carrying.put_back_after(error, &quiet).await),
        };
        let is_unchanged = carrying.changed_nothing(&mut quiet).await;
        let has_begun = quiet.began.anything();
        let mut settled = quiet.settle(carried).await?;
        if let Some(is_unchanged) = is_unchanged {
            settled.no_change = is_unchanged && settled.settled && !settled.navigated && !settled.blocked;
        }
        let has_returned = is_unchanged == Some(false) && !has_begun && carrying.has_returned().await;
        let mut acted = Acted::new(settled, Method::Cdp, bounds).warns_of_no_change();
        let returned = || {
            WarningCode::NotDropped.says("what was dragged is back where it was, and the page says what it said before")
        };
        acted.warnings.extend(carrying.refused().or_else(|| has_returned.then(returned)));
        Ok(acted)
    }
}

impl Page {
    /// The element at the point that is dragged to, and the point in each document from its own outwards. Nothing is outside of
    /// the window, and where an element is dragged to, it is the target itself.
    async fn under(&self, to: &Drop<'_>) -> Result<Option<(Element, Vec<Point>)>, ActError> {
        let Drop::Point(point) = to else { return Ok(None) };
        match self.hit_through(*point).await {
            Err(ActError::NotFound(_)) => Ok(None),
            under => under.map(Some),
        }
    }

    /// Watches where the drop goes; `None` for a point outside of the window. `under` is what [`Self::under`] found.
    async fn drop_zone<'a>(
        &'a self,
        source: &Element,
        to: &'a Drop<'a>,
        under: Option<&'a (Element, Vec<Point>)>,
        terms: &Terms,
    ) -> Result<Option<Zone<'a>>, ActError> {
        match (to, under) {
            (Drop::Element(target), _) => {
                Zone::begin(self, target, source, &mut Tries::until(terms.deadline)).await.map(Some)
            }
            (Drop::Point(_), Some((hit, points))) => Zone::at_point(self, hit, points.clone(), source).await.map(Some),
            (Drop::Point(_), None) => Ok(None),
        }
    }

    /// Presses the button on what is dragged, which stays down.
    async fn take_up<'a>(
        &'a self,
        from: &'a Grip,
        terms: &Terms,
        quiet: &mut Quiet<'a>,
        tries: &mut Tries,
    ) -> Result<Taken, ActError> {
        match from {
            Grip::Element(source) => {
                let press = |point| vec![Press { down: pressed(point), up: released(point), stays_down: true }];
                let mut pointing = Pointing { page: self, element: source, ask: Ask::pointer(terms), quiet, tries };
                let Came { spot, rest, .. } = pointing.press(Modifiers::default(), press).await?;
                Ok(Taken { at: spot.point, bounds: Some(spot.bounds), rest })
            }
            Grip::Point(at, _) => {
                quiet.count_changes().await?;
                quiet.begins();
                let sent = vec![self.send_move(*at, MouseButton::None, 0), self.session.call(&pressed(*at))];
                Ok(Taken { at: *at, bounds: None, rest: self.taken(quiet, sent).await? })
            }
        }
    }

    /// Scrolls source and target away from the edges near which pages scroll while something is dragged.
    async fn make_room(&self, source: &Element, to: &Drop<'_>, tries: &Tries) -> Result<(), ActError> {
        let Drop::Element(target) = to else { return Ok(()) };
        if target.frame.document() != source.frame.document() {
            return Ok(());
        }
        let both = vec![source.number.into(), target.number.into()];
        source.frame.call::<Value>(self, tries.limit(), "dragRoom", both).await.map(drop)
    }

    /// Releases the main button.
    pub(super) fn send_release(&self, point: Point) -> Call<DispatchMouseEventReturns> {
        self.session.call(&released(point))
    }
}

/// The main button goes down.
fn pressed(point: Point) -> DispatchMouseEventParams {
    main_button(DispatchMouseEventType::MousePressed, 1, point)
}

/// The main button comes up.
fn released(point: Point) -> DispatchMouseEventParams {
    main_button(DispatchMouseEventType::MouseReleased, 0, point)
}

fn main_button(kind: DispatchMouseEventType, buttons: i64, point: Point) -> DispatchMouseEventParams {
    let mut event = DispatchMouseEventParams::new(kind, point.x, point.y);
    event.button = Some(MouseButton::Left);
    event.buttons = Some(buttons);
    event.click_count = Some(1);
    event
}
