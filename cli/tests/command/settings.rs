//! Usage, settings, keys, logs, proxies and help.

use serde_json::Value;

use crate::person::{Person, Ran, willing};

#[test]
fn wrong_usage_exits_with_2_before_any_request() {
    let worker = willing();
    let person = Person::at(&worker);
    for line in [
        "",
        "nonsense",
        "screenshot",
        "screenshot https://example.com --quality 101",
        "screenshot https://example.com --viewport 1280",
        "screenshot https://example.com --full-page --selector h1",
        "screenshot https://example.com --timeout 100ms",
        "screenshot https://example.com --url nonsense",
        "extract https://example.com --max-chars 0",
        "create --ttl 1s",
        "metrics --admin-url nonsense",
        "metrics --watch=0",
        "metrics --max-p95 soon",
        "metrics --max-error-rate 1",
        "metrics --max-error-rate 101%",
        "metrics --max-error-rate 1% --watch",
    ] {
        let ran = person.run(&line.split_whitespace().collect::<Vec<_>>()).failed(2);
        assert!(!ran.err.is_empty() && ran.out.is_empty(), "{line}: {ran:?}");
    }
    for line in ["screenshot https://example.com -o - --json", "click @e1 --timeout 0s --json"] {
        let ran = person.run(&line.split_whitespace().collect::<Vec<_>>()).failed(2);
        assert_eq!(ran.json()["error"], "INVALID_REQUEST", "{line}: {ran:?}");
        assert!(ran.err.starts_with("error: "), "{line}: {ran:?}");
    }
    assert_eq!(worker.asked(), [""; 0]);
}

#[test]
fn wrong_values_are_named_as_they_were_typed() {
    let worker = willing();
    let person = Person::at(&worker);
    for (line, expected) in [
        ("open https://a --idle 10m", "'--idle <TIME>': must be from 1s to 300s"),
        ("click @e1 --timeout 0s", "'--timeout <TIME>': must be from 1s to 60s"),
        ("open https://a --locale !!", "'--locale <LOCALE>': must have only letters, digits and -"),
        ("open https://a --state no-such-file", "--state: can't read no-such-file"),
        ("scroll", "up, down, left, right, top or bottom"),
        ("wait --text a --idle 1s", "by one of these"),
        ("run-tool {\"tool\":\"browser_close\"}", "read from standard input"),
    ] {
        let ran = person.run(&line.split_whitespace().collect::<Vec<_>>()).failed(2);
        assert!(ran.err.contains(expected), "{line}: {ran:?}");
    }
    let ran = person.run(&["metrics", "--admin-url", "http://127.0.0.1:9"]).failed(1);
    assert!(ran.err.contains("--admin-url URL") && !ran.err.contains("PORTHOLE_URL"), "{ran:?}");
}

#[test]
fn an_invalid_setting_exits_with_64_and_names_variable_value_and_what_is_accepted() {
    let worker = willing();
    let person = Person::at(&worker);
    let run =
        |name: &str, value: &str| Ran::of(&person.command(&["create"]).env(name, value).output().unwrap()).failed(64);
    let url = run("PORTHOLE_URL", "ftp://x");
    assert!(url.err.contains("PORTHOLE_URL") && url.err.contains("ftp://x") && url.err.contains("accepted"), "{url:?}");
    let password = run("PORTHOLE_URL", "http://me:hidden@x");
    assert!(password.err.contains("PORTHOLE_URL") && !password.err.contains("hidden"), "{password:?}");
    let key = run("PORTHOLE_KEY", "hid den");
    assert!(key.err.contains("PORTHOLE_KEY") && !key.err.contains("hid"), "{key:?}");
    assert!(run("PORTHOLE_KEY_FILE", "/no/such/file").err.contains("/no/such/file"));
    assert!(run("PORTHOLE_LOG", "a=b=c").err.contains("PORTHOLE_LOG"));
    assert_eq!(worker.asked(), [""; 0]);
}

#[test]
fn the_client_key_is_sent_from_variable_or_file_and_shown_nowhere() {
    let worker = willing();
    let person = Person::at(&worker);
    std::fs::write(person.file("key"), "key-of-a-file\n").unwrap();
    let mut command = person.command(&["extract", "https://example.com"]);
    let by_file =
        Ran::of(&command.env("PORTHOLE_KEY_FILE", person.file("key")).env("PORTHOLE_LOG", "trace").output().unwrap())
            .ok();
    person.command(&["create"]).env("PORTHOLE_KEY", "key-of-a-variable").output().unwrap();
    let keys: Vec<_> = worker.seen().iter().map(|seen| seen.header("authorization").map(str::to_owned)).collect();
    let expected = ["Bearer key-of-a-file", "Bearer key-of-a-file", "Bearer key-of-a-variable"];
    assert_eq!(keys, expected.map(|key| Some(key.to_owned())));
    assert!(by_file.err.contains("porthole_client"), "PORTHOLE_LOG asks for a log: {by_file:?}");
    assert!(!by_file.err.contains("key-of") && !by_file.err.contains("token-of"), "{by_file:?}");
}

#[test]
fn each_operation_logs_a_debug_line() {
    let worker = willing();
    let person = Person::at(&worker);
    let mut command = person.command(&["screenshot", "https://example.com", "-o", "a.png"]);
    let ran = Ran::of(&command.env("PORTHOLE_LOG", "porthole_client=debug").output().unwrap());
    let messages: Vec<String> = ran
        .err
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["message"].as_str().unwrap().to_owned())
        .collect();
    let [create, screenshot] = messages.as_slice() else { panic!("{messages:?}") };
    assert!(create.starts_with("create ok ") && create.ends_with("ms retries=0"), "{create}");
    assert!(screenshot.starts_with("screenshot ok ") && screenshot.ends_with("ms retries=0"), "{screenshot}");
}

#[test]
fn proxies_are_used_only_for_remote_workers() {
    let proxy = willing();
    let person = Person::at(&proxy);
    let dead = "http://127.0.0.1:9";
    let loopback =
        person.command(&["create"]).envs([("HTTP_PROXY", dead), ("http_proxy", dead), ("ALL_PROXY", dead)]).output();
    Ran::of(&loopback.unwrap()).ok();

    let mut command = person.command(&["create", "--url", "http://worker.invalid:8787"]);
    command.env("http_proxy", proxy.url()).env_remove("no_proxy").env_remove("NO_PROXY");
    Ran::of(&command.output().unwrap()).ok();
    assert_eq!(proxy.seen()[1].line, "POST http://worker.invalid:8787/api/sandbox/create");
}

#[test]
fn help_manual_and_completions_are_there() {
    let worker = willing();
    let person = Person::at(&worker);
    for command in ["up", "create", "screenshot", "extract", "metrics", "completions", "man"] {
        let help = person.run(&[command, "--help"]).ok();
        assert!(help.out.contains("Example"), "{command}: {help:?}");
    }
    assert_eq!(person.run(&["help", "type"]).ok().out, person.run(&["type", "--help"]).ok().out);
    for shell in ["bash", "zsh", "fish"] {
        assert!(person.run(&["completions", shell]).ok().out.contains("screenshot"));
    }
    assert!(person.run(&["man"]).ok().out.starts_with(".ie"));
    assert!(person.run(&["--version"]).ok().out.starts_with("porthole "));
}
