//! Setting checkboxes, switches and radio buttons.

use porthole_service::page::interact::{ActError, Click, How, Refs, SnapshotOptions, Terms};
use porthole_tests::eventually;

use super::scene::{LOGS, Scene, in_document, ready, ready_briefly};
use crate::held_page::PATIENCE;
use crate::warned::Warned;

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
            assert_eq!(acted.unwrap().warned(), Vec::<String>::new());
            assert_eq!(scene.evaluate("document.querySelector(':checked').id").await, "s4");
        }
    }
    scene.ends().await;
}

/// As Semantic UI's: a label for nothing lies over a transparent box, and the page heeds clicks on it alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_its_page_ticks_by_a_label_hears_of_it() {
    let scene = Scene::open().await;
    let page = "<div id=w style='position:relative'><input id=b type=checkbox aria-label=Wifi style='position:absolute;opacity:0;z-index:-1'>
        <label style='display:block'>Wifi</label></div><script>w.onclick = event => { if (event.target !== b) { b.checked = !b.checked; note(b.checked) } }</script>";
    for how in [How::Input, How::DocumentFirst] {
        scene.shows(&format!("{LOGS}{page}")).await;
        let terms = Terms { how, ..ready_briefly() };
        for checked in [true, false] {
            scene.page.check(&scene.element("#b").await, checked, &terms).await.unwrap();
        }
        assert_eq!(scene.log().await, "true,false", "{how:?}");
    }
    scene.ends().await;
}

/// As Carbon's: the button is clipped away, and its label is drawn beside it.
#[tokio::test(flavor = "multi_thread")]
async fn a_switch_that_is_not_drawn_is_set_by_its_label() {
    let scene = Scene::open().await;
    let page = "<style>.v{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0);border:0;margin:-1px;padding:0}</style>
        <div style='position:relative'><button id=t role=switch class=v aria-checked=false aria-labelledby=l
            onclick='ariaChecked = ariaChecked !== `true`; note(ariaChecked)'></button>
        <label id=l for=t><span>Wifi</span><div aria-hidden=true style='width:40px;height:20px'>Off</div></label></div>";
    for how in [How::Input, How::DocumentFirst] {
        scene.shows(&format!("{LOGS}{page}")).await;
        let terms = Terms { how, ..ready_briefly() };
        scene.page.check(&scene.element("#t").await, true, &terms).await.unwrap();
        scene.page.click(&scene.element("#t").await, &Click::once(terms)).await.unwrap();
        assert_eq!(scene.log().await, "true,false", "{how:?}");
    }
    scene.ends().await;
}

