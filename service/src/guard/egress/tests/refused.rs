//! Refused targets are not dialled, and every failure has the name that Chromium gives it without a proxy.

use super::*;
use crate::guard::Refusal;
use crate::guard::refusal::{Blocked, InvalidUrl};
use crate::net_error::NetError;

#[tokio::test]
async fn blocked_targets_are_refused_and_their_canaries_are_not_reached() {
    let canary = Site::that(Does::Answers(OK)).await;
    let six = Site::at("[::1]:0", Does::Answers(OK)).await;
    let egress = open_default().await;
    let (port, six_port) = (canary.addr.port(), six.addr.port());
    let hosts =
        ["127.0.0.1", "127.1", "0x7f000001", "2130706433", "localhost", "a.localhost", "inside.example", "0.0.0.0"];
    let places = hosts.iter().map(|host| format!("{host}:{port}"));
    let places: Vec<String> =
        places.chain([format!("[::1]:{six_port}"), format!("[::ffff:127.0.0.1]:{port}")]).collect();
    for place in &places {
        let answer = get(&egress, &format!("http://{place}/")).await;
        assert!(answer.starts_with("HTTP/1.1 502 "), "{place}: {answer}");
        assert!(answer.contains("\r\nx-porthole-egress: blocked\r\n") && answer.ends_with("\r\n\r\n"), "{answer}");
        assert!(connect(&egress, place).await.1.contains("x-porthole-egress: blocked"), "{place}");
        let websocket = format!("GET http://{place}/ HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
        assert!(Caller::to(&egress).await.ask(&websocket).await.contains("x-porthole-egress: blocked"), "{place}");
    }
    assert_eq!((canary.connections(), six.connections()), (0, 0));
    let report = egress.report();
    assert_eq!(report.blocked_requests(), 3 * places.len() as u64, "{report:?}");
    let outcome = egress.outcome_of(&domain("inside.example"), port).unwrap();
    assert!(matches!(outcome, DialOutcome::Blocked(Refusal::Blocked(Blocked::Resolved { .. }))), "{outcome:?}");
    assert!(!outcome.to_string().contains("127"), "{outcome}");
    assert_eq!(outcome.net_error(), None);
    // The canary can be reached: with an exception it is.
    let egress = Egress::open(guard_with("127.0.0.0/8", ""), EgressLimits::default(), Peers::anyone()).unwrap();
    assert_eq!(get(&egress, &canary.url("inside.example")).await, OK);
    assert_eq!(canary.connections(), 1);
}

#[tokio::test]
async fn urls_that_the_egress_answered_itself_are_known() {
    let site = Site::that(Does::Answers(OK)).await;
    let egress = Egress::open(guard_with("site.example", ""), EgressLimits::default(), Peers::anyone()).unwrap();
    let (answered, refused) = (site.url("site.example"), format!("http://inside.example:{}/", site.addr.port()));
    assert!(!egress.was_answered_in_place(&refused), "not requested yet");
    assert_eq!(get(&egress, &answered).await, OK);
    get(&egress, &refused).await;
    assert!(!egress.was_answered_in_place(&answered));
    assert!(egress.was_answered_in_place(&refused));
    let as_a_page_has_it = refused.replace("http://", "http://user:password@") + "#part";
    assert!(egress.was_answered_in_place(&as_a_page_has_it));
    assert!(!egress.was_answered_in_place(&format!("{refused}elsewhere")));
    assert!(!egress.was_answered_in_place(&refused.replace("http:", "https:")));
    // The latest answer counts.
    drop(site);
    get(&egress, &answered).await;
    assert!(egress.was_answered_in_place(&answered));
}

#[tokio::test]
async fn ports_schemes_and_user_names_are_refused() {
    let egress = open_default().await;
    for (place, outcome) in [("site.example:25", "port"), ("8.8.8.8:6667", "port")] {
        assert!(connect(&egress, place).await.1.contains("x-porthole-egress: blocked"), "{place}");
        assert!(get(&egress, &format!("http://{place}/")).await.contains("x-porthole-egress: blocked"), "{place}");
        assert_eq!(egress.report().blocked.get(outcome).copied().unwrap_or_default() % 2, 0);
    }
    assert_eq!(egress.report().blocked.get("port"), Some(&4));
    for url in ["https://site.example:81/", "ftp://site.example:81/", "http://user:secret@site.example:81/"] {
        assert!(get(&egress, url).await.contains("x-porthole-egress: blocked"), "{url}");
    }
    let outcome = egress.outcome_of(&domain("site.example"), 81);
    assert_eq!(outcome, Some(DialOutcome::Blocked(Refusal::InvalidUrl(InvalidUrl::Userinfo))));
    assert!(connect(&egress, "user@site.example:443").await.1.contains("x-porthole-egress: blocked"));
    assert_eq!((egress.report().malformed, egress.report().blocked_requests()), (4, 4));
}

#[tokio::test]
async fn no_exception_opens_an_egress() {
    let guard = guard_with("127.0.0.0/8,site.example,::/0", "");
    let open = || Egress::open(guard.clone(), EgressLimits::default(), Peers::anyone());
    let (egress, other) = (open().unwrap(), open().unwrap());
    for (name, port) in [("127.0.0.1", egress.addr().port()), ("site.example", other.addr().port())] {
        for answer in
            [get(&egress, &format!("http://{name}:{port}/")).await, connect(&egress, &format!("{name}:{port}")).await.1]
        {
            assert!(answer.contains("x-porthole-egress: blocked"), "{answer}");
        }
    }
    assert_eq!(egress.report().blocked.get("own_listener"), Some(&4));
    assert_eq!(other.report().requests, 0);
    let addr = other.addr();
    assert!(guard.own_listeners().contains(addr, &HostAddresses::default()));
    drop(other);
    eventually("a closed egress is unblocked", || !guard.own_listeners().contains(addr, &HostAddresses::default()))
        .await;
}

#[tokio::test]
async fn a_failure_has_the_name_that_chromium_gives_it() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let sites = [
        (Does::Resets, DialOutcome::Reset, NetError::ConnectionReset),
        (Does::Closes, DialOutcome::Empty, NetError::EmptyResponse),
        (Does::AnswersOnce("SSH-2.0-nothing of the web\r\n\r\n"), DialOutcome::Garbled, NetError::InvalidHttpResponse),
        (Does::AnswersOnce("SSH-2.0-nothing of the web\r\n\r\n"), DialOutcome::Garbled, NetError::InvalidHttpResponse),
        (Does::NeverAnswers, DialOutcome::Silent, NetError::TimedOut),
    ];
    let limits = EgressLimits { idle_timeout: Duration::from_millis(300), ..EgressLimits::default() };
    let guard = Guard::asking(
        Policy {
            allow: AllowTargets::parse("site.example,dead.example").unwrap(),
            allow_from: AllowFrom::Any,
            resolve: ResolveOverrides::parse("site.example=127.0.0.1").unwrap(),
            ..Policy::default()
        },
        |_: &str, _| Err(io::Error::other("NXDOMAIN")),
    );
    let egress = Egress::open(guard, limits, Peers::anyone()).unwrap();
    let expect = |port: u16, name: &str, outcome: DialOutcome, net: NetError| {
        let found = egress.outcome_of(&domain(name), port).unwrap();
        assert_eq!((found.net_error(), &found), (Some(net), &outcome), "{name}:{port}");
    };
    for (does, outcome, net) in sites {
        let site = Site::that(does).await;
        let answer = get(&egress, &site.url("site.example")).await;
        assert!(answer.contains(&format!("x-porthole-egress: {}\r\n", outcome.label())), "{answer}");
        expect(site.addr.port(), "site.example", outcome, net);
    }
    assert!(connect(&egress, &format!("site.example:{closed}")).await.1.starts_with("HTTP/1.1 502 "));
    expect(closed, "site.example", DialOutcome::Refused, NetError::ConnectionRefused);
    assert!(connect(&egress, "gone.example:443").await.1.starts_with("HTTP/1.1 502 "));
    expect(443, "gone.example", DialOutcome::NameNotFound, NetError::NameNotResolved);
    // In a tunnel, where the browser sees but a closed connection.
    let site = Site::that(Does::Resets).await;
    let (mut caller, answer) = connect(&egress, &format!("site.example:{}", site.addr.port())).await;
    assert_eq!(answer, "HTTP/1.1 200 OK\r\n\r\n");
    caller.write("client hello\r\n\r\n").await;
    assert_eq!(caller.read_to_end().await, b"");
    expect(site.addr.port(), "site.example", DialOutcome::Reset, NetError::ConnectionReset);
}

