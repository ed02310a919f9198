//! URLs without DNS: the public table of attacks, odd spellings, URLs that are not the web's, and public targets.

use super::*;

/// Columns: URL (the inside of a JSON string), expected verdict, class, source. From public lists and other guards'
/// tests.
const PUBLIC_TABLE: &str = include_str!("../../../tests/data/ssrf-public.tsv");

#[test]
fn every_url_of_the_public_table_is_judged_as_expected() {
    let mut wrong = Vec::new();
    for row in PUBLIC_TABLE.lines() {
        let fields: Vec<&str> = row.split('\t').collect();
        let [inside, expected, class, _source] = fields[..] else { panic!("four fields: {row}") };
        let url: String = serde_json::from_str(&format!("\"{inside}\"")).unwrap();
        let verdict = plain().judge_url(&url);
        let right = match (expected, code(&verdict)) {
            // Refused here, though other guards accept them: a URL with a user name, and NAT64 around a public
            // address.
            ("allowed", Some(ErrorCode::InvalidUrl)) => class == "policy-userinfo",
            ("allowed", Some(ErrorCode::BlockedTarget)) => class == "policy-embedded-public",
            ("allowed" | "dns", code) => code.is_none(),
            ("blocked", Some(ErrorCode::InvalidUrl)) => {
                matches!(class, "userinfo" | "scheme" | "not-a-web-url" | "delimiter")
            }
            ("blocked", Some(ErrorCode::BlockedTarget)) | ("invalid", Some(ErrorCode::InvalidUrl)) => true,
            _ => false,
        };
        if !right {
            wrong.push(format!("{row}\n    {verdict:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn odd_spellings_of_private_targets_are_blocked() {
    for url in [
        "http://[::ffff:7f00:1]/",
        "http://[::127.0.0.1]",
        "http://[64:ff9b::a9fe:a9fe]",
        "http://[2002:7f00:1::]",
        "http://[2a00::5efe:7f00:1]/",
        "http://[fec0::1]/",
        "http://[::]",
        "http://0/",
        "http://0.0.0.0:80",
        "http://127.1/",
        "http://0177.1",
        "http://0x7f.1",
        "http://0x7F000001",
        "http://2130706433.",
        "http://①②⑦.⓪.⓪.①/",
        "http://127。0。0。1",
        "http://%31%32%37.0.0.1",
        "http://%6c%6f%63%61%6c%68%6f%73%74/",
        "http://127.0.0.1%2e/",
        "http://localhost./",
        "http://localhost../",
        "http://foo.localhost",
        "HTTP://LOCALHOST",
        "hTTpS://LocalHost:8443",
        "http://local\u{ad}host/",
        "http://loc\u{200b}alhost/",
        "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
        "http://ｌｏｃａｌｈｏｓｔ/",
        "http://loc\talhost/",
        "http://127.0.\n0.1/",
        "  http://127.0.0.1/  ",
        "\u{1}http://127.0.0.1/",
        "http:127.0.0.1",
        "http:/127.0.0.1",
        "http:///127.0.0.1",
        "http:////127.0.0.1",
        "http:\\\\127.0.0.1\\",
        "http:\\/\\127.0.0.1",
        "http://127.0.0.1\\@example.com/",
        "http://127.0.0.1#@example.com/",
        "http://127.0.0.1?@example.com/",
        "http://169.254.169.254.",
        "http://metadata.google.internal./computeMetadata/v1/",
        "http://METADATA/",
        "http://db/",
        "http://db:5432/",
        "http://printer.local/",
        "http://example.com:22/",
        "http://example.com:0/",
        "http://1.1.1.1:6667/",
        "https://example.com:10080/",
    ] {
        let verdict = plain().judge_url(url);
        assert_eq!(code(&verdict), Some(ErrorCode::BlockedTarget), "{url:?} {verdict:?}");
    }
}

#[test]
fn urls_that_are_not_web_urls_are_invalid() {
    for url in [
        "",
        " ",
        "example.com",
        "//127.0.0.1",
        "//example.com/",
        "/path",
        "?query",
        "#fragment",
        "http",
        "http:",
        "http://",
        "http:///",
        "https://?",
        "http://user@example.com",
        "http://user:pass@example.com",
        "http://:pass@example.com",
        "http://user:@example.com",
        "http://user@127.0.0.1/",
        "http://%00@example.com",
        "http://example.com:99999",
        "http://example.com:port",
        "http://[fe80::1%25eth0]",
        "http://[fe80::1%eth0]/",
        "http://[::ffff:0x7f.0.0.1]/",
        "http://[%3a%3a1]/",
        "http://[::1",
        "http://::1/",
        "http://exam ple.com/",
        "http://example.com%00.org/",
        "http://localhost%2f/",
        "http://a..b/",
        "http://.example.com/",
        "http://./",
        "http://a;b.example.com/",
        "http://127.0.0.1,example.com/",
        "http://xn--/",
        "javascript:alert(1)",
        "data:text/html,x",
        "about:blank",
        "blob:http://127.0.0.1/1",
        "filesystem:http://127.0.0.1/temporary/x",
        "view-source:http://example.com/",
        "chrome://crash",
        "file:///etc/passwd",
        "ws://example.com/",
        "wss://example.com/",
        "ftp://example.com/",
        "httpx://example.com/",
        "http+unix://%2fvar%2frun%2fdocker.sock/",
    ] {
        let verdict = plain().judge_url(url);
        assert_eq!(code(&verdict), Some(ErrorCode::InvalidUrl), "{url:?} {verdict:?}");
    }
    let long = format!("http://example.com/{}", "a".repeat(target::URL_MAX_BYTES));
    assert_eq!(code(&plain().judge_url(&long)), Some(ErrorCode::InvalidUrl));
}

#[test]
fn public_targets_pass_in_their_re_serialised_form() {
    for (url, serialised) in [
        ("https://example.com", "https://example.com/"),
        ("HTTPS://EXAMPLE.COM:443/a b", "https://example.com/a%20b"),
        (" http://example.com/\n", "http://example.com/"),
        ("http://exam\tple.com/", "http://example.com/"),
        ("http:\\\\example.com\\a", "http://example.com/a"),
        ("http://example.com./", "http://example.com./"),
        ("http://@example.com/", "http://example.com/"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://my_host.example.com:8080/", "http://my_host.example.com:8080/"),
        ("http://1.1/", "http://1.0.0.1/"),
        ("http://[2606:4700:4700:0:0:0:0:1111]:8443/", "http://[2606:4700:4700::1111]:8443/"),
        ("http://[::ffff:8.8.8.8]/", "http://[::ffff:808:808]/"),
        ("http://localhost.example.com/", "http://localhost.example.com/"),
        ("http://127.0.0.1.nip.io/", "http://127.0.0.1.nip.io/"),
        ("http://example.com/?u=http://127.0.0.1/#@localhost", "http://example.com/?u=http://127.0.0.1/#@localhost"),
        ("http://example.com/user@localhost", "http://example.com/user@localhost"),
    ] {
        let target = plain().judge_url(url).unwrap_or_else(|refusal| panic!("{url:?} {refusal:?}"));
        assert_eq!(target.url().as_str(), serialised);
    }
}

#[test]
fn a_verdict_has_its_code_its_label_and_a_sentence() {
    for (url, label, failure) in [
        ("ftp://x/", "scheme", "INVALID_URL: The URL's scheme is not http or https"),
        ("http://u@1.1.1.1/", "userinfo", "INVALID_URL: The URL carries a user name or password"),
        ("http://[::1]/", "loopback", "BLOCKED_TARGET: ::1 is a loopback address"),
        ("http://[::ffff:a00:1]/", "private", "BLOCKED_TARGET: ::ffff:10.0.0.1 is a private address"),
        ("http://vault.internal/", "name", "BLOCKED_TARGET: vault.internal is a name of a local or private network"),
        ("http://x.com:25/", "port", "BLOCKED_TARGET: Port 25 is not a web port: browsers refuse it"),
    ] {
        let refusal = plain().judge_url(url).unwrap_err();
        assert_eq!(refusal.label(), label);
        assert_eq!(Failure::from(&refusal).to_string(), failure);
    }
}
