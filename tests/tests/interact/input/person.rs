//! A person at a page: what a viewer would send for their hands, and what it would be told.

use std::ops::Deref;
use std::time::Duration;

use porthole_contract::live::{
    ImeEvent, ImeEventType, KeyEvent, KeyEventType, MouseEvent, MouseEventType, OpenField, PointerButton, TouchEvent,
    TouchEventType, TouchPoint,
};
use porthole_service::page::input::{InputEvent, Outside, PageInput, Taken};
use porthole_tests::eventually;
use porthole_tests::eventually::so;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::act::scene::Scene;
use crate::held_page::PATIENCE;

/// How long what a person does may take to show.
const SHOWN_WITHIN: Duration = Duration::from_secs(20);

/// In a document of a frame: tells the outermost that the pointer came to it.
pub(crate) const TELLS: &str = "<script>addEventListener('mousemove', () => top.postMessage('hit', '*'))</script>";
/// In the outermost document: `log` has what its frames tell.
pub(crate) const LISTENS: &str = "<script>let isHit = false; onmessage = e => { if (e.data === 'hit') isHit = true; else log.push(e.data) }</script>";

/// A person at a page of 800×600.
pub(crate) struct Person {
    pub(crate) scene: Scene,
    pub(crate) input: PageInput,
    copied: mpsc::Receiver<String>,
}

impl Deref for Person {
    type Target = Scene;

    fn deref(&self) -> &Scene {
        &self.scene
    }
}

impl Person {
    /// Somebody at a page with this document, whose `log` handlers write to.
    pub(crate) async fn at(html: &str) -> Self {
        Self::in_scene(Scene::open().await, html).await
    }

    pub(crate) async fn in_scene(scene: Scene, html: &str) -> Self {
        scene.shows(&format!("<style>body {{ margin: 0 }}</style><script>const log = []</script>{html}")).await;
        let (copies, copied) = mpsc::channel(4);
        let input = PageInput::start(scene.page.clone(), scene.clipboard.clone(), copies);
        input.set_controlled(true);
        Self { scene, input, copied }
    }

    pub(crate) fn does(&self, event: InputEvent) {
        let told = format!("{event:?}");
        assert_eq!(self.input.send(event), Taken::Taken, "{told}");
    }

    /// The middle of an element of the main document.
    pub(crate) async fn middle_of(&self, selector: &str) -> (f64, f64) {
        let script = format!(
            "(() => {{ const box = document.querySelector({selector:?}).getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2] }})()"
        );
        let middle = self.evaluate(&script).await;
        (middle[0].as_f64().unwrap(), middle[1].as_f64().unwrap())
    }

    pub(crate) fn mouse(&self, kind: MouseEventType, at: (f64, f64), button: PointerButton, clicks: u32) {
        self.does(InputEvent::Mouse(MouseEvent { click_count: Some(clicks), ..mouse(kind, at, button) }));
    }

    pub(crate) fn moves(&self, at: (f64, f64)) {
        self.does(InputEvent::Mouse(mouse(MouseEventType::MouseMoved, at, PointerButton::None)));
    }

    pub(crate) fn presses(&self, at: (f64, f64)) {
        self.mouse(MouseEventType::MousePressed, at, PointerButton::Left, 1);
    }

    pub(crate) fn releases(&self, at: (f64, f64)) {
        self.mouse(MouseEventType::MouseReleased, at, PointerButton::Left, 1);
    }

    pub(crate) fn clicks(&self, at: (f64, f64)) {
        self.moves(at);
        self.presses(at);
        self.releases(at);
    }

    pub(crate) async fn clicks_on(&self, selector: &str) {
        self.clicks(self.middle_of(selector).await);
    }

    pub(crate) fn wheels(&self, at: (f64, f64), delta_y: f64) {
        let turned = mouse(MouseEventType::MouseWheel, at, PointerButton::None);
        self.does(InputEvent::Mouse(MouseEvent { delta_y, ..turned }));
    }

    pub(crate) fn touches(&self, kind: TouchEventType, points: &[(i64, f64, f64)]) {
        let points = points.iter().map(|(id, x, y)| TouchPoint { id: *id, x: *x, y: *y }).collect();
        self.does(InputEvent::Touch(TouchEvent { kind, points }));
    }

