//! Mouse presses, guarded so that no other element gets them. `pointer` moves the pointer and awaits what was sent.

use std::pin::Pin;

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchMouseEventParams, DispatchMouseEventReturns, MouseButton,
};
use futures_util::future::{BoxFuture, MaybeDone, join, maybe_done};
use futures_util::{FutureExt as _, poll};

use super::actionable::{Ask, Spot};
use super::hold_input::{Aside, HeldInput};
use super::leaving::Leaving;
use super::pointer::{Pointing, Sent};
use crate::cdp::Call;
use crate::page::Page;
use crate::page::interact::Modifiers;
use crate::page::interact::acted::Point;
use crate::page::interact::error::finds_no_document;
use crate::page::interact::quiet::{ANSWER_TIMEOUT, Rest};
use crate::page::interact::{ActError, Element, Frame};

/// What got a press of which no document has heard.
const ANOTHER_FRAME: &str = "another frame";

/// A point beyond all pages.
const BEYOND: (f64, f64) = (-10.0, -10.0);

/// A press of a button, and its release.
pub(super) struct Press {
    pub down: DispatchMouseEventParams,
    pub up: DispatchMouseEventParams,
    /// Whether the button stays down once the press has come to the element.
    pub stays_down: bool,
}

/// What came of presses.
pub(super) struct Came {
    pub spot: Spot,
    /// `None` where a dialog holds the page.
    pub rest: Option<Rest>,
    /// When that dialog opened, where a click was yet to come.
    pub held: Option<HeldAt>,
    /// After how many presses the document left for another one, which got none of the others.
    pub left_after: Option<u32>,
    /// Whether the document left before a click came to it.
    pub left_unclicked: bool,
}

/// When a dialog opens that holds the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeldAt {
    /// At a press, before its release.
    Press,
    /// At the release, before its click was heard of.
    Release,
    /// By the last of so many clicks, before another press.
    Click(u32),
}

/// The answer of a document that says when a click has come to it, asked before the press is let go.
type Heard<'a> = MaybeDone<BoxFuture<'a, Result<(), ActError>>>;

/// Presses that were sent.
struct SentPresses<'a> {
    /// The answers that are not awaited yet.
    sent: Sent,
    /// Documents that hold their input since a press did not come to the element.
    strays: Option<Aside>,
    /// Where a dialog opened before the last release.
    held: Option<HeldAt>,
    /// As in [`Came`].
    left_after: Option<u32>,
    /// The answer to the last press that was let go.
    heard: Option<Heard<'a>>,
}

impl Page {
    /// Lets the other documents take input again. Returns what would have got a press instead of the element.
    async fn release_all(&self, aside: Option<Aside>, strays: Option<Aside>) -> Option<String> {
        let has_strayed = strays.is_some();
        let mut elsewhere = None;
        for aside in [aside, strays].into_iter().flatten() {
            elsewhere = elsewhere.or(aside.release(self).await);
        }
        elsewhere.or_else(|| has_strayed.then(|| ANOTHER_FRAME.to_owned()))
    }

    /// Whether so many presses came to the element, or its document can't tell: it is gone, or a dialog holds it.
    async fn has_come(&self, element: &Element, count: u32) -> bool {
        self.presses_on(element).await.is_none_or(|came| came >= count)
    }

    /// Returns once so many clicks have come to the element's document, or none does. Fails where that left before.
    async fn hears_click(&self, element: &Element, count: u32) -> Result<(), ActError> {
        element.frame.call(self, ANSWER_TIMEOUT, "clickHeard", vec![count.into()]).await
    }

    /// How many presses came to the element; `None` where its document can't tell.
    async fn presses_on(&self, element: &Element) -> Option<u32> {
        element.frame.call::<Option<u32>>(self, ANSWER_TIMEOUT, "pressed", Vec::new()).await.ok().flatten()
    }
}

// === impl Pointing ===