#[tokio::test]
async fn an_unanswered_dial_times_out() {
    // Fills the backlog of a listener that never accepts: the next connection gets no answer.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let addr = listener.local_addr().unwrap();
    let mut queued = Vec::new();
    while let Ok(Ok(stream)) = timeout(Duration::from_millis(200), TcpStream::connect(addr)).await {
        queued.push(stream);
    }
    let egress = open(EgressLimits { dial_timeout: Duration::from_millis(300), ..EgressLimits::default() }).await;
    assert!(get(&egress, &format!("http://site.example:{}/", addr.port())).await.contains("egress: timed_out\r\n"));
    let outcome = egress.outcome_of(&domain("site.example"), addr.port()).unwrap();
    assert_eq!(outcome.net_error(), Some(NetError::ConnectionTimedOut));
}

#[tokio::test]
async fn one_reachable_address_of_several_is_enough() {
    let site = Site::at("[::1]:0", Does::Answers(OK)).await;
    // 127.0.0.1 and 127.0.0.2 refuse at that port, so the IPv6 address is tried.
    let guard = guard_with("both.example", "both.example=127.0.0.1,both.example=127.0.0.2,both.example=::1");
    let egress = Egress::open(guard, EgressLimits::default(), Peers::anyone()).unwrap();
    assert_eq!(get(&egress, &site.url("both.example")).await, OK);
    // With one bad address among good ones nothing is dialled.
    let guard = guard_with("::1/128", "mixed.example=::1,mixed.example=127.0.0.1");
    let egress = Egress::open(guard, EgressLimits::default(), Peers::anyone()).unwrap();
    assert!(get(&egress, &site.url("mixed.example")).await.contains("x-porthole-egress: blocked"));
    assert_eq!(site.connections(), 1);
}

#[tokio::test]
async fn a_name_that_changes_its_answer_is_judged_for_each_connection() {
    let site = Site::that(Does::Answers(OK)).await;
    let asked = AtomicUsize::new(0);
    let policy =
        Policy { allow: AllowTargets::parse("127.0.0.1/32").unwrap(), allow_from: AllowFrom::Any, ..Policy::default() };
    // The first answer is let through, all later ones are private.
    let guard = Guard::asking(policy, move |_: &str, port| {
        let last = if asked.fetch_add(1, Ordering::SeqCst) == 0 { 1 } else { 2 };
        Ok(vec![SocketAddr::from(([127, 0, 0, last], port))])
    });
    let egress = Egress::open(guard, EgressLimits::default(), Peers::anyone()).unwrap();
    let mut caller = Caller::to(&egress).await;
    let request = format!("GET {} HTTP/1.1\r\n\r\n", site.url("rebind.example"));
    assert_eq!(caller.ask(&request).await, OK);
    assert_eq!(caller.ask(&request).await, OK, "a judged connection is kept");
    assert!(get(&egress, &site.url("rebind.example")).await.contains("x-porthole-egress: blocked"));
    assert_eq!(site.connections(), 1);
}
