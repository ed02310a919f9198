//! `porthole-service check-url`: explains why a URL is refused, without keys and without a browser.

use porthole_tests::command::{Finished, run};
use porthole_tests::process::Environment;
use porthole_tests::stack::Home;

fn environment(home: &Home) -> Environment {
    let mut environment = home.environment();
    environment
        .insert("PORTHOLE_RESOLVE".to_owned(), "inside.example=10.0.0.7,outside.example=93.184.215.14".to_owned());
    environment
}

async fn check(arguments: &[&str], input: &str) -> Finished {
    let home = Home::new();
    let arguments = [&["check-url"], arguments].concat();
    run("porthole-service", &arguments, &environment(&home), input.as_bytes()).await
}

/// Returns the verdict of each line, and asserts that a tab and a reason follow it.
fn verdicts(finished: &Finished) -> Vec<String> {
    let verdict = |line: &str| {
        let (verdict, reason) = line.split_once('\t').unwrap_or_else(|| panic!("no tab in {line:?}"));
        assert!(!reason.trim().is_empty(), "no reason in {line:?}");
        verdict.to_owned()
    };
    finished.text().lines().map(verdict).collect()
}

#[tokio::test]
async fn arguments_are_judged_in_their_order() {
    let finished = check(
        &[
            "http://93.184.215.14/",
            "http://127.0.0.1/",
            "ftp://example.com/",
            "http://10.0.0.1:80/",
            "https://a:b@example.com/",
        ],
        "",
    )
    .await;
    assert_eq!(verdicts(&finished), ["allowed", "BLOCKED_TARGET", "INVALID_URL", "BLOCKED_TARGET", "INVALID_URL"]);
    assert_eq!(finished.code, Some(1));
    let finished = check(&["http://93.184.215.14/", "http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/"], "").await;
    assert_eq!(verdicts(&finished), ["allowed", "allowed"]);
    assert_eq!(finished.code, Some(0));
}

#[tokio::test]
async fn names_are_resolved_and_every_answer_is_judged() {
    let finished = check(&["http://inside.example/", "http://outside.example/", "http://localhost/"], "").await;
    assert_eq!(verdicts(&finished), ["BLOCKED_TARGET", "allowed", "BLOCKED_TARGET"]);
    assert!(!finished.text().contains("10.0.0.7"), "the output contains a resolved address: {}", finished.text());
}

#[tokio::test]
async fn without_dns_only_the_url_itself_is_judged() {
    let finished =
        check(&["--no-dns", "http://anything.example/", "http://nowhere.invalid/", "http://printer.local/"], "").await;
    assert_eq!(verdicts(&finished), ["allowed", "allowed", "BLOCKED_TARGET"]);
    assert_eq!(finished.code, Some(1));
    let finished = check(&["--no-dns", "http://anything.example/"], "").await;
    assert_eq!((finished.code, verdicts(&finished).len()), (Some(0), 1));
}

#[tokio::test]
async fn each_line_of_input_gets_one_line_whatever_stands_in_it() {
    let lines = [
        ("http://93.184.215.14/", "allowed"),
        (r#""http://93.184.215.14/""#, "allowed"),
        (r#""http://127.0.0.1/""#, "BLOCKED_TARGET"),
        (r#""http://127\u002e0.0.1/""#, "BLOCKED_TARGET"),
        // The URL standard removes line ends from a URL: this is 127.0.0.1 again.
        (r#""http://127.0\n.0.1/""#, "BLOCKED_TARGET"),
        (r#""http://exa mple.com/\n\n""#, "INVALID_URL"),
        (r#""http://broken"#, "INVALID_URL"),
        (r#""\ud800""#, "INVALID_URL"),
        ("", "INVALID_URL"),
        ("not a url\twith\ttabs", "INVALID_URL"),
        ("http://１２７.０.０.１/", "BLOCKED_TARGET"),
        ("http://169.254.169.254/latest/", "BLOCKED_TARGET"),
        ("http://example.com:22/", "BLOCKED_TARGET"),
    ];
    let input: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
    let finished = check(&["--no-dns"], &input).await;
    let expected: Vec<&str> = lines.iter().map(|(_, verdict)| *verdict).collect();
    assert_eq!(verdicts(&finished), expected, "{}", finished.text());
    assert_eq!(finished.code, Some(1));
    // The last line needs no line end; lines may end with CRLF; empty input gives empty output.
    let finished = check(&["--no-dns"], "http://93.184.215.14/\r\nhttp://93.184.215.14/").await;
    assert_eq!(verdicts(&finished), ["allowed", "allowed"], "{}", finished.text());
    assert_eq!(finished.code, Some(0));
    let finished = check(&["--no-dns"], "").await;
    assert_eq!((finished.code, finished.text()), (Some(0), String::new()));
}

#[tokio::test]
async fn bytes_that_are_no_text_and_lines_without_end_get_their_line_too() {
    let home = Home::new();
    let mut input = b"\xff\xfe\x00\nhttp://93.184.215.14/\n".to_vec();
    input.extend(b"http://example.com/".iter().chain(&vec![b'x'; 3_000_000]));
    input.extend(b"\nhttp://127.0.0.1/\n");
    let finished = run("porthole-service", &["check-url", "--no-dns"], &environment(&home), &input).await;
    let verdicts = verdicts(&finished);
    assert_eq!(verdicts.len(), 4, "{verdicts:?}");
    assert_eq!((&*verdicts[0], &*verdicts[1], &*verdicts[3]), ("INVALID_URL", "allowed", "BLOCKED_TARGET"));
}

#[tokio::test]
async fn the_guards_settings_hold_here_too() {
    let home = Home::new();
    let mut environment = environment(&home);
    environment.insert("PORTHOLE_ALLOW_TARGETS".to_owned(), "127.0.0.1:3000,shop.example".to_owned());
    environment.insert("PORTHOLE_DENY_CIDRS".to_owned(), "93.184.0.0/16".to_owned());
    let arguments = [
        "check-url",
        "http://127.0.0.1:3000/",
        "http://127.0.0.1:3001/",
        "http://93.184.215.14/",
        "http://outside.example/",
        "https://user@127.0.0.1:3000/",
    ];
    let finished = run("porthole-service", &arguments, &environment, b"").await;
    assert_eq!(
        verdicts(&finished),
        ["allowed", "BLOCKED_TARGET", "BLOCKED_TARGET", "BLOCKED_TARGET", "INVALID_URL"],
        "{}",
        finished.text()
    );
}
