//! Plain requests: what reaches the site, and what the browser gets back.

use super::*;

#[tokio::test]
async fn a_request_reaches_the_site_as_if_no_proxy_were_there() {
    let (site, egress) = (Site::that(Does::Answers(OK)).await, open_default().await);
    let port = site.addr.port();
    let answer = Caller::to(&egress)
        .await
        .ask(&format!(
            "GET http://site.example:{port}/a%20b?q=`|1 HTTP/1.1\r\nHost: evil.example\r\nUser-Agent: x\r\n\
             Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic c2VjcmV0\r\nTE: trailers\r\nKeep-Alive: 5\r\n\
             Connection: keep-alive, X-Hop\r\nX-Hop: secret\r\nX-Kept: yes\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n\r\n"
        ))
        .await;
    assert_eq!(answer, OK, "nothing added, nothing lost");
    assert_eq!(
        site.received(),
        format!(
            "GET /a%20b?q=`|1 HTTP/1.1\r\nHost: site.example:{port}\r\nUser-Agent: x\r\nX-Kept: yes\r\n\
             HTTP2-Settings: AAMA\r\n\r\n"
        )
    );
    assert_eq!(egress.outcome_of(&domain("site.example"), port), Some(DialOutcome::Connected));
    assert!(egress.report().bytes > 100, "{:?}", egress.report());
}

#[tokio::test]
async fn hop_by_hop_headers_of_an_answer_are_removed() {
    let site = Site::that(Does::Answers(
        "HTTP/1.1 200 OK\r\nConnection: x-hop\r\nX-Hop: 1\r\nProxy-Authenticate: Basic\r\nKeep-Alive: 5\r\n\
         X-Porthole-Egress: blocked\r\nX-Kept: yes\r\nContent-Length: 0\r\n\r\n",
    ))
    .await;
    let egress = open_default().await;
    let answer = get(&egress, &site.url("site.example")).await;
    assert_eq!(answer, "HTTP/1.1 200 OK\r\nX-Kept: yes\r\nContent-Length: 0\r\n\r\n");
}

#[tokio::test]
async fn bodies_go_both_ways_and_connections_are_kept() {
    let (site, egress) = (Site::that(Does::Answers(OK)).await, open_default().await);
    let url = site.url("site.example");
    let mut caller = Caller::to(&egress).await;
    for body in ["first", "second"] {
        let length = body.len();
        let answer = caller.ask(&format!("POST {url} HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{body}")).await;
        assert_eq!(answer, OK);
        eventually("the body arrives", || {
            site.received().ends_with(&format!("Content-Length: {length}\r\n\r\n{body}"))
        })
        .await;
    }
    assert_eq!(site.connections(), 1);
    assert_eq!(egress.report().requests, 2);
    let other = format!("GET http://other.example:{}/ HTTP/1.1\r\n\r\n", site.addr.port());
    assert_eq!(caller.ask(&other).await, OK);
    assert_eq!(site.connections(), 2, "another name is judged and dialled anew");
}

#[tokio::test]
async fn a_chunked_body_arrives_with_any_method() {
    let (site, egress) = (Site::that(Does::Answers(OK)).await, open_default().await);
    let url = site.url("site.example");
    for method in ["POST", "GET"] {
        let chunked =
            format!("{method} {url} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
        assert_eq!(Caller::to(&egress).await.ask(&chunked).await, OK);
        eventually("the chunks arrive", || {
            let received = site.received().to_ascii_lowercase();
            let last = received.rsplit("transfer-encoding: chunked").next().unwrap_or_default().to_owned();
            last.contains("abc") && last.contains("de") && last.ends_with("0\r\n\r\n")
        })
        .await;
    }
}

#[tokio::test]
async fn a_chunked_answer_and_one_that_ends_with_its_connection_arrive() {
    for says in
        ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\nabc"]
    {
        let (site, egress) = (Site::that(Does::AnswersOnce(says)).await, open_default().await);
        let mut caller = Caller::to(&egress).await;
        caller.write(&format!("GET {} HTTP/1.1\r\nConnection: close\r\n\r\n", site.url("site.example"))).await;
        let answer = String::from_utf8(caller.read_to_end().await).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("3\r\nabc\r\n0\r\n"), "{answer}");
    }
}

#[tokio::test]
async fn a_kept_connection_that_the_site_closed_costs_nothing() {
    let (site, egress) = (Site::that(Does::AnswersOnce(OK)).await, open_default().await);
    let mut caller = Caller::to(&egress).await;
    for round in 1..=4 {
        let answer = caller.ask(&format!("GET {} HTTP/1.1\r\n\r\n", site.url("site.example"))).await;
        assert_eq!(answer, OK);
        assert_eq!(site.connections(), round);
    }
}

#[tokio::test]
async fn redirects_are_passed_on_and_never_followed() {
    let site = Site::that(Does::Answers(
        "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n",
    ))
    .await;
    let egress = open_default().await;
    assert!(get(&egress, &site.url("site.example")).await.contains("Location: http://169.254.169.254/"));
    assert_eq!(egress.report().dials.len(), 1);
}

#[tokio::test]
async fn bodies_can_not_hide_requests() {
    let (site, egress) = (Site::that(Does::Answers(OK)).await, open_default().await);
    let url = site.url("site.example");
    let smuggled = "GET http://inside.example/secret HTTP/1.1\r\n\r\n";
    for (framing, body) in [
        ("Content-Length: 4\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\nContent-Length: 4", "0\r\n\r\n"),
    ] {
        let mut caller = Caller::to(&egress).await;
        caller.write(&format!("POST {url} HTTP/1.1\r\n{framing}\r\n\r\n{body}{smuggled}")).await;
        let answer = String::from_utf8(caller.read_to_end().await).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{framing}: {answer}");
        // No bytes after such a body are read.
        assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{framing}: {answer}");
    }
    let received = site.received().to_ascii_lowercase();
    assert!(!received.contains("content-length") && !received.contains("secret"), "{received}");
    for head in [
        "Content-Length: 4\r\nContent-Length: 5",
        "Content-Length: +4",
        "Transfer-Encoding: gzip",
        "Transfer-Encoding: chunked, identity",
        "Host: a.example\r\nHost: b.example",
        "X: y\r\n folded: z",
        "Bad Name: x",
        "Transfer-Encoding : chunked",
    ] {
        let mut caller = Caller::to(&egress).await;
        let before = site.received();
        caller.write(&format!("POST {url} HTTP/1.1\r\n{head}\r\n\r\nabcd{smuggled}")).await;
        let answer = String::from_utf8(caller.read_to_end().await).unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 "), "{head}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{head}: {answer}");
        assert_eq!(site.received(), before, "{head}");
    }
}

#[tokio::test]
async fn requests_that_are_not_for_a_proxy_are_refused() {
    let (site, egress) = (Site::that(Does::Answers(OK)).await, open_default().await);
    for request in
        ["GET / HTTP/1.1\r\nHost: site.example", "OPTIONS * HTTP/1.1", "CONNECT site.example HTTP/1.1", "nonsense"]
    {
        let mut caller = Caller::to(&egress).await;
        caller.write(&format!("{request}\r\n\r\n")).await;
        let answer = String::from_utf8(caller.read_to_end().await).unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 "), "{request}: {answer}");
    }
    eventually("each is counted", || egress.report().malformed == 4).await;
    assert_eq!(site.connections(), 0);
}
