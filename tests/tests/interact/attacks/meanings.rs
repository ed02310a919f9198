//! Elements that say something else by the time of the click, and controls in controls: what is acted on is what was meant.

use std::time::Duration;

use porthole_service::page::interact::{
    ActError, Acted, Click, Drop, Grip, How, Point, Refs, SnapshotOptions, Terms, Typing,
};
use porthole_tests::agent::reference;

use crate::act::scene::{LOGS, Scene, briefly, in_document, ready, typing};
use crate::warned::{NO_CHANGE, Warned};

/// A list whose rows are drawn anew without keys when a field is left.
const LIST: &str = "<label>New name <input id=i></label><ul id=u></ul><script>let items = ['Anna', 'Ben', 'Cleo'];
    const draw = () => { while (u.children.length < items.length) u.insertAdjacentHTML('beforeend', '<li><span></span> <button>Delete</button> <select aria-label=Role><option>User<option>Admin</select></li>');
        [...u.children].forEach((li, k) => { li.firstChild.textContent = items[k]; li.querySelector('button').onclick = () => note('wrong ' + items[k]);
            li.querySelector('select').onchange = () => note('wrong ' + items[k]) }) };
    draw(); i.onchange = () => { items = [i.value, ...items]; i.value = ''; draw() }</script>";

/// Takes the element as a snapshot shows it, and acts on it.
async fn clicks(scene: &Scene, shows: &str, terms: Terms) -> Result<Acted, ActError> {
    let mut refs = Refs::default();
    let options = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
    let element = scene.by_ref(&mut refs, &options, |line| line.contains(shows)).await;
    scene.page.click(&element, &Click::once(terms)).await
}

