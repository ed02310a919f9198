//! Reads frames of other origins, which the page's own world can't access: each in a world of its own, through a
//! target session of its own if it has its own process. Skipped if the main document's reading is complete.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::dom::DescribeNodeParams;
use futures_util::future::{BoxFuture, join_all};
use porthole_reading::frames::{Document, Frame};
use porthole_reading::snapshot::SNAPSHOT_MAX_BYTES;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use super::Page;
use super::script::{NUMBERED, READ};
use super::world::{argument, in_frame, in_world, value};
use crate::cdp::{CdpError, Session};

/// Time limit for all frames together: a busy advertisement must not fail the page around it.
const FRAMES_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum depth of nested frames of other origins.
const DEPTH_MAX: u32 = 8;
/// Frames that are read at the same time: each frame's answer is held in memory as a whole.
const READ_AT_ONCE_MAX: usize = 8;
/// A frame's limits are the page's limits divided by this.
const LIMITS_PART: u64 = 4;

/// A question for a frame: a query, its field (-1 outside of maps), and the first step of its chain to run there.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Ask(usize, i64, usize);

/// The result of [`READ`].
#[derive(Debug, Deserialize)]
pub(super) struct Returned {
    /// The snapshot as JSON.
    pub snapshot: String,
    /// For each frame that the script could not access, the questions to ask there.
    pub beyond: Vec<Vec<Ask>>,
}

/// The plan and the limits shared by all frames of one reading.
struct Gathering {
    plan: Value,
    deadline: Instant,
    slots: Semaphore,
    /// Bytes that further snapshots may have.
    room: AtomicUsize,
}

impl Gathering {
    fn of(plan: &Value, own_bytes: usize) -> Self {
        let mut plan = plan.clone();
        for limit in
            plan.get_mut("limits").and_then(Value::as_object_mut).into_iter().flat_map(|limits| limits.values_mut())
        {
            *limit = (limit.as_u64().unwrap_or_default() / LIMITS_PART).into();
        }
        Self {
            plan,
            deadline: Instant::now() + FRAMES_TIMEOUT,
            slots: Semaphore::new(READ_AT_ONCE_MAX),
            room: AtomicUsize::new(SNAPSHOT_MAX_BYTES.saturating_sub(own_bytes)),
        }
    }

    /// Reserves room for a snapshot; returns false if there is not enough.
    fn keeps(&self, bytes: usize) -> bool {
        let taken = self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(bytes));
        taken.is_ok()
    }
}

impl Page {
    /// Reads the frames that the main document's reading has questions for, and combines the results.
    pub(super) async fn with_frames(&self, plan: &Value, returned: Returned) -> Document {
        if returned.beyond.iter().all(Vec::is_empty) {
            return Document { snapshot: returned.snapshot, ..Document::default() };
        }
        let gathering = Gathering::of(plan, returned.snapshot.len());
        let main = Place { session: self.session.clone(), frame: self.main_frame.clone() };
        let Ok(Ok(world)) = timeout_at(gathering.deadline, main.world()).await else {
            return Document { unread: asked(&returned), snapshot: returned.snapshot, ..Document::default() };
        };
        self.gather(&gathering, main, world, returned, 0).await
    }

    /// Boxed, since frames nest.
    fn gather<'a>(
        &'a self,
        gathering: &'a Gathering,
        place: Place,
        world: i64,
        returned: Returned,
        depth: u32,
    ) -> BoxFuture<'a, Document> {
        Box::pin(async move {
            let wanted = returned.beyond.iter().enumerate().filter(|(_, asks)| !asks.is_empty());
            let reading = wanted.map(|(number, asks)| {
                let place = &place;
                async move {
                    if depth == DEPTH_MAX {
                        return None;
                    }
                    let inside = async {
                        let inner = self.inside(place, world, number).await?;
                        let world = inner.world().await?;
                        // The semaphore is never closed, so acquiring it can't fail.
                        let _slot = gathering.slots.acquire().await.ok();
                        let returned = inner.read(world, &gathering.plan, asks).await?;
                        Ok::<_, CdpError>((inner, world, returned))
                    };
                    let (inner, world, returned) = timeout_at(gathering.deadline, inside).await.ok()?.ok()?;
                    if !gathering.keeps(returned.snapshot.len()) {
                        return None;
                    }
                    let document = self.gather(gathering, inner, world, returned, depth + 1).await;
                    Some(Frame { number, document })
                }
            });
            let read = join_all(reading).await;
            let unread = read.iter().filter(|frame| frame.is_none()).count();
            Document { snapshot: returned.snapshot, frames: read.into_iter().flatten().collect(), unread }
        })
    }

    /// Finds the frame that the latest reading of `place` numbered `number`.
    async fn inside(&self, place: &Place, world: i64, number: usize) -> Result<Place, CdpError> {
        let gone = |reason: &str| CdpError::Unreadable { method: "DOM.describeNode".into(), reason: reason.into() };
        let mut call = in_world(world, NUMBERED, &[argument(number.into())]);
        call.return_by_value = None;
        let object = place.session.call(&call).await?.result.object_id.ok_or_else(|| gone("no such frame"))?;
        let describe = DescribeNodeParams { object_id: Some(object), ..DescribeNodeParams::default() };
        let node = place.session.call(&describe).await?.node;
        let frame = node.frame_id.map(String::from).ok_or_else(|| gone("no frame"))?;
        let own = self.state.borrow().parts.get(&frame).cloned();
        Ok(Place { session: own.unwrap_or_else(|| place.session.clone()), frame })
    }
}

fn asked(returned: &Returned) -> usize {
    returned.beyond.iter().filter(|asks| !asks.is_empty()).count()
}

/// A frame, and the target session that reaches it.
struct Place {
    session: Session,
    frame: String,
}

impl Place {
    async fn world(&self) -> Result<i64, CdpError> {
        Ok(*self.session.call(&in_frame(&self.frame)).await?.execution_context_id.inner())
    }

    async fn read(&self, world: i64, plan: &Value, asks: &[Ask]) -> Result<Returned, CdpError> {
        let arguments = [argument(plan.clone()), argument(json!(asks))];
        value(self.session.call(&in_world(world, READ, &arguments)).await?)
    }
}
