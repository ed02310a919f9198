//! The routes that act on the page or look at it, and `wait`.

use axum::Json;
use axum::extract::{Request, State};
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
    ($($handler:ident, $request:ty, $turn:ident => $answer:ty;)+) => {
        $(pub(super) async fn $handler(
            State(routes): State<Routes>,
            parts: Parts,
            request: Request,
        ) -> Result<Json<SessionAnswer<$answer>>, Refused> {
            let call: Received<$request> = Received::read(routes, parts, request).await?;
            call.run(Kind::Works, async |turn, request| turn.$turn(request).await).await
        })+
    };
}

routes! {
    click, ClickRequest, click => Acted;
    type_text, TypeRequest, type_text => Acted;
    press, PressRequest, press => Acted;
    hover, HoverRequest, hover => Acted;
    select, SelectRequest, select => Acted;
    check, CheckRequest, check => Acted;
    drag, DragRequest, drag => Acted;
    scroll, ScrollRequest, scroll => Acted;
    upload, UploadRequest, upload => Acted;
    wait, WaitRequest, wait => Plain;
    interact, InteractRequest, interact => Interacted;
    screenshot, SessionScreenshotRequest, screenshot => Picture;
    extract, SessionExtractRequest, extract => Extracted;
}

pub(super) async fn snapshot(
    State(routes): State<Routes>,
    parts: Parts,
    request: Request,
) -> Result<Json<SessionAnswer<Plain>>, Refused> {
    let call: Received<SnapshotRequest> = Received::read(routes, parts, request).await?;
    call.run(Kind::Works, async |turn, request| {
        turn.take_snapshot(&request.options()).await?;
        Ok(Plain {})
    })
    .await
}
