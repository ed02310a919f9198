//! Errors of a page's scripts are told, and bounded.

use porthole_tests::Stack;
use porthole_tests::agent::{Agent, reference, tree};
use serde_json::{Map, Value, json};

/// The texts of the `console` events in an answer.
fn errors(answer: &Map<String, Value>) -> Vec<String> {
    let events = answer["events"].as_array().unwrap().iter();
    let console = events.filter(|event| event["type"] == "console");
    console.map(|event| event["text"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn errors_of_a_pages_scripts_are_events() {
    let stack = Stack::shared().await;
    let page = "<title>errs</title><button onclick='undefined.x'>throw</button><button onclick='Promise.reject(new Error(`late`))'>reject</button>
        <button onclick='console.error(`said`, 7, { a: 1 }, new Error(`wrapped`)); console.log(`chat`); console.warn(`warned`)'>say</button>
        <script>throw new TypeError('first')</script>";
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let told = errors(&opened);
    assert!(told.len() == 1 && told[0].starts_with("Uncaught TypeError: first"), "{told:?}");
    for (button, wanted) in [
        ("throw", "Uncaught TypeError: Cannot read properties of undefined"),
        ("reject", "Uncaught (in promise) Error: late"),
        ("say", "said 7 object Error: wrapped"),
    ] {
        let clicked = agent.does("click", json!({"ref": reference(&tree(&opened), &format!("\"{button}\""))})).await;
        let told = errors(&clicked);
        assert!(told.len() == 1 && told[0].starts_with(wanted), "{button}: {told:?}");
    }
    assert!(errors(&agent.does("status", json!({})).await).is_empty(), "they are told once");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_page_chooses_neither_how_much_is_told_nor_what_tells_it() {
    let stack = Stack::shared().await;
    // What the page replaces is not used; what it throws by being read is its own affair; our name is not to be found.
    let page = r#"<title>hostile</title><button>stay</button><script>
        const native = Function.prototype.toString.call(console.error);
        const String_ = String.prototype; for (const type of ['CustomEvent', 'String', 'Error', 'Reflect', 'Proxy']) window[type] = null;
        EventTarget.prototype.dispatchEvent = () => { document.title = 'heard' };
        String_.slice = () => `replaced`;
        const seen = []; for (const key of Reflect ? [] : Object.getOwnPropertyNames(window)) if (/porthole/i.test(key)) seen.push(key);
        if (!native.includes('[native code]') || seen.length) document.title = 'found';
        console.error({ get stack() { console.error('again'); throw 1 }, toString() { throw 2 } });
        for (let n = 0; n < 100; n++) console.error("x".repeat(1e5));
        setInterval(() => { throw "y".repeat(3e5) }, 5);</script>"#;
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    assert_eq!(opened["title"], "hostile");
    for answer in [opened, agent.does("snapshot", json!({})).await] {
        let told = errors(&answer);
        assert!(!told.is_empty() && told.len() <= 20, "{}", told.len());
        assert!(told.iter().all(|text| text.chars().count() <= 200), "{told:?}");
        assert!(!told.iter().any(|text| text.contains("replaced")), "{told:?}");
    }
    agent.does("close", json!({})).await;
}
