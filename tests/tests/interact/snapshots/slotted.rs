//! What of the rows and parts counts that a component draws around its slots, for what the slots show.

use super::around::{Case, each};

/// A component that shows its text in a button, and one that shows a field with its label.
const COMPONENTS: &str = "<script>
    const define = (name, inside) => customElements.define(name, class extends HTMLElement {
        connectedCallback() { if (!this.shadowRoot) this.attachShadow({ mode: 'open' }).innerHTML = '<style>b { color: red }</style>' + inside }
    });
    define('x-button', '<button><slot></slot></button>');
    define('x-field', '<label>Name <input></label>');
    define('x-name', '<b></b><slot></slot>')</script>";

/// What stands in the shadow root of a component, what it shows in its slots, what changes, and whether that makes the
/// control another one. The root is `root`.
type Slotted = (&'static str, &'static str, &'static str, bool);

async fn each_slotted(cases: &[Slotted]) {
    let pages: Vec<_> = ["open", "closed"]
        .into_iter()
        .flat_map(|mode| {
            cases.iter().map(move |(drawn, shown, changes, is_stale)| {
                let page = format!(
                    "{COMPONENTS}<x-part id=part>{shown}</x-part>
                    <script>window.root = part.attachShadow({{ mode: '{mode}' }}); root.innerHTML = `{drawn}`</script>"
                );
                (page, *changes, *is_stale)
            })
        })
        .collect();
    let cases: Vec<Case<'_>> =
        pages.iter().map(|(page, changes, is_stale)| (page.as_str(), *changes, *is_stale)).collect();
    each(&cases).await;
}

#[tokio::test]
async fn what_a_component_draws_around_a_slot_counts_for_what_the_slot_shows() {
    each_slotted(&[
        ("<div role=dialog aria-label='Save draft?'><slot></slot></div>", "Your draft <button>Act</button>", "root.firstChild.ariaLabel = 'Delete account?'", true),
        ("<dialog open aria-label='Save draft?'><slot></slot></dialog>", "Your draft <button>Act</button>", "root.firstChild.ariaLabel = 'Delete account?'", true),
        ("<div role=dialog aria-label=Confirm><slot></slot><footer><slot name=footer></slot></footer></div>", "<p id=n>Save the draft?</p><button slot=footer>Act</button>", "n.textContent = 'Delete your account?'", true),
        ("<div role=dialog aria-label=Confirm><slot></slot><footer><slot name=footer></slot></footer></div>", "<p id=n>Save the draft?</p><x-button slot=footer>Act</x-button>", "n.textContent = 'Delete your account?'", true),
        ("<div role=dialog><slot name=title></slot><footer><slot></slot></footer></div>", "<h2 slot=title id=n>Alice</h2><button>Act</button><button>One1</button><button>Two22</button><button>Three</button><button>Four4</button><button>Five5</button>", "n.textContent = 'Bob'", true),
        ("<fieldset><legend>Keep the account?</legend><slot></slot></fieldset>", "<label><input type=radio>Act</label><label><input type=radio>No</label>", "root.querySelector('legend').textContent = 'Delete the account?'", true),
        ("<fieldset role=radiogroup aria-labelledby=l><span id=l><slot name=label></slot></span><slot></slot></fieldset>", "<b slot=label id=n>Keep the account?</b><label><input type=radio>Act</label>", "n.textContent = 'Delete the account?'", true),
        ("<ul><li><b>Alice</b><slot></slot></li></ul>", "<button>Act</button>", "root.querySelector('b').textContent = 'Bob'", true),
        ("<ul><li><b>Alice</b><slot></slot></li></ul>", "<div><p><x-button>Act</x-button></p></div>", "root.querySelector('b').textContent = 'Bob'", true),
        ("<ul><li><slot name=who></slot><slot></slot></li></ul>", "<b slot=who id=n>Alice</b><button>Act</button>", "n.textContent = 'Bob'", true),
        ("<section aria-label=Drafts><slot name=a></slot></section><section aria-label=Inbox><slot name=b></slot></section>", "<button slot=a id=n>Act</button>", "n.slot = 'b'", true),
        ("<ul><li>Alice <x-name><slot></slot></x-name></li></ul>", "<button>Act</button>", "root.querySelector('li').firstChild.data = 'Bob '", true),
        ("<div role=alert><slot></slot></div>", "<span id=n>Call from Alice</span> <x-button>Act</x-button>", "n.textContent = 'Call from Bob'", true),
        // What changes by itself or by what is done there, and what is elsewhere or not drawn.
        ("<section aria-label=Drafts><slot name=a></slot></section><section aria-label=Inbox><slot name=b></slot></section>", "<button slot=a id=n>Act</button><button slot=b>Other</button>", "root.lastChild.ariaLabel = 'Outbox'", false),
        ("<section aria-label=Drafts><slot></slot></section><section aria-label=Inbox><slot name=b></slot></section>", "<button id=n>Act</button><p id=m>Sent</p>", "m.slot = 'b'", false),
        ("<div role=dialog aria-label=Confirm><slot></slot></div>", "Your draft <x-button id=n>Follow</x-button><x-button>Act</x-button>", "n.textContent = 'Following'", false),
        ("<div role=dialog aria-label=Confirm><slot></slot></div>", "Save it?<p id=n aria-live=polite>Idle</p><button>Act</button>", "n.textContent = 'Saving the draft'", false),
        ("<div role=dialog aria-label=Confirm><slot></slot></div>", "<p>Stay here?</p><p id=n>You leave in 9 seconds</p><button>Act</button>", "n.textContent = 'You leave in 8 seconds'", false),
        ("<div role=dialog aria-label=Confirm><slot></slot></div>", "Your draft <x-field></x-field><p id=n></p><button>Act</button>", "n.textContent = 'This field is required'", false),
        ("<div role=dialog aria-label=Confirm><slot></slot></div>", "Your draft <x-field id=n></x-field><button>Act</button>", "n.shadowRoot.querySelector('input').value = 'Bob'", false),
        ("<div role=dialog aria-label=Settings><slot></slot></div>", "<p id=n>Sound is on</p><x-button>Act</x-button><x-button>One1</x-button><x-button>Two22</x-button><x-button>Three</x-button><x-button>Four4</x-button><x-button>Five5</x-button>", "n.textContent = 'Sound is off'", false),
        ("<div role=dialog aria-label=Confirm><slot name=a></slot></div>", "<button slot=a>Act</button><p id=n>Save it?</p>", "n.textContent = 'Delete it?'", false),
        ("<ul><li><b>Alice</b> <i>12 likes</i> <slot></slot></li><li>Carol</li></ul>", "<button>Act</button>", "root.querySelector('i').textContent = '13 likes'; root.querySelector('li:last-child').textContent = 'Dan'", false),
        ("<style>b { color: red }</style><ul><li><b>Alice</b><slot></slot></li></ul>", "<button>Act</button>", "root.firstChild.textContent = 'b { color: blue }'", false),
        ("<ul><li><b>Alice</b><slot></slot></li></ul>", "<button>Act</button>", "document.body.append(document.createElement('x-name')); document.body.append('Bob')", false),
        ("<div role=status><slot></slot></div>", "<span id=n>3 items left</span> <x-button>Act</x-button>", "n.textContent = '2 items left'", false),
    ])
    .await;
}

#[tokio::test]
async fn what_components_in_a_row_say_counts() {
    let pages: Vec<_> = [
        ("<ul><li><x-name id=n></x-name> <button>Act</button></ul>", "says(n, 'Alice')", "says(n, 'Bob')", true),
        ("<ul><li><x-name><b id=n>Alice</b></x-name> <button>Act</button></ul>", "0", "n.textContent = 'Bob'", true),
        (
            "<dialog open aria-label=Confirm><x-name id=n></x-name><button>Act</button></dialog>",
            "says(n, 'Delete Alice?')",
            "says(n, 'Delete Bob?')",
            true,
        ),
        // What changes by itself or by what is done there.
        (
            "<ul><li>Alice <x-button id=n>Follow</x-button> <button>Act</button></ul>",
            "0",
            "n.textContent = 'Following'",
            false,
        ),
        (
            "<ul><li>Alice <x-name id=n></x-name> <button>Act</button></ul>",
            "says(n, '12 likes')",
            "says(n, '13 likes')",
            false,
        ),
    ]
    .into_iter()
    .map(|(page, first, changes, is_stale)| {
        let says = "const says = (part, text) => { part.shadowRoot.querySelector('b').textContent = text }";
        (format!("{COMPONENTS}{page}<script>{says}; {first}</script>"), changes, is_stale)
    })
    .collect();
    let cases: Vec<Case<'_>> =
        pages.iter().map(|(page, changes, is_stale)| (page.as_str(), *changes, *is_stale)).collect();
    each(&cases).await;
}
