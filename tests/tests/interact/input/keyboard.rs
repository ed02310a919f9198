//! Typing, chords, selections, input methods.

use porthole_contract::live::{ImeEvent, ImeEventType, KeyEventType};
use porthole_service::page::input::{InputEvent, Taken};
use porthole_tests::site::SHOP;

use super::person::{LISTENS, Person, TELLS, key};
use crate::act::scene::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn a_sentence_is_typed_with_its_keys() {
    let person = Person::at(
        "<input id=i><form onsubmit='log.push(`sent`); return false'><input id=j></form><script>
        for (const type of ['keydown', 'keypress', 'keyup']) i.addEventListener(type, e =>
            log.push(`${type} ${e.key} ${e.code} ${e.keyCode}${e.shiftKey ? ' shift' : ''}${e.isTrusted ? '' : ' untrusted'}`))</script>",
    )
    .await;
    person.clicks_on("#i").await;
    person.types("Ah");
    person.hears(
        "keydown A KeyA 65 shift,keypress A KeyA 65 shift,keyup A KeyA 65 shift,keydown h KeyH 72,keypress h KeyH 104,keyup h KeyH 72",
    )
    .await;
    person.types("oy, 12 Öre & 3 €!");
    person.sees("i.value", "Ahoy, 12 Öre & 3 €!").await;
    // The older way: a key without a text, and a `char` for it.
    for event in [
        key(KeyEventType::KeyDown, "x", None, 0),
        key(KeyEventType::Char, "x", Some("x"), 0),
        key(KeyEventType::KeyUp, "x", None, 0),
        key(KeyEventType::Char, "", Some("👨‍👩‍👧"), 0),
    ] {
        person.does(InputEvent::Key(event));
    }
    person.sees("i.value", "Ahoy, 12 Öre & 3 €!x👨‍👩‍👧").await;
    person.clicks_on("#j").await;
    person.evaluate("log.length = 0").await;
    person.strikes("Enter", 0);
    person.hears("sent").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chords_select_and_edit() {
    let person = Person::at("<input id=i value='one two three'><input id=j>").await;
    let selected = "i.value.slice(i.selectionStart, i.selectionEnd)";
    person.clicks_on("#i").await;
    person.strikes("End", 0);
    person.strikes("ArrowLeft", 8);
    person.strikes("ArrowLeft", 8);
    person.sees(selected, "ee").await;
    person.strikes("ArrowLeft", 2 + 8);
    person.sees(selected, "three").await;
    person.strikes("a", 2);
    person.sees(selected, "one two three").await;
    person.types("x");
    person.sees("i.value", "x").await;
    person.strikes("z", 2);
    person.sees("i.value", "one two three").await;
    // A Mac's viewer, and the browser's editing commands.
    person.strikes("ArrowRight", 4);
    person.strikes("ArrowLeft", 4 + 8);
    person.sees(selected, "one two three").await;
    person.strikes("ArrowRight", 0);
    person.strikes("a", 4);
    person.sees(selected, "one two three").await;
    person.strikes("Backspace", 0);
    person.sees("i.value", "").await;
    person.strikes("Tab", 0);
    person.types("y");
    person.sees("j.value", "y").await;
    // No text while a chord is held.
    let chord = key(KeyEventType::KeyDown, "b", Some("b"), 2);
    person.does(InputEvent::Key(chord));
    person.types("!");
    person.sees("j.value", "y!").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn input_methods_compose_commit_and_cancel() {
    for other_origin in [false, true] {
        let scene = Scene::open().await;
        let field = "<body style='margin:0'><input id=i style='width:200px;height:40px'><script>
            for (const type of ['compositionstart', 'compositionupdate', 'compositionend', 'input'])
                i.addEventListener(type, e => top.postMessage([type, e.data, i.value].filter(Boolean).join(' '), '*'))</script>";
        let url = scene.site.html(&format!("{TELLS}{field}"));
        let url = if other_origin { scene.site.under_name(&url, SHOP) } else { url };
        let person = Person::in_scene(scene, &format!("{LISTENS}<iframe src='{url}' style='border:0'></iframe>")).await;
        person.reaches((20.0, 20.0)).await;
        person.clicks((20.0, 20.0));
        person.composes(ImeEventType::Compose, "に");
        person.composes(ImeEventType::Compose, "にほん");
        person.composes(ImeEventType::Commit, "日本");
        person
            .hears(
                "compositionstart,compositionupdate に,input に に,compositionupdate にほん に,input にほん にほん,\
                 compositionupdate 日本 にほん,input 日本 日本,compositionend 日本 日本",
            )
            .await;
        person.evaluate("log.length = 0").await;
        person.composes(ImeEventType::Compose, "ka");
        person.composes(ImeEventType::Cancel, "");
        person
            .hears("compositionstart 日本,compositionupdate ka 日本,input ka 日本ka,compositionupdate 日本ka,input 日本,compositionend 日本")
            .await;
        // A dead key: nothing is composed, the letter comes at once.
        person.composes(ImeEventType::Commit, "é");
        person.sees("log.at(-1)", "input é 日本é").await;
        let nothing =
            ImeEvent { kind: ImeEventType::Cancel, text: String::new(), selection_start: None, selection_end: None };
        assert_eq!(person.input.send(InputEvent::Ime(nothing)), Taken::Ignored);
        person.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_follow_a_click_into_another_process() {
    let scene = Scene::open().await;
    let inner = scene.site.html(&format!("{TELLS}<body style='margin:0'><input oninput='top.postMessage(this.value, `*`)' style='width:200px;height:40px'>"));
    let inner = scene.site.under_name(&inner, SHOP);
    let person = Person::in_scene(
        scene,
        &format!(
            "<input id=i style='width:200px;height:40px'>{LISTENS}
            <iframe src='{inner}' style='position:absolute;left:0;top:100px;border:0'></iframe>"
        ),
    )
    .await;
    person.reaches((20.0, 120.0)).await;
    for _ in 0..10 {
        person.clicks((20.0, 20.0));
        person.types("o");
        person.clicks((20.0, 120.0));
        person.types("i");
    }
    person
        .sees("`${[...i.value].sort().join('')} ${[...(log.at(-1) ?? '')].sort().join('')}`", "oooooooooo iiiiiiiiii")
        .await;
    person.ends().await;
}
