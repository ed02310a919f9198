//! What is clickable, and what it is called: by style sheets, image maps, labels, cursors.

use porthole_service::page::interact::SnapshotOptions;
use porthole_tests::Reply;
use porthole_tests::site::SHOP;

use super::scene::Scene;

/// Buttons of which style sheets draw a part.
const DRAWN: &str = r#"<style>
    *, ::before, ::after { box-sizing: border-box }
    .plain::before { content: 'before ' } #a :is(.is, u)::after { content: ' after' }
    @media (min-width: 1px) { .media:after { content: ' media' } }
    .nest { &.ed::before { content: 'nested ' } .inner::before { content: 'inner ' } }
    [data-x="::before, \"x\""]::before { content: attr(data-y) ' ' }
    #all > ::before { content: 'all ' }
    host-is::part(p)::before { content: 'part ' }
    .none::before { content: 'none'; display: none }
    </style>
    <main id=a><button class=plain>1</button><button><u>2</u></button><button class=media>3</button>
    <button class="nest ed">4</button><button class=nest><b class=inner>5</b></button>
    <button data-x='::before, "x"' data-y=y>6</button><button><q>7</q></button><button class=none>8</button>
    <button><host-is><i>9</i></host-is></button><button id=adopted>10</button><button id=foreign>11</button><button id=scoped>13</button>
    <p id=all><button>12</button></p></main>
    <script>
    const root = document.querySelector('host-is').attachShadow({ mode: 'open' });
    root.innerHTML = '<style>:host::before { content: "host " } ::slotted(i)::after { content: " slotted" }'
        + ' b::before { content: "inside " }</style><b>b</b> <s part=p>s</s> <slot></slot>';
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('#adopted::after { content: " adopted" }');
    document.adoptedStyleSheets = [sheet];
    </script>"#;

/// A link that leads nowhere is a button: what stands around it tells what it is for.
#[tokio::test]
async fn texts_around_links_that_lead_nowhere_are_shown() {
    let mut scene = Scene::local().await;
    let file = |name: &str| {
        format!(
            "<div><div><div>0.1 KB</div><div><span>{name}</span></div></div><a href='javascript:undefined;'>Remove file</a></div>"
        )
    };
    scene.shows(&format!("<form>{}{}</form>", file("one.txt"), file("two.txt"))).await;
    let tree = scene.tree().await;
    assert!(tree.contains("one.txt") && tree.contains("two.txt"), "{tree}");
}

/// What was chosen stands in a button that its label names. Icons have the names that their library gives them.
#[tokio::test]
async fn labelled_buttons_say_what_they_show_and_icons_what_they_are() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<style>.mdi::before { content: '\\f101' }</style><label for=d>Due</label><button id=d>November 17, 2026</button>
            <button aria-label='Add to cart'>Add</button><button aria-label=Close>×</button>
            <button class='v-btn v-btn--icon'><span class=v-btn__overlay></span><span><i class='mdi-pencil mdi v-icon notranslate' aria-hidden=true></i></span></button>
            <button class=q-btn><span class=q-focus-helper></span><span class='mdi mdi-delete'></span></button>
            <button class=b><svg class='lucide lucide-plus'></svg></button><button class=b><svg data-testid=EditIcon></svg></button>
            <button class='plain box'><span class=in></span></button>",
        )
        .await;
    let tree = scene.tree().await;
    for shown in [
        "button \"Due\" [ref=@e1]: November 17, 2026\n",
        "button \"Add to cart\" [ref=@e2]\n",
        "button \"Close\" [ref=@e3]\n",
        "hint \"mdi-pencil mdi\"",
        "hint \"mdi mdi-delete\"",
        "hint \"lucide lucide-plus\"",
        "hint \"EditIcon\"",
        "hint \"plain box\"",
    ] {
        assert!(tree.contains(shown), "{shown}: {tree}");
    }
}

