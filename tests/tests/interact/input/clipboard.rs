//! Pasting and copying: the session's own clipboard, never the browser's.

use porthole_contract::live::KeyEventType;
use porthole_service::page::input::InputEvent;
use porthole_tests::site::SHOP;

use super::person::{LISTENS, Person, TELLS, key};
use crate::act::scene::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_pasted_where_the_focus_is() {
    let person = Person::at(
        "<input id=i value=old><textarea id=t></textarea><div id=c contenteditable style='width:200px;height:80px'></div>
        <textarea id=own onpaste='event.preventDefault(); this.value = `own: ` + event.clipboardData.getData(`text/plain`)'></textarea>
        <input id=r readonly><script>addEventListener('paste', e => log.push(`${e.target.id} ${e.clipboardData.getData('text/plain')}`), true);
        addEventListener('keydown', e => log.push(e.key), true)</script>",
    )
    .await;
    let pastes = |text: &str| person.does(InputEvent::Paste(text.to_owned()));
    person.clicks_on("#i").await;
    person.strikes("a", 2);
    pastes("pasted");
    person.sees("i.value", "pasted").await;
    person.clicks_on("#t").await;
    pastes("one\ntwo 漢字");
    person.sees("t.value", "one\ntwo 漢字").await;
    person.clicks_on("#c").await;
    person.evaluate("log.length = 0").await;
    pastes("one\ntwo");
    person.sees("c.innerText.trim()", "one\ntwo").await;
    person.hears("c one\ntwo").await;
    person.clicks_on("#own").await;
    pastes("text");
    person.sees("own.value", "own: text").await;
    person.clicks_on("#r").await;
    pastes("no");
    person.sees("log.at(-1)", "r no").await;
    person.sees("r.value", "").await;
    // What follows comes after it.
    person.clicks_on("#i").await;
    person.strikes("a", 2);
    pastes("first");
    person.types(" then");
    person.sees("i.value", "first then").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_selected_is_copied() {
    let mut person = Person::at(
        "<input id=i value='from a field'><input id=p type=password value=secret><p id=text>from a text</p>
        <div id=own oncopy='event.preventDefault(); event.clipboardData.setData(`text/plain`, `from a handler`)'>own</div>
        <script>for (const type of ['copy', 'cut', 'paste']) addEventListener(type, e => log.push(`${type} ${e.target.id}`), true)</script>",
    )
    .await;
    person.clicks_on("#i").await;
    person.strikes("a", 2);
    person.does(InputEvent::Copy);
    assert_eq!(person.copied().await, "from a field");
    person.evaluate("i.blur(); getSelection().selectAllChildren(text)").await;
    person.strikes("c", 2);
    assert_eq!(person.copied().await, "from a text");
    person.evaluate("getSelection().selectAllChildren(own)").await;
    person.does(InputEvent::Copy);
    assert_eq!(person.copied().await, "from a handler");
    // A password is not copied, as in a browser; an empty selection brings nothing.
    person.clicks_on("#p").await;
    person.strikes("a", 2);
    person.does(InputEvent::Copy);
    person.clicks_on("#i").await;
    person.strikes("a", 2);
    person.strikes("x", 4);
    assert_eq!(person.copied().await, "from a field", "a Mac's chord cuts, and nothing came before");
    person.sees("i.value", "").await;
    person.strikes("v", 2);
    person.strikes("v", 2);
    person.sees("i.value", "from a fieldfrom a field").await;
    assert_eq!(person.clipboard.get(), "from a field", "what an agent of the session pastes, too");
    person.hears("copy i,copy text,copy own,copy p,cut i,paste i,paste i").await;
    // A chord that the page takes for itself.
    person.evaluate("addEventListener('keydown', e => e.preventDefault(), true); log.length = 0").await;
    person.strikes("v", 2);
    person.does(InputEvent::Key(key(KeyEventType::Char, "!", Some("!"), 0)));
    person.sees("i.value", "from a fieldfrom a field!").await;
    person.hears("").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_of_other_processes_are_pasted_into() {
    let scene = Scene::open().await;
    let inner = scene.site.html(&format!("{TELLS}<body style='margin:0'><input oninput='top.postMessage(this.value, `*`)' style='width:200px;height:40px'>"));
    let inner = scene.site.under_name(&inner, SHOP);
    let mut person =
        Person::in_scene(scene, &format!("{LISTENS}<iframe src='{inner}' style='border:0'></iframe>")).await;
    person.reaches((20.0, 20.0)).await;
    person.clicks((20.0, 20.0));
    person.does(InputEvent::Paste("pasted".to_owned()));
    person.hears("pasted").await;
    person.strikes("a", 2);
    person.strikes("x", 2);
    assert_eq!(person.copied().await, "pasted");
    person.hears("pasted,").await;
    person.ends().await;
}
