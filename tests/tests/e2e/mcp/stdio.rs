//! `porthole mcp`: with a stack of its own or another's, and what is left when its client goes.

use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use porthole_tests::command::run;
use porthole_tests::eventually::so;
use porthole_tests::executable::binary;
use porthole_tests::family::{descendants_of, expect_gone, mentioning};
use porthole_tests::process::Environment;
use porthole_tests::stack::Home;
use porthole_tests::{Reply, Site, Stack, eventually};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::client::{Client, current, earlier};
use super::{SOON, work};

/// The environment in which a client starts the command, and browsers reach the site.
fn environment(home: &Home, site: &Site) -> Environment {
    let mut environment = home.environment();
    environment.insert("PORTHOLE_ALLOW_TARGETS".to_owned(), site.allow_targets());
    environment.insert("PORTHOLE_RESOLVE".to_owned(), site.resolve());
    environment
}

#[tokio::test]
async fn an_agent_works_over_stdio_and_leaves_nothing() {
    for mode in [earlier(), current()] {
        let (home, site) = (Home::new(), Site::start());
        let client = Client::over_stdio(&["--own"], &environment(&home, &site), mode).await;
        assert_eq!(client.tools().await.len(), 21);
        let pid = client.pid.unwrap();
        assert!(descendants_of(pid).is_empty(), "nothing is started before a tool is called");
        work(&client, &site, true).await;
        let left = client.call("browser_navigate", json!({"url": site.html("<title>left open</title>")})).await;
        assert!(!left.is_error, "{}", left.text);
        let family = descendants_of(pid);
        assert!(family.iter().any(|process| process.is_browser()), "{family:#?}");
        client.leave().await;
        expect_gone(&family).await;
        assert!(home.left_in_temp().is_empty(), "{:?}", home.left_in_temp());
    }
}

#[tokio::test]
async fn a_command_that_is_killed_or_told_to_end_takes_its_stack_with_it() {
    for signal in [Signal::SIGKILL, Signal::SIGTERM] {
        let (home, site) = (Home::new(), Site::start());
        let client = Client::over_stdio(&["--own"], &environment(&home, &site), earlier()).await;
        let opened = client.call("browser_navigate", json!({"url": site.html("<title>open</title>")})).await;
        assert!(!opened.is_error, "{}", opened.text);
        let family = descendants_of(client.pid.unwrap());
        assert!(family.iter().any(|process| process.is_browser()), "{family:#?}");
        kill(Pid::from_raw(client.pid.unwrap()), signal).unwrap();
        expect_gone(&family).await;
        if signal == Signal::SIGTERM {
            assert!(home.left_in_temp().is_empty(), "{:?}", home.left_in_temp());
        }
    }
}

#[tokio::test]
async fn a_stack_that_is_still_starting_ends_with_its_command() {
    let (home, site) = (Home::new(), Site::start());
    let client = Client::over_stdio(&["--own"], &environment(&home, &site), earlier()).await;
    let pid = client.pid.unwrap();
    let calling =
        tokio::spawn(async move { client.attempt("browser_navigate", json!({"url": "http://a.example/"})).await });
    let family = eventually(SOON, async || {
        let family = descendants_of(pid);
        if family.is_empty() { Err("nothing was started".to_owned()) } else { Ok(family) }
    })
    .await;
    kill(Pid::from_raw(pid), Signal::SIGTERM).unwrap();
    // The call has some seconds to finish first.
    eventually(SOON, async || so(family.iter().all(|process| !process.is_alive()), format!("{family:#?}"))).await;
    eventually(SOON, async || so(descendants_of(pid).is_empty(), "something was started after that")).await;
    calling.await.unwrap();
    assert!(home.left_in_temp().is_empty(), "{:?}", home.left_in_temp());
}