/// What style sheets draw before and after is named alike in short pages and in long ones, of which it is looked up first
/// which elements have any.
#[tokio::test]
async fn what_style_sheets_draw_is_in_names_of_long_pages_too() {
    let mut scene = Scene::local().await;
    let sheet = scene.site.page(Reply::of("text/css", "#foreign::before { content: 'foreign ' }"));
    let foreign = scene.site.under_name(&sheet, SHOP);
    let links: String = (0..400).map(|nth| format!("<p><a href=/{nth}>link <b>{nth}</b></a>")).collect();
    let foreign = format!("<link rel=stylesheet href='{foreign}'>");
    let scoped = |rule: &str| format!("<style>{rule}</style>");
    for (sheets, eleventh, thirteenth) in [
        (String::new(), "11", "13"),
        (foreign, "foreign 11", "13"),
        (scoped("@scope (#a) { :scope > #scoped::before { content: 'scoped ' } }"), "11", "scoped 13"),
        (scoped("#scoped::before { @media screen { content: 'scoped ' } }"), "11", "scoped 13"),
        (scoped(":scope #scoped::before { content: 'scoped ' }"), "11", "scoped 13"),
        (scoped("#a { & [id='&'], & #scoped::before { content: 'scoped ' } }"), "11", "scoped 13"),
    ] {
        let mut named = Vec::new();
        for before in ["", links.as_str()] {
            scene.shows(&format!("{sheets}<section>{before}</section>{DRAWN}")).await;
            let tree = scene.tree().await;
            let (_, main) = tree.split_once("- main").unwrap();
            let names = main.split("- button \"").skip(1).map(|line| line.split('"').next().unwrap().to_owned());
            named.push(names.collect::<Vec<_>>());
        }
        let expected = [
            "before 1",
            "2 after",
            "3 media",
            "nested 4",
            "inner 5",
            "y 6",
            "7",
            "8",
            "host inside b part s 9 slotted",
            "10 adopted",
            eleventh,
            thirteenth,
            "all 12",
        ];
        assert_eq!(named, [expected, expected]);
    }
}

#[tokio::test]
async fn an_image_map_has_its_links() {
    let mut scene = Scene::local().await;
    let image = |more: &str| format!("<img usemap=#m width=90 height=90 src='data:image/png,' alt=Plan {more}>");
    let map = "<map name=m><area coords=0,0,9,9 href=/one alt=One><area coords=9,9,19,19 href=/two id=exit>
        <area coords=30,0,60,9 onclick='1' alt=Three><area coords=0,30,9,60 alt=Nothing></map>";
    scene.shows(&format!("{}{map}", image(""))).await;
    let links = "- link \"One\" [ref=@e1] url \"/one\"\n- link [ref=@e2] url \"/two\" hint \"exit\"\n\
        - generic \"Three\" [clickable] [ref=@e3]";
    assert_eq!(scene.tree().await, links);
    assert!(scene.full_tree().await.contains("- img \"Plan\""));
    assert_eq!(scene.resolves("@e2").await, Ok(()));
    scene.shows(&format!("{}{map}", image("style='visibility:hidden'"))).await;
    assert_eq!(scene.tree().await, "");
}

#[tokio::test]
async fn clickables_without_a_role_are_found_and_texts_beside_fields_are_told() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<style>.trash { cursor: pointer; width: 20px; height: 20px }</style>
             <p>Hello <b>big</b> world with an <span onclick=1>inline</span> word.</p><div class=trash></div>
             <ul style='cursor:pointer'><li>One<li>Two</ul>
             <div style='cursor:pointer'><div class=t>Card</div><div class=p>$5</div></div>
             <div>Amount</div><div><input type=number value=3></div>
             <ul><li>Milk <button>Delete</button><li>Eggs <button>Delete</button></ul>
             <div contenteditable>Edit me</div><input type=file><input type=color><input type=date value=2020-01-02>
             <textarea>  two  spaces</textarea><a href=/x><img alt=Logo src=data:,></a><h2><a href=/t>Title</a></h2>
             <select multiple><option>A<option selected>B</select><div style='height:200px'></div>
             <p>A long text about nothing at all that nobody acts upon, and that goes on and on and on for a while.</p>",
        )
        .await;
    let expected = r#"- text: Hello big world with an
- generic "inline" [clickable] [ref=@e1]
- text: word.
- generic [clickable] [ref=@e2] hint "trash"
- list [clickable] [ref=@e3]:
  - listitem [clickable] [ref=@e4]: One
  - listitem [clickable] [ref=@e5]: Two
