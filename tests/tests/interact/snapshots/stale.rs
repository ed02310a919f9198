//! When a ref is stale by what is around its element: its row, its dialog, where it leads.

use porthole_service::page::interact::{Ref, SnapshotOptions};

use super::scene::{Scene, ref_of};

#[tokio::test]
async fn a_button_of_a_recycled_row_is_stale() {
    let mut scene = Scene::local().await;
    scene
        .shows(
            "<table><tr><td id=n>Alice<td>12 <button>Delete</button></table><ul><li><button>Copy</button> <a href=/x>Bob</a></ul>
            <button id=b>Other</button>",
        )
        .await;
    let tree = scene.tree().await;
    let refs: Vec<Ref> = (1..=4).map(Ref).collect();
    for reference in &refs {
        scene.page.resolve(&scene.refs, *reference).await.unwrap_or_else(|error| panic!("{error}: {tree}"));
    }
    scene.evaluate("n.textContent = 'Carol'; document.querySelector('a').nextSibling").await;
    let mut stale = Vec::new();
    for reference in refs {
        if let Err(error) = scene.page.resolve(&scene.refs, reference).await {
            stale.push(error.to_string());
        }
    }
    assert_eq!(stale.len(), 1, "{stale:?} {tree}");
    assert!(stale[0].contains("row"), "{stale:?}");

    // Rows that only controls, images, a label or a style sheet tell apart.
    for (row, changes) in [
        ("<li><button id=n>Alice</button>", "n.textContent = 'Bob'"),
        ("<li><img id=n alt=Alice width=9 height=9>", "n.alt = 'Bob'"),
        ("<li id=n aria-label=Alice>", "n.ariaLabel = 'Bob'"),
        ("<style>li::before{content:attr(id)}</style><li id=Alice>", "Alice.id = 'Bob'"),
        ("<style>i::after{content:attr(title)}</style><li><i id=n title=Alice></i>", "n.title = 'Bob'"),
        ("<li id=n style='list-style-type:\"Alice\"'>", "n.style.listStyleType = '\"Bob\"'"),
    ] {
        scene
            .shows(&format!("<ul>{row} <button>Delete</button><li><button>Carol</button> <button>Delete</button></ul>"))
            .await;
        let tree = scene.tree().await;
        let line = tree.lines().find(|line| line.contains("Delete")).unwrap();
        let reference = format!("@e{}", line.split("@e").nth(1).and_then(|rest| rest.split(']').next()).unwrap());
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{tree}");
        scene.evaluate(changes).await;
        assert!(scene.resolves(&reference).await.unwrap_err().contains("row"), "{row}");
    }
}

/// A style sheet's own words are the same in all rows, and others under the pointer.
#[tokio::test]
async fn what_a_style_sheet_says_of_all_rows_makes_no_ref_stale() {
    let mut scene = Scene::local().await;
    let style = "<style>li::before { content: 'Photo' } li.over::before { content: 'Zoom' } li.over { list-style-type: 'Open' }</style>";
    scene.shows(&format!("{style}<ul><li id=n><button>Delete</button><li><button>Delete</button></ul>")).await;
    scene.tree().await;
    scene.evaluate("n.className = 'over'").await;
    assert_eq!(scene.resolves("@e1").await, Ok(()));
}

