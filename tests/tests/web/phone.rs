//! A phone on a slow line that is lost at times: what a person sees before an answer comes, what is asked for, and that a
//! lost connection loses nothing.

use porthole_tests::Stack;
use porthole_tests::agent::Agent;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::chat::{Chat, PAGE};
use crate::person::Person;

const WIDTH: u64 = 390;
/// Three hundred milliseconds each way and a megabit: browsers call it 3G.
const SLOW: (f64, f64) = (300.0, 125_000.0);

/// Makes a browser a phone's.
async fn phone(browser: &Browser) {
    browser.does(&json!({"do": "size", "width": WIDTH, "height": 844, "mobile": true, "scale": 3.0})).await;
}

async fn line(person: &Person, lost: bool) {
    let (delay, bytes) = SLOW;
    person.browser.does(&json!({"do": "line", "lost": lost, "delay": delay, "bytes": bytes})).await;
    person.sees(&format!("navigator.onLine === {}", !lost)).await;
}

/// A person with a phone on a slow line, before a page.
async fn at(url: &str) -> Person {
    let person = Person { browser: Browser::chromium().await };
    phone(&person.browser).await;
    person.browser.open("about:blank").await;
    line(&person, false).await;
    person.browser.open(url).await;
    fits(&person).await;
    person
}

/// Nothing is wider than the screen.
async fn fits(person: &Person) {
    let wide = "document.documentElement.scrollWidth";
    assert_eq!(person.browser.evaluate(wide).await, WIDTH, "{wide}");
}

#[tokio::test]
async fn the_playground_asks_for_what_fits_and_shows_progress_at_once() {
    let stack = Stack::start().await;
    let person = at(&stack.worker.url("/playground")).await;
    let url = stack.site.html(PAGE);
    // In the task of the click itself, before any answer can come.
    let clicked = format!(
        "(() => {{ document.querySelector('#url').value = {}; document.querySelector('#go').click();
         const card = document.querySelector('porthole-card');
         return [card.state, card.shadowRoot.querySelector('[role=progressbar]') !== null]; }})()",
        json!(url)
    );
    assert_eq!(person.browser.evaluate(&clicked).await, json!(["waiting", true]));
    person.sees("document.querySelector('porthole-card').state === 'done'").await;
    let size = "(() => { const canvas = document.querySelector('porthole-card').shadowRoot.firstChild.shadowRoot.querySelector('canvas');
         return canvas && [canvas.width, canvas.getBoundingClientRect().width <= innerWidth]; })()";
    person.sees(&format!("JSON.stringify({size}) === '[{WIDTH},true]'")).await;
    person.reads(".code pre", "\"mobile\": true").await;
    person.reads(".code pre", "\"format\": \"webp\"").await;
    fits(&person).await;
    person.browser.shot("phone-picture").await;

    // A session's page is as large as its live view shows it.
    person.clicks("[role=tab]", Some("Session")).await;
    person.clicks("#go", None).await;
    person.reads(".tree", "textbox \"Name\"").await;
    person.sees("document.querySelector('porthole-live-view').status === 'streaming'").await;
    person
        .sees(&format!(
            "document.querySelector('porthole-live-view').shadowRoot.querySelector('canvas').width === {WIDTH}"
        ))
        .await;
    fits(&person).await;
    person.browser.shot("phone-session").await;
}

#[tokio::test]
async fn a_retry_waits_for_the_connection() {
    let stack = Stack::start().await;
    let person = at(&stack.worker.url("/playground")).await;
    let url = stack.site.html(PAGE);
    line(&person, true).await;
    person.fills("#url", &url).await;
    person.clicks("#go", None).await;
    person.reads(".error", "The worker can’t be reached").await;
    person.clicks(".error button", None).await;
    person.reads(".error", "No connection. Trying again when it is back…").await;
    person.browser.shot("phone-lost").await;
    assert_eq!(stack.site.seen(&url).len(), 0);
    line(&person, false).await;
    person.sees("document.querySelector('porthole-card').state === 'done'").await;
    person.reads(".title", "The harbour shop").await;
}

#[tokio::test]
async fn a_finger_acts_in_the_live_view() {
    let stack = Stack::shared().await;
    let viewport = json!({"width": WIDTH, "height": 600, "mobile": true});
    let fields = json!({"url": stack.site.html(PAGE), "viewport": viewport});
    let (agent, _) = Agent::with(stack.caller(), fields).await;
    let made = agent.does("viewer", json!({"role": "control"})).await;
    let ticket = made["ticket"].as_str().unwrap();
    let person = at(&stack.worker.url(&format!("/live#ticket={ticket}"))).await;
    person.sees("document.querySelector('porthole-live-view').status === 'streaming'").await;
    person
        .sees(&format!(
            "document.querySelector('porthole-live-view').shadowRoot.querySelector('canvas').width === {WIDTH}"
        ))
        .await;
    let order = agent.does("snapshot", json!({"boxes": true})).await;
    let tree = order["snapshot"]["tree"].as_str().unwrap();
    let (_, at) = tree.split_once("button \"Order\"").unwrap();
    let at: Vec<f64> =
        at.split_once("[box=").unwrap().1.split([',', ']']).take(4).map(|side| side.parse().unwrap()).collect();
    let (x, y) = person.point(at[0] + at[2] / 2.0, at[1] + at[3] / 2.0, 390.0, 600.0).await;
    let finger = async |kind: &str, points: Value| {
        person.browser.does(&json!({"do": "touch", "type": kind, "points": points})).await
    };
    finger("touchStart", json!([{"x": x, "y": y, "id": 1}])).await;
    finger("touchEnd", json!([])).await;
    agent.does("wait", json!({"text": "Thank you"})).await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_chat_goes_on_where_its_connection_was_lost() {
    let Some(chat) = Chat::start(&[], &[]).await else { return };
    let person = &chat.person;
    phone(&person.browser).await;
    line(person, false).await;
    person.browser.open(&chat.url).await;
    let url = chat.stack.site.html(PAGE);

    // The message and what is under way show in the task of the click itself.
    let clicked = format!(
        "(() => {{ document.querySelector('#text').value = {}; document.querySelector('#send').click();
         return [document.querySelector('#log .person').textContent, document.querySelector('#state').textContent]; }})()",
        json!(format!("Take a screenshot of {url}"))
    );
    let shown = person.browser.evaluate(&clicked).await;
    assert_eq!((&shown[0], &shown[1]), (&json!(format!("Take a screenshot of {url}")), &json!("Sending…")));
    person.reads("#log > li:last-child", "This is how the page looks now.").await;
    fits(person).await;

    line(person, true).await;
    person.fills("#text", &format!("Open {url} and click \"Order\"")).await;
    person.clicks("#send", None).await;
    person.reads("#state", "Not sent: No connection.").await;
    person.reads("#log .pending", "Send again").await;
    person.browser.shot("phone-chat-lost").await;
    line(person, false).await;
    person.reads("#log > li:last-child", "The page now shows: status: Thank you,").await;
    person.sees("document.querySelectorAll('#log .person').length === 2").await;
    person.sees("document.querySelector('porthole-live-view').status === 'streaming'").await;
    // The page was opened in the screen's width, and its frames have that.
    let width = "document.querySelector('porthole-live-view').shadowRoot.querySelector('canvas:not(.empty)')?.width";
    person.sees(&format!("{width} === {WIDTH}")).await;
    fits(person).await;
    person.browser.shot("phone-chat").await;
}