- generic "Card $5" [clickable] [ref=@e6]
- text: Amount
- spinbutton [ref=@e7]: 3
- listitem:
  - text: Milk
  - button "Delete" [ref=@e8]
- listitem:
  - text: Eggs
  - button "Delete" [ref=@e9]
- textbox [ref=@e10]: Edit me
- button "Choose File" [file] [ref=@e11]
- button [color] [ref=@e12]: #000000
- textbox [ref=@e13]: 2020-01-02
- textbox [ref=@e14]:   two  spaces
- link "Logo" [ref=@e15] url "/x"
- heading [level=2]:
  - link "Title" [ref=@e16] url "/t"
- listbox [ref=@e17]:
  - option "A"
  - option "B" [selected]"#;
    assert_eq!(scene.tree().await, expected);
    let full = scene.full_tree().await;
    assert!(
        full.contains("- paragraph [ref=@e18]:\n  - text: Hello big world with an\n  - generic \"inline\""),
        "{full}"
    );
    assert!(full.contains("]: A long text about nothing"), "{full}");

    // Folders of a tree, one with a single entry.
    scene
        .shows(
            "<ul style='cursor:pointer'><li>Lyda<ul><li>Renda</ul><li>Nathalie<ul style='display:none'><li>Ann</ul></ul>",
        )
        .await;
    let tree = scene.tree().await;
    for line in ["Lyda", "listitem [clickable] [ref=@e", "]: Renda", "]: Nathalie"] {
        assert!(tree.contains(line), "{line}: {tree}");
    }
    assert!(!tree.contains("Ann") && !tree.contains("Lyda Renda"), "{tree}");
}

#[tokio::test]
async fn a_label_stands_for_its_box_that_is_not_shown() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<label>Accept <input type=checkbox hidden></label><label for=r>Red</label><input id=r type=radio style='display:none' checked>
             <label>Photo <input type=file hidden disabled></label><label>Name</label><label>Shown <input type=checkbox></label>",
        )
        .await;
    let lines = |accept: &str| {
        format!(
            "- generic \"Accept\" {accept}[clickable] [ref=@e1]\n- generic \"Red\" [checked] [clickable] [ref=@e2]\n\
             - generic \"Photo\" [disabled] [file] [clickable] [ref=@e3]\n- text: Name\n- checkbox \"Shown\" [ref=@e4]"
        )
    };
    assert_eq!(scene.tree().await, lines(""));
    scene.evaluate("document.querySelector('label').click()").await;
    assert_eq!(scene.tree().await, lines("[checked] "));
}

/// Guards of the focus, the parts of a box that its label draws, and the number of a slider that says what it means.
#[tokio::test]
async fn what_is_drawn_for_something_else_has_no_line() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<div tabindex=0></div><div tabindex=0 style='width:1px;height:1px'></div><label style='cursor:pointer;display:flex'>
            <span style='position:absolute;opacity:0'><input type=radio></span><div class=d style='width:9px;height:9px'></div>
            <div class=d style='width:9px;height:9px'></div><div>Red</div></label><input type=range aria-label=Size aria-valuetext=M>",
        )
        .await;
    assert_eq!(scene.tree().await, "- radio \"Red\" [ref=@e1]\n- slider \"Size\" [ref=@e2]: M");
}

/// The active tab differs from the others by a class, and has a ref as they have. The lines of a card have none.
#[tokio::test]
async fn the_marked_one_of_several_has_a_ref_as_the_others_have() {
    let mut scene = Scene::local().await;
    let tab = |name: &str, class: &str| format!("<a class='{class}'>{name}</a> ");
    let all = [tab("One", ""), tab("Two", "active"), tab("Three", ""), tab("Four", "")].concat();
    scene
        .shows(&format!(
            "<nav style='cursor:pointer'>{all}</nav><div style='cursor:pointer'><div>Title</div><div class=by>Somebody</div></div>"
        ))
        .await;
    let tree = scene.tree().await;
    for name in ["One", "Two", "Three", "Four"] {
        assert!(tree.contains(&format!("generic \"{name}\" [clickable]")), "{name}: {tree}");
    }
    assert!(!tree.contains("generic \"Title\""), "{tree}");
}

