//! Where elements are: shadow roots, frames, behind hidden ones; and pages that mislead.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{ActError, Wanted};

use super::scene::{Scene, any, by};

#[tokio::test(flavor = "multi_thread")]
async fn open_shadow_roots_are_looked_into() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<div id=host></div><button id=after>Send</button><script>
             const outer = document.getElementById('host').attachShadow({ mode: 'open' });
             outer.innerHTML = '<label for=f>Code</label><input id=f><div id=deep></div>';
             outer.getElementById('deep').attachShadow({ mode: 'open' }).innerHTML = '<button id=b onclick=\"clicked = 1\">Send</button>';
             </script>",
        )
        .await;
    assert_eq!(scene.id_of(&by(TargetBy::Label, "Code")).await, "f");
    let sends = by(TargetBy::Role, "button \"Send\"");
    let located = scene.locate(&sends).await.unwrap();
    assert_eq!((located.matched_count, scene.id(&located.element).await.as_str()), (2, "b"));
    assert_eq!(scene.id_of(&by(TargetBy::Css, "#host >> #deep >> text: Send")).await, "b");
    scene.clicks(&located.element).await;
    assert_eq!(scene.evaluate("clicked").await, 1);
    // What comes into a shadow root later is seen as well.
    scene.evaluate("setTimeout(() => outer.append(Object.assign(document.createElement('i'), { id: 'late', textContent: 'Late' })), 300)").await;
    assert_eq!(scene.id_of(&by(TargetBy::Text, "late")).await, "late");
    scene.ends().await;
}

