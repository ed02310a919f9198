//! The routes that act on the page or look at it, and `wait`.

use axum::Json;
use axum::extract::{Request, State};
use porthole_contract::limits::{UPLOAD_BODY_MAX_BYTES, WORKER_BODY_MAX_BYTES};
use porthole_contract::session::{
    Acted, CheckRequest, ClickRequest, DragRequest, Extracted, HoverRequest, InteractRequest, Interacted, Picture,
    Plain, PressRequest, ScrollRequest, SelectRequest, SessionAnswer, SessionExtractRequest, SessionScreenshotRequest,
    SnapshotRequest, TypeRequest, UploadRequest, WaitRequest,
};
use porthole_daemon::answer::Refused;

use super::received::{Parts, Received};
use crate::http::Routes;
use crate::session::Kind;

/// Declares the handlers of routes that do one thing in the session's turn.
macro_rules! routes {
    ($($handler:ident, $request:ty, $body_max:expr, $turn:ident => $answer:ty;)+) => {
        $(pub(super) async fn $handler(
            State(routes): State<Routes>,
            parts: Parts,
            request: Request,
        ) -> Result<Json<SessionAnswer<$answer>>, Refused> {
            let call: Received<$request> = Received::read(routes, parts, request, $body_max).await?;
            call.run(Kind::Works, async |turn, request| turn.$turn(request).await).await
        })+
    };
}

routes! {
    click, ClickRequest, WORKER_BODY_MAX_BYTES, click => Acted;
    type_text, TypeRequest, WORKER_BODY_MAX_BYTES, type_text => Acted;
    press, PressRequest, WORKER_BODY_MAX_BYTES, press => Acted;
    hover, HoverRequest, WORKER_BODY_MAX_BYTES, hover => Acted;
    select, SelectRequest, WORKER_BODY_MAX_BYTES, select => Acted;
    check, CheckRequest, WORKER_BODY_MAX_BYTES, check => Acted;
    drag, DragRequest, WORKER_BODY_MAX_BYTES, drag => Acted;
    scroll, ScrollRequest, WORKER_BODY_MAX_BYTES, scroll => Acted;
    upload, UploadRequest, UPLOAD_BODY_MAX_BYTES, upload => Acted;
    wait, WaitRequest, WORKER_BODY_MAX_BYTES, wait => Plain;
    interact, InteractRequest, WORKER_BODY_MAX_BYTES, interact => Interacted;
    screenshot, SessionScreenshotRequest, WORKER_BODY_MAX_BYTES, screenshot => Picture;
    extract, SessionExtractRequest, WORKER_BODY_MAX_BYTES, extract => Extracted;
}

pub(super) async fn snapshot(
    State(routes): State<Routes>,
    parts: Parts,
    request: Request,
) -> Result<Json<SessionAnswer<Plain>>, Refused> {
    let call: Received<SnapshotRequest> = Received::read(routes, parts, request, WORKER_BODY_MAX_BYTES).await?;
    call.run(Kind::Works, async |turn, request| {
        turn.take_snapshot(&request.options()).await?;
        Ok(Plain {})
    })
    .await
}
