//! The browser's events as this room reads them: only the fields that are needed, what may grow taken as strings.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestPaused {
    pub request_id: String,
    pub request: Request,
    #[serde(default)]
    pub frame_id: String,
    #[serde(default)]
    pub resource_type: String,
}

#[derive(Deserialize)]
pub(super) struct Request {
    #[serde(default)]
    pub url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameNavigated {
    pub frame: Frame,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Frame {
    pub id: String,
    pub loader_id: String,
    pub url: String,
    pub unreachable_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lifecycle {
    pub frame_id: String,
    pub loader_id: String,
    pub name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameStopped {
    pub frame_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameStartedNavigating {
    pub frame_id: String,
    pub url: String,
    pub loader_id: String,
    /// `sameDocument` and the like where no document is asked for.
    #[serde(default)]
    pub navigation_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadingFinished {
    pub request_id: String,
}

#[derive(Deserialize)]
pub(super) struct Dialog {
    #[serde(rename = "type", default)]
    pub kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestWillBeSent {
    #[serde(default)]
    pub loader_id: String,
    pub request_id: String,
    pub request: Request,
    #[serde(default)]
    pub frame_id: String,
    #[serde(rename = "type", default)]
    pub kind: String,
    /// The answer that sent the request elsewhere, where one did.
    pub redirect_response: Option<Response>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResponseReceived {
    #[serde(default)]
    pub loader_id: String,
    #[serde(default)]
    pub frame_id: String,
    #[serde(rename = "type", default)]
    pub kind: String,
    pub response: Response,
}

#[derive(Deserialize)]
pub(super) struct Response {
    pub status: u16,
    #[serde(default)]
    pub url: String,
    /// Where it came from: an IPv6 address may stand in brackets.
    #[serde(rename = "remoteIPAddress")]
    pub remote_ip_address: Option<String>,
    #[serde(rename = "remotePort")]
    pub remote_port: Option<u16>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadingFailed {
    pub request_id: String,
    #[serde(rename = "type", default)]
    pub kind: String,
    #[serde(default)]
    pub error_text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WebSocketCreated {
    pub request_id: String,
    pub url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WebSocketOpened {
    pub request_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WebTransportCreated {
    pub transport_id: String,
    pub url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WebTransportOpened {
    pub transport_id: String,
}

#[derive(Deserialize)]
pub(super) struct ContextCreated {
    pub context: ExecutionContext,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExecutionContext {
    pub id: i64,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub aux_data: ContextOf,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextOf {
    #[serde(default)]
    pub frame_id: String,
}

/// The kind of request that brings a document.
pub(super) const DOCUMENT: &str = "Document";
