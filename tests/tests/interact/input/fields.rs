//! Fields whose popups are in no frame: told when they open, and answered.

use porthole_contract::live::{FieldKind, FieldOption, OpenField};
use porthole_service::page::input::{InputEvent, Taken};
use porthole_tests::site::SHOP;

use super::person::{LISTENS, Person, TELLS};
use crate::act::scene::Scene;

/// Tells of every event of fields, and whether the browser's popup is open.
const HEARS: &str = "<script>
    for (const type of ['focus', 'input', 'change', 'keydown', 'blur']) addEventListener(type, e => log.push(`${type} ${e.target.id}${e.key ?? ''}`), true)
    </script>";

fn option(label: &str, value: &str) -> FieldOption {
    FieldOption { label: label.into(), value: value.into(), ..FieldOption::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_told_and_chosen_from() {
    let person = Person::at(&format!(
        "{HEARS}<select id=s style='position:absolute;left:100px;top:50px;width:200px;height:30px'>
        <option value=''>none</option><optgroup label='Warm'><option value=r selected> Red  wine </option><option value=o disabled>Orange</option></optgroup>
        <optgroup label='Cold' disabled><option value=b>Blue</option></optgroup><hr><option hidden>secret</option><option>Green</option></select>"
    ))
    .await;
    person.clicks_on("#s").await;
    let field = person.opened().await;
    let group = |label: &str, option: FieldOption| FieldOption { group: Some(label.into()), ..option };
    assert_eq!(
        field.options,
        [
            option("none", ""),
            group("Warm", FieldOption { selected: true, ..option("Red wine", "r") }),
            group("Warm", FieldOption { disabled: true, ..option("Orange", "o") }),
            group("Cold", FieldOption { disabled: true, ..option("Blue", "b") }),
            option("Green", "Green"),
        ]
    );
    let OpenField { kind, multiple, value, rect, .. } = field;
    assert_eq!((kind, multiple, value.as_str()), (FieldKind::List, false, "r"));
    assert_eq!([rect.x, rect.y, rect.width, rect.height], [100.0, 50.0, 200.0, 30.0]);
    // What can't be chosen is not.
    person.chooses(&["b"]);
    person.closed().await;
    person.sees("`${s.value} ${s.matches(':open')}`", "r false").await;
    person.clicks_on("#s").await;
    person.opened().await;
    person.evaluate("log.length = 0").await;
    person.chooses(&["Green"]);
    person.closed().await;
    person.hears("input s,change s").await;
    person.sees("`${s.value} ${s.matches(':open')}`", "Green false").await;
    // The same again changes nothing.
    person.clicks_on("#s").await;
    person.opened().await;
    person.evaluate("log.length = 0").await;
    person.chooses(&["Green"]);
    person.closed().await;
    person.clicks_on("#s").await;
    person.opened().await;
    person.does(InputEvent::Choose(None));
    person.closed().await;
    person.sees("`${log} ${s.value} ${document.activeElement.id}`", " Green s").await;
    assert_eq!(person.input.send(InputEvent::Choose(None)), Taken::Ignored, "nothing is open");
    // By keys, and closed by the page's own way.
    person.strikes("ArrowDown", 1);
    person.opened().await;
    person.evaluate("s.blur()").await;
    person.closed().await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_browsers_own_popup_eats_no_input() {
    let person = Person::at(&format!(
        "{HEARS}<select id=s style='width:200px;height:30px'><option>a<option>b<option>c</select><br><br><br><br><br><br><br><br>
        <button id=b onclick='log.push(`clicked`)' style='width:200px;height:60px'>b</button><input id=i>"
    ))
    .await;
    person.clicks_on("#s").await;
    person.opened().await;
    person.evaluate("log.length = 0").await;
    person.clicks_on("#b").await;
    person.closed().await;
    person.hears("blur s,focus b,clicked").await;
    // Arrows and Enter do what they do in a browser.
    person.clicks_on("#s").await;
    person.opened().await;
    person.strikes("ArrowDown", 0);
    person.strikes("Enter", 0);
    person.closed().await;
    person.sees("s.value", "b").await;
    person.clicks_on("#i").await;
    person.types("typed");
    person.sees("i.value", "typed").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_in_a_frame_of_another_process_is_told_where_it_is() {
    let scene = Scene::open().await;
    let inner = scene.site.html(&format!("{TELLS}<body style='margin:0'><select id=s onchange='top.postMessage(this.value, `*`)' style='position:absolute;left:20px;top:30px;width:100px;height:30px'><option>a<option>b</select>"));
    let inner = scene.site.under_name(&inner, SHOP);
    let middle = scene.site.html(&format!("<body style='margin:0'><iframe src='{inner}' style='border:5px solid;position:absolute;left:10px;top:10px;width:250px;height:150px'></iframe>"));
    let person = Person::in_scene(
        scene,
        &format!(
            "{LISTENS}
            <iframe src='{middle}' style='position:absolute;left:200px;top:100px;width:300px;height:200px;border:0;scale:2;transform-origin:0 0'></iframe>"
        ),
    )
    .await;
    // 200 + 2 × (10 + 5 + 20), 100 + 2 × (10 + 5 + 30)
    person.reaches((370.0, 220.0)).await;
    person.clicks((370.0, 220.0));
    let field = person.opened().await;
    let rect = [field.rect.x, field.rect.y, field.rect.width, field.rect.height];
    assert_eq!(rect, [270.0, 190.0, 200.0, 60.0]);
    person.chooses(&["b"]);
    person.closed().await;
    person.hears("b").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_told_in_closed_shadow_roots_and_not_where_the_page_draws_them() {
    let person = Person::at(
        "<div id=host></div><select id=m multiple style='position:absolute;left:10px;top:100px;width:100px;height:90px'><option>a<option>b<option>c</select>
        <style>#d, #d::picker(select) { appearance: base-select }</style>
        <select id=d style='position:absolute;left:300px;top:100px;width:100px'><option>a<option>b</select>
        <script>const root = host.attachShadow({mode: 'closed'});
        root.innerHTML = '<select style=\"width:200px;height:30px\"><option>x<option>y</select>';
        root.firstChild.onchange = e => log.push(e.target.value)</script>",
    )
    .await;
    person.clicks((50.0, 15.0));
    assert_eq!(person.opened().await.options.len(), 2);
    person.chooses(&["y"]);
    person.hears("y").await;
    person.closed().await;
    // A list box is in the frame: the mouse reaches it.
    person.clicks((30.0, 110.0));
    person.sees("m.value", "a").await;
    person.clicks_on("#d").await;
    person.sees("d.matches(':open')", true).await;
    person.clicks((50.0, 15.0));
    let told = person.opened().await;
    assert_eq!(told.options[1].label, "y", "the first that is told since");
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dates_times_and_colours_are_picked() {
    let person = Person::at(&format!(
        "{HEARS}<style>input {{ position: absolute; left: 10px; width: 200px; height: 30px; box-sizing: border-box; margin: 0 }}</style>
        <input id=d type=date style='top:10px' min=2026-01-01 max=2026-12-31 step=7 value=2026-05-06>
        <input id=t type=time style='top:60px'><input id=l type=datetime-local style='top:110px'>
        <input id=m type=month style='top:160px'><input id=w type=week style='top:210px'><input id=c type=color style='top:260px' value='#102030'>"
    ))
    .await;
    let cases = [
        (10.0, "d", FieldKind::Date, "2026-11-25"),
        (60.0, "t", FieldKind::Time, "23:59"),
        (110.0, "l", FieldKind::DateTimeLocal, "2026-11-25T08:30"),
        (160.0, "m", FieldKind::Month, "2026-11"),
        (210.0, "w", FieldKind::Week, "2026-W48"),
        (260.0, "c", FieldKind::Color, "#abcdef"),
    ];
    for (top, id, kind, value) in cases {
        let at = (if id == "c" { 100.0 } else { 195.0 }, top + 15.0);
        person.clicks(at);
        let field = person.opened().await;
        assert_eq!(field.kind, kind, "{id}");
        if id == "d" {
            let told = [Some(field.value), field.min, field.max, field.step];
            assert_eq!(told, ["2026-05-06", "2026-01-01", "2026-12-31", "7"].map(|told| Some(told.to_owned())));
        }
        person.evaluate("log.length = 0").await;
        person.chooses(&["no such value"]);
        person.closed().await;
        assert_eq!(person.log().await, "", "{id} refuses what it can't hold");
        person.clicks(at);
        person.opened().await;
        person.evaluate("log.length = 0").await;
        person.chooses(&[value]);
        person.closed().await;
        person.hears(&format!("input {id},change {id}")).await;
        person.sees(&format!("{id}.value"), value).await;
    }
    // A date's parts are typed as well.
    person.clicks((20.0, 25.0));
    person.types("12312026");
    person.sees("d.value", "2026-12-31").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn suggestions_are_told_as_one_types() {
    let person = Person::at(&format!(
        "{HEARS}<input id=i list=l style='width:200px;height:30px'><datalist id=l><option value=Berlin><option value=Bern>Bern, capital</option><option value=Oslo><option disabled value=Bonn></datalist><input id=j>"
    ))
    .await;
    let labels = |field: &OpenField| field.options.iter().map(|option| option.label.clone()).collect::<Vec<_>>();
    person.clicks_on("#i").await;
    let field = person.opened().await;
    assert_eq!(
        (field.kind, labels(&field)),
        (FieldKind::Datalist, vec!["Berlin".into(), "Bern, capital".into(), "Oslo".into()])
    );
    person.types("ber");
    person
        .outside("not fewer", |outside| {
            outside.field.as_ref().is_some_and(|field| field.options.len() == 2 && field.value == "ber")
        })
        .await;
    person.evaluate("log.length = 0").await;
    person.chooses(&["Bern"]);
    person.closed().await;
    person.hears("input i,change i").await;
    person.sees("i.value", "Bern").await;
    person.strikes("ArrowDown", 0);
    person.opened().await;
    person.strikes("Escape", 0);
    person.closed().await;
    person.types("l");
    person
        .outside("no suggestion", |outside| outside.field.as_ref().is_some_and(|field| field.options.is_empty()))
        .await;
    person.clicks_on("#j").await;
    person.closed().await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_framework_hears_of_what_is_chosen() {
    // React remembers the value that its own setter saw, and passes over an event that brings the same.
    let person = Person::at(
        "<input id=d type=date style='width:200px;height:30px'><script>
        const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
        let tracked = d.value;
        Object.defineProperty(d, 'value', { get() { return own.get.call(this) }, set(value) { tracked = value; own.set.call(this, value) } });
        d.addEventListener('input', () => { if (own.get.call(d) !== tracked) { tracked = own.get.call(d); log.push(tracked) } })</script>",
    )
    .await;
    person.clicks((188.0, 15.0));
    person.opened().await;
    person.chooses(&["2026-11-25"]);
    person.hears("2026-11-25").await;
    person.ends().await;
}
