//! Fuzzing: each target is a function of bytes that must neither panic nor violate its assertions. It runs over seeds
//! (`fuzz/seeds/TARGET/`), reproducible mutations of the seeds, and random bytes.
//!
//! `FUZZ_ROUNDS=1000000 cargo test -p porthole-reading --test fuzz TARGET -- --nocapture` runs one for longer;
//! `FUZZ_SEED` changes the mutations. A failing input is printed; add it to the seeds once the bug is fixed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use porthole_contract::{
    Directive, ExtractKind, ExtractRequest, Instruction, ScreenshotRequest, StrictObject, TableFormat,
};
use porthole_reading::budget::Sizes;
use porthole_reading::dom::Dom;
use porthole_reading::frames::{Document, Frame};
use porthole_reading::outcome::{self, Schemas};
use porthole_reading::schema::{MISFITS_MAX, STEPS_MAX, Schema};
use porthole_reading::snapshot::Snapshot;
use porthole_reading::view::View;
use porthole_reading::{article, cut, html, images, links, map, markdown, table};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

/// Number of mutated seeds for each target in an ordinary run.
const ROUNDS: u64 = 400;
/// Number of random inputs for each target in an ordinary run.
const RANDOM_CASES: u32 = 100;
/// Longest input, in bytes.
const INPUT_MAX_BYTES: usize = 16 * 1024;

/// SplitMix64: small, and reproducible on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    /// Returns a random part of some bytes.
    fn part<'a>(&mut self, of: &'a [u8]) -> &'a [u8] {
        let from = self.below(of.len() + 1);
        let length = self.below(of.len() - from + 1).min(1 + self.below(200));
        &of[from..from + length]
    }

    /// Applies one random mutation to some bytes.
    fn mutated(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        const ODD: [&str; 20] = [
            "",
            "0",
            "-1",
            "1e400",
            "65535",
            "99999999999999999999",
            "\"",
            "\\",
            "\u{0}",
            "\u{feff}",
            "\u{202e}",
            "é",
            "💥",
            "{}",
            "[]",
            "null",
            "\n",
            "`````",
            "|",
            "<table>",
        ];
        let at = self.below(bytes.len() + 1);
        let end = at + self.below(bytes.len() - at + 1).min(1 + self.below(40));
        match self.below(7) {
            0 if at < bytes.len() => bytes[at] = u8::try_from(self.below(256)).unwrap(),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].repeat(1 + self.below(20));
                bytes.splice(at..at, part);
            }
            3 => {
                let other = self.below(seeds.len());
                let part = self.part(&seeds[other]).to_vec();
                bytes.splice(at..end, part);
            }
            4 => {
                let part = self.part(&bytes.clone()).to_vec();
                bytes.splice(at..end, part);
            }
            _ => {
                let odd = ODD[self.below(ODD.len())];
                bytes.splice(at..end, odd.bytes());
            }
        }
        bytes.truncate(INPUT_MAX_BYTES);
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}

/// Runs a target over its seeds, their mutations and random bytes.
fn fuzz(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    assert!(!seeds.is_empty(), "no seeds in {}", folder.display());
    let mut slowest = (Duration::ZERO, String::new());
    let mut checked = |input: &[u8]| {
        let started = Instant::now();
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(input))) {
            eprintln!("{target} fails on {:?}", String::from_utf8_lossy(input));
            std::panic::resume_unwind(panic);
        }
        let took = started.elapsed();
        if took > slowest.0 {
            slowest = (took, String::from_utf8_lossy(input).chars().take(2_000).collect());
        }
    };
    for seed in &seeds {
        checked(seed);
    }
    let mut random = Random(number("FUZZ_SEED").unwrap_or_default());
    for _ in 0..number("FUZZ_ROUNDS").unwrap_or(ROUNDS) {
        let seed = random.below(seeds.len());
        let mut input = seeds[seed].clone();
        for _ in 0..=random.below(6) {
            random.mutated(&mut input, &seeds);
        }
        checked(&input);
    }
    let mut runner = TestRunner::new(Config { cases: RANDOM_CASES, failure_persistence: None, ..Config::default() });
    let bytes = proptest::collection::vec(proptest::num::u8::ANY, 0..600);
    runner
        .run(&bytes, |bytes| {
            check(&bytes);
            Ok(())
        })
        .unwrap();
    println!("{target}: slowest {:?}: {}", slowest.0, slowest.1);
}

/// Splits an input at a line of `---`.
fn halves(text: &str) -> (&str, &str) {
    text.split_once("\n---\n").unwrap_or((text, ""))
}

#[test]
fn request() {
    fuzz("request", |bytes| {
        let strict = StrictObject::parse(bytes);
        if let Ok(request) = porthole_contract::parse::<ExtractRequest>(bytes) {
            assert!(strict.is_ok(), "the worker accepts what the service accepts");
            if let Ok(Some(directives)) = request.directives() {
                let _ = outcome::plan(&directives);
            }
        }
        let _ = porthole_contract::parse::<ScreenshotRequest>(bytes);
    });
}

#[test]
fn instruction() {
    fuzz("instruction", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(Instruction::Directives(directives)) = Instruction::parse(&text) {
            let _ = outcome::plan(&directives);
            // The typed form is equivalent.
            let typed: Vec<Directive> = serde_json::from_value(json!(directives)).unwrap();
            assert_eq!(typed, directives);
        }
    });
}

#[test]
fn map() {
    fuzz("map", |bytes| {
        let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
        if let Ok(fields) = map::parse(&value) {
            assert!(!fields.is_empty());
        }
    });
}

