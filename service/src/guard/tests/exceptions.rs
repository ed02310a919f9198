//! Exceptions open their targets and nothing else.

use super::*;

#[tokio::test]
async fn a_name_exception_opens_that_name_and_port_and_nothing_else() {
    let guard = resolving("demo.internal:8080,db", &["10.1.2.3"]);
    for url in [
        "http://demo.internal:8080/",
        "http://DEMO.internal.:8080/x",
        "https://demo.internal:8080/",
        "http://db/",
        "http://db:81/",
    ] {
        assert_eq!(guard.judge(url).await.unwrap().grounds(), Grounds::Exception, "{url}");
        assert_eq!(guard.judge_url(url).unwrap().grounds(), Grounds::Exception, "{url}");
    }
    for url in [
        "http://demo.internal/",
        "http://demo.internal:8081/",
        "http://x.demo.internal:8080/",
        "http://internal:8080/",
        "http://10.1.2.3:8080/",
        "http://other.example.com:8080/",
        "http://db.example.com/",
        "http://db:22/",
    ] {
        assert_eq!(code(&guard.judge(url).await), Some(ErrorCode::BlockedTarget), "{url}");
    }
    for url in ["http://user@demo.internal:8080/", "ftp://demo.internal:8080/"] {
        assert_eq!(code(&guard.judge(url).await), Some(ErrorCode::InvalidUrl), "{url}");
    }
}

#[tokio::test]
async fn an_address_exception_opens_urls_that_name_it_and_no_foreign_name() {
    let guard = resolving("10.1.2.3:8080,[fd00::1],127.0.0.1", &["10.1.2.3"]);
    for url in [
        "http://10.1.2.3:8080/",
        "http://0xa.0x1.515:8080/",
        "http://167838211:8080/",
        "http://１０.1.2.3.:8080/",
        "http://[fd00::1]/",
        "http://[fd00:0::0:1]:9000/",
        "http://127.1:3000/",
    ] {
        let target = guard.judge_url(url).unwrap_or_else(|refusal| panic!("{url} {refusal}"));
        assert_eq!((target.grounds(), target.addresses().len()), (Grounds::Exception, 1));
    }
    for url in [
        "http://10.1.2.3/",
        "http://10.1.2.3:8081/",
        "http://10.1.2.4:8080/",
        "http://[::ffff:10.1.2.3]:8080/",
        "http://[fd00::2]/",
        "http://bound.example.com:8080/",
        "http://localhost:3000/",
        "http://127.0.0.2/",
        "http://127.0.0.1:22/",
    ] {
        assert_eq!(code(&guard.judge(url).await), Some(ErrorCode::BlockedTarget), "{url}");
    }
}

#[tokio::test]
async fn a_range_exception_opens_addresses_under_any_name_and_spelling() {
    let guard = resolving("10.0.0.0/8", &["10.1.2.3"]);
    for url in [
        "http://10.9.9.9/",
        "http://[::ffff:10.9.9.9]/",
        "http://intranet.example.com/",
        "http://vault.internal/",
        "http://db/",
    ] {
        let target = guard.judge(url).await.unwrap_or_else(|refusal| panic!("{url} {refusal}"));
        assert_eq!(target.grounds(), Grounds::Exception);
    }
    for url in [
        "http://11.0.0.0:22/",
        "http://10.1.2.3:22/",
        "http://192.168.0.1/",
        "http://[64:ff9b::a01:203]/",
        "http://localhost/",
    ] {
        assert_eq!(code(&guard.judge(url).await), Some(ErrorCode::BlockedTarget), "{url}");
    }
    let beside = resolving("10.0.0.0/8", &["10.1.2.3", "192.168.0.1"]);
    assert_eq!(code(&beside.judge("http://intranet.example.com/").await), Some(ErrorCode::BlockedTarget));
    let public = resolving("10.0.0.0/8", &["1.1.1.1"]);
    assert_eq!(
        code(&public.judge("http://vault.internal/").await),
        Some(ErrorCode::BlockedTarget),
        "still a private name"
    );
    assert!(guard.judge_url("http://vault.internal/").is_err(), "a range exception needs the address");
}

#[tokio::test]
async fn localhost_is_every_loopback_address_that_is_open() {
    let both = allowing("localhost:3000").judge("http://localhost:3000/").await.unwrap();
    assert_eq!(both.addresses(), ["[::1]:3000".parse().unwrap(), "127.0.0.1:3000".parse().unwrap()]);
    let one = allowing("127.0.0.0/8").judge("http://app.localhost:3000/").await.unwrap();
    assert_eq!(one.addresses(), ["127.0.0.1:3000".parse().unwrap()]);
}

#[tokio::test]
async fn a_denied_range_stays_denied_with_an_exception() {
    let policy = Policy {
        allow: AllowTargets::parse("10.1.2.3,in.example.com,93.184.0.0/16").unwrap(),
        deny: DenyCidrs::parse("93.184.216.0/24,10.0.0.0/8").unwrap(),
        ..Policy::default()
    };
    let guard = Guard::asking(policy, |_: &str, port| Ok(vec![SocketAddr::from(([93, 184, 216, 34], port))]));
    for url in [
        "http://93.184.216.34/",
        "http://[::ffff:93.184.216.34]/",
        "http://10.1.2.3/",
        "http://in.example.com/",
        "http://x.com/",
    ] {
        let refusal = guard.judge(url).await.unwrap_err();
        assert_eq!((refusal.code(), refusal.label()), (ErrorCode::BlockedTarget, "denied"), "{url}");
    }
    assert!(guard.judge("http://93.184.217.34/").await.is_ok());
}

#[tokio::test]
async fn no_exception_opens_a_listener_of_our_own() {
    let own = OwnListeners::default();
    let policy = Policy {
        allow: AllowTargets::parse("127.0.0.0/8,localhost,me.example.com,127.0.0.1:8788,[::1]:8788,0.0.0.0").unwrap(),
        own: own.clone(),
        ..Policy::default()
    };
    let guard = Guard::asking(policy, |_: &str, port| Ok(vec![SocketAddr::from(([127, 0, 1, 1], port))]));
    let urls = [
        "http://127.0.0.1:8788/",
        "http://127.3.2.1:8788/",
        "http://[::1]:8788/",
        "http://[::ffff:127.0.0.1]:8788/",
        "http://0.0.0.0:8788/",
        "http://localhost:8788/",
        "http://me.example.com:8788/",
    ];
    for url in urls {
        assert!(guard.judge(url).await.is_ok(), "{url} before Porthole listens there");
    }
    own.insert("0.0.0.0:8788".parse().unwrap());
    for url in urls {
        let refusal = guard.judge(url).await.unwrap_err();
        assert_eq!((refusal.code(), refusal.label()), (ErrorCode::BlockedTarget, "own_listener"), "{url}");
    }
    assert!(guard.judge("http://127.0.0.1:8789/").await.is_ok());
    let closed = plain().judge_url("http://127.0.0.1:8788/").unwrap_err();
    assert_eq!(closed.label(), "loopback", "a caller without an exception does not learn that Porthole listens there");
}
