//! Limits: too many bytes or requests, slow clients, connections left open.

use super::*;

#[tokio::test]
async fn bytes_beyond_the_budget_cut_the_connection() {
    const BUDGET: u64 = 1_000_000;
    let limits = EgressLimits { bytes: BUDGET, ..EgressLimits::default() };
    let site = Site::that(Does::Pours(20_000_000)).await;
    let port = site.addr.port();
    for tunnel in [false, true] {
        let egress = open(limits.clone()).await;
        let mut caller = if tunnel {
            let (mut caller, _) = connect(&egress, &format!("site.example:{port}")).await;
            caller.write("GET / HTTP/1.1\r\n\r\n").await;
            caller
        } else {
            let mut caller = Caller::to(&egress).await;
            caller.write(&format!("GET {} HTTP/1.1\r\n\r\n", site.url("site.example"))).await;
            caller
        };
        let read = caller.read_to_end().await.len() as u64;
        assert!(read > BUDGET / 2 && read <= BUDGET, "{read}");
        let outcome = egress.outcome_of(&domain("site.example"), port);
        assert_eq!(outcome, Some(DialOutcome::OverBudget(Excess::Bytes)));
        let connections = site.connections();
        assert!(get(&egress, &site.url("other.example")).await.contains("x-porthole-egress: over_budget"));
        assert_eq!(site.connections(), connections, "nothing more is dialled");
        assert_eq!(egress.report().over_budget, 2);
    }
}

#[tokio::test]
async fn bytes_that_the_page_sends_count_too() {
    let egress = open(EgressLimits { bytes: 100_000, ..EgressLimits::default() }).await;
    let site = Site::that(Does::NeverAnswers).await;
    let (mut caller, _) = connect(&egress, &format!("site.example:{}", site.addr.port())).await;
    drop(caller.0.write_all(&vec![b'x'; 1_000_000]).await);
    drop(caller.read_to_end().await);
    let outcome = egress.outcome_of(&domain("site.example"), site.addr.port());
    assert_eq!(outcome, Some(DialOutcome::OverBudget(Excess::Bytes)));
}

#[tokio::test]
async fn requests_beyond_their_number_are_refused() {
    let (site, egress) =
        (Site::that(Does::Answers(OK)).await, open(EgressLimits { requests: 2, ..EgressLimits::default() }).await);
    let mut caller = Caller::to(&egress).await;
    let request = format!("GET {} HTTP/1.1\r\n\r\n", site.url("site.example"));
    assert_eq!(caller.ask(&request).await, OK);
    assert_eq!(caller.ask(&request).await, OK);
    assert!(caller.ask(&request).await.contains("x-porthole-egress: over_budget"));
    let outcome = egress.outcome_of(&domain("site.example"), site.addr.port());
    assert_eq!(outcome, Some(DialOutcome::OverBudget(Excess::Requests)));
}

#[tokio::test]
async fn silent_and_slow_callers_are_disconnected() {
    let short = Duration::from_millis(200);
    let egress = open(EgressLimits { head_timeout: short, idle_timeout: short, ..EgressLimits::default() }).await;
    let site = Site::that(Does::Echoes).await;
    let (mut silent, mut slow) = (Caller::to(&egress).await, Caller::to(&egress).await);
    let drip = async {
        // One byte at a time: the head as a whole is late nevertheless.
        for byte in b"GET http://site.example/ HTTP/1.1\r\nX: ".iter().chain([b'x'; 1000].iter()) {
            if slow.0.write_all(&[*byte]).await.is_err() {
                break;
            }
            sleep(Duration::from_millis(20)).await;
        }
        slow.read_to_end().await
    };
    let (first, second) = tokio::join!(silent.read_to_end(), timeout(SOON, drip));
    assert!(first.is_empty());
    second.expect("the slow caller is disconnected");
    let (mut tunnel, answer) = connect(&egress, &format!("site.example:{}", site.addr.port())).await;
    assert!(answer.starts_with("HTTP/1.1 200 "));
    tunnel.write("x").await;
    assert_eq!(tunnel.read_to_end().await, b"x", "closed after the idle timeout");
    let outcome = egress.outcome_of(&domain("site.example"), site.addr.port());
    assert_eq!(outcome, Some(DialOutcome::Silent));
}

#[tokio::test]
async fn a_kept_connection_that_times_out_is_no_failure() {
    let egress = open(EgressLimits { idle_timeout: Duration::from_millis(100), ..EgressLimits::default() }).await;
    let site = Site::that(Does::Answers(OK)).await;
    let mut caller = Caller::to(&egress).await;
    let request = format!("GET {} HTTP/1.1\r\n\r\n", site.url("site.example"));
    assert_eq!(caller.ask(&request).await, OK);
    // Once the idle timeout has closed the site's connection, the next request needs a new one.
    let deadline = Instant::now() + SOON;
    while site.connections() == 1 {
        assert!(Instant::now() < deadline, "the kept connection never ended");
        sleep(Duration::from_millis(150)).await;
        assert_eq!(caller.ask(&request).await, OK);
    }
    let outcome = egress.outcome_of(&domain("site.example"), site.addr.port());
    assert_eq!(outcome, Some(DialOutcome::Connected));
}

