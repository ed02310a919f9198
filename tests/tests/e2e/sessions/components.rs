//! Controls as libraries of components draw them: named by the words that a person reads.

use porthole_tests::Stack;
use porthole_tests::agent::Agent;
use serde_json::{Value, json};

/// What the page of a component says of what was done to it.
const SAYS: &str =
    "<!doctype html><output id=out style='position:fixed;bottom:0'></output><script>const say = (what) => { out.textContent += `${what};` };
    const draws = (name, html, then = () => {}) => customElements.define(name, class extends HTMLElement {
        connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = html; then(this.shadowRoot) }
    })</script>";

/// A component, an action on it by a target that is not said to be of any kind, and what the page says then.
const DONE: &[(&str, &str, &str, &str)] = &[
    // An icon that its font draws of a word.
    ("<button onclick='say(1)'><i aria-hidden=true>add</i>Create</button>", "click", "Create", "1;"),
    ("<table><tr><th onclick='say(1)'>Name<i aria-hidden=true>arrow_upward</i></table>", "click", "Name", "1;"),
    // A slot that shows what it has where nothing is given to it.
    ("<x-a></x-a><script>draws('x-a', '<button><slot>Send it</slot></button>', root => { root.firstChild.onclick = () => say(1) })</script>", "click", "Send it", "1;"),
    ("<button onclick='say(1)'><span style='display:contents'>Send it</span></button>", "click", "Send it", "1;"),
    // Words in a label.
    ("<label><input type=checkbox onchange='say(checked)'><span>Terms</span> <a href=#more>more</a></label>", "check", "Terms", "true;"),
    ("<label for=b><span>News</span> <span>Off</span></label><button id=b role=switch aria-checked=false onclick='this.ariaChecked = true; say(1)'>.</button>", "check", "News", "1;"),
    ("<x-c>I agree</x-c><script>draws('x-c', '<label><input type=checkbox><slot></slot></label>', root => { root.querySelector('input').onchange = (e) => say(e.target.checked) })</script>", "check", "I agree", "true;"),
    ("<label><span>Email</span> <small>optional</small><input onchange='say(value)'></label>", "type", "Email", "Ada;"),
    ("<x-t>Full name</x-t><script>draws('x-t', '<label for=c><slot></slot></label><input id=c>', root => { root.querySelector('input').onchange = (e) => say(e.target.value) })</script>", "type", "Full name", "Ada;"),
    // A field that stands for its list, over which something else is drawn.
    ("<label for=c>Colours</label><div style='position:relative;width:200px;height:30px;border:1px solid' onclick='say(1)'><div><input id=c readonly aria-haspopup=listbox
        style='height:1px;width:1px;min-width:100px;opacity:0;pointer-events:none;position:absolute;top:0;left:0'></div></div>", "click", "Colours", "1;"),
    // A list that is drawn as its label calls it, which is for nothing.
    ("<label>Gender</label><div tabindex=0 style='cursor:pointer' onclick='say(1)'><div>Gender</div><div style='display:none'>Female</div></div>", "click", "Gender", "1;"),
    // A menu that opens for what is around the words.
    ("<div id=m><div><b>Products</b></div></div><script>m.addEventListener('mouseenter', () => say(1)); m.addEventListener('mouseleave', () => say(2))</script>", "hover", "Products", "1;"),
];

#[tokio::test]
async fn what_components_draw_is_named_by_its_words() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("")).await;
    for (component, action, target, says) in DONE {
        agent.does("navigate", json!({"url": stack.site.html(&format!("{SAYS}{component}"))})).await;
        let value = if *action == "type" { json!("Ada") } else { Value::Null };
        agent.does("interact", json!({"action": action, "target": {"value": target}, "value": value})).await;
        // A field tells of its value as the focus leaves it.
        agent.does("press", json!({"key": "Tab"})).await;
        let tree = agent.tree().await;
        assert!(
            tree.contains(&format!("status [ref=@e1]: {says}\n")) || tree.contains(&format!(": {says}\n")),
            "{action} {target}: {tree}"
        );
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_list_without_a_size_of_its_own_shows_its_options() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("")).await;
    for style in ["display:contents", "height:0", "position:absolute;width:0;height:0"] {
        let list = format!(
            "<!doctype html><div role=combobox tabindex=0 aria-expanded=true aria-controls=l>Rome</div><div role=listbox id=l style='{style}'>
            <div style='position:absolute;top:40px;width:200px'><div role=option>Paris</div><div role=option aria-selected=true>Rome</div></div></div>"
        );
        agent.does("navigate", json!({"url": stack.site.html(&list)})).await;
        let tree = agent.tree().await;
        assert!(tree.contains(r#"option "Paris""#) && tree.contains(r#"option "Rome" [selected]"#), "{style}: {tree}");
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_part_of_a_button_that_no_one_sees_names_nothing() {
    let stack = Stack::shared().await;
    let button = "<button aria-label=Create onclick='say(1)' style='position:relative;width:40px;height:40px'><span aria-hidden=true>+</span>
        <span aria-hidden=true style='position:absolute;left:0;opacity:0'>close</span></button>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(&format!("{SAYS}{button}"))).await;
    let asked =
        json!({"action": "click", "target": {"value": "close"}, "timeout_ms": 5000, "options": {"timeout_ms": 300}});
    agent.call("interact", asked).await.expect_one_of(&["ELEMENT_NOT_FOUND", "NOT_VISIBLE"]);
    assert!(!agent.tree().await.contains("1;"));
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn icons_drawn_of_a_word_and_fields_of_any_role_are_shown() {
    let stack = Stack::shared().await;
    let page = "<button class='btn btn-icon'><i aria-hidden=true class=material-icons>delete</i></button><input role=alert type=number aria-label=Quantity value=2>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(&format!("<!doctype html>{page}"))).await;
    let tree = agent.tree().await;
    assert!(tree.contains(r#"hint="delete""#) || tree.contains(r#"hint "delete""#), "{tree}");
    assert!(tree.lines().any(|line| line.contains("Quantity") && line.contains("[ref=@e")), "{tree}");
    agent.does("close", json!({})).await;
}
