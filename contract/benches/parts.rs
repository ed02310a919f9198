//! JSON costs: parsing and validating a request; writing and reading a screenshot's answer with a 200 kB image.

use std::hint::black_box;

use criterion::Criterion;
use porthole_contract::{ScreenshotRequest, ScreenshotResponse, parse};

/// A picture's size in bytes, before base64.
const PICTURE_BYTES: usize = 200_000;

const REQUEST: &str = r#"{"sandbox_id":"sb-01234567-89ab-cdef-0123-456789abcdef","owner_token":"eyJhbGciOiJIUzI1NiJ9.e30.c2ln",
    "url":"https://example.com/a/page?with=a&query=1","full_page":true,"format":"png","timeout_ms":20000,
    "viewport":{"width":1280,"height":720,"device_scale_factor":2,"mobile":false},
    "wait":{"until":"settled","timeout_ms":5000,"selector":"main > article"}}"#;

const ANSWER: &str = r#"{"ok":true,"title":"Example Domain","final_url":"https://example.com/","status_code":200,"image_base64":"",
    "mime_type":"image/png","truncated":false,"width":390,"height":844,"bytes":200000,"request_id":"r",
    "timings_ms":{"queue":0,"session":12,"navigate":31,"settle":20,"capture":40,"total":104},"blocked_requests":0,"warnings":[]}"#;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("json");
    group.bench_function("request read", |bencher| {
        bencher.iter(|| parse::<ScreenshotRequest>(black_box(REQUEST.as_bytes())).expect("the request is valid"));
    });
    let mut answer: ScreenshotResponse = serde_json::from_str(ANSWER).expect("the answer is valid");
    // Any base64 letters do: JSON costs the same for all of them.
    answer.image_base64 = "iVBORw0K".repeat(PICTURE_BYTES / 6);
    group.bench_function("answer written", |bencher| {
        bencher.iter(|| serde_json::to_vec(black_box(&answer)).expect("the answer serialises"));
    });
    let written = serde_json::to_vec(&answer).expect("the answer serialises");
    group.bench_function("answer read", |bencher| {
        bencher
            .iter(|| serde_json::from_slice::<ScreenshotResponse>(black_box(&written)).expect("the answer is valid"));
    });
    group.finish();
    criterion.final_summary();
}
