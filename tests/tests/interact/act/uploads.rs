//! Giving files.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use porthole_contract::session::UploadFile;
use porthole_service::page::interact::{ActError, File, Refs, SnapshotOptions};

use super::scene::{LOGS, Scene, ready, ready_briefly};
use crate::warned::Warned;

#[tokio::test(flavor = "multi_thread")]
async fn files_are_given_to_a_hidden_input() {
    let scene = Scene::showing(
        "<label id=l>Choose<input id=f type=file multiple hidden></label><input id=one type=file><p id=p></p><script>
        f.onchange = async () => { p.textContent = (await Promise.all([...f.files].map(async x => x.name + ' ' + x.type + ' ' + await x.text()))).join('|') }</script>",
    )
    .await;
    let file = |name: &str, text: &str| File {
        name: name.to_owned(),
        mime_type: "text/plain".to_owned(),
        content_base64: BASE64_STANDARD.encode(text),
    };
    let files = [file("a.txt", "hällo"), file("b.txt", "b")];
    for selector in ["#f", "#l"] {
        scene.evaluate("p.textContent = ''").await;
        let deadline = ready().deadline;
        scene.page.upload(&scene.element(selector).await, &files, deadline, ready().deadline).await.unwrap();
        assert_eq!(scene.evaluate("p.textContent").await, "a.txt text/plain hällo|b.txt text/plain b");
    }
    let many =
        scene.page.upload(&scene.element("#one").await, &files, ready().deadline, ready().deadline).await.unwrap_err();
    assert!(matches!(many, ActError::Invalid(_)), "{many:?}");
    let none =
        scene.page.upload(&scene.element("#p").await, &files, ready().deadline, ready().deadline).await.unwrap_err();
    assert!(matches!(none, ActError::Invalid(_)), "{none:?}");
    let unclear = scene
        .page
        .upload(&scene.element("body").await, &files[..1], ready().deadline, ready().deadline)
        .await
        .unwrap_err();
    assert!(unclear.to_string().contains("several fields"), "{unclear:?}");
    scene.ends().await;
}

