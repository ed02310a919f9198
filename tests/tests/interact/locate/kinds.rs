//! Each kind of target, how texts are compared, and the order in which kinds are tried.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{ActError, Click, Doing, Terms, Wanted};
use tokio::time::Instant;

use super::scene::{Scene, any, by};
use crate::held_page::PATIENCE;
use crate::warned::Warned;

const FORM: &str = "<title>form</title>
<h1 id=title>Sign  in</h1>
<p id=note>Please <b id=bold>sign in</b> to go on</p>
<label id=for-email for=email>Email *</label><input id=email name=mail placeholder='you@example.com'>
<label id=wrap>Country <select id=country><option>Austria<option>Chile</select></label>
<span id=words>Card</span> <span id=more>number</span><input id=card aria-labelledby='words more'>
<input id=search aria-label='Search the shop' type=search>
<button id=save data-testid=save-button><span id=inner>Save</span></button>
<button id=save-all>SAVE all</button>
<input id=go type=submit value='Go on'>
<div id=split><div>Two</div><div>lines</div></div>
<style>.x{}</style><script>const text = 'Only in script'</script>
<ul><li id=one class=item>alpha<button id=one-delete>Delete</button></li><li id=two class=item data-testid=row-two><b id=beta>beta</b><button id=two-delete>Delete</button></li></ul>";
#[tokio::test(flavor = "multi_thread")]
async fn each_kind_finds_what_a_person_would_name() {
    let scene = Scene::new().await;
    scene.shows(FORM).await;
    for (kind, value, id) in [
        (TargetBy::TestId, "save-button", "save"),
        (TargetBy::Role, "button \"Save\"", "save"),
        (TargetBy::Role, "heading", "title"),
        (TargetBy::Role, "combobox", "country"),
        (TargetBy::Label, "Email", "email"),
        (TargetBy::Label, "email *", "email"),
        (TargetBy::Label, "country", "country"),
        (TargetBy::Label, "Card Number", "card"),
        (TargetBy::Label, "search the shop", "search"),
        (TargetBy::Text, "SIGN IN", "title"),
        (TargetBy::Text, "save", "inner"),
        (TargetBy::Text, "Go on", "go"),
        (TargetBy::Text, "Two lines", "split"),
        (TargetBy::Placeholder, "You@example.com", "email"),
        (TargetBy::Name, "mail", "email"),
        (TargetBy::Css, "li:nth-child(2) button", "two-delete"),
        (TargetBy::Xpath, "//li[2]", "two"),
        (TargetBy::Xpath, "//li[2]/b/text()", "beta"),
        (TargetBy::Css, ".item >> text: beta", "beta"),
        (TargetBy::TestId, "row-two >> role: button \"Delete\"", "two-delete"),
    ] {
        assert_eq!(scene.id_of(&by(kind, value)).await, id, "{kind:?} {value}");
    }
    let named = Wanted { name: Some("save".to_owned()), ..by(TargetBy::Role, "button") };
    let located = scene.locate(&named).await.unwrap();
    assert_eq!((located.role.as_str(), located.name.as_str()), ("button", "Save"));
    assert_eq!((located.selector_used.as_str(), located.matched_count), ("role: button \"save\"", 1));
    assert!(located.bounding_box.width > 0.0 && located.bounding_box.y > 0.0, "{:?}", located.bounding_box);
    // Words in a button are told as the button.
    let inner = scene.locate(&by(TargetBy::Text, "save")).await.unwrap();
    assert_eq!((inner.role.as_str(), inner.name.as_str()), ("button", "Save"));
    let of_script = scene.misses(&by(TargetBy::Text, "Only in script")).await;
    assert!(matches!(of_script.error, ActError::NotFound(_)), "{of_script:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_are_compared_whole_unless_said_otherwise() {
    let scene = Scene::new().await;
    scene.shows(FORM).await;
    let exactly = |exact, wanted: Wanted| Wanted { exact, ..wanted };
    let button = |name: &str| Wanted { name: Some(name.to_owned()), ..by(TargetBy::Role, "button") };
    assert_eq!(scene.id_of(&exactly(Some(false), button("e all"))).await, "save-all");
    assert_eq!(scene.id_of(&exactly(Some(true), button("SAVE all"))).await, "save-all");
    assert_eq!(scene.id_of(&exactly(Some(false), by(TargetBy::Text, "please sign"))).await, "note");
    assert_eq!(scene.id_of(&exactly(Some(true), by(TargetBy::Text, "sign in"))).await, "bold");
    assert_eq!(scene.id_of(&by(TargetBy::Css, "p >> text: \"sign in\"")).await, "bold");
    for wanted in [
        exactly(None, button("SAVE al")),
        exactly(Some(true), button("save all")),
        exactly(Some(true), by(TargetBy::Label, "email *")),
        exactly(None, by(TargetBy::Text, "Please")),
        exactly(None, by(TargetBy::TestId, "save")),
    ] {
        let missed = scene.misses(&wanted).await;
        assert!(matches!(missed.error, ActError::NotFound(_)), "{wanted:?} {missed:?}");
    }
    let both = scene.locate(&exactly(Some(false), button("save"))).await.unwrap();
    assert_eq!(both.matched_count, 2);
    assert!(
        both.warned().iter().any(|warning| warning.starts_with("several_match: 2 elements match")),
        "{:?}",
        both.warned()
    );
    // What says nothing else comes before what says more.
    scene.shows("<button>Save as</button><button id=s>Save</button>").await;
    assert_eq!(scene.id_of(&exactly(Some(false), button("save"))).await, "s");
    assert_eq!(scene.id_of(&exactly(Some(false), by(TargetBy::Text, "save"))).await, "s");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_kind_all_are_tried_in_their_order() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<p id=text>key</p><input id=name name=key><input id=place placeholder=key>
             <input id=label aria-label=key><button id=role>key</button><p id=testid data-testid=key>-</p><key id=css>-</key>",
        )
        .await;
    for (used, id) in [
        ("testid: key", "testid"),
        ("label: key", "label"),
        ("placeholder: key", "place"),
        ("name: key", "name"),
        ("text: key", "text"),
        ("css: key", "css"),
    ] {
        let located = scene.locate(&any("key")).await.unwrap();
        assert_eq!(located.selector_used, used);
        assert_eq!(located.tried.last().unwrap().selector, used);
        assert!(located.tried.iter().rev().skip(1).all(|tried| tried.matched == 0), "{:?}", located.tried);
        assert_eq!(scene.id(&located.element).await, id);
        scene
            .evaluate(&format!("document.getElementById('{id}').remove(); document.getElementById('role')?.remove()"))
            .await;
    }
    scene.shows("<button id=role>Save</button><p id=quoted>button \"Save\"</p>").await;
    assert_eq!(scene.id_of(&any("button \"Save\"")).await, "role");
    assert_eq!(scene.id_of(&any("//button")).await, "role");
    assert_eq!(scene.id_of(&any("#role")).await, "role");
    let missed = scene.misses(&any("Nowhere")).await;
    assert_eq!(missed.tried.len(), 7);
    assert!(missed.error.to_string().contains("Nowhere"), "{}", missed.error);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn selectors_that_are_none_are_refused_at_once() {
    let scene = Scene::new().await;
    scene.shows("<p>here").await;
    for (kind, value) in [
        (TargetBy::Css, "p:::"),
        (TargetBy::Css, "p[["),
        (TargetBy::Xpath, "//p["),
        (TargetBy::Xpath, "1 + 1"),
        (TargetBy::Css, "p >> xpath: ]"),
    ] {
        let missed = scene.locate(&by(kind, value)).await.unwrap_err();
        assert!(matches!(missed.error, ActError::Invalid(_)), "{value} {missed:?}");
    }
    scene.ends().await;
}

/// Texts as a person reads them: without what is not drawn. Fields as a person calls them, where no label is theirs.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_drawn_is_no_text_and_what_no_label_names_is_found_all_the_same() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<button id=menu>Menu<span style='display:none'>(3 new)</span></button>
            <div id=products>Products<ul style='display:none'><li>Phones</ul></div>
            <p>Give your <b>user name</b> and the rest</p>
            <label>User name</label> <input id=user><label>Pass word</label><div><input id=pass type=password></div>
            <div role=checkbox id=agree>Agree</div><input id=from placeholder='From:'> <label>Both</label><div><input><input></div>",
        )
        .await;
    for (kind, value, id) in [
        (Some(TargetBy::Text), "Menu", "menu"),
        (Some(TargetBy::Text), "products", "products"),
        (None, "Products", "products"),
        (Some(TargetBy::Label), "user name", "user"),
        (Some(TargetBy::Label), "Pass word", "pass"),
        (Some(TargetBy::Label), "From", "from"),
        (Some(TargetBy::Label), "Agree", "agree"),
    ] {
        let wanted = Wanted { by: kind, value: value.to_owned(), ..any(value) };
        assert_eq!(scene.id_of(&wanted).await, id, "{kind:?} {value}");
    }
    // A label before two fields names neither.
    scene.misses(&by(TargetBy::Label, "Both")).await;
    // Of the kinds that are guessed the first that takes text is typed into.
    scene.shows("<p>Write your <b>name</b></p><input id=n name=name> <span>name</span>").await;
    assert_eq!(scene.id_of(&Wanted { doing: Doing::Type, ..any("name") }).await, "n");
    for html in [
        "<p>Your <b>Colour</b></p><label>Colour</label><input id=c>",
        "<label>Colour <button aria-label='Open the palette'></button><input id=c></label>",
    ] {
        scene.shows(html).await;
        assert_eq!(scene.id_of(&Wanted { doing: Doing::Type, ..any("Colour") }).await, "c", "{html}");
    }
    // The field of a card is often in a frame, and its words beside that.
    for words in ["<label>Code</label>", "<div>Code</div>"] {
        let page = format!("{words}<iframe srcdoc='<!doctype html><input id=f placeholder=Code>'></iframe>");
        scene.shows(&page).await;
        let located = scene.locate(&Wanted { doing: Doing::Type, ..any("Code") }).await.unwrap();
        assert_eq!(located.selector_used, "placeholder: Code", "{words}");
    }
    scene.ends().await;
}