#[tokio::test]
async fn a_button_of_a_recycled_row_is_stale_in_a_long_document() {
    let mut scene = Scene::local().await;
    let rows = "<ul id=list></ul><script>
        list.innerHTML = Array.from({ length: 1500 }, (_, n) => `<li><b>Entry ${n}</b> <button>Delete</button>`).join('');
        const recycle = () => { list.children[3].firstChild.textContent = 'Another' };
        addEventListener('message', () => { recycle(); parent.postMessage(0, '*') })</script>";
    let ticks =
        format!("<p id=p></p>{rows}<script>setInterval(() => {{ p.textContent = performance.now() }})</script>");
    let framed = format!("<iframe width=900 height=500 src='{}'></iframe>", scene.elsewhere(rows));
    for (what, html, recycle) in [
        ("still", rows, "recycle()"),
        ("changes all the time", &ticks, "recycle()"),
        (
            "in a frame",
            &framed,
            "const told = new Promise(done => { onmessage = done }); frames[0].postMessage(0, '*'); told.then(() => 0)",
        ),
    ] {
        scene.shows(html).await;
        let tree = scene.tree().await;
        assert!(tree.contains("1490 more"), "{what}: {tree}");
        let deletes: Vec<&str> = tree.lines().filter(|line| line.contains("button \"Delete\"")).collect();
        let fates = async |scene: &Scene| {
            let mut fates = Vec::new();
            for line in &deletes[..5] {
                fates.push(scene.resolves(&ref_of(line, "Delete")).await);
            }
            fates
        };
        assert!(fates(&scene).await.iter().all(Result::is_ok), "{what}: {tree}");
        scene.evaluate(recycle).await;
        let fates = fates(&scene).await;
        let stale: Vec<usize> = (0..5).filter(|at| fates[*at].is_err()).collect();
        assert_eq!(stale, [3], "{what}: {fates:?}");
        assert!(fates[3].as_ref().unwrap_err().contains("row"), "{what}: {fates:?}");
    }
}

#[tokio::test]
async fn a_control_of_a_plain_row_is_stale_once_the_row_is_anothers() {
    let mut scene = Scene::local().await;
    let rows = |row: fn(&str, &str) -> String| format!("<div>{}{}</div>", row("id=n", "Alice"), row("", "Bob"));
    for (page, shows) in [
        (rows(|id, who| format!("<div class=row><div><span {id}>{who}</span></div><div><button>Act</button></div></div>")), "\"Act\""),
        (rows(|id, who| format!("<div><b {id}>{who}</b> <i tabindex=0 title=Act>x</i></div>")), "\"Act\""),
        (rows(|id, who| format!("<div class='row odd'><input type=checkbox><span {id}>{who}</span></div>")), "checkbox"),
        (rows(|id, who| format!("<section><p {id}>{who}<p><span style=cursor:pointer>Act</span></section>")), "Act"),
        (rows(|id, who| format!("<div><em>new</em><div {id}>{who}</div><input aria-label=Quantity></div>")), "Quantity"),
        // A place in a ranking stays, a badge does not tell an entry.
        (rows(|id, who| format!("<div><i>{}</i><b {id}>{who}</b><button>Act</button></div>", who.len())), "\"Act\""),
        ("<div><div><i>New</i><b id=n>Alice</b><button>Act</button></div><div><b>Bob</b><button>Act</button></div></div>".to_owned(), "\"Act\""),
        ("<div><div><span id=n>10:00</span><button>Act</button></div><div><span>10:30</span><button>Act</button></div></div>".to_owned(), "\"Act\""),
        // Rows without an element: cells of a grid, terms and what is said of them, text between breaks.
        ("<div><b>Who</b><b>Act</b><span id=n>Alice</span><button>Act</button><span>Bob</span><button>Act</button></div>".to_owned(), "button \"Act\""),
        ("<dl><dt id=n>Alice<dd>12 <button>Act</button><dt>Bob<dd>12 <button>Act</button></dl>".to_owned(), "\"Act\""),
        ("<p><button>Act</button> <i id=n>Alice</i><br><button>Act</button> Bob</p>".to_owned(), "\"Act\""),
        // Where one has more before it, the place is the same from the end.
        ("<div><div><b id=n>Alice</b><button>Act</button></div><div><s>old</s><u>new</u><b>Bob</b><button>Act</button></div></div>".to_owned(), "\"Act\""),
    ] {
        scene.shows(&page).await;
        let tree = scene.tree().await;
        let reference = ref_of(&tree, shows);
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{tree}");
        scene.evaluate("n.textContent = 'Carol'; 0").await;
        let resolved = scene.resolves(&reference).await;
        assert!(resolved.as_ref().is_err_and(|error| error.contains("row")), "{page}: {resolved:?} {tree}");
        let changes = SnapshotOptions { changes: true, ..SnapshotOptions::default() };
        scene.snapshot(&changes).await;
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{page}");
    }
}

