//! The viewer's page against the whole of Porthole: a person at `/live` watches a session and acts in it.

use std::time::Duration;

use nix::sys::signal::Signal;
use porthole_tests::agent::Agent;
use porthole_tests::eventually::so;
use porthole_tests::stack::{Server, Shared};
use porthole_tests::{Stack, eventually};
use serde_json::{Value, json};

use crate::person::Person;

const SOON: Duration = Duration::from_secs(30);
const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 500.0;
/// Fields at known places, which write into `#log` what happens to them.
const PAGE: &str = r#"<!doctype html><title>The page</title><style>
    body { margin: 0; font: 16px sans-serif; background: #fff }
    body > * { position: absolute; box-sizing: border-box; left: 20px; width: 300px; height: 30px; margin: 0 }
    </style>
    <input id=text style="top: 20px"><button id=press style="top: 60px; width: 100px">press</button>
    <input id=range type=range min=0 max=100 value=0 style="top: 100px">
    <select id=list style="top: 140px"><option value=a>Apple<optgroup label=Greens><option value=l>Leek
    <option value=g disabled>Gone</optgroup></select>
    <input id=date type=date style="top: 180px"><button id=ask style="top: 220px; width: 100px">ask</button>
    <input id=file type=file style="top: 260px">
    <p id=box style="top: 300px; height: 150px; overflow: auto">
    <span style="display: block; height: 900px">scroll</span>
    <pre id=log style="left: 400px; top: 20px; width: 380px; height: 400px; white-space: pre-wrap"></pre>
    <script>
    const said = {}, by = (id) => document.getElementById(id);
    const tell = (name, value) => { said[name] = value; by('log').textContent = JSON.stringify(said) };
    for (const id of ['text', 'range', 'list', 'date']) by(id).addEventListener('input', () => tell(id, by(id).value));
    by('press').onclick = (event) => tell('press', event.isTrusted);
    by('ask').onclick = () => tell('ask', prompt('Your <b>name</b>?', 'Ada'));
    by('file').onchange = async () => tell('file', by('file').files[0].name + ': ' + await by('file').files[0].text());
    by('box').onscroll = () => tell('scrolled', by('box').scrollTop);
    let held;
    by('box').addEventListener('touchstart', () => { held = setTimeout(() => tell('long', true), 600) });
    by('box').addEventListener('touchend', () => { clearTimeout(held); tell('lifted', true) });
    addEventListener('pointerdown', () => tell('down', (said.down ?? 0) + 1));
    addEventListener('pointerup', () => tell('up', (said.up ?? 0) + 1));
    addEventListener('keydown', (event) => tell('key', event.key));
    tell('ready', true);
    </script>"#;
/// The viewer.
const VIEW: &str = "document.querySelector('porthole-live-view')";

/// A session at the page, and a person who looks at it.
struct Watched {
    agent: Agent,
    person: Person,
    stack: Shared,
}

impl Watched {
    async fn as_one_who_may(role: &str) -> Self {
        let stack = Stack::shared().await;
        let viewport = json!({"width": 800, "height": 500});
        let (agent, _) = Agent::with(stack.caller(), json!({"url": stack.site.html(PAGE), "viewport": viewport})).await;
        let person = Self::viewer(&stack, &agent, role).await;
        Self { agent, person, stack }
    }

    /// Another person with a link to the same session.
    async fn viewer(stack: &Stack, agent: &Agent, role: &str) -> Person {
        let made = agent.caller.post("/session/viewer", json!({"session": agent.session, "role": role})).await.json();
        let ticket = made["ticket"].as_str().unwrap_or_else(|| panic!("{made}"));
        let person = Person::at(&stack.worker.url(&format!("/live#ticket={ticket}"))).await;
        person.sees(&format!("{VIEW}.status === 'streaming'")).await;
        person.sees(&format!("!{VIEW}.shadowRoot.querySelector('canvas.empty')")).await;
        person
    }

    /// Where a point of the page is in the person's window.
    async fn at(&self, x: f64, y: f64) -> (f64, f64) {
        self.person.point(x, y, WIDTH, HEIGHT).await
    }

    async fn presses(&self, x: f64, y: f64) {
        let (x, y) = self.at(x, y).await;
        self.person.presses(x, y).await;
    }

    /// Waits until the page tells this.
    async fn tells(&self, name: &str, expected: &Value) {
        eventually(SOON, async || {
            // A dialog that is just being answered still holds the page.
            let read = self.agent.call("extract", json!({"instruction": "selector: #log"})).await.json();
            let said: Value = serde_json::from_str(read["content"].as_str().unwrap_or("{}")).unwrap();
            so(said[name] == *expected, format!("{name} is not {expected}: {said}"))
        })
        .await;
    }

    async fn ends(self) {
        self.agent.does("close", json!({})).await;
        self.person.sees(&format!("{VIEW}.status === 'ended'")).await;
    }
}

/// An expression that chooses a file of this name in the viewer's own field; false while there is none.
fn choose_a_file(name: &str) -> String {
    format!(
        "(() => {{ const input = {VIEW}.shadowRoot.querySelector('input[type=file]'); if (!input) return false;
        const data = new DataTransfer(); data.items.add(new File(['hello'], {})); input.files = data.files;
        input.dispatchEvent(new Event('change')); return true; }})()",
        json!(name)
    )
}

