//! Dialogs and file choosers: told, and answered.

use porthole_contract::live::Answer;
use porthole_contract::session::UploadFile;
use porthole_service::page::input::{InputEvent, Taken};
use porthole_tests::site::SHOP;

use super::person::{LISTENS, Person, TELLS};
use crate::act::scene::Scene;

fn file(name: &str, content_base64: &str) -> UploadFile {
    UploadFile { name: name.into(), mime_type: Some("text/plain".into()), content_base64: content_base64.into() }
}

fn answer(accept: bool, text: Option<&str>) -> Answer {
    Answer { accept, text: text.map(str::to_owned) }
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_are_told_and_answered() {
    let person = Person::at(
        "<button id=p style='width:200px;height:50px' onclick='log.push(prompt(`name?`, `Ada`))'>p</button>
        <button id=a style='width:200px;height:50px' onclick='alert(`same`); alert(`same`); log.push(confirm(`sure?`))'>a</button>",
    )
    .await;
    let answers = |number, answer| assert_eq!(person.input.answer_dialog(number, answer), Taken::Taken);
    assert_eq!(person.input.answer_dialog(1, answer(true, None)), Taken::Ignored, "none is open");
    person.clicks_on("#p").await;
    let outside = person.outside("no prompt", |outside| outside.dialog.is_some()).await;
    let (first, dialog) = outside.dialog.unwrap();
    assert_eq!((dialog.kind.as_str(), dialog.message.as_str(), dialog.default.as_str()), ("prompt", "name?", "Ada"));
    assert_eq!(person.input.answer_dialog(first + 1, answer(true, None)), Taken::Ignored, "this one was not seen");
    answers(first, answer(true, Some("Grace")));
    person.outside("it stays", |outside| outside.dialog.is_none()).await;
    person.hears("Grace").await;
    person.clicks_on("#a").await;
    let mut last = first;
    for _ in 0..2 {
        let outside = person
            .outside("no alert", |outside| outside.dialog.as_ref().is_some_and(|(number, _)| *number > last))
            .await;
        last = outside.dialog.unwrap().0;
        answers(last, answer(true, None));
    }
    let question = person
        .outside("no question", |outside| outside.dialog.as_ref().is_some_and(|(_, dialog)| dialog.kind == "confirm"))
        .await;
    assert_eq!(person.input.answer_dialog(last, answer(true, None)), Taken::Ignored, "that one is answered");
    let last = question.dialog.unwrap().0;
    answers(last, answer(false, None));
    person.hears("Grace,false").await;
    // Input goes on.
    person.clicks_on("#p").await;
    let outside =
        person.outside("no prompt", |outside| outside.dialog.as_ref().is_some_and(|(number, _)| *number > last)).await;
    answers(outside.dialog.unwrap().0, answer(false, None));
    person.hears("Grace,false,").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_chosen() {
    for other_origin in [false, true] {
        let scene = Scene::open().await;
        let inner = scene.site.html(&[TELLS,
            "<body style='margin:0'><input type=file id=f multiple accept='.txt,image/*' style='display:block;width:300px;height:40px'>
            <button id=b style='width:300px;height:40px'>detached</button><script>
            const tell = e => Promise.all([...e.target.files].map(async file => `${file.name} ${file.type} ${await file.text()}`))
                .then(files => top.postMessage(`${e.type} ${files}`, '*'));
            for (const type of ['input', 'change', 'cancel']) f.addEventListener(type, tell);
            b.onclick = () => { const made = document.createElement('input'); made.type = 'file'; made.onchange = tell; made.click() }</script>"].concat(),
        );
        let inner = if other_origin { scene.site.under_name(&inner, SHOP) } else { inner };
        let person =
            Person::in_scene(scene, &format!("{LISTENS}<iframe src='{inner}' style='border:0;width:400px'></iframe>"))
                .await;
        assert_eq!(person.input.send(InputEvent::Files(Vec::new())), Taken::Ignored, "none is open");
        person.reaches((20.0, 20.0)).await;
        person.clicks((20.0, 20.0));
        let chooser = person.outside("no chooser", |outside| outside.chooser.is_some()).await.chooser.unwrap();
        assert!(chooser.multiple);
        assert_eq!(chooser.accept, ".txt,image/*");
        person.does(InputEvent::Files(vec![file("one.txt", "b25l"), file("two.txt", "dHdv")]));
        person.hears("input one.txt text/plain one,two.txt text/plain two,change one.txt text/plain one,two.txt text/plain two").await;
        person.evaluate("log.length = 0").await;
        person.clicks((20.0, 20.0));
        person.outside("no chooser", |outside| outside.chooser.is_some()).await;
        person.does(InputEvent::Files(Vec::new()));
        person.hears("cancel one.txt text/plain one,two.txt text/plain two").await;
        person.evaluate("log.length = 0").await;
        // A field that is in no document.
        person.clicks((20.0, 60.0));
        let chooser = person.outside("no chooser", |outside| outside.chooser.is_some()).await.chooser.unwrap();
        assert!(!chooser.multiple);
        let two = vec![file("one.txt", "b25l"), file("two.txt", "dHdv")];
        assert_eq!(person.input.send(InputEvent::Files(two)), Taken::TooManyFiles, "it takes one");
        person.does(InputEvent::Files(vec![file("three.txt", "")]));
        person.hears("change three.txt text/plain ").await;
        person.evaluate("log.length = 0").await;
        // Nobody may act any more: what waits is cancelled, and the browser has its choosers back.
        person.clicks((20.0, 20.0));
        person.outside("no chooser", |outside| outside.chooser.is_some()).await;
        person.input.set_controlled(false);
        person.outside("a chooser", |outside| outside.chooser.is_none()).await;
        person.sees("log.length", 1).await;
        person.clicks((20.0, 20.0));
        person.sees("log.length", 2).await;
        person.ends().await;
    }
}