/// Of a list's items one alone may take the focus, and all act.
#[tokio::test]
async fn the_items_beside_one_that_acts_are_shown() {
    let mut scene = Scene::local().await;
    let item = |name: &str, how: &str| format!("<li><div {how}>{name}</div><div>{name} of today</div></li>");
    scene.shows(&format!("<ul>{}{}{}</ul>", item("a", "tabindex=0 role=button"), item("b", ""), item("c", ""))).await;
    let tree = scene.tree().await;
    for name in ["a", "b", "c"] {
        assert!(tree.contains(&format!("{name} of today")), "{tree}");
    }
}

/// What tells fields and rows apart stands beside them, or deep inside.
#[tokio::test]
async fn words_that_tell_alike_things_apart_are_shown() {
    let mut scene = Scene::local().await;
    let field = |label: &str| {
        format!("<div class=row><div><label>{label}</label></div><div><div><div><input></div></div></div></div>")
    };
    let row = |name: &str| {
        format!(
            "<div style='cursor:pointer'><div class=a><div class=b>{name}</div><div class=c>Subject</div></div>
            <div class=d><i class=star style='display:inline-block;width:12px;height:12px'></i><i class=trash style='display:inline-block;width:12px;height:12px'></i></div></div>"
        )
    };
    let card = |name: &str| format!("<div><div><div>{name}</div></div><div><button>Delete</button></div></div>");
    for (page, words) in [
        (field("First name") + &field("Last name"), ["text: First name", "text: Last name"]),
        (row("Ada") + &row("Bob"), ["text: Ada", "text: Bob"]),
        (card("Ada") + &card("Bob"), ["text: Ada", "text: Bob"]),
    ] {
        scene.shows(&page).await;
        let tree = scene.tree().await;
        assert!(words.iter().all(|word| tree.contains(word)), "{tree}");
    }
    scene.shows("<style>p::after { content: url(star.png) 'x' }</style><p>Hello</p>").await;
    let full = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
    let tree = scene.snapshot(&full).await.tree;
    assert!(tree.contains(": Hellox"), "{tree}");
}

/// Boards whose script drags cards say so by the cursor alone; what is dragged as a whole, as a map, is no card.
#[tokio::test]
async fn what_the_cursor_says_can_be_dragged_has_a_ref() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<h1>Board</h1><div class=list><h3>To do</h3><div style='cursor:grab'>Call <b>Bob</b></div><div style='cursor:move'>Buy milk</div></div>
             <ul style='cursor:move'><li>One</li><li>Two</li></ul>
             <div style='cursor:grab;width:100%;height:700px'>Map of <i>Rome</i></div><div style='cursor:grab'></div>",
        )
        .await;
    let tree = scene.tree().await;
    for card in ["\"Call Bob\" [clickable]", "\"Buy milk\" [clickable]"] {
        assert!(tree.contains(card), "{card}: {tree}");
    }
    assert!(tree.contains("- listitem [clickable]") && !tree.contains("- list [clickable]"), "{tree}");
    assert_eq!(tree.matches("[clickable]").count(), 4, "{tree}");
}

/// Some style sheets say only of what the pointer is over that it can be clicked.
#[tokio::test]
async fn what_has_the_pointers_cursor_once_it_is_there_has_a_ref() {
    let mut scene = Scene::local().await;
    let style = "<style>.tab:hover, main > .card:hover { cursor: pointer } @media all { .row:not(.off):hover td { color: red } }
        @layer x { tr.row { &:hover { cursor: pointer } } } label:hover, .note::before:hover { cursor: pointer }
        @media print { .printed:hover { cursor: pointer } } .tab.off:hover { cursor: not-allowed }
        .day:hover { cursor: pointer } .past { cursor: default }</style>";
    scene
        .shows(&format!(
            "{style}<main><a class=tab>First</a><a class=tab>Second</a><a class='tab off'>Third</a><p class=printed>Printed</p><p class='day past'>Past</p>
             <button>Go <i class=tab>on</i></button><div class=card>Card <b>one</b></div><p class=note>Words</p>
             <label>Name <input></label><table><tr class=row><th>Name<th>Age</tr><tr class=row><td>Ann<td>4</tr><tr><td>Bob<td>5</table></main>"
        ))
        .await;
    let tree = scene.tree().await;
    for shown in [
        "generic \"First\" [clickable]",
        "generic \"Second\" [clickable]",
        "generic \"Card one\" [clickable]",
        "row [clickable] [ref=@e6]: Ann 4",
    ] {
        assert!(tree.contains(shown), "{shown}: {tree}");
    }
    assert_eq!(tree.matches("[clickable]").count(), 4, "{tree}");
}

