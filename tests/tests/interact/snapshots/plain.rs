//! Plain rows: which of them count for a control, and what tells one from the one beside it.

use super::around::each;

/// An entry of a list may hold several parts that are alike, such as its labels or its counts.
#[tokio::test]
async fn whose_part_of_a_plain_row_it_is_counts() {
    each(&[
        ("<div><div class=row><b id=n>Alice</b><label><input type=checkbox>Act</label><label><input type=checkbox>Write</label></div><div class=row><b>Carol</b><label><input type=checkbox>Act</label><label><input type=checkbox>Write</label></div></div>", "n.textContent = 'Bob'", true),
        ("<div><div class=row><h3 id=n>Alice</h3><div><label class=box><span><input type=checkbox></span><span>Act</span></label><label class=box><span><input type=checkbox></span><span>Write</span></label></div></div><div class=row><h3>Carol</h3><div><label class=box><span><input type=checkbox></span><span>Act</span></label><label class=box><span><input type=checkbox></span><span>Write</span></label></div></div></div>", "n.textContent = 'Bob'", true),
        ("<dl><dt id=n>Alice<dd><label><input type=checkbox>Act</label><label><input type=checkbox>Write</label><dt>Carol<dd><label><input type=checkbox>Act</label><label><input type=checkbox>Write</label></dl>", "n.textContent = 'Bob'", true),
        ("<div><div class=row><b id=n>Alice</b><div><span>Photos</span><button>Act</button></div><div><span>Address</span><button>Act</button></div></div><div class=row><b>Carol</b><div><span>Photos</span><button>Act</button></div><div><span>Address</span><button>Act</button></div></div></div>", "n.textContent = 'Bob'", true),
        ("<div class=row><b id=n>Alice</b><p>Hello</p><span><button id=Act><svg width=9 height=9></svg></button> 12</span><span><button><svg width=9 height=9></svg></button> 3</span></div><div class=row><b>Carol</b><p>Hello</p><span><button><svg width=9 height=9></svg></button> 12</span><span><button><svg width=9 height=9></svg></button> 3</span></div>", "n.textContent = 'Bob'", true),
        ("<div><h3 id=n>Vegetarian?</h3><label><input type=radio name=a>Act</label><label><input type=radio name=a>No</label></div><div><h3>Smoker?</h3><label><input type=radio name=b>Act</label><label><input type=radio name=b>No</label></div>", "n.textContent = 'Delete account?'", true),
        ("<div class=col><h2 id=n>To do</h2><div class=card>One more <button>Act</button></div><div class=card>Two more <button>Act</button></div></div><div class=col><h2>Done</h2><div class=card>Three more <button>Act</button></div></div>", "n.textContent = 'Later'", true),
        ("<dl><dt id=n>Alice<dd>12 items <button>Act</button><dt>Carol<dd>13 things <button>Act</button></dl>", "n.textContent = 'Bob'", true),
        ("<div style='display: grid'><span id=n>#1001</span><button>Act</button><span>#1002</span><button>Act</button></div>", "n.textContent = '#1003'", true),
        ("<div style='display: grid'><span id=n>192.168.0.1</span><button>Act</button><span>192.168.0.2</span><button>Act</button></div>", "n.textContent = '192.168.0.3'", true),
        ("<div style='display: grid'><span id=n>v1.2</span><button>Act</button><span>v1.3</span><button>Act</button></div>", "n.textContent = 'v2.0'", true),
        ("<div style='display: grid'><span id=n>3</span><button>Act</button><span>5</span><button>Act</button></div>", "n.textContent = '4'", false),
        // What changes by itself or by what is done there.
        ("<div class=row><b>Alice</b><p>Hello</p><span><button id=Act><svg width=9 height=9></svg></button> <i id=n>12 likes</i></span><span><button><svg width=9 height=9></svg></button> 3 comments</span></div><div class=row><b>Carol</b><p>Hello</p><span><button><svg width=9 height=9></svg></button> <i>12 likes</i></span><span><button><svg width=9 height=9></svg></button> 3 comments</span></div>", "n.textContent = '13 likes'", false),
        ("<div class=row><b>Alice</b><p>Hello</p><span><button id=Act><svg width=9 height=9></svg></button> <i id=n>12</i></span><span><button><svg width=9 height=9></svg></button> 3</span></div><div class=row><b>Carol</b><p>Hello</p><span><button><svg width=9 height=9></svg></button> <i>12</i></span><span><button><svg width=9 height=9></svg></button> 3</span></div>", "n.textContent = '13'", false),
        ("<div><div class=row><b>Alice</b><label><input type=checkbox>Act</label><label><input type=checkbox>Write</label><i id=n></i></div><div class=row><b>Carol</b><label><input type=checkbox>Act</label><label><input type=checkbox>Write</label><i></i></div></div>", "n.textContent = 'Saved'", false),
        ("<div><div class=row><b>Alice Adams</b><i id=n>online</i><div><span>Photos</span><button>Act</button></div><div><span>Address</span><button>Act</button></div></div><div class=row><b>Carol Clark</b><i>online</i><div><span>Photos</span><button>Act</button></div><div><span>Address</span><button>Act</button></div></div></div>", "n.textContent = 'away'", false),
        ("<div><div class=row><b>Alice</b><div><span>Photos</span><button>Act</button></div><div id=n><span>Address</span><button>Act</button></div></div><div class=row><b>Carol</b><div><span>Photos</span><button>Act</button></div><div><span>Address</span><button>Act</button></div></div></div>", "n.remove()", false),
        ("<div class=col><div class=card id=n>One more <button>Act</button></div><div class=card>Two more <button>Act</button></div></div><div class=col><div class=card>Three more <button>Act</button></div><div class=card>Four more <button>Act</button></div></div>", "n.insertAdjacentHTML('beforebegin', '<div class=card>New one <button>Edit</button></div>')", false),
        ("<div class=col><p id=n>3 cards</p><div class=card>One more <button>Act</button></div><div class=card>Two more <button>Act</button></div></div><div class=col><p>5 tasks</p><div class=card>Three more <button>Act</button></div><div class=card>Four more <button>Act</button></div></div>", "n.textContent='4 cards'", false),
        ("<div class=col id=n><h2>To do</h2><div class=card>One more <button>Act</button></div><div class=card>Two more <button>Act</button></div></div><div class=col><h2>Done</h2><div class=card>Three more <button>Act</button></div></div>", "n.insertAdjacentHTML('beforeend','<div class=card>New <button>Act</button></div>')", false),
        ("<div class=col><h2>To do</h2><div class=card>One more <button>Act</button></div><div class=card id=n>Two more <button>Act</button></div></div><div class=col><h2>Done</h2><div class=card>Three more <button>Act</button></div></div>", "n.remove()", false),
        ("<div class=post><b>Alice</b><span><button aria-label=Act>♥</button> 12</span><span><button aria-label=Share>💬</button> <i id=n>3</i></span></div>", "n.textContent = 4", false),
    ])
    .await;
}