/// As Bokeh's: the role is at what holds the words and the drawing, which alone is clicked.
#[tokio::test(flavor = "multi_thread")]
async fn a_switch_beside_its_words_is_clicked_at_its_drawing() {
    let scene = Scene::open().await;
    let inside = "<div>Wifi and more words</div><div id=d style='width:32px;height:16px;cursor:pointer'><div style='width:16px;height:16px'></div></div>";
    let style = "display:inline-flex;gap:4px";
    for page in [
        format!("<div role=switch aria-checked=false tabindex=0 id=t style='{style}'>{inside}</div><script>const drawing = d</script>"),
        format!(
            "<div role=switch aria-checked=false aria-label=Wifi id=t></div><script>const root = t.attachShadow({{ mode: 'open' }});
            root.innerHTML = `<style>:host {{ {style} }}</style>{inside}`; const drawing = root.querySelector('#d')</script>"
        ),
    ] {
        let switches = "drawing.onclick = () => { t.ariaChecked = t.ariaChecked !== 'true'; note(t.ariaChecked) }";
        scene.shows(&format!("{LOGS}{page}<script>{switches}</script>")).await;
        for how in [How::Input, How::DocumentFirst] {
            let terms = Terms { how, ..ready_briefly() };
            scene.page.check(&scene.element("#t").await, true, &terms).await.unwrap();
            scene.page.click(&scene.element("#t").await, &Click::once(terms)).await.unwrap();
        }
        assert_eq!(scene.log().await, "true,false,true,false", "{page}");
    }
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
                assert_eq!(acted.unwrap().warned(), [] as [String; 0], "{page}");
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
        assert!(matches!(refused, ActError::NoEffect(_) | ActError::Invalid(_)), "{page}: {refused:?}");
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
        let warnings = scene.page.check(&element, true, &ready()).await.unwrap().warned();
        assert_eq!(warnings.iter().any(|warning| warning.starts_with("field_gone: ")), is_gone, "{then} {warnings:?}");
        assert_eq!(warnings.len(), usize::from(is_gone), "{then} {warnings:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_of_a_row_right_in_a_shadow_root_is_set() {
    let scene = Scene::open().await;
    scene
        .shows(
            "<x-list></x-list><script>const root = document.querySelector('x-list').attachShadow({ mode: 'open' });
            root.innerHTML = ['Ann', 'Ben'].map(name => `<li>${name} <input type=checkbox aria-label=Done> <select aria-label=Role><option>User<option>Admin</select>`).join('')</script>",
        )
        .await;
    let mut refs = Refs::default();
    let options = SnapshotOptions::default();
    let element = scene.by_ref(&mut refs, &options, |line| line.contains("checkbox")).await;
    assert_eq!(scene.page.check(&element, true, &ready()).await.unwrap().warned(), Vec::<String>::new());
    let element = scene.by_ref(&mut refs, &options, |line| line.contains("combobox")).await;
    let selected = scene.page.select(&element, &["Admin".to_owned()], &ready()).await;
    assert_eq!(selected.unwrap().warned(), Vec::<String>::new());
    let state =
        scene.evaluate("[root.querySelector('input').checked, root.querySelector('select').value].join()").await;
    assert_eq!(state, "true,Admin");
    scene.ends().await;
}

/// As pages do whose server answers a change with the row anew.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_row_has_that_is_drawn_anew_is_read_back() {
    let scene = Scene::open().await;
    for (then, is_gone) in [
        ("tr.outerHTML = row(tr, on, role)", false),
        ("tr.outerHTML = row(tr, !on, 'Guest')", true),
        ("tr.cells[0].textContent = 'Zoe'; tr.outerHTML = row(tr, on, role)", true),
        ("tr.outerHTML = row(tr, on, role) + row(tr, on, role)", true),
        ("tr.remove()", true),
        // Another that was there all along.
        ("tr.nextElementSibling.cells[0].textContent = 'Ann'; tr.remove()", true),
    ] {
        for acts in ["check", "select"] {
            scene
                .shows(&format!(
                    "<table id=t></table><script>const row = (tr, on, role) => `<tr><td>${{tr.cells ? tr.cells[0].textContent : tr}}<td><input type=checkbox aria-label=Done ${{on ? 'checked' : ''}}>
                    <td><select aria-label=Role>${{['User', 'Admin', 'Guest'].map(one => `<option ${{one === role ? 'selected' : ''}}>${{one}}`).join('')}}</select>`;
                    t.innerHTML = ['Ann', 'Ben', 'Cid'].map(name => row(name, false, 'User')).join('');
                    t.onchange = event => {{ const tr = event.target.closest('tr'), on = tr.querySelector('input').checked, role = tr.querySelector('select').value; setTimeout(() => {{ {then} }}) }}</script>"
                ))
                .await;
            let kind = if acts == "check" { "checkbox" } else { "combobox" };
            let element =
                scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), |line| line.contains(kind)).await;
            let acted = match acts {
                "check" => scene.page.check(&element, true, &ready()).await,
                _ => scene.page.select(&element, &["Admin".to_owned()], &ready()).await,
            };
            let is_done = acted.as_ref().is_ok_and(|acted| acted.warned().is_empty());
            assert_eq!(is_done, !is_gone, "{acts} {then}: {acted:?}");
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
    // An entry of a tree has a state only if it says so.
    let entry = "<div role=tree><div role=treeitem class=t aria-expanded=true><span id=b role=checkbox aria-checked=true tabindex=0 onclick='this.ariaChecked = this.ariaChecked == `true` ? `false` : `true`'>x</span> Two
        <div role=group><div role=treeitem><span role=checkbox aria-checked=true>y</span> Leaf</div></div></div></div>";
    scene.shows(entry).await;
    for checked in [false, true] {
        scene.page.check(&scene.element(".t").await, checked, &ready()).await.unwrap();
        assert_eq!(scene.evaluate("b.ariaChecked == 'true'").await, checked);
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

/// A box without a state of its own has that of its row, if it is the only one there.
#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_says_nothing_has_the_state_of_its_row() {
    let scene = Scene::showing(
        "<ul role=tree><li role=treeitem aria-selected=false id=row><span id=box role=checkbox style='display:inline-block;width:14px;height:14px;cursor:pointer'></span>Emma</li></ul>
        <script>let log = []; box.onclick = () => { row.ariaSelected = row.ariaSelected !== 'true'; log.push(row.ariaSelected) }</script>",
    )
    .await;
    for checked in [true, true, false, false] {
        scene.page.check(&scene.element("#box").await, checked, &ready()).await.unwrap();
    }
    assert_eq!(scene.log().await, "true,false");
    scene.ends().await;
}

/// That a row is selected says nothing of a switch in it, nor of a box that is for something else.
#[tokio::test(flavor = "multi_thread")]
async fn a_selected_row_says_nothing_of_a_switch_in_it() {
    let scene = Scene::open().await;
    for made in ["role=switch", "role=checkbox"] {
        scene
            .shows(&format!("<table><tr role=row aria-selected=true><td>Emma<td><span {made} aria-label=Urgent id=s tabindex=0>x</span></table>
                <script>const log = []; s.onclick = () => log.push('clicked')</script>"))
            .await;
        let refused = scene.page.check(&scene.element("#s").await, true, &ready_briefly()).await.unwrap_err();
        assert!(matches!(refused, ActError::NoEffect(_)), "{made}: {refused:?}");
        assert_eq!(scene.log().await, "clicked", "{made}");
    }
    scene.ends().await;
}

/// Another URL of the same document changes no box.
#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_shows_something_else_by_its_click_is_not_checked() {
    let scene = Scene::showing(
        "<li id=a role=checkbox aria-checked=false tabindex=0 onclick='history.pushState({}, ``, `#item`); d.hidden = false'>Blue</li>
        <div id=d role=dialog hidden>Details</div>",
    )
    .await;
    let refused = scene.page.check(&scene.element("#a").await, true, &ready()).await.unwrap_err();
    assert!(matches!(refused, ActError::NoEffect(_)), "{refused:?}");
    scene.ends().await;
}

/// As Vuetify's stars: the buttons are in the labels of boxes that are not drawn.
#[tokio::test(flavor = "multi_thread")]
async fn a_box_is_set_by_the_button_that_draws_it_in_its_label() {
    let hidden = "style='position:absolute;opacity:0;width:0;height:0'";
    let scene = Scene::showing(&format!(
        "<label for=r><button type=button tabindex=-1 id=star>★</button></label><input type=radio name=s id=r {hidden} aria-label='5 of 5'>
        <label for=t style='position:absolute;top:60px'>I accept <a href='#terms'>the terms</a></label><input type=checkbox id=t {hidden}><script>
        star.onclick = () => r.click()</script>"
    ))
    .await;
    for selector in ["#r", "#t"] {
        scene.page.check(&scene.element(selector).await, true, &ready_briefly()).await.unwrap();
    }
    assert_eq!(scene.evaluate("r.checked && t.checked && location.hash === ''").await, true);
    scene.ends().await;
}