#[tokio::test]
async fn a_session_that_is_gone_does_not_keep_a_page_from_being_opened() {
    let stack = Stack::with().setting("PORTHOLE_SESSION_IDLE_SECONDS", "1").start().await;
    let client = Client::over_stdio(&["--url", &stack.worker.url("")], &stack.home.environment(), earlier()).await;
    let url = stack.site.html("<title>again</title>");
    let first = client.call("browser_navigate", json!({"url": url})).await.handle();
    stack.expect_leased(0, SOON).await;
    let again = client.call("browser_navigate", json!({"url": url})).await;
    assert!(!again.is_error && again.handle() != first, "{}", again.text);
    client.leave().await;
}

#[tokio::test]
async fn a_named_stack_is_used_and_only_the_clients_sessions_are_closed() {
    let stack = Stack::start().await;
    let mut environment = stack.home.environment();
    environment.insert("PORTHOLE_URL".to_owned(), stack.worker.url(""));
    environment.insert("PORTHOLE_MCP_TOOLS".to_owned(), "browser_close,browser_navigate".to_owned());
    let others = stack.caller().post("/session/open", json!({})).await;
    assert_eq!(others.code(), None);
    let client = Client::over_stdio(&[], &environment, current()).await;
    let names: Vec<String> = client.tools().await.into_iter().map(|tool| tool.name.into_owned()).collect();
    assert_eq!(names, ["browser_navigate", "browser_close"]);
    assert_eq!(client.refused("browser_click", json!({})).await, -32602);
    let opened = client.call("browser_navigate", json!({"url": stack.site.html("<title>mine</title>")})).await;
    assert!(!opened.is_error, "{}", opened.text);
    stack.expect_leased(2, SOON).await;
    client.leave().await;
    stack.expect_leased(1, SOON).await;
}

#[tokio::test]
async fn a_worker_is_told_from_other_servers() {
    let stack = Stack::shared().await;
    assert!(porthole_client::is_worker(&stack.worker.url("")).await);
    for other in [stack.service.url(""), stack.site.html("<title>Porthole</title>"), stack.site.refusing()] {
        assert!(!porthole_client::is_worker(&other).await, "{other}");
    }
}

#[tokio::test]
async fn an_unknown_tool_in_the_list_is_a_wrong_setting() {
    let home = Home::new();
    let mut environment = home.environment();
    environment.insert("PORTHOLE_MCP_TOOLS".to_owned(), "browser_click,browser_fly".to_owned());
    let finished = run("porthole", &["mcp"], &environment, b"").await;
    finished.expect_code(64);
    assert!(
        finished.stderr.contains("PORTHOLE_MCP_TOOLS") && finished.stderr.contains("browser_fly"),
        "{}",
        finished.stderr
    );
}

#[tokio::test]
async fn messages_that_are_none_are_answered_and_the_next_one_too() {
    let home = Home::new();
    let messages = concat!(
        "{\n",
        "[]\n",
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_click","arguments":7}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":3,"method":"no/such"}"#,
        "\n",
        // As JavaScript writes half an emoji.
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"browser_type","arguments":{"ref":"e1","text":"\ud83d"}}}"#,
        "\n",
    );
    let finished = run("porthole", &["mcp", "--own"], &home.environment(), messages.as_bytes()).await;
    let said = finished.expect_code(0);
    let answers: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |id: u64| answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("{said}"));
    assert_eq!(of(1)["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(of(2)["result"]["isError"], true, "{said}");
    assert_eq!(of(3)["error"]["code"], -32601);
    assert!(of(4)["result"]["content"][0]["text"].as_str().unwrap().contains("NO_PAGE"), "{said}");
}

#[tokio::test]
async fn a_request_in_flight_is_answered_after_a_signal() {
    let (home, site) = (Home::new(), Site::start());
    let (mut command, mut input, mut lines) =
        started(Command::new(binary("porthole")).args(["mcp", "--own"]), &home, &site);
    open_a_page(&mut input, &mut lines, &site.html("<title>first</title>")).await;
    let late = site.page(Reply::html("<p>in time").late(Duration::from_secs(1)));
    let extract = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "sandbox_browser_extract",
        "arguments": {"url": late}}});
    input.write_all(format!("{extract}\n").as_bytes()).await.unwrap();
    eventually(SOON, async || so(!site.seen(&late).is_empty(), "the page was not asked for")).await;
    kill(Pid::from_raw(command.id().unwrap().try_into().unwrap()), Signal::SIGTERM).unwrap();
    let answer = answer_to(&mut lines, 3).await;
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap_or_default().contains("in time"), "{answer}");
    let ended = timeout(SOON, command.wait()).await.expect("it ends").unwrap();
    assert!(ended.success(), "{ended}");
    drop(input);
}

