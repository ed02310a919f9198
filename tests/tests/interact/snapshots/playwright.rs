//! Situations of Playwright's page-aria-snapshot-ai that no other test here has. docs/decisions/0079 says what differs on
//! purpose.

use porthole_service::page::interact::{Refs, SnapshotOptions};

use super::scene::Scene;

/// Pages and their trees, of everything.
const TREES: &[(&str, &str)] = &[
    ("<div><div><div><button>Deep</button></div></div></div>", "- button \"Deep\" [ref=@e1]"),
    // What is drawn over it can't be clicked, but it can be focused and pressed: a ref stays.
    (
        "<button style='pointer-events:none'>off</button><div style='pointer-events:none'><button style='pointer-events:auto'>on</button></div>",
        "- button \"off\" [ref=@e1]\n- button \"on\" [ref=@e2]",
    ),
    (
        "<style>input { width: 0; height: 0; opacity: 0 }</style><label><span><input type=radio name=f checked></span><span>Apple</span></label>
        <label><span><input type=radio name=f></span><span>Pear</span></label>",
        "- radio \"Apple\" [checked] [ref=@e1]\n- radio \"Pear\" [ref=@e2]",
    ),
        (
            "<table role=grid><tr role=row><td role=gridcell>Ann<td role=gridcell aria-checked=true tabindex=0><td role=gridcell aria-checked=false tabindex=0></table>",
            "- grid:\n  - row [ref=@e1]:\n    - gridcell \"Ann\" [ref=@e2]\n    - gridcell [checked] [clickable] [ref=@e3]\n    - gridcell [clickable] [ref=@e4]",
        ),
    // A role says enough; the cursor says it of what has none.
    ("<button style='cursor:pointer'>B</button>", "- button \"B\" [ref=@e1]"),
    (
        "<a href=/x style='cursor:pointer'>Words and <button style='cursor:pointer'>a button</button></a>",
        "- link \"Words and a button\" [ref=@e1] url \"/x\":\n  - button \"a button\" [ref=@e2]",
    ),
    (
        "<div style='visibility:hidden'><div style='visibility:visible'><button>One</button></div><div style='visibility:hidden'><button style='visibility:visible'>Two</button></div>
        <div><div style='visibility:visible'><button style='visibility:hidden'>Three</button></div><button>Four</button></div></div>",
        "- button \"One\" [ref=@e1]\n- button \"Two\" [ref=@e2]",
    ),
    ("<button>One</button><button autofocus>Two</button>", "- button \"One\" [ref=@e1]\n- button \"Two\" [focused] [ref=@e2]"),
    (
        "<ul><li><b>3</b> <abbr>bds</abbr></li><li><b>1,200</b> <abbr>sqft</abbr></li></ul><ul><li><div>3</div></li><li><div>2</div></li></ul>",
        "- list:\n  - listitem [ref=@e1]: 3 bds\n  - listitem [ref=@e2]: 1,200 sqft\n- list:\n  - listitem [ref=@e3]: 3\n  - listitem [ref=@e4]: 2",
    ),
    // What has no role has no name.
    ("<div title='Its title'>Its content</div>", "- text: Its content"),
    (
        "<input placeholder=First><input placeholder=Second aria-label=Named>",
        "- textbox \"First\" [ref=@e1]\n- textbox \"Named\" [ref=@e2] placeholder \"Second\"",
    ),
    (
        "<h1>Hello</h1><iframe title=data src='data:text/html,<h1>World</h1>'></iframe>",
        "- heading \"Hello\" [level=1] [ref=@e1]\n- iframe \"data\" [ref=@e2]:\n  - heading \"World\" [level=1] [ref=@e3]",
    ),
    (
        "<p>Test</p><iframe title=refused src='http://10.0.0.1/'></iframe>",
        "- paragraph [ref=@e1]: Test\n- iframe \"refused\" [ref=@e2]",
    ),
];

