//! Filters a client's calls before they reach its browser.
//!
//! The emulator's browsers only serve the web. Calls that would read a file of this machine, open a page with more
//! rights than a web page, or bypass this filter are refused with a protocol error. Downloads go to the session's own
//! folder: the path that the client names is not used. A message that can't be parsed is refused, since the browser might parse it
//! differently.

use std::borrow::Cow;
use std::path::Path;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio_tungstenite::tungstenite::Message;
use url::Url;

/// The protocol's code for an error of the server.
const SERVER_ERROR: i32 = -32000;
/// The protocol's code for a message that can't be parsed.
const PARSE_ERROR: i32 = -32700;
/// The protocol's code for an unknown method.
const METHOD_NOT_FOUND: i32 = -32601;
/// Depth of calls nested by `Target.sendMessageToTarget`. Each level doubles the escapes, so clients nest one or two.
const NESTED_MAX: u8 = 4;

/// Domains whose methods are all refused: they load code from paths, open files in apps, and listen on ports.
const DOMAINS_REFUSED: &[&str] = &["Extensions", "PWA", "Tethering"];

/// The verdict on a client's message.
#[derive(Debug, PartialEq)]
pub(super) enum Judged {
    /// Forwards it unchanged to the browser.
    Forward,
    /// Forwards this message in its place.
    Rewrite(Message),
    /// Sends this answer to the client, and nothing to the browser.
    Refuse(Message),
}

/// Judges a client's message. `downloads` is the folder for the session's downloads.
pub(super) fn judge(message: &Message, downloads: &Path) -> Judged {
    // The browser accepts text messages only and closes the socket on any other.
    let verdict = match message {
        Message::Text(text) => judge_text(text, downloads, 0),
        _ => Err(Refusal { call: Answered::default(), why: Why::Unreadable }),
    };
    match verdict {
        Ok(None) => Judged::Forward,
        Ok(Some(rewritten)) => Judged::Rewrite(Message::text(rewritten)),
        Err(refusal) => Judged::Refuse(refusal.answer()),
    }
}

/// Why a call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Why {
    #[error("Message must be a well-formed call")]
    Unreadable,
    #[error("Cannot navigate to invalid URL")]
    InvalidUrl,
    #[error("Refused by the emulator: its browsers open http, https, data and blob URLs and about:blank")]
    Scheme,
    #[error("Refused by the emulator: this method reaches beyond the web")]
    Method,
    #[error("Refused by the emulator: its browsers read no files of this machine")]
    File,
}

impl Why {
    fn code(self) -> i32 {
        match self {
            Self::Unreadable => PARSE_ERROR,
            Self::Method => METHOD_NOT_FOUND,
            Self::InvalidUrl | Self::Scheme | Self::File => SERVER_ERROR,
        }
    }
}

/// A refused call: the reason, and the fields that the answer repeats.
struct Refusal {
    call: Answered,
    why: Why,
}

/// The fields of a call that its answer repeats.
#[derive(Clone, Debug, Default)]
struct Answered {
    id: Option<i64>,
    session: Option<String>,
}

/// A protocol error. The id comes first, since clients tell answers from events by it.
#[derive(Serialize)]
struct ErrorAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    error: ErrorBody,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

#[derive(Serialize)]
struct ErrorBody {
    code: i32,
    message: String,
}

impl Refusal {
    fn answer(self) -> Message {
        let error = ErrorBody { code: self.why.code(), message: self.why.to_string() };
        let answer = ErrorAnswer { id: self.call.id, error, session: self.call.session };
        Message::text(serde_json::to_string(&answer).expect("numbers and text are JSON"))
    }
}

/// A call. Repeated fields are parse errors.
#[derive(Deserialize)]
struct Call<'a> {
    id: Option<i64>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Opens {
    url: Option<String>,
}

