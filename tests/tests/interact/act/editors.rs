//! Editors as pages write them themselves: those that render what is typed, and those that draw their text beside the field
//! that has the focus. The editors of npm are driven by tests/editors.

use porthole_service::page::interact::{ActError, How, Refs, SnapshotOptions, Terms, Typing};

use super::scene::{Scene, ready, typing};
use crate::warned::Warned;

/// Takes all input by `beforeinput`, keeps lines, and renders every one anew each time.
const RENDERING: &str = "<div id=e contenteditable style='white-space:pre-wrap'></div><script>
    let lines = ['First line', 'Second line'], frozen = false, sent = 0;
    const render = () => { e.replaceChildren(...lines.map(line => { const div = document.createElement('div');
        div.append(line || document.createElement('br')); return div })) };
    let isAll = () => !getSelection().isCollapsed;
    e.onbeforeinput = event => { event.preventDefault(); if (frozen) return;
        if (isAll()) lines = [''];
        if (event.inputType === 'insertText') { const [first, ...rest] = event.data.split('\\n'); lines.push(lines.pop() + first, ...rest) }
        if (event.inputType === 'insertParagraph') lines.push('');
        render(); getSelection().selectAllChildren(e.lastChild); getSelection().collapseToEnd() };
    e.onkeydown = event => { if (event.key === 'Enter') sent++ };
    render()</script>";

const IS_ALL: &str = "isAll = () => !getSelection().isCollapsed";

/// Draws its lines beside a field without size, of which it draws the last ten: the text area of older editors, or an element
/// with an `EditContext`. It completes brackets that are typed, and indents lines that begin by Enter.
fn drawing(field: &str) -> String {
    format!(
        "<style>#surface {{ position: relative; width: 400px; height: 220px; font: 16px/20px monospace }} #numbers {{ float: left; width: 30px }}
        #lines {{ margin-left: 40px; min-height: 220px; cursor: text; white-space: pre }} #field {{ position: absolute; width: 1px; height: 1px; padding: 0; border: 0;
        overflow: hidden; resize: none; outline: 0 }}</style><div id=surface><div id=numbers></div>{field}<div id=lines aria-hidden=true></div></div>
        <script>let text = 'First line\\nSecond line', all = false, frozen = false, clicks = 0;
        const render = () => {{ const shown = text.split('\\n').slice(-10);
            numbers.textContent = shown.map((_, at) => at + 1).join(' ');
            lines.replaceChildren(...shown.map(line => {{ const div = document.createElement('div'); div.textContent = line || '\\u00a0'; return div }})) }};
        const put = more => {{ if (frozen) return; text = (all ? '' : text) + more; all = false; render() }};
        const types = more => {{ for (const one of more) put(one === '(' ? '()' : one === '\\n' ? '\\n    ' : one) }};
        field.addEventListener('keydown', event => {{
            if (event.ctrlKey && event.key === 'a') {{ all = true; event.preventDefault() }}
            if (event.key === 'Delete' || event.key === 'Backspace') put('');
            if (event.key === 'Enter') types('\\n') }});
        field.addEventListener('paste', event => {{ event.preventDefault(); put(event.clipboardData.getData('text/plain')) }});
        if (field.localName === 'textarea') field.oninput = () => {{ types(field.value); field.value = '' }};
        else {{ field.editContext = new EditContext(); field.editContext.addEventListener('textupdate', event => types(event.text)) }}
        lines.onmousedown = event => {{ event.preventDefault(); clicks++; field.focus() }};
        render()</script>"
    )
}

const FIELDS: [&str; 2] = [
    "<textarea id=field aria-label=Editor></textarea>",
    "<div id=field role=textbox aria-label=Editor tabindex=0></div>",
];
const CODE: &str = "f(\n  one\n\n    two\n)";

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_renders_what_is_typed_holds_it() {
    let scene = Scene::open().await;
    // Some keep the selection as the latest event told them of it, and draw it before they take a text.
    let mirrored = "all = false, isAll = () => all; document.onselectionchange = () => requestAnimationFrame(() => { all = !getSelection().isCollapsed })";
    let mirroring = RENDERING.replace(IS_ALL, mirrored);
    let ways = [How::Input, How::DocumentFirst];
    for (how, editor) in ways.into_iter().flat_map(|how| [(how, RENDERING), (how, &mirroring)]) {
        scene.shows(editor).await;
        let terms = || Terms { how, ..ready() };
        for (text, clear, holds) in [
            ("fresh", true, "fresh"),
            (" words", false, "fresh words"),
            (CODE, true, CODE),
            ("   spaces", true, "   spaces"),
            ("naïve 日本 🦊", true, "naïve 日本 🦊"),
        ] {
            let typing = Typing { clear, terms: terms(), ..typing(text) };
            let acted = scene.page.type_text(&scene.element("#e").await, &typing).await.unwrap();
            assert_eq!(scene.evaluate("lines.join('\\n')").await, holds, "{how:?}");
            assert_eq!(acted.warned(), Vec::<String>::new(), "{how:?} {text}");
        }
        assert_eq!(scene.evaluate("sent").await, 0, "lines come without Enter, which may send them");
        scene.evaluate("frozen = true").await;
        let typing = Typing { terms: terms(), ..typing("refused") };
        let refused = scene.page.type_text(&scene.element("#e").await, &typing).await.unwrap_err();
        assert!(matches!(refused, ActError::NoEffect(_)), "{how:?}: {refused:?}");
    }
    scene.ends().await;
}

