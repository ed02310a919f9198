//! What is done to elements in the page: each action once, and read back.

use porthole_service::page::interact::{ActError, DomAction, Kind};

use crate::scene::{PATIENCE, Scene, by};

fn types(text: &str) -> DomAction {
    DomAction::Type { text: text.to_owned(), clear: true }
}

fn presses(key: &str) -> DomAction {
    DomAction::Press { key: key.to_owned(), real_follows: true }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_is_a_click_and_only_one() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<button id=b>Go <i id=i>on</i></button><a id=a href='#there'>link</a>
             <label id=l><input id=c type=checkbox>tick</label><form onsubmit='sent = (window.sent ?? 0) + 1; return false'><button id=s>Send</button></form>
             <div style='height:3000px'></div><p id=far>far</p><button id=deaf>deaf</button><button id=asks onclick='alert(1)'>Ask</button>
             <button id=opens onclick='opened = !!window.open(\"about:blank\")'>Open</button>
             <script>heard = [];
             for (const type of ['pointerover','mouseover','pointermove','mousemove','pointerdown','mousedown','focus','pointerup','mouseup','click','dblclick'])
               b.addEventListener(type, event => heard.push(event.type));
             c.addEventListener('click', () => ticks = (window.ticks ?? 0) + 1);
             addEventListener('click', event => { if (event.target.id === 'deaf') event.stopImmediatePropagation() }, true);
             </script>",
        )
        .await;
    let clicked = scene.acts("#b", &DomAction::click()).await;
    assert_eq!((clicked.took, clicked.changed), (true, false));
    let order = [
        "pointerover",
        "mouseover",
        "pointermove",
        "mousemove",
        "pointerdown",
        "mousedown",
        "focus",
        "pointerup",
        "mouseup",
        "click",
    ];
    assert_eq!(scene.js("heard.join()").await, order.join(","));
    scene.acts("#i", &DomAction::click()).await;
    assert_eq!(scene.js("heard.filter(type => type === 'click').length").await, 2);
    assert!(scene.acts("#a", &DomAction::click()).await.changed);
    assert_eq!(scene.js("location.hash").await, "#there");
    assert!(scene.acts("#l", &DomAction::click()).await.changed);
    assert_eq!(scene.js("`${c.checked} ${ticks}`").await, "true 1");
    scene.acts("#s", &DomAction::click()).await;
    assert_eq!(scene.js("sent").await, 1);
    scene.acts("#far", &DomAction::click()).await;
    assert!(scene.js("scrollY").await.as_f64().unwrap() > 1_000.0);
    assert!(!scene.acts("#deaf", &DomAction::click()).await.took, "its event did not reach it");
    let asked = scene.acts("#asks", &DomAction::click()).await;
    assert!(asked.took && asked.is_interrupted, "{asked:?}");
    scene.page.answer_dialog(true, None).await.unwrap();
    scene.acts("#opens", &DomAction::click()).await;
    assert_eq!(scene.js("opened").await, true);
    let hovered = scene.acts("#b", &DomAction::Hover).await;
    assert!(hovered.took);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controlled_field_takes_what_is_typed() {
    let scene = Scene::new().await;
    // As React keeps a field: an own property tracks what was set by script, and an input event that tells nothing new is
    // not heard; what is shown follows the state.
    scene
        .shows(
            "<input id=f value=old><input id=up><input id=fixed value=fixed><input id=short maxlength=3><input id=n type=number>
             <input id=d type=date><input id=p type=password><input id=r readonly><textarea id=t></textarea>
             <div id=rich contenteditable><p>old</p></div><label id=l for=f>Field</label><button id=b>no</button>
             <script>state = 'old'; told = [];
             const proto = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
             let tracked = 'old';
             Object.defineProperty(f, 'value', { get() { return proto.get.call(this) }, set(v) { tracked = v; proto.set.call(this, v) } });
             f.addEventListener('input', () => { const now = proto.get.call(f); if (now === tracked) return; tracked = state = now });
             for (const type of ['beforeinput', 'input', 'change']) f.addEventListener(type, event => told.push(event.type));
             up.addEventListener('input', () => up.value = up.value.toUpperCase());
             fixed.addEventListener('input', () => fixed.value = 'fixed');
             </script>",
        )
        .await;
    let typed = scene.acts("#f", &types("new")).await;
    assert_eq!((typed.took, typed.value_differs), (true, false));
    assert_eq!(scene.js("state + told").await, "newbeforeinput,input,change");
    scene.acts("#l", &DomAction::Type { text: "er".to_owned(), clear: false }).await;
    assert_eq!(scene.js("state").await, "newer");
    let upper = scene.acts("#up", &types("abc")).await;
    assert_eq!((upper.took, upper.value_differs, upper.value.as_deref()), (true, true, Some("ABC")));
    assert!(!scene.acts("#fixed", &types("abc")).await.took);
    assert_eq!(scene.acts("#short", &types("abcdef")).await.value.as_deref(), Some("abc"));
    assert!(!scene.acts("#n", &types("many")).await.took);
    assert!(scene.acts("#d", &types("2026-11-23")).await.took);
    let secret = scene.acts("#p", &types("hunter2")).await;
    assert_eq!((secret.took, secret.value), (true, None));
    assert!(scene.acts("#t", &types("two\r\nlines")).await.took);
    assert!(scene.acts("#rich", &types("rich text")).await.took);
    assert_eq!(scene.js("rich.innerText.trim()").await, "rich text");
    for not in ["#r", "#b"] {
        let located = scene.locate(&by(Kind::Css, not)).await.unwrap();
        let error = scene.page.act_in_dom(&located.element, not, &types("x"), PATIENCE).await.unwrap_err();
        assert!(matches!(error, ActError::NotEditable(_)), "{error:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn choices_are_made_and_read_back() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<label>Colour <select id=s onchange='told = this.value'><option value=r>Red<option value=g>Green<option value=b disabled>Blue</select></label>
             <select id=m multiple><option>one<option>two<option>three</select>
             <label id=wrap><input id=c type=checkbox>Agree</label><label for=h>Hidden</label><input id=h type=checkbox style='display:none'>
             <input id=r1 type=radio name=r checked><input id=r2 type=radio name=r>
             <div id=w role=switch aria-checked=false tabindex=0 onclick='this.setAttribute(\"aria-checked\", this.getAttribute(\"aria-checked\") !== \"true\")'>Wide</div>
             <input id=stuck type=checkbox onclick='event.preventDefault()'>
             <script>clicks = 0; c.addEventListener('click', () => clicks++)</script>",
        )
        .await;
    let selects =
        |values: &[&str]| DomAction::Select { values: values.iter().map(|value| (*value).to_owned()).collect() };
    assert!(scene.acts("#s", &selects(&["green"])).await.took);
    assert_eq!(scene.js("told").await, "g");
    let both = scene.acts("#m", &selects(&["one", "three"])).await;
    assert_eq!((both.took, both.value.as_deref()), (true, Some("one, three")));
    let select = scene.locate(&by(Kind::Label, "Colour")).await.unwrap();
    let error = async |values: &[&str]| {
        scene.page.act_in_dom(&select.element, "Colour", &selects(values), PATIENCE).await.unwrap_err()
    };
    assert!(matches!(error(&["violet"]).await, ActError::NotFound(_)));
    assert!(matches!(error(&["b"]).await, ActError::NotEnabled(_)));
    assert!(matches!(error(&["r", "g"]).await, ActError::Invalid(_)));
    let check = |checked| DomAction::Check { checked };
    for (css, checked) in
        [("#wrap", true), ("#wrap", true), ("#wrap", false), ("#h", true), ("#r2", true), ("#w", true), ("#w", false)]
    {
        let effect = scene.acts(css, &check(checked)).await;
        assert_eq!((effect.took, effect.value), (true, Some(checked.to_string())), "{css} {checked}");
    }
    assert_eq!(scene.js("`${clicks} ${c.checked} ${h.checked} ${r2.checked}`").await, "2 false true true");
    assert!(!scene.acts("#stuck", &check(true)).await.took);
    let radio = scene.locate(&by(Kind::Css, "#r2")).await.unwrap();
    let error = scene.page.act_in_dom(&radio.element, "#r2", &check(false), PATIENCE).await.unwrap_err();
    assert!(matches!(error, ActError::NoEffect(_)), "{error:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_do_what_they_do_by_default() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<form onsubmit='sent = (window.sent ?? 0) + 1; return false'><input id=f><button>Send</button></form>
             <textarea id=t></textarea><button id=b onclick='pressed = (window.pressed ?? 0) + 1'>b</button><input id=c type=checkbox>
             <script>keys = []; addEventListener('keydown', event => keys.push(`${event.key} ${event.code} ${event.keyCode} ${event.ctrlKey}`))</script>",
        )
        .await;
    for key in ["a", "B", "Enter"] {
        assert!(scene.acts("#f", &presses(key)).await.took, "{key}");
    }
    assert_eq!(scene.js("f.value + sent").await, "aB1");
    scene.acts("#f", &presses("Backspace")).await;
    assert_eq!(scene.js("f.value").await, "a");
    for key in ["x", "Enter", "y"] {
        scene
            .page
            .act_in_dom(&scene.locate(&by(Kind::Css, "#t")).await.unwrap().element, "#t", &presses(key), PATIENCE)
            .await
            .unwrap();
    }
    assert_eq!(scene.js("t.value").await, "x\ny");
    scene.acts("#b", &presses("Enter")).await;
    scene.acts("#b", &presses("Space")).await;
    assert_eq!(scene.js("pressed").await, 2);
    assert!(scene.page.press_in_dom("Enter", true, PATIENCE).await.unwrap().took);
    assert_eq!(scene.js("pressed").await, 3, "without a target it goes to what has the focus");
    scene.acts("#c", &presses("Space")).await;
    assert_eq!(scene.js("c.checked").await, true);
    let told = scene.js("keys.length").await;
    assert!(!scene.acts("#f", &presses("Tab")).await.took, "real input follows");
    assert_eq!(scene.js("keys.length").await, told);
    let alone = DomAction::Press { key: "Control+A".to_owned(), real_follows: false };
    assert!(scene.acts("#f", &alone).await.took);
    assert_eq!(scene.js("keys.at(-1)").await, "a KeyA 65 true");
    scene.ends().await;
}