/// Design systems draw a control in the shadow root of a component, and the component has the label. A text for the component goes
/// into the field in it.
#[tokio::test(flavor = "multi_thread")]
async fn the_label_of_a_component_is_that_of_the_control_that_it_draws() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<script>for (const [name, drawn] of [['x-field', '<input id=in>'], ['x-check', '<input id=in type=checkbox>'],
               ['x-two', '<input id=in><button>Clear</button>']]) customElements.define(name, class extends HTMLElement {
               static formAssociated = true;
               constructor() { super(); this.attachShadow({ mode: 'open', delegatesFocus: true }).innerHTML = `<div>${drawn}</div>`; } })</script>
             <style>:defined { display: block }</style>
             <label for=street>Street</label><x-field id=street></x-field><x-field aria-label=Name></x-field>
             <label for=agree>Agree</label><x-check id=agree></x-check>
             <x-field id=group role=group aria-label=Zip></x-field><x-two id=two aria-label=Code></x-two>
             <x-field id=box role=textbox tabindex=0 aria-label=Planet></x-field>",
        )
        .await;
    for label in ["Street", "Name", "Agree"] {
        let located = scene.locate(&by(TargetBy::Label, label)).await.unwrap();
        scene.clicks(&located.element).await;
        assert_eq!(scene.evaluate("document.activeElement.shadowRoot.activeElement.id").await, "in", "{label}");
    }
    assert_eq!(
        scene.evaluate("document.querySelector('#agree').shadowRoot.querySelector('input').checked").await,
        true
    );
    for css in ["#street", "#group", "#two", "#box"] {
        scene.types(css, css).await;
        let value =
            scene.evaluate(&format!("document.querySelector('{css}').shadowRoot.querySelector('input').value")).await;
        assert_eq!(value, css);
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_of_every_origin_are_looked_into() {
    let scene = Scene::new().await;
    let innermost = scene.site.html("<p>innermost</p><button data-testid=pay>Pay</button>");
    let foreign = scene
        .other
        .html(&format!("<body style='margin:0'><button>Foreign</button><iframe id=in src='{innermost}'></iframe>"));
    let own = scene.site.html("<button>Own</button><button>Main</button>");
    scene
        .shows(&format!(
            "<body style='margin:0'><button>Main</button><br><iframe id=own src='{own}'></iframe>
             <iframe id=foreign name=shop src='{foreign}' style='position:absolute;left:100px;top:200px;border:10px solid'></iframe>"
        ))
        .await;
    let button = |name: &str| Wanted { name: Some(name.to_owned()), ..by(TargetBy::Role, "button") };
    let main = scene.locate(&button("Main")).await.unwrap();
    assert_eq!((main.element.frame.owner().is_some(), main.matched_count), (false, 1));
    for (name, depth) in [("Own", 1), ("Foreign", 1), ("Pay", 2)] {
        let located = scene.locate(&button(name)).await.unwrap();
        let owners = std::iter::successors(located.element.frame.owner(), |(frame, _)| frame.owner()).count();
        assert_eq!(owners, depth, "{name}");
        scene.clicks(&located.element).await;
    }
    let foreign = scene.locate(&button("Foreign")).await.unwrap().bounding_box;
    assert!((foreign.x - 110.0).abs() < 1.0 && (foreign.y - 210.0).abs() < 1.0, "{foreign:?}");
    let within = |frame: &str, wanted: Wanted| Wanted { frame_selector: Some(frame.to_owned()), ..wanted };
    assert!(scene.locate(&within("#own", button("Main"))).await.unwrap().element.frame.owner().is_some());
    scene.locate(&within("name: shop >> #in", by(TargetBy::TestId, "pay"))).await.unwrap();
    for frame in ["#own", "#nowhere"] {
        let missed = scene.misses(&within(frame, button("Pay"))).await;
        assert!(matches!(missed.error, ActError::NotFound(_)), "{missed:?}");
    }
    let no_frame = scene.misses(&within("button", button("Pay"))).await;
    assert!(matches!(no_frame.error, ActError::Invalid(_)), "{no_frame:?}");
    // A frame that comes later, with a document that comes later still.
    scene.evaluate("setTimeout(() => { const frame = document.createElement('iframe'); frame.srcdoc = '<p>Afterwards'; document.body.append(frame) }, 200)").await;
    scene.locate(&by(TargetBy::Text, "afterwards")).await.unwrap();
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_matches_count_and_are_never_first() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<button id=none style='display:none'>Buy</button><button id=unseen style='visibility:hidden'>Buy</button>
             <button id=off disabled>Buy</button><button id=on>Buy</button><button id=more>Buy</button>
             <p id=gone style='display:none'>Secret</p><button id=grey disabled>Grey</button>
             <label id=agree><input id=box type=checkbox style='display:none'>I agree</label>",
        )
        .await;
    let located = scene.locate(&by(TargetBy::Text, "buy")).await.unwrap();
    assert_eq!((located.matched_count, scene.id(&located.element).await.as_str()), (5, "on"));
    let hidden = scene.misses(&by(TargetBy::Css, "#gone")).await;
    assert!(matches!(hidden.error, ActError::NotVisible(_)), "{hidden:?}");
    assert_eq!((hidden.matched_count, hidden.tried[0].matched), (1, 1));
    let grey = scene.misses(&any("Grey")).await;
    assert!(matches!(grey.error, ActError::NotEnabled(_)), "{grey:?}");
    assert!(grey.bounding_box.is_some());
    let anyway = Wanted { wait_for_visible: false, ..by(TargetBy::Css, "#gone") };
    assert_eq!(scene.locate(&anyway).await.unwrap().matched_count, 1);
    // A box that its label stands for.
    let agree = scene.locate(&by(TargetBy::Label, "I agree")).await.unwrap();
    assert_eq!(agree.role, "checkbox");
    assert!(agree.bounding_box.width > 0.0);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_redefines_what_we_use_misleads_nobody() {
    let scene = Scene::new().await;
    scene
        .shows(
            "<img name=querySelectorAll><img name=createTreeWalker><img name=evaluate><img name=activeElement>
             <form id=form><input name=parentNode><input name=nodeType><input name=querySelectorAll>
             <input name=getRootNode><input name=shadowRoot><input name=contains>
             <label for=f>Field</label><input id=f name=field><button id=b type=button onclick='n = (window.n ?? 0) + 1'>Press</button></form>
             <script>
             const lies = () => { throw new Error('no') };
             Document.prototype.querySelectorAll = Element.prototype.querySelectorAll = lies;
             Element.prototype.getBoundingClientRect = Element.prototype.matches = lies;
             EventTarget.prototype.dispatchEvent = lies; Map.prototype.get = lies; Array.prototype.map = lies;
             window.Event = window.MouseEvent = window.PointerEvent = window.MutationObserver = window.requestAnimationFrame = lies;
             Object.defineProperty(HTMLInputElement.prototype, 'value', { get: () => 'lie', set: lies });
             </script>",
        )
        .await;
    assert_eq!(scene.id_of(&by(TargetBy::Label, "Field")).await, "f");
    assert_eq!(scene.id_of(&by(TargetBy::Css, "#form >> role: button \"Press\"")).await, "b");
    assert_eq!(scene.id_of(&by(TargetBy::Xpath, "//form//button")).await, "b");
    let located = scene.locate(&by(TargetBy::Css, "#b")).await.unwrap();
    scene.clicks(&located.element).await;
    assert_eq!(scene.evaluate("n").await, 1);
    let typed = scene.types("#f", "true").await.typed.unwrap();
    assert_eq!((typed.value.as_deref(), typed.differs), (Some("true"), false));
    scene.ends().await;
}