/// Only what names things in a long text before the parts of a row tells whose they are.
#[tokio::test]
async fn a_long_text_in_a_plain_row_is_told_by_what_names_things_in_it() {
    let words = "words ".repeat(70);
    let row = |who: &str, says: &str| {
        format!(
            "<div class=row>{who}<p>{words}{says}</p><div><span>Photos</span><button>Act</button></div><div><span>Address</span><button>Act</button></div></div>"
        )
    };
    let named = row("<h3 id=n>Alice</h3>", "") + &row("<h3>Carol</h3>", "");
    let unnamed = row("", "<i id=n>some</i>") + &row("", "<i>more</i>");
    each(&[(&named, "n.textContent = 'Bob'", true), (&unnamed, "n.textContent = 'others'", false)]).await;
}

#[tokio::test]
async fn links_that_lead_to_the_same_place_belong_to_their_rows() {
    each(&[
        (r##"<div><div class=row><span id=n>Alice</span> <a href="#">Act</a></div><div class=row><span>Carol</span> <a href="#">Act</a></div></div>"##, "n.textContent = 'Bob'", true),
        (r##"<div><div class=row><span id=n>Alice</span> <a href="javascript:void(0)">Act</a></div><div class=row><span>Carol</span> <a href="javascript:void(0)">Act</a></div></div>"##, "n.textContent = 'Bob'", true),
        (r##"<div><div class=row><span id=n>Alice</span> <a role=button href="#">Act</a></div><div class=row><span>Carol</span> <a role=button href="#">Act</a></div></div>"##, "n.textContent = 'Bob'", true),
        (r##"<div><div class=row><span id=n>Alice</span> <a href="/cart/remove">Act</a></div><div class=row><span>Carol</span> <a href="/cart/remove">Act</a></div></div>"##, "n.textContent = 'Bob'", true),
        (r##"<div><x-row><span id=n>Alice</span> <a href="#">Act</a></x-row><x-row><span>Carol</span> <a href="#">Act</a></x-row></div>"##, "n.textContent = 'Bob'", true),
        (r##"<dl><dt id=n>Alice<dd>12 <a href="#">Act</a><dt>Carol<dd>13 <a href="#">Act</a></dl>"##, "n.textContent = 'Bob'", true),
        (r##"<div class=row><b id=n>Alice</b><p><a href="#">Photos</a></p><p><a href="#">Act</a></p></div><div class=row><b>Carol</b><p><a href="#">Photos</a></p><p><a href="#">Act</a></p></div>"##, "n.textContent = 'Bob'", true),
        (r##"<div><div class=row><button id=n>Alice</button><a href="#">Act</a></div><div class=row><button>Carol</button><a href="#">Act</a></div></div>"##, "n.textContent = 'Bob'", true),
        // What changes by itself or by what is done there.
        (r##"<div class=row><span id=n>Alice</span> <a href="/alice">Act</a></div><div class=row><span>Carol</span> <a href="/carol">Act</a></div>"##, "n.textContent = 'Bob'", false),
        (r##"<p>Words <a href="#">Act</a> and <i id=n>more</i></p><p>Other <a href="#">Thing</a> and more</p>"##, "n.textContent = 'less'", false),
        (r##"<div><div class=row><span>Alice Moore</span> <a href="#">Act</a> <i id=n></i></div><div class=row><span>Carol Moore</span> <a href="#">Act</a> <i></i></div></div>"##, "n.textContent = 'Saved'", false),
        (r##"<div><b>Alice</b> <i id=n>3 hours ago</i> <a href="#">Act</a></div><div><b>Carol</b> <i>4 hours ago</i> <a href="#">Act</a></div>"##, "n.textContent = '5 hours ago'", false),
        (r##"<nav><a href="#">Act</a> <a href="#">Carol</a><span id=n>Here</span></nav>"##, "n.textContent = 'There'", false),
    ])
    .await;
}

#[tokio::test]
async fn times_tell_plain_rows_apart_that_say_the_same() {
    each(&[
        ("<div class=row><time id=n>10:00</time><button>Act</button></div><div class=row><time>11:00</time><button>Act</button></div>", "n.textContent = '12:00'", true),
        ("<div class=row><time id=n>10:00</time> available <button>Act</button></div><div class=row><time>11:00</time> available <button>Act</button></div>", "n.textContent = '12:00'", true),
        // What changes by itself or by what is done there.
        ("<div class=row><time id=n>2 hours ago</time><button>Act</button></div><div class=row><time>3 hours ago</time><button>Act</button></div>", "n.textContent = '4 hours ago'", false),
        ("<div class=row>Alice Adams <time id=n>10:31</time><button>Act</button></div><div class=row>Carol <time>10:32</time><button>Act</button></div>", "n.textContent = '10:33'", false),
        ("<div class=row><time>10:00</time><i id=n></i><button>Act</button></div><div class=row><time>11:00</time><i></i><button>Act</button></div>", "n.textContent = 'Saved'", false),
        ("<div class=row><time>10:00</time><button>Act</button></div><div class=row id=n><time>11:00</time><button>Act</button></div>", "n.remove()", false),
    ])
    .await;
}

#[tokio::test]
async fn pictographs_tell_rows_apart_that_say_the_same() {
    each(&[
        ("<ul><li><span id=n>👍</span> <button>Act</button></li><li>👎 <button>Act</button></li></ul>", "n.textContent = '😀'", true),
        ("<ul><li>Reaction <span id=n>👍🏽</span> <button>Act</button></li><li>Reaction <span>👍🏿</span> <button>Act</button></li></ul>", "n.textContent = '😀'", true),
        ("<ul><li><span id=n>❤️</span> <button>Act</button></li><li>👎 <button>Act</button></li></ul>", "n.textContent = '☀️'", true),
        ("<div><div><span id=n>👍</span> <button>Act</button></div><div>👎 <button>Act</button></div></div>", "n.textContent = '😀'", true),
        ("<div><div>Reaction <span id=n>👍🏽</span> <button>Act</button></div><div>Reaction <span>👍🏿</span> <button>Act</button></div></div>", "n.textContent = '😀'", true),
        ("<div><div><span id=n>❤️</span> <button>Act</button></div><div>👎 <button>Act</button></div></div>", "n.textContent = '☀️'", true),
        // What changes by itself or by what is done there.
        ("<ul><li>Alice Adams <i id=n>🟢</i> <button>Act</button></li><li>Carol <i>🔴</i> <button>Act</button></li></ul>", "n.textContent = '🔴'", false),
        ("<ul><li>Song <button aria-label=Like id=n>🤍</button> <button>Act</button></li><li>Song <button aria-label=Like>❤️</button> <button>Act</button></li></ul>", "n.textContent = '❤️'", false),
        ("<ul><li>Song <span style=cursor:pointer id=n>🤍</span> <button>Act</button></li><li>Song <span style=cursor:pointer>❤️</span> <button>Act</button></li></ul>", "n.textContent = '❤️'", false),
        ("<ul><li>Song <span tabindex=0 id=n>🤍</span> <button>Act</button></li><li>Song <span tabindex=0>❤️</span> <button>Act</button></li></ul>", "n.textContent = '❤️'", false),
        ("<ul><li>Hotel <i id=n>★★☆</i> <button>Act</button></li><li>Hotel <i>★☆☆</i> <button>Act</button></li></ul>", "n.textContent = '☆☆☆'", false),
        ("<ul><li>Track 1 <i id=n>🔇</i> <button>Act</button></li><li>Track 2 <i>🔊</i> <button>Act</button></li></ul>", "n.textContent = '🔊'", false),
        ("<ul><li>👍 <i id=n></i><button>Act</button></li><li>👎 <i></i><button>Act</button></li></ul>", "n.textContent = '🎉'", false),
        ("<div><div>Alice Adams <i id=n>🟢</i> <button>Act</button></div><div>Carol <i>🔴</i> <button>Act</button></div></div>", "n.textContent = '🔴'", false),
        ("<div><div>Song <button aria-label=Like id=n>🤍</button> <button>Act</button></div><div>Song <button aria-label=Like>❤️</button> <button>Act</button></div></div>", "n.textContent = '❤️'", false),
        ("<div><div>Song <span style=cursor:pointer id=n>🤍</span> <button>Act</button></div><div>Song <span style=cursor:pointer>❤️</span> <button>Act</button></div></div>", "n.textContent = '❤️'", false),
        ("<div><div>Hotel <i id=n>★★☆</i> <button>Act</button></div><div>Hotel <i>★☆☆</i> <button>Act</button></div></div>", "n.textContent = '☆☆☆'", false),
        ("<div><div>Track 1 <i id=n>🔇</i> <button>Act</button></div><div>Track 2 <i>🔊</i> <button>Act</button></div></div>", "n.textContent = '🔊'", false),
        ("<div><div>👍 <i id=n></i><button>Act</button></div><div>👎 <i></i><button>Act</button></div></div>", "n.textContent = '🎉'", false),
        ("<div><div>👍 <i id=n></i><button>Act</button></div><div>👎 <i></i><button>Act</button></div></div>", "n.textContent = 'Saved'", false),
    ])
    .await;
}

#[tokio::test]
async fn the_first_button_tells_plain_rows_apart_that_say_nothing() {
    each(&[
        ("<div><div class=row><button id=n>Alice</button><button>Act</button></div><div class=row><button>Carol</button><button>Act</button></div></div>", "n.textContent = 'Bob'", true),
        (r##"<div><div class=row><div role=button tabindex=0 id=n>Alice</div><div><a href="#">Act</a></div></div><div class=row><div role=button tabindex=0>Carol</div><div><a href="#">Act</a></div></div></div>"##, "n.textContent = 'Bob'", true),
        // What changes by itself or by what is done there.
        ("<div class=row><button id=n>Follow</button><button>Act</button></div><div class=row><button>Follow</button><button>Act</button></div>", "n.textContent = 'Following'", false),
        ("<div class=row><button aria-pressed=false id=n>Follow</button><button>Act</button></div><div class=row><button aria-pressed=true>Following</button><button>Act</button></div>", "n.textContent = 'Following'", false),
        ("<div class=row><button>-</button><button id=n>1</button><button>Act</button></div><div class=row><button>-</button><button>2</button><button>Act</button></div>", "n.textContent = '3'", false),
        ("<div class=row>Alice Adams<button id=n>Follow</button><button>Act</button></div><div class=row>Carol<button>Following</button><button>Act</button></div>", "n.textContent = 'Following'", false),
        ("<div><div class=row><button>Alice</button><i id=n></i><button>Act</button></div><div class=row><button>Carol</button><i></i><button>Act</button></div></div>", "n.textContent = 'Saved'", false),
        ("<div><div class=row><button>Act</button><button id=n>Alice</button></div><div class=row><button>Act</button><button>Carol</button></div></div>", "n.textContent = 'Bob'", false),
    ])
    .await;
}
