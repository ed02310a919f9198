//! Of several elements that match a target, the one that is meant.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{Click, Doing, How, Terms, Wanted};
use tokio::time::Instant;

use super::scene::{Scene, any, by};
use crate::held_page::PATIENCE;
use crate::warned::Warned;

/// What is to be chosen in is a list, where a field for searching is called alike.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_comes_before_a_field_of_its_name_where_an_option_is_wanted() {
    let scene = Scene::new().await;
    scene
        .shows("<input type=search aria-label=Tags id=s><label for=b>Tags</label><select id=b><option>Red<option>Green</select>")
        .await;
    let wanted = |doing| Wanted { doing, ..any("Tags") };
    assert_eq!(scene.id_of(&wanted(Doing::Select)).await, "b");
    assert_eq!(scene.id_of(&wanted(Doing::Click)).await, "s");
    scene.ends().await;
}

/// As Tom Select's: the list of options comes before its field in the page, and the label is for both.
#[tokio::test(flavor = "multi_thread")]
async fn a_field_comes_before_the_list_that_it_opens_where_text_is_typed() {
    let scene = Scene::new().await;
    let html =
        "<label id=l for=i>Country</label><div id=o role=listbox aria-labelledby=l><div role=option>Austria</div></div>
        <div><input id=i role=combobox aria-expanded=true aria-controls=o style='width:4px'></div>
        <div id=p role=listbox aria-label=Letters tabindex=0><div role=option>A</div></div>";
    scene.shows(html).await;
    let typed = |label| Wanted { doing: Doing::Type, ..by(TargetBy::Label, label) };
    assert_eq!(scene.id_of(&typed("Country")).await, "i");
    assert_eq!(scene.id(&scene.locate(&typed("Letters")).await.unwrap().element).await, "p");
    scene.ends().await;
}

/// Panels, dialogs and forms are called as the control that opens or sends them. Without a kind the control is meant.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_kind_a_control_comes_before_a_container_of_its_name() {
    let scene = Scene::new().await;
    for (html, value, id) in [
        (
            "<button role=tab id=t>Settings</button><div role=tabpanel tabindex=0 aria-labelledby=t>All of them</div>",
            "Settings",
            "t",
        ),
        (
            "<div role=dialog tabindex=-1 aria-labelledby=h><h2 id=h>Delete file</h2><button>No</button></div>",
            "Delete file",
            "h",
        ),
        (
            "<form role=search aria-label=Search><input aria-label=Words><button id=b>Search</button></form>",
            "Search",
            "b",
        ),
        ("<form name=login><input><button id=b>Login</button></form>", "Login", "b"),
        // An icon is its button's, and a plain element may act.
        (
            "<p>Close</p><button><svg id=i aria-label=Close width=20 height=20><rect width=20 height=20 /></svg></button>",
            "Close",
            "i",
        ),
        ("<p>Next</p><div id=d aria-label=Next style='cursor:pointer'>&gt;</div>", "Next", "d"),
        // Nothing else is called so.
        ("<section id=s aria-label=News>Today</section>", "News", "s"),
    ] {
        scene.shows(html).await;
        assert_eq!(scene.id_of(&any(value)).await, id, "{html}");
    }
    // Where text is to be typed, what takes it is meant, also by its kind.
    scene.shows("<form aria-label=Search><input id=i aria-label=Search><input aria-label=Near></form>").await;
    assert_eq!(scene.id_of(&Wanted { doing: Doing::Type, ..by(TargetBy::Label, "Search") }).await, "i");
    scene.ends().await;
}