#[tokio::test]
async fn a_person_types_presses_drags_and_scrolls() {
    let watched = Watched::as_one_who_may("control").await;
    let person = &watched.person;
    assert_eq!(person.browser.evaluate("document.title").await, "The page - Porthole");
    watched.presses(100.0, 35.0).await;
    person.types("Hello, World").await;
    watched.tells("text", &json!("Hello, World")).await;
    // All of it is selected and replaced, by a composition.
    person.browser.does(&json!({"do": "key", "key": "a", "modifiers": 2})).await;
    person.browser.does(&json!({"do": "compose", "text": "にほ"})).await;
    person.browser.does(&json!({"do": "insert", "text": "日本"})).await;
    watched.tells("text", &json!("日本")).await;
    watched.presses(60.0, 75.0).await;
    watched.tells("press", &json!(true)).await;

    let (from, to) = (watched.at(30.0, 115.0).await, watched.at(312.0, 115.0).await);
    person.browser.does(&json!({"do": "move", "x": from.0, "y": from.1})).await;
    person.browser.does(&json!({"do": "down", "x": from.0, "y": from.1, "button": "left", "held": 1})).await;
    for step in 1..=8 {
        let x = from.0 + (to.0 - from.0) * f64::from(step) / 8.0;
        // The window changes meanwhile: the drag goes on.
        if step == 4 {
            person.browser.does(&json!({"do": "size", "width": 900, "height": 700})).await;
        }
        person.browser.does(&json!({"do": "move", "x": x, "y": to.1, "button": "left", "held": 1})).await;
    }
    let end = watched.at(318.0, 115.0).await;
    person.browser.does(&json!({"do": "move", "x": end.0, "y": end.1, "button": "left", "held": 1})).await;
    person.browser.does(&json!({"do": "up", "x": end.0, "y": end.1, "button": "left"})).await;
    watched.tells("range", &json!("100")).await;

    // A turn that fades, as a trackpad's does: none of it is lost.
    let (x, y) = watched.at(100.0, 370.0).await;
    let turns = [120, 90, 68, 51, 38, 28, 21, 16, 12, 9, 7, 5, 4, 3, 2, 1];
    for dy in turns {
        person.browser.does(&json!({"do": "wheel", "x": x, "y": y, "dx": 0, "dy": dy})).await;
    }
    watched.tells("scrolled", &json!(turns.iter().sum::<i32>())).await;
    person.browser.shot("watched").await;
    watched.ends().await;
}

#[tokio::test]
async fn lists_dates_dialogs_and_files_are_answered_outside_of_the_picture() {
    let watched = Watched::as_one_who_may("control").await;
    let person = &watched.person;
    watched.presses(100.0, 155.0).await;
    person.reads(".panel.list", "Leek").await;
    person.browser.shot("watched-list").await;
    person.clicks("[role=option]", Some("Leek")).await;
    watched.tells("list", &json!("l")).await;

    // The field's own button opens its calendar.
    watched.presses(307.0, 195.0).await;
    let date = format!("{VIEW}.shadowRoot.querySelector('.panel input[type=date]')");
    person.sees(&format!("!!{date}")).await;
    person.browser.evaluate(&format!("{date}.value = '2027-01-02'")).await;
    person.clicks("button", Some("Set")).await;
    watched.tells("date", &json!("2027-01-02")).await;

    watched.presses(60.0, 235.0).await;
    person.reads(".said-by-page", "Your <b>name</b>?").await;
    person.fills(".panel input", "Grace").await;
    person.clicks("button", Some("OK")).await;
    watched.tells("ask", &json!("Grace")).await;

    watched.presses(60.0, 275.0).await;
    person.sees(&choose_a_file("a.txt")).await;
    person.clicks("button", Some("Upload")).await;
    watched.tells("file", &json!("a.txt: hello")).await;
    watched.ends().await;
}

