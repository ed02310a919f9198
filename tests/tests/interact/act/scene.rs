//! A local page, leased for a session, and short ways to act on its elements.

use std::ops::Deref;
use std::time::Duration;

use porthole_service::page::interact::{
    ActError, Acted, Chord, Click, Clipboard, Element, Frame, How, Modifiers, Refs, SnapshotOptions, Terms, Typing,
};
use porthole_tests::agent::reference;
use porthole_tests::eventually;
use tokio::time::Instant;

use crate::held_page::HeldPage;

/// How long an element may take to be ready.
pub(crate) const READY_WITHIN: Duration = Duration::from_secs(5);

/// How long to wait for what never comes.
pub(crate) const BRIEFLY: Duration = Duration::from_millis(700);
/// The log of a page.
pub(crate) const LOGS: &str = "<script>let log = []; const note = what => log.push(what)</script>";

/// A page that is held, and the site that it visits.
pub(crate) struct Scene {
    held: HeldPage,
    pub(crate) clipboard: Clipboard,
}

impl Deref for Scene {
    type Target = HeldPage;

    fn deref(&self) -> &HeldPage {
        &self.held
    }
}

impl Scene {
    /// An open page with this document.
    pub(crate) async fn showing(html: &str) -> Self {
        let scene = Self::open().await;
        scene.shows(html).await;
        scene
    }

    pub(crate) async fn open() -> Self {
        Self { held: HeldPage::open((800, 600)).await, clipboard: Clipboard::default() }
    }

    /// Goes to a document of the site.
    pub(crate) async fn shows(&self, html: &str) {
        let url = self.site.html(&format!("<!doctype html><meta charset=utf-8>{html}"));
        self.goes(&url).await;
    }

    pub(crate) async fn main(&self) -> Frame {
        self.page.main_document().await.unwrap()
    }

    /// The first element that a CSS selector matches.
    pub(crate) async fn element(&self, selector: &str) -> Element {
        Element::first(&self.page, &self.main().await, selector).await.unwrap()
    }

    /// The element of the ref in the first line of a snapshot that shows what is wanted.
    pub(crate) async fn by_ref(
        &self,
        refs: &mut Refs,
        options: &SnapshotOptions,
        shows: impl Fn(&str) -> bool,
    ) -> Element {
        let tree = self.page.snapshot(refs, options).await.unwrap().tree;
        let line = tree.lines().find(|line| shows(line)).unwrap_or_else(|| panic!("{tree}"));
        self.page.resolve(refs, reference(line, "").parse().unwrap()).await.unwrap()
    }

    /// An element in a frame in a frame: each selector but the last names an iframe.
    pub(crate) async fn inner(&self, selectors: &[&str]) -> Element {
        // On a busy machine a frame's document may come after the load of the page.
        eventually(READY_WITHIN, async || {
            self.inner_now(selectors).await.map_err(|error| format!("{selectors:?}: {error:?}"))
        })
        .await
    }

    async fn inner_now(&self, selectors: &[&str]) -> Result<Element, ActError> {
        let (last, frames) = selectors.split_last().unwrap();
        let mut frame = self.main().await;
        for selector in frames {
            let owner = Element::first(&self.page, &frame, selector).await?;
            frame = self.page.frame_in(&frame, owner.number).await?;
        }
        Element::first(&self.page, &frame, last).await
    }

    pub(crate) async fn click(&self, selector: &str) -> Result<Acted, ActError> {
        self.page.click(&self.element(selector).await, &Click::once(ready())).await
    }

    /// Clicks where the element is known not to become ready.
    pub(crate) async fn click_within(&self, selector: &str, within: Duration) -> Result<Acted, ActError> {
        let terms = Terms::until(Instant::now() + within);
        self.page.click(&self.element(selector).await, &Click::once(terms)).await
    }

    pub(crate) async fn types(&self, selector: &str, text: &str) -> Result<Acted, ActError> {
        self.page.type_text(&self.element(selector).await, &typing(text)).await
    }

    pub(crate) async fn press(&self, selector: Option<&str>, chord: &str) -> Result<Acted, ActError> {
        let chord: Chord = chord.parse().unwrap();
        match selector {
            Some(selector) => {
                let element = self.element(selector).await;
                self.page.press(Some(&element), &chord, &self.clipboard, &ready()).await
            }
            None => self.page.press(None, &chord, &self.clipboard, &ready()).await,
        }
    }

    /// The page's `log`, which its handlers write.
    pub(crate) async fn log(&self) -> String {
        self.evaluate("String(log)").await.as_str().unwrap_or_default().to_owned()
    }

    pub(crate) async fn ends(self) {
        self.held.ends().await;
    }
}

/// What every element is waited for.
pub(crate) fn ready() -> Terms {
    Terms::until(Instant::now() + READY_WITHIN)
}

/// What is refused by then, or done.
pub(crate) fn ready_briefly() -> Terms {
    Terms::until(Instant::now() + Duration::from_millis(1_500))
}

/// What is waited for that may never come.
pub(crate) fn briefly() -> Terms {
    Terms::until(Instant::now() + BRIEFLY)
}

pub(crate) fn in_document() -> Terms {
    Terms { how: How::DocumentOnly, ..ready() }
}

pub(crate) fn typing(text: &str) -> Typing {
    Typing { text: text.to_owned(), clear: true, submit: false, slowly: false, terms: ready() }
}

pub(crate) fn held(names: &[&str]) -> Modifiers {
    Modifiers::parse(names.iter().copied()).unwrap()
}