#[tokio::test]
async fn pages_are_told_as_playwright_tells_them_or_better() {
    let mut wrong = Vec::new();
    let mut scene = Scene::local().await;
    for (page, expected) in TREES {
        scene.refs = Refs::default();
        scene.shows(page).await;
        let tree = scene.full_tree().await;
        if tree != *expected {
            wrong.push(format!("{page}\n{tree}\n--- expected\n{expected}\n"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Pages, what changes in them, and what the next snapshot tells of it.
const CHANGES: &[(&str, &str, &str)] = &[
    ("<button>One</button><button>Two</button>", "", ""),
    (
        "<button>One</button><button>Two</button>",
        "document.querySelector('button').focus()",
        "- * button \"One\" [focused] [ref=@e1]",
    ),
    (
        "<a href=/one>link</a><button>a</button>",
        "document.querySelector('a').setAttribute('href', '/two')",
        "- * link \"link\" [ref=@e1] url \"/two\"",
    ),
    (
        "<button><span>old</span></button><button>b</button>",
        "document.querySelector('span').textContent = 'new'",
        "- * button \"new\" [ref=@e1]",
    ),
    (
        "<ul><li><span>an item</span></li><li>another</li></ul>",
        "document.querySelector('span').textContent = 'new'",
        "- list:\n  - * listitem [ref=@e1]: new",
    ),
    // The button too, on purpose: its row says something else now, so it may be another entry's.
    (
        "<ul><li><button>B</button><span>words</span></li><li>x</li></ul>",
        "document.querySelector('span').remove()",
        "- list:\n  - listitem [ref=@e1]:\n    - * button \"B\" [ref=@e2]\n    -- text: words",
    ),
    (
        "<ul><li><button>B</button><span hidden>words</span></li><li>x</li></ul>",
        "document.querySelector('span').hidden = false",
        "- list:\n  - listitem [ref=@e1]:\n    - * text: words",
    ),
    (
        "<p>words</p><p>more words</p><ul><li>one</li><li>two</li></ul>",
        "document.querySelector('ul').append(document.querySelector('li'))",
        "- list:\n  - * listitem [ref=@e4]: two\n  - listitem [ref=@e3]: one",
    ),
    (
        "<iframe title=f srcdoc='<li><span hidden>words</span><button>B</button></li>'></iframe><button>a</button>",
        "document.querySelector('iframe').contentDocument.querySelector('span').hidden = false",
        "- iframe \"f\" [ref=@e1]:\n  - * text: words",
    ),
    (
        "<ul><li><span>1</span></li><li><span>2</span></li><li><div role=group><span>3</span></div></li><li><ul><li id=r>going</li><li>staying</li></ul></li></ul>",
        "const all = document.querySelectorAll('span'); all[0].textContent = 'new 1'; all[2].textContent = 'new 3'; all[2].after(Object.assign(document.createElement('button'), { textContent: 'B' })); r.remove()",
        "- list:\n  - * listitem [ref=@e1]: new 1\n  - * listitem [ref=@e3]:\n    - * text: new 3\n    - * button \"B\" [ref=@e7]\n  - listitem [ref=@e4]:\n    - list:\n      -- listitem [ref=@e5]",
    ),
];

#[tokio::test]
async fn changes_are_told_where_playwright_tells_them() {
    let mut wrong = Vec::new();
    let mut scene = Scene::local().await;
    for (page, change, expected) in CHANGES {
        scene.refs = Refs::default();
        scene.shows(page).await;
        scene.full_tree().await;
        scene.evaluate(change).await;
        let options = SnapshotOptions { interactive_only: false, changes: true, ..SnapshotOptions::default() };
        let tree = scene.snapshot(&options).await.tree;
        if tree != *expected {
            wrong.push(format!("{page}\n{change}\n{tree}\n--- expected\n{expected}\n"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn frames_keep_their_refs_while_others_come_and_go() {
    let mut scene = Scene::local().await;
    scene
        .shows("<ul><li><iframe srcdoc='<button>one</button>'></iframe></li><li><iframe srcdoc='<button>two</button>'></iframe></li></ul>")
        .await;
    let before = scene.tree().await;
    assert!(before.contains("button \"one\" [ref=@e2]") && before.contains("button \"two\" [ref=@e4]"), "{before}");
    scene.evaluate("document.querySelector('iframe').remove()").await;
    assert_eq!(scene.tree().await, "- iframe [ref=@e3]:\n  - button \"two\" [ref=@e4]");
    assert_eq!(scene.resolves("@e4").await, Ok(()));
    scene
        .evaluate("new Promise(done => { const frame = document.createElement('iframe'); frame.srcdoc = '<button>one</button>'; frame.onload = () => done(1); document.querySelector('li').append(frame) })")
        .await;
    let after = scene.tree().await;
    // As before, and another element.
    assert!(after.contains("button \"one\" [ref=@e6]") && after.contains("button \"two\" [ref=@e4]"), "{after}");
    assert!(scene.resolves("@e2").await.unwrap_err().ends_with("the element is gone"));
    // The focus is told where it is: in the frame.
    scene.evaluate("document.querySelector('iframe').contentDocument.querySelector('button').focus()").await;
    assert!(scene.tree().await.contains("button \"one\" [focused] [ref=@e6]"), "{}", scene.tree().await);
    // A name that changes leaves the number with its node; under the old name it is stale until it is shown.
    scene.shows("<button>One</button><button>Two</button>").await;
    assert!(scene.tree().await.contains("button \"Two\" [ref=@e8]"));
    scene.evaluate("document.querySelectorAll('button')[1].textContent = 'Not two'").await;
    assert!(scene.resolves("@e8").await.is_err());
    assert!(scene.tree().await.contains("button \"Not two\" [ref=@e8]"));
    assert_eq!(scene.resolves("@e8").await, Ok(()));
}
