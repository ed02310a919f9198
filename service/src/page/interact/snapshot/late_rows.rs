//! Asks for the rows of what is shown of long documents. See `script/interact/snapshot/late_rows.js`.

use futures_util::future::join_all;
use porthole_reading::tree::Node;

use super::gather::{FRAMES_TIMEOUT, Gathered, Known};
use crate::page::Page;

impl Page {
    /// Has the kit tell the rows of `roots`, what is shown of `gathered`, as far as it left them out. `false` where a document
    /// has changed meanwhile, has left or doesn't answer.
    pub(super) async fn tell_rows(&self, gathered: &mut Gathered, roots: &mut [Node]) -> bool {
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
                let told = frame.call::<Option<Vec<u32>>>(self, FRAMES_TIMEOUT, "rows", vec![numbers.into()]).await;
                told.ok().flatten().map(|rows| (handles, rows))
            }
        });
        let Some(told) = join_all(asking).await.into_iter().collect::<Option<Vec<_>>>() else { return false };
        for (handle, row) in told.into_iter().flat_map(|(handles, rows)| handles.into_iter().zip(rows)) {
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