    /// A key goes down and up, by its name alone.
    pub(crate) fn strikes(&self, name: &str, modifiers: u8) {
        for kind in [KeyEventType::KeyDown, KeyEventType::KeyUp] {
            self.does(InputEvent::Key(key(kind, name, None, modifiers)));
        }
    }

    /// Types as a viewer does: with the character as the key and as the text.
    pub(crate) fn types(&self, text: &str) {
        for character in text.chars() {
            let character = character.to_string();
            let shift = if character.chars().all(char::is_uppercase) { 8 } else { 0 };
            self.does(InputEvent::Key(key(KeyEventType::KeyDown, &character, Some(&character), shift)));
            self.does(InputEvent::Key(key(KeyEventType::KeyUp, &character, None, shift)));
        }
    }

    pub(crate) fn composes(&self, kind: ImeEventType, text: &str) {
        let text = text.to_owned();
        self.does(InputEvent::Ime(ImeEvent { kind, text, selection_start: None, selection_end: None }));
    }

    pub(crate) fn chooses(&self, values: &[&str]) {
        self.does(InputEvent::Choose(Some(values.iter().map(|value| (*value).to_owned()).collect())));
    }

    /// Moves the pointer until the frame at this point gets it: a browser knows where a frame of another process is only
    /// once it has drawn it.
    pub(crate) async fn reaches(&self, (x, y): (f64, f64)) {
        let mut tries = 0_u32;
        eventually(SHOWN_WITHIN, async || {
            tries += 1;
            self.moves((x + f64::from(tries % 2), y));
            so(self.evaluate("isHit").await == true, "the frame gets no pointer")
        })
        .await;
    }

    /// Waits until an expression has this value.
    pub(crate) async fn sees(&self, expression: &str, wanted: impl Into<Value>) {
        let wanted = wanted.into();
        eventually(SHOWN_WITHIN, async || {
            let value = self.evaluate(expression).await;
            so(value == wanted, format!("{expression} is {value}, not {wanted}"))
        })
        .await;
    }

    /// Waits until the page's `log` is this.
    pub(crate) async fn hears(&self, wanted: &str) {
        self.sees("String(log)", wanted).await;
    }

    /// Waits until what is outside of the page is as wanted.
    pub(crate) async fn outside(&self, what: &str, wanted: impl FnMut(&Outside) -> bool) -> Outside {
        let mut outside = self.input.outside();
        let waited = timeout(SHOWN_WITHIN, outside.wait_for(wanted)).await;
        waited.unwrap_or_else(|_| panic!("{what}: {:?}", self.input.outside().borrow())).unwrap().clone()
    }

    /// Waits for a field to open.
    pub(crate) async fn opened(&self) -> OpenField {
        let outside = self.outside("no field opened", |outside| outside.field.is_some()).await;
        OpenField::clone(&outside.field.unwrap())
    }

    pub(crate) async fn closed(&self) {
        self.outside("the field stays open", |outside| outside.field.is_none()).await;
    }

    pub(crate) async fn cursor_is(&self, name: &str) {
        self.outside(name, |outside| outside.cursor == name).await;
    }

    /// What was copied next.
    pub(crate) async fn copied(&mut self) -> String {
        timeout(PATIENCE, self.copied.recv()).await.unwrap().unwrap()
    }

    /// The person goes, and the page stays.
    pub(crate) fn leaves(self) -> Scene {
        self.scene
    }

    pub(crate) async fn ends(self) {
        self.leaves().ends().await;
    }
}

pub(crate) fn mouse(kind: MouseEventType, (x, y): (f64, f64), button: PointerButton) -> MouseEvent {
    MouseEvent { kind, x, y, button, click_count: None, delta_x: 0.0, delta_y: 0.0, modifiers: 0 }
}

pub(crate) fn key(kind: KeyEventType, key: &str, text: Option<&str>, modifiers: u8) -> KeyEvent {
    KeyEvent { kind, key: key.to_owned(), code: String::new(), text: text.map(str::to_owned), modifiers }
}
