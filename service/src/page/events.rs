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
    /// The one header that is of interest: the egress's mark on answers that it made itself.
    #[serde(default)]
    pub headers: EgressMark,
    /// Where it came from: an IPv6 address may stand in brackets.
    #[serde(rename = "remoteIPAddress")]
    pub remote_ip_address: Option<String>,
    #[serde(rename = "remotePort")]
    pub remote_port: Option<u16>,
}

#[derive(Default, Deserialize)]
pub(super) struct EgressMark {
    #[serde(rename = "x-porthole-egress")]
    mark: Option<serde::de::IgnoredAny>,
}

impl Response {
    /// Whether our own egress made this answer. Inside TLS only a site can have written the mark.
    pub(super) fn is_made_by_egress(&self) -> bool {
        self.headers.mark.is_some() && self.url.starts_with("http:")
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::egress::MARKER;

    #[test]
    fn the_egress_mark_is_the_one_that_the_egress_sets_and_counts_on_plain_http_alone() {
        let marked = |url: &str, header: &str| {
            let response = serde_json::json!({"status": 502, "url": url, "headers": {header: "blocked"}});
            serde_json::from_value::<Response>(response).unwrap().is_made_by_egress()
        };
        assert!(marked("http://example.com/", MARKER.as_str()));
        assert!(!marked("https://example.com/", MARKER.as_str()));
        assert!(!marked("http://example.com/", "x-another"));
    }
}