/// As the browser does of a file that a person chooses; pages refuse pictures without a type.
#[tokio::test]
async fn a_file_without_a_type_has_that_of_its_name() {
    let kind = |name: &str, mime_type: Option<&str>| {
        let mime_type = mime_type.map(str::to_owned);
        File::from(&UploadFile { name: name.to_owned(), mime_type, content_base64: String::new() }).mime_type
    };
    assert_eq!(kind("a.PNG", None), "image/png");
    assert_eq!(kind("b.csv", None), "text/csv");
    assert_eq!(kind("b.csv", Some("text/plain")), "text/plain");
    assert_eq!(kind("no-ending", None), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_asks_for_files_gets_them() {
    let scene = Scene::open().await;
    let file =
        File { name: "a.txt".into(), mime_type: "text/plain".into(), content_base64: BASE64_STANDARD.encode("a") };
    let files = [file.clone(), file];
    for asks in [
        "const f1 = document.createElement('input'); f1.type = 'file'; f1.hidden = true; document.body.append(f1); f1.onchange = () => got(f1); b.onclick = () => f1.click()",
        "b.onclick = () => { const i = document.createElement('input'); i.type = 'file'; i.onchange = () => got(i); i.click() }",
        "b.onclick = () => setTimeout(() => { const i = document.createElement('input'); i.type = 'file'; i.onchange = () => got(i); i.click() }, 200)",
    ] {
        scene.shows(&format!("<button id=b>Choose</button><p id=p></p><script>const got = i => {{ p.textContent = i.files[0].name }}; {asks}</script>")).await;
        let button = scene.element("#b").await;
        scene.page.upload(&button, &files[..1], ready().deadline, ready().deadline).await.unwrap();
        assert_eq!(scene.evaluate("p.textContent").await, "a.txt", "{asks}");
        let many = scene.page.upload(&button, &files, ready().deadline, ready().deadline).await;
        assert!(matches!(many, Err(ActError::Invalid(_))), "{many:?}");
    }
    // In a frame of another process.
    let leaf = scene.site.html("<button id=b>Choose</button><script>b.onclick = () => { const i = document.createElement('input'); i.type = 'file'; i.onchange = () => { b.textContent = i.files[0].name }; i.click() }</script>");
    let leaf = scene.site.under_name(&leaf, porthole_tests::site::SHOP);
    scene.shows(&format!("<iframe id=f src='{leaf}' onload='this.loaded = 1'></iframe>")).await;
    scene.evaluate("new Promise(done => f.loaded ? done() : f.addEventListener('load', () => done()))").await;
    let button = scene.inner(&["#f", "#b"]).await;
    scene.page.upload(&button, &files[..1], ready().deadline, ready().deadline).await.unwrap();
    let refs = &mut Refs::default();
    assert!(scene.page.snapshot(refs, &SnapshotOptions::default()).await.unwrap().tree.contains("a.txt"));
    scene.shows("<button id=b>Nothing</button>").await;
    let none =
        scene.page.upload(&scene.element("#b").await, &files[..1], ready_briefly().deadline, ready().deadline).await;
    assert!(matches!(&none, Err(ActError::NoEffect(why)) if why.contains("name the field")), "{none:?}");
    scene.ends().await;
}

/// One input with several labels, of which the one that is clicked says what the file is.
#[tokio::test(flavor = "multi_thread")]
async fn the_label_that_is_named_is_clicked_where_its_input_has_several() {
    let page = format!(
        "{LOGS}<label id=f for=i onclick=\"slot = 'front'\">Front side</label> <label id=b for=i onclick=\"slot = 'back'\">Back side</label>
        <input type=file id=i hidden onchange=\"note(slot + ' ' + i.files[0].name)\"><script>let slot = 'none'</script>"
    );
    let scene = Scene::showing(&page).await;
    let files = [File { name: "a.txt".into(), mime_type: "text/plain".into(), content_base64: "YQ==".into() }];
    for label in ["#b", "#f"] {
        let element = scene.element(label).await;
        scene.page.upload(&element, &files, ready().deadline, ready().deadline).await.unwrap();
    }
    assert_eq!(scene.log().await, "back a.txt,front a.txt");
    scene.ends().await;
}

/// A page may listen for the files only once its button was pressed: what it does not see is told.
#[tokio::test(flavor = "multi_thread")]
async fn files_that_the_page_does_not_take_are_told() {
    let scene = Scene::open().await;
    let file =
        File { name: "a.txt".into(), mime_type: "text/plain".into(), content_base64: BASE64_STANDARD.encode("a") };
    for (style, listens, is_told) in [
        ("position: absolute; opacity: 0; width: 1px; height: 1px", "b.onclick", true),
        ("position: absolute; opacity: 0; width: 1px; height: 1px", "f.onchange", false),
        // The field itself shows what it holds.
        ("", "b.onclick", false),
    ] {
        scene
            .shows(&format!("<input type=file id=f style='{style}'><button id=b>Choose</button><p id=p></p><script>{listens} = () => {{ p.textContent = 'taken' }}</script>"))
            .await;
        let field = scene.element("#f").await;
        let given =
            scene.page.upload(&field, std::slice::from_ref(&file), ready().deadline, ready().deadline).await.unwrap();
        assert_eq!(given.warned().join("").contains("no_change"), is_told, "{style} {listens}: {given:?}");
    }
    // A field that its page empties shows nothing of them.
    for (does, is_told) in [("", true), ("p.textContent = 'taken'", false)] {
        let page =
            format!("<input type=file id=f><p id=p></p><script>f.onchange = () => {{ {does}; f.value = '' }}</script>");
        scene.shows(&page).await;
        let field = scene.element("#f").await;
        let given =
            scene.page.upload(&field, std::slice::from_ref(&file), ready().deadline, ready().deadline).await.unwrap();
        assert_eq!(given.warned().join("").contains("no_change"), is_told, "{does:?}: {given:?}");
    }
    scene.ends().await;
}
