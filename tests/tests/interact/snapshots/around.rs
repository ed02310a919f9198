//! What of the rows and parts around an element makes its ref stale, and what does not.

use porthole_service::page::interact::SnapshotOptions;

use super::scene::{Scene, ref_of};

/// A page with a control that is called "Act", what changes in it, and whether that makes the control another one.
pub(super) type Case<'a> = (&'a str, &'static str, bool);

pub(super) async fn each(cases: &[Case<'_>]) {
    let mut scene = Scene::local().await;
    let mut wrong = Vec::new();
    for (page, changes, is_stale) in cases {
        scene.shows(page).await;
        let tree = scene.tree().await;
        let reference = ref_of(&tree, "Act");
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{page}: {tree}");
        scene.evaluate(&format!("{changes}; 0")).await;
        if scene.resolves(&reference).await.is_err() != *is_stale {
            wrong.push(format!("stale should be {is_stale}: {page} | {changes}"));
        }
        // The agent knows once it has seen what has changed.
        scene.snapshot(&SnapshotOptions { changes: true, ..SnapshotOptions::default() }).await;
        assert_eq!(scene.resolves(&reference).await, Ok(()), "{page}");
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[tokio::test]
async fn a_row_or_part_that_says_nothing_hides_none_around_it() {
    each(&[
        ("<table><tr><td id=n>Alice<td><ul><li><button>Edit</button><li><button>Act</button></ul><tr><td>Carol<td><ul><li><button>Edit</button><li><button>Act</button></ul></table>", "n.textContent = 'Bob'", true),
        ("<ul><li><b id=n>Monday</b><ul><li>Morning <button>Act</button></ul><li><b>Friday</b><ul><li>Morning <button>Act</button></ul></ul>", "n.textContent = 'Tuesday'", true),
        ("<article><h3 id=n>Alice</h3><ul class=menu><li><button>Act</button></ul></article><article><h3>Carol</h3><ul class=menu><li><button>Act</button></ul></article>", "n.textContent = 'Bob'", true),
        ("<div class=card><h3 id=n>Alice</h3><ul class=menu><li><button>Act</button></ul></div><div class=card><h3>Carol</h3><ul class=menu><li><button>Act</button></ul></div>", "n.textContent = 'Bob'", true),
        ("<table><tr><td id=n>Alice<td><table><tr><td><button>Act</button></table><tr><td>Carol<td><table><tr><td><button>Act</button></table></table>", "n.textContent = 'Bob'", true),
        ("<div role=tree><div role=treeitem><span id=n>Work</span><div role=group><div role=treeitem>notes <button>Act</button></div></div></div><div role=treeitem>Home<div role=group><div role=treeitem>notes <button>Act</button></div></div></div></div>", "n.textContent = 'Private'", true),
        ("<div role=dialog aria-label=Confirm><p id=n>Delete Alice?</p><div role=group><button>Act</button><button>No</button></div></div>", "n.textContent = 'Delete Bob?'", true),
        ("<dialog open aria-label=Confirm><p id=n>Delete Alice?</p><section><button>Act</button><button>No</button></section></dialog>", "n.textContent = 'Delete Bob?'", true),
        ("<div role=tablist><button role=tab id=n>Alice</button></div><div role=tabpanel aria-labelledby=n><section><button>Act</button></section></div>", "n.textContent = 'Bob'", true),
        ("<fieldset><legend id=n>Billing</legend><fieldset><legend>Address</legend><button>Act</button></fieldset></fieldset>", "n.textContent = 'Shipping'", true),
        ("<ul><li><span id=n>Alice</span><ul><li><a href=# >Act</a></ul><li>Carol<ul><li><a href=#>Act</a></ul></ul>", "n.textContent = 'Bob'", true),
        ("<ul><li><article><h3 id=n>Alice</h3><button>Like</button></article> member <button>Act</button><li><article><h3>Carol</h3><button>Like</button></article> member <button>Act</button></ul>", "n.textContent = 'Bob'", true),
        // What changes by itself or by what is done there.
        ("<article><h2>Chat with Bob</h2><div id=n><p>Hello</p></div><ul><li><button>Act</button></ul></article>", "n.insertAdjacentHTML('beforeend','<p>How are you</p>')", false),
        ("<article><h2>Chat with Bob</h2><div id=n><p>Hello</p></div><ul><li>Reply <i>3</i> <button>Act</button></ul></article>", "n.insertAdjacentHTML('beforeend','<p>How are you</p>')", false),
        ("<ul><li>Alice wrote <p id=n>12 likes</p><ul><li>Bob wrote <button>Act</button></ul></ul>", "n.textContent = '13 likes'", false),
        ("<ul><li>Alice wrote <ul id=n><li>Bob wrote <button>Act</button></ul></ul>", "n.insertAdjacentHTML('beforeend','<li>Carol wrote')", false),
        ("<ul><li><h4>List</h4><div><div class=card><b>One more</b><button>Act</button></div><div class=card><b>Two more</b><button>Act</button></div></div><i id=n>idle</i></ul>", "n.textContent = 'saving'", false),
        ("<ul><li>List<div><div class=card><b>One more</b><button>Act</button></div><div class=card><b id=n>Two more</b><button>Act</button></div></div></ul>", "n.textContent = 'Three more'", false),
        ("<article><p>words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words </p><p id=n>some</p><ul><li><button>Act</button></ul></article>", "n.textContent = 'others'", false),
        ("<article><p>Holiday in Rome</p><ul><li><button>Like</button><li><button>Act</button></ul><p id=n></p></article><article><p>Sea</p><ul><li><button>Like</button><li><button>Act</button></ul><p></p></article>", "n.textContent = 'You like this'", false),
        ("<article><ul><li><button>Act</button></ul><p id=n>1 of 20 photos</p></article>", "n.textContent = '2 of 20 photos'", false),
        ("<table><tr><td>Alice<td>Total <b id=n>$10.00</b><td><ul><li><button>Act</button></ul><tr><td>Carol<td>Total <b>$12.00</b><td><ul><li><button>Act</button></ul></table>", "n.textContent = '$11.00'", false),
    ])
    .await;
}

#[tokio::test]
async fn letters_and_signs_tell_rows_apart() {
    each(&[
        (
            "<ul><li><span id=n>मीना</span> <button>Act</button><li>Other <button>Act</button></ul>",
            "n.textContent = 'मोना'",
            true,
        ),
        (
            "<ul><li><span id=n>ปี</span> <button>Act</button><li>Other <button>Act</button></ul>",
            "n.textContent = 'ปู'",
            true,
        ),
        (
            "<ul><li><span id=n>C++</span> <button>Act</button><li>Other <button>Act</button></ul>",
            "n.textContent = 'C#'",
            true,
        ),
        (
            "<ul><li><span id=n>Blood A+</span> <button>Act</button><li>Other <button>Act</button></ul>",
            "n.textContent = 'Blood A-'",
            true,
        ),
        (
            "<ul><li><span id=n>Adams</span> <button>Act</button><li>Other <button>Act</button></ul>",
            "n.textContent = 'Adam'",
            true,
        ),
        (
            "<ul><li><h3 id=n>Section 4.2</h3> <button>Act</button><li>Other <button>Act</button></ul>",
            "n.textContent = 'Section 4.3'",
            true,
        ),
        // What changes by itself or by what is done there.
        (
            "<ul><li>Tea <b id=n>$4.20</b> <button>Act</button><li>Milk <b>$3.20</b> <button>Act</button></ul>",
            "n.textContent = '$4.30'",
            false,
        ),
        (
            "<ul><li>Tea <b id=n>4.20 €</b> <button>Act</button><li>Milk <button>Act</button></ul>",
            "n.textContent = '4.30 €'",
            false,
        ),
        (
            "<ul><li>Tea <h3 id=n>4.20</h3> <button>Act</button><li>Milk <button>Act</button></ul>",
            "n.textContent = '4.30'",
            false,
        ),
        (
            "<ul><li>Inbox <b id=n>1 new message</b> <button>Act</button><li>Milk <button>Act</button></ul>",
            "n.textContent = '2 new messages'",
            false,
        ),
        (
            "<ul><li>Index <b id=n>+1.2%</b> <button>Act</button><li>Milk <button>Act</button></ul>",
            "n.textContent = '-0.4%'",
            false,
        ),
    ])
    .await;
}

#[tokio::test]
async fn numbers_of_questions_and_of_names_count() {
    each(&[
        ("<dialog open aria-label=Confirm><p id=n>Pay 50 EUR?</p><button>Act</button><button>No</button></dialog>", "n.textContent = 'Pay 950 EUR?'", true),
        ("<dialog open aria-label=Confirm><p id=n>You pay 50 EUR.</p><button>Act</button><button>No</button></dialog>", "n.textContent = 'You pay 950 EUR.'", true),
        ("<dialog open aria-label=Confirm><p id=n>Delete 3 files?</p><button>Act</button><button>No</button></dialog>", "n.textContent = 'Delete 300 files?'", true),
        ("<dialog open aria-label=Confirm><p id=n>Delete ticket 12?</p><button>Act</button><button>No</button></dialog>", "n.textContent = 'Delete ticket 13?'", true),
        ("<dialog open aria-label=Confirm><p id=n>Set temperature to -5?</p><button>Act</button><button>No</button></dialog>", "n.textContent = 'Set temperature to 5?'", true),
        ("<fieldset><legend id=n>Passenger 1</legend><button>Act</button></fieldset>", "n.textContent = 'Passenger 2'", true),
        ("<dialog open><h2 id=n>Ticket 12</h2><button>Act</button></dialog>", "n.textContent = 'Ticket 13'", true),
        (r#"<section id=n aria-label="Room 12"><button>Act</button></section>"#, "n.ariaLabel='Room 13'", true),
        // What changes by itself or by what is done there.
        ("<dialog open aria-label=Confirm><p>Stay here?</p><p id=n>You leave in 9 seconds</p><button>Act</button><button>No</button></dialog>", "n.textContent = 'You leave in 8 seconds'", false),
        ("<dialog open aria-label=Confirm><p>Stay here?</p><p id=n>You leave in 04:59</p><button>Act</button><button>No</button></dialog>", "n.textContent = 'You leave in 04:58'", false),
        ("<dialog open aria-label=Upload><p id=n>Uploading 3 of 10 files, 30%</p><button>Act</button></dialog>", "n.textContent = 'Uploading 4 of 10 files, 40%'", false),
        (r#"<section id=n aria-label="3 items"><button>Act</button></section>"#, "n.ariaLabel='4 items'", false),
        (r#"<section id=n aria-label="Inbox (3)"><button>Act</button></section>"#, "n.ariaLabel='Inbox (4)'", false),
        ("<section aria-labelledby=n><h2 id=n>The sale ends in 04:59</h2><button>Act</button></section>", "n.textContent = 'The sale ends in 04:58'", false),
        ("<section aria-labelledby=n><h2 id=n>BTC $67,321.12</h2><button>Act</button></section>", "n.textContent = 'BTC $67,402.55'", false),
    ])
    .await;
}

#[tokio::test]
async fn a_question_or_row_is_told_by_what_it_consists_of() {
    each(&[
        ("<dialog open aria-label=Confirm><p>Delete these files?</p><ul><li id=n>draft.txt</ul><button>Act</button><button>No</button></dialog>", "n.textContent = 'thesis.doc'", true),
        ("<dialog open aria-label=Confirm><p>Order this?</p><table><tr><td id=n>Laptop<td>1</table><button>Act</button><button>No</button></dialog>", "n.textContent = 'Yacht'", true),
        ("<dialog open aria-label=Confirm><p id=n>Delete Alice?</p><button>Act</button><button>No</button><button>Other</button><button>Later</button><button>Never</button><button>Help</button></dialog>", "n.textContent = 'Delete Bob?'", true),
        (r#"<dialog open aria-label="Send money"><label>To<input id=n value=Alice readonly></label><button>Act</button><button>No</button></dialog>"#, "n.value='Bob'", true),
        ("<ul><li><button id=n>Alice</button><span>member</span><button>Act</button><li><button>Carol</button><span>member</span><button>Act</button></ul>", "n.textContent = 'Bob'", true),
        ("<ul><li><button id=n>Alice</button><span>Today</span><button>Act</button><li><button>Dan</button><span>Yesterday</span><button>Act</button><li><button>Carol</button><span>Today</span><button>Act</button></ul>", "n.textContent = 'Bob'", true),
        ("<ul><li><time id=n>09:00</time> available <button>Act</button><li><time>10:00</time> available <button>Act</button></ul>", "n.textContent = '14:00'", true),
        ("<article><p>Order</p><table><tr><td id=n>Alice</table><button>Act</button></article><article><p>Order</p><table><tr><td>Carol</table><button>Act</button></article>", "n.textContent = 'Bob'", true),
        ("<ul><li>Member <ul><li id=n>Alice</ul><button>Act</button><li>Member <ul><li>Carol</ul><button>Act</button></ul>", "n.textContent = 'Bob'", true),
        ("<table><tr><td><textarea id=n>Alice Adams</textarea><td><button>Act</button><tr><td><textarea>Carol</textarea><td><button>Act</button></table>", "n.value='Bob'", true),
        ("<button class=acc id=n>Alice</button><div class=panel><p>Member</p><button>Act</button></div><button class=acc>Carol</button><div class=panel><p>Member</p><button>Act</button></div>", "n.textContent = 'Bob'", true),
        // What changes by itself or by what is done there.
        ("<ul><li><h3>To do</h3><ul id=n><li>One</ul><button>Act</button><li><h3>Done</h3><ul><li>Two</ul><button>Act</button></ul>", "n.insertAdjacentHTML('beforeend','<li>Three')", false),
        ("<ul><li>Alice <time id=n>10:31</time> <button>Act</button><li>Carol <time>10:32</time> <button>Act</button></ul>", "n.textContent = '10:33'", false),
        ("<ul><li>Post <time id=n>2 hours ago</time> <button>Act</button><li>Post <time>3 hours ago</time> <button>Act</button></ul>", "n.textContent = '4 hours ago'", false),
        ("<dialog open aria-label=Cart><p>Your cart</p><ul><li>Tea <b id=n>1</b> <button>+</button></ul><button>Act</button></dialog>", "n.textContent = '2'", false),
        ("<ul><li><button id=n>Follow</button>Alice Adams <button>Act</button><li><button>Following</button>Carol <button>Act</button></ul>", "n.textContent = 'Following'", false),
        ("<dialog open aria-label=Settings><p id=n>Sound is on</p><button>Act</button><button>One1</button><button>Two22</button><button>Three</button><button>Four4</button><button>Five5</button></dialog>", "n.textContent = 'Sound is off'", false),
        ("<button class=acc id=n>Show</button><div class=panel><p>Alice Adams</p><button>Act</button></div><button class=acc>Hide</button><div class=panel><p>Carol Cook</p><button>Act</button></div>", "n.textContent = 'Hide'", false),
        ("<div role=dialog aria-label=Chat><ul id=n><li>Hello</ul><textarea></textarea><button>Act</button></div>", "n.insertAdjacentHTML('beforeend','<li>How are you')", false),
    ])
    .await;
}

#[tokio::test]
async fn a_plain_row_is_told_by_what_names_things_in_it() {
    each(&[
        ("<div class=card><span>Electronics</span><h3 id=n>Laptop</h3><button>Act</button></div><div class=card><span>Furniture</span><h3>Chair</h3><button>Act</button></div>", "n.textContent = 'Drone'", true),
        ("<div class=card><span>Published</span><b id=n>Holiday photos</b><button>Act</button></div><div class=card><span>Scheduled</span><b>Report</b><button>Act</button></div>", "n.textContent = 'Tax return'", true),
        ("<div class=card><span>Electronics</span><a href=/x id=n>Laptop</a><button>Act</button></div><div class=card><span>Furniture</span><a href=/x>Chair</a><button>Act</button></div>", "n.textContent = 'Drone'", true),
        ("<div class=card><span>Room of four</span><h3 id=n>Hotel 12</h3><button>Act</button></div><div class=card><span>Room of six</span><h3>Hotel 13</h3><button>Act</button></div>", "n.textContent = 'Hotel 15'", true),
        // What changes by itself or by what is done there.
        ("<div class=card><h3>Laptop</h3><b id=n>in stock</b><button>Act</button></div><div class=card><h3>Chair</h3><b>sold out</b><button>Act</button></div>", "n.textContent = 'sold out'", false),
        ("<div class=card><span>Alice Adams</span><b id=n>3 overdue</b><button>Act</button></div><div class=card><span>Carol</span><b>paid</b><button>Act</button></div>", "n.textContent = 'paid'", false),
        ("<div class=post><a href=/a>Alice</a> <a href=/1 id=n>3 hours ago</a><button>Act</button></div><div class=post><a href=/c>Carol</a> <a href=/2>1 hour ago</a><button>Act</button></div>", "n.textContent = '4 days ago'", false),
        ("<div class=card><span>Bitcoin today</span><h3 id=n>67,321 USD</h3><button>Act</button></div><div class=card><span>Ether today</span><h3>2,321 USD</h3><button>Act</button></div>", "n.textContent = '67,402 USD'", false),
    ])
    .await;
}

#[tokio::test]
async fn names_of_what_holds_a_control_and_of_its_column_count() {
    each(&[
        (r#"<div role=radiogroup aria-label="Who can see me?" id=n><label><input type=radio>Act</label><label><input type=radio>Everyone</label></div>"#, "n.ariaLabel='Who can be my friend?'", true),
        (r#"<div role=menu aria-label="Menu of Alice" id=n><div role=menuitem tabindex=0>Act</div></div>"#, "n.ariaLabel='Menu of Bob'", true),
        ("<ul role=menu aria-label=Alice id=n><li role=none><button role=menuitem>Act</button></ul>", "n.ariaLabel='Bob'", true),
        ("<div role=tablist aria-label=Alice id=n><button role=tab>Act</button></div>", "n.ariaLabel='Bob'", true),
        ("<div role=toolbar aria-label=Alice id=n><button>Act</button></div>", "n.ariaLabel='Bob'", true),
        (r#"<form aria-label="Transfer to Alice" id=n><input><button>Act</button></form>"#, "n.ariaLabel='Transfer to Bob'", true),
        (r#"<div role=grid aria-label="February 2026" id=n><div role=row><div role=gridcell tabindex=0 onclick=1>Act</div></div></div>"#, "n.ariaLabel='March 2026'", true),
        ("<table><caption id=n>February 2026</caption><tr><td><button>Act</button></table>", "n.textContent = 'March 2026'", true),
        ("<table><tr><th>Time<th id=n>Mon 23 Nov<tr><td>9<td><button>Act</button></table>", "n.textContent = 'Mon 30 Nov'", true),
        ("<table><tr><th>Who<th id=n>Read<tr><td>Alice<td><input type=checkbox aria-label=Act></table>", "n.textContent = 'Admin'", true),
        ("<div role=status><span id=n>Archived Alice</span> <button>Act</button></div>", "n.textContent = 'Archived Bob'", true),
        ("<div role=alert><span id=n>Call from Alice</span> <button>Act</button></div>", "n.textContent = 'Call from Bob'", true),
        ("<div popover id=p><p id=n>Delete Alice?</p><button>Act</button><button>No</button></div><script>p.showPopover()</script>", "n.textContent = 'Delete Bob?'", true),
        ("<button aria-describedby=n>Act</button><p id=n>Deletes Alice</p>", "n.textContent = 'Deletes Bob'", true),
        ("<button id=n aria-description='Deletes Alice'>Act</button>", "n.setAttribute('aria-description', 'Deletes Bob')", true),
        ("<button aria-label=Act id=n>Approve</button>", "n.textContent = 'Reject'", true),
        ("<a href=# aria-label=Act><i></i><b id=n>Archive</b></a>", "n.textContent = 'Delete for ever'", true),
        ("<div role=menuitem tabindex=0 aria-labelledby=l id=n>Keep</div><b id=l>Act</b>", "n.textContent = 'Remove'", true),
        ("<div class=box><p id=n>Delete Alice?</p><div><button>Act</button><button>No</button></div></div>", "n.textContent = 'Delete Bob?'", true),
        ("<div class=box><b>Sure?</b> <span id=n>This removes Alice.</span><div><button>Act</button></div></div>", "n.textContent = 'This removes Bob.'", true),
        ("<div class=box><p id=n>Pay 10 to Bob?</p><button>Act</button></div>", "n.textContent = 'Pay 900 to Bob?'", true),
        ("<div style='position:fixed;bottom:0'><span id=n>Alice was archived</span> <button>Act</button></div>", "n.textContent = 'Bob was archived'", true),
        ("<div style='position:fixed;bottom:0'><div><span id=n>Alice</span></div><div><button>Act</button></div></div>", "n.textContent = 'Bob'", true),
        // What changes by itself or by what is done there.
        ("<div><p id=n>Welcome</p><button>Act</button></div>", "n.textContent = 'Saved'", false),
        ("<div style='position:fixed;bottom:0'><span id=n>3 selected</span> <button>Act</button></div>", "n.textContent = '4 selected'", false),
        ("<header style='position:fixed;top:0'><b id=n>Inbox</b> <button>Act</button></header>", "n.textContent = 'Sent'", false),
        ("<div class=box><p id=n>Your name?</p><input><button>Act</button></div>", "n.textContent = 'Your name? It is missing'", false),
        ("<h1>What now?</h1><button>Act</button><p id=n>not yet</p>", "n.textContent = 'done'", false),
        ("<div class=box><p>What now?</p><button>Act</button><p id=n>1 time</p></div>", "n.textContent = '2 times'", false),
        ("<div class=box><p>Delete it?</p><p id=n role=alert></p><button>Act</button></div>", "n.textContent = 'It failed'", false),
        ("<div><p id=n>Any news?</p><button>Act</button><button>b</button><button>c</button><button>d</button><button>e</button><button>f</button></div>", "n.textContent = 'Any old?'", false),
        ("<input aria-label=Act aria-describedby=n><p id=n>Your name</p>", "n.textContent = 'This field is required'", false),
        ("<button aria-label=Act id=n>12 likes</button>", "n.textContent = '13 likes'", false),
        ("<button aria-label=Act aria-pressed=false id=n>Off</button>", "n.textContent = 'On'", false),
        ("<button aria-label=Act aria-haspopup=listbox id=n>Germany</button>", "n.textContent = 'France'", false),
        ("<div role=combobox tabindex=0 aria-label=Act id=n>Germany</div>", "n.textContent = 'France'", false),
        ("<a href=# aria-label=Act>Read <time id=n>just now</time></a>", "n.textContent = 'a minute ago'", false),
        ("<button aria-label=Act>Pay <span aria-live=polite id=n>now</span></button>", "n.textContent = 'soon'", false),
        ("<button aria-describedby=n>Act</button><div><p id=n role=tooltip>Deletes Alice</p></div>", "n.textContent = 'Deletes Bob'", false),
        ("<button id=b>Act</button><div role=tooltip id=t hidden>Deletes it</div>", "b.setAttribute('aria-describedby','t')", false),
        ("<table><tr><th>Who<th><button>Price <span id=n></span></button><tr><td>Alice<td><button>Act</button></table>", "n.textContent = 'sorted up'", false),
        ("<table><tr><th>Who<th id=n>Price<tr><td>Alice<td><button>Act</button></table>", "n.textContent = 'Price ▲'", false),
        ("<div role=status><span id=n>3 items left</span> <button>Act</button></div>", "n.textContent = '2 items left'", false),
        ("<div role=status id=n>Saved</div><button>Act</button>", "n.textContent = 'Saving'", false),
        ("<table><caption id=n>Results (24)</caption><tr><td><button>Act</button></table>", "n.textContent = 'Results (25)'", false),
        ("<div popover id=p><div role=listbox aria-label=Names id=n><div role=option>Act</div><div role=option>Bob</div></div></div><script>p.showPopover()</script>", "n.lastChild.remove()", false),
        ("<button role=tab id=n>Inbox 3</button><div role=tabpanel aria-labelledby=n><button>Act</button></div>", "n.textContent = 'Inbox 4'", false),
        ("<div role=status><span id=n>Archived. Undo for 5 s</span> <button>Act</button></div>", "n.textContent = 'Archived. Undo for 4 s'", false),
        ("<div role=alert><span id=n>1 new post</span> <button>Act</button></div>", "n.textContent = '2 new posts'", false),
    ])
    .await;
}

#[tokio::test]
async fn what_is_around_a_frame_counts_for_what_is_inside() {
    let mut scene = Scene::local().await;
    let inner = scene.elsewhere("<button>Act</button>");
    for frame in
        [format!("<iframe src='{inner}'></iframe>"), "<iframe srcdoc='<button>Act</button>'></iframe>".to_owned()]
    {
        for (page, changes, is_stale) in [
            (format!("<ul><li><span id=n>Alice</span>{frame}<li>Carol</ul>"), "n.textContent = 'Bob'", true),
            (
                format!("<dialog open><p id=n>Pay Alice?</p>{frame}<button>Close</button></dialog>"),
                "n.textContent = 'Pay Bob?'",
                true,
            ),
            (frame.clone(), "document.querySelector('iframe').title = 'Bob'", true),
            (format!("<ul><li><span>Alice</span>{frame}<li id=n>Carol</ul>"), "n.textContent = 'Bob'", false),
            (format!("<ul><li>Alice <i id=n>3 likes</i>{frame}</ul>"), "n.textContent = '4 likes'", false),
        ] {
            scene.shows(&page).await;
            let tree = scene.tree().await;
            let reference = ref_of(&tree, "\"Act\"");
            assert_eq!(scene.resolves(&reference).await, Ok(()), "{page}: {tree}");
            scene.evaluate(&format!("{changes}; 0")).await;
            assert_eq!(scene.resolves(&reference).await.is_err(), is_stale, "{page}");
            scene.tree().await;
            assert_eq!(scene.resolves(&reference).await, Ok(()), "{page}");
        }
    }
}

/// What a plain row gains, and what it says to assistive technology alone, makes it no other.
#[tokio::test]
async fn what_a_plain_row_gains_makes_it_no_other() {
    each(&[
        ("<label for=a>Drinks</label><div class=c>Select...<input id=a></div><label for=b>Act</label><div class=c><span id=n role=log></span>Select...<input id=b></div><div>Other things</div>", "n.textContent = 'use Up and Down'", false),
        ("<div><a href=/ann>Ann</a> <button>Act</button><i id=n></i></div><div><a href=/bob>Bob</a> <button>Act</button><i></i></div>", "n.textContent = 'Joined in 2020'", false),
        ("<svg width=50 height=20><a id=n xlink:href='#alice'><text y=15>Act</text></a></svg>", "n.setAttributeNS('http://www.w3.org/1999/xlink', 'href', '#bob')", true),
    ])
    .await;
}

#[tokio::test]
async fn headers_above_headers_count_but_for_those_above_all() {
    each(&[
        ("<table><thead><tr><th><th colspan=2 id=n>Prod<tr><th>Who<th>Read<th>Write<tbody><tr><td>Alice<td><button>Act</button><td><button>Set</button></table>", "n.textContent = 'Test'", true),
        ("<table><tr><th><th colspan=2 id=n>Prod<tr><th>Who<th>Read<th>Write<tr><td>Alice<td><button>Act</button><td><button>Set</button></table>", "n.textContent = 'Test'", true),
        ("<table><tr><th><th colspan=2>Prod<tr><th>Who<th id=n>Read<th>Write<tr><td>Alice<td><button>Act</button><td><button>Set</button></table>", "n.textContent = 'Admin'", true),
        ("<table><thead><tr><th rowspan=2>Who<th colspan=2 id=n>Prod<tr><th>Read<th>Write<tbody><tr><td>Alice<td><button>Set</button><td><button>Act</button></table>", "n.textContent = 'Test'", true),
        ("<table><thead><tr><th rowspan=2>Who<th colspan=2>Prod<tr><th id=n>Read<th>Write<tbody><tr><td>Alice<td><button>Act</button><td><button>Set</button></table>", "n.textContent = 'Admin'", true),
        ("<table><thead><tr><th rowspan=2 id=n>Read<th colspan=2>Prod<tr><th>One<th>Two<tbody><tr><td><button>Act</button><td>Alice<td>Bob</table>", "n.textContent = 'Write'", true),
        // What is above another column or all of them, and what comes and goes.
        ("<table><thead><tr><th><th colspan=2>Prod<th id=n>Test<tr><th>Who<th>Read<th>Write<th>Other<tbody><tr><td>Alice<td><button>Act</button><td>Bob<td>Carol</table>", "n.textContent = 'Beta'", false),
        ("<table><thead><tr><th rowspan=2>Who<th colspan=2>Prod<tr><th id=n>Read<th>Write<tbody><tr><td>Alice<td>Bob<td><button>Act</button></table>", "n.textContent = 'Admin'", false),
        ("<table><thead><tr><th colspan=3 id=n>All users<tr><th>Who<th>Read<th>Write<tbody><tr><td>Alice<td><button>Act</button><td>Bob</table>", "n.textContent = 'All 50 on this page are chosen'", false),
        ("<table><thead id=n><tr><th>Who<th>Read<th>Write<tbody><tr><td>Alice<td><button>Act</button><td>Bob</table>", "n.insertRow(0).innerHTML = '<th colspan=3>All 50 on this page are chosen'", false),
        ("<table><thead id=n><tr><th>Who<th>Read<th>Write<tbody><tr><td>Alice<td><button>Act</button><td>Bob</table>", "n.insertRow().innerHTML = '<th><input><th><input><th><input>'", false),
        ("<table><tr><th>Who<th>Read<th>Write<tr><td>Alice<td><button>Act</button><td>Bob<tr id=n><th>Carol<td>1<td>2</table>", "n.cells[0].textContent = 'Dan'", false),
        ("<table><thead><tr><th><th colspan=2>Prod <span id=n></span><tr><th>Who<th>Read<th>Write<tbody><tr><td>Alice<td><button>Act</button><td>Bob</table>", "n.textContent = '▲'", false),
    ])
    .await;
}

#[tokio::test]
async fn what_opens_a_panel_counts_by_what_it_says_first() {
    each(&[
        ("<details open><summary id=n>Alice</summary><button>Act</button></details>", "n.textContent = 'Bob'", true),
        ("<details open><summary><span>Member</span><h3 id=n>Alice</h3></summary><button>Act</button></details>", "n.textContent = 'Bob'", true),
        ("<details open><summary id=n>Alice</summary><details open><summary>Files</summary><button>Act</button></details></details>", "n.textContent = 'Bob'", true),
        ("<h3><button aria-expanded=true aria-controls=p id=n>Alice</button></h3><div id=p><p><button>Act</button></p></div>", "n.textContent = 'Bob'", true),
        ("<div role=heading><span role=button tabindex=0 aria-expanded=true aria-controls=p><i id=n>Alice</i></span></div><div id=p><button>Act</button></div>", "n.textContent = 'Bob'", true),
        // What changes by itself or by what is done there.
        ("<details open><summary>Shipping <b id=n>not chosen</b></summary><button>Act</button></details>", "n.textContent = 'by express'", false),
        ("<details open><summary>Alice <button id=n>Follow</button></summary><button>Act</button></details>", "n.textContent = 'Following'", false),
        ("<details open><summary id=n>Messages (3)</summary><button>Act</button></details>", "n.textContent = 'Messages (4)'", false),
        ("<details open><summary><span role=log id=n>Idle</span>Alice</summary><button>Act</button></details>", "n.textContent = 'Saving'", false),
        ("<details open id=n><summary>Alice</summary><button>Act</button></details>", "n.open = false; n.open = true", false),
        ("<details open><summary>Alice</summary><button>Act</button></details><details open><summary id=n>Carol</summary>c</details>", "n.textContent = 'Dan'", false),
        ("<h3><button aria-expanded=true aria-controls=p>Shipping <i id=n></i></button></h3><div id=p><button>Act</button></div>", "n.textContent = 'Express'", false),
        ("<div><button aria-expanded=true aria-controls=p id=n>Newest</button></div><div id=p><button>Act</button></div>", "n.textContent = 'Oldest'", false),
        ("<h3><button aria-expanded=true aria-controls=p>Alice</button></h3><div id=p><button>Act</button></div><h3><button aria-expanded=false aria-controls=q id=n>Carol</button></h3><div id=q></div>", "n.textContent = 'Dan'", false),
    ])
    .await;
}

#[tokio::test]
async fn a_question_right_before_radio_buttons_counts() {
    each(&[
        ("<p id=n>Keep the account?</p><label><input type=radio name=a>Act</label><label><input type=radio name=a>No</label>", "n.textContent = 'Delete the account?'", true),
        ("<p id=n>Keep the account?</p><label><input type=radio name=a>No</label><label><input type=radio name=a>Act</label>", "n.textContent = 'Delete the account?'", true),
        ("<h2 id=n>Keep the account?</h2><div><div><input type=radio name=a id=x><label for=x>Yes</label></div><div><input type=radio name=a id=y><label for=y>Act</label></div></div>", "n.textContent = 'Delete the account?'", true),
        ("<div id=n>Keep it?</div><input type=radio name=a> Yes <input type=radio name=a aria-label=Act> Perhaps", "n.textContent = 'Delete it?'", true),
        ("<p>Keep it?</p><label><input type=radio name=a>Yes</label><p id=n>Delete it?</p><label><input type=radio name=b>Act</label>", "n.textContent = 'Sell it?'", true),
        // What asks nothing, what others are asked, and what is said of the answer.
        ("<p>Keep it?</p><p id=n>Idle</p><label><input type=radio name=a>Act</label>", "n.textContent = 'Saving'", false),
        ("<p>Keep it? <b id=n></b></p><label><input type=radio name=a>Act</label>", "n.textContent = 'An answer is required'", false),
        ("<p>Keep it?</p><p id=n aria-live=polite></p><label><input type=radio name=a>Act</label>", "n.textContent = 'Really?'", false),
        ("<p id=n>Keep it?</p><label><input type=radio name=a>Yes</label><label><input type=radio name=b>Act</label>", "n.textContent = 'Sell it?'", false),
        ("<p>Pay <b id=n>$10.20</b> now?</p><label><input type=radio name=a>Act</label>", "n.textContent = '$10.30'", false),
        ("<div id=n><p>How are you?</p></div><p>Fine.</p><label><input type=radio name=a>Act</label>", "n.innerHTML = '<p>Where are you?</p>'", false),
        ("<p id=n>Keep it?</p><label><input type=checkbox name=a>Act</label>", "n.textContent = 'Sell it?'", false),
        ("<p>Keep it?</p><label><input type=radio name=a id=n>Yes</label><label><input type=radio name=a>Act</label>", "n.click()", false),
    ])
    .await;
}

/// The heading before a list counts without what changes in it, and which heading that is was decided as the list was shown.
#[tokio::test]
async fn the_heading_before_a_list_counts_by_what_tells_it_from_the_others() {
    let lists = |one: &str, other: &str| {
        let list = |heading: &str, act: &str| {
            format!("<h2>{heading}</h2><ul><li>Key <button>{act}</button><li>Token <button>More</button></ul>")
        };
        format!("<main>{}{}</main>", list(one, "Act"), list(other, "More"))
    };
    let counted = lists("<span id=n>Work: 2 left</span>", "Home: 2 left");
    let marked = lists("Work <time id=n>12:01</time>", "Home <time>12:01</time>");
    let chosen = lists("<span id=n>Brand</span>", "Size");
    let same = lists("<span id=n>List (Work)</span>", "List (Home)");
    let alone = lists("Work", "Home").replace("<h2>Home</h2><ul>", "<section hidden id=n></section><ul>");
    let cases: [Case<'_>; 8] = [
        (&counted, "n.textContent = 'Work: 1 left'", false),
        (&counted, "n.textContent = 'Garden: 2 left'", true),
        (&marked, "n.textContent = '12:02'", false),
        (&chosen, "n.textContent = 'Brand (1 selected)'", false),
        (&chosen, "n.parentNode.insertAdjacentHTML('afterend', '<div role=status><h3>Saved</h3></div>')", false),
        (&same, "n.textContent = 'List (Garden)'", true),
        (&alone, "n.outerHTML = '<h2>Completed</h2>'", false),
        (&chosen, "document.querySelector('main').append(document.querySelector('ul'))", true),
    ];
    each(&cases).await;
}
