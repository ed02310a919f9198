//! Articles of snapshots on disk, as the article-extraction benchmark wants them: a folder of `KEY.json` → JSON.
//!
//! What is measured through the service itself is in `reading/bench/articles.py`; this is for working on the extraction alone.

use std::collections::BTreeMap;

use porthole_reading::dom::Dom;
use porthole_reading::snapshot::Snapshot;
use porthole_reading::view::View;
use porthole_reading::{article, markdown};

fn main() {
    let folder = std::env::args().nth(1).expect("a folder of snapshots");
    let mut texts = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let key = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let snapshot: Snapshot = serde_json::from_slice(&std::fs::read(&path).expect("a file")).expect("a snapshot");
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
    println!("{}", serde_json::to_string(&texts).expect("JSON"));
}