/// Has its lines in blocks of blocks, and takes several of them from a paste alone, as the editor of this class does. It may take
/// its time.
const OF_BLOCKS: &str = "<div id=e class=bn-editor contenteditable style='white-space:pre-wrap'></div><script>
    let lines = ['First line', 'Second line'];
    const render = () => { e.innerHTML = '<div></div>'; for (const line of lines) { const block = document.createElement('div');
        block.innerHTML = '<p><span></span></p>'; block.querySelector('span').append(line || document.createElement('br')); e.firstChild.append(block) }
        getSelection().selectAllChildren(e.firstChild.lastChild.querySelector('span')); getSelection().collapseToEnd() };
    const put = text => { if (!getSelection().isCollapsed) lines = ['']; const [first, ...rest] = text.split('\\n');
        lines.push(lines.pop() + first, ...rest); render() };
    e.onpaste = event => { event.preventDefault(); const text = event.clipboardData.getData('text/plain');
        if (text.length < 10) put(text); else setTimeout(() => put(text), 400) };
    e.onbeforeinput = event => { event.preventDefault(); if (event.inputType === 'insertText') put(event.data.split('\\n')[0]) };
    render()</script>";

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_loses_lines_gets_them_as_a_paste() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst] {
        scene.shows(OF_BLOCKS).await;
        for (text, clear, holds) in [
            (CODE, true, CODE),
            ("fresh", true, "fresh"),
            ("\nend", false, "fresh\nend"),
            (" of it", false, "fresh\nend of it"),
        ] {
            let typing = Typing { clear, terms: Terms { how, ..ready() }, ..typing(text) };
            let acted = scene.page.type_text(&scene.element("#e").await, &typing).await.unwrap();
            assert_eq!(scene.evaluate("lines.join('\\n')").await, holds, "{how:?}");
            assert_eq!(acted.warned(), Vec::<String>::new(), "{how:?} {text}");
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_draws_its_text_beside_its_field_holds_it() {
    let scene = Scene::open().await;
    let long = (1..=40).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n");
    for field in FIELDS {
        for how in [How::Input, How::DocumentFirst] {
            scene.shows(&drawing(field)).await;
            let terms = || Terms { how, ..ready() };
            for (text, clear, holds) in [
                ("fresh", true, "fresh".to_owned()),
                (" words", false, "fresh words".to_owned()),
                (CODE, true, CODE.to_owned()),
                (&long, true, long.clone()),
                ("\nend", false, format!("{long}\nend")),
                ("   spaces", true, "   spaces".to_owned()),
            ] {
                let typing = Typing { clear, terms: terms(), ..typing(text) };
                let acted = scene.page.type_text(&scene.element("#field").await, &typing).await.unwrap();
                assert_eq!(scene.evaluate("text").await, holds.as_str(), "{field} {how:?}");
                assert_eq!(acted.warned(), Vec::<String>::new(), "{field} {how:?} {text}");
            }
            scene.evaluate("frozen = true").await;
            let typing = Typing { terms: terms(), ..typing("refused") };
            let refused = scene.page.type_text(&scene.element("#surface").await, &typing).await.unwrap_err();
            assert!(matches!(refused, ActError::NoEffect(_)), "{field} {how:?}: {refused:?}");
        }
        // A click on the field is one on its text; keys come to it.
        scene.shows(&drawing(field)).await;
        let tree = scene.page.snapshot(&mut Refs::default(), &SnapshotOptions::default()).await.unwrap().tree;
        assert!(tree.contains(r#"- textbox "Editor" [ref=@e1]: First line\nSecond line"#), "{tree}");
        scene.click("#field").await.unwrap();
        assert_eq!(scene.evaluate("clicks").await, 1, "{field}");
        scene.press(Some("#field"), "Control+A").await.unwrap();
        scene.press(None, "Delete").await.unwrap();
        scene.press(None, "x").await.unwrap();
        assert_eq!(scene.evaluate("text").await, "x", "{field}");
    }
    scene.ends().await;
}

/// Hands all text on as a terminal does: what is pasted is taken without a word to the browser, and the field empties itself.
/// The text comes back from a server, drawn as a picture or as text.
fn terminal(shown: &str) -> String {
    format!(
        "<div id=surface style='cursor:text;height:60px;width:300px;position:relative'><textarea id=field aria-label=Terminal
        style='opacity:0;width:1px;height:1px;position:absolute'></textarea>{shown}</div><script>let sent = '';
        const put = text => {{ sent += text; setTimeout(() => {{ if (globalThis.out) out.textContent += text }}, 300) }};
        field.onpaste = event => {{ event.stopPropagation(); put(event.clipboardData.getData('text/plain')); field.value = '' }};
        field.oninput = event => {{ if (event.inputType === 'insertText') put(event.data) }};
        field.onkeydown = event => {{ if (event.key === 'Enter') put('!') }}</script>"
    )
}

/// A command that comes twice is another command.
#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_gets_a_text_once() {
    let scene = Scene::open().await;
    for shown in ["<canvas width=300 height=60></canvas>", "<div id=out style='width:300px;height:30px'></div>"] {
        for how in [How::Input, How::DocumentFirst, How::DocumentOnly] {
            for (slowly, submit) in [(false, false), (false, true), (true, true)] {
                if slowly && how != How::Input {
                    continue;
                }
                scene.shows(&terminal(shown)).await;
                let typing = Typing { slowly, submit, terms: Terms { how, ..ready() }, ..typing("rm x") };
                let acted = scene.page.type_text(&scene.element("#field").await, &typing).await.unwrap();
                let sent = if submit { "rm x!" } else { "rm x" };
                assert_eq!(scene.evaluate("sent").await, sent, "{shown} {how:?} {slowly}");
                let is_told = acted.warned().iter().any(|warning| warning.starts_with("not_read_back: "));
                // Letters that stay in the field can be read there.
                assert_eq!(is_told, shown.contains("canvas") && !slowly, "{shown} {how:?}: {acted:?}");
            }
        }
    }
    scene.ends().await;
}

/// As MediaWiki's editor, whose model knows the paragraph that it has put the caret in.
#[tokio::test(flavor = "multi_thread")]
async fn an_empty_editor_gets_its_text_where_it_has_put_the_caret() {
    let scene = Scene::showing(
        "<div id=e contenteditable><p id=p><br></p></div><script>e.onfocus = () => getSelection().collapse(p, 0)</script>",
    )
    .await;
    scene.types("#e", "Alpha").await.unwrap();
    assert_eq!(scene.evaluate("p.isConnected && p.textContent").await, "Alpha");
    // The end of what is there is in its last block.
    scene.page.type_text(&scene.element("#e").await, &Typing { clear: false, ..typing(" Beta") }).await.unwrap();
    assert_eq!(scene.evaluate("p.isConnected && p.textContent").await, "Alpha Beta");
    scene.ends().await;
}

/// As CodeMirror 5, whose hidden field holds what is selected until it gets the focus.
#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_shows_another_text_keeps_its_ref() {
    let scene = Scene::showing(
        "<ul><li><div id=s style='width:300px;height:60px;cursor:text'>new text</div><div style='overflow:hidden;width:3px;height:0;position:relative'>
        <textarea id=t style='position:absolute;bottom:-1em;width:1000px;height:1em'>select many old words from a table</textarea></div> <button>Run</button></li></ul>
        <script>t.onfocus = () => { t.value = '' }; t.oninput = () => { s.textContent = t.value }</script>",
    )
    .await;
    let field = scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), |line| line.contains("textbox")).await;
    scene.page.type_text(&field, &typing("select 1")).await.unwrap();
    assert_eq!(scene.evaluate("s.textContent").await, "select 1");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_goes_as_it_is_selected_in_gets_nothing() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst] {
        scene
            .shows(
                "<div id=e contenteditable>Words</div><div id=o contenteditable>Other</div>
                <script>document.onselectionchange = () => { if (!getSelection().isCollapsed) e.remove() }</script>",
            )
            .await;
        let typing = Typing { terms: Terms { how, ..ready() }, ..typing("fresh") };
        let gone = scene.page.type_text(&scene.element("#e").await, &typing).await.unwrap_err();
        assert!(matches!(gone, ActError::NotFound(_)), "{how:?}: {gone:?}");
        assert_eq!(scene.evaluate("o.textContent").await, "Other", "{how:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chord_waits_for_an_editor_that_reads_the_selection_from_time_to_time() {
    let scene = Scene::open().await;
    scene
        .shows(
            "<div id=e contenteditable>Words</div><button id=b>Bold</button><output id=o></output><script>let own = '', next = null, read = 0;
            const look = () => { own = String(getSelection()); next = null; read = Date.now() };
            document.onselectionchange = () => { next ??= setTimeout(look, Math.max(0, read + 100 - Date.now())) };
            b.onmousedown = event => { event.preventDefault(); o.textContent += own + ';' };
            e.onkeydown = event => { if (event.ctrlKey && event.key === 'b') { event.preventDefault(); o.textContent += own + ';' } }</script>",
        )
        .await;
    for selects in ["Control+A", "End", "Control+A"] {
        scene.press(Some("#e"), selects).await.unwrap();
        scene.press(None, "Control+B").await.unwrap();
        scene.click("#b").await.unwrap();
    }
    assert_eq!(scene.evaluate("o.textContent").await, "Words;Words;;;Words;Words;");
    scene.ends().await;
}
