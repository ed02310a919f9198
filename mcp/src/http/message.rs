//! A first look at a message: what is needed of it before rmcp reads it, and whether it may be read at all.

use porthole_contract::limits::LARGE_BODY_VALUES_MAX as VALUES_MAX;
use porthole_contract::values;
use rmcp::model::RequestId;
use serde::Deserialize;
use serde_json::value::RawValue;

/// JSON-RPC's codes.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// A message that is not read further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("the body is not JSON")]
    NotJson,
    #[error(
        "the body must be one JSON-RPC 2.0 message: a request, a notification or a response; batches are not served"
    )]
    NotOneMessage,
    #[error("the message has more than {VALUES_MAX} values")]
    TooManyValues,
}

/// The parts of a message that the transport looks at.
#[derive(Deserialize)]
pub(super) struct Message<'a> {
    jsonrpc: &'a str,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: Option<String>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// The parameters of `notifications/cancelled`.
#[derive(Deserialize)]
struct Cancelled {
    #[serde(rename = "requestId")]
    request_id: RequestId,
}

// === impl Unreadable ===

impl Unreadable {
    pub(super) fn code(self) -> i32 {
        match self {
            Self::NotJson => PARSE_ERROR,
            Self::NotOneMessage | Self::TooManyValues => INVALID_REQUEST,
        }
    }
}

// === impl Message ===

impl<'a> Message<'a> {
    /// Looks at a body in time linear in its length, without building its values.
    ///
    /// # Errors
    /// [`Unreadable`].
    pub(super) fn read(body: &'a [u8]) -> Result<Self, Unreadable> {
        let text = std::str::from_utf8(body).map_err(|_not_utf8| Unreadable::NotJson)?;
        if values(body) > VALUES_MAX {
            return Err(Unreadable::TooManyValues);
        }
        let message: Self = serde_json::from_str(text)
            .map_err(|error| if error.is_data() { Unreadable::NotOneMessage } else { Unreadable::NotJson })?;
        // Fields of a message can be read from an array, too.
        let is_object = text.trim_start().starts_with('{');
        let says_something = message.method.is_some() || message.result.is_some() || message.error.is_some();
        if is_object && says_something && message.jsonrpc == "2.0" {
            Ok(message)
        } else {
            Err(Unreadable::NotOneMessage)
        }
    }

    pub(super) fn is_initialize(&self) -> bool {
        self.method.as_deref() == Some("initialize") && self.id.is_some()
    }

    /// The request's id as JSON; `None` for what is no request.
    pub(super) fn request_id(&self) -> Option<String> {
        self.method.as_ref()?;
        id_of(serde_json::from_str(self.id?.get()).ok()?)
    }

    /// The id, as JSON, of the request that this notification cancels.
    pub(super) fn cancels(&self) -> Option<String> {
        if self.method.as_deref() != Some("notifications/cancelled") {
            return None;
        }
        let cancelled: Cancelled = serde_json::from_str(self.params?.get()).ok()?;
        id_of(cancelled.request_id)
    }
}

fn id_of(id: RequestId) -> Option<String> {
    Some(id.into_json_value().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unreadable(body: &str) -> Unreadable {
        Message::read(body.as_bytes()).err().unwrap()
    }

    #[test]
    fn requests_are_known_by_their_ids() {
        let id = |body: &str| Message::read(body.as_bytes()).unwrap().request_id();
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#).as_deref(), Some("7"));
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":"7","method":"ping","params":[]}"#).as_deref(), Some("\"7\""));
        assert_eq!(id(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), None);
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#), None);
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#), None);
        assert!(
            Message::read(br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#).unwrap().is_initialize()
        );
    }

    #[test]
    fn a_cancellation_names_the_request_as_the_request_did() {
        let cancels = |params: &str| {
            let body = format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#);
            Message::read(body.as_bytes()).unwrap().cancels()
        };
        assert_eq!(cancels(r#"{"requestId":7,"reason":"enough"}"#).as_deref(), Some("7"));
        assert_eq!(cancels(r#"{"requestId":"\u0037"}"#).as_deref(), Some("\"7\""));
        assert_eq!(cancels("{}"), None);
        assert_eq!(
            Message::read(br#"{"jsonrpc":"2.0","method":"ping","params":{"requestId":7}}"#).unwrap().cancels(),
            None
        );
    }

    #[test]
    fn what_is_no_message_is_told_from_what_is_no_json() {
        assert_eq!(unreadable("{"), Unreadable::NotJson);
        assert_eq!(unreadable(""), Unreadable::NotJson);
        assert_eq!(Message::read(b"\xff").err(), Some(Unreadable::NotJson));
        assert_eq!(unreadable("[]"), Unreadable::NotOneMessage);
        assert_eq!(unreadable("7"), Unreadable::NotOneMessage);
        assert_eq!(unreadable("{}"), Unreadable::NotOneMessage);
        assert_eq!(unreadable(r#"["2.0",1,"ping"]"#), Unreadable::NotOneMessage);
        assert_eq!(unreadable(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#), Unreadable::NotOneMessage);
        assert_eq!(unreadable(r#"{"method":7}"#), Unreadable::NotOneMessage);
    }

    #[test]
    fn values_are_bounded_wherever_they_stand() {
        let many = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":[{}0]}}"#, "0,".repeat(VALUES_MAX));
        assert_eq!(unreadable(&many), Unreadable::TooManyValues);
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":["{}\"{}"]}}"#,
            ",[{".repeat(VALUES_MAX),
            ",".repeat(VALUES_MAX)
        );
        assert!(Message::read(text.as_bytes()).is_ok(), "commas in a text are no values");
    }
}