/// "Done" without a warning is said of the right click alone, and nothing wrong happens.
async fn holds(scene: &Scene, what: &str, acted: Result<Acted, ActError>) {
    let log = scene.log().await;
    assert!(!log.contains("wrong"), "{what}: {log} {acted:?}");
    if let Ok(acted) = acted
        && !acted.warned().iter().any(|warning| warning.starts_with("click_lost"))
    {
        assert_eq!(log, "right", "{what}: {acted:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_is_of_what_the_element_said_until_the_press_has_ended() {
    let scene = Scene::open().await;
    for document in [
        "<button id=b>Approve</button><script>b.onclick = () => note(b.textContent == 'Approve' ? 'right' : 'wrong'); b.onpointerdown = () => b.textContent = 'Reject'</script>",
        "<button id=b style='font-size:40px'>+</button><script>b.onclick = () => note(b.textContent == '+' ? 'right' : 'wrong'); b.onpointerenter = () => b.textContent = 'Delete everything'</script>",
        "<button id=b>Vote +1</button><script>b.onclick = () => note('wrong'); b.onpointerenter = () => b.textContent = 'Vote -1'</script>",
        "<button id=b>Send 10 from A to B</button><script>b.onclick = () => note('wrong'); b.onpointerenter = () => b.textContent = 'Send 10 from B to A'</script>",
        "<button id=b>Save \u{1f44d}</button><script>b.onclick = () => note('wrong'); b.onpointerenter = () => b.textContent = 'Save \u{1f44e}'</script>",
        "<button id=b>Save</button><script>b.onclick = () => note('right'); b.onpointerenter = () => b.textContent = 'Save all'</script>",
        "<button id=b aria-label=Action>Approve</button><script>b.onclick = () => note('wrong'); b.onpointerenter = () => b.textContent = 'Reject'</script>",
        "<button id=b aria-label=Action>Approve</button><script>b.onclick = () => note(b.textContent == 'Approve' ? 'right' : 'wrong'); b.onpointerdown = () => b.textContent = 'Reject'</script>",
    ] {
        for terms in [briefly(), Terms { how: How::DocumentFirst, ..briefly() }] {
            scene.page.hover_at(Point { x: 790.0, y: 590.0 }).await.unwrap();
            scene.shows(&format!("{LOGS}{document}")).await;
            let acted = clicks(&scene, "button", terms).await;
            holds(&scene, document, acted).await;
        }
    }
    for how in [How::Input, How::DocumentFirst] {
        scene.shows(&format!("{LOGS}{LIST}")).await;
        scene.page.type_text(&scene.element("#i").await, &typing("Zed")).await.unwrap();
        let acted = clicks(&scene, "button", Terms { how, ..briefly() }).await;
        holds(&scene, "a list that is drawn anew", acted).await;
    }
    scene.shows(&format!("{LOGS}{LIST}")).await;
    scene.page.type_text(&scene.element("#i").await, &typing("Zed")).await.unwrap();
    let mut refs = Refs::default();
    let element = scene.by_ref(&mut refs, &SnapshotOptions::default(), |line| line.contains("combobox")).await;
    let chosen = scene.page.select(&element, &["Admin".to_owned()], &briefly()).await;
    assert!(chosen.is_err(), "{chosen:?} {}", scene.log().await);
    assert_eq!(scene.log().await, "");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_in_a_control_is_neither_clicked_for_it_nor_instead_of_it() {
    let scene = Scene::open().await;
    for (document, shows) in [
        // Covered inside a link or a button that would take the click.
        (
            "<a href='#item' onclick=\"note('wrong')\" style='position:relative;display:block;width:300px;height:100px'>Phone case <span onclick=\"event.preventDefault();event.stopPropagation();note('right')\" style='position:absolute;left:100px;top:30px;width:100px;height:40px'>Keep</span><span style='position:absolute;inset:0'></span></a>",
            "generic \"Keep\"",
        ),
        (
            "<div role=button tabindex=0 id=card onclick=\"note('wrong')\" style='position:relative;width:300px;height:100px'>Plan <span role=switch aria-checked=false aria-label='Auto renew' onclick=\"event.stopPropagation();note('right')\" style='position:absolute;left:100px;top:30px;width:100px;height:40px'></span><span id=ov style='position:absolute;inset:0;display:none'></span></div><script>card.onpointerenter = () => ov.style.display = 'block'</script>",
            "switch",
        ),
        // The click would come to what is around it.
        (
            "<div id=card onclick=\"note('wrong')\" style='width:300px;height:100px'><button onclick=\"event.stopPropagation();note('right')\">Like</button></div><script>card.onpointerdown = e => card.setPointerCapture(e.pointerId)</script>",
            "Like",
        ),
        (
            "<a id=card href='#opened' onclick=\"note('wrong')\" style='display:block;position:relative;width:300px;height:100px'><span role=button tabindex=0 id=b style='position:absolute;left:10px;top:10px;width:100px;height:40px' onclick=\"event.stopPropagation();event.preventDefault();note('right')\">Like</span></a><script>b.onmousedown = () => { b.style.left = '180px' }</script>",
            "button \"Like\"",
        ),
        // A part of a card that appears under the pointer, and one that is there.
        (
            "<style>#del{display:none;position:absolute;left:170px;top:0;width:60px;height:40px;cursor:pointer}#row:hover #del{display:block}</style><div id=row role=button tabindex=0 style='position:relative;width:400px;height:40px'>Mail from Anna <span id=del class=trash></span></div><script>row.addEventListener('click', () => note('right')); del.addEventListener('click', e => { e.stopPropagation(); note('wrong') })</script>",
            "Mail from Anna",
        ),
        (
            "<div role=button tabindex=0 onclick=\"note('right')\" style='position:relative;width:400px;height:40px'>Report <input type=checkbox aria-label=Archive onclick=\"event.stopPropagation();note('wrong')\" style='position:absolute;left:170px;top:0;width:60px;height:40px'></div>",
            "button \"Report",
        ),
    ] {
        scene.page.hover_at(Point { x: 790.0, y: 590.0 }).await.unwrap();
        scene.shows(&format!("{LOGS}{document}")).await;
        let acted = clicks(&scene, shows, briefly()).await;
        holds(&scene, document, acted).await;
    }
    // In a closed root a click at the host can't be told in advance, but that the button got none is told.
    scene.shows(&format!("{LOGS}<div id=h style='position:relative;width:300px;height:100px'></div><script>{{ const r = h.attachShadow({{mode:'closed'}});
        r.innerHTML = '<style>button{{position:absolute;left:0;top:0;width:200px;height:80px}}#w{{display:none}}</style><button id=b>OK</button><button id=w>Pay</button>';
        const b = r.getElementById('b'), w = r.getElementById('w'); b.onmousedown = () => w.style.display = 'block'; w.onclick = () => note('wrong'); b.onclick = () => note('right') }}</script>")).await;
    let acted = clicks(&scene, "OK", briefly()).await;
    holds(&scene, "a closed root", acted).await;
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_activate_what_they_were_for_alone() {
    let scene = Scene::open().await;
    for document in [
        "<div id=b tabindex=0 role=option aria-label='Mail from Anna' onkeydown=\"if (event.target === this) note('right')\">Mail from Anna <button id=del onclick=\"note('wrong')\">Delete</button></div><script>b.onfocus = () => Promise.resolve().then(() => del.focus())</script>",
        "<button id=b onclick=\"note(this.textContent == 'Follow' ? 'right' : 'wrong')\">Follow</button><script>b.onfocus = () => b.textContent = 'Delete everything'</script>",
    ] {
        scene.shows(&format!("{LOGS}{document}")).await;
        let mut refs = Refs::default();
        let element = scene.by_ref(&mut refs, &SnapshotOptions::default(), |line| line.contains("[ref=")).await;
        let pressed = scene.page.press(Some(&element), &"Enter".parse().unwrap(), &scene.clipboard, &briefly()).await;
        assert!(pressed.is_err(), "{document}: {pressed:?}");
        assert!(!scene.log().await.contains("wrong"), "{document}: {}", scene.log().await);
    }
    // A text that was copied goes to the field that it is pasted into alone.
    scene.shows(&format!("{LOGS}<input id=a aria-label=Public><input id=b aria-label=Other><script>b.onpaste = () => note('wrong'); a.onkeydown = e => {{ if (e.key == 'v') b.focus() }}</script>")).await;
    scene.clipboard.set("secret123".to_owned());
    let pasted = scene.press(Some("#a"), "Control+V").await;
    assert!(pasted.is_err(), "{pasted:?}");
    assert_eq!(scene.log().await, "");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_an_editor_is_typed_into_without_the_rest() {
    let scene = Scene::open().await;
    let letter = "<div style='height:150px;overflow:auto'><div id=e contenteditable role=textbox aria-label=Letter><p>Dear Anna</p><p id=body>Body of the letter</p><p>Regards</p></div><div style='height:600px'>x</div></div>";
    for (clear, expected) in [(true, "Dear Anna|NEW|Regards"), (false, "Dear Anna|Body of the letterNEW|Regards")] {
        for terms in [ready(), Terms { how: How::DocumentFirst, ..in_document() }] {
            scene.shows(&format!("{LOGS}{letter}")).await;
            let typing = Typing { clear, terms, ..typing("NEW") };
            let acted = scene.page.type_text(&scene.element("#body").await, &typing).await;
            let text = scene.evaluate("[...e.children].map(one => one.textContent).join('|')").await;
            assert_eq!(text, expected, "{acted:?}");
            assert_eq!(acted.unwrap().warned(), Vec::<String>::new());
        }
    }
    // A field takes what a person could type into it, in the document too.
    for how in [How::Input, How::DocumentFirst] {
        scene.shows("<input id=i maxlength=3>").await;
        let typing = Typing { terms: Terms { how, ..ready() }, ..typing("abcdef") };
        let acted = scene.page.type_text(&scene.element("#i").await, &typing).await.unwrap();
        assert_eq!(acted.warned(), ["value_differs: the field has \"abc\" now"]);
        assert_eq!(scene.evaluate("i.value").await, "abc");
    }
    // A short text of which the field keeps the end is not whole because the field scrolls.
    scene.shows(&format!("{LOGS}<div id=e contenteditable role=textbox aria-label=Note style='height:60px;overflow:auto'><div style='height:300px'>x</div></div>
        <script>e.addEventListener('beforeinput', ev => {{ if (ev.inputType.startsWith('insert')) {{ ev.preventDefault(); e.firstChild.textContent = (ev.data || '').slice(-15) }} }})</script>")).await;
    let acted = scene.types("#e", "Do not pay the invoice").await.unwrap();
    assert!(acted.warned()[0].starts_with("value_differs: "), "{acted:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_takes_back_late_or_by_another_element_is_told() {
    let scene = Scene::open().await;
    let slow = scene.site.page(porthole_tests::Reply::html("late").late(Duration::from_millis(300)));
    let admin = ["L".to_owned()];
    scene.shows(&format!("{LOGS}<label>Size <select id=s><option>S<option>M<option>L</select></label><script>s.onchange = async () => {{ await fetch('{slow}'); s.value = 'S' }}</script>")).await;
    let chosen = scene.page.select(&scene.element("#s").await, &admin, &ready()).await;
    assert!(matches!(chosen, Err(ActError::NoEffect(_))), "{chosen:?}");
    scene.shows(&format!("{LOGS}<label>Nick <input id=i></label><script>i.oninput = async () => {{ await fetch('{slow}'); i.value = '' }}</script>")).await;
    assert!(scene.types("#i", "nick").await.unwrap().warned()[0].starts_with("value_differs: "));
    // Drawn anew: not known, and told.
    scene.shows(&format!("{LOGS}<div id=h></div><script>const mk = () => {{ h.innerHTML = '<label>Size <select><option>S<option>M<option>L</select></label>' }}; mk(); h.addEventListener('change', mk)</script>")).await;
    let chosen = scene.page.select(&scene.element("select").await, &admin, &ready()).await.unwrap();
    assert!(chosen.warned().iter().any(|one| one.starts_with("field_gone")), "{chosen:?}");
    scene.shows(&format!("{LOGS}<div id=h></div><script>const mk = () => {{ h.innerHTML = '<label><input type=checkbox> Insured</label>' }}; mk(); h.addEventListener('change', mk)</script>")).await;
    let checked = scene.page.check(&scene.element("input").await, true, &ready()).await.unwrap();
    assert!(checked.warned().iter().any(|one| one.starts_with("field_gone")), "{checked:?}");
    // As it gets the focus: it is no longer the one that was meant.
    scene.shows(&format!("{LOGS}<div id=h></div><script>let n = 0; const mk = () => {{ h.innerHTML = '<label>Size <select><option>S<option>M<option>L</select></label>' }};
        h.addEventListener('focusin', () => {{ if (n++ < 1) mk() }}); mk()</script>")).await;
    let chosen = scene.page.select(&scene.element("select").await, &admin, &briefly()).await;
    assert!(chosen.is_err(), "{chosen:?}");
    // Checked in part is neither.
    for (checked, ends) in [(true, "true"), (false, "false")] {
        scene.shows(&format!("{LOGS}<div role=checkbox aria-checked=mixed tabindex=0 id=c onclick=\"this.setAttribute('aria-checked', this.getAttribute('aria-checked') != 'true')\">All rows</div>")).await;
        scene.page.check(&scene.element("#c").await, checked, &ready()).await.unwrap();
        assert_eq!(scene.evaluate("c.getAttribute('aria-checked')").await, ends);
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_press_that_a_dialog_cut_short_and_a_change_out_of_sight_are_told() {
    let scene = Scene::open().await;
    scene.shows(&format!("{LOGS}<input id=i><button id=b onclick=\"note('right')\">Save</button><script>i.onblur = () => alert('bad value')</script>")).await;
    scene.types("#i", "x").await.unwrap();
    let acted = scene.click("#b").await.unwrap();
    assert!(acted.warned().iter().any(|one| one.starts_with("click_lost")), "{acted:?}");
    scene.page.answer_dialog(true, None).await.unwrap();
    let cart = "<button id=b onclick=\"document.querySelector('x-cart').add()\">Add</button><x-cart></x-cart><script>customElements.define('x-cart', class extends HTMLElement {
        constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML = '<p>Items: 0</p>'; this.n = 0 } add() { this.shadowRoot.firstChild.textContent = 'Items: ' + ++this.n } })</script>";
    for document in
        [cart, "<button id=b onclick='i.value = +i.value + 1'>Plus</button><input id=i aria-label=Qty value=1>"]
    {
        scene.shows(document).await;
        scene.page.snapshot(&mut Refs::default(), &SnapshotOptions::default()).await.unwrap();
        for _ in 0..2 {
            assert_eq!(scene.click("#b").await.unwrap().warned(), Vec::<String>::new(), "{document}");
        }
    }
    scene.shows("<button id=b>Nothing</button><input value=1>").await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.click("#b").await.unwrap().warned(), [NO_CHANGE]);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_differs_from_the_next_by_a_number_is_known_by_it() {
    let scene = Scene::open().await;
    let rows = "<table><tr><td id=t>10:00</td><td><button>Book</button></td></tr><tr><td>10:30</td><td><button>Book</button></td></tr></table>";
    let lone = "<ul><li><span id=t>Anna, 3 messages</span> <button>Open</button><li><span>Ben, 3 messages</span> <button>Open</button></ul>";
    for (document, becomes, is_other) in
        [(rows, "11:30", true), (lone, "Anna, 4 messages", false), (lone, "Cleo, 3 messages", true)]
    {
        scene.shows(document).await;
        let mut refs = Refs::default();
        let tree = scene.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap().tree;
        let first = reference(&tree, "button").parse().unwrap();
        scene.evaluate(&format!("t.textContent = '{becomes}'")).await;
        let resolved = scene.page.resolve(&refs, first).await;
        assert_eq!(resolved.is_err(), is_other, "{becomes}: {resolved:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_changes_after_typing_is_the_same_unless_it_has_become_another() {
    let scene = Scene::open().await;
    let list = "<ul><li><span id=a>Apple</span> <input aria-label=Qty id=i> <button>Save</button> <i id=m></i><li><span id=b>Pear</span> <input aria-label=Qty> <button>Save</button></ul>";
    let table = "<table><tr><td><input id=a aria-label=Name value=Alice><td><button>Delete</button><tr><td><input id=b aria-label=Name value=Carol><td><button>Delete</button></table>";
    let component = "<ul><li>Alice <x-field id=x></x-field> <button>Save</button></ul><script>x.attachShadow({ mode: 'closed' }).innerHTML = '<input aria-label=Name>'</script>";
    for (document, text, shows, changes, is_other) in [
        (component, "Zoe", false, "0", false),
        (list, "5", false, "a.textContent = 'Pear'; b.textContent = 'Apple'", true),
        (list, "5", false, "a.textContent = 'Apple, 5 pieces'", false),
        (list, "5", false, "m.textContent = 'Not in stock'", false),
        (list, "5", false, "a.textContent = 'Plum'; b.textContent = 'Fig'", true),
        (list, "5", false, "a.append(', five'); b.append(', none')", false),
        (list, "1234", true, "i.value = '1,234'", false),
        (list, "5", true, "i.value = 6", false),
        (list, "zoe", true, "i.value = 'Zoe Adams'", false),
        (table, "Zoe", true, "[a.value, b.value] = [b.value, a.value]", true),
        (table, "Zoe", true, "b.value = 'Dora'", false),
    ] {
        scene.shows(&format!("{LOGS}{document}")).await;
        let mut refs = Refs::default();
        let tree = scene.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap().tree;
        let [field, button] = ["textbox", "button"].map(|role| reference(&tree, role).parse().unwrap());
        let element = scene.page.resolve(&refs, field).await.unwrap();
        scene.page.type_text(&element, &typing(text)).await.unwrap();
        if shows {
            scene.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap();
        }
        scene.evaluate(&format!("{changes}; 0")).await;
        let resolved = scene.page.resolve(&refs, button).await;
        assert_eq!(resolved.is_err(), is_other, "{changes}: {resolved:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drop_comes_to_its_target_or_is_told() {
    const DRAGGED: &str = "<div id=a draggable=true style='width:200px;height:40px'>invoice.pdf</div>";
    let scene = Scene::open().await;
    for (document, expected) in [
        ("<div id=b style='margin-top:60px;width:300px;height:100px'>Archive</div><script>a.ondragstart = e => { e.dataTransfer.setData('text', 'a'); setTimeout(() => { const z = document.createElement('div');
            z.style.cssText = 'position:fixed;inset:0'; z.ondragover = e => e.preventDefault(); z.ondrop = e => { e.preventDefault(); note('wrong') }; document.body.append(z) }) };
            b.ondragover = e => e.preventDefault(); b.ondrop = e => { e.preventDefault(); note('right') }</script>", "covered"),
        ("<div id=b style='margin-top:40px;width:300px;height:100px'>Done</div><script>a.ondragstart = e => e.dataTransfer.setData('text', 'a')</script>", "not_dropped"),
        ("<div id=b style='margin-top:40px;width:300px;height:100px'>Done</div><script>a.ondragstart = e => e.dataTransfer.setData('text', 'a');
            b.ondragover = e => e.preventDefault(); b.ondrop = e => { e.preventDefault(); note('right') }</script>", "right"),
    ] {
        scene.shows(&format!("{LOGS}{DRAGGED}{document}")).await;
        let (from, to) = (scene.element("#a").await, scene.element("#b").await);
        let acted = scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &briefly()).await;
        let log = scene.log().await;
        assert!(!log.contains("wrong"), "{document}: {acted:?}");
        match expected {
            "covered" => assert!(matches!(acted, Err(ActError::Covered { .. })), "{document}: {acted:?} {log}"),
            "right" => {
                let warnings = acted.unwrap().warned();
                assert!(log == "right" && !warnings.iter().any(|one| one.starts_with("not_dropped")), "{log} {warnings:?}");
            }
            warning => assert!(acted.unwrap().warned().iter().any(|one| one.starts_with(warning)), "{document}"),
        }
    }
    scene.shows(&format!("{LOGS}<ul style='list-style:none;margin:0;padding:0;width:200px'><li id=f draggable=true style='height:40px'>file.txt<li class=d id=A style='height:40px'>Folder A<li class=d id=B style='height:40px'>Folder B</ul><script>
        let sp; f.ondragstart = e => e.dataTransfer.setData('text', 'f');
        for (const d of document.querySelectorAll('.d')) {{ d.ondragenter = e => {{ e.preventDefault(); if (!sp) {{ sp = document.createElement('li'); sp.style.height = '40px'; f.after(sp) }} }};
            d.ondragover = e => e.preventDefault(); d.ondrop = e => {{ e.preventDefault(); note(d.id == 'B' ? 'right' : 'wrong') }} }}</script>")).await;
    let (from, to) = (scene.element("#f").await, scene.element("#B").await);
    let acted = scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &briefly()).await;
    assert!(!scene.log().await.contains("wrong"), "{acted:?}");
    scene.ends().await;
}
