//! Refs: the numbers by which agents refer to elements, across all documents of a session.
//!
//! A number belongs to one node of one document and is never reused. A ref is valid while its node is in that document
//! with the role and the name that were last shown for it. It is never resolved by similarity.

use std::collections::{HashMap, HashSet};

use porthole_reading::tree::Node;

use crate::page::interact::{Element, Frame, Ref, SnapshotOptions};

/// How many refs a session remembers. Beyond, the oldest are forgotten and count as gone.
const REFS_MAX: usize = 200_000;

/// Of how many pages the latest tree is kept, for the changes since.
const PAGES_MAX: usize = 16;

/// What a ref stands for.
#[derive(Clone, Debug)]
pub struct RefRecord {
    /// The frame's document.
    pub frame: Frame,
    /// The node's number there.
    pub number: u32,
    /// The role that was last shown.
    pub role: String,
    /// The name that was last shown, before it was cut.
    pub name: String,
    /// What its row, or the part of the page around it, was about, and where it led.
    pub row: u32,
    /// The snapshot that showed it last.
    pub snapshot: u64,
}

/// A ref that no longer means what it was shown for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reference} {fate}")]
pub struct Stale {
    /// The ref.
    pub reference: Ref,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a ref's element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fate {
    /// The node has left its document.
    #[error("is from snapshot s{snapshot}: the element is gone")]
    Gone {
        /// The snapshot that showed it last.
        snapshot: u64,
    },
    /// The node has another role or name.
    #[error("is from snapshot s{snapshot}: the element has changed: it is {role} {name:?} now")]
    Changed {
        /// The snapshot that showed it last.
        snapshot: u64,
        /// Its role now.
        role: String,
        /// Its name now, cut.
        name: String,
    },
    /// The node is in a row or a part of the page that is about something else now, or is a link to elsewhere.
    #[error(
        "is from snapshot s{snapshot}: the element has changed: its row or the part of the page around it is about something else now, or it leads elsewhere"
    )]
    AnotherRow {
        /// The snapshot that showed it last.
        snapshot: u64,
    },
    /// Its frame shows another document.
    #[error("is from snapshot s{snapshot}: its frame shows another document")]
    AnotherDocument {
        /// The snapshot that showed it last.
        snapshot: u64,
    },
    /// No snapshot ever showed it.
    #[error("was never given")]
    NeverGiven,
}

/// The refs of one session.
#[derive(Debug, Default)]
pub struct Refs {
    given: u64,
    /// Refs up to this one are forgotten.
    forgotten: u64,
    shown: HashMap<Ref, RefRecord>,
    by_node: HashMap<(String, u32), Ref>,
    snapshots: u64,
    /// The tree that was shown last, and how it was asked for, by the page's main frame.
    latest: HashMap<String, (SnapshotOptions, Vec<Node>)>,
}

impl Refs {
    /// The ref of a node: the one that it has, or a new one.
    pub fn of(&mut self, shown: RefRecord) -> Ref {
        let reference = self.number(&shown.frame, shown.number);
        self.shown.insert(reference, shown);
        reference
    }

    /// The ref that a node has or will have, which is not shown by that.
    pub(super) fn number(&mut self, frame: &Frame, number: u32) -> Ref {
        if self.by_node.len() >= REFS_MAX {
            self.forget_oldest();
        }
        *self.by_node.entry((frame.document().to_owned(), number)).or_insert_with(|| {
            self.given += 1;
            Ref(self.given)
        })
    }

    /// The number of the next snapshot.
    pub(super) fn next_snapshot(&mut self) -> u64 {
        self.snapshots += 1;
        self.snapshots
    }

    /// Keeps the tree that is shown of a page. The one before is returned if it was asked for alike: another one differs
    /// from it by what was asked for, too.
    pub(super) fn keep(&mut self, main_frame: &str, options: &SnapshotOptions, tree: Vec<Node>) -> Option<Vec<Node>> {
        if self.latest.len() >= PAGES_MAX && !self.latest.contains_key(main_frame) {
            self.latest.clear();
        }
        let options = SnapshotOptions { changes: false, ..*options };
        let (before, tree) = self.latest.insert(main_frame.to_owned(), (options, tree))?;
        (before == options).then_some(tree)
    }

    /// Notes that the agent knows what is around an element now: a tree of changes was shown, of which its line is not one.
    pub(super) fn still_shown(&mut self, reference: Ref, role: &str, name: &str, row: u32, snapshot: u64) {
        if let Some(shown) = self.shown.get_mut(&reference).filter(|shown| shown.role == role && shown.name == name) {
            (shown.row, shown.snapshot) = (row, snapshot);
        }
    }

    /// The refs in the tree that was shown last of a page.
    pub(super) fn latest(&self, main_frame: &str) -> HashSet<Ref> {
        let mut nodes: Vec<&Node> = self.latest.get(main_frame).into_iter().flat_map(|(_, tree)| tree).collect();
        let mut latest = HashSet::new();
        while let Some(node) = nodes.pop() {
            latest.extend(node.reference.map(Ref));
            nodes.extend(&node.children);
        }
        latest
    }

    /// What a ref was last shown for; `None` for one that was never given or is forgotten.
    #[must_use]
    pub fn get(&self, reference: Ref) -> Option<&RefRecord> {
        self.shown.get(&reference)
    }

    /// What a node was last shown for, if it has a ref.
    pub(in crate::page::interact) fn shown_as(&self, frame: &Frame, number: u32) -> Option<&RefRecord> {
        self.get(*self.by_node.get(&(frame.document().to_owned(), number))?)
    }

    /// The ref of an element, if it has one.
    #[must_use]
    pub fn known(&self, element: &Element) -> Option<Ref> {
        self.by_node.get(&(element.frame.document().to_owned(), element.number)).copied()
    }

    /// Whether the number was ever given.
    #[must_use]
    pub fn was_given(&self, reference: Ref) -> bool {
        (1..=self.given).contains(&reference.0)
    }

    /// Whether the number was given to a node that is forgotten by now.
    #[must_use]
    pub fn was_forgotten(&self, reference: Ref) -> bool {
        self.was_given(reference) && !self.shown.contains_key(&reference) && reference.0 <= self.forgotten
    }

    fn forget_oldest(&mut self) {
        let keep_from = self.given.saturating_sub(REFS_MAX as u64 / 2);
        self.forgotten = keep_from;
        self.shown.retain(|reference, _| reference.0 > keep_from);
        self.by_node.retain(|_, reference| reference.0 > keep_from);
    }
}
