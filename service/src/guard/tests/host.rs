//! This host's own addresses, public ones too: closed at every port, unless an exception opens them.

use super::*;

const OWN: [&str; 3] = ["93.184.216.34", "2a00:1450:4001:80b::5", "198.51.99.7"];

fn guard(allow: &str) -> Guard {
    let own = OWN.map(|address| address.parse::<IpAddr>().unwrap());
    let policy = Policy {
        allow: AllowTargets::parse(allow).unwrap(),
        resolve: ResolveOverrides::parse(
            "own.example=93.184.216.34,both.example=1.1.1.1,both.example=93.184.216.34,other.example=1.1.1.1",
        )
        .unwrap(),
        host: HostAddresses::given(move |address| own.contains(&address)),
        ..Policy::default()
    };
    Guard::new(policy)
}

#[tokio::test]
async fn this_hosts_addresses_are_refused_at_every_port_and_under_every_name() {
    let guard = guard("");
    for url in [
        "http://93.184.216.34/",
        "http://93.184.216.34:9000/",
        "http://1572395042:9000/",
        "http://[::ffff:93.184.216.34]/",
        "http://[2a00:1450:4001:80b::5]:443/",
        "https://198.51.99.7/",
        "http://own.example/",
        "http://both.example:9000/",
    ] {
        let refusal = guard.judge(url).await.unwrap_err();
        assert_eq!((refusal.code(), refusal.label()), (ErrorCode::BlockedTarget, "this_host"), "{url}");
        let is_named = url.contains("example");
        assert!(!(is_named && refusal.to_string().contains("93.184")), "an address from DNS is disclosed: {refusal}");
    }
    for url in ["http://93.184.216.35/", "http://[2a00:1450:4001:80b::6]/", "http://other.example/"] {
        assert!(guard.judge(url).await.is_ok(), "{url}");
    }
}

#[tokio::test]
async fn an_exception_opens_an_address_of_this_host() {
    let guard = guard("93.184.216.34:9000,own.example,2a00:1450::/32");
    for url in ["http://93.184.216.34:9000/", "http://own.example:1234/", "http://[2a00:1450:4001:80b::5]/"] {
        assert_eq!(guard.judge(url).await.unwrap().grounds(), Grounds::Exception, "{url}");
    }
    for url in ["http://93.184.216.34:9001/", "http://both.example/"] {
        assert_eq!(code(&guard.judge(url).await), Some(ErrorCode::BlockedTarget), "{url}");
    }
}

#[test]
fn host_addresses_are_read_again_for_each_judgement() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let has = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&has);
    let host = HostAddresses::given(move |_| seen.load(Ordering::SeqCst));
    let guard = Guard::new(Policy { host, ..Policy::default() });
    assert!(guard.judge_url("http://93.184.216.34/").is_ok());
    has.store(true, Ordering::SeqCst);
    assert!(guard.judge_url("http://93.184.216.34/").is_err());
}

#[test]
fn a_connection_from_an_address_to_itself_has_not_left_this_host() {
    let guard = guard("93.184.217.1");
    let host = |text: &str| Host::parse(text).unwrap();
    let at = |text: &str| text.parse::<SocketAddr>().unwrap();
    let refusal = guard.judge_connected(&host("1.1.1.1"), at("1.1.1.1:80"), at("1.1.1.1:40000")).unwrap_err();
    assert_eq!(refusal.label(), "this_host");
    guard.judge_connected(&host("a.example"), at("1.1.1.1:80"), at("[::ffff:1.1.1.1]:40000")).unwrap_err();
    guard.judge_connected(&host("1.1.1.1"), at("1.1.1.1:80"), at("10.0.0.1:40000")).unwrap();
    guard.judge_connected(&host("93.184.217.1"), at("93.184.217.1:80"), at("93.184.217.1:40000")).unwrap();
}
