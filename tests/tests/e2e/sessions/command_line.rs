//! The command line with a session: a browser that stays between commands.

use std::os::unix::fs::PermissionsExt as _;

use porthole_tests::command::{Finished, run, run_foreign};
use porthole_tests::executable::example;
use porthole_tests::process::Environment;
use porthole_tests::{Picture, Reply, Stack};
use serde_json::Value;

fn environment(stack: &Stack) -> Environment {
    let mut environment = stack.home.environment();
    environment.insert("PORTHOLE_URL".to_owned(), stack.worker.url(""));
    environment
}

async fn porthole(environment: &Environment, arguments: &[&str]) -> Finished {
    run("porthole", arguments, environment, b"").await
}

#[tokio::test]
async fn an_answer_without_lines_and_an_error_of_the_server_are_told() {
    let stack = Stack::start().await;
    let environment = environment(&stack);
    let missing =
        stack.site.page(Reply::html("<title>Lost</title><p>Nothing here</p><button>Idle</button>").status(404));
    let opened = porthole(&environment, &["open", &missing]).await;
    assert_eq!(
        (opened.expect_code(0).contains("Lost"), opened.stderr.as_str()),
        (true, "the server answered with HTTP 404\n")
    );
    let hovered = porthole(&environment, &["hover", "--text", "Nothing here"]).await;
    assert_eq!((hovered.expect_code(0).as_str(), hovered.stderr.as_str()), ("", "(no line of the page changed)\n"));
    porthole(&environment, &["close"]).await.expect_code(0);
}

#[tokio::test]
async fn a_page_is_opened_and_its_tabs_are_listed_without_a_handle() {
    let stack = Stack::start().await;
    let environment = environment(&stack);
    let second = stack.site.html("<title>Second</title><h1>Second</h1>");
    let first = stack.site.html(&format!("<title>First</title><h1>First</h1><a href='{second}'>on</a>"));

    let said = porthole(&environment, &["open", &first]).await.expect_code(0);
    let (line, rest) = said.split_once('\n').unwrap();
    assert!(line.starts_with("session 1 (ses_"), "{said}");
    assert!(rest.starts_with(&format!("{first} - First")), "{said}");

    let said = porthole(&environment, &["open", &first, "--watch"]).await.expect_code(0);
    let address = said.lines().nth(1).unwrap().to_owned();
    assert!(address.starts_with(&format!("watch {}#ticket=", stack.worker.url("/live"))), "{said}");
    porthole(&environment, &["close"]).await.expect_code(0);

    let finished = porthole(&environment, &["tabs"]).await;
    finished.expect_code(1);
    assert!(finished.stderr.starts_with("NO_PAGE: Session 1 is open, and not chosen"), "{finished:?}");
    let said = porthole(&environment, &["tabs", "--session", "1"]).await.expect_code(0);
    assert_eq!(said, format!("* t1  {first} - First\n"));
    let said = porthole(&environment, &["watch", "--view-only"]).await.expect_code(0);
    assert!(said.starts_with(&format!("watch {}#ticket=", stack.worker.url("/live"))), "{said}");
    let finished = porthole(&environment, &["tabs", "new", &second]).await;
    let said = finished.expect_code(0);
    assert_eq!(finished.stderr, "", "that it was opened is in the list");
    assert!(said.contains(&format!("* t2  {second} - Second")), "{said}");
    porthole(&environment, &["tabs", "select", "t1"]).await.expect_code(0);

    porthole(&environment, &["goto", &second]).await.expect_code(0);
    let said = porthole(&environment, &["back"]).await.expect_code(0);
    assert!(said.starts_with(&format!("{first} - First")), "{said}");
    let answer: Value =
        serde_json::from_str(&porthole(&environment, &["reload", "--json"]).await.expect_code(0)).unwrap();
    assert_eq!((&answer["ok"], &answer["title"]), (&Value::from(true), &Value::from("First")));

    let said = porthole(&environment, &["sessions"]).await.expect_code(0);
    assert!(said.starts_with("* 1  ") && said.contains("tabs: 2"), "{said}");
    porthole(&environment, &["close"]).await.expect_code(0);
    let finished = porthole(&environment, &["tabs"]).await;
    finished.expect_code(1);
    assert!(finished.stderr.starts_with("NO_PAGE: "), "{finished:?}");
    assert_eq!(porthole(&environment, &["sessions"]).await.expect_code(0), "no session is open\n");
}

