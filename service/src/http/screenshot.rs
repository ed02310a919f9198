//! `POST browser-screenshot`: returns a picture, in JSON or as an image.

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use porthole_contract::routes::METADATA_HEADER_PREFIX;
use porthole_contract::{ScreenshotRequest, ScreenshotResponse};
use porthole_daemon::answer::Refused;
use porthole_daemon::request_id::RequestId;
use serde_json::Value;

use super::{Routes, accept, failure};
use crate::admission::Client;
use crate::operation::Screenshot;

/// The ASCII characters that are escaped in a header: control characters.
const HEADER_ESCAPES: &AsciiSet = CONTROLS;
/// Maximum length of a metadata header's value, in bytes: a page chooses its own URL, and clients bound their
/// headers.
const HEADER_VALUE_MAX_BYTES: usize = 8 * 1024;

pub(super) async fn screenshot(
    State(routes): State<Routes>,
    Extension(request_id): Extension<RequestId>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Refused> {
    let wants_image = accept::prefers_image(request.headers());
    let request: ScreenshotRequest = super::read(request).await?;
    routes.owner_keys.verify(&request.sandbox_id, request.owner_token.as_ref()).map_err(failure::of_token)?;
    let screenshot = routes.browsing.screenshot(&client, &request).await.map_err(failure::of_operation)?;
    let Screenshot { bytes, format, width, height, truncated, arrival, timings, warnings } = screenshot;
    let mut answer = ScreenshotResponse {
        ok: true,
        title: arrival.title,
        final_url: arrival.final_url,
        status_code: arrival.status_code,
        image_base64: String::new(),
        mime_type: format.mime_type().to_owned(),
        truncated,
        width,
        height,
        bytes: bytes.len() as u64,
        request_id: request_id.as_str().to_owned(),
        timings_ms: timings,
        blocked_requests: arrival.blocked_requests,
        warnings: warnings.into_iter().map(String::from).collect(),
    };
    if wants_image {
        let mut headers = metadata(&answer);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(format.mime_type()));
        return Ok((headers, bytes).into_response());
    }
    answer.image_base64 = BASE64_STANDARD.encode(&bytes);
    Ok(Json(answer).into_response())
}

/// Returns the answer's fields except the image, each as a header.
fn metadata(answer: &ScreenshotResponse) -> HeaderMap {
    let fields = match serde_json::to_value(answer) {
        Ok(Value::Object(fields)) => fields,
        _ => return HeaderMap::new(),
    };
    let headers = fields.into_iter().filter(|(field, _)| field != "image_base64").filter_map(|(field, value)| {
        let name = format!("{METADATA_HEADER_PREFIX}{}", field.replace('_', "-"));
        let text = match value {
            Value::String(text) => text,
            value => value.to_string(),
        };
        let mut value = utf8_percent_encode(&text, HEADER_ESCAPES).to_string();
        value.truncate(HEADER_VALUE_MAX_BYTES);
        Some((HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?))
    });
    headers.collect()
}