#[tokio::test]
async fn text_is_copied_and_pasted() {
    let watched = Watched::as_one_who_may("control").await;
    let person = &watched.person;
    watched.presses(100.0, 35.0).await;
    let paste = format!(
        "(() => {{ const data = new DataTransfer(); data.setData('text/plain', 'pasted ✓'); const view = {VIEW};
        view.addEventListener('porthole-copied', ({{detail}}) => {{ globalThis.copied = detail.text; }});
        const event = new ClipboardEvent('paste', {{clipboardData: data, bubbles: true, cancelable: true}});
        return view.shadowRoot.querySelector('textarea').dispatchEvent(event); }})()"
    );
    person.browser.evaluate(&paste).await;
    watched.tells("text", &json!("pasted ✓")).await;
    person.browser.does(&json!({"do": "key", "key": "a", "modifiers": 2})).await;
    watched.tells("key", &json!("a")).await;
    person.browser.does(&json!({"do": "key", "key": "c", "modifiers": 2})).await;
    person.sees("globalThis.copied === 'pasted ✓'").await;
    watched.ends().await;
}

#[tokio::test]
async fn two_people_take_turns_and_one_who_leaves_holds_nothing() {
    let watched = Watched::as_one_who_may("control").await;
    let watching = Watched::viewer(&watched.stack, &watched.agent, "view").await;
    watching.reads(".role", "Watching").await;
    let other = Watched::viewer(&watched.stack, &watched.agent, "control").await;
    watched.person.clicks("button.control", None).await;
    let pressed = format!("{VIEW}.shadowRoot.querySelector('.control').getAttribute('aria-pressed')");
    watched.person.sees(&format!("{pressed} === 'true'")).await;
    other.reads(".role", "Somebody else acts").await;
    // What the other one does reaches nothing.
    let (x, y) = other.point(60.0, 75.0, WIDTH, HEIGHT).await;
    other.presses(x, y).await;
    other.clicks("button.control", None).await;
    other.reads(".toast", "A person is using this browser").await;

    // The first one presses, and is gone with the button down.
    let (x, y) = watched.at(60.0, 480.0).await;
    watched.person.browser.does(&json!({"do": "move", "x": x, "y": y})).await;
    watched.person.browser.does(&json!({"do": "down", "x": x, "y": y, "button": "left", "held": 1})).await;
    watched.tells("down", &json!(1)).await;
    let Watched { agent, person, stack } = watched;
    drop(person);
    let watched = Watched { agent, person: other, stack };
    watched.tells("up", &json!(1)).await;
    watched.tells("press", &Value::Null).await;
    watched.person.sees(&format!("{VIEW}.shadowRoot.querySelector('.role').hidden")).await;
    watched.presses(60.0, 75.0).await;
    watched.tells("press", &json!(true)).await;

    // What the agent does is told to all who watch.
    watched.person.clicks("button.control", None).await;
    watched.agent.does("click", json!({"target": {"by": "text", "value": "press"}})).await;
    watching.reads(".badge", "clicks").await;
    watched.ends().await;
}

#[tokio::test]
async fn a_person_at_a_phone_presses_long_pinches_and_taps_what_grew() {
    let watched = Watched::as_one_who_may("control").await;
    let person = &watched.person;
    person.browser.does(&json!({"do": "size", "width": 390, "height": 800, "mobile": true, "scale": 2})).await;
    let finger = async |kind: &str, points: &[(f64, f64)]| {
        let points: Vec<Value> =
            points.iter().enumerate().map(|(id, (x, y))| json!({"id": id, "x": x, "y": y})).collect();
        person.browser.does(&json!({"do": "touch", "type": kind, "points": points})).await;
    };
    let width = format!("{VIEW}.shadowRoot.querySelector('canvas').getBoundingClientRect().width");
    person.sees(&format!("{width} <= 390 && {width} > 300")).await;
    finger("touchStart", &[watched.at(100.0, 370.0).await]).await;
    watched.tells("long", &json!(true)).await;
    watched.tells("lifted", &Value::Null).await;
    finger("touchEnd", &[]).await;
    watched.tells("lifted", &json!(true)).await;

    // Two fingers make the picture larger around the button, and the page hears nothing of it.
    let (x, y) = watched.at(70.0, 75.0).await;
    let before = person.browser.evaluate(&width).await.as_f64().unwrap();
    finger("touchStart", &[(x - 10.0, y)]).await;
    finger("touchStart", &[(x - 10.0, y), (x + 10.0, y)]).await;
    for step in 1..=5 {
        let apart = 10.0 + 3.0 * f64::from(step);
        finger("touchMove", &[(x - apart, y), (x + apart, y)]).await;
    }
    finger("touchEnd", &[]).await;
    person.sees(&format!("{width} > {}", before * 1.5)).await;
    person.browser.shot("watched-phone").await;
    watched.tells("press", &Value::Null).await;
    let at = watched.at(70.0, 75.0).await;
    finger("touchStart", &[at]).await;
    finger("touchEnd", &[]).await;
    watched.tells("press", &json!(true)).await;
    watched.ends().await;
}

/// What a page may try to be taken for.
const EVIL: &str = "<img src=x onerror=evil=1><script>evil=1</script>{{evil}}'\"`";

