//! page-select-option, page-check.

use porthole_service::page::interact::ActError;

use super::each;
use crate::act::scene::{Scene, ready};

const OPTIONS: &str = "<script>window.Event = null; var log = [];
    for (const type of ['input', 'change']) document.addEventListener(type, () => log.push(type + ':' + [...s.selectedOptions].map(o => o.value)))</script>
    <select id=s><option value=black>Black<option value=blue>Blue<option value=html>&nbsp;HTML<option value=white label='As labelled'>White
    <option>  spaced   out </select>";

/// What is chosen in [`OPTIONS`] (with `multiple` before a `+`), and what is true then.
const CHOSEN: &[(&str, &str, &str)] = &[
    ("", "blue", "log == 'input:blue,change:blue'"),
    ("", "Blue", "log == 'input:blue,change:blue'"),
    ("", "HTML", "log == 'input:html,change:html'"),
    ("", "As labelled", "s.value == 'white'"),
    ("", "spaced out", "s.selectedIndex == 4"),
    // What is chosen already is not chosen again.
    ("", "black", "log == ''"),
    ("<script>s.multiple = true</script>", "blue|html|white", "log == 'input:blue,html,white,change:blue,html,white'"),
    (
        "<script>s.multiple = true; s.options[0].selected = true</script>",
        "",
        "s.selectedOptions.length == 0 && log.length == 2",
    ),
    (
        "<script>setTimeout(() => s.add(new Option('Scarlet', 'scarlet')), 150)</script>",
        "scarlet",
        "s.value == 'scarlet'",
    ),
    ("<script>s.disabled = true; setTimeout(() => s.disabled = false, 150)</script>", "blue", "s.value == 'blue'"),
    (
        "<script>s.options[1].disabled = true; setTimeout(() => s.options[1].disabled = false, 150)</script>",
        "blue",
        "s.value == 'blue'",
    ),
    // By the select that it is the label of.
    ("<label for=s id=l>Colour</label><script>s.after(l)</script>", "l>blue", "s.value == 'blue'"),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_playwright_selects_is_chosen() {
    let pages: Vec<_> = CHOSEN.iter().map(|(then, what, holds)| (format!("{OPTIONS}{then}"), *what, *holds)).collect();
    let cases: Vec<_> = pages.iter().map(|(page, what, holds)| (page.as_str(), *what, *holds)).collect();
    each(&cases, async |scene: &Scene, what| {
        let (on, what) = what.split_once('>').unwrap_or(("s", what));
        let values: Vec<String> = what.split('|').filter(|value| !value.is_empty()).map(str::to_owned).collect();
        scene.page.select(&scene.element(&format!("#{on}")).await, &values, &ready()).await.map(drop)
    })
    .await;
}

/// A page, what `#c` is set to, and what is true then.
const CHECKED: &[(&str, bool, &str)] = &[
    ("<input id=c type=checkbox>", true, "c.checked"),
    ("<input id=c type=checkbox checked onclick='clicked = 1'>", true, "c.checked && !window.clicked"),
    ("<input id=c type=checkbox checked>", false, "!c.checked"),
    ("<input id=c type=checkbox onclick='clicked = 1'>", false, "!c.checked && !window.clicked"),
    ("<input type=radio>one<input id=c type=radio>two", true, "c.checked"),
    ("<div role=button><input id=c type=checkbox></div>", true, "c.checked"),
    // Its label: the link in it is not meant.
    (
        "<input id=i type=checkbox style='width:5px;height:5px'><label id=c for=i><a href='about:blank#away'>a long link that
        goes away</a> and some words of the label that are not in it</label>",
        true,
        "i.checked && !location.href.includes('away')",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_playwright_checks_is_checked() {
    let mut cases = CHECKED.to_vec();
    let roles = ["checkbox", "menuitemcheckbox", "option", "radio", "switch", "menuitemradio", "treeitem"];
    let by_role: Vec<_> = roles
        .iter()
        .flat_map(|role| [true, false].map(|to| (role, to)))
        .filter(|(role, to)| *to || !role.contains("radio"))
        .map(|(role, to)| {
            let page =
                format!("<div role={role} id=c aria-checked={} onclick='c.ariaChecked = {to}'>CHECKBOX</div>", !to);
            (page, to, format!("c.ariaChecked == '{to}'"))
        })
        .collect();
    // Where it does not say what it is, it is not checked.
    let silent: Vec<_> = roles
        .iter()
        .map(|role| format!("<div role={role} id=c onclick='c.ariaChecked = true'>CHECKBOX</div>"))
        .collect();
    cases.extend(by_role.iter().map(|(page, to, holds)| (page.as_str(), *to, holds.as_str())));
    cases.extend(silent.iter().map(|page| (page.as_str(), true, "c.ariaChecked == 'true'")));
    each(&cases, async |scene: &Scene, to| scene.page.check(&scene.element("#c").await, to, &ready()).await.map(drop))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_choice_is_refused() {
    let scene =
        Scene::showing("<div id=d>Check me</div><div id=b role=button>Check me</div><input id=r type=radio checked>")
            .await;
    for (selector, to) in [("#d", true), ("#b", true)] {
        let refused = scene.page.check(&scene.element(selector).await, to, &ready()).await.unwrap_err();
        assert!(matches!(refused, ActError::Invalid(_)), "{selector}: {refused:?}");
        let values = ["x".to_owned()];
        let refused = scene.page.select(&scene.element(selector).await, &values, &ready()).await.unwrap_err();
        assert!(matches!(refused, ActError::Invalid(_)), "{selector}: {refused:?}");
    }
    scene.ends().await;
}