/// A label that is for no field may stand before or after the one that it names.
#[tokio::test(flavor = "multi_thread")]
async fn a_label_for_no_field_is_that_of_the_field_that_it_stands_beside() {
    let scene = Scene::new().await;
    let both = &[("A", "a"), ("B", "b")][..];
    for (html, named) in [
        (
            "<div><input type=checkbox id=a><label>A</label></div><div><input type=checkbox id=b><label>B</label></div>",
            both,
        ),
        ("<div><input id=a><label>A</label></div><div><input id=b><label>B</label></div>", both),
        (
            "<table><tr><td><input type=checkbox id=a><td><label>A</label><tr><td><input type=checkbox id=b><td><label>B</label></table>",
            both,
        ),
        (
            "<p><input type=radio name=n id=a> <label>A</label> <input type=radio name=n id=b> <label>B</label></p>
             <p><label>C</label> <input type=checkbox id=c></p>",
            &[("A", "a"), ("B", "b"), ("C", "c")],
        ),
        ("<label>A</label><input id=a><label>B</label><input id=b>", both),
        ("<label>A</label> <input type=checkbox id=a> <label>B</label> <input type=checkbox id=b>", both),
        ("<input id=a><label>A</label><input id=b><label>B</label>", both),
        ("<div><label>A</label></div><div><input id=a></div><div><label>B</label></div><div><input id=b></div>", both),
        ("<table><tr><td><label>A</label><td><input id=a><tr><td><label>B</label><td><input id=b></table>", both),
        ("<main><input id=s><label>A</label><input id=a></main>", &[("A", "a")]),
        ("<table><tr><td><input type=checkbox><td><label>A</label><td><input id=a></table>", &[("A", "a")]),
    ] {
        scene.shows(html).await;
        for (name, id) in named {
            assert_eq!(scene.id_of(&by(TargetBy::Label, name)).await, *id, "{name} of {html}");
        }
    }
    // These name none.
    for html in [
        "<div><label>A</label><input id=a><label>B</label></div><div><input id=b></div>",
        "<div><input></div><label>B</label><div><select></select><select></select></div>",
    ] {
        scene.shows(html).await;
        scene.misses(&by(TargetBy::Label, "B")).await;
    }
    // One of several elements that label, and not the value.
    scene
        .shows("<b id=l>Priority</b><div role=button id=p aria-labelledby='l v' tabindex=0><i id=v>High</i></div>")
        .await;
    assert_eq!(scene.id_of(&by(TargetBy::Label, "Priority")).await, "p");
    scene.misses(&by(TargetBy::Label, "High")).await;
    scene.ends().await;
}

