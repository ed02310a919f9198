//! A person before a page: finds things by what they are, through shadow roots, and presses and types for real.

use std::time::Duration;

use porthole_tests::eventually;
use serde_json::{Value, json};

use crate::browser::Browser;

const SOON: Duration = Duration::from_secs(30);
/// Finds an element by selector, shadow roots included, by the whole text too where there is one.
const FIND: &str = "((selector, text) => {
    const all = (root) => [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
    return all(document).find((one) => one.matches(selector) && (text === null || one.textContent.trim() === text) && one.checkVisibility()) ?? null;
})";

pub(crate) struct Person {
    pub(crate) browser: Browser,
}

impl Person {
    pub(crate) async fn at(url: &str) -> Self {
        let browser = Browser::chromium().await;
        browser.open(url).await;
        Self { browser }
    }

    fn found(selector: &str, text: Option<&str>) -> String {
        format!("{FIND}({}, {})", json!(selector), json!(text))
    }

    /// Waits until an expression of the page is true.
    pub(crate) async fn sees(&self, expression: &str) {
        eventually(SOON, async || {
            let value = self.browser.evaluate(expression).await;
            if value == true { Ok(()) } else { Err(format!("{expression} is {value}")) }
        })
        .await;
    }

    /// Waits until there is such an element whose text has these words.
    pub(crate) async fn reads(&self, selector: &str, words: &str) {
        let element = Self::found(selector, None);
        self.sees(&format!("({element}?.textContent ?? '').includes({})", json!(words))).await;
    }

    /// The text of an element.
    pub(crate) async fn text(&self, selector: &str) -> String {
        self.browser
            .evaluate(&format!("{}?.textContent ?? ''", Self::found(selector, None)))
            .await
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Clicks the middle of an element, once it is there and where it stays.
    pub(crate) async fn clicks(&self, selector: &str, text: Option<&str>) {
        let element = Self::found(selector, text);
        let place = format!(
            "(() => {{ const one = {element}; if (!one || one.disabled) return null; one.scrollIntoView({{block: 'center'}});
             const box = one.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
        );
        let at = eventually(SOON, async || match self.browser.evaluate(&place).await {
            Value::Null => Err(format!("there is no {selector} {text:?}")),
            at => Ok(at),
        })
        .await;
        self.presses(at[0].as_f64().unwrap(), at[1].as_f64().unwrap()).await;
    }

    /// Presses and releases the left button at a place of the window.
    pub(crate) async fn presses(&self, x: f64, y: f64) {
        self.browser.does(&json!({"do": "move", "x": x, "y": y})).await;
        self.browser.does(&json!({"do": "down", "x": x, "y": y, "button": "left", "held": 1})).await;
        self.browser.does(&json!({"do": "up", "x": x, "y": y, "button": "left"})).await;
    }

    /// Types into what has the focus, key by key.
    pub(crate) async fn types(&self, text: &str) {
        for key in text.chars() {
            self.browser.does(&json!({"do": "key", "key": key.to_string()})).await;
        }
    }

    /// Clicks a field, empties it and types.
    pub(crate) async fn fills(&self, selector: &str, text: &str) {
        self.clicks(selector, None).await;
        self.browser.evaluate(&format!("{}.select()", Self::found(selector, None))).await;
        self.types(text).await;
    }

    /// Chooses in a list of the page's own.
    pub(crate) async fn chooses(&self, selector: &str, value: &str) {
        let element = Self::found(selector, None);
        let choose = format!(
            "(() => {{ const one = {element}; one.value = {}; one.dispatchEvent(new Event('change', {{bubbles: true}})); return one.value; }})()",
            json!(value)
        );
        assert_eq!(self.browser.evaluate(&choose).await, value);
    }

    /// Where a point of a watched page is in the window.
    pub(crate) async fn point(&self, x: f64, y: f64, width: f64, height: f64) -> (f64, f64) {
        let place = format!(
            "(() => {{ const box = {}.getBoundingClientRect();
             return [box.left + {x} * box.width / {width}, box.top + {y} * box.height / {height}]; }})()",
            Self::found("canvas", None)
        );
        let at = self.browser.evaluate(&place).await;
        (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
    }
}