#[tokio::test]
async fn heads_that_are_too_large_are_refused() {
    let egress = open(EgressLimits { head_bytes: 8192, ..EgressLimits::default() }).await;
    let mut caller = Caller::to(&egress).await;
    let head = format!("GET http://site.example/ HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000));
    drop(caller.0.write_all(head.as_bytes()).await);
    let answer = String::from_utf8_lossy(&caller.read_to_end().await).into_owned();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
    assert!(egress.report().dials.is_empty());
}

#[tokio::test]
async fn a_thousand_connections_at_once_are_served_within_the_limit() {
    const AT_ONCE: usize = 1_000;
    const PERMITS: usize = 64;
    let site = Site::that(Does::Answers(OK)).await;
    let egress = open(EgressLimits { connections: PERMITS, ..EgressLimits::default() }).await;
    let request = format!("GET {} HTTP/1.1\r\nConnection: close\r\n\r\n", site.url("site.example"));
    let mut callers = tokio::task::JoinSet::new();
    let held: Vec<TcpStream> = futures_util::future::join_all((0..PERMITS).map(|_| TcpStream::connect(egress.addr())))
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    for _ in 0..AT_ONCE {
        let (mut caller, request) = (Caller::to(&egress).await, request.clone());
        callers.spawn(async move { caller.ask(&request).await });
    }
    // Silent callers hold all permits, so no other caller is served.
    assert!(timeout(Duration::from_millis(100), callers.join_next()).await.is_err());
    assert_eq!(site.connections(), 0);
    drop(held);
    let answers = timeout(SOON, callers.join_all()).await.expect("all served");
    assert_eq!(answers.len(), AT_ONCE);
    assert!(answers.iter().all(|answer| answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("hi")));
}

#[tokio::test]
async fn a_slow_reader_slows_the_site_down_and_is_disconnected() {
    const SIZE: usize = 1_000_000_000;
    let limits = EgressLimits { bytes: u64::MAX, idle_timeout: Duration::from_millis(500), ..EgressLimits::default() };
    let egress = open(limits).await;
    for tunnel in [false, true] {
        let site = Site::that(Does::Pours(SIZE)).await;
        let _caller = if tunnel {
            let (mut caller, _) = connect(&egress, &format!("site.example:{}", site.addr.port())).await;
            caller.write("GET / HTTP/1.1\r\n\r\n").await;
            caller
        } else {
            let mut caller = Caller::to(&egress).await;
            caller.write(&format!("GET {} HTTP/1.1\r\n\r\n", site.url("site.example"))).await;
            caller
        };
        let sent = || site.sent.load(Ordering::SeqCst);
        eventually("the site begins", || sent() > 0).await;
        eventually("the site is cut off", || Arc::strong_count(&site.sent) == 2).await;
        // Nearly all of that is in the system's buffers, which grow to some megabytes.
        assert!(sent() < SIZE as u64 / 10, "{}", sent());
    }
}

#[tokio::test]
async fn dropping_ends_everything() {
    let site = Site::that(Does::Echoes).await;
    let sleeper = Site::that(Does::NeverAnswers).await;
    let egress = open_default().await;
    let addr = egress.addr();
    let (mut tunnel, answer) = connect(&egress, &format!("site.example:{}", site.addr.port())).await;
    assert!(answer.starts_with("HTTP/1.1 200 "));
    let mut waiting = Caller::to(&egress).await;
    waiting.write(&format!("GET {} HTTP/1.1\r\n\r\n", sleeper.url("site.example"))).await;
    let mut silent = Caller::to(&egress).await;
    eventually("the request arrives", || !sleeper.received().is_empty()).await;
    drop(egress);
    for caller in [&mut tunnel, &mut waiting, &mut silent] {
        assert_eq!(caller.read_to_end().await, b"");
    }
    for site in [&site, &sleeper] {
        eventually("the site's connection is closed", || Arc::strong_count(&site.sent) == 2).await;
    }
    let deadline = Instant::now() + SOON;
    while TcpStream::connect(addr).await.is_ok() {
        assert!(Instant::now() < deadline, "the egress still listens");
    }
}

#[tokio::test]
async fn interim_answers_without_end_are_no_answer() {
    let answers =
        |count: usize| Does::Answers(format!("{}{OK}", "HTTP/1.1 102 Processing\r\n\r\n".repeat(count)).leak());
    let egress = open_default().await;
    for (count, is_answered) in [(1_000, true), (100_000, false)] {
        let site = Site::that(answers(count)).await;
        let answer = get(&egress, &site.url("site.example")).await;
        assert_eq!(answer.ends_with("hi"), is_answered, "{count}");
        let garbled = Some(DialOutcome::Garbled).filter(|_| !is_answered);
        let outcome = egress.outcome_of(&domain("site.example"), site.addr.port());
        assert_eq!(outcome.filter(|outcome| *outcome != DialOutcome::Connected), garbled, "{count}");
    }
}

#[tokio::test]
async fn an_answer_that_is_coded_too_often_does_not_reach_the_browser() {
    let egress = open_default().await;
    let coded = |lines: &str| Does::Answers(format!("HTTP/1.1 200 OK\r\n{lines}Content-Length: 2\r\n\r\nhi").leak());
    let line = |count: usize| format!("Content-Encoding: {}\r\n", vec!["gzip"; count].join(","));
    for (lines, passes) in [(line(5), true), (line(6), false), (line(1).repeat(6), false), (line(3).repeat(2), false)] {
        let site = Site::that(coded(&lines)).await;
        let answer = get(&egress, &site.url("site.example")).await;
        assert_eq!(answer.ends_with("hi"), passes, "{lines}");
        assert_eq!(answer.contains("x-porthole-egress: garbled"), !passes, "{lines}");
    }
}
