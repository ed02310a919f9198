//! How much work a hostile text makes for the viewer of Markdown: counted by the engine, not timed.

use serde_json::json;

use crate::bench::Bench;
use crate::chromium::Chromium;

/// The module under test.
const MARKDOWN: &str = "/elements/markdown.js";

/// Texts of about `n` characters, each made to have marks without partners, deep nesting or long runs.
const HOSTILE: &[(&str, &str)] = &[
    ("stars", "'*'.repeat(n)"),
    ("brackets", "'['.repeat(n)"),
    ("backticks", "'`'.repeat(n)"),
    ("emphases that never end", "'**a '.repeat(n / 4)"),
    ("underscores within a word", "'_a'.repeat(n / 2)"),
    ("pictures that never end", "'!['.repeat(n / 2)"),
    ("quotes within quotes", "'> '.repeat(n / 2)"),
    ("lists within lists", "'- '.repeat(n / 2)"),
    ("one row of bars", "'|'.repeat(n)"),
    ("a table of many columns", "`${'a|'.repeat(n / 2)}\\n${'-|'.repeat(400)}`"),
    ("backslashes", "'\\\\'.repeat(n)"),
    ("beginnings of addresses", "'<http'.repeat(n / 5)"),
    ("links that never end", "'[a]('.repeat(n / 4)"),
    ("many items", "'- a\\n'.repeat(n / 4)"),
    ("many quotes", "'> > > > > > > > a\\n'.repeat(n / 18)"),
    ("code that never ends", "'`a'.repeat(n / 2)"),
    ("strong emphases", "'***a** '.repeat(n / 7)"),
    ("many short lines", "'a\\n'.repeat(n / 2)"),
    ("lines that end in spaces", "'a   \\n'.repeat(n / 5)"),
    ("a heading with many spaces", "`# a${' '.repeat(n)}b`"),
    ("a heading with many marks", "`# a ${'#'.repeat(n)}b`"),
    ("a line with many spaces", "`a${' '.repeat(n)}b\\nc`"),
    ("fences that never end", "'~~~\\n> '.repeat(n / 6)"),
    ("rows of a table", "`a|b\\n-|-\\n${'a|b\\n'.repeat(n / 4)}`"),
];

/// Counts the characters that the engine's own searches look at, which are in no block of the module: of a regular
/// expression without an anchor all of the text, and where it begins with a run of spaces each length of each run; of
/// `indexOf` all up to what it finds.
const COUNTED: &str = "
    const exec = RegExp.prototype.exec, indexOf = String.prototype.indexOf;
    RegExp.prototype.exec = function (text) {
        const searches = !this.sticky && !this.source.startsWith('^');
        const tries = [' +', '(?: +', '[ \\\\t]+', '\\\\s+'].some((start) => this.source.startsWith(start));
        let run = 0;
        for (let at = 0; searches && at < text.length; at += 1) {
            run = tries && text[at] === ' ' ? run + 1 : 0;
            scanned += 1 + run;
        }
        return exec.call(this, text);
    };
    String.prototype.indexOf = function (wanted, from = 0) {
        const at = indexOf.call(this, wanted, from);
        scanned += (at < 0 ? this.length : at) - from;
        return at;
    };";

/// The work of showing this text: blocks of the module that ran, and characters that were searched.
async fn work(chromium: &Chromium, text: &str, n: usize) -> u64 {
    chromium.blocks_run(MARKDOWN).await;
    let shown = format!("globalThis.scanned = 0; globalThis.markdown(((n) => {text})({n})); globalThis.scanned");
    let scanned = chromium.evaluate(&shown).await;
    chromium.blocks_run(MARKDOWN).await + scanned.as_u64().expect("a count")
}

#[tokio::test]
async fn markdown_takes_work_in_proportion_to_its_length() {
    let bench = Bench::start().await;
    let chromium = Chromium::start().await;
    chromium.counts_blocks().await;
    chromium.open(&bench.url("/run/nothing")).await;
    let ready = format!(
        "import('{MARKDOWN}').then((module) => {{ globalThis.markdown = module.markdown; globalThis.scanned = 0; {COUNTED} }})"
    );
    chromium.evaluate(&ready).await;
    let mut found = Vec::new();
    for (name, text) in HOSTILE {
        // Beyond the longest span, so that what it costs to look for a partner is the same in both.
        let (once, twice) = (work(&chromium, text, 4_000).await, work(&chromium, text, 8_000).await);
        assert!(once > 0, "{name}: nothing was counted");
        // Twice the text takes about twice the work; quadratic work would be four times as much.
        if twice * 10 > once * 26 {
            found.push(json!({"text": name, "once": once, "twice": twice}));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