#[tokio::test]
async fn what_stands_beside_a_control_in_no_row_makes_no_ref_stale() {
    let mut scene = Scene::local().await;
    for (page, shows, changes) in [
        // What is wrong with a field stands beside it.
        (
            "<div class=group><label>First</label><input aria-label=First><i id=n></i></div><div class=group><label>Last</label><input aria-label=Last></div>",
            "First",
            "n.textContent = 'This field is required'",
        ),
        (
            "<div><label>First</label><input id=f><i id=n></i></div><div><label>Last</label><input></div>",
            "textbox",
            "n.textContent = 'This field is required'",
        ),
        // What comes after what tells an entry.
        (
            "<div><div><b>Alice Moore</b> <i id=n>online</i><button>Act</button></div><div><b>Bob</b> <i>online</i><button>Act</button></div></div>",
            "\"Act\"",
            "n.textContent = 'away'",
        ),
        (
            "<div><div><b>Alice Moore</b><button>Act</button><p id=n></div><div><b>Bob</b><button>Act</button><p></div></div>",
            "\"Act\"",
            "n.textContent = 'This field is required'",
        ),
        // Numbers between signs, and what else stands in cells.
        ("<div><button>-</button><b id=n>1 item</b><button>+</button></div>", "\"+\"", "n.textContent = '2 items'"),
        (
            "<div><b>Alice Moore</b><i id=n>online</i><button>Act</button><b>Bob</b><i>online</i><button>Act</button></div>",
            "\"Act\"",
            "n.textContent = 'away'",
        ),
        // Entries of a board's list.
        (
            "<div class=list><h2>To do</h2><div id=n><div class=card>One</div><div class=card>Two</div></div><button>Add</button></div><div class=list><h2>Done</h2><div><div class=card>Four</div></div><button>Add</button></div>",
            "\"Add\"",
            "n.insertAdjacentHTML('beforeend', '<div class=card>Three</div>')",
        ),
        // A row that has been alone.
        (
            "<div id=n><div><b>Alice</b><button>Act</button></div></div>",
            "\"Act\"",
            "n.insertAdjacentHTML('beforeend', '<div><b>Bob</b><button>Act</button></div>')",
        ),
        (
            "<div><div><b>Alice</b><button>Act</button></div><div id=n><b>Bob</b><button>Act</button></div></div>",
            "\"Act\"",
            "n.remove()",
        ),
    ] {
        scene.shows(page).await;
        let tree = scene.tree().await;
        let reference = ref_of(&tree, shows);
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{tree}");
        scene.evaluate(&format!("{changes}; 0")).await;
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{page}");
    }
}

#[tokio::test]
async fn a_button_is_stale_where_what_is_around_it_has_another_name() {
    let mut scene = Scene::local().await;
    for (page, changes) in [
        (
            "<dialog open aria-labelledby=n><h2 id=n>Archive invoice 1001?</h2><button>Act</button></dialog>",
            "n.textContent = 'Delete customer Acme?'",
        ),
        ("<div role=dialog id=n aria-label='Archive it?'><p>x<button>Act</button></div>", "n.ariaLabel = 'Delete it?'"),
        (
            "<fieldset><legend id=n>Card ending 1111</legend><button>Act</button></fieldset>",
            "n.textContent = 'Card ending 2222'",
        ),
        (
            "<section aria-labelledby=n><h2 id=n>Server alpha</h2><div><button>Act</button></div></section>",
            "n.textContent = 'Server beta'",
        ),
        (
            "<div role=alertdialog aria-label=Confirm aria-describedby=n><p id=n>Delete draft?</p><button>Act</button></div>",
            "n.textContent = 'Delete account?'",
        ),
        ("<dialog open><h2 id=n>Archive it?</h2><button>Act</button></dialog>", "n.textContent = 'Delete it?'"),
        ("<dialog open><p id=n>Delete Alice?</p><button>Act</button></dialog>", "n.textContent = 'Delete Bob?'"),
        ("<div role=tabpanel id=n aria-label=Staging><button>Act</button></div>", "n.ariaLabel = 'Production'"),
        (
            "<ul><li><h3><button id=n>Project Alpha</button></h3><span>Updated today</span><button>Act</button></ul>",
            "n.textContent = 'Project Beta'",
        ),
        ("<ul><li><img id=n alt=Alice width=9 height=9><span>Online</span><button>Act</button></ul>", "n.alt = 'Bob'"),
        (
            "<ul><li><a id=n href=/alice>Profile</a> <button>Act</button><li><a href=/bob>Profile</a> <button>Go</button></ul>",
            "n.href = '/carol'",
        ),
        (
            "<ul><li><b>Member</b> <i id=n title=Alice>x</i> <button>Act</button><li><b>Member</b> <i title=Bob>x</i> <button>Go</button></ul>",
            "n.title = 'Carol'",
        ),
        ("<ul><li id=n title=Alice><button>Act</button></ul>", "n.title = 'Bob'"),
        ("<a id=n href='#alice'>Act</a>", "n.href = '#bob'"),
    ] {
        scene.shows(page).await;
        let tree = scene.tree().await;
        let reference = ref_of(&tree, "\"Act\"");
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{tree}");
        scene.evaluate(changes).await;
        let resolved = scene.resolves(&reference).await;
        assert!(resolved.as_ref().is_err_and(|error| error.contains("something else now")), "{page}: {resolved:?}");
        // The agent knows once it has seen what has changed.
        let changes = SnapshotOptions { changes: true, ..SnapshotOptions::default() };
        scene.snapshot(&changes).await;
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{page}");
    }
}

