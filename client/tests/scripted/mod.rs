//! A worker on loopback that answers by a script and records the requests it receives.

#![expect(dead_code, reason = "each test file uses a part of this")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// `POST /api/sandbox/create`
    pub(crate) line: String,
    /// Names are in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(seen, _)| seen == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn asks_for(&self, route: &str) -> bool {
        self.line.ends_with(route)
    }
}

/// How the worker replies to a request.
pub(crate) enum Reply {
    /// Status, further header lines, body.
    Answer(u16, Vec<String>, String),
    /// Resets the connection without an answer.
    Reset,
    /// An answer that ends before its content length.
    Torn,
    /// No answer until the client disconnects.
    Silence,
}

pub(crate) fn answer(status: u16, body: &Value) -> Reply {
    Reply::Answer(status, vec!["content-type: application/json".to_owned()], body.to_string())
}

pub(crate) fn failure(status: u16, code: &str, retryable: bool) -> Reply {
    answer(
        status,
        &json!({"ok": false, "error": code, "message": format!("sentence of {code}"), "details": "the details",
            "retryable": retryable, "request_id": "r-7"}),
    )
}

pub(crate) fn sandbox(id: &str) -> Reply {
    answer(
        200,
        &json!({"ok": true, "sandbox_id": id, "owner_token": format!("token-of-{id}"),
            "expires_at": "2999-01-01T00:00:00Z"}),
    )
}

pub(crate) fn extract(content: &str) -> Reply {
    answer(
        200,
        &json!({"ok": true, "title": "T", "final_url": "https://example.com/", "status_code": 200, "content": content,
            "truncated": false, "format": "text", "total_chars": content.chars().count(), "request_id": "r-1",
            "timings_ms": {"total": 5}, "blocked_requests": 0, "warnings": [], "newer_field": 1}),
    )
}

/// `iVBORw…`: a PNG of one pixel.
pub(crate) const PIXEL_BASE64: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(crate) fn screenshot_answer() -> Value {
    json!({"ok": true, "title": "T", "final_url": "https://example.com/", "status_code": 200,
        "image_base64": PIXEL_BASE64, "mime_type": "image/png", "truncated": false, "width": 1, "height": 1,
        "bytes": 70, "request_id": "r-1", "timings_ms": {"total": 5}, "blocked_requests": 0, "warnings": []})
}

/// A scripted worker. It listens until it is dropped.
pub(crate) struct Worker {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    stopped: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

type Script = dyn FnMut(&Seen) -> Reply + Send;

impl Worker {
    /// Starts a worker that answers each request with the result of `script`.
    pub(crate) fn start(script: impl FnMut(&Seen) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let stopped = Arc::new(AtomicBool::new(false));
        let script: Arc<Mutex<Box<Script>>> = Arc::new(Mutex::new(Box::new(script)));
        let (log, stop) = (Arc::clone(&seen), Arc::clone(&stopped));
        let accepting = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let (script, log) = (Arc::clone(&script), Arc::clone(&log));
                std::thread::spawn(move || serve(stream.unwrap(), &script, &log));
            }
        });
        Self { address, seen, stopped, accepting: Some(accepting) }
    }

    /// Starts a worker that sends these replies in order; any further request gets the code `SCRIPT_IS_OVER`.
    pub(crate) fn with_replies(replies: impl IntoIterator<Item = Reply>) -> Self {
        let mut replies = replies.into_iter().collect::<Vec<_>>().into_iter();
        Self::start(move |_| replies.next().unwrap_or_else(|| failure(404, "SCRIPT_IS_OVER", false)))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Returns the last path segments of the requests, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.seen().iter().map(|seen| seen.line.rsplit('/').next().unwrap_or_default().to_owned()).collect()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

fn serve(mut stream: TcpStream, script: &Mutex<Box<Script>>, log: &Mutex<Vec<Seen>>) {
    let Some(seen) = read_request(&mut stream) else {
        return;
    };
    log.lock().unwrap().push(seen.clone());
    let reply = (script.lock().unwrap())(&seen);
    if matches!(reply, Reply::Reset) {
        // The body was only peeked at: the kernel resets a connection whose socket closes with unread data.
        assert!(!seen.body.is_empty(), "only a request with a body can be reset");
        return;
    }
    stream.read_exact(&mut vec![0; seen.body.len()]).unwrap();
    match reply {
        Reply::Answer(status, headers, body) => {
            let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
            let length = body.len();
            let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n");
            let _ = stream.write_all([head.as_bytes(), body.as_bytes()].concat().as_slice());
        }
        Reply::Torn => {
            let _ =
                stream.write_all(b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{");
        }
        Reply::Silence => {
            let _ = stream.read(&mut [0]);
        }
        Reply::Reset => unreachable!("handled above"),
    }
}

/// Reads the head from the stream and peeks at the body.
fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let line = lines.next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())))
        .collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    while length > 0 && stream.peek(&mut body).ok()? < length {
        std::thread::yield_now();
    }
    Some(Seen { line, headers, body: String::from_utf8(body).unwrap() })
}
