//! Debian's Firefox, driven by WebDriver BiDi over its own port.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::{SinkExt as _, StreamExt as _};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::browser::in_path;

const PATIENCE: Duration = Duration::from_secs(60);
/// Nothing that looks for updates, reports or asks a person.
const PREFERENCES: &str = r#"
user_pref("app.update.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.aboutConfig.showWarning", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("services.settings.server", "http://127.0.0.1:9/");
user_pref("remote.active-protocols", 1);
user_pref("dom.w3c_touch_events.enabled", 1);
"#;

pub(crate) struct Firefox {
    process: Child,
    socket: Mutex<(WebSocketStream<MaybeTlsStream<TcpStream>>, u64)>,
    context: String,
    /// The fingers that touch, by their ids.
    fingers: Mutex<BTreeSet<i64>>,
    _folder: tempfile::TempDir,
}

impl Firefox {
    /// None where it is not installed.
    pub(crate) async fn start() -> Option<Self> {
        let executable = in_path("firefox-esr")?;
        let folder = tempfile::Builder::new().prefix("porthole-tests-").tempdir().unwrap();
        let profile = folder.path().join("profile");
        std::fs::create_dir(&profile).unwrap();
        std::fs::write(profile.join("user.js"), PREFERENCES).unwrap();
        let mut process = Command::new(executable)
            .args(["--headless", "--no-remote", "--remote-debugging-port=0", "--profile"])
            .arg(&profile)
            .arg("about:blank")
            .env_clear()
            .env("HOME", folder.path())
            .env("TMPDIR", folder.path())
            .env("PATH", "/usr/bin:/bin")
            .env("LANG", "C.UTF-8")
            .env("MOZ_CRASHREPORTER_DISABLE", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let prefix = "WebDriver BiDi listening on ";
        let address = tokio::task::spawn_blocking(move || {
            let found = stderr.find_map(|line| line.strip_prefix(prefix).map(str::to_owned));
            // Drains the rest, so that the pipe does not fill up.
            std::thread::spawn(move || stderr.for_each(drop));
            found
        });
        let address = timeout(PATIENCE, address).await.unwrap().unwrap().expect("Firefox announces its port");
        let (socket, _) = timeout(PATIENCE, connect_async(format!("{address}/session"))).await.unwrap().unwrap();
        let mut firefox = Self {
            process,
            socket: Mutex::new((socket, 0)),
            context: String::new(),
            fingers: Mutex::default(),
            _folder: folder,
        };
        firefox.call("session.new", json!({"capabilities": {}})).await;
        let tree = firefox.call("browsingContext.getTree", json!({})).await;
        firefox.context = tree["contexts"][0]["context"].as_str().unwrap().to_owned();
        firefox.does(&json!({"do": "size", "width": 1024, "height": 768})).await;
        Some(firefox)
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        timeout(PATIENCE, self.answer(method, &params)).await.unwrap_or_else(|_| panic!("{method} is never answered"))
    }

    async fn answer(&self, method: &str, params: &Value) -> Value {
        let (socket, id) = &mut *self.socket.lock().await;
        *id += 1;
        socket.send(Message::text(json!({"id": id, "method": method, "params": params}).to_string())).await.unwrap();
        loop {
            let message = socket.next().await.expect("Firefox lives").unwrap();
            let Ok(text) = message.to_text() else { continue };
            let Ok(answer) = serde_json::from_str::<Value>(text) else { continue };
            if answer["id"] == json!(id) {
                assert_eq!(answer["type"], "success", "{method} {params}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    pub(crate) async fn open(&self, url: &str) {
        self.call("browsingContext.navigate", json!({"context": self.context, "url": url, "wait": "complete"})).await;
    }

    pub(crate) async fn evaluate(&self, expression: &str) -> Value {
        // As text, since BiDi has its own form for values.
        let expression = format!("Promise.resolve({expression}).then((value) => JSON.stringify(value ?? null))");
        let params = json!({"expression": expression, "target": {"context": self.context}, "awaitPromise": true,
            "userActivation": true});
        let evaluated = self.call("script.evaluate", params).await;
        assert_eq!(evaluated["type"], "success", "{expression}: {evaluated}");
        serde_json::from_str(evaluated["result"]["value"].as_str().unwrap()).unwrap()
    }

    pub(crate) async fn picture(&self) -> Vec<u8> {
        let taken = self.call("browsingContext.captureScreenshot", json!({"context": self.context})).await;
        BASE64_STANDARD.decode(taken["data"].as_str().unwrap()).unwrap()
    }

    async fn perform(&self, source: Value) {
        self.perform_all(vec![source]).await;
    }

    async fn perform_all(&self, sources: Vec<Value>) {
        self.call("input.performActions", json!({"context": self.context, "actions": sources})).await;
    }

    /// Moves fingers, puts them down and lifts those that are not among the points any more, each a source of its own.
    async fn touch(&self, points: &[Value]) {
        let mut fingers = self.fingers.lock().await;
        let id = |point: &Value| point["id"].as_i64().unwrap_or_default();
        let touching: BTreeSet<i64> = points.iter().map(id).collect();
        let source = |id: i64, actions: Value| {
            json!({"type": "pointer", "id": format!("finger{id}"), "parameters": {"pointerType": "touch"},
                "actions": actions})
        };
        let mut sources: Vec<Value> = points
            .iter()
            .map(|point| {
                let moved = json!({"type": "pointerMove", "x": point["x"], "y": point["y"], "duration": 0});
                let then = match fingers.contains(&id(point)) {
                    true => json!({"type": "pause"}),
                    false => json!({"type": "pointerDown", "button": 0}),
                };
                source(id(point), json!([moved, then]))
            })
            .collect();
        let lifted = fingers.difference(&touching);
        sources.extend(lifted.map(|id| source(*id, json!([{"type": "pointerUp", "button": 0}]))));
        self.perform_all(sources).await;
        *fingers = touching;
    }

    async fn pointer(&self, kind: &str, actions: Value) {
        let source = json!({"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": actions});
        self.perform(source).await;
    }

    pub(crate) async fn does(&self, action: &Value) -> bool {
        let pixel = |name: &str| action[name].as_f64().unwrap_or_default();
        let button = match action["button"].as_str() {
            Some("middle") => 1,
            Some("right") => 2,
            _ => 0,
        };
        let moved = json!({"type": "pointerMove", "x": pixel("x"), "y": pixel("y"), "duration": 0});
        match action["do"].as_str().unwrap() {
            "move" => self.pointer("mouse", json!([moved])).await,
            "down" => self.pointer("mouse", json!([moved, {"type": "pointerDown", "button": button}])).await,
            "up" => self.pointer("mouse", json!([moved, {"type": "pointerUp", "button": button}])).await,
            "wheel" => {
                let scroll = json!({"type": "scroll", "x": pixel("x").round(), "y": pixel("y").round(), "deltaX": pixel("dx"), "deltaY": pixel("dy")});
                self.perform(json!({"type": "wheel", "id": "wheel", "actions": [scroll]})).await;
            }
            "key" => self.key(action).await,
            // It can't cancel one.
            "touch" if action["type"] != "touchCancel" => {
                self.touch(action["points"].as_array().map(Vec::as_slice).unwrap_or_default()).await;
            }
            "size" => {
                let viewport = json!({"width": action["width"], "height": action["height"]});
                let ratio = action["scale"].as_f64().unwrap_or(1.0);
                let params = json!({"context": self.context, "viewport": viewport, "devicePixelRatio": ratio});
                self.call("browsingContext.setViewport", params).await;
            }
            // No command of BiDi does it yet.
            _ => return false,
        }
        true
    }

    async fn key(&self, action: &Value) {
        let key = |name: &str| match name {
            "Enter" => "\u{e006}".to_owned(),
            "Tab" => "\u{e004}".to_owned(),
            "Escape" => "\u{e00c}".to_owned(),
            "Backspace" => "\u{e003}".to_owned(),
            "ArrowLeft" => "\u{e012}".to_owned(),
            "ArrowUp" => "\u{e013}".to_owned(),
            "ArrowRight" => "\u{e014}".to_owned(),
            "ArrowDown" => "\u{e015}".to_owned(),
            other => other.to_owned(),
        };
        let modifiers = action["modifiers"].as_i64().unwrap_or_default();
        let held: Vec<&str> = [(1, "\u{e00a}"), (2, "\u{e009}"), (4, "\u{e03d}"), (8, "\u{e008}")]
            .into_iter()
            .filter_map(|(bit, key)| (modifiers & bit != 0).then_some(key))
            .collect();
        let down = |value: &str| json!({"type": "keyDown", "value": value});
        let up = |value: &str| json!({"type": "keyUp", "value": value});
        let pressed = key(action["key"].as_str().unwrap());
        let mut actions = Vec::new();
        if action["part"] != "up" {
            actions.extend(held.iter().map(|key| down(key)));
            actions.push(down(&pressed));
        }
        if action["part"] != "down" {
            actions.push(up(&pressed));
            actions.extend(held.iter().rev().map(|key| up(key)));
        }
        self.perform(json!({"type": "key", "id": "keys", "actions": actions})).await;
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        // Once it is reaped, its process id may belong to another process.
        if matches!(self.process.try_wait(), Ok(None)) {
            let _ = killpg(Pid::from_raw(self.process.id().try_into().unwrap()), Signal::SIGKILL);
            let _ = self.process.wait();
        }
    }
}
