//! What a person sees of lists, fields, labels and editors is what the tree shows.

use porthole_service::page::interact::{Ref, SnapshotOptions};

use super::scene::Scene;

#[tokio::test]
async fn lists_dialogs_and_details_are_what_a_person_sees() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<style>#d::details-content { content-visibility: visible }</style><details id=d><summary>Shown</summary><button>Inside</button></details>
            <details><summary>Folded</summary><button>Not seen</button></details>
            <div role=listbox style='height:0;width:0;overflow:hidden'><div role=option>Repeated</div></div><div tabindex=0>Repeated</div>
            <input role=combobox aria-label=Fruit autocomplete=new-password value=Apple>
            <table><tr><td title=2025-02-28 onclick=1>28<td title=2025-03-28 onclick=1>28</table>",
        )
        .await;
    let tree = scene.tree().await;
    for shown in ["button \"Inside\"", "combobox \"Fruit\"", ": Apple", "hint \"2025-02-28\"", "hint \"2025-03-28\""] {
        assert!(tree.contains(shown), "{shown} in\n{tree}");
    }
    for hidden in ["Not seen", "option", "listbox"] {
        assert!(!tree.contains(hidden), "{hidden} in\n{tree}");
    }
    // The dialog that was opened last is in front of the other, although it stands first in the document.
    scene.shows("<dialog id=a><button>Later</button></dialog><dialog id=b><button>First</button></dialog><script>b.showModal(); a.showModal()</script>").await;
    let tree = scene.tree().await;
    assert!(tree.contains("\"Later\"") && !tree.contains("\"First\""), "{tree}");
}

/// After a form was sent, what its server says of it is in a new document, between links and a heading.
#[tokio::test]
async fn what_a_page_says_of_the_form_before_is_shown() {
    let mut scene = Scene::local().await;
    for notice in [
        "<div class=notice>Item was deleted.</div>",
        "<ul class=flashes><li class=success>Item was deleted.</li></ul>",
        "<ul class=messagelist><li class=success>Item was deleted.</li></ul>",
        "<div id=flash-messages><div class='flash flash-error'><span>Item was deleted.</span></div></div>",
        "<div class='alert alert-success'><p>Item was deleted.</p></div>",
    ] {
        scene
            .shows(&format!(
                "<nav><a href=/>Home</a> <a href=/x>Items</a></nav>{notice}<main><h1>Items</h1><p>{}</p><button>Delete</button></main>",
                "Lorem ipsum dolor. ".repeat(10)
            ))
            .await;
        let tree = scene.tree().await;
        assert!(tree.contains("Item was deleted.") && !tree.contains("Lorem"), "{notice}: {tree}");
    }
}

#[tokio::test]
async fn the_groups_of_a_list_and_what_tells_its_options_apart_are_shown() {
    let mut scene = Scene::local().await;
    let more = (0..60).map(|n| format!("<option>Node {n}")).collect::<String>();
    scene
        .shows(&format!(
            "<select aria-label=Target><option>None<optgroup label=Staging><option value=s1>Database<option>Cache</optgroup>
            <optgroup label=Production disabled><option value=p1>Database</optgroup><optgroup label=Nodes>{more}</optgroup></select>
            <div role=combobox aria-label=Size tabindex=0><span>Small</span><button>select</button></div>"
        ))
        .await;
    let tree = scene.tree().await;
    for shown in [
        "  - option \"None\" [selected]\n  - group \"Staging\":\n    - option \"Database\": s1\n    - option \"Cache\"\n",
        "  - group \"Production\" [disabled]:\n    - option \"Database\"",
        "combobox \"Size\" [ref=@e3]: Small",
        "50 more options: root=@e2 offset=10",
    ] {
        assert!(tree.contains(shown), "{shown} in\n{tree}");
    }
    let rest = SnapshotOptions { root: Some(Ref(2)), offset: 10, ..SnapshotOptions::default() };
    let rest = scene.snapshot(&rest).await.tree;
    assert!(rest.contains("Node 10\"") && !rest.contains("Node 9\"") && !rest.contains("Cache"), "{rest}");
}

#[tokio::test]
async fn a_placeholder_that_an_editor_draws_is_not_its_text() {
    let mut scene = Scene::local().await;
    let editor = |text: &str| {
        format!(
            "<div contenteditable role=textbox aria-multiline=true aria-placeholder='Write code here' aria-label=Code>
            <div>{text}</div></div>"
        )
    };
    scene.shows(&editor("<span contenteditable=false>Write code here</span>")).await;
    assert_eq!(scene.tree().await.trim(), "- textbox \"Code\" [ref=@e1] placeholder \"Write code here\"");
    scene.shows(&editor("let x")).await;
    assert!(scene.tree().await.contains(": let x"));
}

