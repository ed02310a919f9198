//! Peak memory of a reading, measured by a counting allocator over hostile pages: never more than
//! `PEAK_PER_SNAPSHOT_BYTE` × the snapshot plus `PEAK_MAX_BYTES`.
//!
//! There is one test, since the allocator counts the memory of all threads. `SCENE=rows` runs only the scenes with
//! `rows` in their names, and also each directive separately.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/hostile.rs"]
mod hostile;

use std::time::Instant;

use peak_alloc::PeakAlloc;
use porthole_contract::{Directive, ExtractKind, TableFormat};
use porthole_reading::frames::Document;
use porthole_reading::outcome::{self, ReadError};
use porthole_reading::{PEAK_MAX_BYTES, PEAK_PER_SNAPSHOT_BYTE};
use serde_json::json;

use hostile::Scene;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Stack size of the thread on which the service reads.
const STACK_BYTES: usize = 16 * 1024 * 1024;

fn directives(scene: &Scene) -> Vec<Directive> {
    if let Some((map, _)) = &scene.map {
        return vec![Directive { map: Some(map.clone()), ..Directive::of(ExtractKind::Json) }];
    }
    let of = |kind| Directive::of(kind);
    let table = || of(ExtractKind::Table);
    let csv = || Directive { format: Some(TableFormat::Csv), ..table() };
    let tables = || of(ExtractKind::Tables);
    let linked = |directive| Directive { links: true, ..directive };
    let all = [of(ExtractKind::Markdown), of(ExtractKind::Html), of(ExtractKind::Article), of(ExtractKind::Links)]
        .into_iter()
        .chain([of(ExtractKind::Images), of(ExtractKind::Headings), table(), csv(), tables()])
        .chain([linked(table()), linked(csv()), linked(tables())]);
    let late = [table(), csv()].map(|directive| Directive { offset: Some(300), max_chars: Some(50), ..directive });
    all.chain(late).collect()
}

#[test]
fn no_page_makes_a_reading_exceed_its_memory_bound() {
    let only = std::env::var("SCENE").unwrap_or_default();
    for scene in hostile::scenes() {
        if !scene.name.contains(&only) {
            continue;
        }
        let (name, directives) = (scene.name, directives(&scene));
        let answers: Vec<_> = directives
            .iter()
            .map(|directive| match &scene.map {
                Some((_, values)) => json!({"values": values}),
                None if scene.roots.is_empty() => json!({"roots": [0], "matched": 1}),
                None if directive.kind == ExtractKind::Article => json!({"roots": [0], "matched": 1}),
                None => json!({"roots": scene.roots, "matched": scene.roots.len()}),
            })
            .collect();
        let json = scene.page.snapshot(&json!(answers));
        // Shows which directive uses the most memory.
        if !only.is_empty() {
            for (at, directive) in directives.iter().enumerate() {
                let mut snapshot: serde_json::Value = serde_json::from_str(&json).unwrap();
                snapshot["answers"] = json!([answers[at]]);
                let json = snapshot.to_string();
                drop(snapshot);
                measure(name, &format!("{directive:?}"), vec![directive.clone()], json);
            }
        }
        measure(name, "all of them", directives, json);
    }
}

/// Reads a snapshot with the service's stack size, and compares the peak memory with the bound.
fn measure(name: &str, what: &str, directives: Vec<Directive>, json: String) {
    let bytes = json.len();
    let read = move || {
        let snapshot = Document { snapshot: json, ..Document::default() }.joined().unwrap();
        outcome::read(&directives, &outcome::Schemas::default(), snapshot, &|| false)
    };
    let before = ALLOCATOR.current_usage() - bytes;
    ALLOCATOR.reset_peak_usage();
    let started = Instant::now();
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(read).unwrap();
    let results = thread.join().unwrap();
    let peak = ALLOCATOR.peak_usage() - before;
    let bound = PEAK_PER_SNAPSHOT_BYTE * bytes + PEAK_MAX_BYTES;
    let mb = |bytes: usize| bytes / 1_000_000;
    println!(
        "{name}: {} MB of {} MB, snapshot {} MB, {:?}, {what:.100}",
        mb(peak),
        mb(bound),
        mb(bytes),
        started.elapsed()
    );
    assert!(peak <= bound, "{name}, {what}: {} MB used, {} MB allowed", mb(peak), mb(bound));
    match results {
        Ok(results) => {
            for result in results {
                let chars = result.content.chars().count();
                assert!(chars <= 20_000, "{name}, {what}: {chars} characters");
                let data = result.data.map_or(0, |data| data.to_string().len());
                assert!(data <= 8 * 20_000 * 4, "{name}, {what}: {data} bytes of data");
            }
        }
        Err(error) => assert!(matches!(error, ReadError::Empty(_)), "{name}, {what}: {error}"),
    }
}
