//! Asks for the rows of what is shown of long documents. See `script/interact/snapshot/late_rows.js`.

use futures_util::future::join_all;
use porthole_reading::tree::Node;

use super::gather::{FRAMES_TIMEOUT, Gathered, Known};
use crate::page::Page;

impl Page {
    /// Asks the kit for the rows of the nodes in `roots`, which are shown of `gathered`, in the documents that left their rows
    /// out. Returns `false` where a document has changed since, has left or doesn't answer.
    pub(super) async fn ask_for_late_rows(&self, gathered: &mut Gathered, roots: &mut [Node]) -> bool {
        if gathered.without_rows.is_empty() {
            return true;
        }
        let mut shown = Vec::new();
        each(roots, |node| shown.extend(handle_of(node)));
        let asking = gathered.without_rows.iter().map(|frame| {
            let is_its = |known: &Known| known.frame.document() == frame.document();
            let handles = shown.iter().copied().filter(|handle| gathered.known.get(*handle).is_some_and(is_its));
            let handles: Vec<usize> = handles.collect();
            let numbers: Vec<u32> = handles.iter().map(|handle| gathered.known[*handle].number).collect();
            async move {
                let rows = frame.call::<Option<Vec<u32>>>(self, FRAMES_TIMEOUT, "rows", vec![numbers.into()]).await;
                rows.ok().flatten().map(|rows| (handles, rows))
            }
        });
        let Some(answers) = join_all(asking).await.into_iter().collect::<Option<Vec<_>>>() else { return false };
        for (handle, row) in answers.into_iter().flat_map(|(handles, rows)| handles.into_iter().zip(rows)) {
            gathered.known[handle].row = row;
        }
        each(roots, |node| {
            if let Some(known) = handle_of(node).and_then(|handle| gathered.known.get(handle)) {
                node.row = known.row;
            }
        });
        true
    }
}

fn handle_of(node: &Node) -> Option<usize> {
    node.handle.and_then(|handle| usize::try_from(handle).ok())
}

fn each(roots: &mut [Node], mut visit: impl FnMut(&mut Node)) {
    let mut open: Vec<&mut Node> = roots.iter_mut().collect();
    while let Some(node) = open.pop() {
        visit(node);
        open.extend(&mut node.children);
    }
}