/// Opens a page over these streams, as a client of 2025-11-25 that does nothing else.
async fn open_a_page(input: &mut ChildStdin, output: &mut Lines<BufReader<ChildStdout>>, url: &str) {
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let navigate = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "browser_navigate",
        "arguments": {"url": url}}});
    for message in [initialize, initialized, navigate] {
        input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let answer = answer_to(output, 2).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}

/// Reads lines until the answer to the request with this id.
async fn answer_to(output: &mut Lines<BufReader<ChildStdout>>, id: u64) -> Value {
    loop {
        let line = output.next_line().await.unwrap().expect("an answer");
        let line: Value = serde_json::from_str(&line).unwrap();
        if line["id"] == id {
            return line;
        }
    }
}

/// Starts a command with the environment of a stack, and returns it with its input and the lines of its output.
fn started(command: &mut Command, home: &Home, site: &Site) -> (Child, ChildStdin, Lines<BufReader<ChildStdout>>) {
    let command = command.env_clear().envs(environment(home, site)).kill_on_drop(true);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, input, BufReader::new(output).lines())
}

#[tokio::test]
async fn a_client_that_reads_no_more_is_gone_though_the_input_stays_open() {
    let (home, site) = (Home::new(), Site::start());
    let (mut command, mut input, mut lines) =
        started(Command::new(binary("porthole")).args(["mcp", "--own"]), &home, &site);
    open_a_page(&mut input, &mut lines, &site.html("<title>unheard</title>")).await;
    let family = descendants_of(i32::try_from(command.id().unwrap()).unwrap());
    assert!(family.iter().any(|process| process.is_browser()), "{family:#?}");
    drop(lines);
    let ended = timeout(SOON, command.wait()).await.expect("it ends").unwrap();
    assert!(ended.success(), "{ended}");
    expect_gone(&family).await;
    drop(input);
    assert!(home.left_in_temp().is_empty(), "{:?}", home.left_in_temp());
}

#[tokio::test]
async fn the_parents_death_ends_it_though_the_input_stays_open() {
    let (home, site) = (Home::new(), Site::start());
    let program = binary("porthole");
    // The shell is the client; its end of the pipe is this test's too, so the command sees no end of its input.
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "exec 3<&0; \"$0\" mcp --own <&3 & wait", program.to_str().unwrap()]);
    let (mut shell, mut input, mut lines) = started(&mut command, &home, &site);
    open_a_page(&mut input, &mut lines, &site.html("<title>orphan</title>")).await;
    let family = descendants_of(i32::try_from(shell.id().unwrap()).unwrap());
    assert!(family.iter().any(|process| process.is_browser()), "{family:#?}");
    shell.kill().await.unwrap();
    eventually(SOON, async || {
        let left: Vec<_> = family.iter().filter(|process| process.is_alive()).collect();
        if left.is_empty() { Ok(()) } else { Err(format!("{left:#?}")) }
    })
    .await;
    drop(input);
    assert!(mentioning(&home.temp().display().to_string()).is_empty());
    assert!(home.left_in_temp().is_empty(), "{:?}", home.left_in_temp());
}