#[tokio::test]
async fn a_button_is_not_stale_by_quantities_times_or_the_rows_beside_it() {
    let mut scene = Scene::local().await;
    let rooms = |adults: u32| {
        format!(
            "<ul><li>Room 1: <b id=n>{adults}</b> adults <button>More</button><li>Room 2: <b>1</b> adults <button>Plus</button></ul>"
        )
    };
    for (page, changes) in [
        (rooms(1), "n.textContent = 2"),
        ("<ul><li>Task 1 <button>More</button><li id=n>Task 2 <button>Delete</button></ul>".to_owned(), "n.remove()"),
        (
            "<ul id=n><li>Task 1 <button>More</button></ul>".to_owned(),
            "n.insertAdjacentHTML('beforeend', '<li>Task 2')",
        ),
        (
            "<ul><li>Ann <time id=n>just now</time> <button>More</button></ul>".to_owned(),
            "n.textContent = '1 minute ago'",
        ),
        (
            "<section aria-labelledby=n><h2 id=n>Cart (1 item)</h2><button>More</button></section>".to_owned(),
            "n.textContent = 'Cart (2 items)'",
        ),
        (
            "<section><article><h3 id=n>Newest</h3></article><button>More</button></section>".to_owned(),
            "n.textContent = 'Newer'",
        ),
        (
            "<table><tr><td>BTC<td id=n>67321.12<td><button>More</button></table>".to_owned(),
            "n.textContent = '67402.55'",
        ),
        (
            "<ul><li>Guest room <b id=n>0</b><button>More</button><li>Guest room <b>0</b><button>Plus</button></ul>"
                .to_owned(),
            "n.textContent++",
        ),
        ("<ul><li>Tickets: <b id=n>1 ticket</b><button>More</button></ul>".to_owned(), "n.textContent = '2 tickets'"),
    ] {
        scene.shows(&page).await;
        let tree = scene.tree().await;
        let reference = ref_of(&tree, "\"More\"");
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{page}");
        for _ in 0..2 {
            scene.evaluate(&format!("document.getElementById('n') && ({changes})")).await;
            assert_eq!(scene.resolves(&reference).await, Ok(()), "{page}");
        }
    }
    // Another entry of the same words is told by its number, also where its neighbour has gone meanwhile.
    scene.shows("<ul><li><b id=n>Task 1</b> <button>More</button><li id=m>Task 2 <button>Delete</button></ul>").await;
    let reference = ref_of(&scene.tree().await, "\"More\"");
    scene.evaluate("m.remove(); n.textContent = 'Task 7'").await;
    assert!(scene.resolves(&reference).await.is_err());
}

