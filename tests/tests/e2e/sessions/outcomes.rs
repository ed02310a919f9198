//! What came of a call, where that is more than a change on the page: windows that close, dialogs that let a page go,
//! loads that fail.

use std::time::Duration;

use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::eventually::so;
use porthole_tests::{Reply, Stack, eventually};
use serde_json::{Map, Value, json};

const SOON: Duration = Duration::from_secs(10);

fn named<'a>(answer: &'a Map<String, Value>, kind: &str) -> Vec<&'a Value> {
    answer["events"].as_array().unwrap().iter().filter(|event| event["type"] == kind).collect()
}

fn warns(answer: &Map<String, Value>, code: &str) -> bool {
    let warnings = answer["warnings"].as_array().unwrap().iter();
    warnings.filter_map(Value::as_str).any(|warning| warning.starts_with(&format!("{code}: ")))
}

#[tokio::test]
async fn a_popup_that_its_own_click_closes_has_acted() {
    let stack = Stack::shared().await;
    let popup = stack.site.html(
        "<title>consent</title><button onclick=\"opener.document.title = 'allowed'; window.close()\">Allow</button>",
    );
    let page =
        stack.site.html(&format!("<title>opener</title><button onclick=\"window.open('{popup}')\">Log in</button>"));
    let (agent, opened) = Agent::at(stack.caller(), &page).await;
    let login = reference(&tree(&opened), "\"Log in\"");
    for act in ["click", "interact", "press"] {
        agent.does("click", json!({"ref": login})).await;
        let mut tab = String::new();
        eventually(SOON, async || {
            let listed = agent.does("tabs", json!({"action": "list"})).await;
            tab = listed["tabs"][1]["tab"].as_str().unwrap_or_default().to_owned();
            so(listed["tabs"][1]["title"] == "consent", format!("{listed:#?}"))
        })
        .await;
        let allow = json!({"by": "role", "value": "button", "name": "Allow"});
        let fields = match act {
            "click" => json!({"tab": tab, "target": allow, "snapshot": "full"}),
            "interact" => json!({"tab": tab, "action": "click", "target": allow, "snapshot": "full"}),
            _ => json!({"tab": tab, "target": allow, "key": "Enter", "snapshot": "full"}),
        };
        let done = agent.does(act, fields).await;
        assert_eq!((&done["tab"], &done["title"]), (&json!("t1"), &json!("allowed")), "{act}: {done:#?}");
        assert_eq!(named(&done, "tab_closed")[0]["tab"], tab.as_str(), "{act}: {done:#?}");
        assert!(tree(&done).contains("\"Log in\""), "{act}: {done:#?}");
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_page_that_shows_nothing_to_act_on_or_too_much_is_told() {
    let stack = Stack::shared().await;
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html("<p>words alone")).await;
    assert!(warns(&opened, "nothing_interactive") && !warns(&opened, "page_too_large"), "{opened:#?}");
    // The first lines leave no room for the button.
    let page = "<body><script>document.body.innerHTML = '<i tabindex=0>x</i>'.repeat(61000) + '<button>Last</button>'</script>";
    let shown = agent.does("navigate", json!({"url": stack.site.html(page), "snapshot": "full"})).await;
    assert!(warns(&shown, "page_too_large") && !warns(&shown, "nothing_interactive"), "{shown:#?}");
    assert_eq!(shown["snapshot"]["truncated"], true, "{shown:#?}");
    agent.does("interact", json!({"action": "click", "target": {"by": "text", "value": "Last"}})).await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_failure_with_a_long_snapshot_is_told_as_it_is() {
    let stack = Stack::shared().await;
    let words = "слово ".repeat(400);
    let parts = (0..40).map(|at| format!("<p>Часть {at}: {words}</p>")).collect::<String>();
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(&parts)).await;
    let whole = json!({"mode": "full", "interactive_only": false, "max_chars": 100_000});
    let failed = agent.call("click", json!({"ref": "@e99999", "snapshot": whole})).await;
    let told = failed.expect_code("STALE_REF");
    assert!(failed.body.len() > 100_000, "{} bytes", failed.body.len());
    assert_eq!(told["session"], agent.session.as_str());
    assert!(tree(&told).contains("Часть 9"), "{told:?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_call_whose_tab_is_closed_meanwhile_is_told_so() {
    let stack = Stack::shared().await;
    let page = stack.site.html(
        "<title>opener</title><button onclick=\"w = window.open('about:blank'); setTimeout(() => w.close(), 1500)\">Open</button>",
    );
    let (agent, opened) = Agent::at(stack.caller(), &page).await;
    agent.does("click", json!({"ref": reference(&tree(&opened), "\"Open\"")})).await;
    let failed = agent.call("wait", json!({"tab": "t2", "ms": 8_000})).await;
    let failed = failed.expect_code_about("INVALID_REQUEST", "closed");
    assert_eq!(failed["tab"], "t1", "{failed:?}");
    assert_eq!(agent.does("status", json!({})).await["title"], "opener");
    agent.does("close", json!({})).await;
}

const UNSAVED: &str = "<title>form</title><input aria-label=Name><a href='NEXT'>on</a>
    <script>onbeforeunload = event => { if (document.querySelector('input').value) event.preventDefault() }</script>";

#[tokio::test]
async fn an_accepted_beforeunload_is_answered_on_the_next_page() {
    let stack = Stack::shared().await;
    let next = stack.site.page(Reply::html("<title>next</title><h1>Next</h1>").late(Duration::from_millis(700)));
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&UNSAVED.replace("NEXT", &next))).await;
    let (name, on) = (reference(&tree(&opened), "\"Name\""), reference(&tree(&opened), "\"on\""));
    agent.does("type", json!({"ref": name, "text": "Ada"})).await;
    let held = agent.does("click", json!({"ref": on})).await;
    assert_eq!(named(&held, "dialog")[0]["kind"], "beforeunload", "{held:#?}");
    let stays = agent.does("dialog", json!({"accept": false, "snapshot": "full"})).await;
    assert_eq!((&stays["navigated"], &stays["title"]), (&json!(false), &json!("form")));
    agent.does("click", json!({"ref": on})).await;
    let left = agent.does("dialog", json!({"accept": true, "snapshot": "full"})).await;
    assert_eq!((&left["navigated"], &left["settled"], &left["title"]), (&json!(true), &json!(true), &json!("next")));
    assert!(tree(&left).contains("heading \"Next\""), "{left:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_tab_with_unsaved_work_asks_before_it_closes() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<title>first</title>")).await;
    let form = stack.site.html(UNSAVED);
    agent.does("tabs", json!({"action": "new", "url": form})).await;
    agent.does("type", json!({"target": {"by": "label", "value": "Name"}, "text": "Ada"})).await;
    let asked = agent.does("tabs", json!({"action": "close"})).await;
    assert_eq!(named(&asked, "dialog")[0]["kind"], "beforeunload", "{asked:#?}");
    assert_eq!(asked["tabs"].as_array().unwrap().len(), 2, "{asked:#?}");
    agent.does("dialog", json!({"accept": false})).await;
    assert_eq!(agent.does("status", json!({})).await["title"], "form");
    agent.does("tabs", json!({"action": "close"})).await;
    let closed = agent.does("dialog", json!({"accept": true})).await;
    assert_eq!((&closed["tab"], &closed["title"]), (&json!("t1"), &json!("first")), "{closed:#?}");
    assert_eq!(named(&closed, "tab_closed").len(), 1, "{closed:#?}");
    let tabs = agent.does("tabs", json!({"action": "list"})).await;
    assert_eq!(tabs["tabs"].as_array().unwrap().len(), 1, "{tabs:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn workers_that_an_action_starts_are_not_waited_for() {
    let stack = Stack::shared().await;
    let script = stack.site.page(Reply::of("text/javascript", "postMessage(location.protocol + location.search)"));
    let page = format!(
        "<title>workers</title><p id=out></p><script>const listen = w => {{ w.onmessage = e => out.textContent += `up: ${{e.data}}, ` }}</script>
        <button onclick=\"listen(new Worker('{script}'))\">plain</button>
        <button onclick=\"listen(new Worker('{script}?module', {{type: 'module'}}))\">module</button>
        <button onclick=\"listen(new Worker('data:text/javascript,postMessage(`data`)'))\">data</button>
        <button onclick=\"new SharedWorker('{script}')\">shared</button>
        <button onclick=\"listen(new Worker(window.URL.createObjectURL(new Blob(['postMessage(`blob`)'], {{type: 'text/javascript'}}))))\">blob</button>"
    );
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
    for kind in ["plain", "module", "data", "shared", "blob"] {
        let button = reference(&tree(&opened), &format!("\"{kind}\""));
        let clicked = agent.does("click", json!({"ref": button})).await;
        assert_eq!(clicked["settled"], true, "{kind}: {clicked:#?}");
    }
    eventually(SOON, async || {
        let tree = agent.tree().await;
        so(tree.matches("up").count() == 4, tree)
    })
    .await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_dialog_at_load_ends_the_wait_for_the_load() {
    let stack = Stack::shared().await;
    let asks = stack.site.html("<title>asks</title><script>alert('hello')</script><p>later</p>");
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<title>first</title>")).await;
    for fields in [json!({"url": asks}), json!({"action": "reload"})] {
        let went = agent.does("navigate", fields).await;
        assert_eq!(named(&went, "dialog")[0]["message"], "hello", "{went:#?}");
        assert_eq!(went["settled"], false, "{went:#?}");
        assert!(!warns(&went, "wait_timeout"), "the dialog is why it is not loaded: {went:#?}");
        agent.does("dialog", json!({"accept": true})).await;
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_click_whose_page_does_not_load_warns() {
    let stack = Stack::shared().await;
    let reset = stack.site.resetting();
    let page = format!("<title>first</title><a href='{reset}'>reset</a>");
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
    let clicked = agent.does("click", json!({"ref": reference(&tree(&opened), "\"reset\"")})).await;
    assert!(warns(&clicked, "navigation_failed"), "{clicked:#?}");
    assert!(clicked["warnings"][0].as_str().unwrap().contains("net::ERR_"), "{clicked:#?}");
    assert_eq!(agent.does("navigate", json!({"action": "back"})).await["title"], "first");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_download_in_a_new_window_leaves_no_tab() {
    let stack = Stack::shared().await;
    let file = Reply::of("application/pdf", "%PDF").header("content-disposition", "attachment; filename=report.pdf");
    let page = format!("<title>reports</title><a href='{}' target=_blank>report</a>", stack.site.page(file));
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
    let mut clicked = agent.does("click", json!({"ref": reference(&tree(&opened), "\"report\"")})).await;
    let mut files = named(&clicked, "download").len();
    eventually(SOON, async || {
        clicked = agent.does("tabs", json!({"action": "list"})).await;
        files += named(&clicked, "download").len();
        so(files == 1 && clicked["tabs"].as_array().unwrap().len() == 1, format!("{clicked:#?}"))
    })
    .await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn the_tab_of_one_call_is_that_of_the_next() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<title>one</title>")).await;
    agent.does("tabs", json!({"action": "new", "url": stack.site.html("<title>two</title>")})).await;
    assert_eq!(agent.does("snapshot", json!({"tab": "t1"})).await["title"], "one");
    assert_eq!(agent.does("status", json!({})).await["title"], "one");
    assert_eq!(agent.does("status", json!({"tab": "t2"})).await["title"], "two");
    assert_eq!(agent.does("snapshot", json!({})).await["title"], "one", "asking for the status uses no tab");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_first_url_that_is_none_makes_no_session() {
    let stack = Stack::shared().await;
    let caller = stack.caller();
    for url in ["example.com", "ftp://example.com/"] {
        let failed = caller.post("/session/navigate", json!({"url": url})).await.expect_code("INVALID_URL");
        assert!(!failed.contains_key("session"), "{failed:?}");
    }
}

/// A name goes with a role alone, so a target with one is a role and its name also without `by`.
#[tokio::test]
async fn a_name_without_a_kind_is_that_of_a_role() {
    let stack = Stack::shared().await;
    let page = stack.site.html(
        "<title>none</title><script>onclick = event => { document.title = event.target.textContent }</script>
        <button>Delete</button><button>Save</button>",
    );
    let (agent, _) = Agent::at(stack.caller(), &page).await;
    let done = agent.does("click", json!({"target": {"value": "button", "name": "Save"}})).await;
    assert_eq!(done["title"], "Save", "{done:#?}");
    let options = json!({"timeout_ms": 300});
    let missing = json!({"action": "click", "target": {"value": "button", "name": "Send"}, "options": options});
    agent.call("interact", missing).await.expect_code("ELEMENT_NOT_FOUND");
    assert_eq!(agent.does("status", json!({})).await["title"], "Save");
    agent.does("close", json!({})).await;
}

/// What may have happened is not sent again, and the time that was waited for its effects is told.
#[tokio::test]
async fn a_click_that_runs_out_of_time_is_not_to_be_sent_again() {
    let stack = Stack::shared().await;
    let (never, late) =
        (stack.site.page(Reply::never()), stack.site.page(Reply::text("late").late(Duration::from_millis(700))));
    let page = stack.site.html(&format!(
        "<title>none</title><button onclick=\"document.title = 'asked'; fetch('{never}')\">Ask</button>
        <button onclick=\"document.title = 'did'; for (const end = Date.now() + 2500; Date.now() < end;);\">Busy</button>
        <button onclick=\"fetch('{late}')\">Late</button>"
    ));
    let (agent, opened) = Agent::at(stack.caller(), &page).await;
    let done = agent.does("click", json!({"ref": reference(&tree(&opened), "\"Late\"")})).await;
    assert!(done["timings_ms"]["settle"].as_u64().unwrap() >= 600, "{done:#?}");
    assert!(done["timings_ms"]["act"].as_u64().unwrap() < 600, "{done:#?}");
    // Its effects are waited for within its time.
    let asked = agent.does("click", json!({"ref": reference(&tree(&opened), "\"Ask\""), "timeout_ms": 1_000})).await;
    assert_eq!((&asked["settled"], &asked["title"]), (&json!(false), &json!("asked")), "{asked:#?}");
    let busy = json!({"ref": reference(&tree(&opened), "\"Busy\""), "timeout_ms": 1_000});
    let failed = agent.call("click", busy).await.expect_code("DEADLINE_EXCEEDED");
    assert_eq!(failed["retryable"], false, "{failed:#?}");
    assert_eq!(agent.does("status", json!({})).await["title"], "did");
    agent.does("close", json!({})).await;
}

/// What a snapshot shows of closed shadow roots is found by what a person would call it, and an event has the whole address.
#[tokio::test]
async fn what_is_in_a_closed_shadow_root_is_found_once_it_was_shown() {
    let stack = Stack::shared().await;
    let page = stack.site.html(
        "<title>none</title><x-host></x-host><script>
        const root = document.querySelector('x-host').attachShadow({ mode: 'closed' });
        root.innerHTML = '<button>Closed</button><label>Name <input></label>';
        root.firstChild.onclick = () => { document.title = 'clicked' };
        root.querySelector('input').oninput = event => { document.title = event.target.value }</script>",
    );
    let (agent, opened) = Agent::at(stack.caller(), &format!("{page}#part")).await;
    assert!(tree(&opened).contains("button \"Closed\""), "{opened:#?}");
    assert_eq!(named(&opened, "navigated")[0]["url"], format!("{page}#part"), "{opened:#?}");
    let button = json!({"by": "role", "value": "button", "name": "Closed"});
    let done = agent.does("click", json!({"target": button})).await;
    assert_eq!(done["title"], "clicked", "{done:#?}");
    let done = agent.does("type", json!({"target": {"by": "label", "value": "Name"}, "text": "Ada"})).await;
    assert_eq!(done["title"], "Ada", "{done:#?}");
    agent.does("close", json!({})).await;
}

/// Options and frames of one name: the first is taken, and the answer says so. Points outside of the viewport are none.
#[tokio::test]
async fn what_is_named_alike_warns_and_what_is_not_there_is_refused() {
    let stack = Stack::shared().await;
    let page = stack.site.html(
        "<title>none</title><select aria-label=To><optgroup label=Home><option value=h1>Address<option value=h2>Other</optgroup>
        <optgroup label=Work><option value=w1>Card<option value=w2>Other</optgroup><option hidden>Secret</select>
        <iframe srcdoc='<button>Go</button>'></iframe><iframe srcdoc='<button>Go</button>'></iframe>
        <textarea disabled rows=2 cols=9 aria-label=Terms>1\n2\n3\n4\n5\n6\n7\n8</textarea>",
    );
    let (agent, _) = Agent::at(stack.caller(), &page).await;
    let to = json!({"by": "label", "value": "To"});
    let chosen = agent.does("select", json!({"target": to, "values": ["Other"]})).await;
    assert!(warns(&chosen, "several_match"), "{chosen:#?}");
    for values in [json!(["Card"]), json!(["w2"])] {
        let chosen = agent.does("select", json!({"target": to, "values": values})).await;
        assert!(!warns(&chosen, "several_match"), "{chosen:#?}");
    }
    let hidden = json!({"target": to, "values": ["Secret"], "timeout_ms": 1_000});
    agent.call("select", hidden).await.expect_code("ELEMENT_NOT_FOUND");
    let go = json!({"by": "role", "value": "button", "name": "Go"});
    let options = json!({"frame_selector": "iframe"});
    let clicked = agent.does("interact", json!({"action": "click", "target": go, "options": options})).await;
    assert!(warns(&clicked, "several_match"), "{clicked:#?}");
    let outside = agent.call("click", json!({"at": {"x": 1_280, "y": 10}})).await;
    outside.expect_code_about("INVALID_REQUEST", "viewport");
    // What is disabled can be scrolled in.
    let scrolled = agent.does("scroll", json!({"to": "bottom", "target": {"by": "label", "value": "Terms"}})).await;
    assert!(!warns(&scrolled, "no_change"), "{scrolled:#?}");
    agent.does("close", json!({})).await;
}

/// A switch that its page sets a little later is not switched back by another click.
#[tokio::test]
async fn a_switch_that_is_set_a_little_later_is_set() {
    let stack = Stack::shared().await;
    let late = "setTimeout(() => this.ariaChecked = this.ariaChecked == 'true' ? 'false' : 'true', 250)";
    let page = stack.site.html(&format!(
        "<title>none</title><div role=switch aria-checked=false tabindex=0 onclick=\"{late}\">Wifi</div>
        <input type=checkbox aria-label=Agree onclick=\"event.preventDefault(); setTimeout(() => this.checked = true, 50)\">"
    ));
    let (agent, _) = Agent::at(stack.caller(), &page).await;
    for name in ["Wifi", "Agree"] {
        let role = if name == "Wifi" { "switch" } else { "checkbox" };
        let target = json!({"by": "role", "value": role, "name": name});
        agent.does("check", json!({"target": target})).await;
        agent.does("interact", json!({"action": "check", "target": target})).await;
        let shown = agent.does("snapshot", json!({})).await;
        assert!(tree(&shown).contains(&format!("{role} \"{name}\" [checked]")), "{shown:#?}");
    }
    let wifi = json!({"by": "role", "value": "switch", "name": "Wifi"});
    agent.does("interact", json!({"action": "uncheck", "target": wifi})).await;
    let shown = agent.does("snapshot", json!({})).await;
    assert!(!tree(&shown).contains("switch \"Wifi\" [checked]"), "{shown:#?}");
    agent.does("close", json!({})).await;
}

/// A router shows another view without another document: what it fetches for that is waited for.
#[tokio::test]
async fn a_step_within_the_document_is_waited_for_as_a_click_is() {
    let stack = Stack::shared().await;
    let late = stack.site.page(Reply::text("late").late(Duration::from_millis(300)));
    let page = stack.site.html(&format!(
        "<title>router</title><button onclick=\"history.pushState(1, '', '#a'); show('A')\">A</button>
        <button onclick=\"history.pushState(2, '', '#b'); show('B')\">B</button><h1 id=v>start</h1><script>
        const show = name => v.textContent = name;
        onpopstate = onhashchange = async () => {{ show('loading'); await fetch('{late}'); show('came to ' + location.hash) }};
        </script>"
    ));
    let (agent, opened) = Agent::at(stack.caller(), &page).await;
    for name in ["\"A\"", "\"B\""] {
        agent.does("click", json!({"ref": reference(&tree(&opened), name)})).await;
    }
    for (step, came) in [
        (json!({"action": "back", "wait_until": "networkidle"}), "came to #a"),
        (json!({"action": "forward"}), "came to #b"),
        (json!({"url": format!("{page}#c")}), "came to #c"),
    ] {
        let mut fields = step.clone();
        fields["snapshot"] = json!("full");
        let went = agent.does("navigate", fields).await;
        assert!(tree(&went).contains(came) && went["settled"] == true, "{step}: {went:#?}");
    }
    agent.does("close", json!({})).await;
}

/// Chromium takes no answer for such a dialog, and nothing else for its page.
#[tokio::test]
async fn a_dialog_of_a_page_that_leaves_for_another_site_does_not_hold_the_session_for_ever() {
    let stack = Stack::shared().await;
    let elsewhere = stack.site.under_name(&stack.site.html("<title>elsewhere</title>"), porthole_tests::site::SHOP);
    let page = format!(
        "<title>here</title><button onclick=\"location.href = '{elsewhere}'; alert('leaving')\">Leave</button>"
    );
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
    let clicked = agent.does("click", json!({"ref": reference(&tree(&opened), "\"Leave\"")})).await;
    assert_eq!(named(&clicked, "dialog")[0]["message"], "leaving", "{clicked:#?}");
    agent.does("dialog", json!({"accept": true})).await;
    let went = agent.does("navigate", json!({"url": stack.site.html("<title>again</title>")})).await;
    assert_eq!(went["title"], "again", "{went:#?}");
    agent.does("close", json!({})).await;
}
