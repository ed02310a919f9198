//! Extracts the articles of snapshots on disk (a folder of `KEY.json`) as JSON for the article-extraction benchmark.
//!
//! `reading/bench/articles.py` measures through the service; this example is for work on the extraction alone.

use std::collections::BTreeMap;

use porthole_reading::dom::Dom;
use porthole_reading::snapshot::Snapshot;
use porthole_reading::view::View;
use porthole_reading::{article, markdown};

fn main() {
    let folder = std::env::args().nth(1).expect("the argument is a folder of snapshots");
    let mut texts = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("the folder is readable") {
        let path = entry.expect("the entry is readable").path();
        let key = path.file_stem().expect("the file has a name").to_string_lossy().into_owned();
        let snapshot: Snapshot = serde_json::from_slice(&std::fs::read(&path).expect("the file is readable"))
            .expect("the file is a snapshot");
        let dom = Dom::of_columns(&snapshot.names, snapshot.columns.unwrap_or_default());
        let view = View::whole(&dom, false);
        let text = match dom.roots().next() {
            Some(root) => {
                let found = article::find(view, root, &snapshot.head);
                markdown::of(View { dropped: &found.dropped, ..view }, &found.roots)
            }
            None => String::new(),
        };
        texts.insert(key, serde_json::json!({"articleBody": text}));
    }
    println!("{}", serde_json::to_string(&texts).expect("texts serialize to JSON"));
}
