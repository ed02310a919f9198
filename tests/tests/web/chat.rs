//! The chat example against the whole stack: a person writes, the model's calls run, cards and the live view show them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use axum::{Json, Router};
use http::{StatusCode, header};
use porthole_tests::agent::Agent;
use porthole_tests::process::Process;
use porthole_tests::{Stack, eventually};
use serde_json::{Value, json};

use crate::browser::in_path;
use crate::person::Person;

const SOON: Duration = Duration::from_secs(30);
const KEY: &str = "the-client-key-of-the-chat-example-001";
const MODEL_KEY: &str = "sk-of-the-model-in-the-test";
/// A page whose button writes what was typed and changes the page's colour.
pub(crate) const PAGE: &str = "<!doctype html><meta name=viewport content='width=device-width'><title>The harbour shop</title>
    <style>body{font:18px sans-serif;margin:0;min-height:100vh;background:#fff}</style>
    <article><h1>Lamps</h1><p>A brass lamp for the long nights at sea, and a tin one for the pier.</p></article>
    <form onsubmit='event.preventDefault(); said.textContent = `Thank you, ${who.value}`; document.body.style.background = `#00a040`'>
    <label>Name <input id=who></label> <button>Order</button></form><p id=said role=status></p>";
/// The colour of a point of the live view's picture.
const SEEN: &str = "(() => { const canvas = document.querySelector('porthole-live-view')?.shadowRoot.querySelector('canvas:not(.empty)');
    return canvas ? [...canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height - 9, 1, 1).data].slice(0, 3) : null; })()";