#[test]
fn schema() {
    fuzz("schema", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let (schema, value) = halves(&text);
        let Ok(schema) = serde_json::from_str::<Value>(schema) else { return };
        match Schema::compile(&schema) {
            Ok(compiled) => {
                let misfits = compiled.misfits(&serde_json::from_str(value).unwrap_or_default(), &Cell::new(STEPS_MAX));
                assert!(misfits.len() <= MISFITS_MAX + 1, "{misfits:?}");
            }
            Err(invalid) => assert_eq!(invalid.path, "schema"),
        }
    });
}

/// Returns directives of every kind, some with an offset, each with room for `max_chars`.
fn directives(max_chars: u32) -> Vec<Directive> {
    use ExtractKind::{Article, Headings, Html, Images, Json, Links, Markdown, Metadata, Table, Tables, Text};
    let kinds = [Article, Headings, Html, Images, Links, Markdown, Metadata, Table, Tables, Text, Json];
    let of = |kind| Directive {
        map: (kind == Json)
            .then(|| json!({"a": "p | number", "b[]": "a@href | url", "c": {"d": ["li", {"e": "b | date"}]}})),
        max_chars: Some(max_chars),
        ..Directive::of(kind)
    };
    let csv = Directive { format: Some(TableFormat::Csv), links: true, ..of(Table) };
    let linked = Directive { links: true, offset: Some(1), ..of(Tables) };
    let hidden = Directive { include_hidden: true, offset: Some(3), ..of(Markdown) };
    kinds.into_iter().map(of).chain([csv, linked, hidden]).collect()
}

#[test]
fn snapshot() {
    fuzz("snapshot", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let (own, frame) = halves(&text);
        let framed = Document { snapshot: frame.to_owned(), ..Document::default() };
        let document =
            Document { snapshot: own.to_owned(), frames: vec![Frame { number: 0, document: framed }], unread: 0 };
        let Ok(snapshot) = document.joined() else { return };
        for max in [1, 7, 200] {
            let directives = directives(max);
            let mut each: Snapshot = snapshot.clone();
            // The first answer is used as the answer to each kind.
            let answer = each.answers.first().cloned().unwrap_or_default();
            each.answers = vec![answer; directives.len()];
            let Ok(results) = outcome::read(&directives, &Schemas::default(), each, &|| false) else { continue };
            for (result, directive) in results.iter().zip(&directives) {
                let offset = u64::from(directive.offset.unwrap_or_default());
                assert!(result.next_offset.is_none_or(|next| next > offset), "{directive:?} {result:?}");
                // An object or a list has at least two characters.
                let chars = result.content.chars().count();
                let text = matches!(directive.kind, ExtractKind::Text);
                assert!(text || chars <= (max as usize).max(2), "{max} {directive:?} {result:?}");
            }
        }
    });
}

#[test]
fn html() {
    fuzz("html", |bytes| {
        let dom: Dom = support::dom(&String::from_utf8_lossy(bytes));
        let view = View::whole(&dom, false);
        let roots: Vec<usize> = dom.roots().collect();
        let written = markdown::read(view, &roots);
        assert!(!written.is_cut);
        let text = written.parts.join("\n\n");
        // A Markdown parser accepts it.
        pulldown_cmark::html::push_html(&mut String::new(), pulldown_cmark::Parser::new(&text));
        let _ = html::of(view, &roots);
        let sizes = Sizes::of(&dom);
        let budget = sizes.budget();
        assert!(links::of(view, &roots, &budget).all(|link| !link.url.is_empty()));
        let _ = (links::headings(view, &roots, &budget).count(), images::of(view, &roots).count());
        for id in (0..dom.len()).filter(|id| dom.name(*id) == "table") {
            let table = table::read(view, id);
            assert!(table.places() <= table::PLACES_MAX);
            assert_eq!(table.sources.len(), table.texts.len());
            let rows: Vec<Vec<&str>> = table.rows().take(50).collect();
            let written = table::csv(&table.headers, &rows);
            let mut reader =
                csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(written.as_bytes());
            let read: Vec<Vec<String>> =
                reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect();
            let expected: Vec<Vec<String>> = std::iter::once(table.headers.clone())
                .filter(|headers| !headers.is_empty())
                .chain(rows.iter().map(|row| row.iter().map(|text| (*text).to_owned()).collect()))
                .collect();
            assert_eq!(read, expected, "CSV reads back as it was written");
        }
        for root in roots {
            let found = article::find(view, root, &porthole_reading::snapshot::Head::default());
            let _ = markdown::of_section(View { dropped: &found.dropped, ..view }, &found.roots);
        }
    });
}

#[test]
fn cut() {
    fuzz("cut", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let parts: Vec<String> = text.split("\n\n").map(str::to_owned).collect();
        let whole = text.chars().count();
        for max in [1, 2, 9, 40, 300] {
            let mut offset = 0;
            for _ in 0..whole + parts.len() + 2 {
                let cut = cut::blocks(&parts, offset, max);
                assert!(cut.kept.chars().count() <= max, "{max} {offset} {cut:?}");
                let Some(next) = cut.next_offset else { break };
                let next = usize::try_from(next).unwrap();
                assert!(next > offset, "{max} {offset} {cut:?}");
                offset = next;
            }
            for offset in [0, 1, whole / 2, whole] {
                for cut in [cut::text(&text, offset, max), cut::html(&text, offset, max)] {
                    assert!(cut.kept.chars().count() <= max);
                    assert!(cut.next_offset.is_none_or(|next| next > offset as u64), "{max} {offset} {cut:?}");
                }
            }
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                assert_eq!(cut::json_chars(&value), value.to_string().chars().count());
                assert!(cut::json_chars(&cut::shrink(&value, max.max(2))) <= max.max(2));
                let window = cut::object(&value, offset.min(3), max.max(2));
                assert!(cut::json_chars(&window.kept) <= max.max(2));
            }
        }
    });
}