/// Several elements label a control: by what they are called, and what else they label it with is not what it is called.
#[tokio::test(flavor = "multi_thread")]
async fn a_control_that_says_what_it_does_is_not_what_it_does_it_with() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<table><tr><td><input type=checkbox id=c aria-label=Select aria-labelledby='c n'><td id=n>Amy</table>
            <label id=l for=f>Seats</label><input id=f><button id=b aria-label=Increase aria-labelledby='b l'>+</button>",
        )
        .await;
    for (wanted, id) in [
        (any("Amy"), "n"),
        (by(TargetBy::Label, "Select Amy"), "c"),
        (by(TargetBy::Label, "Increase Seats"), "b"),
        (any("Increase Seats"), "b"),
        (by(TargetBy::Label, "Seats"), "f"),
    ] {
        assert_eq!(scene.id_of(&wanted).await, id, "{wanted:?}");
    }
    scene.misses(&by(TargetBy::Label, "Amy")).await;
    scene.ends().await;
}

/// An editor that is drawn after the text area that it hides has the area's label. Another field after it has not.
#[tokio::test(flavor = "multi_thread")]
async fn the_label_of_a_hidden_field_is_that_of_the_one_that_is_drawn_for_it() {
    let scene = Scene::new().await;
    let area = "<label for=t>Description</label><textarea id=t name=t style='display:none'></textarea>";
    for (drawn, id) in [
        ("<div contenteditable id=e>x</div>", Some("e")),
        ("<div><input aria-label=Font><div contenteditable id=e aria-label=Editor>x</div></div>", Some("e")),
        ("<input id=other name=other>", None),
        ("<input id=other placeholder='Coupon code'>", None),
        ("<div><input id=other aria-label=Search></div>", None),
        ("<label for=other>Name</label><input id=other>", None),
        ("<p>Or</p><input id=other>", None),
    ] {
        scene.shows(&format!("{area}{drawn}")).await;
        let wanted = by(TargetBy::Label, "Description");
        match id {
            Some(id) => assert_eq!(scene.id_of(&wanted).await, id, "{drawn}"),
            None => assert!(matches!(scene.misses(&wanted).await.error, ActError::NotVisible(_)), "{drawn}"),
        }
    }
    scene.ends().await;
}

