//! Calls that the emulator refuses over a socket: those that would reach this machine's files or privileged pages.

use std::fs;
use std::path::Path;

use http::Method;
use porthole_tests::Emulator;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::eventually::{eventually, so};
use serde_json::{Value, json};

use super::client::{PATIENCE, Socket, connect, create, path, release, try_connect};

/// A client's page: a socket, and the page's target session on it (`None` on a socket to the page itself).
struct Page {
    socket: Socket,
    session: Option<String>,
}

impl Page {
    /// Calls a method and returns its whole answer, which may be an error.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.socket.ask(self.session.as_deref(), method, params).await
    }

    /// Evaluates an expression, awaits its promise and returns the value.
    async fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true});
        self.ask("Runtime.evaluate", params).await["result"]["result"]["value"].clone()
    }

    /// Returns the node id of the page's first `input`.
    async fn input(&mut self) -> Value {
        self.ask("DOM.enable", json!({})).await;
        let root = self.ask("DOM.getDocument", json!({})).await["result"]["root"]["nodeId"].clone();
        let found = self.ask("DOM.querySelector", json!({"nodeId": root, "selector": "input"})).await;
        found["result"]["nodeId"].clone()
    }
}

/// Opens the first page of a session twice: over its connect URL, and over the URL of the live view (`/debug`).
async fn pages(emulator: &Emulator, session: &Value) -> [Page; 2] {
    let (_, live) = emulator.call(Method::GET, &format!("{}/debug", path(session)), None).await;
    let id = live["pages"][0]["id"].as_str().unwrap();
    let url = live["wsUrl"].as_str().unwrap().strip_suffix("browser").unwrap().to_owned() + "page/" + id;
    let alone = Page { socket: try_connect(url.as_str(), None).await.unwrap(), session: None };
    let mut socket = connect(session).await;
    let attached = socket.call("Target.attachToTarget", json!({"targetId": id, "flatten": true})).await;
    [Page { socket, session: Some(attached["sessionId"].as_str().unwrap().to_owned()) }, alone]
}

#[tokio::test]
async fn its_browsers_open_web_pages_but_no_files_and_no_internal_pages() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let session = create(&emulator, json!({})).await;
    let mut pages = pages(&emulator, &session).await;
    for page in &mut pages {
        for url in [
            "file:///etc/hostname",
            "fi\nle:///etc/hostname",
            "view-source:file:///etc/hostname",
            "chrome://version",
            "chrome-untrusted://terminal",
            "devtools://devtools/bundled/inspector.html",
            "about:version",
        ] {
            for method in ["Page.navigate", "Target.createTarget"] {
                let answer = page.ask(method, json!({"url": url})).await;
                assert!(answer["error"]["message"].as_str().unwrap().contains("Refused"), "{method} {url}: {answer}");
            }
        }
        let targets = page.ask("Target.getTargets", json!({})).await;
        let id = targets["result"]["targetInfos"][0]["targetId"].clone();
        for method in ["Target.exposeDevToolsProtocol", "Target.openDevTools"] {
            let answer = page.ask(method, json!({"targetId": id})).await;
            assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
        }
        assert_eq!(page.evaluate("typeof cdp").await, "undefined");
        // Chromium's own rule holds too: a page may not navigate itself to a file.
        let moved = page.evaluate("location = 'file:///etc/hostname'; document.readyState + location.protocol").await;
        assert!(moved.as_str().unwrap().ends_with("about:"), "{moved}");
        let navigated = page.ask("Page.navigate", json!({"url": "data:text/html,<p>a page"})).await;
        assert!(navigated["result"]["frameId"].is_string(), "the socket no longer works: {navigated}");
        eventually(PATIENCE, async || {
            let text = page.evaluate("document.body.innerText").await;
            so(text == "a page", text.to_string())
        })
        .await;
        page.ask("Page.navigate", json!({"url": "about:blank"})).await;
        eventually(PATIENCE, async || {
            let at = page.evaluate("location.href").await;
            so(at == "about:blank", at.to_string())
        })
        .await;
    }
    release(&emulator, &session).await;
    emulator.expect_all_given_back(PATIENCE).await;
}

#[tokio::test]
async fn no_file_is_read_for_a_client_and_downloads_go_to_the_sessions_folder() {
    let emulator = Emulator::start(EmulatorOptions::new()).await;
    let session = create(&emulator, json!({})).await;
    let [mut page, _alone] = pages(&emulator, &session).await;
    let secret = emulator.home.home().join("secret.txt");
    fs::write(&secret, "secret").unwrap();
    let secret = secret.to_str().unwrap();
    let document = "<body style='height:500px'><input type=file><script>\
        addEventListener('dragover', e => e.preventDefault());\
        addEventListener('drop', e => { e.preventDefault(); window.dropped = e.dataTransfer.files.length });</script>";
    page.evaluate(&format!("document.write({}); document.close()", json!(document))).await;

    let input = page.input().await;
    let answer = page.ask("DOM.setFileInputFiles", json!({"files": [secret], "nodeId": input})).await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("files"), "{answer}");
    assert_eq!(page.evaluate("document.querySelector('input').files.length").await, 0);
    for kind in ["dragEnter", "dragOver", "drop"] {
        let data = json!({"items": [], "files": [secret], "dragOperationsMask": 1});
        let answer = page.ask("Input.dispatchDragEvent", json!({"type": kind, "x": 9, "y": 90, "data": data})).await;
        assert!(answer["error"]["message"].as_str().unwrap().contains("files"), "{answer}");
    }
    assert_eq!(page.evaluate("typeof dropped").await, "undefined");

    let chosen = emulator.home.home().join("chosen");
    fs::create_dir(&chosen).unwrap();
    let params = json!({"behavior": "allow", "downloadPath": chosen.to_str().unwrap()});
    let answer = page.socket.ask(None, "Browser.setDownloadBehavior", params).await;
    assert!(answer.get("error").is_none(), "{answer}");
    let download = "const a = document.createElement('a'); a.href = 'data:text/plain,hello'; a.download = 'hello.txt'; \
        a.click()";
    page.evaluate(download).await;
    let profiles = emulator.home.left_in_temp();
    let profile = profiles.first().unwrap();
    eventually(PATIENCE, async || {
        let downloads = profile.join("downloads");
        let text = fs::read_to_string(downloads.join("hello.txt")).unwrap_or_default();
        so(text == "hello", format!("{:?}", entries(&downloads)))
    })
    .await;
    assert_eq!(entries(&chosen), 0);
    release(&emulator, &session).await;
    emulator.expect_all_given_back(PATIENCE).await;
    eventually(PATIENCE, async || so(!profile.exists(), "the profile with the downloads is left")).await;
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}
