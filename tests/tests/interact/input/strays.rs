//! Hostile and busy pages: what they tell is bounded, what they take is, and nothing hangs.

use std::time::Duration;

use porthole_contract::live::{KeyEventType, MouseEventType, PointerButton};
use porthole_service::page::input::{InputEvent, Taken};
use porthole_service::page::interact::{Click, Terms};
use tokio::time::Instant;

use super::person::{Person, key, mouse};
use crate::act::scene::Scene;
use crate::held_page::PATIENCE;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_field_tells_is_bounded() {
    let person = Person::at(
        "<select id=s style='width:200px;height:30px'></select><input id=i list=l style='display:block;width:200px;height:30px'><datalist id=l></datalist>
        <script>const long = 'x'.repeat(100000);
        s.innerHTML = Array.from({length: 20000}, (_, n) => `<option value='${n} ${long.slice(0, n === 1 ? 100000 : 10)}'>${n} ${n === 2 ? long : '\\ud800'}</option>`).join('');
        l.innerHTML = Array.from({length: 20000}, (_, n) => `<option value='${n}${long.slice(0, 900)}'>`).join('')</script>",
    )
    .await;
    person.clicks_on("#s").await;
    let field = person.opened().await;
    assert_eq!(field.options.len(), 1_000);
    assert_eq!(field.options[1].value.len(), 1_000);
    assert_eq!(field.options[2].label.len(), 200);
    person.chooses(&[&field.options[1].value]);
    person.sees("s.selectedIndex", 1).await;
    person.closed().await;
    person.clicks_on("#i").await;
    let field = person.opened().await;
    let chars: usize = field.options.iter().map(|option| option.value.len() + option.label.len()).sum();
    assert!(chars <= 100_000 && field.options.len() > 40, "{chars} in {}", field.options.len());
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_sent_before_they_left_is_taken() {
    let person = Person::at(
        "<button id=b onclick='for (const until = performance.now() + 300; performance.now() < until;);'>b</button>",
    )
    .await;
    let at = person.middle_of("#b").await;
    person.clicks(at);
    let Person { scene, input, .. } = person;
    drop(input);
    assert!(!scene.page.has_taken_input(), "it is under way");
    tokio::time::timeout(PATIENCE, scene.page.takes_input()).await.expect("what the page has taken is known");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pages_script_does_not_change_what_is_told() {
    let person = Person::at(
        "<form id=form><select id=s name=closest style='width:200px;height:30px'><option value=a>A<option value=b>B</select><input name=parentNode><input name=ownerDocument></form>
        <script>
        for (const type of [Element, Node, HTMLSelectElement, HTMLOptionElement, Document, EventTarget])
            for (const name of Object.getOwnPropertyNames(type.prototype))
                try { Object.defineProperty(type.prototype, name, { get() { throw new Error('redefined') } }) } catch {}
        JSON.stringify = () => 'forged'; globalThis.portholeKit = { look: () => ({ cursor: 'wait' }) }; globalThis.portholeHushedUntil = Infinity;
        </script>",
    )
    .await;
    person.clicks((100.0, 15.0));
    let field = person.opened().await;
    assert_eq!(field.options.len(), 2);
    person.chooses(&["b"]);
    person.closed().await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_page_takes_no_more_than_it_may() {
    let person = Person::at("<input id=i style='width:200px;height:40px' onkeydown='log.push(event.key)'>").await;
    person.clicks((20.0, 20.0));
    person.sees("document.activeElement.id", "i").await;
    // Answers nothing for three seconds.
    person
        .evaluate("setTimeout(() => { const until = performance.now() + 3000; while (performance.now() < until); })")
        .await;
    let mut taken = 0;
    for number in 0..5_000 {
        let event = mouse(MouseEventType::MouseMoved, (f64::from(number % 700), 300.0), PointerButton::None);
        taken += u32::from(person.input.send(InputEvent::Mouse(event)) == Taken::Taken);
        let pressed = InputEvent::Key(key(KeyEventType::KeyDown, "a", Some("a"), 0));
        taken += u32::from(person.input.send(pressed) == Taken::Taken);
    }
    assert!(taken < 2_000, "{taken} of 10000 events wait");
    person.input.release_all();
    person.sees("log.length > 0", true).await;
    person.evaluate("i.value = ''").await;
    person.sees("log.length === (globalThis.before ?? -1) || ((globalThis.before = log.length), false)", true).await;
    person.strikes("b", 0);
    person.sees("log.at(-1)", "b").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persons_input_is_not_stopped_by_an_agents_guard() {
    let person = Person::at(
        "<button id=a style='width:200px;height:50px' onclick='log.push(`agent`)'>a</button><br>
        <button id=b style='width:200px;height:50px' onclick='log.push(`person`)'>b</button><input id=i>",
    )
    .await;
    person.click("#a").await.unwrap();
    person.clicks_on("#b").await;
    person.hears("agent,person").await;
    Scene::types(&person, "#i", "agent").await.unwrap();
    person.clicks_on("#i").await;
    person.strikes("End", 0);
    person.types(" and person");
    person.sees("i.value", "agent and person").await;
    // One that failed leaves nothing behind either.
    person.evaluate("a.disabled = true").await;
    let click = Click::once(Terms::until(Instant::now() + Duration::from_millis(200)));
    person.page.click(&person.element("#a").await, &click).await.unwrap_err();
    person.clicks_on("#b").await;
    person.hears("agent,person,person").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_escape_for_a_popup_reaches_no_page() {
    let person = Person::at(
        "<select id=s style='width:200px;height:30px'><option>a<option>b</select><script>
        for (const type of ['keydown', 'keyup', 'keypress']) addEventListener(type, e => log.push(`${type} ${e.key}`), true)</script>",
    )
    .await;
    person.clicks_on("#s").await;
    person.opened().await;
    person.chooses(&["b"]);
    person.closed().await;
    person.sees("s.value", "b").await;
    person.strikes("x", 0);
    person.hears("keydown x,keyup x").await;
    // A person's own Escape is the page's.
    person.strikes("Escape", 0);
    person.hears("keydown x,keyup x,keydown Escape,keyup Escape").await;
    person.ends().await;
}
