//! `POST browser-extract`: a page's text.

use axum::extract::{Request, State};
use axum::{Extension, Json};
use porthole_contract::{ExtractFormat, ExtractRequest, ExtractResponse};
use porthole_daemon::answer::Refused;
use porthole_daemon::request_id::RequestId;

use super::{Routes, failure};
use crate::operation::Extract;

pub(super) async fn extract(
    State(routes): State<Routes>,
    Extension(request_id): Extension<RequestId>,
    request: Request,
) -> Result<Json<ExtractResponse>, Refused> {
    let request: ExtractRequest = super::read(request).await?;
    routes.owner_keys.verify(&request.sandbox_id, request.owner_token.as_ref()).map_err(failure::of_token)?;
    let Extract { content, truncated, total_chars, arrival, timings, warnings } =
        routes.browsing.extract(&request).await.map_err(failure::of_operation)?;
    Ok(Json(ExtractResponse {
        ok: true,
        title: arrival.title,
        final_url: arrival.final_url,
        status_code: arrival.status_code,
        content,
        truncated,
        format: ExtractFormat::Text,
        total_chars,
        request_id: request_id.as_str().to_owned(),
        timings_ms: timings,
        blocked_requests: arrival.blocked_requests,
        warnings,
    }))
}