#[tokio::test]
async fn the_words_of_a_hostile_page_are_text_wherever_they_are_shown() {
    let stack = Stack::shared().await;
    let page = r#"<!doctype html><title></title><style>
        body > * { position: absolute; left: 20px; width: 300px; height: 30px; margin: 0 }</style>
        <select id=list style="top: 20px"></select>
        <button id=ask style="top: 60px">ask</button>
        <input id=file type=file multiple style="top: 100px"><input id=words list=all style="top: 140px">
        <datalist id=all></datalist><script>
        const evil = EVIL, by = (id) => document.getElementById(id);
        document.title = evil;
        history.replaceState(null, '', '?' + evil + '#' + evil);
        const group = Object.assign(document.createElement('optgroup'), { label: evil });
        by('list').append(group, new Option(evil, 'other'));
        group.append(new Option('first', evil));
        by('all').append(new Option(evil, evil));
        by('file').accept = evil;
        by('ask').onclick = () => { prompt(evil, evil) };
        by('file').onchange = () => { by('ask').textContent = by('file').files[0].name };
        </script>"#;
    let page = page.replace("EVIL", &json!(EVIL).to_string().replace("</script>", "<\\/script>"));
    let viewport = json!({"width": 800, "height": 500});
    let (agent, _) = Agent::with(stack.caller(), json!({"url": stack.site.html(&page), "viewport": viewport})).await;
    agent.does("tabs", json!({"action": "new", "url": stack.site.html("<title>another</title>")})).await;
    agent.does("tabs", json!({"action": "select", "tab": "t1"})).await;
    let person = Watched::viewer(&stack, &agent, "control").await;
    let watched = Watched { agent, person, stack };
    let person = &watched.person;
    let elements = format!("{VIEW}.shadowRoot.querySelectorAll('img, script, iframe, object, embed, b').length");
    person.browser.evaluate(&format!("globalThis.own = {elements}")).await;
    let harmless = async |place: &str| {
        let seen = person.browser.evaluate(&format!("[globalThis.evil ?? null, {elements} - globalThis.own]")).await;
        assert_eq!(seen, json!([null, 0]), "{place}");
    };
    assert_eq!(person.browser.evaluate("document.title").await, format!("{EVIL} - Porthole"));
    person.reads("[role=tab]", EVIL).await;
    let address = format!("{VIEW}.shadowRoot.querySelector('[aria-label=Address]').value");
    person.sees(&format!("{address}.includes('onerror')")).await;
    harmless("title and address").await;

    watched.presses(100.0, 35.0).await;
    person.reads(".panel.list", EVIL).await;
    harmless("options and their groups").await;
    person.clicks("[role=option]", Some(EVIL)).await;
    watched.presses(60.0, 75.0).await;
    person.reads(".said-by-page", EVIL).await;
    person.sees(&format!("{VIEW}.shadowRoot.querySelector('form.panel input').value === {}", json!(EVIL))).await;
    harmless("a dialog and its default").await;
    person.clicks("button", Some("OK")).await;

    watched.presses(60.0, 115.0).await;
    // Its name may have no slash.
    let name = EVIL.replace('/', "");
    person.sees(&choose_a_file(&name)).await;
    harmless("what files are accepted").await;
    person.clicks("button", Some("Upload")).await;
    eventually(SOON, async || {
        let read = watched.agent.does("extract", json!({"instruction": "selector: #ask"})).await;
        so(read["content"] == name.as_str(), format!("{read:#?}"))
    })
    .await;
    watched.presses(60.0, 155.0).await;
    person.reads(".panel", EVIL).await;
    harmless("suggestions").await;
    watched.ends().await;
}

#[tokio::test]
async fn a_viewer_streams_again_by_itself_when_its_worker_was_replaced() {
    let mut stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(PAGE)).await;
    let person = Watched::viewer(&stack, &agent, "view").await;
    let drawn = format!("{VIEW}.shadowRoot.querySelector('canvas').getContext('2d').getImageData(5, 5, 1, 1).data[0]");
    person.sees(&format!("{drawn} > 200")).await;
    let address = stack.worker.main.to_string();
    stack.worker.process.signal(Signal::SIGTERM);
    person.sees(&format!("{VIEW}.status === 'reconnecting'")).await;
    stack.worker.process.ended(SOON).await;
    let mut settings = stack.of_worker.clone();
    settings.insert("PORTHOLE_WORKER_ADDR".to_owned(), address);
    stack.worker = Server::start("porthole-worker", &settings).await;
    person.sees(&format!("{VIEW}.status === 'streaming'")).await;
    agent.does("navigate", json!({"url": stack.site.html("<title>black</title><body style='background:#000'>")})).await;
    person.sees(&format!("{drawn} < 50")).await;
    person.sees("document.title === 'black - Porthole'").await;
}
