//! The Chromium of the tests, driven by the service's own client.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chromiumoxide_cdp::cdp::browser_protocol::emulation::{
    SetDeviceMetricsOverrideParams, SetEmulatedMediaParams, SetTouchEmulationEnabledParams,
};
use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchMouseEventParams, ImeSetCompositionParams, InsertTextParams,
};
use chromiumoxide_cdp::cdp::browser_protocol::page::{CaptureScreenshotParams, EnableParams, NavigateParams};
use chromiumoxide_cdp::cdp::browser_protocol::target::{AttachToTargetParams, CreateTargetParams};
use chromiumoxide_cdp::cdp::js_protocol::profiler::{
    EnableParams as EnableProfiler, StartPreciseCoverageParams, TakePreciseCoverageParams,
};
use chromiumoxide_cdp::cdp::js_protocol::runtime::EvaluateParams;
use chromiumoxide_types::{Command, Method, MethodId};
use porthole_chromium::{Process, Profile, find_executable};
use porthole_service::cdp::{Bounds, Connection, Meter, Session, connect_pipe};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Chromium {
    _connection: Connection,
    page: Session,
    _process: Process,
    _folder: tempfile::TempDir,
}

impl Chromium {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("porthole-tests-").tempdir().unwrap();
        let profile = Profile::create(folder.path()).unwrap();
        let mut flags = [
            "--headless",
            "--remote-debugging-pipe",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--force-color-profile=srgb",
            "--hide-scrollbars",
        ]
        .map(str::to_owned)
        .to_vec();
        if nix::unistd::geteuid().is_root() {
            flags.push("--no-sandbox".to_owned());
        }
        flags.push(format!("--user-data-dir={}", profile.path().display()));
        flags.push("about:blank".to_owned());
        let (process, pipe) = Process::start(&find_executable(None).unwrap(), flags, profile).unwrap();
        let connection = connect_pipe(pipe.reader, pipe.writer, Bounds::default(), Meter::default());
        let browser = connection.browser();
        let target = within(browser.call(&CreateTargetParams::new("about:blank"))).await.unwrap().target_id;
        let mut attach = AttachToTargetParams::new(target);
        attach.flatten = Some(true);
        let session = within(browser.call(&attach)).await.unwrap().session_id;
        let page = connection.session(session.inner().as_str());
        within(page.call(&EnableParams::default())).await.unwrap();
        let chromium = Self { _connection: connection, page, _process: process, _folder: folder };
        chromium.does(&json!({"do": "size", "width": 1024, "height": 768})).await;
        chromium
    }

    async fn call<C: Command + DeserializeOwned>(&self, params: Value) -> C::Response {
        let command: C = serde_json::from_value(params.clone()).unwrap_or_else(|error| panic!("{params}: {error}"));
        within(self.page.call(&command)).await.unwrap_or_else(|error| panic!("{params}: {error}"))
    }

    pub(crate) async fn open(&self, url: &str) {
        let mut loads = self.page.events(&["Page.loadEventFired"]);
        let went = self.call::<NavigateParams>(json!({"url": url})).await;
        assert!(went.error_text.is_none(), "{url}: {:?}", went.error_text);
        // A step within the document loads nothing.
        if went.loader_id.is_some() {
            within(loads.next()).await.unwrap();
        }
    }

    pub(crate) async fn evaluate(&self, expression: &str) -> Value {
        let params =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true});
        let evaluated = self.call::<EvaluateParams>(params).await;
        assert!(evaluated.exception_details.is_none(), "{expression}: {:?}", evaluated.exception_details);
        evaluated.result.value.unwrap_or_default()
    }

    /// Begins to count how often each block of a script runs.
    pub(crate) async fn counts_blocks(&self) {
        self.call::<EnableProfiler>(json!({})).await;
        self.call::<StartPreciseCoverageParams>(json!({"callCount": true, "detailed": true})).await;
    }

    /// How often blocks of this script have run since this was asked before.
    pub(crate) async fn blocks_run(&self, script: &str) -> u64 {
        let covered = self.call::<TakePreciseCoverageParams>(json!({})).await.result;
        let functions =
            covered.iter().filter(|covered| covered.url.ends_with(script)).flat_map(|covered| &covered.functions);
        functions
            .flat_map(|function| &function.ranges)
            .map(|range| u64::try_from(range.count).unwrap_or_default())
            .sum()
    }

    pub(crate) async fn picture(&self) -> Vec<u8> {
        let taken = self.call::<CaptureScreenshotParams>(json!({"format": "png"})).await;
        BASE64_STANDARD.decode(AsRef::<[u8]>::as_ref(&taken.data)).unwrap()
    }

    pub(crate) async fn does(&self, action: &Value) -> bool {
        let number = |name: &str| action[name].as_f64().unwrap_or_default();
        let mouse = |kind: &str| {
            let held = action["held"].as_i64().unwrap_or_default();
            json!({"type": kind, "x": number("x"), "y": number("y"), "button": action["button"].as_str().unwrap_or("none"),
                "buttons": held, "clickCount": action["count"].as_i64().unwrap_or(1), "deltaX": number("dx"),
                "deltaY": number("dy"), "modifiers": action["modifiers"].as_i64().unwrap_or_default()})
        };
        match action["do"].as_str().unwrap() {
            "move" => {
                self.call::<DispatchMouseEventParams>(mouse("mouseMoved")).await;
            }
            "down" => {
                self.call::<DispatchMouseEventParams>(mouse("mousePressed")).await;
            }
            "up" => {
                self.call::<DispatchMouseEventParams>(mouse("mouseReleased")).await;
            }
            "wheel" => {
                self.call::<DispatchMouseEventParams>(mouse("mouseWheel")).await;
            }
            "key" => self.key(action).await,
            "touch" => {
                let touch = Touch { kind: action["type"].clone(), points: action["points"].clone() };
                within(self.page.call(&touch)).await.unwrap();
            }
            "compose" => {
                let end = action["text"].as_str().unwrap().encode_utf16().count();
                let params = json!({"text": action["text"], "selectionStart": end, "selectionEnd": end});
                self.call::<ImeSetCompositionParams>(params).await;
            }
            "insert" => {
                self.call::<InsertTextParams>(json!({"text": action["text"]})).await;
            }
            "size" => {
                let params = json!({"width": action["width"], "height": action["height"], "mobile": action["mobile"] == true,
                    "deviceScaleFactor": action["scale"].as_f64().unwrap_or(1.0)});
                self.call::<SetDeviceMetricsOverrideParams>(params).await;
                let touch = json!({"enabled": action["mobile"] == true, "maxTouchPoints": 5});
                self.call::<SetTouchEmulationEnabledParams>(touch).await;
            }
            "line" => {
                within(self.page.call(&Enable)).await.unwrap();
                within(self.page.call(&Line::of(action))).await.unwrap();
            }
            "media" => {
                let features = json!([
                    {"name": "prefers-color-scheme", "value": action["scheme"].as_str().unwrap_or("")},
                    {"name": "prefers-reduced-motion", "value": action["motion"].as_str().unwrap_or("")},
                    {"name": "forced-colors", "value": action["forced"].as_str().unwrap_or("")},
                ]);
                self.call::<SetEmulatedMediaParams>(json!({"features": features})).await;
            }
            other => panic!("{other}"),
        }
        true
    }

    async fn key(&self, action: &Value) {
        let key = action["key"].as_str().unwrap();
        let text = match key {
            "Enter" => Some("\r".to_owned()),
            _ => (key.chars().count() == 1 && action["modifiers"].as_i64().unwrap_or_default() & 7 == 0)
                .then(|| key.to_owned()),
        };
        let virtual_key = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            "Backspace" => 8,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            " " => 32,
            // Other characters' numbers are those of other keys: a full stop's is Delete's.
            _ => key.to_uppercase().bytes().next().filter(u8::is_ascii_alphanumeric).map_or(0, i64::from),
        };
        let code = action["code"].as_str().map_or_else(
            || {
                if key.len() == 1 && key.as_bytes()[0].is_ascii_alphabetic() {
                    format!("Key{}", key.to_uppercase())
                } else {
                    key.to_owned()
                }
            },
            str::to_owned,
        );
        let modifiers = action["modifiers"].as_i64().unwrap_or_default();
        let common = json!({"key": key, "code": code, "modifiers": modifiers, "windowsVirtualKeyCode": virtual_key});
        let with = |kind: &str, text: Option<&str>| {
            let mut params = common.clone();
            params["type"] = json!(kind);
            if let Some(text) = text {
                params["text"] = json!(text);
            }
            if kind == "keyDown" && modifiers & 2 != 0 {
                let command = match key {
                    "c" => Some("copy"),
                    "x" => Some("cut"),
                    "v" => Some("paste"),
                    _ => None,
                };
                if let Some(command) = command {
                    params["commands"] = json!([command]);
                }
            }
            params
        };
        if action["part"] != "up" {
            self.call::<DispatchKeyEventParams>(with("keyDown", text.as_deref())).await;
        }
        if action["part"] != "down" {
            self.call::<DispatchKeyEventParams>(with("keyUp", None)).await;
        }
    }
}

