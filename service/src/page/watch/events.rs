//! The browser's events as parsed here: only the fields that are needed, and strings for values that newer browsers
//! may extend.

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestPaused {
    pub request_id: String,
    pub request: Request,
    #[serde(default)]
    pub frame_id: String,
    #[serde(default)]
    pub resource_type: String,
    /// The request's id in `Network`; for a document, redirects included, its navigation's loader id.
    pub network_id: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Request {
    #[serde(default)]
    pub url: String,
    #[serde(default)]
    pub headers: RequestHeaders,
}

/// The headers that identify the sender.
#[derive(Default, Deserialize)]
pub(super) struct RequestHeaders {
    #[serde(rename = "Origin", alias = "origin")]
    pub origin: Option<String>,
    #[serde(rename = "Referer", alias = "referer")]
    pub referer: Option<String>,
    #[serde(rename = "Sec-Fetch-Site", alias = "sec-fetch-site")]
    pub site: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameNavigated {
    pub frame: Frame,
    /// `Navigation`, or another way of arriving.
    #[serde(rename = "type", default)]
    pub kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Frame {
    pub id: String,
    pub loader_id: String,
    /// Without the fragment.
    pub url: String,
    pub url_fragment: Option<String>,
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
    /// `sameDocument` and similar, if no document is requested.
    #[serde(default)]
    pub navigation_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NavigatedWithinDocument {
    pub frame_id: String,
    #[serde(default)]
    pub url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DialogOpening {
    #[serde(rename = "type", default)]
    pub kind: String,
    #[serde(default)]
    pub message: String,
    #[serde(default)]
    pub default_prompt: String,
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
    /// The redirect that led to this request, if any.
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
    #[serde(deserialize_with = "status")]
    pub status: u16,
    #[serde(default)]
    pub url: String,
    /// The server's address; an IPv6 address may be in brackets.
    #[serde(rename = "remoteIPAddress")]
    pub remote_ip_address: Option<String>,
    #[serde(rename = "remotePort")]
    pub remote_port: Option<u16>,
}

/// Reads a status. A server can send one beyond `u16`; it is capped, since the address of such an answer must be judged too.
fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    let status = i64::deserialize(deserializer)?;
    Ok(u16::try_from(status).unwrap_or(u16::MAX))
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

/// The resource type of documents.
pub(super) const DOCUMENT: &str = "Document";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One message of each kind as Chromium wrote it.
    const SEEDS: &str = include_str!("../../cdp/tests/seeds/messages.txt");

    /// Returns whether any event type accepts these parameters. No parameters may cause a panic.
    fn is_read(params: &[u8]) -> bool {
        fn reads<'a, T: Deserialize<'a>>(params: &'a [u8]) -> bool {
            serde_json::from_slice::<T>(params).is_ok()
        }
        [
            reads::<RequestPaused>(params),
            reads::<FrameNavigated>(params),
            reads::<Lifecycle>(params),
            reads::<FrameStopped>(params),
            reads::<FrameStartedNavigating>(params),
            reads::<DialogOpening>(params),
            reads::<NavigatedWithinDocument>(params),
            reads::<RequestWillBeSent>(params),
            reads::<ResponseReceived>(params),
            reads::<LoadingFailed>(params),
            reads::<WebSocketCreated>(params),
            reads::<WebSocketOpened>(params),
            reads::<WebTransportCreated>(params),
            reads::<WebTransportOpened>(params),
            reads::<ContextCreated>(params),
        ]
        .contains(&true)
    }

    fn params() -> Vec<String> {
        let read = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        SEEDS.lines().filter_map(|line| Some(read(line).get("params")?.to_string())).collect()
    }

    #[test]
    fn real_events_are_read() {
        let read = params().iter().filter(|params| is_read(params.as_bytes())).count();
        assert!(read > 12, "{read}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn a_mutated_event_is_read_or_refused(
            seed in prop::sample::select(params()),
            at in 0.0..1.0_f64,
            put in prop::sample::select(vec!["", "null", "-1", "\"", "\\ud800", "[[[[[[[[", "1e400", "{}", "\u{0}"]),
            removed in 0_usize..20,
        ) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "small")]
            let at = (seed.len() as f64 * at) as usize;
            let mut mutated = seed.into_bytes();
            let end = (at + removed).min(mutated.len());
            mutated.splice(at..end, put.bytes());
            is_read(&mutated);
        }
    }
}