/// Of several matches those in a dialog are meant that stands before the others, and none that is folded away.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_can_get_at_comes_first() {
    let scene = Scene::new().await;
    let scrolled = |attributes: &str| {
        format!(
            "<div id=s style='height:100px;overflow:auto'><div style='height:300px'><table {attributes}><tr><td>20</table></div>
            <div style='height:300px'><table><tr><td id=x>20</table></div></div><script>s.scrollTop = 300</script>"
        )
    };
    for html in [scrolled(""), scrolled("aria-hidden=true"), "<p aria-hidden=true>20</p><p id=x>20</p>".to_owned()] {
        scene.shows(&html).await;
        assert_eq!(scene.id_of(&by(TargetBy::Text, "20")).await, "x", "{html}");
    }
    let dialog = "<input aria-label=Name style='position:absolute;top:100px;left:300px'><div role=dialog style='position:fixed;inset:0;background:#0008'>
        <div style='background:#fff;width:400px;margin:60px auto;padding:60px'><label for=x>Name</label><input id=x></div></div>";
    let modal = "<input aria-label=Name style='position:absolute;top:20px;left:300px'><div style='position:fixed;inset:0;background:#0008'>
        <div role=dialog aria-modal=true style='background:#fff;margin:200px'><label for=x>Name</label><input id=x></div></div>";
    let folded = "<div style='height:0;overflow:hidden'><input aria-label=Name></div><input id=x aria-label=Name>";
    // A page whose body has no height clips nothing that is placed in the window.
    let window = "<body style='overflow:hidden'><div style='position:fixed;inset:0'><div style='opacity:0'><input aria-label=Name></div>
        <input id=x aria-label=Name></div>";
    for html in [dialog, modal, folded, window] {
        scene.shows(html).await;
        let located = scene.locate(&by(TargetBy::Label, "Name")).await.unwrap();
        assert_eq!((scene.id(&located.element).await.as_str(), located.matched_count), ("x", 2), "{html}");
    }
    scene.ends().await;
}

/// Where a list is open its options are meant, and where one for screen readers is hidden, those that are drawn.
#[tokio::test(flavor = "multi_thread")]
async fn options_that_are_shown_come_first() {
    let scene = Scene::new().await;
    let open = |field: &str| {
        format!(
            "<button>Paris</button>{field}<ul id=l role=listbox><li role=option>Rome</li><li id=x role=option>Paris</li></ul>"
        )
    };
    let drawn = "<input role=combobox aria-expanded=true aria-controls=h><div id=h role=listbox style='height:0;width:0;overflow:hidden'><div role=option>Paris</div></div>
        <div style='cursor:pointer'><div>Rome</div></div><div style='cursor:pointer' onclick='1'><div id=x>Paris</div></div>";
    let field = open("<input role=combobox aria-expanded=true aria-controls=l>");
    let around = open("<div role=combobox aria-expanded=true aria-controls=l><input></div>");
    for html in [&field, &around, drawn] {
        scene.shows(html).await;
        scene.evaluate("document.querySelector('input').focus()").await;
        let wanted = Wanted { doing: Doing::Click, ..by(TargetBy::Text, "Paris") };
        assert_eq!(scene.id_of(&wanted).await, "x", "{html}");
    }
    // A list that is not open is none, nor is one of a field without the focus.
    for (html, script) in [
        (field.replace("=true", "=false"), "document.querySelector('input').focus()"),
        (field, "document.activeElement.blur()"),
    ] {
        scene.shows(&html.replace("<button>", "<button id=b>")).await;
        scene.evaluate(script).await;
        let wanted = Wanted { doing: Doing::Click, ..by(TargetBy::Text, "Paris") };
        assert_eq!(scene.id_of(&wanted).await, "b", "{html}");
    }
    scene.ends().await;
}

/// The browser draws the options of an open select itself: these are meant, and no other field's.
#[tokio::test(flavor = "multi_thread")]
async fn an_open_selects_option_is_chosen_and_no_other_fields() {
    let scene = Scene::new().await;
    for value in ["option \"Work\"", "Work"] {
        scene
            .shows("<select id=s><option>Home<option>Work</select><select id=m multiple><option selected>Home<option selected>Work<option selected>Other</select>")
            .await;
        let select = scene.locate(&by(TargetBy::Css, "#s")).await.unwrap();
        scene.page.click(&select.element, &Click::once(Terms::until(Instant::now() + PATIENCE))).await.unwrap();
        let kind = value.contains(' ').then_some(TargetBy::Role);
        let wanted = Wanted { by: kind, doing: Doing::Click, ..any(value) };
        let option = scene.locate(&wanted).await.unwrap();
        let terms = Terms { how: How::DocumentFirst, ..Terms::until(Instant::now() + PATIENCE) };
        scene.page.click(&option.element, &Click::once(terms)).await.unwrap();
        assert_eq!(
            scene.evaluate("s.value + [...m.selectedOptions].map(one => one.text)").await,
            "WorkHome,Work,Other"
        );
    }
    scene.ends().await;
}

