//! Choosing options, setting boxes, giving files.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use porthole_service::page::interact::{ActError, Click, File, How, Refs, SnapshotOptions, Terms};
use porthole_tests::eventually;

use super::scene::{Scene, in_document, ready, ready_briefly};
use crate::held_page::PATIENCE;

#[tokio::test(flavor = "multi_thread")]
async fn options_are_chosen_by_value_and_label() {
    let scene = Scene::showing(
        "<select id=s><option value=de>Germany<option value=fr>France<option value=xx disabled>Nowhere</select>
        <select id=m multiple><option>one<option>two<option>three</select>
        <select id=back onchange='this.selectedIndex = 0'><option>a<option>b</select>
        <select id=late></select><script>const log = []; s.onchange = () => log.push(s.value);
        setTimeout(() => { late.innerHTML = '<option>came' }, 200)</script>",
    )
    .await;
    let select = async |selector: &str, values: &[&str]| {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        scene.page.select(&scene.element(selector).await, &values, &ready_briefly()).await
    };
    select("#s", &["fr"]).await.unwrap();
    select("#s", &["Germany"]).await.unwrap();
    assert_eq!(scene.log().await, "fr,de");
    let lacks = select("#s", &["Spain"]).await.unwrap_err();
    assert!(matches!(&lacks, ActError::NotFound(what) if what.to_string().contains("Spain")), "{lacks:?}");
    assert!(matches!(select("#s", &["xx"]).await, Err(ActError::NotEnabled(_))));
    assert!(matches!(select("#s", &["de", "fr"]).await, Err(ActError::Invalid(_))));
    select("#m", &["one", "three"]).await.unwrap();
    assert_eq!(scene.evaluate("[...m.selectedOptions].map(o => o.value).join()").await, "one,three");
    select("#m", &["two"]).await.unwrap();
    assert_eq!(scene.evaluate("[...m.selectedOptions].map(o => o.value).join()").await, "two");
    assert!(matches!(select("#back", &["b"]).await, Err(ActError::NoEffect(_))));
    select("#late", &["came"]).await.unwrap();
    // An option that is clicked is chosen.
    scene.click("#s option[value=fr]").await.unwrap();
    assert_eq!(scene.evaluate("s.value").await, "fr");
    scene.evaluate("s.style.display = 'none'").await;
    assert!(matches!(scene.click("#s option[value=de]").await, Err(ActError::NotVisible(_))));
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_are_set_by_a_click_and_looked_at() {
    let scene = Scene::showing(
        "<input type=checkbox id=c><label for=h id=hl>Hidden one</label><input type=checkbox id=h style='display:none'>
        <input type=radio name=r id=r1><input type=radio name=r id=r2><div role=switch aria-checked=false id=s tabindex=0
        onclick='this.setAttribute(`aria-checked`, this.getAttribute(`aria-checked`) !== `true`)'>Wi-Fi</div>
        <input type=checkbox id=no onclick='return false'><input type=checkbox id=over style='position:absolute;left:300px'>
        <label for=over style='position:absolute;left:290px;width:60px;height:30px;z-index:1'>custom</label>",
    )
    .await;
    for how in [How::Input, How::DocumentOnly] {
        for checked in [true, true, false] {
            for selector in ["#c", "#h", "#s", "#over"] {
                if how == How::DocumentOnly && selector == "#h" {
                    continue;
                }
                let terms = Terms { how, ..ready_briefly() };
                scene.page.check(&scene.element(selector).await, checked, &terms).await.unwrap();
            }
            assert_eq!(scene.evaluate("c.checked").await, checked);
            assert_eq!(scene.evaluate("over.checked").await, checked);
            assert_eq!(scene.evaluate("s.getAttribute('aria-checked')").await, checked.to_string().as_str());
            if how == How::Input {
                assert_eq!(scene.evaluate("h.checked").await, checked);
            }
        }
    }
    scene.page.check(&scene.element("#r2").await, true, &ready()).await.unwrap();
    assert_eq!(scene.evaluate("r2.checked && !r1.checked").await, true);
    let radio = scene.page.check(&scene.element("#r2").await, false, &ready()).await.unwrap_err();
    assert!(matches!(radio, ActError::NoEffect(_)), "{radio:?}");
    let refused = scene.page.check(&scene.element("#no").await, true, &ready()).await.unwrap_err();
    assert!(matches!(refused, ActError::NoEffect(_)), "{refused:?}");
    let body = scene.page.check(&scene.element("body").await, true, &in_document()).await.unwrap_err();
    assert!(matches!(body, ActError::Invalid(_)), "{body:?}");
    scene.ends().await;
}

/// A click that the page has taken is not followed by another one, which would undo it.
#[tokio::test(flavor = "multi_thread")]
async fn a_switch_that_takes_its_time_is_clicked_once() {
    let scene = Scene::showing(
        "<button id=s role=switch aria-checked=false onclick='log.push(1); s.title = `wait`; setTimeout(() => s.ariaChecked = s.ariaChecked !== `true`, 2500)'>Wifi</button>
        <button id=t role=switch aria-checked=false>Sound</button><script>const log = [];
        t.onclick = (event) => { log.push(event.isTrusted); if (event.isTrusted) t.ariaChecked = true }</script>",
    )
    .await;
    let terms = Terms { how: How::DocumentFirst, ..ready() };
    let refused = scene.page.check(&scene.element("#s").await, true, &terms).await.unwrap_err();
    assert!(matches!(&refused, ActError::NoEffect(_)), "{refused:?}");
    assert_eq!(scene.log().await, "1");
    eventually(PATIENCE, async || match scene.evaluate("s.ariaChecked").await {
        on if on == "true" => Ok(()),
        off => Err(off.to_string()),
    })
    .await;
    // One that heeds the browser's input alone has done nothing with the first.
    scene.page.check(&scene.element("#t").await, true, &terms).await.unwrap();
    assert_eq!(scene.log().await, "1,false,true");
    scene.ends().await;
}

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
        scene.page.upload(&scene.element(selector).await, &files, deadline).await.unwrap();
        assert_eq!(scene.evaluate("p.textContent").await, "a.txt text/plain hällo|b.txt text/plain b");
    }
    let many = scene.page.upload(&scene.element("#one").await, &files, ready().deadline).await.unwrap_err();
    assert!(matches!(many, ActError::Invalid(_)), "{many:?}");
    let none = scene.page.upload(&scene.element("#p").await, &files, ready().deadline).await.unwrap_err();
    assert!(matches!(none, ActError::Invalid(_)), "{none:?}");
    let unclear = scene.page.upload(&scene.element("body").await, &files[..1], ready().deadline).await.unwrap_err();
    assert!(unclear.to_string().contains("several fields"), "{unclear:?}");
    scene.ends().await;
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
        scene.page.upload(&button, &files[..1], ready().deadline).await.unwrap();
        assert_eq!(scene.evaluate("p.textContent").await, "a.txt", "{asks}");
        let many = scene.page.upload(&button, &files, ready().deadline).await;
        assert!(matches!(many, Err(ActError::Invalid(_))), "{many:?}");
    }
    // In a frame of another process.
    let leaf = scene.site.html("<button id=b>Choose</button><script>b.onclick = () => { const i = document.createElement('input'); i.type = 'file'; i.onchange = () => { b.textContent = i.files[0].name }; i.click() }</script>");
    let leaf = scene.site.under_name(&leaf, porthole_tests::site::SHOP);
    scene.shows(&format!("<iframe id=f src='{leaf}' onload='this.loaded = 1'></iframe>")).await;
    scene.evaluate("new Promise(done => f.loaded ? done() : f.addEventListener('load', () => done()))").await;
    let button = scene.inner(&["#f", "#b"]).await;
    scene.page.upload(&button, &files[..1], ready().deadline).await.unwrap();
    let refs = &mut Refs::default();
    assert!(scene.page.snapshot(refs, &SnapshotOptions::default()).await.unwrap().tree.contains("a.txt"));
    scene.shows("<button id=b>Nothing</button>").await;
    let none = scene.page.upload(&scene.element("#b").await, &files[..1], ready_briefly().deadline).await;
    assert!(matches!(&none, Err(ActError::NoEffect(why)) if why.contains("name the field")), "{none:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_lies_under_the_labels_of_others_is_set_by_its_own() {
    let scene = Scene::open().await;
    let stars: String = (1..=5).map(|n| format!("<label for=s{n}><span>*</span><span class=vh>{n} Stars</span></label><input class=vh type=radio name=s id=s{n}>")).collect();
    let rating = format!(
        "<style>.vh{{position:absolute;top:0;left:0;width:1px;height:1px;clip:rect(0 0 0 0);overflow:hidden}}#r{{position:relative;display:inline-flex}}label{{cursor:pointer;width:24px;height:24px;display:block}}</style><span id=r>{stars}</span>"
    );
    for how in [How::Input, How::DocumentFirst] {
        for checks in [true, false] {
            scene.shows(&rating).await;
            let star = scene
                .by_ref(&mut Refs::default(), &SnapshotOptions::default(), |line| line.contains("radio \"* 4 Stars\""))
                .await;
            let terms = Terms { how, ..ready_briefly() };
            let acted = if checks {
                scene.page.check(&star, true, &terms).await
            } else {
                scene.page.click(&star, &Click::once(terms)).await
            };
            assert_eq!(acted.unwrap().warnings, Vec::<String>::new());
            assert_eq!(scene.evaluate("document.querySelector(':checked').id").await, "s4");
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn options_that_are_replaced_on_focus_are_never_mistaken() {
    let first = "<option value=a>Keep</option><option value=b>Basic</option>";
    let scene = Scene::open().await;
    let briefly = || Terms::until(tokio::time::Instant::now() + std::time::Duration::from_millis(400));
    let shows = async |first: &str, onfocus: &str| {
        scene
            .shows(&format!(
                "<select id=s>{first}</select><script>const log = []; const same = s.innerHTML;
                const other = '<option value=b>Delete all</option><option value=a>Keep</option>';
                s.onchange = () => log.push(s.selectedOptions[0].label); s.onfocus = () => {{ s.onfocus = null; {onfocus} }}</script>"
            ))
            .await;
    };
    let select =
        async |value: &str| scene.page.select(&scene.element("#s").await, &[value.to_owned()], &briefly()).await;
    for value in ["Basic", "b"] {
        shows(first, "s.innerHTML = other").await;
        let refused = select(value).await.unwrap_err();
        assert!(matches!(refused, ActError::NoEffect(_)), "{value}: {refused:?}");
        assert_eq!(scene.log().await, "", "{value}");
        select("Keep").await.unwrap();
        assert_eq!(scene.log().await, "Keep", "{value}");
    }
    // A moment later, when the choice was made.
    shows(first, "requestAnimationFrame(() => { s.innerHTML = other })").await;
    let refused = select("b").await.unwrap_err();
    assert!(matches!(refused, ActError::NoEffect(_)), "{refused:?}");
    // By the same ones, or where there were none.
    shows(first, "s.innerHTML = same").await;
    select("Basic").await.unwrap();
    shows("", "setTimeout(() => { s.innerHTML = other })").await;
    select("Delete all").await.unwrap();
    assert_eq!(scene.evaluate("s.selectedIndex").await, 0);
    // An option that is clicked.
    shows(first, "s.innerHTML = other").await;
    let option = scene.element("#s > [value=b]").await;
    let refused = scene.page.click(&option, &Click::once(briefly())).await.unwrap_err();
    assert!(matches!(refused, ActError::NoEffect(_)), "{refused:?}");
    assert_eq!(scene.log().await, "");
    scene.ends().await;
}

/// A box that pages draw by its label may stand beyond their edge, and a select be drawn by something else.
#[tokio::test(flavor = "multi_thread")]
async fn what_its_label_stands_for_is_clicked_there() {
    let scene = Scene::showing(
        "<label for=b>News</label><input type=checkbox id=b style='position:absolute;left:-999px'><label for=s>Author</label>
        <select id=s style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0);padding:0;border:0'><option></select>
        <span id=w role=combobox tabindex=0 style='display:inline-block;width:99px;position:relative'>-</span>
        <script>s.onfocus = () => w.focus()</script>",
    )
    .await;
    scene.page.check(&scene.element("#b").await, true, &ready()).await.unwrap();
    scene.click("#b").await.unwrap();
    assert_eq!(scene.evaluate("b.checked").await, false);
    scene.click("#s").await.unwrap();
    assert_eq!(scene.evaluate("document.activeElement.id").await, "w");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_choice_that_is_drawn_nowhere_is_told() {
    let scene = Scene::open().await;
    let page = |follows: &str| {
        format!(
            "<select id=s tabindex=-1 aria-label=City style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)'><option>Berlin<option>Paris</select>
            <div role=combobox tabindex=0 id=w>Berlin</div><script>{follows}</script>"
        )
    };
    for (follows, is_warned) in [("", true), ("s.onchange = () => { w.textContent = s.value }", false)] {
        scene.shows(&page(follows)).await;
        let acted = scene.page.select(&scene.element("#s").await, &["Paris".to_owned()], &ready()).await.unwrap();
        let warns = acted.warnings.iter().any(|warning| warning.starts_with("not_shown: "));
        assert_eq!(warns, is_warned, "{follows} {acted:?}");
    }
    scene.shows("<select id=s aria-label=City><option>Berlin<option>Paris</select>").await;
    let acted = scene.page.select(&scene.element("#s").await, &["Paris".to_owned()], &ready()).await.unwrap();
    assert_eq!(acted.warnings, [] as [String; 0]);
    scene.ends().await;
}

/// Libraries lay a native box over their own drawing, in an element that has the role and says no state.
#[tokio::test(flavor = "multi_thread")]
async fn an_element_with_the_role_of_a_box_has_the_state_of_the_box_in_it() {
    let scene = Scene::open().await;
    let over = "style='position:absolute;inset:0;width:100%;height:100%;opacity:0;margin:0'";
    let outer = "style='position:relative;display:block;width:20px;height:20px'";
    let pages = [
        format!(
            "<div role=checkbox aria-label=Wifi {outer}><input id=b type=checkbox aria-label=Wifi {over}><i></i></div>"
        ),
        format!("<div role=switch aria-label=Wifi {outer}><input id=b type=checkbox {over}><i></i></div>"),
        format!("<div role=radio aria-label=Wifi {outer}><input id=b type=radio {over}><i></i></div>"),
        format!(
            "<div role=checkbox aria-label=Wifi {outer}><input id=b type=checkbox role=switch {over}><span style='cursor:pointer;display:block;height:9px'></span></div>"
        ),
        "<ul role=listbox><li role=option><input id=b type=checkbox tabindex=-1> Wifi<li role=option>Other</ul>"
            .to_owned(),
        "<div role=menu><div role=menuitemcheckbox><label><input id=b type=checkbox> Wifi</label></div></div>"
            .to_owned(),
        "<div role=switch tabindex=0 onclick='b.checked = !b.checked'><input id=b type=checkbox hidden>Wifi</div>"
            .to_owned(),
    ];
    for page in pages {
        for how in [How::Input, How::DocumentFirst] {
            scene.shows(&page).await;
            let refs = &mut Refs::default();
            let options = SnapshotOptions::default();
            let element = scene.by_ref(refs, &options, |line| line.contains("\"Wifi\"")).await;
            for checked in [true, true, false, false, true] {
                if !checked && page.contains("radio") {
                    continue;
                }
                let terms = Terms { how, ..ready() };
                let acted = scene.page.check(&element, checked, &terms).await;
                assert_eq!(acted.unwrap().warnings, [] as [String; 0], "{page}");
                assert_eq!(scene.evaluate("b.checked").await, checked, "{page}");
                let tree = scene.page.snapshot(refs, &options).await.unwrap().tree;
                let lines: Vec<_> = tree
                    .lines()
                    .filter(|line| {
                        ["Wifi", "- checkbox", "- switch", "- generic"].iter().any(|part| line.contains(part))
                    })
                    .collect();
                assert_eq!(lines.len(), 1, "{page}: {tree}");
                assert_eq!(lines[0].contains("[checked]"), checked, "{page}: {tree}");
            }
        }
    }
    // One that is another element's, or one of several, is not meant.
    for page in [
        "<div role=treeitem aria-label=Docs>Docs<div role=group><div role=treeitem aria-label=A><input id=b type=checkbox></div></div></div>",
        "<div role=option aria-label=Docs>Docs <input id=b type=checkbox aria-label=Read><input type=checkbox aria-label=Write></div>",
    ] {
        scene.shows(page).await;
        let options = SnapshotOptions::default();
        let element = scene.by_ref(&mut Refs::default(), &options, |line| line.contains("\"Docs\"")).await;
        let refused = scene.page.check(&element, true, &ready()).await.unwrap_err();
        assert!(matches!(refused, ActError::NoEffect(_)), "{page}: {refused:?}");
        assert_eq!(scene.evaluate("b.checked").await, false, "{page}");
    }
    scene.ends().await;
}

/// Where a page prevents the click of a native box, the browser sets the box back after the page has set it.
#[tokio::test(flavor = "multi_thread")]
async fn a_switch_that_is_drawn_beside_its_box_has_the_state_that_the_page_says() {
    let scene = Scene::open().await;
    let hidden = "style='position:absolute;width:0;height:0;opacity:0;margin:0'";
    let drawn =
        "<span id=core style='display:inline-block;width:40px;height:20px;background:#ccc;cursor:pointer'></span>";
    let element_plus =
        "<script>let on = false; sw.onclick = event => { event.preventDefault(); on = !on; i.ariaChecked = on;
        Promise.resolve().then(() => { i.checked = on }) }</script>";
    // An attribute that its page never changes says nothing.
    let forgotten =
        "<script>let on = false; i.onchange = () => { on = i.checked }; core.onclick = () => i.click()</script>";
    for script in [element_plus, forgotten] {
        for how in [How::Input, How::DocumentFirst] {
            scene
                .shows(&format!(
                    "<label for=i>Wifi</label><div id=sw style='position:relative;display:inline-flex'>
                    <input id=i type=checkbox role=switch aria-checked=false {hidden}>{drawn}</div>{script}"
                ))
                .await;
            let refs = &mut Refs::default();
            let options = SnapshotOptions::default();
            let element = scene.by_ref(refs, &options, |line| line.contains("switch \"Wifi\"")).await;
            for checked in [true, true, false, false, true] {
                let terms = Terms { how, ..ready() };
                scene.page.check(&element, checked, &terms).await.unwrap();
                assert_eq!(scene.evaluate("on").await, checked, "{how:?} {script}");
                let tree = scene.page.snapshot(refs, &options).await.unwrap().tree;
                assert_eq!(tree.contains("switch \"Wifi\" [checked]"), checked, "{how:?} {script} {tree}");
            }
        }
    }
    // A box that is seen shows its state itself.
    scene
        .shows("<input id=i type=checkbox aria-checked=false aria-label=Wifi onclick='i.ariaChecked = true; return false'>")
        .await;
    let refused = scene.page.check(&scene.element("#i").await, true, &ready()).await.unwrap_err();
    assert!(matches!(refused, ActError::NoEffect(_)), "{refused:?}");
    scene.ends().await;
}

/// Tables make the elements of a cell anew as a row is chosen.
#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_its_row_has_again_is_read_back() {
    let scene = Scene::open().await;
    for (then, is_gone) in [
        ("td.innerHTML = box(l, on)", false),
        ("setTimeout(() => { td.innerHTML = box(l, on) }, 100); td.innerHTML = box(l, !on)", false),
        ("td.innerHTML = box(l, !on)", true),
        ("td.innerHTML = box(l, on) + box(l, on)", true),
        ("td.innerHTML = box('Delete', on)", true),
        ("td.innerHTML = box(l, on); td.nextElementSibling.textContent = 'Bob Miller'", true),
        ("td.innerHTML = ''", true),
    ] {
        scene
            .shows(&format!(
                "<table><tr><td><input type=checkbox aria-label=Choose><td>Ada Lovelace<tr><td><input type=checkbox aria-label=Choose><td>Grace Hopper</table><script>
                const box = (l, on) => `<input type=checkbox aria-label='${{l}}' ${{on ? 'checked' : ''}}>`;
                document.onchange = event => {{ const td = event.target.parentNode, on = event.target.checked, l = event.target.ariaLabel; {then} }}</script>"
            ))
            .await;
        let element = scene
            .by_ref(&mut Refs::default(), &SnapshotOptions::default(), |line| line.contains("checkbox \"Choose\""))
            .await;
        let warnings = scene.page.check(&element, true, &ready()).await.unwrap().warnings;
        assert_eq!(warnings.iter().any(|warning| warning.starts_with("field_gone: ")), is_gone, "{then} {warnings:?}");
        assert_eq!(warnings.len(), usize::from(is_gone), "{then} {warnings:?}");
    }
    scene.ends().await;
}

/// Lists that draw their entries anew in place give an element to another entry once its own is checked off.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_chosen_in_a_row_that_is_anothers_now_is_not_denied() {
    let scene = Scene::open().await;
    let list = |entry: &str, event: &str, field: &str, then: &str| {
        format!(
            "<ul id=l></ul><script>let all = ['Alice','Bob','Carol'].map(name => ({{name, done: false}})), items = all;
            const entry = `{entry}`, state = {{ get: e => e.{field} === true || e.{field} === 'true' || e.{field} === 'done',
            set: (e, on) => {{ e.{field} = typeof e.{field} === 'boolean' ? on : e.matches('select') ? (on ? 'done' : 'open') : String(on) }} }};
            const draw = () => {{ {then}
                while (l.children.length > items.length) l.lastChild.remove();
                while (l.children.length < items.length) {{ const li = document.createElement('li'), at = l.children.length; li.innerHTML = entry;
                    const f = li.querySelector('.f'); f.{event} = () => {{ items[at].done = f.matches('button') ? !items[at].done : state.get(f); draw() }}; l.append(li) }}
                items.forEach((item, at) => {{ state.set(l.children[at].querySelector('.f'), item.done); l.children[at].querySelector('.n').textContent = item.name }}) }};
            draw()</script>"
        )
    };
    let sinks = "items.sort((a, b) => a.done - b.done);";
    let goes = "items = items.filter(item => !item.done);";
    let boxed = ("<label><input class=f type=checkbox> <span class=n></span></label>", "onchange", "checked");
    let switch = ("<button class='f n' role=switch aria-checked=false></button>", "onclick", "ariaChecked");
    let select = ("<span class=n></span> <select class=f><option>open<option>done</select>", "onchange", "value");
    let marks_done = async |entry: &str, event: &str, field: &str, then: &str| {
        scene.shows(&list(entry, event, field, then)).await;
        let element = scene.element(".f").await;
        if field == "value" {
            scene.page.select(&element, &["done".to_owned()], &ready()).await
        } else {
            scene.page.check(&element, true, &ready()).await
        }
    };
    for (entry, event, field) in [boxed, switch, select] {
        for then in [sinks, goes] {
            let acted = marks_done(entry, event, field, then).await;
            let warnings = acted.unwrap().warnings;
            assert_eq!(warnings.len(), 1, "{entry} {then} {warnings:?}");
            assert!(warnings[0].starts_with("not_read_back: "), "{entry} {then} {warnings:?}");
            assert_eq!(scene.evaluate("all.filter(item => item.done).map(item => item.name).join()").await, "Alice");
        }
        // One that takes it back, also where its row comes to say what another one still says, or another one that says the
        // same goes; and one that keeps it.
        let takes_name = "if (items[0].done) { items[0].done = false; items[0].name = 'Bob' }";
        let loses_twin = "for (const item of items) item.name = 'Alice'; if (items[0].done) { items[0].done = false; items = items.slice(0, 2) }";
        for (then, is_done) in [
            ("for (const item of items) item.done = false;", false),
            (takes_name, false),
            (loses_twin, false),
            ("", true),
        ] {
            let acted = marks_done(entry, event, field, then).await;
            match acted {
                Ok(acted) => assert!(is_done && acted.warnings.is_empty(), "{entry} {then} {acted:?}"),
                Err(refused) => {
                    assert!(!is_done && matches!(refused, ActError::NoEffect(_)), "{entry} {then} {refused:?}");
                }
            }
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_that_are_no_label_stand_for_the_one_box_of_their_row() {
    let scene = Scene::open().await;
    let rows = "<ul><li><label><input type=checkbox id=a></label><span>One</span></li><li><label><input type=checkbox id=b></label><span class=t>Two</span></li></ul>";
    let cells =
        "<table><tr><td><input type=checkbox id=a><td>One<tr><td><input type=checkbox id=b><td class=t>Two</table>";
    let item = "<ul role=menu><li role=menuitem><input type=checkbox id=b><span class=t>Two</span></li></ul>";
    for html in [rows, cells, item] {
        for terms in [ready(), in_document()] {
            scene.shows(html).await;
            scene.page.check(&scene.element(".t").await, true, &terms).await.unwrap();
            assert_eq!(
                scene.evaluate("[...document.querySelectorAll(':checked')].map(one => one.id).join()").await,
                "b",
                "{html}"
            );
            scene.page.check(&scene.element(".t").await, false, &terms).await.unwrap();
            assert_eq!(scene.evaluate("document.querySelectorAll(':checked').length").await, 0, "{html}");
        }
    }
    scene
        .shows("<div role=menuitemcheckbox aria-checked=false tabindex=0 onclick='this.ariaChecked = this.ariaChecked == `true` ? `false` : `true`'><span class=t>Two</span></div>")
        .await;
    for checked in [true, false] {
        scene.page.check(&scene.element(".t").await, checked, &ready()).await.unwrap();
        assert_eq!(scene.evaluate("document.querySelector('[role]').ariaChecked == 'true'").await, checked);
    }
    // Not clear which box, or none of the row's own; and a button is none.
    for html in [
        "<ul><li><input type=checkbox><input type=checkbox><span class=t>Two</span></ul>",
        "<ul><li><span class=t>Folder</span><ul><li><input type=checkbox>File</ul></ul>",
        "<ul><li><input type=checkbox><button class=t>Two</button></ul>",
        "<div><input type=checkbox><span class=t>Two</span></div>",
    ] {
        scene.shows(html).await;
        let refused = scene.page.check(&scene.element(".t").await, true, &ready()).await.unwrap_err();
        assert!(matches!(refused, ActError::Invalid(_)), "{html}: {refused:?}");
        assert_eq!(scene.evaluate("document.querySelectorAll(':checked').length").await, 0, "{html}");
    }
    scene.ends().await;
}
