//! The playground at a real worker, by real clicks, and what is served beside it.

use http::{Method, StatusCode, header};
use porthole_contract::session::ClickRequest;
use porthole_tests::command::run_foreign;
use porthole_tests::{Reply, Stack, owner};
use serde_json::{Value, json};

use crate::browser::in_path;
use crate::person::Person;

const PAGE: &str = "<!doctype html><title>The harbour shop</title><style>body{font:18px sans-serif;margin:2rem}</style>
    <main><h1>Lamps</h1><table id=prices><tr><th>lamp<th>price<tr><td>brass<td>40<tr><td>tin<td>12</table>
    <form onsubmit='event.preventDefault(); said.textContent = `Thank you, ${who.value}`'>
    <label>Name <input id=who></label> <button>Order</button></form><p id=said role=status></main>";
const KEY: &str = "the-client-key-of-the-playground-001";

#[tokio::test]
async fn everything_can_be_tried() {
    let stack = Stack::start().await;
    let url = stack.site.html(PAGE);
    let person = Person::at(&stack.worker.url("/playground")).await;

    person.fills("#url", &url).await;
    person.clicks("#go", None).await;
    person.sees("document.querySelector('porthole-card')?.state === 'done'").await;
    person.reads(".title", "The harbour shop").await;
    person.reads(".code pre", "/api/sandbox/browser-screenshot").await;
    person.reads(".answer h2", "HTTP 200").await;
    let answer = person.text(".answer pre").await;
    assert!(answer.contains("characters)") && answer.len() < 3_000, "the picture's base64 is cut: {answer}");
    person.browser.shot("playground-picture").await;

    person.clicks("[role=tab]", Some("Markdown")).await;
    person.clicks("#go", None).await;
    person.reads(".content h3", "Lamps").await;
    person.clicks("[role=tab]", Some("Text")).await;
    person.clicks("#go", None).await;
    person.reads(".content.plain", "brass").await;
    person.clicks("[role=tab]", Some("Tables")).await;
    person.clicks("input[name=csv]", None).await;
    person.clicks("#go", None).await;
    person.reads(".content td", "brass").await;
    person.clicks("[role=tab]", Some("JSON map")).await;
    person.clicks("#go", None).await;
    person.reads(".content.code", "\"heading\": \"Lamps\"").await;
    person.browser.shot("playground-map").await;

    // An error is shown as it is.
    person.clicks("[role=tab]", Some("Text")).await;
    person.fills("#url", &stack.site.forbidden()).await;
    person.clicks("#go", None).await;
    person.reads(".error", "This URL points to a private or local network").await;
    person.reads(".answer pre", "BLOCKED_TARGET").await;
    assert_eq!(stack.site.forbidden_visits(), 0);
    person.browser.shot("playground-error").await;
    let held = "localStorage.length + sessionStorage.length + document.cookie.length";
    assert_eq!(person.browser.evaluate(held).await, 0, "nothing is kept");
}

#[tokio::test]
async fn a_session_is_acted_in_by_refs() {
    let stack = Stack::start().await;
    let url = stack.site.html(PAGE);
    let person = Person::at(&stack.worker.url("/playground")).await;
    person.clicks("[role=tab]", Some("Session")).await;
    person.fills("#url", &url).await;
    person.clicks("#go", None).await;
    person.reads(".tree", "textbox \"Name\"").await;
    // The ticket for the live view is asked for as well: what is shown is the request that was made here.
    person.sees("document.querySelector('porthole-live-view').src.includes('#ticket=')").await;
    person.reads(".code pre", "session/navigate").await;
    person.clicks(".tree button", Some("@e1")).await;
    person.chooses(".act select", "type").await;
    person.fills(".act input", "Ada").await;
    person.clicks("#act", None).await;
    person.reads(".tree", ": Ada").await;
    person.clicks(".tree button", Some("@e2")).await;
    person.clicks("#act", None).await;
    person.reads(".tree", "Thank you, Ada").await;
    person.reads(".code pre", "session/click").await;
    person.browser.shot("playground-session").await;
    let answer = person.text(".answer pre").await;
    assert!(!answer.contains("eyJ"), "no token is shown: {answer}");
    person.clicks(".code [role=tab]", Some("Rust")).await;
    let code = person.text(".code pre").await;
    let between = |begin: &str, end: &str| {
        let part = code.split_once(begin).and_then(|(_, rest)| rest.split_once(end));
        part.unwrap_or_else(|| panic!("no {begin}: {code}")).0
    };
    let request: ClickRequest =
        serde_json::from_str(between("r#\"", "\"#")).unwrap_or_else(|error| panic!("{error}: {code}"));

    // The session ends by itself: the next press of Open makes another one.
    let caller = stack.caller().owning(&request.sandbox_id, &owner::FIRST);
    caller.post("/session/close", json!({"session": between(".with_handle(\"", "\"")})).await.expect_session();
    person.clicks("#go", None).await;
    let tree = "document.querySelector('.tree').textContent";
    person.sees(&format!("{tree}.includes('Name') && !{tree}.includes('Thank you')")).await;
    person.clicks("button", Some("Close session")).await;
    person.reads(".box [role=status]", "The session is closed.").await;
}

