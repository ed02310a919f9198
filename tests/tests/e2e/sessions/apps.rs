//! What pages of common frameworks do: transitions, fetches after the load, lists that are drawn anew, controls that act at the
//! press.

use std::time::Duration;

use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::{Reply, Stack};
use serde_json::{Map, Value, json};

fn warnings(answer: &Map<String, Value>) -> Vec<&str> {
    answer["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

#[tokio::test]
async fn what_comes_at_the_end_of_a_transition_is_shown() {
    let stack = Stack::shared().await;
    // As Bootstrap's modal: the dialog comes once the backdrop has faded in, and goes once it has faded out itself.
    let page = "<style>.fade { opacity: 0; transition: opacity .15s } .show { opacity: 1 }
        button { transition: background .4s } button:hover { background: red }</style>
        <button onclick='opens()'>New user</button><div id=modal class=fade style='display:none'><label>Name <input></label>
        <button onclick='closes()'>Close</button></div><script>
        const after = (element, then) => element.addEventListener('transitionend', then, { once: true });
        const shows = (element) => { element.offsetWidth; element.classList.add('show') };
        function opens() {
            const back = document.createElement('div');
            back.className = 'fade';
            document.body.append(back);
            after(back, () => { modal.style.display = 'block'; shows(modal); });
            shows(back);
        }
        function closes() { after(modal, () => { modal.style.display = 'none'; }); modal.classList.remove('show'); }
        </script>";
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let new = reference(&tree(&opened), "\"New user\"");
    let shown = agent.does("click", json!({"ref": new, "snapshot": "full"})).await;
    assert!(tree(&shown).contains("textbox \"Name\""), "{shown:#?}");
    let close = reference(&tree(&shown), "\"Close\"");
    let hidden = agent.does("click", json!({"ref": close, "snapshot": "full"})).await;
    assert!(!tree(&hidden).contains("Name") && tree(&hidden).contains("New user"), "{hidden:#?}");
    agent.does("close", json!({})).await;
}

/// As of an application that its server draws by messages: until the first one the page is blank.
#[tokio::test]
async fn what_a_blank_page_draws_at_first_is_shown() {
    let stack = Stack::shared().await;
    let page = stack.site.html(
        "<div id=app></div><script>const worker = new Worker(URL.createObjectURL(new Blob(['setTimeout(() => postMessage(0), 250)'])));
        worker.onmessage = () => { app.innerHTML = '<button>Start</button>' }</script>",
    );
    let (agent, opened) = Agent::at(stack.caller(), &page).await;
    assert!(tree(&opened).contains("\"Start\""), "{opened:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn what_an_application_fetches_after_its_load_is_shown() {
    let stack = Stack::shared().await;
    // Later than a snapshot of the document alone, and well before the two seconds for which an application is waited for.
    let data = stack.site.page(Reply::text("Invoice 1001").late(Duration::from_secs(1)));
    let page = stack.site.html(&format!(
        "<div id=app>Loading</div><script>fetch('{data}').then(r => r.text()).then(text => {{
        app.innerHTML = `<button>${{text}}</button>` }})</script>"
    ));
    let (agent, opened) = Agent::at(stack.caller(), &page).await;
    assert!(tree(&opened).contains("button \"Invoice 1001\""), "{opened:#?}");
    assert_eq!(opened["settled"], true, "{opened:#?}");
    let again = agent.does("navigate", json!({"action": "reload", "snapshot": "full"})).await;
    assert!(tree(&again).contains("button \"Invoice 1001\""), "{again:#?}");
    let parsed = json!({"action": "reload", "snapshot": "full", "wait_until": "domcontentloaded"});
    let parsed = agent.does("navigate", parsed).await;
    assert!(!tree(&parsed).contains("Invoice"), "{parsed:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_named_target_that_is_drawn_anew_while_it_is_waited_for_is_found_again() {
    let stack = Stack::shared().await;
    let page = "<div id=list><button onclick='document.title += 1'>Green</button></div><div id=over
        style='position:fixed;inset:0;background:#fff'></div><script>document.title = '';
        setTimeout(() => { list.innerHTML = list.innerHTML }, 500); setTimeout(() => { over.remove() }, 900)</script>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<p>begin")).await;
    let target = json!({"by": "text", "value": "Green"});
    for (route, fields) in [
        ("click", json!({"target": target})),
        ("interact", json!({"action": "click", "target": target})),
        ("interact", json!({"action": "click", "target": {"by": "role", "value": "button", "name": "Green"}})),
    ] {
        agent.does("navigate", json!({"url": stack.site.html(page), "snapshot": "none"})).await;
        let done = agent.does(route, fields).await;
        assert_eq!(done["title"], "1", "{done:#?}");
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_row_that_shows_what_was_written_in_it_is_still_the_same() {
    let stack = Stack::shared().await;
    let row = |name: &str| {
        format!(
            "<li><b style='float:left;width:9em'>{name}</b> <input aria-label=Job onblur='this.previousElementSibling.textContent = this.value'>
            <button onclick='document.title = this.parentNode.innerText'>Save</button></li>"
        )
    };
    let page = format!("<title>-</title><ul>{}{}</ul>", row("Cook"), row("Clerk"));
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
    let (job, save) = (reference(&tree(&opened), "\"Job\""), reference(&tree(&opened), "\"Save\""));
    agent.does("type", json!({"ref": job, "text": "Bake bread"})).await;
    let saved = agent.does("click", json!({"ref": save})).await;
    assert_eq!((saved["title"].as_str(), warnings(&saved)), (Some("Bake bread Save"), Vec::new()), "{saved:#?}");
    // One that shows something else by it, or what another row says, is another one.
    for (shows, text) in [("= `Waiter`", "Bake bread"), ("= this.value", "Clerk")] {
        let page = page.replace("= this.value", shows);
        let opened = agent.does("navigate", json!({"url": stack.site.html(&page), "snapshot": "full"})).await;
        let (job, save) = (reference(&tree(&opened), "\"Job\""), reference(&tree(&opened), "\"Save\""));
        agent.does("type", json!({"ref": job, "text": text})).await;
        let lost = agent.does("click", json!({"ref": save})).await;
        assert!(lost["title"] == "-" && warnings(&lost)[0].starts_with("click_lost: "), "{lost:#?}");
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_control_that_acts_at_the_press_has_acted() {
    let stack = Stack::shared().await;
    let page = "<title>-</title><style>#menu { position: fixed; inset: 0; background: #fff }</style>
        <button id=open aria-expanded=false aria-haspopup=menu onpointerdown=\"menu.hidden = false; this.ariaExpanded = true\">Colours</button>
        <div id=menu role=listbox hidden><div role=option id=green>Green</div></div><input id=colour type=hidden><input aria-label=Colour id=c>
        <script>green.onmousedown = () => { menu.hidden = true; c.value = document.title = 'Green' }</script>";
    for route in ["click", "interact"] {
        let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
        let colours = reference(&tree(&opened), "\"Colours\"");
        let fields = match route {
            "click" => json!({"ref": colours, "snapshot": "full"}),
            _ => json!({"action": "click", "target": {"by": "text", "value": "Colours"}, "snapshot": "full"}),
        };
        let shown = agent.does(route, fields).await;
        assert_eq!(warnings(&shown), Vec::<&str>::new(), "{shown:#?}");
        let green = reference(&tree(&shown), "\"Green\"");
        let chosen = agent.does("click", json!({"ref": green})).await;
        assert_eq!((chosen["title"].as_str(), warnings(&chosen)), (Some("Green"), Vec::new()), "{chosen:#?}");
        agent.does("close", json!({})).await;
    }
    // A list that closes because its field lost the focus has chosen nothing.
    let page = "<title>-</title><input role=combobox aria-label=City oninput='m.hidden = false' onblur=\"m.hidden = true; this.value = ''\">
        <div id=m role=listbox hidden><div role=option onclick=\"document.title = 'chosen'\">Berlin</div></div>";
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let city = reference(&tree(&opened), "\"City\"");
    let typed = agent.does("type", json!({"ref": city, "text": "Ber", "snapshot": "full"})).await;
    let berlin = reference(&tree(&typed), "\"Berlin\"");
    let lost = agent.does("click", json!({"ref": berlin})).await;
    assert!(lost["title"] == "-" && warnings(&lost)[0].starts_with("click_lost: "), "{lost:#?}");
    agent.does("close", json!({})).await;
    // One that is redrawn by the press has not.
    let page = "<title>-</title><div id=d><button onclick=\"document.title = 'bought'\">Buy</button></div>
        <script>d.onmousedown = () => { d.innerHTML = d.innerHTML }</script>";
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let buy = reference(&tree(&opened), "\"Buy\"");
    let lost = agent.does("click", json!({"ref": buy})).await;
    assert!(lost["title"] == "-" && warnings(&lost)[0].starts_with("click_lost: "), "{lost:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_text_that_a_field_does_not_keep_is_typed_once() {
    let stack = Stack::shared().await;
    let page = "<title>-</title><input aria-label=Number id=n><input aria-label=Scanner id=s><script>let last = '';
        n.oninput = () => { if (/^\\d*$/.test(n.value)) last = n.value; else n.value = last };
        s.oninput = () => { if (s.value.length >= 6) { document.title += s.value; s.value = '' } }</script>";
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let number = reference(&tree(&opened), "\"Number\"");
    let refused = agent.call("type", json!({"ref": number, "text": "555-1234"})).await;
    refused.expect_code_about("NO_EFFECT", "slowly");
    let typed = agent.does("type", json!({"ref": number, "text": "555-1234", "slowly": true})).await;
    assert_eq!(warnings(&typed), ["value_differs: the field has \"5551234\" now"], "{typed:#?}");
    // It has taken the text and is empty again.
    let scanner = reference(&tree(&opened), "\"Scanner\"");
    agent.call("type", json!({"ref": scanner, "text": "123456"})).await.expect_code("NO_EFFECT");
    assert_eq!(agent.does("status", json!({})).await["title"], "-123456");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn rows_that_a_label_names_cards_and_active_options_are_shown() {
    let stack = Stack::shared().await;
    let page = "<ul><li aria-label=Anna><button>Delete</button><li aria-label=Ben><button>Delete</button></ul>
        <div draggable=true>Card</div><div role=listbox tabindex=0 aria-label=Fruit aria-activedescendant=b autofocus>
        <div role=option id=a>Apple</div><div role=option id=b>Pear</div></div>";
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let shown = tree(&opened);
    for line in ["- listitem \"Anna\":", "- listitem \"Ben\":", "- generic \"Card\" [clickable] [ref="] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(shown.contains("- option \"Pear\" [focused]"), "{shown}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_reload_that_sends_a_form_again_is_told() {
    let stack = Stack::shared().await;
    let done = stack.site.html("<title>ordered</title><p>Thank you");
    let page = stack.site.html(&format!("<form method=post action='{done}'><button>Order</button></form>"));
    let (agent, opened) = Agent::at(stack.caller(), &page).await;
    let order = reference(&tree(&opened), "\"Order\"");
    assert_eq!(agent.does("click", json!({"ref": order})).await["title"], "ordered");
    let again = agent.does("navigate", json!({"action": "reload"})).await;
    assert!(warnings(&again)[0].starts_with("form_resent: "), "{again:#?}");
    let back = agent.does("navigate", json!({"action": "back", "snapshot": "none"})).await;
    assert_eq!(warnings(&back), Vec::<&str>::new(), "{back:#?}");
    let reloaded = agent.does("navigate", json!({"action": "reload", "snapshot": "none"})).await;
    assert_eq!(warnings(&reloaded), Vec::<&str>::new(), "{reloaded:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_target_that_makes_room_in_its_list_gets_the_drop() {
    let stack = Stack::shared().await;
    // As react-beautiful-dnd: what is held is fixed at the pointer, and the entries of another list move down for it.
    let page = "<title>-</title><style>.list { position: absolute; top: 9px; width: 200px; height: 300px; border: 1px solid }
        .card { padding: 8px; border: 1px solid; user-select: none; transition: transform .2s }</style>
        <div class=list style='left: 9px'><div class=card id=a>Alpha</div></div>
        <div class=list id=done style='left: 300px'><div class=card id=o>Omega</div></div><script>
        let held = false;
        a.onmousedown = (event) => { held = true; a.style.pointerEvents = 'none'; a.style.transition = 'none'; event.preventDefault(); };
        onmousemove = ({ clientX, clientY }) => {
            if (!held) return;
            a.style.position = 'fixed'; a.style.left = `${clientX - 20}px`; a.style.top = `${clientY - 9}px`;
            const inside = clientX > 300 && clientX < 500, above = clientY < o.getBoundingClientRect().bottom;
            o.style.transform = inside && above ? 'translateY(36px)' : '';
        };
        onmouseup = ({ clientX }) => { if (held) document.title = clientX > 300 ? 'done' : 'back'; held = false; };
        </script>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let card = |name: &str| json!({"by": "text", "value": name});
    let dropped = agent.does("drag", json!({"target": card("Alpha"), "to": {"target": card("Omega")}})).await;
    assert_eq!(dropped["title"], "done", "{dropped:#?}");
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_button_that_shows_its_hosts_text_is_clicked() {
    let stack = Stack::shared().await;
    for inside in ["<button><slot></slot></button>", "<button><span><slot></slot></span></button>"] {
        let page = format!(
            "<title>-</title><x-button>Delete</x-button><script>customElements.define('x-button', class extends HTMLElement {{
            connectedCallback() {{
                this.attachShadow({{ mode: 'open' }}).innerHTML = '{inside}';
                this.shadowRoot.firstChild.onclick = () => {{ document.title = 'deleted' }};
            }} }})</script>"
        );
        let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
        let delete = reference(&tree(&opened), "button \"Delete\"");
        let done = agent.does("click", json!({"ref": delete})).await;
        assert_eq!((done["title"].as_str(), warnings(&done)), (Some("deleted"), Vec::new()), "{done:#?}");
        agent.does("close", json!({})).await;
    }
}

#[tokio::test]
async fn changes_show_what_a_recycled_rows_buttons_are_for_now() {
    let stack = Stack::shared().await;
    let others = "<button>Something else altogether</button>".repeat(9);
    let page = "<title>-</title><div id=rows><div><span>Ann</span><button>Remove</button></div>
        <div><span>Bob</span><button>Remove</button></div></div><button onclick='turn()'>Next page</button><script>
        const next = ['Carol', 'Dan'];
        function turn() { rows.querySelectorAll('span').forEach((span, at) => { span.textContent = next[at] }) }</script>";
    let page = format!("{page}{others}");
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
    let (first, next) = (reference(&tree(&opened), "\"Remove\""), reference(&tree(&opened), "\"Next page\""));
    let changed = agent.does("click", json!({"ref": next, "snapshot": "changes"})).await;
    let expected =
        format!("- * text: Carol\n- * button \"Remove\" [ref=@{}]\n- * text: Dan", first.trim_start_matches('@'));
    assert!(tree(&changed).contains(&expected), "{changed:#?}");
    agent.does("click", json!({"ref": first})).await;
    agent.does("click", json!({"ref": next, "snapshot": "none"})).await;
    agent.does("close", json!({})).await;
}

/// Parts of components as Ionic, Shoelace and Material draw them.
const COMPONENTS: &str = "<my-seg onclick='document.title = `seg`'></my-seg>
    <label style='position:relative;display:inline-flex'><input type=checkbox aria-label=Nick style='position:absolute;opacity:0;pointer-events:none'>
    <span><x-ic></x-ic></span>Nick</label><label><my-box></my-box> Agree</label><script>
    const draws = (name, html, formAssociated) => customElements.define(name, class extends HTMLElement {
        static formAssociated = formAssociated;
        connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = html }
    });
    draws('my-seg', '<style>button { pointer-events: none }</style><button>Seg</button>', false);
    draws('x-ic', '<svg width=20 height=20><rect width=20 height=20 /></svg>', false);
    draws('my-box', '<input type=checkbox>', true)</script>";

#[tokio::test]
async fn parts_of_components_are_acted_on_by_what_they_are_called() {
    let stack = Stack::shared().await;
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(COMPONENTS)).await;
    let seen = tree(&opened);
    assert!(seen.contains("checkbox \"Agree\""), "{seen}");
    let clicked = agent.does("click", json!({"ref": reference(&seen, "button \"Seg\"")})).await;
    assert_eq!(clicked["title"], "seg", "{clicked:#?}");
    for name in ["Nick", "Agree"] {
        let target = json!({"by": "role", "value": "checkbox", "name": name});
        for checked in [true, false] {
            agent.does("check", json!({"target": target, "checked": checked})).await;
            let line = format!("checkbox \"{name}\"{}", if checked { " [checked]" } else { "" });
            assert!(agent.tree().await.contains(&line), "{line}");
        }
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn components_that_keep_their_role_to_themselves_are_what_they_are() {
    let stack = Stack::shared().await;
    // As Fluent UI's and Material's: the role, the state and the name are in `ElementInternals`.
    let page = "<script>
        class Base extends HTMLElement {
            static formAssociated = true;
            constructor(role) { super(); this.kept = this.attachInternals(); this.kept.role = role }
            connectedCallback() { this.tabIndex = 0; this.onclick = () => this.act() }
        }
        customElements.define('x-check', class extends Base {
            constructor() { super('checkbox'); this.kept.ariaChecked = 'false' }
            act() { this.kept.ariaChecked = String(this.kept.ariaChecked !== 'true'); document.title += 'c' }
        });
        customElements.define('x-tab', class extends Base {
            constructor() { super('tab'); this.kept.ariaSelected = 'false' }
            act() { for (const tab of document.querySelectorAll('x-tab')) tab.kept.ariaSelected = String(tab === this) }
        });
        customElements.define('x-icon', class extends Base {
            constructor() { super('button'); this.kept.ariaLabel = 'Settings' }
            act() { document.title += 's' }
        });
        customElements.define('x-card', class extends HTMLElement {});
        </script><title>t</title><x-check>Agree</x-check><label for=news>Newsletter</label><x-check id=news></x-check><x-tab>One</x-tab><x-tab>Two</x-tab>
        <x-icon style='display:block;width:20px;height:20px;background:red'></x-icon><x-card tabindex=0>Card</x-card>";
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let shown = tree(&opened);
    for line in ["checkbox \"Agree\"", "checkbox \"Newsletter\"", "tab \"One\"", "tab \"Two\"", "button \"Settings\""] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let agree = reference(&shown, "\"Agree\"");
    for _ in 0..2 {
        // The second time nothing is to be done.
        let checked = agent.does("check", json!({"ref": agree, "snapshot": "full"})).await;
        assert_eq!(checked["title"], "tc", "{checked:#?}");
        assert!(
            tree(&checked).lines().any(|line| line.contains("\"Agree\"") && line.contains("[checked]")),
            "{checked:#?}"
        );
    }
    let two = json!({"by": "role", "value": "tab", "name": "Two"});
    let clicked = agent.does("interact", json!({"action": "click", "target": two, "snapshot": "full"})).await;
    let selected: Vec<_> =
        tree(&clicked).lines().filter(|line| line.contains("[selected]")).map(str::to_owned).collect();
    assert!(selected.len() == 1 && selected[0].contains("\"Two\""), "{clicked:#?}");
    // A page that was never shown is searched as well.
    agent.does("navigate", json!({"action": "reload", "snapshot": "none"})).await;
    let settings = json!({"by": "role", "value": "button", "name": "Settings"});
    let clicked = agent.does("interact", json!({"action": "click", "target": settings})).await;
    assert_eq!(clicked["title"], "ts", "{clicked:#?}");
    agent.does("close", json!({})).await;
}
