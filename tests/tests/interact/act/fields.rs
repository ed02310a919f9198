//! Typing, and what a field holds afterwards.

use porthole_service::page::interact::{ActError, Click, How, Method, Refs, SnapshotOptions, Terms, Typing};

use super::scene::{LOGS, Scene, briefly, ready, ready_briefly, typing};
use crate::warned::Warned;

/// A field as React makes it: its own `value` on the instance, and the old value put back unless `input` came with a
/// change that it has not seen.
const CONTROLLED: &str = "<input id=r><p id=state></p><script>
    const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
    let tracked = '', state = '';
    Object.defineProperty(r, 'value', { get() { return own.get.call(this) }, set(v) { tracked = v; own.set.call(this, v) } });
    r.addEventListener('input', () => { const now = own.get.call(r); if (now === tracked) return; tracked = now;
        state = now.toUpperCase(); r.value = state; document.getElementById('state').textContent = state })</script>";

#[tokio::test(flavor = "multi_thread")]
async fn text_is_typed_and_read_back() {
    let scene = Scene::showing(
        "<input id=i value=old><textarea id=t></textarea><div id=c contenteditable><b>old</b> words</div><input id=m maxlength=3>
        <input id=p type=password><input id=e type=email><input id=n type=number><input id=ro readonly><input id=x type=checkbox>
        <label for=i id=l>Name</label><div role=combobox id=w><input id=wi></div>",
    )
    .await;
    let acted = scene.types("#i", "new text").await.unwrap();
    let typed = acted.typed.unwrap();
    assert_eq!((typed.value.as_deref(), typed.differs, acted.method), (Some("new text"), false, Method::Cdp));
    let more = Typing { clear: false, ..typing(" more") };
    scene.page.type_text(&scene.element("#i").await, &more).await.unwrap();
    assert_eq!(scene.evaluate("i.value").await, "new text more");
    scene.types("#l", "by label").await.unwrap();
    assert_eq!(scene.evaluate("i.value").await, "by label");
    scene.types("#i", "").await.unwrap();
    assert_eq!(scene.evaluate("i.value").await, "");
    scene.types("#w", "in a wrapper").await.unwrap();
    assert_eq!(scene.evaluate("wi.value").await, "in a wrapper");
    scene.types("#t", "two\nlines").await.unwrap();
    assert_eq!(scene.evaluate("t.value").await, "two\nlines");
    let acted = scene.types("#c", "first\nsecond").await.unwrap();
    assert!(!acted.typed.unwrap().differs);
    assert_eq!(scene.evaluate("c.innerText.trim().split(/\\n+/).join('|')").await, "first|second");
    let acted = scene.types("#m", "12345").await.unwrap();
    assert_eq!(acted.typed.as_ref().unwrap().value.as_deref(), Some("123"));
    assert!(acted.warned()[0].starts_with("value_differs: "), "{acted:?}");
    let acted = scene.types("#p", "secret").await.unwrap();
    assert_eq!(acted.typed.unwrap().value, None);
    scene.types("#e", "ada@example.com").await.unwrap();
    scene.types("#n", "42").await.unwrap();
    assert!(matches!(scene.types("#n", "forty").await, Err(ActError::NoEffect(_))));
    let briefly = Typing { terms: Terms::until(tokio::time::Instant::now()), ..typing("x") };
    let read_only = scene.page.type_text(&scene.element("#ro").await, &briefly).await.unwrap_err();
    assert!(matches!(read_only, ActError::NotEditable(_)), "{read_only:?}");
    assert!(matches!(scene.types("#x", "text").await, Err(ActError::NotEditable(_))));
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controlled_field_takes_text_by_input_and_by_the_document() {
    for how in [How::Input, How::DocumentFirst, How::DocumentOnly] {
        let scene = Scene::showing(CONTROLLED).await;
        let typing = Typing { terms: Terms { how, ..ready() }, ..typing("hello") };
        let acted = scene.page.type_text(&scene.element("#r").await, &typing).await.unwrap();
        assert_eq!(scene.evaluate("state").await, "HELLO", "{how:?}");
        assert_eq!(acted.typed.unwrap().value.as_deref(), Some("HELLO"));
        scene.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_takes_no_text_says_so() {
    let scene = Scene::showing("<input id=i value=old oninput='this.value = `old`'>").await;
    assert!(matches!(scene.types("#i", "new").await, Err(ActError::NoEffect(_))));
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_typing_sends_keys_and_submit_sends_enter() {
    let scene = Scene::showing(
        "<form onsubmit='log.push(`sent:` + i.value); return false'><input id=i value=old></form><script>const log = [];
        i.onkeydown = e => log.push(e.key)</script>",
    )
    .await;
    let slowly = Typing { slowly: true, submit: true, ..typing("aB é!") };
    scene.page.type_text(&scene.element("#i").await, &slowly).await.unwrap();
    assert_eq!(scene.log().await, "Delete,a,Shift,B, ,Shift,!,Enter,sent:aB é!");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_without_typing_take_their_values() {
    let scene = Scene::showing(
        "<input id=d type=date><input id=t type=time><input id=m type=month><input id=w type=week><input id=l type=datetime-local>
        <input id=r type=range max=10><input id=c type=color><script>const log = [];
        for (const type of ['input', 'change']) addEventListener(type, e => log.push(e.target.id + ' ' + type))</script>",
    )
    .await;
    for (selector, value) in [
        ("#d", "2024-02-29"),
        ("#t", "13:37"),
        ("#m", "2024-02"),
        ("#w", "2024-W09"),
        ("#l", "2024-02-29T13:37"),
        ("#r", "7"),
        ("#c", "#ff8800"),
    ] {
        let acted = scene.types(selector, value).await.unwrap();
        assert_eq!(acted.typed.unwrap().value.as_deref(), Some(value), "{selector}");
    }
    assert!(scene.log().await.starts_with("d input,d change,t input"), "{}", scene.log().await);
    for (selector, value) in [("#d", "29.2.2024"), ("#t", "noon"), ("#c", "red"), ("#d", "2023-02-29")] {
        assert!(matches!(scene.types(selector, value).await, Err(ActError::Invalid(_))), "{selector} {value}");
    }
    assert_eq!(scene.evaluate("d.value").await, "2024-02-29", "the old value stays");
    let acted = scene.types("#r", "70").await.unwrap();
    assert!(acted.typed.unwrap().differs);
    scene.ends().await;
}

/// Where a text stands for what is in a field, nothing else is left: no picture, no number that is none.
#[tokio::test(flavor = "multi_thread")]
async fn a_field_is_emptied_of_what_is_no_text() {
    let page =
        "<div id=c contenteditable><img width=20 height=20 src='data:,'></div><input id=n type=number><input id=i>
        <script>const log = []; i.onkeydown = e => log.push(e.key)</script>";
    for how in [How::Input, How::DocumentFirst] {
        let scene = Scene::showing(page).await;
        let clears = async |selector: &str| {
            let typing = Typing { terms: Terms { how, ..ready_briefly() }, ..typing("") };
            scene.page.type_text(&scene.element(selector).await, &typing).await
        };
        scene.press(Some("#n"), "e").await.unwrap();
        assert_eq!(scene.evaluate("n.validity.badInput").await, true);
        clears("#n").await.unwrap();
        clears("#c").await.unwrap();
        assert_eq!(scene.evaluate("!n.validity.badInput && !c.querySelector('img')").await, true, "{how:?}");
        // Nothing is in it: no key is sent, which the page might take for another purpose.
        clears("#i").await.unwrap();
        assert_eq!(scene.log().await, "", "{how:?}");
        // What stays is told.
        scene.evaluate("c.innerHTML = '<img width=20 height=20>'; c.onbeforeinput = e => e.preventDefault()").await;
        let kept = clears("#c").await;
        assert!(matches!(kept, Err(ActError::NoEffect(_))), "{how:?}: {kept:?}");
        scene.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_added_comes_last() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst] {
        for (kind, more, value) in [("number", "3", "123"), ("email", "c", "12c"), ("text", "c", "12c")] {
            for slowly in [false, true] {
                scene.shows(&format!("<input id=i type={kind} value=12>")).await;
                let typing = Typing { clear: false, slowly, terms: Terms { how, ..ready() }, ..typing(more) };
                let acted = scene.page.type_text(&scene.element("#i").await, &typing).await.unwrap();
                assert_eq!(scene.evaluate("i.value").await, value, "{how:?} {kind} {slowly}");
                assert_eq!(acted.warned(), Vec::<String>::new());
            }
        }
    }
    scene.ends().await;
}

/// What the page has made something of is not typed once more by other means.
#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_the_page_takes_and_removes_comes_once() {
    let scene = Scene::open().await;
    for (field, text) in [
        ("<input id=f onchange='if (this.value) { took(this.value); this.value = `` }'>", "milk"),
        ("<input id=f oninput='if (this.value.length === 4) { took(this.value); this.value = `` }'>", "1234"),
        ("<div id=f contenteditable oninput='took(this.textContent); this.textContent = ``'></div>", "hello"),
    ] {
        scene
            .shows(&format!("<ul id=all></ul>{field}<script>const took = text => {{ all.append(text, ';') }}</script>"))
            .await;
        let terms = Terms { how: How::DocumentFirst, ..ready() };
        let typed = scene.page.type_text(&scene.element("#f").await, &Typing { terms, ..typing(text) }).await;
        assert!(
            matches!(&typed, Err(ActError::NoEffect(why)) if why.contains("before another try")),
            "{field}: {typed:?}"
        );
        assert_eq!(scene.evaluate("all.textContent").await, format!("{text};"), "{field}");
    }
    // What it refuses without a sign is tried by the browser's input.
    scene.shows("<input id=f oninput='if (!event.isTrusted) this.value = ``'>").await;
    let terms = Terms { how: How::DocumentFirst, ..ready() };
    let typed = scene.page.type_text(&scene.element("#f").await, &Typing { terms, ..typing("trusted") }).await.unwrap();
    assert_eq!((typed.method, scene.evaluate("f.value").await), (Method::Cdp, "trusted".into()));
    scene.ends().await;
}

/// Many fields filter, or take a date, as a key comes up, and sliders as one moves them.
#[tokio::test(flavor = "multi_thread")]
async fn a_text_ends_with_a_key_that_comes_up() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst, How::DocumentOnly] {
        scene
            .shows(
                "<input id=f onkeyup='kept = this.value + event.key'><input id=r type=range max=120 value=30 onkeydown='down = true'
                onkeyup='if (down) slid = this.value; down = false'><script>let kept = '', slid = '', down = false</script>",
            )
            .await;
        let types = async |id: &str, text: &str| {
            let typing = Typing { terms: Terms { how, ..ready() }, ..typing(text) };
            scene.page.type_text(&scene.element(id).await, &typing).await.unwrap()
        };
        types("#f", "2026-05-03").await;
        assert_eq!(scene.evaluate("kept").await, "2026-05-033", "{how:?}");
        for value in ["45", "0", "120"] {
            types("#r", value).await;
            assert_eq!(scene.evaluate("slid + ' ' + r.value").await, format!("{value} {value}"), "{how:?}");
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_of_two_lines_sends_no_form() {
    let scene = Scene::showing("<form onsubmit='document.title = `sent`; return false'><input id=f></form>").await;
    for slowly in [true, false] {
        let typing = Typing { slowly, ..typing("one\ntwo") };
        scene.page.type_text(&scene.element("#f").await, &typing).await.unwrap();
        assert_eq!(scene.evaluate("document.title + f.value").await, "one two", "{slowly}");
        scene.evaluate("f.value = ''").await;
    }
    scene.ends().await;
}

/// In an editor Enter begins a line, which is no other text.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_enter_begins_is_no_difference() {
    let scene = Scene::showing("<textarea id=t></textarea><div id=e contenteditable></div>").await;
    for field in ["#t", "#e"] {
        let typing = Typing { submit: true, ..typing("sent") };
        let acted = scene.page.type_text(&scene.element(field).await, &typing).await.unwrap();
        assert_eq!(acted.warned(), [""; 0], "{field}: {acted:?}");
        assert_eq!(acted.typed.unwrap().value.as_deref(), Some("sent"), "{field}");
    }
    assert_eq!(scene.evaluate("t.value").await, "sent\n");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_becomes_one_of_a_date_with_the_focus_takes_the_date() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst] {
        scene.shows("<input id=i placeholder='Start date' onfocus=\"this.type = 'date'\">").await;
        let typing = Typing { terms: Terms { how, ..ready() }, ..typing("2024-05-06") };
        scene.page.type_text(&scene.element("#i").await, &typing).await.unwrap();
        assert_eq!(scene.evaluate("i.value").await, "2024-05-06", "{how:?}");
    }
    scene.ends().await;
}

/// A field with a list that follows what is typed 300 ms later; Enter takes the option that is active.
const LATE_LIST: &str = "<label for=i>Language</label><input id=i role=combobox aria-expanded=false aria-controls=l><ul role=listbox id=l hidden></ul><script>
    const all = ['Rust', 'Go', 'Java']; let active, timer;
    const show = text => { l.hidden = false; i.setAttribute('aria-expanded', true); const fit = all.filter(one => one.toLowerCase().includes(text.toLowerCase()));
        l.innerHTML = fit.map((one, n) => `<li role=option id=o${n}>${one}</li>`).join(''); active = fit[0]; if (NAMED) i.setAttribute('aria-activedescendant', 'o0') };
    i.onfocus = () => show(''); i.oninput = () => { clearTimeout(timer); timer = setTimeout(() => FILTERS && show(i.value), 300) };
    i.onkeydown = e => { if (e.key == 'Enter' && active) { i.value = active; l.hidden = true; i.setAttribute('aria-expanded', false) } }</script>";

/// Fields of numbers show one input as it is written, and another in its place as it is typed.
#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_shows_another_in_its_place_is_typed_into_there() {
    let scene = Scene::open().await;
    for (hands, beside, is_typed) in [
        ("shows()", "", true),
        ("setTimeout(shows)", "", true),
        // That may be for something else.
        ("shows()", "<input aria-label=Discount>", false),
        ("r.ariaLabel = 'Discount'; shows()", "", false),
        ("r.type = 'password'; shows()", "", false),
    ] {
        for terms in [ready_briefly(), Terms { how: How::DocumentFirst, ..ready_briefly() }] {
            scene
                .shows(&format!(
                    "<span><input id=f aria-label=Price value='$42.50'><input id=r value=42.5 style='display: none'>{beside}</span>
                    <script>const shows = () => {{ f.style.display = 'none'; r.style.display = ''; r.focus(); r.select() }};
                    f.onfocus = () => {{ {hands} }}; r.onblur = () => {{ f.value = '$' + (+r.value).toFixed(2); r.style.display = 'none'; f.style.display = '' }}</script>"
                ))
                .await;
            let field = scene.element("#f").await;
            let typed = scene.page.type_text(&field, &Typing { terms, ..typing("17") }).await;
            if is_typed {
                assert_eq!(typed.unwrap().warned(), Vec::<String>::new(), "{hands}");
                assert_eq!(scene.evaluate("r.value").await, "17", "{hands}");
                scene.press(None, "Tab").await.unwrap();
                assert_eq!(scene.evaluate("f.value").await, "$17.00", "{hands}");
            } else {
                assert!(typed.is_err(), "{hands}: {typed:?}");
                assert_eq!(scene.evaluate("r.value").await, "42.5");
            }
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_takes_nothing_else_from_a_list_than_what_was_typed() {
    let scene = Scene::open().await;
    let submit = |slowly| Typing { submit: true, slowly, ..typing("go") };
    let page = |named: bool, filters: bool| {
        LATE_LIST.replace("NAMED", &named.to_string()).replace("FILTERS", &filters.to_string())
    };
    for (is_named, slowly) in [(true, false), (false, true)] {
        scene.shows(&page(is_named, true)).await;
        let acted = scene.page.type_text(&scene.element("#i").await, &submit(slowly)).await.unwrap();
        assert_eq!(scene.evaluate("i.value").await, "Go", "{acted:?}");
        assert_eq!(acted.warned(), ["value_differs: the field has \"Go\" now"], "{is_named}");
    }
    scene.shows(&page(true, false)).await;
    let acted = scene.page.type_text(&scene.element("#i").await, &submit(false)).await.unwrap();
    assert_eq!(scene.evaluate("i.value").await, "go", "{acted:?}");
    assert_eq!(acted.warned(), ["not_submitted: Enter was not pressed: it would take \"rust\" from the list"]);
    // Which option it would take is not known, and another one is called so.
    scene.shows(&page(false, false)).await;
    let acted = scene.page.type_text(&scene.element("#i").await, &submit(false)).await.unwrap();
    assert_eq!(acted.warned(), ["not_submitted: Enter was not pressed: it would take \"rust\" from the list"]);
    // None is: it is pressed, and what came of it is told.
    scene.shows(&page(false, false)).await;
    let other = Typing { text: "gopher".into(), ..submit(false) };
    let acted = scene.page.type_text(&scene.element("#i").await, &other).await.unwrap();
    assert_eq!(acted.warned(), ["value_differs: the field has \"Rust\" now"]);
    // What was sent leaves no such warning.
    scene.shows("<form onsubmit='i.value = \"\"; return false'><input id=i></form>").await;
    let acted = scene.page.type_text(&scene.element("#i").await, &submit(false)).await.unwrap();
    assert_eq!(acted.warned(), [] as [String; 0]);
    scene.ends().await;
}

/// In a document without script the first listener of an attribute makes the page's script begin.
#[tokio::test(flavor = "multi_thread")]
async fn all_keys_and_clicks_come_to_a_document_whose_first_script_is_a_listener() {
    let scene = Scene::open().await;
    for listens in ["oninput", "onkeydown", "onkeyup"] {
        scene.shows(&format!("<input id=i {listens}='1'>")).await;
        let typing = Typing { slowly: true, ..typing("abcd") };
        let acted = scene.page.type_text(&scene.element("#i").await, &typing).await.unwrap();
        assert_eq!(acted.typed.as_ref().unwrap().value.as_deref(), Some("abcd"), "{listens}");
        assert_eq!(acted.warned(), [] as [String; 0], "{listens}");
    }
    for listens in ["onmousedown", "onclick"] {
        scene.shows(&format!("<button id=b {listens}='1' ondblclick='this.textContent = `twice`'>Go</button>")).await;
        let click = Click { count: 2, ..Click::once(ready()) };
        let acted = scene.page.click(&scene.element("#b").await, &click).await.unwrap();
        assert_eq!(scene.evaluate("b.textContent").await, "twice", "{listens} {acted:?}");
    }
    scene.ends().await;
}

/// What a field held is a word of its row no longer once it is typed into.
#[tokio::test(flavor = "multi_thread")]
async fn enter_is_pressed_in_a_row_that_its_own_field_named() {
    let scene = Scene::open().await;
    let logs = "<script>const log = []; onkeydown = event => { if (event.key === 'Enter') log.push(event.target.value) }</script>";
    let rows = |rest: &str| {
        format!(
            "<table><tr><td><input id=i value='Band of brothers and sisters'>{rest}<tr><td><input value='The quick brown fox'>{rest}</table>{logs}"
        )
    };
    let pages = [
        format!(
            "<ul><li><input id=i value='Buy milk'> <button>Delete</button><li><input value='Feed the cat'> <button>Delete</button></ul>{logs}"
        ),
        format!(
            "<ul><li><textarea id=i>Buy some tickets for 1234</textarea> <button>Delete</button><li><textarea>Feed</textarea> <button>Delete</button></ul>{logs}"
        ),
        rows("<td>In stock<td><button>Delete</button>"),
    ];
    let submits = |how| Typing { submit: true, terms: Terms { how, ..ready() }, ..typing("Walk dog") };
    let shown = async || {
        let (refs, options) = (&mut Refs::default(), SnapshotOptions::default());
        scene.by_ref(refs, &options, |line| line.contains("textbox")).await
    };
    for page in pages {
        for how in [How::Input, How::DocumentFirst] {
            scene.shows(&page).await;
            let acted = scene.page.type_text(&shown().await, &submits(how)).await.unwrap();
            assert!(!acted.warned().iter().any(|warning| warning.starts_with("not_submitted")), "{page} {acted:?}");
            assert_eq!(scene.log().await.trim(), "Walk dog", "{how:?} {page}");
        }
    }
    // A row that is about something else as the text comes: the text is in, and Enter is not pressed.
    let renames = "<script>i.oninput = () => { i.parentNode.nextElementSibling.textContent = 'Pigeon post of tomorrow' }</script>";
    scene.shows(&format!("{}{renames}", rows("<td>Carrier and sender of today"))).await;
    let acted = scene.page.type_text(&shown().await, &submits(How::Input)).await.unwrap();
    assert!(acted.warned().iter().any(|warning| warning.starts_with("not_submitted")), "{acted:?}");
    assert_eq!((scene.log().await.as_str(), scene.evaluate("i.value").await), ("", "Walk dog".into()));
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_takes_its_text_late_has_no_other_value() {
    let scene = Scene::open().await;
    for (submit, takes) in [
        (true, "i.onkeydown = event => { if (event.key === 'Enter') i.value = text }"),
        (false, "i.addEventListener('keyup', () => setTimeout(() => fetch('').then(() => { i.value = text })))"),
    ] {
        scene
            .shows(&format!(
                "<input id=i value=09:00:00><script>let text; i.oninput = () => {{ text = i.value; setTimeout(() => {{ i.value = text.slice(0, 5) }}) }}; {takes}</script>"
            ))
            .await;
        let typing = Typing { submit, ..typing("10:20:30") };
        let acted = scene.page.type_text(&scene.element("#i").await, &typing).await.unwrap();
        assert_eq!(acted.warned(), [] as [String; 0], "{takes}");
        assert_eq!(acted.typed.unwrap().value.as_deref(), Some("10:20:30"), "{takes}");
    }
    scene.ends().await;
}

/// Another option of the list that contains the text stands before the one that is called so.
#[tokio::test(flavor = "multi_thread")]
async fn enter_is_not_pressed_where_it_would_take_another_option_than_the_one_of_that_name() {
    let scene = Scene::open().await;
    let page = |names: &str| {
        format!(
            "{LOGS}<input id=i role=combobox aria-expanded=false aria-controls=l aria-label=To><ul id=l role=listbox></ul><script>
            const names = '{names}'.split(',');
            i.oninput = () => {{ i.ariaExpanded = 'true'; l.innerHTML = names.filter(one => one.toLowerCase().includes(i.value.toLowerCase()))
                .map(one => `<li role=option>${{one}}</li>`).join('') }};
            i.onkeydown = e => {{ if (e.key === 'Enter') {{ note(l.children[0].textContent); i.value = ''; l.innerHTML = ''; i.ariaExpanded = 'false' }} }}</script>"
        )
    };
    for (names, taken, warned) in [
        (
            "Joanna Smith,Ann,Anna Bell",
            "",
            vec!["not_submitted: Enter was not pressed: it would take \"joanna smith\" from the list"],
        ),
        ("Ann,Joanna Smith", "Ann", vec![]),
        ("Joanna Smith,Bob", "Joanna Smith", vec![]),
    ] {
        scene.shows(&page(names)).await;
        let field = scene.element("#i").await;
        let acted = scene.page.type_text(&field, &Typing { submit: true, ..typing("ann") }).await.unwrap();
        assert_eq!(
            (scene.log().await.as_str(), acted.warned()),
            (taken, warned.into_iter().map(str::to_owned).collect()),
            "{names}"
        );
    }
    scene.ends().await;
}

/// The focus opens a dialog for the login, which disables what is behind it.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_into_a_field_that_its_focus_disables() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst, How::DocumentOnly] {
        for (field, value) in
            [("<input id=i aria-label=Name>", "kasie"), ("<input id=i type=range aria-label=Size>", "70")]
        {
            scene.shows(&format!("{field}<script>i.onfocus = () => {{ i.disabled = true }}</script>")).await;
            let typing = Typing { terms: Terms { how, ..briefly() }, ..typing(value) };
            let before = scene.evaluate("i.value").await;
            let refused = scene.page.type_text(&scene.element("#i").await, &typing).await;
            assert!(matches!(refused, Err(ActError::NotEnabled(_))), "{field} {how:?}: {refused:?}");
            assert_eq!(scene.evaluate("i.value").await, before, "{field} {how:?}");
        }
    }
    scene.ends().await;
}

/// The events of a document choose nothing in a list that the browser draws.
#[tokio::test(flavor = "multi_thread")]
async fn an_option_of_a_list_is_chosen_whichever_way_is_tried_first() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst, How::DocumentOnly] {
        for select in ["<select id=s size=3>", "<select id=s multiple>", "<select id=s>"] {
            scene.shows(&format!("{LOGS}{select}<option>x<option id=y>y<option>z</select><script>s.onchange = () => note(s.value)</script>")).await;
            let click = Click::once(Terms { how, ..briefly() });
            let clicked = scene.page.click(&scene.element("#y").await, &click).await;
            assert!(clicked.is_ok(), "{select} {how:?}: {clicked:?}");
            assert_eq!(
                (scene.evaluate("s.value").await, scene.log().await.as_str()),
                ("y".into(), "y"),
                "{select} {how:?}"
            );
        }
    }
    scene.ends().await;
}

/// Fields for tags take each word at its comma, and are empty then.
#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_makes_tags_of_its_text_has_taken_it() {
    let scene = Scene::showing(
        "<div id=tags></div><label>Tags <input id=i></label><script>i.oninput = () => { const parts = i.value.split(','); i.value = parts.pop();
        for (const part of parts) { const tag = document.createElement('span'); tag.textContent = part + ' '; tags.append(tag) } }</script>",
    )
    .await;
    let acted = scene.types("#i", "beta,gamma,").await.unwrap();
    assert_eq!(scene.evaluate("tags.textContent").await, "beta gamma ");
    assert_eq!(acted.warned(), ["value_differs: <input id=\"i\"> is empty now, and the page shows the text beside it"]);
    // One that forgets a part has not.
    scene.evaluate("i.oninput = () => { if (i.value.endsWith(',')) { tags.append('x'); i.value = '' } }").await;
    let refused = scene.types("#i", "delta,epsilon,").await.unwrap_err();
    assert!(matches!(refused, ActError::NoEffect(_)), "{refused:?}");
    scene.ends().await;
}