impl<'a> Pointing<'a, '_> {
    /// Waits until the element is ready, moves the pointer there and presses. Does so again, until the time is over, where the
    /// presses would have come to another element and were swallowed. A press that came to the element is not repeated.
    pub(super) async fn press(
        &mut self,
        modifiers: Modifiers,
        presses: impl Fn(Point) -> Vec<Press>,
    ) -> Result<Came, ActError> {
        let (page, element) = (self.page, self.element);
        loop {
            let frames = element.frame.and_those_around();
            // The question for other frames is written right after the look at the element, and so answered before the page's
            // script can run, unless the look waited.
            let (spot, mut is_alone) = join(page.ready(element, self.ask, self.tries), page.has_only(&frames)).await;
            let spot = spot?;
            if spot.waited {
                is_alone = page.has_only(&frames).await;
            }
            self.quiet.begins();
            let moved = page.send_move(spot.point, MouseButton::None, modifiers.bits());
            let (before, aside) = if is_alone {
                // The press is written together with the move, so that the page gets both in one task: what the move changes is
                // there when the press is judged, and nothing else comes between.
                (vec![moved], None)
            } else {
                match self.come_first(moved, &frames).await? {
                    Some(aside) => (Vec::new(), Some(aside)),
                    None => continue,
                }
            };
            let SentPresses { sent, strays, mut held, left_after, mut heard } =
                self.press_all(presses(spot.point), before, &frames).await?;
            let taken = page.taken(self.quiet, sent).await?;
            let mut left_unclicked = false;
            match &mut heard {
                Some(heard) if taken.is_some() => left_unclicked = document_left(heard).await,
                Some(heard) if held.is_none() => held = is_unheard(heard).await.then_some(HeldAt::Release),
                _ => {}
            }
            let elsewhere = page.release_all(aside, strays).await;
            let came = |spot, rest| Ok(Came { spot, rest, held, left_after, left_unclicked });
            let Some(mut rest) = taken else { return came(spot, None) };
            if rest.reached > 0 {
                rest.lost = rest.lost.or(elsewhere);
                return came(spot, Some(rest));
            }
            let Some(by) = rest.by.clone().or(elsewhere) else { return came(spot, Some(rest)) };
            tracing::debug!(%by, "blocked input: another element is at the point");
            if self.tries.is_over() {
                return Err(ActError::Covered { covered: spot.what, by });
            }
        }
    }

    /// Moves the pointer, lets the page react to it, and checks the element again; `None` where the element is not ready any more
    /// and there is time for another try. The other documents hold the press from then on.
    async fn come_first(
        &mut self,
        moved: Call<DispatchMouseEventReturns>,
        frames: &[Frame],
    ) -> Result<Option<Aside>, ActError> {
        let Self { page, element, ask, quiet, tries } = self;
        let was_loading = quiet.is_loading();
        if quiet.delivered(vec![moved]).await?.is_none() {
            let nothing = || ActError::DispatchFailed("a dialog held the page before the press".to_owned());
            return Err(page.dialog().map_or_else(nothing, ActError::Dialog));
        }
        quiet.drain();
        let is_left = quiet.is_loading() && !was_loading;
        let aside = page.hold_aside(frames, HeldInput::Pointer).await?;
        let now = page.look(element, Ask { still: false, ..*ask }, tries).await?;
        if now.is.is_some() {
            return Err(tries.error(now, &element.meant));
        }
        if !is_left && now.lacks.is_none() {
            return Ok(Some(aside));
        }
        if tries.is_over() {
            return Err(tries.error(now, &element.meant));
        }
        Ok(None)
    }

    /// Sends presses, each released once it is known whether it came to the element. If it did not, a document may have got it
    /// that began after the others were made to hold their input: all other documents hold theirs then, so that the release
    /// makes no click. Of several presses, each is sent once the previous one is taken and its document stays: the next document gets
    /// none of them. `before` was sent before, and is not answered yet.
    async fn press_all(
        &mut self,
        presses: Vec<Press>,
        mut before: Sent,
        frames: &[Frame],
    ) -> Result<SentPresses<'a>, ActError> {
        let (page, element, quiet) = (self.page, self.element, &mut *self.quiet);
        let mut pressed = SentPresses { sent: Vec::new(), strays: None, held: None, left_after: None, heard: None };
        let mut leaving = (presses.len() > 1).then(|| Leaving::watch(page, &element.frame, HeldInput::Pointer));
        for (press, count) in presses.into_iter().zip(1..) {
            if let (Some(leaving), 2..) = (&mut leaving, count) {
                let taken = quiet.delivered(std::mem::take(&mut pressed.sent)).await?;
                let stays = page.presses_on(element).await.is_some() && !leaving.has_begun();
                let is_held = taken.is_none();
                pressed.held = is_held.then_some(HeldAt::Click(count - 1));
                pressed.left_after = (!is_held && !stays).then_some(count - 1);
                if is_held || !stays {
                    break;
                }
            }
            before.push(page.session.call(&press.down));
            // Written before the question for the press, whose answer comes after this has been asked.
            let mut heard = maybe_done(page.hears_click(element, count).boxed());
            let _ = poll!(&mut heard);
            let delivered = quiet.delivered(std::mem::take(&mut before));
            let (delivered, came) = join(delivered, page.has_come(element, count)).await;
            let is_held = match delivered {
                Ok(delivered) => delivered.is_none(),
                Err(error) => {
                    page.session.call(&press.up).forget();
                    return Err(error);
                }
            };
            // The first answer may be from before the press.
            if !is_held && !came && !page.has_come(element, count).await {
                pressed.strays = Some(page.hold_aside_most(frames, HeldInput::Pointer).await);
            }
            // Where a document could not be made to hold its input, the button is released outside of the page, which makes no
            // click.
            let mut up = press.up;
            if pressed.strays.as_ref().is_some_and(|strays| !strays.is_whole) {
                (up.x, up.y) = BEYOND;
            }
            if !press.stays_down || pressed.strays.is_some() {
                pressed.sent.push(page.session.call(&up));
                pressed.heard = Some(heard);
            }
            pressed.held = is_held.then_some(HeldAt::Press);
            if is_held || pressed.strays.is_some() {
                break;
            }
        }
        Ok(pressed)
    }
}

/// Waits until a click is heard of; whether its document left before.
async fn document_left(heard: &mut Heard<'_>) -> bool {
    (&mut *heard).await;
    Pin::new(heard).take_output().is_some_and(|heard| finds_no_document(&heard))
}

/// Whether a dialog opened before a click was heard of. The answer to a click that has come precedes the dialog that the
/// click opens.
async fn is_unheard(heard: &mut Heard<'_>) -> bool {
    let _ = poll!(&mut *heard);
    Pin::new(heard).take_output().is_none_or(|heard| matches!(heard, Err(ActError::Dialog(_))))
}