#[tokio::test]
async fn a_page_that_can_not_be_opened_leaves_no_session() {
    let stack = Stack::with().setting("PORTHOLE_MAX_SESSIONS_PER_SANDBOX", "1").start().await;
    let environment = environment(&stack);
    let finished = porthole(&environment, &["open", &stack.site.forbidden()]).await;
    finished.expect_code(1);
    assert!(finished.stderr.contains("BLOCKED_TARGET"), "{finished:?}");
    assert_eq!(porthole(&environment, &["sessions"]).await.expect_code(0), "no session is open\n");
    let page = stack.site.html("<title>Only</title>");
    // The seat of the session that was closed may be given back a moment later.
    porthole(&environment, &["open", &page]).await.expect_code(0);
    let finished = porthole(&environment, &["open", &page]).await;
    finished.expect_code(1);
    assert!(finished.stderr.starts_with("SESSION_LIMIT: ") && !finished.stderr.contains("retry"), "{finished:?}");
    porthole(&environment, &["close"]).await.expect_code(0);
}

#[tokio::test]
async fn a_blocked_target_is_refused_and_the_session_stays() {
    let stack = Stack::start().await;
    let environment = environment(&stack);
    let page = stack.site.html("<title>Allowed</title>");
    porthole(&environment, &["open", &page]).await.expect_code(0);
    let finished = porthole(&environment, &["goto", &stack.site.forbidden()]).await;
    finished.expect_code(1);
    assert!(finished.stderr.contains("BLOCKED_TARGET"), "{finished:?}");
    let said = porthole(&environment, &["tabs"]).await.expect_code(0);
    assert!(said.contains("Allowed"), "{said}");
    assert_eq!(stack.site.forbidden_visits(), 0);
}

const FORM: &str = "<title>Sign in</title><h1>Sign in</h1>
    <form onsubmit='event.preventDefault(); out.textContent = `Hello ${email.value} from ${country.value}`'>
    <label>Email <input id=email></label>
    <label>Country <select id=country><option>France<option>Switzerland</select></label>
    <label><input id=agree type=checkbox onchange='go.disabled = !agree.checked'> I agree</label>
    <button id=go disabled>Go</button></form><p id=out></p>";

/// The ref on the line of a snapshot that has this text.
#[track_caller]
fn reference(tree: &str, text: &str) -> String {
    let line = tree.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text} in\n{tree}"));
    let (_, rest) = line.split_once("[ref=").unwrap_or_else(|| panic!("no ref in {line}"));
    rest.split(']').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_form_is_filled_in_by_refs_and_by_names() {
    let stack = Stack::start().await;
    let environment = environment(&stack);
    let tree = porthole(&environment, &["open", &stack.site.html(FORM)]).await.expect_code(0);
    let email = reference(&tree, "textbox \"Email\"");
    let button = reference(&tree, "button \"Go\"");

    let finished = porthole(&environment, &["click", &button]).await;
    finished.expect_code(1);
    assert!(finished.stderr.starts_with("NOT_ENABLED: The element is disabled\n"), "{finished:?}");
    assert!(finished.stderr.contains("--state enabled"), "it says what to do: {finished:?}");

    let changes = porthole(&environment, &["type", &email, "ada@example.com"]).await.expect_code(0);
    assert!(changes.contains("ada@example.com") && !changes.contains("combobox"), "only what changed: {changes}");
    porthole(&environment, &["select", "--label", "Country", "Switzerland"]).await.expect_code(0);
    let changes = porthole(&environment, &["check", "--label", "I agree"]).await.expect_code(0);
    assert!(changes.contains("button \"Go\"") && !changes.contains("[disabled]"), "{changes}");
    porthole(&environment, &["click", "--role", "button", "--name", "Go"]).await.expect_code(0);
    porthole(&environment, &["wait", "--text", "Hello ada@example.com"]).await.expect_code(0);
    let said = porthole(&environment, &["read", "selector: #out"]).await.expect_code(0);
    assert_eq!(said, "Hello ada@example.com from Switzerland\n");

    let said = porthole(&environment, &["shot", "-o", "form.png"]).await.expect_code(0);
    assert_eq!(said, "form.png\n");
    Picture::decode(&std::fs::read(stack.home.home().join("form.png")).unwrap()).expect_size(1280, 720);

    porthole(&environment, &["reload"]).await.expect_code(0);
    let finished = porthole(&environment, &["click", &button]).await;
    finished.expect_code(1);
    assert!(finished.stderr.starts_with("STALE_REF: "), "{finished:?}");
    assert!(finished.stderr.contains("porthole snapshot"), "{finished:?}");
    let tree = porthole(&environment, &["snapshot"]).await.expect_code(0);
    assert_ne!(reference(&tree, "button \"Go\""), button);
    porthole(&environment, &["close"]).await.expect_code(0);
}

