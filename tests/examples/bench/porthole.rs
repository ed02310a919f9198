//! Porthole as a caller of the worker uses it: over a persistent connection, with the picture decoded at the end.

use std::sync::Mutex;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{Method, header};
use porthole_tests::{Caller, Stack};
use serde_json::{Value, json};

use super::contender::{Burst, HEIGHT, Job, Phases, WIDTH};

/// How the picture is transferred.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Json,
    Raw,
}

/// The phases that the service reports in `timings_ms`, in whole milliseconds.
const PHASES: [&str; 5] = ["queue", "session", "navigate", "settle", "capture"];

pub(crate) struct Porthole<'a> {
    stack: &'a Stack,
    caller: Caller,
    answer: Answer,
    /// The phases of the last answer.
    phases: Mutex<Phases>,
}

impl<'a> Porthole<'a> {
    pub(crate) fn new(stack: &'a Stack, answer: Answer) -> Self {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client with constant options");
        Self { stack, caller: Caller { http, ..stack.caller() }, answer, phases: Mutex::default() }
    }

    pub(crate) fn pids(&self) -> Vec<i32> {
        vec![self.stack.service.process.pid(), self.stack.worker.process.pid()]
    }

    pub(crate) async fn take(&self, job: &Job) -> Burst {
        let burst = Burst::of(job, async || self.shot(job).await).await;
        Burst { phases: self.phases.lock().expect("no holder of the lock panicked").clone(), ..burst }
    }

    async fn shot(&self, job: &Job) -> Vec<u8> {
        let fields = json!({
            "url": job.url, "format": "png", "viewport": {"width": WIDTH, "height": HEIGHT, "mobile": true},
            "wait": {"until": job.until.word()},
        });
        let route = "/browser-screenshot";
        let mut request = self.caller.request(Method::POST, route).json(&self.caller.body(route, fields));
        if self.answer == Answer::Raw {
            request = request.header(header::ACCEPT, "image/*");
        }
        let answer = request.send().await.expect("an answer");
        let status = answer.status();
        let body = answer.bytes().await.expect("a whole answer");
        assert!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&body));
        match self.answer {
            Answer::Raw => body.to_vec(),
            Answer::Json => {
                let answer: Value = serde_json::from_slice(&body).expect("JSON");
                let phase = |name: &str| Some((name.to_owned(), answer["timings_ms"][name].as_f64()?));
                *self.phases.lock().expect("no holder of the lock panicked") =
                    PHASES.into_iter().filter_map(phase).collect();
                BASE64_STANDARD.decode(answer["image_base64"].as_str().expect("an image")).expect("base64")
            }
        }
    }
}