/// `Network.enable`, without which the line is not emulated.
#[derive(Serialize)]
struct Enable;

impl Method for Enable {
    fn identifier(&self) -> MethodId {
        "Network.enable".into()
    }
}

impl Command for Enable {
    type Response = Value;
}

/// `Network.emulateNetworkConditions`: the generated type is deprecated with its command, whose successor Debian's
/// Chromium lacks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    offline: bool,
    latency: f64,
    download_throughput: f64,
    upload_throughput: f64,
    connection_type: &'static str,
}

impl Line {
    /// A line with a delay in milliseconds and bytes a second, or none where it is lost; without them, the machine's own.
    fn of(action: &Value) -> Self {
        let throughput = action["bytes"].as_f64().unwrap_or(-1.0);
        Self {
            offline: action["lost"] == true,
            latency: action["delay"].as_f64().unwrap_or_default(),
            download_throughput: throughput,
            upload_throughput: throughput,
            connection_type: if action["bytes"].is_number() { "cellular3g" } else { "wifi" },
        }
    }
}

impl Method for Line {
    fn identifier(&self) -> MethodId {
        "Network.emulateNetworkConditions".into()
    }
}

impl Command for Line {
    type Response = Value;
}

/// `Input.dispatchTouchEvent`. The generated type leaves an empty list of points out, which Chromium refuses.
#[derive(Serialize)]
struct Touch {
    #[serde(rename = "type")]
    kind: Value,
    #[serde(rename = "touchPoints")]
    points: Value,
}

impl Method for Touch {
    fn identifier(&self) -> MethodId {
        "Input.dispatchTouchEvent".into()
    }
}

impl Command for Touch {
    type Response = Value;
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(PATIENCE, future).await.expect("the browser answers")
}