/// What its author calls otherwise than what it shows, such as "Click to edit", shows which one it is.
#[tokio::test]
async fn what_is_named_alike_shows_its_words() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<ul><li><div style='cursor:pointer' title='Click to edit'>Buy milk</div></li><li><div style='cursor:pointer' title='Click to edit'>Walk dog</div></li></ul>
            <a href=x aria-label='Product details'>EUR 300, 2 left</a><a href=y aria-label='Read more about it'>Read more</a>
            <div role=tab tabindex=0 aria-label='Inbox tab'>Inbox 12</div><button aria-label=Close>×</button>",
        )
        .await;
    let tree = scene.tree().await;
    for shown in [
        "generic \"Click to edit\" [clickable] [ref=@e1]: Buy milk\n",
        "generic \"Click to edit\" [clickable] [ref=@e2]: Walk dog\n",
        "link \"Product details\" [ref=@e3] url \"x\": EUR 300, 2 left\n",
        "link \"Read more about it\" [ref=@e4] url \"y\"\n",
        "tab \"Inbox tab\" [ref=@e5]: Inbox 12\n",
        "button \"Close\" [ref=@e6]",
    ] {
        assert!(format!("{tree}\n").contains(shown), "{shown}: {tree}");
    }
}

/// How a table is sorted, and that its headers sort it, is said by an attribute alone.
#[tokio::test]
async fn headers_that_sort_have_refs_and_say_how() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<table><tr><th aria-sort=ascending>Name<th aria-sort=none>Age<th aria-sort=descending><button>City</button><th>Note
            <tr><td>Amy<td>3<td>Rome<td>-</table>",
        )
        .await;
    let tree = scene.tree().await;
    for shown in [
        "columnheader [clickable] [ref=@e1]: Name, sorted ascending\n",
        "columnheader [clickable] [ref=@e2]: Age\n",
        "columnheader: sorted descending\n",
        "button \"City\" [ref=@e3]\n",
        "columnheader \"Note\"\n",
    ] {
        assert!(tree.contains(shown), "{shown}: {tree}");
    }
}

/// A list that is drawn elsewhere is no value of the field that owns it, and nothing that another control owns is a name.
#[tokio::test]
async fn what_a_control_owns_is_no_value_and_no_name() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<span id=l>Fruit</span><div role=combobox tabindex=0 aria-expanded=true aria-labelledby=l aria-owns=lb></div>
            <div id=lb role=listbox aria-labelledby=l><div role=option>Apple</div></div>
            <div role=button tabindex=0 aria-owns=tb aria-label=Next>&gt;</div><div role=button tabindex=0 aria-owns=tb title=Last></div>
            <p id=tb>Person 1</p><span role=spinbutton tabindex=0 data-placeholder=true aria-label=Month></span>",
        )
        .await;
    let tree = scene.tree().await;
    assert!(tree.contains("combobox \"Fruit\" [expanded] [ref=@e1]:\n  - listbox"), "{tree}");
    assert!(tree.contains("button \"Last\" [ref="), "{tree}");
    assert!(!tree.contains("placeholder"), "{tree}");
}

/// Fields within an editor that are edited by themselves are shown in it.
#[tokio::test]
async fn fields_within_an_editor_are_shown() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<div contenteditable role=textbox aria-label=Body>Hi <a href=x>there</a><figure contenteditable=false><table><tr>
            <td contenteditable role=textbox aria-label=A1>x</td><td contenteditable role=textbox aria-label=B1></td></table></figure>
            <label contenteditable=false><input type=checkbox>done</label></div>",
        )
        .await;
    let tree = scene.tree().await;
    let lines: Vec<&str> = tree.lines().map(str::trim_start).collect();
    assert!(lines[0].starts_with("- textbox \"Body\""), "{tree}");
    for shown in ["- textbox \"A1\" [ref=@e2]: x", "- textbox \"B1\" [ref=@e3]", "- checkbox \"done\" [ref=@e4]"] {
        assert!(lines.contains(&shown), "{shown}: {tree}");
    }
    assert!(!tree.contains("link"), "{tree}");
}

