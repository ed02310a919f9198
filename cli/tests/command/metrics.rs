//! `porthole metrics`: its table, its JSON, its limits.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::person::Person;
use crate::scripted::{Worker, answer};

#[test]
fn operations_are_sorted_by_errors_then_latency_and_broken_limits_exit_with_1() {
    let operation = |count: u64, errors_by_code: Value, p95: u64| json!({"count": count, "ok": 1, "errors_by_code": errors_by_code, "latency_ms": {"p95": p95}});
    let metrics = json!({"operations": {
        "create": operation(10, json!({"UNAUTHORIZED": 9}), 3),
        "extract": operation(100, json!({"NAVIGATION_FAILED": 5, "OVERLOADED": 2}), 900),
        "screenshot": operation(50, json!({}), 1_200),
    }});
    let body = metrics.clone();
    let admin = Worker::start(move |_| answer(200, &body));
    let person = Person::at(&admin);
    let url = admin.url();
    let run = |limits: &str| {
        let line = format!("metrics --admin-url {url} {limits}");
        person.run(&line.split_whitespace().collect::<Vec<_>>())
    };

    let table = run("").ok().out;
    let at = |word: &str| table.find(word).unwrap_or_else(|| panic!("no {word}: {table}"));
    assert!(at("extract") < at("screenshot") && at("screenshot") < at("create"), "{table}");
    assert!(at("NAVIGATION_FAILED 5") < at("OVERLOADED 2") && table.contains(" 2%"), "{table}");

    run("--max-p95 1200ms --max-error-rate 2%").ok();
    let slow = run("--max-p95 1s --max-error-rate 2%").failed(1);
    assert_eq!(slow.err, "porthole: screenshot: p95 is 1200 ms, over 1000 ms\n");
    assert_eq!(slow.out.trim_end(), table.trim_end(), "the table is still printed");
    let failing = run("--max-error-rate 1.5% --json").failed(1);
    assert_eq!(failing.err, "porthole: extract: 2% of requests were errors (2 of 100), over 1.5%\n");
    assert_eq!(failing.json(), metrics);
    let both = run("--max-p95 1s --max-error-rate 0%").failed(1);
    assert_eq!(both.err.lines().count(), 2, "{both:?}");
}

#[test]
fn limits_are_broken_when_there_are_no_metrics() {
    let admin = Worker::start(|_| answer(200, &json!({"operations": "none"})));
    let person = Person::at(&admin);
    let ran = person.run(&["metrics", "--max-p95", "2s", "--admin-url", &admin.url()]).failed(1);
    assert!(ran.err.contains("no metrics"), "{ran:?}");
    person.run(&["metrics", "--max-p95", "2s", "--admin-url", "http://127.0.0.1:9"]).failed(1);
}

#[test]
fn metrics_are_a_table_or_json_and_watching_repeats_them() {
    let metrics = json!({"operations": {"screenshot": {"count": 2, "ok": 1, "errors_by_code": {"INTERNAL": 1}}},
        "uptime_s": 61, "novelty": 7});
    let body = metrics.clone();
    let admin = Worker::start(move |_| answer(200, &body));
    let person = Person::at(&admin);
    let url = admin.url();
    let table = person.run(&["metrics", "--admin-url", &url]).ok();
    assert!(table.out.contains("screenshot") && table.out.contains("INTERNAL 1"), "{table:?}");
    assert_eq!(table.err, "");
    assert_eq!(person.run(&["metrics", "--json", "--admin-url", &url]).ok().json(), metrics);
    assert_eq!(admin.seen()[0].line, "GET /api/metrics");
    assert_eq!(admin.seen()[0].header("authorization"), None);

    let mut watching = person
        .command(&["metrics", "--json", "--watch=1", "--admin-url", &url])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(watching.stdout.take().unwrap()));
    for line in lines.take(2) {
        assert_eq!(serde_json::from_str::<Value>(&line.unwrap()).unwrap(), metrics);
    }
    // The reader was dropped, so the next write ends the watch without a panic.
    assert_eq!(watching.wait().unwrap().code(), Some(0));
}