/// Tables of some libraries own the rows that a box which can be scrolled by keys is around.
#[tokio::test]
async fn what_another_element_owns_names_nothing_around_it() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<div role=grid aria-label=Books aria-owns=rows><div role=row><span role=columnheader>Title</span></div>
             <div tabindex=0 onclick='1'><div id=rows role=rowgroup><div role=row><span role=gridcell>Emma</span></div></div></div></div>",
        )
        .await;
    let tree = scene.tree().await;
    assert_eq!(tree.matches("Emma").count(), 1, "{tree}");
}

/// Libraries of tags and editors keep a field's value in the field that they replace.
#[tokio::test]
async fn a_field_that_another_is_drawn_for_is_left_out() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<input aria-label=Old tabindex=-1 style='position:absolute;left:-9999em;transform:scale(0)'><div role=textbox contenteditable aria-label=Tags></div>
             <input aria-label=Off tabindex=-1><input aria-label=None style='width:0;height:0;border:0;padding:0'>",
        )
        .await;
    let tree = scene.tree().await;
    let names = ["\"Tags\"", "\"Off\"", "\"None\""];
    assert!(names.iter().all(|name| tree.contains(name)) && !tree.contains("Old"), "{tree}");
}

/// Some forms call a question with buttons a text box.
#[tokio::test]
async fn what_is_in_a_text_box_that_is_no_field_has_refs() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<div role=textbox aria-label=Size><label><input type=radio name=r>S</label><label><input type=radio name=r>M</label><button>Clear</button></div>
             <div role=textbox aria-label=Note contenteditable>Hi <b>there</b></div>",
        )
        .await;
    let tree = scene.tree().await;
    for line in ["radio \"S\" [ref=", "radio \"M\" [ref=", "button \"Clear\" [ref=", "]: Hi there"] {
        assert!(tree.contains(line), "{line}: {tree}");
    }
}

/// Blocks of an editor have roles of their own; WordPress' say `document`.
#[tokio::test]
async fn what_is_edited_shows_its_text_whatever_its_role() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<p role=document aria-label='Paragraph block' contenteditable>Plain <b>and bold</b></p><h2 role=document aria-label='Heading block' contenteditable>Recent</h2>
            <div role=group aria-label=Notes contenteditable>Both</div>
            <div role=document aria-label=Page contenteditable><h2>Title</h2><p>First words</p><a href=x>A link</a></div>",
        )
        .await;
    let tree = scene.tree().await;
    for line in [
        "document \"Paragraph block\" [ref=@e1]: Plain and bold",
        "document \"Heading block\" [ref=@e2]: Recent",
        "group \"Notes\" [ref=@e3]: Both",
        "document \"Page\" [ref=@e4]:\n  - heading \"Title\" [level=2]\n  - text: First words\n  - link \"A link\" [ref=@e5]",
    ] {
        assert!(tree.contains(line), "{line}: {tree}");
    }
}

/// A text is left out only for the field that it names.
#[tokio::test]
async fn a_text_beside_what_says_the_same_is_shown() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<style>.c { cursor: pointer } .r { display: flex }</style><div class=r><button>Food</button><div>0.00</div><div class=c>0.00</div></div>
            <p><label for=same><input type=checkbox id=same> Send empty</label></p><p><label for=same><input type=checkbox id=same> Send nothing</label></p>
            <div><input type=checkbox id=news><label for=news><input type=hidden name=news value=0><div>News</div><div>by mail</div></label></div><div class=r>Edit <i class=c aria-label=Edit style='width:9px;height:9px'></i></div><div class=r draggable=true><div><button>Tick</button></div><div><div><div><span style='display:block'>Publix</span></div></div></div></div>",
        )
        .await;
    let tree = scene.tree().await;
    for line in ["text: 0.00", "generic \"0.00\" [clickable]", "text: Send nothing", "Publix"] {
        assert!(tree.contains(line), "{line}: {tree}");
    }
    // The words beside an icon name it, and those of a label name its field: neither is shown twice.
    assert!(!tree.contains("text: Edit") && !tree.contains("text: by mail"), "{tree}");
}
