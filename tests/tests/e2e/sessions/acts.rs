//! What an agent sees and does, over the routes alone.

use std::time::Duration;

use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::eventually::so;
use porthole_tests::{Stack, eventually};
use serde_json::json;

const FORM: &str = r#"<title>Sign in</title><h1>Sign in</h1>
<form onsubmit="event.preventDefault();
  fetch(location).then(() => { out.textContent = `hello ${user.value} ${plan.value} ${keep.checked}` })">
<label for=user>Email</label><input id=user required>
<label>Plan <select id=plan><option>Small<option>Large</select></label>
<label><input type=checkbox id=keep> Remember me</label>
<button>Sign in</button></form><p id=out></p>"#;

#[tokio::test]
async fn an_agent_fills_a_form_by_what_it_sees_and_sees_what_came_of_it() {
    let stack = Stack::shared().await;
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(FORM)).await;
    let seen = tree(&opened);
    assert_eq!(opened["title"], "Sign in");
    assert!(seen.contains("- heading \"Sign in\" [level=1]"), "{seen}");
    let email = reference(&seen, "textbox \"Email\"");
    let typed = agent.does("type", json!({"ref": email, "text": "ada@example.com", "snapshot": "changes"})).await;
    assert!(tree(&typed).contains("ada@example.com"), "{typed:#?}");
    assert_eq!(typed["target"]["name"], "Email");
    agent.does("select", json!({"ref": reference(&seen, "combobox \"Plan"), "values": ["Large"]})).await;
    agent.does("check", json!({"ref": reference(&seen, "checkbox \"Remember me\"")})).await;
    let sent = agent.does("click", json!({"ref": reference(&seen, "button \"Sign in\""), "snapshot": "full"})).await;
    assert_eq!((&sent["settled"], &sent["navigated"]), (&json!(true), &json!(false)));
    let after = agent.tree().await;
    assert!(after.contains("hello ada@example.com Large true"), "a late effect is there once settled: {after}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn an_agent_acts_on_what_a_person_would_name() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(FORM)).await;
    let interact = async |fields| agent.does("interact", fields).await;
    let typed = interact(json!({"action": "type", "target": {"by": "label", "value": "email"}, "value": "bob"})).await;
    assert_eq!((&typed["success"], &typed["details"]["matched_count"]), (&json!(true), &json!(1)), "{typed:#?}");
    interact(json!({"action": "select", "target": {"value": "Plan"}, "value": "Large"})).await;
    interact(json!({"action": "check", "target": {"by": "role", "value": "checkbox", "name": "Remember me"}})).await;
    let target = json!({"value": "button \"Sign in\""});
    let options = json!({"post_action_screenshot": true, "screenshot_label": "after"});
    let clicked = interact(json!({"action": "click", "target": target, "options": options})).await;
    assert_eq!((&clicked["details"]["method"], &clicked["screenshot_label"]), (&json!("dom"), &json!("after")));
    assert!(clicked["image_base64"].as_str().unwrap().len() > 1_000);
    assert!(agent.tree().await.contains("hello bob Large true"));
    let missed = agent
        .call(
            "interact",
            json!({"action": "click", "target": {"value": "Nothing of it"},
        "options": {"timeout_ms": 300}}),
        )
        .await;
    missed.expect_code("ELEMENT_NOT_FOUND");
    assert!(missed.json()["tried"].as_array().unwrap().len() > 3, "{missed:?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_ref_never_means_another_element() {
    let stack = Stack::shared().await;
    let page = r#"<title>list</title><p id=clicked>nothing</p><div id=rows></div><script>
      const show = names => rows.replaceChildren(...names.map(name => {
        const button = document.createElement('button');
        button.textContent = name;
        button.onclick = () => { clicked.textContent = 'clicked ' + name };
        return button;
      }));
      show(['one', 'two']);</script>
      <button onclick="show(['one', 'two'])">again</button>
      <button onclick="rows.lastChild.textContent = 'three'">rename</button>"#;
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let seen = tree(&opened);
    let two = reference(&seen, "\"two\"");
    agent.does("click", json!({"ref": reference(&seen, "\"rename\"")})).await;
    let renamed = agent.call("click", json!({"ref": two, "snapshot": "full"})).await;
    renamed.expect_code_about("STALE_REF", "three");
    assert!(
        renamed.json()["snapshot"]["tree"].as_str().unwrap().contains("three"),
        "a failed call answers with one, too"
    );
    agent.does("click", json!({"ref": reference(&seen, "\"again\"")})).await;
    agent.call("click", json!({"ref": two})).await.expect_code_about("STALE_REF", "gone");
    agent.call("click", json!({"ref": "@e999"})).await.expect_code_about("STALE_REF", "never given");
    assert!(agent.tree().await.contains("nothing"), "no click came to another element");
    let new = reference(&agent.tree().await, "button \"two\"");
    assert_ne!(new, two, "a twin is another element");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_recycled_row_does_not_lend_its_button_to_another_entry() {
    let stack = Stack::shared().await;
    let page = r#"<title>rows</title><p id=out>nothing</p>
      <table><tr><td id=name>Alice</td><td id=count>1</td>
      <td><button onclick="out.textContent = 'deleted ' + document.getElementById('name').textContent">Delete</button></td></tr></table>
      <button onclick="count.textContent++">more</button>
      <button onclick="document.getElementById('name').textContent = 'Bob'">scroll</button>"#;
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let seen = tree(&opened);
    let delete = reference(&seen, "\"Delete\"");
    agent.does("click", json!({"ref": reference(&seen, "\"more\"")})).await;
    agent.does("hover", json!({"ref": delete})).await;
    agent.does("click", json!({"ref": reference(&seen, "\"scroll\"")})).await;
    agent.call("click", json!({"ref": delete})).await.expect_code_about("STALE_REF", "row");
    assert!(agent.tree().await.contains("nothing"), "nobody was deleted");
    agent.does("click", json!({"ref": delete})).await;
    assert!(agent.tree().await.contains("deleted Bob"), "shown again, it is good again");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_covered_element_is_never_clicked_through() {
    let stack = Stack::shared().await;
    let page = r#"<title>covered</title><button id=below onclick="out.textContent='below'">buy</button>
      <div id=consent style="position:fixed;inset:0;background:#0008" onclick="out.textContent='consent'"></div>
      <p id=out>untouched</p>"#;
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let covered = agent.call("click", json!({"ref": reference(&tree(&opened), "\"buy\""), "timeout_ms": 1500})).await;
    covered.expect_code_about("COVERED", "consent");
    let options = json!({"timeout_ms": 1_000});
    for (action, target, code) in [
        ("click", json!({"by": "text", "value": "buy"}), "COVERED"),
        ("type", json!({"by": "css", "value": "#out"}), "NOT_EDITABLE"),
    ] {
        let mut fields = json!({"action": action, "target": target, "options": options});
        if action == "type" {
            fields["value"] = "x".into();
        }
        let missed = agent.call("interact", fields).await.expect_code(code);
        let selector = format!("{}: {}", target["by"].as_str().unwrap(), target["value"].as_str().unwrap());
        assert_eq!(missed["tried"], json!([{"selector": selector, "matched": 1}]), "{missed:?}");
        assert_eq!(missed["matched_count"], 1);
        assert!(missed["bounding_box"]["width"].as_f64() > Some(1.0), "{missed:?}");
        assert!(missed["details"].as_str().unwrap().contains(&selector), "{missed:?}");
    }
    assert!(agent.tree().await.contains("untouched"));
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_dialog_in_the_middle_of_a_text_is_told_with_how_far_it_came() {
    let stack = Stack::shared().await;
    let page =
        "<form onsubmit='return false'><input aria-label=Code oninput='if (this.value.length == 2) alert(1)'></form>";
    let (agent, answer) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let code = reference(&tree(&answer), "Code");
    let typed = agent.does("type", json!({"ref": code, "text": "abcd", "slowly": true, "submit": true})).await;
    let warnings =
        ["dialog_opened: after 2 of 4 characters; the rest was not typed", "not_submitted: Enter was not pressed"];
    assert_eq!(typed["warnings"], json!(warnings), "{typed:#?}");
    let after = agent.does("dialog", json!({"accept": true, "snapshot": "full"})).await;
    assert!(tree(&after).contains("ab"), "{after:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_dialog_holds_the_page_until_it_is_answered() {
    let stack = Stack::shared().await;
    let page = r#"<title>ask</title><p id=out>-</p>
      <button onclick="out.textContent = prompt('How many?', '3')">ask</button>"#;
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let ask = reference(&tree(&opened), "\"ask\"");
    let clicked = agent.does("click", json!({"ref": ask})).await;
    assert_eq!(clicked["settled"], false);
    let told = &clicked["events"][0];
    assert_eq!((&told["type"], &told["kind"], &told["default"]), (&json!("dialog"), &json!("prompt"), &json!("3")));
    agent.call("snapshot", json!({})).await.expect_code("DIALOG_OPEN");
    let status = agent.does("status", json!({})).await;
    assert_eq!([&clicked["title"], &status["title"], &status["tabs"][0]["title"]], ["ask"; 3]);
    agent.does("dialog", json!({"accept": true, "text": "seven"})).await;
    assert!(agent.tree().await.contains("seven"));
    agent.call("dialog", json!({"accept": true})).await.expect_code("INVALID_REQUEST");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_dialog_that_no_answer_has_told_is_told_before_it_is_answered() {
    let stack = Stack::shared().await;
    let page = "<title>ask</title><p>Settings</p><script>onload = () => setTimeout(() => { document.title = confirm('Delete your account?') }, 500)</script>";
    let url = stack.site.html(page);
    let (agent, _) = Agent::at(stack.caller(), &url).await;
    eventually(Duration::from_secs(20), async || {
        let answered = agent.call("dialog", json!({"accept": true})).await;
        if answered.code().is_none() {
            // A slow machine tells of it in the answer before.
            agent.call("navigate", json!({"url": url})).await;
        }
        so(answered.code().as_deref() == Some("DIALOG_OPEN"), format!("{answered:?}"))
    })
    .await;
    let answered = agent.does("dialog", json!({"accept": false})).await;
    assert_eq!(answered["title"], "false", "{answered:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_dialog_in_one_tab_is_told_on_the_others_and_its_tab_can_be_closed() {
    let stack = Stack::shared().await;
    let popup = stack.site.html("<title>popup</title><script>setInterval(() => alert('again'), 10)</script>");
    let page = format!("<title>opener</title><button onclick=\"window.open('{popup}')\">open</button>");
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
    agent.call("click", json!({"ref": reference(&tree(&opened), "\"open\"")})).await;
    eventually(Duration::from_secs(10), async || {
        let held = agent.call("snapshot", json!({"tab": "t1", "timeout_ms": 1000})).await;
        so(held.code().as_deref() == Some("DIALOG_OPEN"), format!("{held:?}"))
    })
    .await;
    agent.call("snapshot", json!({"tab": "t1"})).await.expect_code_about("DIALOG_OPEN", "t2");
    agent.does("dialog", json!({"accept": true})).await;
    agent.does("tabs", json!({"action": "close", "tab": "t2"})).await;
    eventually(Duration::from_secs(10), async || {
        let seen = agent.call("snapshot", json!({"tab": "t1"})).await;
        so(seen.code().is_none(), format!("{seen:?}"))
    })
    .await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_password_is_never_shown() {
    let stack = Stack::shared().await;
    let page = r#"<title>secret</title><input id=p type=password aria-label=Password value="s3cret-1">
      <input autocomplete="current-password" aria-label=Again value="s3cret-2">
      <input style="-webkit-text-security: disc" aria-label=Dots value="s3cret-3">
      <button aria-labelledby="p">named</button><button onclick="p.type = 'text'">show</button>"#;
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let shown = agent.does("click", json!({"ref": reference(&tree(&opened), "\"show\""), "snapshot": "full"})).await;
    for answer in [&opened, &shown] {
        assert!(!json!(answer).to_string().contains("s3cret"), "{answer:#?}");
    }
    assert!(tree(&shown).contains("textbox \"Password\" [filled]"), "{shown:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn an_agent_waits_for_what_comes_late() {
    let stack = Stack::shared().await;
    let page = "<title>late</title><p id=out>soon</p><script>setTimeout(() => { out.textContent = 'here'; \
        history.pushState(0, '', '/late/part') }, 700)</script>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    agent.does("wait", json!({"text": "here"})).await;
    agent.does("wait", json!({"url": "**/late/*"})).await;
    agent.does("wait", json!({"text_gone": "soon"})).await;
    agent.does("wait", json!({"network_idle_ms": 100})).await;
    agent.call("wait", json!({"text": "never", "timeout_ms": 1000})).await.expect_code("TIMEOUT");
    agent.does("close", json!({})).await;
}

/// Rows that say something else because the agent wrote in them.
const WRITTEN: [&str; 4] = [
    "<li><label>Title <input oninput='this.closest(`li`).querySelector(`p`).textContent = `Preview of ${this.value}`'></label><p></p><button>Save</button></li>",
    "<li><b>Comment</b><div contenteditable role=textbox aria-label=Title>old text here</div><button>Save</button></li>",
    "<li><input aria-label=Title oninput='this.nextElementSibling.textContent = `Unsaved changes`'><span></span><button>Save</button></li>",
    "<li><div><label>Title <input oninput='setTimeout(() => this.closest(`li`).append(`Looks good`), 300)'></label></div><button>Save</button></li>",
];

#[tokio::test]
async fn what_an_agent_writes_in_a_row_makes_its_button_no_other() {
    let stack = Stack::shared().await;
    for row in WRITTEN {
        let page = format!(
            "<ul>{row}<li><b>Another</b><button>Other</button></li></ul><script>
            document.querySelector('button').onclick = () => {{ document.title = 'saved' }}</script>"
        );
        let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
        let tree = tree(&opened);
        let (title, save) = (reference(&tree, "textbox"), reference(&tree, "\"Save\""));
        agent.does("type", json!({"ref": title, "text": "Something new"})).await;
        if row.contains("Looks good") {
            agent.does("wait", json!({"text": "Looks good"})).await;
        }
        let saved = agent.does("click", json!({"ref": save})).await;
        assert_eq!(saved["title"], "saved", "{row}");
        agent.does("close", json!({})).await;
    }
}
