//! A local page, held as for a session, and what a test asks of it.

use std::ops::Deref;
use std::time::Duration;

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{
    Acted, Button, Click, Element, How, Located, Missed, Modifiers, Terms, Typing, Wanted,
};
use tokio::time::{Instant, timeout};

use crate::held_page::{HeldPage, PATIENCE};

/// How long an element may take to be located.
const SOON: Duration = Duration::from_secs(10);
/// How long something is waited for that never comes.
const IN_VAIN: Duration = Duration::from_millis(200);

/// A page, its site, and another site whose frames are of another origin.
pub(crate) struct Scene {
    held: HeldPage,
}

impl Deref for Scene {
    type Target = HeldPage;

    fn deref(&self) -> &HeldPage {
        &self.held
    }
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self { held: HeldPage::open((1280, 720)).await }
    }

    /// Goes to a page of this HTML.
    pub(crate) async fn shows(&self, html: &str) {
        self.goes(&self.site.html(html)).await;
    }

    pub(crate) async fn locate(&self, wanted: &Wanted) -> Result<Located, Missed> {
        timeout(PATIENCE, self.page.locate(wanted, Instant::now() + SOON)).await.unwrap()
    }

    /// Locates what is there already, and tells the id of it: every page of a test notes what is clicked.
    pub(crate) async fn id_of(&self, wanted: &Wanted) -> String {
        let located = self.locate(wanted).await.unwrap_or_else(|missed| panic!("{wanted:?}: {missed:?}"));
        self.id(&located.element).await
    }

    /// The id of an element: of the one that a pointer moves over.
    pub(crate) async fn id(&self, element: &Element) -> String {
        self.evaluate(
            "addEventListener('mousemove', event => globalThis.over = event.composedPath()[0].id, { capture: true })",
        )
        .await;
        self.page.hover(element, &in_document()).await.unwrap();
        self.evaluate("over").await.as_str().unwrap_or_default().to_owned()
    }

    /// Locates what never comes.
    pub(crate) async fn misses(&self, wanted: &Wanted) -> Missed {
        self.page.locate(wanted, Instant::now() + IN_VAIN).await.map(|located| panic!("{located:?}")).unwrap_err()
    }

    /// Clicks an element in its document.
    pub(crate) async fn clicks(&self, element: &Element) -> Acted {
        let click = Click { button: Button::Left, count: 1, modifiers: Modifiers::default(), terms: in_document() };
        self.page.click(element, &click).await.unwrap()
    }

    /// Locates a field by CSS and types into it.
    pub(crate) async fn types(&self, css: &str, text: &str) -> Acted {
        let located = self.locate(&by(TargetBy::Css, css)).await.unwrap();
        let typing = Typing { text: text.to_owned(), clear: true, submit: false, slowly: false, terms: in_document() };
        self.page.type_text(&located.element, &typing).await.unwrap()
    }

    pub(crate) async fn ends(self) {
        self.held.ends().await;
    }
}

/// What is wanted of this kind, visible and enabled.
pub(crate) fn by(kind: TargetBy, value: &str) -> Wanted {
    Wanted { by: Some(kind), ..any(value) }
}

/// What is wanted of any kind, visible and enabled.
pub(crate) fn any(value: &str) -> Wanted {
    Wanted { value: value.to_owned(), wait_for_visible: true, wait_for_enabled: true, ..Wanted::default() }
}

/// By events in the document, hidden or not.
fn in_document() -> Terms {
    Terms { how: How::DocumentOnly, visible: false, ..Terms::until(Instant::now() + PATIENCE) }
}
