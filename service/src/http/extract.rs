//! `POST browser-extract`: reads a page by directives.

use axum::extract::{Request, State};
use axum::{Extension, Json};
use porthole_contract::{ExtractRequest, ExtractResponse};
use porthole_daemon::answer::Refused;
use porthole_daemon::request_id::RequestId;

use super::{Routes, failure};
use crate::admission::Client;
use crate::operation::Extract;

pub(super) async fn extract(
    State(routes): State<Routes>,
    Extension(request_id): Extension<RequestId>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Json<ExtractResponse>, Refused> {
    let request: ExtractRequest = super::read(request).await?;
    routes.owner_keys.verify(&request.sandbox_id, request.owner_token.as_ref()).map_err(failure::of_token)?;
    let Extract { results, arrival, timings, warnings } =
        routes.browsing.extract(&client, &request).await.map_err(failure::of_operation)?;
    let first = results.first().cloned().unwrap_or_default();
    Ok(Json(ExtractResponse {
        ok: true,
        title: arrival.title,
        final_url: arrival.final_url,
        status_code: arrival.status_code,
        content: first.content,
        data: first.data,
        truncated: first.truncated,
        format: first.format,
        total_chars: first.total_chars,
        matched: first.matched,
        next_offset: first.next_offset,
        results: if results.len() > 1 { results } else { Vec::new() },
        request_id: request_id.as_str().to_owned(),
        timings_ms: timings,
        blocked_requests: arrival.blocked_requests,
        warnings: warnings.into_iter().map(String::from).chain(first.warnings).collect(),
    }))
}
