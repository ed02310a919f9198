//! Reads the local storage of the frames that pages show.

use std::sync::Arc;
use std::time::Duration;

use porthole_contract::limits::CAPTURE_TIMEOUT;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout, timeout_at};

use super::{READ, Read, Stored};
use crate::cdp::{CdpError, Session, command};
use crate::page::Page;
use crate::page::world::{argument, in_frame, in_world, value};

/// How long all frames may take together.
const FRAMES_TIMEOUT: Duration = Duration::from_secs(3);
/// How long one frame may take: its script may be busy.
const FRAME_TIMEOUT: Duration = Duration::from_secs(1);

/// `Page.getFrameTree`, of which only the frames' names and origins are read.
#[derive(Debug, Serialize)]
struct GetFrameTree {}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GotFrameTree {
    frame_tree: Tree,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tree {
    frame: Frame,
    #[serde(default)]
    child_frames: Vec<Tree>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    id: String,
    #[serde(default)]
    security_origin: String,
}

command!(GetFrameTree, "Page.getFrameTree" => GotFrameTree);

/// Reads each origin once, of the pages themselves first: a frame's local storage is partitioned by its page. A frame
/// that does not answer is left out.
pub async fn read_open(pages: &[Arc<Page>], stored: &mut Stored) {
    let until = Instant::now() + FRAMES_TIMEOUT;
    let reading = async {
        for page in pages {
            read(&page.session, &page.main_frame, stored).await;
        }
        for page in pages {
            let parts: Vec<Session> = page.state.borrow().parts.values().cloned().collect();
            for session in std::iter::once(&page.session).chain(&parts) {
                for frame in frames(session).await {
                    if frame.security_origin.starts_with("http") && !stored.has(&frame.security_origin) {
                        read(session, &frame.id, stored).await;
                    }
                }
            }
        }
    };
    if timeout_at(until, reading).await.is_err() {
        tracing::info!("not all frames gave their local storage in time");
    }
}

async fn frames(session: &Session) -> Vec<Frame> {
    let Ok(Ok(got)) = timeout(CAPTURE_TIMEOUT, session.call(&GetFrameTree {})).await else { return Vec::new() };
    let (mut frames, mut trees) = (Vec::new(), vec![got.frame_tree]);
    while let Some(Tree { frame, child_frames }) = trees.pop() {
        trees.extend(child_frames);
        frames.push(frame);
    }
    frames
}

async fn read(session: &Session, frame: &str, stored: &mut Stored) {
    let asking = async {
        let world = *session.call(&in_frame(frame)).await?.execution_context_id.inner();
        let room = argument(stored.room().into());
        value::<Option<Read>>(session.call(&in_world(world, READ, &[room])).await?)
    };
    match timeout(FRAME_TIMEOUT, asking).await {
        Ok(Ok(Some(read))) if read.origin.starts_with("http") => stored.add(read),
        Ok(Ok(_)) => {}
        Ok(Err(CdpError::Remote { .. } | CdpError::Detached)) => tracing::debug!("a frame was gone"),
        Ok(Err(error)) => tracing::debug!(%error, "a frame did not give its local storage"),
        Err(_) => tracing::debug!("a frame did not give its local storage in time"),
    }
}