#[derive(Default, Deserialize)]
struct Traces {
    #[serde(rename = "perfettoConfig")]
    perfetto: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
struct Drags {
    data: Option<Dragged>,
}

#[derive(Deserialize)]
struct Dragged {
    files: Option<Vec<IgnoredAny>>,
}

#[derive(Default, Deserialize)]
struct Wraps {
    message: Option<String>,
}

/// Returns the text to forward in place of `text`, or `None` to forward it unchanged.
fn judge_text(text: &str, downloads: &Path, nested: u8) -> Result<Option<String>, Refusal> {
    let unreadable = |_| Refusal { call: Answered::default(), why: Why::Unreadable };
    let call: Call<'_> = serde_json::from_str(text).map_err(unreadable)?;
    match judge_call(&call, downloads, nested) {
        Ok(None) => Ok(None),
        Ok(Some(params)) => {
            let mut rewritten = Map::new();
            rewritten.extend(call.id.map(|id| ("id".to_owned(), id.into())));
            rewritten.insert("method".to_owned(), call.method.into());
            rewritten.insert("params".to_owned(), params.into());
            rewritten.extend(call.session.map(|session| ("sessionId".to_owned(), session.into())));
            Ok(Some(Value::from(rewritten).to_string()))
        }
        Err(why) => Err(Refusal { call: Answered { id: call.id, session: call.session }, why }),
    }
}

/// Returns the parameters to forward in place of the call's own, or `None` to forward it unchanged.
fn judge_call(call: &Call<'_>, downloads: &Path, nested: u8) -> Result<Option<Map<String, Value>>, Why> {
    if call.method.split_once('.').is_some_and(|(domain, _)| DOMAINS_REFUSED.contains(&domain)) {
        return Err(Why::Method);
    }
    match &*call.method {
        // The first gives a page the whole protocol, past this filter. The second opens a page with the rights of the
        // developer tools.
        "Target.exposeDevToolsProtocol" | "Target.openDevTools" => Err(Why::Method),
        "DOM.setFileInputFiles" => Err(Why::File),
        "Input.dispatchDragEvent" => {
            let dragged = params::<Drags>(call)?.data.and_then(|data| data.files);
            if dragged.is_some_and(|files| !files.is_empty()) { Err(Why::File) } else { Ok(None) }
        }
        // This configuration can name a file for the trace.
        "Tracing.start" if params::<Traces>(call)?.perfetto.is_some() => Err(Why::File),
        "Page.navigate"
        | "Target.createTarget"
        | "Network.loadNetworkResource"
        | "Fetch.continueRequest"
        | "Network.continueInterceptedRequest" => {
            params::<Opens>(call)?.url.map_or(Ok(()), |url| judge_url(&url))?;
            Ok(None)
        }
        "Browser.setDownloadBehavior" | "Page.setDownloadBehavior" => {
            let mut params: Map<String, Value> = params(call)?;
            let Some(path) = params.get_mut("downloadPath") else { return Ok(None) };
            *path = downloads.to_string_lossy().into();
            Ok(Some(params))
        }
        "Target.sendMessageToTarget" => {
            let Some(message) = params::<Wraps>(call)?.message else { return Ok(None) };
            if nested == NESTED_MAX {
                return Err(Why::Unreadable);
            }
            let rewritten = judge_text(&message, downloads, nested + 1).map_err(|refusal| refusal.why)?;
            let Some(rewritten) = rewritten else { return Ok(None) };
            let mut params: Map<String, Value> = params(call)?;
            params.insert("message".to_owned(), rewritten.into());
            Ok(Some(params))
        }
        _ => Ok(None),
    }
}

/// Parses a call's parameters; repeated fields are errors. Without parameters returns the default.
fn params<'a, T: Default + Deserialize<'a>>(call: &Call<'a>) -> Result<T, Why> {
    call.params
        .map_or_else(|| Ok(T::default()), |params| serde_json::from_str(params.get()).map_err(|_| Why::Unreadable))
}

/// Checks that the browser may open this URL. Both parsers follow the URL standard: tabs, line breaks and control
/// characters around a scheme are ignored.
fn judge_url(url: &str) -> Result<(), Why> {
    // The browser opens about:blank for an empty URL.
    if url.is_empty() {
        return Ok(());
    }
    let url = Url::parse(url).map_err(|_| Why::InvalidUrl)?;
    match url.scheme() {
        "http" | "https" | "data" | "blob" | "javascript" => Ok(()),
        // Chromium opens chrome://version for about:version.
        "about" if matches!(url.path(), "blank" | "srcdoc") => Ok(()),
        _ => Err(Why::Scheme),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(call: &Value) -> Judged {
        judge(&Message::text(call.to_string()), Path::new("/profile/downloads"))
    }

    /// Returns the error message that the call is refused with.
    fn refusal(call: &Value) -> String {
        match judged(call) {
            Judged::Refuse(Message::Text(answer)) => {
                let answer: Value = serde_json::from_str(&answer).unwrap();
                assert_eq!((&answer["id"], &answer["sessionId"]), (&call["id"], &call["sessionId"]), "{answer}");
                answer["error"]["message"].as_str().unwrap().to_owned()
            }
            other => panic!("{call}: {other:?}"),
        }
    }

    fn opens(method: &str, url: &str) -> Value {
        json!({"id": 7, "method": method, "params": {"url": url}, "sessionId": "S"})
    }

    #[test]
    fn only_web_pages_are_opened() {
        for method in ["Page.navigate", "Target.createTarget"] {
            for url in [
                "",
                "http://a.test/file:///etc/hostname",
                "HTTPS://a.test",
                "data:text/html,file:///etc",
                "blob:https://a.test/1",
                "about:blank",
                "about:blank#x",
                "javascript:1",
            ] {
                assert_eq!(judged(&opens(method, url)), Judged::Forward, "{method} {url:?}");
            }
            for url in [
                "file:///etc/hostname",
                "FiLe:///etc/hostname",
                "file:/etc/hostname",
                " \tfile:///etc/hostname",
                "fi\nle:///etc/hostname",
                "\u{1}file:///etc/hostname",
                "view-source:file:///etc/hostname",
                "view-source:http://a.test",
                "filesystem:file:///x",
                "chrome://version",
                "chrome-untrusted://terminal",
                "chrome-search://x",
                "devtools://devtools/bundled/inspector.html",
                "about:version",
                "about:gpu",
                "externalfile:x",
                "content://x",
            ] {
                assert_eq!(refusal(&opens(method, url)), Why::Scheme.to_string(), "{method} {url:?}");
            }
            for url in ["/etc/hostname", "etc/hostname", "\u{a0}file:///etc/hostname"] {
                assert_eq!(refusal(&opens(method, url)), Why::InvalidUrl.to_string(), "{method} {url:?}");
            }
        }
    }

    #[test]
    fn calls_that_read_files_or_bypass_the_filter_are_refused() {
        for (method, params, why) in [
            ("DOM.setFileInputFiles", json!({"files": ["/etc/hostname"], "nodeId": 1}), Why::File),
            ("Input.dispatchDragEvent", json!({"data": {"items": [], "files": ["/etc/hostname"]}}), Why::File),
            ("Tracing.start", json!({"perfettoConfig": "CgA="}), Why::File),
            ("Network.loadNetworkResource", json!({"url": "file:///etc/hostname"}), Why::Scheme),
            ("Fetch.continueRequest", json!({"requestId": "1", "url": "file:///etc/hostname"}), Why::Scheme),
            ("Target.exposeDevToolsProtocol", json!({"targetId": "T"}), Why::Method),
            ("Target.openDevTools", json!({"targetId": "T"}), Why::Method),
            ("Extensions.loadUnpacked", json!({"path": "/tmp"}), Why::Method),
            ("Page.navigate", json!({"url": 7}), Why::Unreadable),
        ] {
            let call = json!({"id": 1, "method": method, "params": params});
            assert_eq!(refusal(&call), why.to_string(), "{call}");
        }
        for (method, params) in [
            ("Input.dispatchDragEvent", json!({"data": {"items": [], "files": []}})),
            ("Tracing.start", json!({"transferMode": "ReturnAsStream"})),
            ("Fetch.continueRequest", json!({"requestId": "1"})),
            ("Page.setDownloadBehavior", json!({"behavior": "deny"})),
            ("Runtime.evaluate", json!({"expression": "location = 'file:///etc/hostname'"})),
        ] {
            assert_eq!(judged(&json!({"id": 1, "method": method, "params": params})), Judged::Forward, "{method}");
        }
    }

    #[test]
    fn nested_calls_are_judged_too() {
        let mut call = opens("Page.navigate", "file:///etc/hostname");
        let mut harmless = opens("Page.navigate", "http://a.test");
        for level in 1..=NESTED_MAX + 1 {
            let wrapped = |inner: &Value| {
                let params = json!({"sessionId": "T", "message": inner.to_string()});
                json!({"id": level, "method": "Target.sendMessageToTarget", "params": params})
            };
            (call, harmless) = (wrapped(&call), wrapped(&harmless));
            if level <= NESTED_MAX {
                assert_eq!(refusal(&call), Why::Scheme.to_string());
                assert_eq!(judged(&harmless), Judged::Forward);
            } else {
                assert_eq!(refusal(&harmless), Why::Unreadable.to_string());
            }
        }
    }

    #[test]
    fn downloads_go_to_the_sessions_own_folder() {
        let params = json!({"behavior": "allow", "downloadPath": "/home/user", "eventsEnabled": true});
        let call = json!({"id": 3, "method": "Browser.setDownloadBehavior", "params": params, "sessionId": "S"});
        let wrapped = json!({"message": call.to_string(), "sessionId": "T"});
        let wrapped = json!({"id": 4, "method": "Target.sendMessageToTarget", "params": wrapped});
        let mut expected = call.clone();
        expected["params"]["downloadPath"] = "/profile/downloads".into();
        let rewritten = |call: &Value| match judged(call) {
            Judged::Rewrite(Message::Text(text)) => serde_json::from_str::<Value>(&text).unwrap(),
            other => panic!("{other:?}"),
        };
        assert_eq!(rewritten(&call), expected);
        let outer = rewritten(&wrapped);
        assert_eq!(outer["params"]["sessionId"], "T");
        assert_eq!(serde_json::from_str::<Value>(outer["params"]["message"].as_str().unwrap()).unwrap(), expected);
    }

    #[test]
    fn ambiguous_messages_are_refused() {
        for text in [
            r#"{"id":1,"method":"Runtime.enable","method":"Page.navigate"}"#,
            r#"{"id":1,"method":"Runtime.enable","\u006dethod":"Page.navigate"}"#,
            r#"{"id":1,"method":"Runtime.enable","me\ud800thod":"Page.navigate"}"#,
            r#"{"id":1,"method":"Page.navigate","params":{"url":"http://a.test","url":"file:///etc/hostname"}}"#,
            r#"{"id":1,"method":"Runtime.enable"}{"id":2,"method":"Runtime.enable"}"#,
            "no JSON",
            "",
        ] {
            assert!(matches!(judge(&Message::text(text), Path::new("/")), Judged::Refuse(_)), "{text}");
        }
        let binary = Message::binary(br#"{"id":1,"method":"Runtime.enable"}"#.as_slice());
        assert!(matches!(judge(&binary, Path::new("/")), Judged::Refuse(_)));
        let escaped = r#"{"id":1,"method":"Page.navig\u0061te","params":{"\u0075rl":"\u0066ile:///etc/hostname"}}"#;
        let Judged::Refuse(answer) = judge(&Message::text(escaped), Path::new("/")) else { panic!("{escaped}") };
        assert!(answer.to_text().unwrap().starts_with(r#"{"id":1,"error":{"code":-32000,"#), "{answer}");
    }
}
