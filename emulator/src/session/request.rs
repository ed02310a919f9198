//! The body of a create request: parsed and validated.
//!
//! Fields without an effect here (proxies, captchas, recording) and unknown ones, which Browserbase may add, are
//! ignored. The ledger shows the body as it was sent, so that tests can check them.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::lifetimes::{Lifetimes, TIMEOUT_MAX_SECONDS};
use crate::browser::{Options, Viewport};

/// User metadata as JSON must be shorter than this, in characters.
const METADATA_MAX_CHARS: usize = 512;
/// Largest width and height of a window, in pixels.
const VIEWPORT_MAX: u32 = 7680;

/// JSON pointers of the fields that must be objects.
const OBJECTS: [&str; 4] = ["", "/browserSettings", "/browserSettings/viewport", "/browserSettings/context"];

/// The body of a create request.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CreateRequest {
    pub(crate) project_id: Option<String>,
    pub(crate) keep_alive: Option<bool>,
    pub(crate) user_metadata: Option<Map<String, Value>>,
    timeout: Option<u64>,
    pub(crate) region: Option<Region>,
    pub(crate) browser_settings: Option<BrowserSettings>,
    extension_id: Option<String>,
}

/// Settings of the session's browser.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct BrowserSettings {
    viewport: Option<Viewport>,
    ignore_certificate_errors: Option<bool>,
    log_session: Option<bool>,
    context: Option<ContextChoice>,
    extension_id: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct ContextChoice {
    id: String,
}

/// The region of a session.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) enum Region {
    #[default]
    #[serde(rename = "us-west-2")]
    UsWest2,
    #[serde(rename = "us-east-1")]
    UsEast1,
    #[serde(rename = "eu-central-1")]
    EuCentral1,
    #[serde(rename = "ap-southeast-1")]
    ApSoutheast1,
}

impl Region {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::UsWest2 => "us-west-2",
            Self::UsEast1 => "us-east-1",
            Self::EuCentral1 => "eu-central-1",
            Self::ApSoutheast1 => "ap-southeast-1",
        }
    }
}

/// Returns the body of a create request with the passwords of proxies hidden, for the ledger.
pub(crate) fn shown(body: &[u8]) -> Value {
    let mut body: Value = serde_json::from_slice(body).unwrap_or_default();
    if let Some(proxies) = body.get_mut("proxies").and_then(Value::as_array_mut) {
        for password in proxies.iter_mut().filter_map(|proxy| proxy.get_mut("password")) {
            *password = Value::from("(hidden)");
        }
    }
    body
}

/// Why a create request is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidCreate {
    #[error("body{0}")]
    Shape(String),
    #[error("body/timeout must be >= {0}")]
    TimeoutShort(u64),
    #[error("body/timeout must be <= {TIMEOUT_MAX_SECONDS}")]
    TimeoutLong,
    #[error("body/userMetadata must be under {METADATA_MAX_CHARS} characters as JSON")]
    MetadataLarge,
    #[error("body/browserSettings/viewport must be from 1 to {VIEWPORT_MAX} pixels each way")]
    Viewport,
    #[error("Context {0} not found")]
    NoSuchContext(String),
    #[error("Extension {0} not found")]
    NoSuchExtension(String),
}

impl CreateRequest {
    /// Parses a body. An empty one means all defaults.
    pub(crate) fn read(body: &[u8], lifetimes: &Lifetimes) -> Result<Self, InvalidCreate> {
        if body.is_empty() {
            return Ok(Self::default());
        }
        let body: Value =
            serde_json::from_slice(body).map_err(|error| InvalidCreate::Shape(format!(" is not JSON: {error}")))?;
        // serde would also deserialize a struct from an array.
        for path in OBJECTS {
            if body.pointer(path).is_some_and(|value| !value.is_object() && !value.is_null()) {
                return Err(InvalidCreate::Shape(format!("{path} must be object")));
            }
        }
        let request: Self = serde_path_to_error::deserialize(body).map_err(|error| {
            let path = match error.path().to_string() {
                root if root == "." => String::new(),
                path => format!("/{}", path.replace('.', "/")),
            };
            InvalidCreate::Shape(format!("{path} {}", error.into_inner()))
        })?;
        request.judge(lifetimes)?;
        Ok(request)
    }

