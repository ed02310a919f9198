//! A snapshot of a page: its tree as an agent reads it, with refs.
//!
//! `gather` asks all frames, and `late_rows` for the rows of what is shown of long documents. `refs` are the numbers that agents know elements by.

mod gather;
mod late_rows;
mod options;
mod reference;
mod refs;

use std::collections::BTreeMap;

use porthole_reading::tree::{self, Node, Options, changes, fold, write};

use self::gather::{Gathered, Known};
pub use self::options::SnapshotOptions;
pub use self::reference::{NotARef, Ref};
pub use self::refs::{Fate, RefRecord, Refs, Stale};
use crate::page::Page;
use crate::page::interact::{ActError, Element};

/// How much of a name is told beside the tree, in characters.
const NAME_MAX_CHARS: usize = 200;

/// A ref, and where its element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefBox {
    /// The ref.
    pub reference: Ref,
    /// Its box in CSS pixels of the viewport: x, y, width, height.
    pub bounds: [i64; 4],
}

/// What a ref was shown as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownAs {
    /// Its role.
    pub role: String,
    /// Its name, cut.
    pub name: String,
}

/// A page's tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Its number in the session, `s3` on the wire.
    pub id: u64,
    /// One element a line.
    pub tree: String,
    /// The refs in the tree.
    pub refs: BTreeMap<Ref, ShownAs>,
    /// Lines with an element.
    pub element_count: usize,
    /// Whether something was left out.
    pub truncated: bool,
    /// Whether the page has more than was read at all.
    pub is_cut: bool,
    /// The tree's Unicode scalar values.
    pub chars: usize,
    /// Whether the tree has only the changes; `None` where they were not asked for.
    pub changes: Option<bool>,
}

impl Page {
    /// What is on the page, in all of its frames. Refs are given to what is shown, and remembered in `refs`.
    ///
    /// # Errors
    /// [`ActError`]: the root's ref is stale, a dialog holds the page, or it died.
    pub async fn snapshot(&self, refs: &mut Refs, options: &SnapshotOptions) -> Result<Snapshot, ActError> {
        let how = Options {
            max_depth: options.max_depth,
            offset: options.offset,
            of_element: options.root.is_some(),
            max_chars: options.max_chars,
        };
        let mut all_rows = false;
        let (Gathered { known, is_cut, .. }, roots, is_folded) = loop {
            let mut gathered = self.gather_asked(refs, options, all_rows).await?;
            let known = &gathered.known;
            let mut give =
                |handle: u64| number(known, handle).map_or(0, |known| refs.number(&known.frame, known.number).0);
            let (mut roots, is_folded) = fold(std::mem::take(&mut gathered.roots), &how, &mut give);
            if self.ask_for_late_rows(&mut gathered, &mut roots).await {
                break (gathered, roots, is_folded);
            }
            all_rows = true;
        };
        let full = write(&roots);
        let changed = refs
            .keep(&self.main_frame, options, roots.clone())
            .filter(|_| options.changes)
            .map(|before| changes(&before, &roots));
        let shorter = changed.filter(|changed| changed.chars < full.chars);
        let is_changes = shorter.is_some();
        let id = refs.next_snapshot();
        for known in full.refs.iter().filter_map(|(_, handle)| number(&known, *handle)).filter(|_| is_changes) {
            let reference = refs.number(&known.frame, known.number);
            refs.still_shown(reference, &known.role, &known.name, known.row, id);
        }
        let tree = shorter.unwrap_or(full);
        Ok(Snapshot {
            id,
            refs: show(refs, &tree, &known, id),
            element_count: tree.element_count,
            truncated: is_folded || is_cut,
            is_cut,
            chars: tree.chars,
            tree: tree.text,
            changes: options.changes.then_some(is_changes),
        })
    }
}

impl Page {
    async fn gather_asked(&self, refs: &Refs, options: &SnapshotOptions, all_rows: bool) -> Result<Gathered, ActError> {
        let Some(reference) = options.root else {
            return Ok(self.gather_document(options, all_rows).await?.unwrap_or_default());
        };
        let element = self.resolve(refs, reference).await?;
        let gathered = self.gather_tree(&element.frame, Some(element.number), options, all_rows).await?;
        gathered.ok_or_else(|| {
            let snapshot = refs.get(reference).map(|shown| shown.snapshot).unwrap_or_default();
            Stale { reference, fate: Fate::Gone { snapshot } }.into()
        })
    }

    /// Reads the main frame's document. One that was asked for before is asked at once, which saves two round trips.
    async fn gather_document(&self, options: &SnapshotOptions, all_rows: bool) -> Result<Option<Gathered>, ActError> {
        if let Some(frame) = self.latest_document.get() {
            match self.gather_tree(&frame, None, options, all_rows).await {
                Err(ActError::NotFound(_)) => {}
                gathered => return gathered,
            }
        }
        let frame = self.main_document().await?;
        self.gather_tree(&frame, None, options, all_rows).await
    }

    /// The boxes of the elements that the latest snapshot of the page shows with refs, as far as they are still there.
    ///
    /// # Errors
    /// [`ActError`], as for a snapshot.
    pub async fn ref_boxes(&self, refs: &Refs) -> Result<Vec<RefBox>, ActError> {
        let latest = refs.latest(&self.main_frame);
        if latest.is_empty() {
            return Ok(Vec::new());
        }
        let options = SnapshotOptions { interactive_only: false, boxes: true, ..SnapshotOptions::default() };
        let frame = self.main_document().await?;
        let Some(gathered) = self.gather_tree(&frame, None, &options, false).await? else { return Ok(Vec::new()) };
        let mut boxes = Vec::new();
        let mut nodes: Vec<&Node> = gathered.roots.iter().collect();
        while let Some(node) = nodes.pop() {
            nodes.extend(&node.children);
            let known = node.handle.and_then(|handle| number(&gathered.known, handle));
            let reference =
                known.and_then(|Known { frame, number, .. }| refs.known(&Element::node(frame.clone(), *number)));
            if let (Some(reference), Some(bounds)) = (reference.filter(|own| latest.contains(own)), node.bounds) {
                boxes.push(RefBox { reference, bounds });
            }
        }
        boxes.sort_by_key(|one| one.reference);
        Ok(boxes)
    }
}

fn number(known: &[Known], handle: u64) -> Option<&Known> {
    usize::try_from(handle).ok().and_then(|handle| known.get(handle))
}

/// Remembers what the refs of a tree were shown for.
fn show(refs: &mut Refs, tree: &tree::Tree, known: &[Known], snapshot: u64) -> BTreeMap<Ref, ShownAs> {
    let shown = tree.refs.iter().filter_map(|(_, handle)| number(known, *handle)).map(|known| {
        let Known { frame, number, role, name, row } = known.clone();
        let shown_as = ShownAs { role: role.clone(), name: name.chars().take(NAME_MAX_CHARS).collect() };
        (refs.of(RefRecord { frame, number, role, name, row, snapshot }), shown_as)
    });
    shown.collect()
}
