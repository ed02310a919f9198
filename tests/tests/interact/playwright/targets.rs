//! selectors-role, selectors-get-by.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::Wanted;

use crate::act::scene::{Scene, ready};

/// A page; a kind, a value, how exactly it is compared; how many elements match, and the id of the one that is taken.
type Case = (&'static str, TargetBy, &'static str, Option<bool>, usize, &'static str);

const ROLES: &str = "<button id=button>Hello</button><select id=list multiple size=2></select><select id=combo></select><h3 id=h3>Heading</h3>
    <details id=group><summary>Hello</summary></details><div id=dialog role=dialog>I am a dialog</div>";
const HIDDEN: &str = "<button id=hi>Hi</button><button hidden>Hello</button><button aria-hidden=true>Yay</button><button aria-hidden=false>Nay</button>
    <button style='visibility:hidden'>Bye</button><div style='visibility:hidden'><button>Oh</button><button style='visibility:visible'>Still here</button></div>
    <button style='display:none'>Never</button><div id=host1></div><div id=host2 style='display:none'></div><div id=host3><button>unslotted</button></div>
    <script>for (const host of [host1, host2]) host.attachShadow({ mode: 'open' }).innerHTML = '<button>Shadow</button>';
    host3.attachShadow({ mode: 'open' }).innerHTML = 'nothing to see here'</script>";
const NAMED: &str = "<div role=button id=one aria-label=' Hello '></div><div role=button id=two aria-label='Hallo'></div>
    <div role=button aria-label='Hello' aria-hidden=true></div><div role=button aria-label='123' id=three></div>
    <style>[role=button] { height: 10px }</style><select><option id=html>&nbsp;HTML</select><label>Output1<output id=out>output</output></label>";
const LABELS: &str = "<label for=t1>Last <span>Name</span></label><input id=t1><label for=t2>Name</label><input id=t2><label for=t2>First or Last</label>
    <label>Two<button id=t3>Click me</button><input></label><label for=t4>Other for<input id=not></label><input id=t4>
    <label id=l5>By id</label><button id=t5 aria-labelledby=l5>Click me</button><input id=t6 aria-label='By ARIA'>
    <label for=t7>Empty ARIA</label><input id=t7 aria-label><input id=t8 aria-label='Not this' aria-labelledby=l8><span id=l8>But this</span>
    <label for=t9>Hello my\nwo\"rld</label><input id=t9 placeholder='hello my wo&quot;rld'>";

const CASES: &[Case] = &[
    // A summary is a button, as in Chromium's own tree.
    (ROLES, TargetBy::Role, "button", None, 2, "button"),
    (ROLES, TargetBy::Role, "listbox", None, 1, "list"),
    (ROLES, TargetBy::Role, "combobox", None, 1, "combo"),
    (ROLES, TargetBy::Role, "heading", None, 1, "h3"),
    (ROLES, TargetBy::Role, "group", None, 1, "group"),
    (ROLES, TargetBy::Role, "dialog", None, 1, "dialog"),
    (ROLES, TargetBy::Role, "menuitem", None, 0, ""),
    // What is hidden is counted, and never taken.
    (HIDDEN, TargetBy::Role, "button", None, 10, "hi"),
    (HIDDEN, TargetBy::Role, "button \"Still here\"", None, 1, ""),
    (NAMED, TargetBy::Role, "button \"hello\"", None, 1, "one"),
    (NAMED, TargetBy::Role, "button \"Hello\"", Some(true), 1, "one"),
    (NAMED, TargetBy::Role, "button \"hello\"", Some(true), 0, ""),
    (NAMED, TargetBy::Role, "button \"l\"", Some(false), 2, "one"),
    (NAMED, TargetBy::Role, "button \"123\"", None, 1, "three"),
    (NAMED, TargetBy::Role, "option \"HTML\"", None, 1, ""),
    (NAMED, TargetBy::Role, "status \"Output1\"", None, 1, "out"),
    ("<div data-testid='He\"llo' id=a>x</div>", TargetBy::TestId, "He\"llo", None, 1, "a"),
    ("<div>yo</div><div id=a>\nye  </div>", TargetBy::Text, "ye", None, 1, "a"),
    ("<div>Hello world</div><div id=a>Hello</div>", TargetBy::Text, "Hello", Some(true), 1, "a"),
    ("<div id=a>Hello world</div>", TargetBy::Text, "hello       wor", Some(false), 1, "a"),
    (LABELS, TargetBy::Label, "last name", None, 1, "t1"),
    (LABELS, TargetBy::Label, "st na", Some(false), 1, "t1"),
    (LABELS, TargetBy::Label, "last name", Some(true), 0, ""),
    (LABELS, TargetBy::Label, "First or Last", None, 1, "t2"),
    (LABELS, TargetBy::Label, "Name", Some(true), 1, "t2"),
    (LABELS, TargetBy::Label, "Two", None, 1, "t3"),
    (LABELS, TargetBy::Label, "Other for", None, 1, "t4"),
    (LABELS, TargetBy::Label, "By id", None, 1, "t5"),
    (LABELS, TargetBy::Label, "By ARIA", None, 1, "t6"),
    (LABELS, TargetBy::Label, "Empty ARIA", None, 1, "t7"),
    (LABELS, TargetBy::Label, "But this", None, 1, "t8"),
    // An `aria-label` that another label overrides is found all the same.
    (LABELS, TargetBy::Label, "Not this", None, 1, "t8"),
    (LABELS, TargetBy::Label, "hello my wo\"rld", None, 1, "t9"),
    (LABELS, TargetBy::Placeholder, "hello my\nwo\"rld", None, 1, "t9"),
    ("<input id=a placeholder='Hello'><input placeholder='Hello World'>", TargetBy::Placeholder, "hello", None, 1, "a"),
    (
        "<input placeholder='Hello'><input id=b placeholder='Hello World'>",
        TargetBy::Placeholder,
        "wor",
        Some(false),
        1,
        "b",
    ),
    (
        "<ul><li aria-label=Parent>Parent<ul><li id=a>child 1</li><li>child 2</li></ul></li></ul>",
        TargetBy::Role,
        "listitem \"Parent\" >> role: listitem",
        None,
        2,
        "a",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_playwright_finds_is_found() {
    let scene = Scene::open().await;
    let mut wrong = Vec::new();
    let mut shown = "";
    for (page, kind, value, exact, count, id) in CASES {
        if shown != *page {
            scene.shows(page).await;
            shown = page;
        }
        let wanted = Wanted {
            by: Some(*kind),
            value: (*value).to_owned(),
            exact: *exact,
            wait_for_visible: true,
            ..Wanted::default()
        };
        let deadline = if *count == 0 { tokio::time::Instant::now() } else { ready().deadline };
        let (matched, is_it) = match scene.page.locate(&wanted, deadline).await {
            Ok(located) if id.is_empty() => (located.matched_count, true),
            Ok(located) => {
                let meant = scene.element(&format!("#{id}")).await;
                (located.matched_count, located.element.number == meant.number)
            }
            Err(missed) => (missed.matched_count, id.is_empty()),
        };
        if matched != *count || !is_it {
            wrong.push(format!("{kind:?} {value:?} {exact:?}: {matched} match, not {count}; is {id:?}: {is_it}"));
        }
    }
    scene.ends().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
