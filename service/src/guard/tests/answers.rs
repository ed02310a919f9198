//! Names and their addresses: answers of DNS and of the operator, and addresses that are about to be dialled.

use super::*;

#[tokio::test]
async fn one_bad_answer_refuses_the_name_and_is_not_disclosed() {
    for bad in
        ["127.0.0.1", "10.77.66.55", "169.254.169.254", "::1", "fd00::77", "::ffff:10.77.66.55", "64:ff9b::a00:1"]
    {
        for answer in [&[bad][..], &["93.184.216.34", bad], &[bad, "93.184.216.34"]] {
            let refusal = resolving("", answer).judge("http://rebind.example.com/").await.unwrap_err();
            assert_eq!(refusal.code(), ErrorCode::BlockedTarget);
            let details = Failure::from(&refusal).details;
            assert!(details.starts_with("rebind.example.com resolves to "), "{details}");
            assert!(!details.contains(bad) && !details.contains("77"), "{details}");
        }
    }
}

#[tokio::test]
async fn the_target_holds_its_judged_addresses() {
    let guard = resolving("", &["93.184.216.34", "2606:4700:4700::1111"]);
    let target = guard.judge("https://example.com/").await.unwrap();
    assert_eq!(
        target.addresses(),
        ["93.184.216.34:443".parse().unwrap(), "[2606:4700:4700::1111]:443".parse().unwrap()]
    );
    assert_eq!((target.grounds(), target.port()), (Grounds::Resolved, 443));
    let target = guard.judge("http://1.1.1.1:8080/").await.unwrap();
    assert_eq!(target.addresses(), ["1.1.1.1:8080".parse().unwrap()], "a literal address is not looked up");
    assert_eq!(target.grounds(), Grounds::PublicAddress);
}

#[tokio::test]
async fn names_that_the_table_refuses_are_never_looked_up() {
    let guard = Guard::asking(Policy::default(), |host: &str, _| panic!("DNS was asked for {host}"));
    for url in ["http://db/", "http://vault.internal/", "http://localhost/", "http://metadata.goog/"] {
        assert_eq!(code(&guard.judge(url).await), Some(ErrorCode::BlockedTarget), "{url}");
    }
    assert_eq!(code(&guard.judge("http://a..b/").await), Some(ErrorCode::InvalidUrl));
}

#[tokio::test]
async fn a_name_without_an_address_is_not_resolved() {
    let guard = Guard::asking(Policy::default(), |_: &str, _| Err(io::Error::other("SERVFAIL")));
    let refusal = guard.judge("http://gone.example.com/").await.unwrap_err();
    assert_eq!(refusal, Refusal::NotResolved { host: "gone.example.com".to_owned() });
    assert_eq!(refusal.code(), ErrorCode::NavigationFailed);
    assert!(refusal.to_string().contains("net::ERR_NAME_NOT_RESOLVED"));
}

#[tokio::test]
async fn the_operators_answers_come_before_dns_and_are_judged_like_it() {
    let policy = Policy {
        resolve: ResolveOverrides::parse("in.example.com=10.1.2.3,out.example.com=1.1.1.1,vault.internal=1.1.1.1")
            .unwrap(),
        ..Policy::default()
    };
    let guard = Guard::asking(policy, |host: &str, _| panic!("DNS was asked for {host}"));
    for verdict in [guard.judge("http://in.example.com./").await, guard.judge_url("http://in.example.com/")] {
        assert_eq!(code(&verdict), Some(ErrorCode::BlockedTarget));
    }
    assert_eq!(guard.judge("http://out.example.com/").await.unwrap().addresses(), ["1.1.1.1:80".parse().unwrap()]);
    assert_eq!(
        code(&guard.judge("http://vault.internal/").await),
        Some(ErrorCode::BlockedTarget),
        "still a private name"
    );
}

#[test]
fn addresses_about_to_be_dialled_are_judged_by_the_same_rules() {
    let guard = allowing("10.1.2.3:8080,demo:8080,192.168.0.0/16");
    let judge = |host: &str, address: &str| guard.judge_address(&Host::parse(host).unwrap(), address.parse().unwrap());
    for (host, address) in [
        ("example.com", "93.184.216.34:443"),
        ("10.1.2.3", "10.1.2.3:8080"),
        ("demo", "10.9.9.9:8080"),
        ("example.com", "192.168.0.1:443"),
        ("vault.internal", "192.168.0.1:443"),
    ] {
        assert_eq!(judge(host, address), Ok(()), "{host} {address}");
    }
    for (host, address) in [
        ("example.com", "127.0.0.1:443"),
        ("example.com", "[::1]:443"),
        ("example.com", "10.1.2.3:8080"),
        ("10.1.2.3", "10.1.2.3:8081"),
        ("1.1.1.1", "10.1.2.3:8080"),
        ("10.1.2.3", "10.1.2.4:8080"),
        ("demo", "10.9.9.9:8081"),
        ("vault.internal", "93.184.216.34:443"),
        ("example.com", "93.184.216.34:25"),
        ("example.com", "192.168.0.1:25"),
    ] {
        let refusal = judge(host, address).unwrap_err();
        assert_eq!(refusal.code(), ErrorCode::BlockedTarget, "{host} {address}");
        let dialled = address.rsplit_once(':').unwrap().0;
        assert!(host == dialled || !refusal.to_string().contains(dialled), "{refusal}");
    }
}