/// Everything that the server tells the page of the chat, without pictures: read to `END`.
const TOLD: &str =
    "(async () => { const reader = (await fetch('events')).body.getReader(), decoder = new TextDecoder();
    let told = '';
    while (!/END/.test(told.slice(-END_WITHIN))) told += decoder.decode((await reader.read()).value, {stream: true});
    await reader.cancel();
    return told.replace(/\"image_base64\":\"[^\"]*\"/g, ''); })()";

/// The app, its stack, and a person before its page.
pub(crate) struct Chat {
    pub(crate) person: Person,
    app: Process,
    pub(crate) stack: Stack,
    pub(crate) url: String,
}

impl Chat {
    /// On a stack and an app with these settings; none where node is missing.
    pub(crate) async fn start(stack: &[(&str, &str)], settings: &[(&str, &str)]) -> Option<Self> {
        let Some(node) = in_path("node") else {
            assert!(std::env::var_os("CI").is_none(), "node is missing: CI must run every example");
            eprintln!("SKIPPED: node is missing, so the chat example is not run");
            return None;
        };
        let always = [("PORTHOLE_BROWSER_TOOLS", "on"), ("PORTHOLE_CLIENT_KEYS", KEY)];
        let of_stack = always.iter().chain(stack);
        let stack = of_stack.fold(Stack::with(), |stack, (name, value)| stack.setting(name, value)).start().await;
        let mut environment = stack.home.environment();
        let worker = stack.worker.url("");
        let own = [("PORTHOLE_URL", worker.as_str()), ("PORTHOLE_KEY", KEY), ("PORT", "0")];
        environment.extend(own.iter().chain(settings).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/chat/server.mjs");
        let app = Process::spawn_program(&node, &[script.to_str().unwrap()], &environment);
        let url = eventually(SOON, async || {
            let lines = app.stdout();
            let url = lines.iter().find_map(|line| line.strip_prefix("open "));
            url.map(str::to_owned).ok_or_else(|| format!("it does not listen: {:?}", app.stderr()))
        })
        .await;
        let person = Person::at(&url).await;
        Some(Self { person, app, stack, url })
    }

    /// Writes a message and waits until its answer has these words.
    pub(crate) async fn says(&self, message: &str, answer: &str) {
        self.person.fills("#text", message).await;
        self.person.clicks("#send", None).await;
        self.person.reads("#log > li:last-child", answer).await;
        self.person.sees("!document.querySelector('#send').disabled").await;
    }

    /// What the server told the page so far, up to these words.
    async fn told(&self, end: &str) -> String {
        let script = TOLD.replace("END_WITHIN", "2000").replace("END", end);
        self.person.browser.evaluate(&script).await.as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_chat_shows_pictures_texts_and_a_browser_that_works() {
    let Some(chat) = Chat::start(&[], &[]).await else { return };
    let (person, url) = (&chat.person, chat.stack.site.html(PAGE));

    chat.says(&format!("Take a screenshot of {url}, <b>please</b>"), "This is how the page looks now.").await;
    person.sees("document.querySelector('porthole-card').state === 'done'").await;
    person.reads(".title", "The harbour shop").await;
    let sizes = "(() => { const [card] = document.querySelectorAll('porthole-card');
        const {width, height} = card.shadowRoot.firstChild.shadowRoot.querySelector('canvas') ?? {}; return [width, height]; })()";
    person.sees(&format!("JSON.stringify({sizes}) === '[390,844]'")).await;
    person.reads("#log .person", "<b>please</b>").await;
    assert_eq!(person.browser.evaluate("document.querySelector('#log b')").await, Value::Null, "text is text");

    chat.says(&format!("Now read {url}"), "That is what the page says.").await;
    person.reads(".content", "A brass lamp for the long nights at sea").await;

    let order = format!("Open {url}, type \"Ada\" into \"Name\" and click \"Order\"");
    chat.says(&order, "The page now shows: status: Thank you, Ada").await;
    person.sees("document.querySelector('porthole-live-view').status === 'streaming'").await;
    person.sees(&format!("(([r, g, b]) => r < 40 && g > 120 && b < 110)({SEEN} ?? [255, 0, 0])")).await;
    person.browser.shot("chat").await;
    assert_eq!(person.browser.evaluate("document.querySelectorAll('porthole-card').length").await, 5);

    // A page that was reloaded shows the same chat, and the browser again.
    person.browser.open(&chat.url).await;
    person.reads("#log > li:last-child", "The page now shows: status: Thank you, Ada").await;
    person.sees(&format!("(([r, g, b]) => r < 40 && g > 120 && b < 110)({SEEN} ?? [255, 0, 0])")).await;
    let told = chat.told("\"with\":null").await;
    for secret in [KEY, "eyJ", "ticket", "owner_token"] {
        assert!(!told.contains(secret), "{secret}: {told}");
    }
    chat.says("Close the browser", "The browser is closed.").await;
    person.sees("document.querySelector('#browser').hidden").await;
    let log = [chat.app.stdout(), chat.app.stderr()].concat().join("\n");
    assert!(!log.contains(KEY) && !log.contains("eyJ") && !log.contains("failed"), "{log}");
}

/// What a model was asked: the authorization and the messages of each request.
type Asked = Arc<Mutex<Vec<(String, Value)>>>;

/// An API as OpenAI's chat completions, whose model calls a tool and writes markup.
async fn model(asked: Asked) -> String {
    let answer = async move |State(asked): State<Asked>, headers: HeaderMap, Json(body): Json<Value>| {
        let authorization = headers[header::AUTHORIZATION].to_str().unwrap().to_owned();
        let mut asked = asked.lock().unwrap();
        asked.push((authorization, body));
        let call = json!({"tool": "sandbox_browser_extract", "args": {"url": "http://10.0.0.1/"}});
        let text = match asked.len() {
            1 => format!("<img src=x onerror='document.title = 1'> I look. {call}"),
            _ => "<script>document.title = 1</script> There are lamps.".to_owned(),
        };
        Json(json!({"choices": [{"message": {"role": "assistant", "content": text}}]}))
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let router = Router::new().route("/v1/chat/completions", post(answer)).with_state(asked);
    tokio::spawn(async move { axum::serve(listener, router).await });
    base
}

/// The adapter for real models. None is asked here: a server on loopback speaks as one does.
#[tokio::test]
async fn a_model_behind_an_api_gets_results_and_its_key_stays_at_the_server() {
    let asked = Asked::default();
    let base = model(Arc::clone(&asked)).await;
    let settings = [("MODEL_URL", base.as_str()), ("MODEL_NAME", "a-model"), ("MODEL_KEY", MODEL_KEY)];
    let Some(chat) = Chat::start(&[], &settings).await else { return };
    chat.says("What do they sell?", "There are lamps.").await;
    chat.person.reads("#log", "<img src=x onerror='document.title = 1'> I look.").await;
    assert_eq!(chat.person.browser.evaluate("document.querySelectorAll('#log img, #log script').length").await, 0);
    assert_eq!(chat.person.browser.evaluate("document.title").await, "Chat with a browser");
    chat.person.reads(".error", "This URL points to a private or local network").await;

    let asked = std::mem::take(&mut *asked.lock().unwrap());
    let keys: BTreeSet<&str> = asked.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, [format!("Bearer {MODEL_KEY}").as_str()].into());
    let messages = asked[1].1["messages"].as_array().unwrap();
    assert_eq!(asked[1].1["model"], "a-model");
    let content = |at: usize| messages[at]["content"].as_str().unwrap();
    assert!(content(0).contains("- browser_navigate: ") && content(0).contains("screen has 1024 by 768 CSS pixels"));
    assert_eq!(content(1), "What do they sell?");
    assert!(content(3).contains("sandbox_browser_extract failed: BLOCKED_TARGET"), "{}", content(3));
    let told = chat.told("\"with\":null").await;
    let log = [chat.app.stdout(), chat.app.stderr()].concat().join("\n");
    assert!(!told.contains(MODEL_KEY) && !log.contains(MODEL_KEY), "{told}\n{log}");
}

/// Other sites' pages, and names that were bound to this address, get nothing.
#[tokio::test]
async fn the_server_answers_its_own_page_alone() {
    let Some(chat) = Chat::start(&[], &[]).await else { return };
    let http = &chat.stack.caller().http;
    let page = http.get(&chat.url).send().await.unwrap();
    let policy = page.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self' http://127.0.0.1:"), "{policy}");
    assert!(policy.contains("require-trusted-types-for 'script'") && !policy.contains("unsafe"), "{policy}");
    let cookie = page.headers()[header::SET_COOKIE].to_str().unwrap().to_owned();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let post = async |origin: &str, cookie: &str, content_type: &str| {
        let request = http.post(format!("{}/message", chat.url)).header(header::ORIGIN, origin);
        let request = request.header(header::COOKIE, cookie).header(header::CONTENT_TYPE, content_type);
        request.body(r#"{"id":"1","text":"hello"}"#).send().await.unwrap().status()
    };
    let json = "application/json";
    assert_eq!(post("https://other.example", cookie, json).await, StatusCode::FORBIDDEN);
    assert_eq!(post(&chat.url, cookie, "text/plain").await, StatusCode::FORBIDDEN);
    assert_eq!(post(&chat.url, "chat=guessed", json).await, StatusCode::NOT_FOUND);
    let rebound = http.get(&chat.url).header(header::HOST, "rebound.example").send().await.unwrap();
    assert_eq!(rebound.status(), StatusCode::FORBIDDEN);
    assert_eq!(post(&chat.url, cookie, json).await, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn a_failure_is_a_calm_card_whose_retry_goes_on() {
    let Some(chat) = Chat::start(&[("PORTHOLE_MAX_SESSIONS", "1")], &[]).await else { return };
    let url = chat.stack.site.html(PAGE);
    let (other, _) = Agent::at(chat.stack.caller(), &url).await;
    chat.says(&format!("Open {url} and click \"Order\""), "That did not work: the card says why.").await;
    chat.person.reads(".error", "Too many browser sessions are open").await;
    other.does("close", json!({})).await;
    chat.person.clicks("button", Some("Try again")).await;
    chat.person.reads("#log > li:last-child", "The page now shows: status: Thank you,").await;
}
