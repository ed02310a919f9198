//! Choosing options.

use porthole_service::page::interact::{ActError, Click, Terms};

use super::scene::{LOGS, Scene, ready, ready_briefly, typing};
use crate::warned::Warned;

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
        let warns = acted.warned().iter().any(|warning| warning.starts_with("not_shown: "));
        assert_eq!(warns, is_warned, "{follows} {acted:?}");
    }
    scene.shows("<select id=s aria-label=City><option>Berlin<option>Paris</select>").await;
    let acted = scene.page.select(&scene.element("#s").await, &["Paris".to_owned()], &ready()).await.unwrap();
    assert_eq!(acted.warned(), [] as [String; 0]);
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
            let warnings = acted.unwrap().warned();
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
                Ok(acted) => assert!(is_done && acted.warned().is_empty(), "{entry} {then} {acted:?}"),
                Err(refused) => {
                    assert!(!is_done && matches!(refused, ActError::NoEffect(_)), "{entry} {then} {refused:?}");
                }
            }
        }
    }
    scene.ends().await;
}

/// A field that keeps what was done in it may be another entry's by then: its list has given it to that, or its label has.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_kept_by_a_field_that_is_anothers_now_is_told() {
    let scene = Scene::open().await;
    let fields = [
        ("<select class=f NAMED><option>A<option>B</select>", "change"),
        ("<input class=f NAMED>", "input"),
        ("<input class=f NAMED type=checkbox>", "change"),
    ];
    let row = |field: &str, class: &str, who: &str| {
        let named = field.replace("NAMED", "aria-label=Plan").replace("class=f", &format!("class={class}"));
        format!("<tr><td><span>{who}</span><td>{named}")
    };
    let labelled = |field: &str, id: &str, who: &str| {
        let field = field.replace("NAMED", &format!("id={id}")).replace("class=f", &format!("class={id}"));
        format!("<p><label for={id}><span>{who}</span></label>{field}")
    };
    for (field, event) in fields {
        for page in [
            format!("<table>{}{}</table>", row(field, "f", "Ann Smith"), row(field, "g", "Bob Jones")),
            format!("<table>{}{}</table>", row(field, "f", "Ann Smith"), row(field, "g", "Ann")),
            labelled(field, "f", "Ann") + &labelled(field, "g", "Bob"),
        ] {
            scene
                .shows(&format!("{page}<script>const s = document.querySelectorAll('span'); document.querySelector('.f').on{event} = () => {{
                    const t = s[0].textContent; s[0].textContent = s[1].textContent; s[1].textContent = t }}</script>"))
                .await;
            let element = scene.element(".f").await;
            let acted = match event {
                "input" => scene.page.type_text(&element, &typing("pay")).await,
                _ if field.starts_with("<select") => scene.page.select(&element, &["B".to_owned()], &ready()).await,
                _ => scene.page.check(&element, true, &ready()).await,
            };
            let warnings = acted.unwrap().warned();
            assert!(warnings.iter().any(|one| one.starts_with("not_read_back: ")), "{page}: {warnings:?}");
        }
    }
    scene.ends().await;
}

/// A list without keys that leaves out what is done gives its boxes to the next entries, and has one less.
#[tokio::test(flavor = "multi_thread")]
async fn a_box_of_an_entry_that_leaves_its_list_is_told() {
    let scene = Scene::showing(&format!(
        "{LOGS}<div id=l></div><script>let open = ['Ann', 'Bob', 'Cid'];
        const draws = () => {{
            while (l.children.length > open.length) l.lastChild.remove();
            open.forEach((who, at) => {{
                const entry = l.children[at] ?? l.appendChild(document.createElement('div'));
                if (!entry.firstChild) {{
                    entry.innerHTML = '<label><input type=checkbox> <span></span></label>';
                    entry.querySelector('input').onchange = () => {{ note(open[at]); open = open.toSpliced(at, 1); draws() }};
                }}
                entry.querySelector('input').checked = false;
                entry.querySelector('span').textContent = who;
            }});
        }}; draws()</script>"
    ))
    .await;
    let acted = scene.page.check(&scene.element("input").await, true, &ready()).await.unwrap();
    assert!(acted.warned().iter().any(|one| one.starts_with("not_read_back: ")), "{acted:?}");
    assert_eq!(scene.log().await, "Ann");
    scene.ends().await;
}

/// Fields that are called otherwise once they are set, and rows that move or show what was set, are the same entries.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_set_in_an_entry_that_goes_on_is_told_as_done() {
    let scene = Scene::open().await;
    let address = |at: &str, says: &str, id: &str| {
        format!("<li>{at} <label><input type=radio name=r {id}><span>{says}</span></label></li>")
    };
    scene
        .shows(&format!(
            "<ul>{}{}</ul><script>const s = document.querySelectorAll('span'); f.onchange = () => {{ s[0].textContent = 'Set as default'; s[1].textContent = 'Default address' }}</script>",
            address("12 Oak Street", "Default address", "checked"),
            address("7 Elm Road", "Set as default", "id=f"),
        ))
        .await;
    let acted = scene.page.check(&scene.element("#f").await, true, &ready()).await.unwrap();
    assert_eq!(acted.warned(), [] as [String; 0]);
    let song = |name: &str, at: u8| format!("<li><b>Song {name}</b> <input aria-label='Position {at}' id=p{at}></li>");
    scene
        .shows(&format!(
            "<ul id=l>{}{}{}</ul><script>p3.oninput = () => {{ l.prepend(p3.parentNode); [...l.querySelectorAll('input')].forEach((one, at) => {{ one.ariaLabel = 'Position ' + (at + 1) }}); p3.focus() }}</script>",
            song("Alpha", 1), song("Beta", 2), song("Gamma", 3),
        ))
        .await;
    let acted = scene.types("#p3", "1").await.unwrap();
    assert_eq!(acted.warned(), [] as [String; 0]);
    scene
        .shows("<table><tr><td><select aria-label=Role><option>Member<option>Owner</select><td class=b>Owner<tr><td><select aria-label=Role id=f><option>Member<option>Owner</select><td class=b></table>
            <script>const b = document.querySelectorAll('.b'); f.onchange = () => { b[0].textContent = ''; b[1].textContent = 'Owner' }</script>")
        .await;
    let acted = scene.page.select(&scene.element("#f").await, &["Owner".to_owned()], &ready()).await.unwrap();
    assert_eq!(acted.warned(), [] as [String; 0]);
    scene.ends().await;
}
