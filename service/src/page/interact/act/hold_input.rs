//! Documents of the page other than the element's: while an action sends input, they hold theirs.
//!
//! A frame may slide under the pointer, or take the focus, after the element was checked. The guard of the element's
//! own document (`script/interact/act/guard.js`) does not see input that reaches another document.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{FrameTree, GetFrameTreeParams};
use futures_util::future::join_all;
use serde_json::json;
use tokio::time::timeout;

use crate::cdp::{CdpError, Session};
use crate::page::Page;
use crate::page::interact::{ActError, Frame};
use crate::page::script::{HOLD, RELEASE};
use crate::page::world::{argument, in_frame, in_world, value};

/// How many documents hold their input. A page with more gets none: the one beyond may be the one that would take it.
const FRAMES_MAX: usize = 300;
/// How many may fail to answer in time. The script of some may be busy; so many are slow because they are many.
const SILENT_MAX: usize = 8;
/// How long they may take together. One whose script is busy for longer takes no input meanwhile either.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);
/// How long they hold it if nothing releases them: longer than a call may take.
const HELD_MS: u64 = 70_000;

/// Which input is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeldInput {
    Pointer,
    Keys,
    /// What HTML's drag and drop brings to a document.
    Drops,
}

/// Documents that hold their input, until this is dropped.
#[derive(Debug)]
pub(super) struct Aside {
    held: Vec<(Session, i64)>,
    /// Whether these are all that were to hold it.
    pub(super) is_whole: bool,
}

impl Page {
    /// Whether the page has no documents but these.
    pub(super) async fn has_only(&self, meant: &[Frame]) -> bool {
        if !self.state.borrow().parts.is_empty() {
            return false;
        }
        let asked = timeout(ANSWER_TIMEOUT, self.session.call(&GetFrameTreeParams::default()));
        let Ok(Ok(tree)) = asked.await else { return false };
        let mut ids = Vec::new();
        ids_of(&tree.frame_tree, &mut ids);
        ids.iter().all(|id| meant.iter().any(|frame| frame.id() == id))
    }

    /// Has all documents of the page but `meant` hold their input.
    ///
    /// # Errors
    /// [`ActError::DispatchFailed`] where they are too many: an advertisement could make so many frames that one of them takes
    /// what is typed into the page.
    pub(super) async fn hold_aside(&self, meant: &[Frame], input: HeldInput) -> Result<Aside, ActError> {
        let aside = self.hold_aside_most(meant, input).await;
        let too_many =
            || ActError::DispatchFailed("the page has too many frames to keep the input from all others".to_owned());
        if aside.is_whole { Ok(aside) } else { Err(too_many()) }
    }

    /// The same of as many as possible.
    pub(super) async fn hold_aside_most(&self, meant: &[Frame], input: HeldInput) -> Aside {
        let mut sessions = vec![self.session.clone()];
        sessions.extend(self.state.borrow().parts.values().take(FRAMES_MAX + 1).cloned());
        let trees = join_all(sessions.into_iter().map(|session| async move {
            let answer = timeout(ANSWER_TIMEOUT, session.call(&GetFrameTreeParams::default())).await;
            let is_silent = answer.is_err();
            let mut ids = Vec::new();
            if let Ok(Ok(tree)) = answer {
                ids_of(&tree.frame_tree, &mut ids);
            }
            (session, ids, is_silent)
        }))
        .await;
        let mut silent = trees.iter().filter(|(.., is_silent)| *is_silent).count();
        let of_session =
            |(session, ids, _): (Session, Vec<String>, bool)| ids.into_iter().map(move |id| (session.clone(), id));
        let mut others: Vec<(Session, String)> = trees.into_iter().flat_map(of_session).collect();
        others.retain(|(_, id)| meant.iter().all(|frame| frame.id() != id));
        let are_few = others.len() <= FRAMES_MAX;
        others.truncate(FRAMES_MAX);
        let holding = others
            .into_iter()
            .map(|(session, id)| async move { timeout(ANSWER_TIMEOUT, hold(session, &id, input)).await });
        let mut held = Vec::new();
        for answer in join_all(holding).await {
            match answer {
                Ok(Ok(one)) => held.push(one),
                // It has gone, or gone on to another document.
                Ok(Err(_)) => {}
                Err(_) => silent += 1,
            }
        }
        Aside { held, is_whole: are_few && silent <= SILENT_MAX }
    }
}

async fn hold(session: Session, frame: &str, input: HeldInput) -> Result<(Session, i64), CdpError> {
    let world = *session.call(&in_frame(frame)).await?.execution_context_id.inner();
    let arguments = [json!(input.name()), json!(HELD_MS)].map(argument);
    session.call(&in_world(world, HOLD, &arguments)).await?;
    Ok((session, world))
}

fn ids_of(tree: &FrameTree, ids: &mut Vec<String>) {
    ids.push(tree.frame.id.inner().clone());
    for child in tree.child_frames.iter().flatten() {
        ids_of(child, ids);
    }
}

// === impl HeldInput ===

impl HeldInput {
    /// As in `hear.js`.
    fn name(self) -> &'static str {
        match self {
            Self::Pointer => "pointer",
            Self::Keys => "keys",
            Self::Drops => "drops",
        }
    }
}

// === impl Aside ===

impl Aside {
    /// Ends it. What would have got input, as `<button id="pay"> in another frame`. Frames that a dialog holds are not waited
    /// for: they are released once it is answered.
    pub(super) async fn release(mut self, page: &Page) -> Option<String> {
        let asked = std::mem::take(&mut self.held).into_iter().map(|(session, world)| async move {
            let answer = timeout(ANSWER_TIMEOUT, session.call(&in_world(world, RELEASE, &[]))).await.ok()?.ok()?;
            value::<Option<String>>(answer).ok()?
        });
        tokio::select! {
            biased;
            would_have_got = join_all(asked) => would_have_got.into_iter().flatten().next(),
            _ = page.dialog_opens() => None,
        }
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        for (session, world) in &self.held {
            session.call(&in_world(*world, RELEASE, &[])).forget();
        }
    }
}