/// What is shown as code does the same where it is pasted.
#[tokio::test]
async fn the_code_that_is_shown_works() {
    let stack = Stack::with().setting("PORTHOLE_CLIENT_KEYS", KEY).start().await;
    let url = stack.site.html("<title>it's \"quoted\"</title><p>what was read");
    let person = Person::at(&stack.worker.url("/playground")).await;
    person.clicks("[role=tab]", Some("JSON map")).await;
    person.fills("#url", &url).await;
    person.clicks("#go", None).await;

    // The worker asks for a key: the page takes it, and keeps it nowhere. `create`, which it refused, has no sandbox yet.
    person.reads(".code pre", "sandbox/create").await;
    let code = person.text(".code pre").await;
    assert!(!code.contains("sandbox_id") && !code.contains("owner_token"), "{code}");
    person.fills("#key-field", KEY).await;
    person.clicks("#key button", None).await;
    person.reads(".answer h2", "HTTP 200").await;
    assert_eq!(person.browser.evaluate("localStorage.length + sessionStorage.length").await, 0);
    assert!(!person.text("body").await.contains(KEY));
    let map = "document.querySelector('textarea').value = '{\"said\": \"p\", \"it\\'s\": \"p\"}'";
    person.browser.evaluate(map).await;
    person.clicks("#go", None).await;
    person.reads(".answer pre", "what was read").await;

    let mut environment = stack.home.environment();
    environment.insert("PORTHOLE_KEY".to_owned(), KEY.to_owned());
    for (language, program, flag) in
        [("curl", "sh", "-c"), ("Python", "python3", "-c"), ("JavaScript", "node", "--input-type=module")]
    {
        person.clicks(".code [role=tab]", Some(language)).await;
        let code = person.text(".code pre").await;
        let (_, sandbox) = code.split_once("\"sb-").or_else(|| code.split_once("'sb-")).unwrap();
        let sandbox = format!("sb-{}", sandbox.split(['"', '\'']).next().unwrap());
        environment.insert("PORTHOLE_OWNER_TOKEN".to_owned(), owner::FIRST.token(&sandbox, 600));
        let Some(program) = in_path(program) else {
            eprintln!("SKIPPED: {program} is missing");
            continue;
        };
        let arguments = if language == "JavaScript" { vec![flag, "-e", &code] } else { vec![flag, &code] };
        let told = run_foreign(&program, &arguments, &environment).await.expect_code(0);
        assert!(told.contains("what was read"), "{language}: {told}\n{code}");
    }
    person.clicks(".code [role=tab]", Some("Rust")).await;
    person.reads(".code pre", "let mut request: ExtractRequest").await;
}

#[tokio::test]
async fn the_pages_come_with_their_policies() {
    let stack = Stack::with().setting("PORTHOLE_CLIENT_KEYS", KEY).start().await;
    let caller = stack.caller();
    let get = async |path: &str, origin: Option<&str>| {
        let mut request = caller.http.request(Method::GET, stack.worker.url(path));
        if let Some(origin) = origin {
            request = request.header(header::ORIGIN, origin);
        }
        request.send().await.unwrap()
    };
    for path in ["/live", "/playground", "/live/page.js", "/elements/index.js", "/elements/live/mapping.js"] {
        let answer = get(path, None).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}: without a key");
        let headers = answer.headers();
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self';"), "{policy}");
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(headers[header::REFERRER_POLICY], "no-referrer");
        let tag = headers[header::ETAG].clone();
        let again = caller.http.get(stack.worker.url(path)).header(header::IF_NONE_MATCH, tag).send().await.unwrap();
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{path}");
    }
    for path in [
        "/elements/../Cargo.toml",
        "/elements/%2e%2e/package.json",
        "/elements/none.js",
        "/live/index.html",
        "/elements/",
    ] {
        assert_eq!(get(path, None).await.status(), StatusCode::NOT_FOUND, "{path}");
    }
    let elements = get("/elements/index.js", Some("https://chat.example.com")).await;
    assert_eq!(
        (elements.status(), &elements.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN]),
        (StatusCode::OK, &"*".parse().unwrap())
    );
    assert_eq!(get("/live", Some("https://chat.example.com")).await.status(), StatusCode::FORBIDDEN);

    let without = Stack::with().setting("PORTHOLE_PLAYGROUND", "off").start().await;
    let answer = caller.http.get(without.worker.url("/playground")).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    assert_eq!(answer.json::<Value>().await.unwrap()["error"], "NOT_FOUND");
}

/// A chat app's page loads the elements from the worker, and allows nothing else.
#[tokio::test]
async fn a_foreign_page_with_a_strict_policy_shows_cards() {
    let stack = Stack::start().await;
    let worker = stack.worker.url("");
    let taken = stack.screenshot(json!({"url": stack.site.html(PAGE)})).await.json();
    let mut data = taken.clone();
    data["url"] = taken["final_url"].clone();
    let card = json!({"type": "browser-screenshot", "data": data});
    let script = format!(
        "import '{worker}/elements/index.js';\nconst card = document.createElement('porthole-card');\ncard.card = {card};\ndocument.body.append(card);\n"
    );
    let site = &stack.site;
    let script = site.page(Reply::of("text/javascript", script));
    let html = format!("<!doctype html><title>chat</title><script type=module src='{script}'></script><body>");
    let policy = format!("default-src 'none'; script-src 'self' {worker}; require-trusted-types-for 'script'");
    let page = site.page(Reply::html(&html).header("content-security-policy", &policy));
    let person = Person::at(&page).await;
    person.sees("document.querySelector('porthole-card')?.state === 'done'").await;
    person.reads(".title", "The harbour shop").await;
    person.sees("[...document.querySelector('porthole-card').shadowRoot.firstChild.shadowRoot.querySelectorAll('canvas')].length === 1").await;
    let kinds = "new Set(performance.getEntriesByType('resource').map(({initiatorType}) => initiatorType)).size";
    assert!(person.browser.evaluate(kinds).await.as_u64().unwrap() <= 2, "only modules are loaded");
}