/// Components whose handlers no attribute tells of.
#[tokio::test]
async fn a_component_that_is_called_a_button_is_one() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<x-button>OK</x-button><x-button></x-button><x-button><button>Send</button></x-button><x-button role=none>no</x-button>
            <x-button-row>Row</x-button-row>",
        )
        .await;
    assert_eq!(
        scene.tree().await,
        "- generic \"OK\" [clickable] [ref=@e1]\n- button \"Send\" [ref=@e2]\n- text: no Row"
    );
}

/// The label of a component names none of what it draws, but says what that is for.
#[tokio::test]
async fn what_a_component_is_called_is_a_hint_at_its_unnamed_field() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<x-field aria-label=Name></x-field><x-field role=group aria-label=Zip></x-field><x-field></x-field><script>
             for (const host of document.querySelectorAll('x-field')) host.attachShadow({ mode: 'open' }).innerHTML = '<input>'</script>",
        )
        .await;
    let tree = "- textbox [ref=@e1] hint \"Name\"\n- group \"Zip\":\n  - textbox [ref=@e2]\n- textbox [ref=@e3]";
    assert_eq!(scene.tree().await, tree);
}

/// Boxes that can be scrolled take the focus for the keyboard's sake. They are no controls that their name stands for.
#[tokio::test]
async fn a_panel_that_takes_the_focus_shows_what_it_holds() {
    let mut scene = Scene::local().await;
    let table = "<table><tr><th>Name<th>Price<tr><td>Basic<td>5</table>";
    scene
        .shows(&format!(
            "<div role=region aria-label=Prices tabindex=0><h2>Plans</h2>{table}</div><div tabindex=0>{table}</div>
             <div role=log aria-label=Chat tabindex=0><div>Ann: hello</div><div>Bob: hi</div></div>
             <div role=tabpanel aria-label=General tabindex=0><h3>Your name</h3></div>
             <div tabindex=0 onclick=1 style='cursor: pointer'><h3>Card</h3><p>its text</p></div>"
        ))
        .await;
    let tree = scene.tree().await;
    let rows = ["columnheader \"Name\"", "columnheader \"Price\"", "cell \"Basic\"", "cell \"5\""];
    assert!(rows.iter().all(|cell| tree.matches(cell).count() == 2), "{tree}");
    for shown in [
        "region \"Prices\" [clickable] [ref=@e1]:\n  - heading \"Plans\" [level=2]\n  - table:\n    - row:",
        "log \"Chat\" [clickable] [ref=@e3]:\n  - text: Ann: hello\n  - text: Bob: hi",
        "tabpanel \"General\" [clickable] [ref=@e4]:\n  - heading \"Your name\" [level=3]",
        "generic \"Card its text\" [clickable] [ref=@e5]",
    ] {
        assert!(tree.contains(shown), "{shown} in\n{tree}");
    }
}

/// What is drawn beside a box that lies over it is the box.
#[tokio::test]
async fn the_drawing_under_a_box_has_no_ref_of_its_own() {
    let mut scene = Scene::local().await;
    let over = "style='position:absolute;left:0;top:0;width:20px;height:20px;opacity:0;margin:0'";
    scene
        .shows(&format!(
            "<style>i {{ cursor: pointer; display: block; width: 18px; height: 18px; border: 1px solid }} div {{ position: relative }}</style>
            <div><input type=radio aria-label=One {over}><i></i></div><div><input type=checkbox style='display:none'><i title=Two></i></div>"
        ))
        .await;
    let tree = scene.tree().await;
    assert_eq!(tree.matches("[clickable]").count(), 1, "{tree}");
    assert!(tree.contains("radio \"One\"") && tree.contains("Two"), "{tree}");
}
