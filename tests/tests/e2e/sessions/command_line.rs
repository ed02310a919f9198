//! The command line with a session: a browser that stays between commands.

use porthole_tests::Stack;
use porthole_tests::command::{Finished, run};
use porthole_tests::process::Environment;
use serde_json::Value;

fn environment(stack: &Stack) -> Environment {
    let mut environment = stack.home.environment();
    environment.insert("PORTHOLE_URL".to_owned(), stack.worker.url(""));
    environment
}

async fn porthole(environment: &Environment, arguments: &[&str]) -> Finished {
    run("porthole", arguments, environment, b"").await
}

#[tokio::test]
async fn a_page_is_opened_and_its_tabs_are_listed_without_a_handle() {
    let stack = Stack::start().await;
    let environment = environment(&stack);
    let second = stack.site.html("<title>Second</title><h1>Second</h1>");
    let first = stack.site.html(&format!("<title>First</title><h1>First</h1><a href='{second}'>on</a>"));

    let said = porthole(&environment, &["open", &first]).await.expect_code(0);
    let (line, rest) = said.split_once('\n').unwrap();
    assert!(line.starts_with("session ses_"), "{said}");
    assert!(rest.starts_with(&format!("{first} - First")), "{said}");

    let said = porthole(&environment, &["tabs"]).await.expect_code(0);
    assert_eq!(said, format!("* t1  {first} - First\n"));
    let said = porthole(&environment, &["tabs", "new", &second]).await.expect_code(0);
    assert!(said.contains(&format!("* t2  {second} - Second")), "{said}");
    porthole(&environment, &["tabs", "select", "t1"]).await.expect_code(0);

    porthole(&environment, &["goto", &second]).await.expect_code(0);
    let said = porthole(&environment, &["back"]).await.expect_code(0);
    assert!(said.starts_with(&format!("{first} - First")), "{said}");
    let answer: Value =
        serde_json::from_str(&porthole(&environment, &["reload", "--json"]).await.expect_code(0)).unwrap();
    assert_eq!((&answer["ok"], &answer["title"]), (&Value::from(true), &Value::from("First")));

    let said = porthole(&environment, &["sessions"]).await.expect_code(0);
    assert!(said.starts_with("* 1  ") && said.contains("tabs: 2"), "{said}");
    porthole(&environment, &["close"]).await.expect_code(0);
    let finished = porthole(&environment, &["tabs"]).await;
    finished.expect_code(1);
    assert!(finished.stderr.starts_with("NO_PAGE: "), "{finished:?}");
    assert_eq!(porthole(&environment, &["sessions"]).await.expect_code(0), "no session is open\n");
}

#[tokio::test]
async fn a_blocked_target_is_refused_and_the_session_stays() {
    let stack = Stack::start().await;
    let environment = environment(&stack);
    let page = stack.site.html("<title>Allowed</title>");
    porthole(&environment, &["open", &page]).await.expect_code(0);
    let finished = porthole(&environment, &["goto", &stack.site.forbidden()]).await;
    finished.expect_code(1);
    assert!(finished.stderr.contains("BLOCKED_TARGET"), "{finished:?}");
    let said = porthole(&environment, &["tabs"]).await.expect_code(0);
    assert!(said.contains("Allowed"), "{said}");
    assert_eq!(stack.site.forbidden_visits(), 0);
}