    fn judge(&self, lifetimes: &Lifetimes) -> Result<(), InvalidCreate> {
        let min = lifetimes.min.as_secs();
        match self.timeout {
            Some(timeout) if timeout < min => return Err(InvalidCreate::TimeoutShort(min)),
            Some(timeout) if timeout > TIMEOUT_MAX_SECONDS => return Err(InvalidCreate::TimeoutLong),
            _ => {}
        }
        if let Some(metadata) = &self.user_metadata
            && Value::Object(metadata.clone()).to_string().chars().count() >= METADATA_MAX_CHARS
        {
            return Err(InvalidCreate::MetadataLarge);
        }
        let settings = self.browser_settings.as_ref();
        if let Some(viewport) = settings.and_then(|settings| settings.viewport)
            && ![viewport.width, viewport.height].iter().all(|side| (1..=VIEWPORT_MAX).contains(side))
        {
            return Err(InvalidCreate::Viewport);
        }
        if let Some(context) = settings.and_then(|settings| settings.context.as_ref()) {
            return Err(InvalidCreate::NoSuchContext(context.id.clone()));
        }
        let extension = self.extension_id.as_ref().or_else(|| settings?.extension_id.as_ref());
        extension.map_or(Ok(()), |id| Err(InvalidCreate::NoSuchExtension(id.clone())))
    }

    /// Returns the session's lifetime.
    pub(crate) fn lifetime(&self, lifetimes: &Lifetimes) -> Duration {
        self.timeout.map_or(lifetimes.default, Duration::from_secs)
    }
}

impl BrowserSettings {
    /// What the browser is started with; the defaults are Browserbase's.
    pub(crate) fn options(&self) -> Options {
        Options {
            viewport: self.viewport.unwrap_or_default(),
            ignores_certificate_errors: self.ignore_certificate_errors.unwrap_or(true),
        }
    }

    /// Whether calls to the browser are recorded; the default is Browserbase's.
    pub(crate) fn logs_session(&self) -> bool {
        self.log_session.unwrap_or(true)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LIFETIMES: Lifetimes = Lifetimes {
        default: Duration::from_secs(300),
        min: Duration::from_secs(60),
        connect_within: Duration::from_secs(300),
    };

    fn read(body: &Value) -> Result<CreateRequest, String> {
        CreateRequest::read(body.to_string().as_bytes(), &LIFETIMES).map_err(|error| error.to_string())
    }

    #[test]
    fn all_fields_are_optional() {
        for body in ["", "{}", r#"{"somethingNew":1,"browserSettings":{"alsoNew":true},"proxies":true}"#] {
            let request = CreateRequest::read(body.as_bytes(), &LIFETIMES).unwrap();
            assert_eq!(request.lifetime(&LIFETIMES).as_secs(), 300);
            assert_eq!(request.region.unwrap_or_default().name(), "us-west-2");
            let settings = request.browser_settings.unwrap_or_default();
            assert!(settings.options().ignores_certificate_errors && settings.logs_session());
        }
    }

    #[test]
    fn a_proxys_password_is_not_shown() {
        let body =
            json!({"proxies": [{"type": "external", "username": "u", "password": "hush"}], "region": "us-east-1"});
        let shown = shown(body.to_string().as_bytes());
        assert!(!shown.to_string().contains("hush"));
        assert_eq!((&shown["region"], &shown["proxies"][0]["username"]), (&"us-east-1".into(), &"u".into()));
    }

    #[test]
    fn refusals_name_the_field() {
        for (body, expected) in [
            (json!({"timeout": 59}), "body/timeout must be >= 60"),
            (json!({"timeout": 21601}), "body/timeout must be <= 21600"),
            (json!({"timeout": "60"}), "body/timeout invalid type"),
            (json!({"region": "mars"}), "body/region unknown variant"),
            (json!({"browserSettings": {"viewport": {"width": 0, "height": 5}}}), "body/browserSettings/viewport"),
            (json!({"browserSettings": {"context": {"id": "c-1"}}}), "Context c-1 not found"),
            (json!({"extensionId": "e-1"}), "Extension e-1 not found"),
            (json!({"userMetadata": {"a": "x".repeat(504)}}), "under 512 characters"),
            (json!({"userMetadata": []}), "body/userMetadata"),
            (json!([]), "body must be object"),
            (json!({"browserSettings": {"viewport": [1, 2]}}), "body/browserSettings/viewport must be object"),
        ] {
            let refusal = read(&body).err().unwrap_or_else(|| panic!("{body} is accepted"));
            assert!(refusal.contains(expected), "{body}\n gave {refusal}\n  not {expected}");
        }
        assert!(read(&json!({"timeout": 60, "userMetadata": {"a": "x".repeat(503)}})).is_ok());
        assert!(CreateRequest::read(b"{} x", &LIFETIMES).is_err());
    }
}