/// What floats over a match comes before it, but nothing that is fixed to the window.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_popup_says_comes_before_what_it_covers() {
    let scene = Scene::new().await;
    let over = "position: absolute; left: 0; top: 0; width: 300px; height: 60px; background: white";
    for (html, id) in [
        (
            format!(
                "<table><tr><td tabindex=0 id=a>QA</td></tr></table><div style='{over}'><div style='margin-top: 40px' onclick='1' id=b>QA</div></div>"
            ),
            "b",
        ),
        (
            format!(
                "<table><tr><td tabindex=0 id=a>QA</td></tr></table><header style='{over}; position: fixed'><div style='margin-top: 40px' onclick='1' id=b>QA</div></header>"
            ),
            "a",
        ),
        (
            format!(
                "<table><tr><td tabindex=0 id=a>QA</td></tr></table><div style='{over}; top: 200px'><div id=b>QA</div></div>"
            ),
            "a",
        ),
    ] {
        scene.shows(&html).await;
        let wanted = Wanted { doing: Doing::Click, ..by(TargetBy::Text, "QA") };
        assert_eq!(scene.id_of(&wanted).await, id, "{html}");
    }
    scene.ends().await;
}

/// A target without a kind may be an attribute of one control, and what another one says.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_another_control_says_is_told() {
    let scene = Scene::new().await;
    for (html, is_told) in [
        ("<button name=cancel>Pay now</button><button>Cancel</button>", true),
        ("<button name=cancel>Cancel</button><button>Pay now</button>", false),
        ("<button name=cancel>Pay now</button><p>Cancel</p>", false),
    ] {
        scene.shows(html).await;
        let warnings = scene.locate(&any("Cancel")).await.unwrap().warned();
        let told = "several_match: name: Cancel was taken, and another element has this as its text";
        assert_eq!(warnings.iter().any(|warning| warning == told), is_told, "{html}: {warnings:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_that_match_the_one_is_meant_that_a_person_would_take() {
    let scene = Scene::new().await;
    scene.shows("<button id=lower>delete all</button><button id=upper>Delete All</button><h1 id=head>Sign in</h1><p><button id=in>Sign in</button></p>
        <p id=words>I agree</p><label id=label><input type=checkbox>I agree</label><a href='#'>I agree</a>
        <ul><li id=next title='Next Page' tabindex=0><button>›</button></ul>
        <div style='position:absolute;width:1px;height:1px;overflow:hidden'><div role=option id=hidden>gamma</div></div><div role=option id=shown>gamma</div>").await;
    let clicked = |wanted: Wanted| Wanted { doing: Doing::Click, ..wanted };
    for (wanted, id) in [
        (by(TargetBy::Text, "Delete All"), "upper"),
        (any("delete all"), "lower"),
        (any("button \"Delete All\""), "upper"),
        (any("DELETE ALL"), "lower"),
        (clicked(by(TargetBy::Text, "Sign in")), "in"),
        (clicked(any("Sign in")), "in"),
        (clicked(by(TargetBy::Text, "I agree")), "label"),
        (by(TargetBy::Text, "Sign in"), "head"),
        (any("gamma"), "shown"),
    ] {
        assert_eq!(scene.id_of(&wanted).await, id, "{wanted:?}");
    }
    let next = scene.locate(&any("next page")).await.unwrap();
    assert_eq!((next.role.as_str(), next.name.as_str()), ("listitem", "Next Page"));
    scene.ends().await;
}

/// A click on an option of a list that is not open chooses it, unless something that is drawn says the same.
#[tokio::test(flavor = "multi_thread")]
async fn an_option_of_a_closed_select_is_chosen() {
    let scene = Scene::new().await;
    let click = async |value: &str, html: &str| {
        scene.shows(html).await;
        let kind = value.contains(' ').then_some(TargetBy::Role);
        let wanted = Wanted { by: kind, doing: Doing::Click, ..any(value) };
        let found = scene.locate(&wanted).await.unwrap();
        let terms = Terms { how: How::DocumentFirst, ..Terms::until(Instant::now() + PATIENCE) };
        scene.page.click(&found.element, &Click::once(terms)).await.unwrap();
        scene.evaluate("s.value + document.title").await
    };
    let select = "<title></title><select hidden><option>Work</select><select id=s><option>Home<option>Work</select>";
    for value in ["option \"Work\"", "Work"] {
        assert_eq!(click(value, select).await, "Work", "{value}");
    }
    let beside = format!("{select}<button onclick='document.title = `clicked`'>Work</button>");
    assert_eq!(click("Work", &beside).await, "Homeclicked");
    scene.shows(&select.replace("<select id=s>", "<select id=s style='display:none'>")).await;
    scene.misses(&Wanted { doing: Doing::Click, ..any("Work") }).await;
    scene.ends().await;
}