/// Entries that are components, as Lit draws them: the words and the button of each are in its shadow root.
const COMPONENTS: &str = "<div id=list></div><script>
    customElements.define('an-entry', class extends HTMLElement {
        set who(who) {
            if (!this.shadowRoot) this.attachShadow({mode: 'open'}).innerHTML = '<style>b { color: red }</style><div><b></b> <button>Act</button></div>';
            this.shadowRoot.querySelector('b').textContent = who;
        }
    });
    window.shows = all => all.forEach((who, at) => { (list.children[at] ?? list.appendChild(document.createElement('an-entry'))).who = who });
    shows(['Alice', 'Bob', 'Carol'])</script>";

#[tokio::test]
async fn a_button_of_a_component_is_stale_once_that_is_another_entry() {
    let mut scene = Scene::local().await;
    scene.shows(COMPONENTS).await;
    let tree = scene.tree().await;
    let reference = ref_of(&tree, "\"Act\"");
    assert_eq!(scene.resolves(&reference).await, Ok(()), "{tree}");
    scene.evaluate("shows(['Alice', 'Dora', 'Carol']); 0").await;
    assert_eq!(scene.resolves(&reference).await, Ok(()), "the first entry is as it was");
    scene.evaluate("shows(['Dora', 'Bob', 'Carol']); 0").await;
    let resolved = scene.resolves(&reference).await;
    assert!(resolved.as_ref().is_err_and(|error| error.contains("row")), "{resolved:?} {tree}");
}

#[tokio::test]
async fn rows_that_say_the_same_are_told_by_their_controls_and_pinned_columns() {
    let mut scene = Scene::local().await;
    for row in [
        "User: <button>Alice</button>",
        "Member <input type=button value=Alice>",
        "Member <input type=checkbox aria-label='Select Alice'>",
        "Member <a href='#' aria-label=Alice>\u{25cf}</a>",
    ] {
        let row = |name: &str| format!("<li>{} <button>Delete</button>", row.replace("Alice", name));
        scene.shows(&format!("<ul id=l>{}{}</ul>", row("Alice"), row("Carol"))).await;
        let tree = scene.tree().await;
        let reference = ref_of(&tree, "Delete");
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{tree}");
        scene
            .evaluate(
                "const at = document.querySelector('[aria-label], button, input'); at.ariaLabel ? at.ariaLabel = 'Bob' : at.value ? at.value = 'Bob' : at.textContent = 'Bob'",
            )
            .await;
        assert!(scene.resolves(&reference).await.is_err(), "{tree}");
    }
    // Rows that say the same, each with a title of its own.
    let row = |name: &str| format!("<li title='{name}'>Member <button title='Delete this'>Delete</button>");
    scene.shows(&format!("<ul>{}{}</ul>", row("Alice"), row("Carol"))).await;
    let reference = ref_of(&scene.tree().await, "Delete");
    assert_eq!(scene.resolves(&reference).await, Ok(()));
    scene.evaluate("document.querySelector('li').title = 'Bob'").await;
    assert!(scene.resolves(&reference).await.is_err());
    // A row of which other columns are pinned.
    scene
        .shows(
            "<div role=grid><div role=rowgroup><div role=row aria-rowindex=1><b role=gridcell>Alice</b></div><div role=row aria-rowindex=2><b role=gridcell>Carol</b></div></div>
            <div role=rowgroup><div role=row aria-rowindex=1><div role=gridcell><button>Delete</button></div></div><div role=row aria-rowindex=2><div role=gridcell><button>Delete</button></div></div></div></div>",
        )
        .await;
    let tree = scene.tree().await;
    let reference = ref_of(&tree, "Delete");
    assert_eq!(scene.resolves(&reference).await, Ok(()), "{tree}");
    scene.evaluate("document.querySelector('b').textContent = 'Bob'").await;
    assert!(scene.resolves(&reference).await.is_err(), "{tree}");
}