#[tokio::test]
async fn a_login_is_saved_and_another_browser_begins_with_it() {
    let stack = Stack::start().await;
    let environment = environment(&stack);
    let page = stack.site.html(
        "<title>Account</title><p id=out></p><script>out.textContent = `${localStorage.who ?? 'nobody'} ${document.cookie}`</script>
        <button onclick=\"localStorage.who = 'ada'; document.cookie = 'seen=1'; document.cookie = 'long=' + 'x'.repeat(3000)\">Log in</button>
        <button onclick=\"localStorage.filler = 'y'.repeat(200000)\">Fill</button>",
    );
    porthole(&environment, &["open", &page]).await.expect_code(0);
    porthole(&environment, &["click", "--role", "button", "--name", "Log in"]).await.expect_code(0);
    // More than a navigation's request may have.
    porthole(&environment, &["click", "--role", "button", "--name", "Fill"]).await.expect_code(0);
    assert_eq!(porthole(&environment, &["state", "-o", "login.json"]).await.expect_code(0), "login.json\n");
    let mode = std::fs::metadata(stack.home.home().join("login.json")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let printed: Value = serde_json::from_str(&porthole(&environment, &["state"]).await.expect_code(0)).unwrap();
    assert_eq!(printed["origins"][0]["local_storage"].as_array().map(Vec::len), Some(2), "{printed}");
    porthole(&environment, &["close"]).await.expect_code(0);

    porthole(&environment, &["open", &page]).await.expect_code(0);
    assert_eq!(porthole(&environment, &["read", "selector: #out"]).await.expect_code(0), "nobody\n");
    porthole(&environment, &["close"]).await.expect_code(0);
    porthole(&environment, &["open", &page, "--state", "login.json", "--locale", "de-CH"]).await.expect_code(0);
    let said = porthole(&environment, &["read", "selector: #out"]).await.expect_code(0);
    assert!(said.starts_with("ada ") && said.contains("seen=1"), "{said}");
    porthole(&environment, &["close"]).await.expect_code(0);

    std::fs::write(stack.home.home().join("wrong.json"), "{\"cookies\": [\"secret\"]}").unwrap();
    let finished = porthole(&environment, &["open", &page, "--state", "wrong.json"]).await;
    finished.expect_code(2);
    assert!(finished.stderr.contains("wrong.json") && !finished.stderr.contains("secret"), "{finished:?}");
}

#[tokio::test]
async fn the_example_of_the_library_acts_on_a_page() {
    let stack = Stack::start().await;
    let page =
        stack.site.html("<title>Counter</title><button onclick='this.textContent = \"clicked\"'>Click me</button>");
    let finished = run_foreign(&example("session"), &[&page, "@e1"], &environment(&stack)).await;
    let said = finished.expect_code(0);
    assert!(said.starts_with(&format!("Counter - {page}\n")), "{said}");
    let (before, after) = said.split_once("button \"Click me\"").unwrap_or_else(|| panic!("{said}"));
    assert!(!before.contains("clicked") && after.contains("clicked"), "{said}");
}