/// The words of an item are told apart from the buttons beside them.
#[tokio::test(flavor = "multi_thread")]
async fn words_beside_a_button_are_found_without_it() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<ul><li id=milk><button aria-label=Move>=</button> Buy milk</li><li id=dog><button>x</button> Walk dog <a href=#>more</a></li></ul>",
        )
        .await;
    for (text, id) in [("Buy milk", "milk"), ("Walk dog", "dog")] {
        assert_eq!(scene.id_of(&any(text)).await, id, "{text}");
    }
    scene.misses(&by(TargetBy::Text, "milk")).await;
    scene.ends().await;
}

/// A `label` names a custom element that is a form field, even if the element has text of its own.
#[tokio::test(flavor = "multi_thread")]
async fn a_component_is_found_by_the_name_that_its_label_gives_it() {
    let scene = Scene::new().await;
    let html =
        "<script>customElements.define('x-dial', class extends HTMLElement { static formAssociated = true })</script>
        <label for=d>Loudness</label><x-dial id=d role=slider tabindex=0>3</x-dial>";
    scene.shows(html).await;
    let wanted = Wanted { name: Some("Loudness".to_owned()), ..by(TargetBy::Role, "slider") };
    assert_eq!(scene.id_of(&wanted).await, "d");
    scene.ends().await;
}

/// A word that is also the name of an HTML element: as CSS it would match before the text that is meant has come.
#[tokio::test(flavor = "multi_thread")]
async fn a_word_is_no_selector_where_the_kind_is_guessed() {
    let scene = Scene::new().await;
    let page = "<menu id=m><button id=a>Buy now</button></menu><script>setTimeout(() => {
        document.body.insertAdjacentHTML('beforeend', '<button id=b>Button</button><p id=c>Menu</p>'); }, 300)</script>";
    for (value, id) in [("Button", "b"), ("Menu", "c")] {
        scene.shows(page).await;
        assert_eq!(scene.id_of(&any(value)).await, id, "{value}");
    }
    scene.shows("<menu id=m><button id=a>Buy now</button></menu>").await;
    for (value, id) in [("button", "a"), ("css: menu", "m")] {
        assert_eq!(scene.id_of(&any(value)).await, id, "{value}");
    }
    scene.misses(&any("Form")).await;
    scene.misses(&any("Html")).await;
    scene.ends().await;
}

/// A reader sees no soft hyphen, and no space that has no width.
#[tokio::test(flavor = "multi_thread")]
async fn marks_that_are_not_seen_are_no_part_of_a_name() {
    let scene = Scene::new().await;
    scene.shows("<button>Benutzer&shy;konto</button><button aria-label='Donau&#x200b;dampf'>x</button>").await;
    for name in ["Benutzerkonto", "Donaudampf"] {
        let located = scene.locate(&by(TargetBy::Role, &format!("button \"{name}\""))).await.unwrap();
        assert_eq!(located.name, name);
    }
    scene.ends().await;
}

/// As Blockly's entries: the pointer goes through the words to what is clicked.
#[tokio::test(flavor = "multi_thread")]
async fn words_that_leave_the_pointer_to_their_entry_are_clicked_there() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<div id=r style='cursor:pointer;width:200px' onclick='document.title = `chosen`'><span style='pointer-events:none'>Logic</span></div>
            <section style='pointer-events:none;height:300px'><p>Off</p></section>",
        )
        .await;
    let terms = Terms::until(Instant::now() + PATIENCE);
    let words = scene.locate(&by(TargetBy::Text, "Logic")).await.unwrap().element;
    scene.page.click(&words, &Click::once(terms)).await.unwrap();
    assert_eq!(scene.evaluate("document.title").await, "chosen");
    let off = scene.locate(&by(TargetBy::Text, "Off")).await.unwrap().element;
    let refused = scene.page.click(&off, &Click::once(Terms::until(Instant::now()))).await.unwrap_err();
    assert!(matches!(refused, ActError::Covered { .. }), "{refused:?}");
    scene.ends().await;
}