#[tokio::test]
async fn a_dialog_that_asks_something_else_has_other_buttons() {
    let mut scene = Scene::local().await;
    let dialog = |asks: &str| {
        format!("<div role=dialog aria-label=Confirm><p>{asks}</p><button>OK</button><button>Cancel</button></div>")
    };
    for (asks, changes, is_stale) in [
        ("Transfer <b id=x>$10.00</b> to Bob", "x.textContent = '$9000.00'", true),
        ("This removes <b id=x>Alice Adams</b> for ever", "x.textContent = 'Bob Brown'", true),
        ("Renamed in <b id=x>9</b> seconds", "x.textContent = '8'", false),
        ("Name <input><i id=x></i>", "x.textContent = 'This field is required'", false),
        ("<b role=alert id=x></b>", "x.textContent = 'Saved a draft'", false),
    ] {
        scene.shows(&dialog(asks)).await;
        let tree = scene.tree().await;
        let reference = ref_of(&tree, "\"OK\"");
        scene.evaluate(&format!("{changes}; 0")).await;
        assert_eq!(scene.resolves(&reference).await.is_err(), is_stale, "{asks}");
    }
    // A calendar is no question.
    let days = (1..=28).map(|day| format!("<button>{day}</button>")).collect::<String>();
    scene
        .shows(&format!("<div role=dialog aria-label=Date><h2 id=x>March 2026</h2>{days}<button>Next</button></div>"))
        .await;
    let tree = scene.tree().await;
    scene.evaluate("x.textContent = 'April 2026'; 0").await;
    assert_eq!(scene.resolves(&ref_of(&tree, "\"Next\"")).await, Ok(()));
}

#[tokio::test]
async fn a_row_is_told_by_what_its_fields_hold_unless_that_was_typed() {
    let mut scene = Scene::local().await;
    for page in [
        "<div><div><input id=n value='Alice Adams'><button>Act</button></div><div><input value='Bob Brown'><button>Act</button></div></div>",
        "<table><tr><td><input id=n value='Alice Adams'><td><button>Act</button><tr><td><input value='Bob Brown'><td><button>Act</button></table>",
        "<ul><li><select id=n><option>Alice</option><option>Carol</option></select><button>Act</button><li><select><option>Bob</option></select><button>Act</button></ul>",
    ] {
        scene.shows(page).await;
        let tree = scene.tree().await;
        let reference = ref_of(&tree, "\"Act\"");
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{page}");
        scene.evaluate("n.value = 'Carol'; 0").await;
        assert!(scene.resolves(&reference).await.is_err_and(|error| error.contains("row")), "{page}");
    }
}

/// What is hidden by its `visibility` is what it was: it is waited for, and its ref stays.
#[tokio::test]
async fn what_is_hidden_for_a_while_keeps_its_ref() {
    let mut scene = Scene::local().await;
    scene.shows("<div id=d><button>Edit</button> <a href=x>Read <b>more</b></a></div><ul><li id=l>Ann <button>Call</button></ul>").await;
    let tree = scene.tree().await;
    scene.evaluate("d.style.visibility = l.style.visibility = 'hidden'").await;
    for shows in ["Edit", "Read", "Call"] {
        scene.resolves(&ref_of(&tree, shows)).await.unwrap();
    }
}

/// A head may get something to press, and then it is another one that a row is told by. A ref of the latest snapshot is never stale
/// as long as nothing changes.
#[tokio::test]
async fn refs_of_a_fresh_snapshot_are_not_stale() {
    let mut scene = Scene::local().await;
    let slider = "<div role=slider tabindex=0 aria-valuenow=20 style='width:90px;height:9px'></div>";
    scene
        .shows(&format!(
            "<div id=col><label class=f><div>Animal</div><input role=combobox readonly aria-label=Animal></label><label class=f id=m><div>Many</div><input role=combobox aria-label=Many></label>
            {slider}{slider}<label class=f><div>Quantity</div><input type=number></label>{slider}</div>"
        ))
        .await;
    scene.tree().await;
    for change in [
        "m.innerHTML = '<div>Many</div><span>Opt 3</span><i tabindex=0 role=button aria-label=Remove>x</i><input role=combobox aria-label=Many><select multiple><option selected></select>'",
        "",
    ] {
        scene.evaluate(&format!("{change}; 1")).await;
        let tree = scene.tree().await;
        for line in tree.lines().filter(|line| line.contains("ref=")) {
            scene.resolves(&ref_of(line, "")).await.unwrap_or_else(|error| panic!("{error}: {tree}"));
        }
    }
}
