//! A local page, leased for a session, and the site that it visits under two names.

use std::ops::Deref;

use porthole_service::page::interact::{ActError, Ref, Refs, Snapshot, SnapshotOptions, Stale};
use porthole_tests::site::SHOP;
use tokio::time::timeout;

use crate::held_page::{HeldPage, PATIENCE};

pub(crate) struct Scene {
    held: HeldPage,
    /// The refs of the page's session.
    pub(crate) refs: Refs,
}

impl Deref for Scene {
    type Target = HeldPage;

    fn deref(&self) -> &HeldPage {
        &self.held
    }
}

impl Scene {
    pub(crate) async fn local() -> Self {
        Self { held: HeldPage::open((1280, 720)).await, refs: Refs::default() }
    }

    /// Navigates to a page of this HTML, which is `<!doctype html>` and then what is given.
    pub(crate) async fn shows(&self, html: &str) {
        self.goes_with_frames(&self.site.html(&format!("<!doctype html>{html}"))).await;
    }

    /// Navigates to a URL and waits for its frames.
    pub(crate) async fn goes_with_frames(&self, url: &str) {
        self.goes(url).await;
        self.evaluate(
            "new Promise(done => document.readyState === 'complete' ? done(1) : addEventListener('load', () => done(1)))",
        )
        .await;
    }

    /// The URL of a page of this HTML at another name than the page's own: another origin, in a process of its own.
    pub(crate) fn elsewhere(&self, html: &str) -> String {
        self.site.under_name(&self.site.html(&format!("<!doctype html>{html}")), SHOP)
    }

    pub(crate) async fn snapshot(&mut self, options: &SnapshotOptions) -> Snapshot {
        let snapshot = timeout(PATIENCE, self.held.page.snapshot(&mut self.refs, options)).await.unwrap().unwrap();
        assert_eq!(snapshot.chars, snapshot.tree.chars().count());
        assert!(snapshot.chars <= options.max_chars, "{}", snapshot.tree);
        snapshot
    }

    /// The tree of what can be acted upon.
    pub(crate) async fn tree(&mut self) -> String {
        self.snapshot(&SnapshotOptions::default()).await.tree
    }

    /// The tree of everything.
    pub(crate) async fn full_tree(&mut self) -> String {
        self.snapshot(&SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() }).await.tree
    }

    /// Resolves a ref such as `@e5`; what it is stale for, if it is.
    pub(crate) async fn resolves(&self, reference: &str) -> Result<(), String> {
        match timeout(PATIENCE, self.page.resolve(&self.refs, reference.parse::<Ref>().unwrap())).await.unwrap() {
            Ok(_) => Ok(()),
            Err(ActError::Stale(Stale { fate, .. })) => Err(fate.to_string()),
            Err(error) => panic!("{reference}: {error}"),
        }
    }
}

/// The ref in the first line that shows this.
pub(crate) fn ref_of(tree: &str, shows: &str) -> String {
    let line = tree.lines().find(|line| line.contains(shows)).unwrap_or_else(|| panic!("no {shows} in {tree}"));
    format!("@e{}", line.split("@e").nth(1).and_then(|rest| rest.split(']').next()).unwrap())
}
