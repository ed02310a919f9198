//! Owner tokens, issued by `create` or by a chat backend; no other token opens a sandbox.

use jsonwebtoken::Algorithm;
use porthole_tests::Stack;
use porthole_tests::owner::{FIRST, FOREIGN, SECOND, claims, now_seconds, part, unsigned};
use serde_json::{Value, json};

#[tokio::test]
async fn create_gives_a_sandbox_and_a_token_that_opens_it() {
    let stack = Stack::shared().await;
    let url = stack.site.html("mine");
    for (caller, fields, ttl_seconds) in [
        (stack.caller(), json!({}), 86_400),
        (stack.caller(), json!({"ttl_seconds": 60}), 60),
        (stack.service_caller(), json!({"ttl_seconds": 2_592_000}), 2_592_000),
    ] {
        let answer = caller.post("/create", fields).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(!answer.header("x-request-id").is_empty());
        let made = answer.json();
        assert_eq!(made["ok"], true);
        let id = made["sandbox_id"].as_str().unwrap();
        assert!(id.starts_with("sb-") && id.len() > 10, "{id}");
        let token = made["owner_token"].as_str().unwrap();
        let header = part(token, 0);
        assert_eq!((&header["alg"], &header["kid"]), (&json!("HS256"), &json!(FIRST.kid)));
        let claims = part(token, 1);
        assert_eq!((&claims["iss"], &claims["sub"]), (&json!("porthole"), &json!(id)));
        let expires = claims["exp"].as_i64().unwrap();
        assert_eq!(expires - claims["iat"].as_i64().unwrap(), ttl_seconds);
        assert!((now_seconds() + ttl_seconds - expires).abs() < 30, "{claims}");
        let said = made["expires_at"].as_str().unwrap();
        assert!(said.len() == "2026-11-21T10:00:00Z".len() && said.ends_with('Z'), "{said}");
        let answer = caller.extract(json!({"url": url, "sandbox_id": id, "owner_token": token})).await;
        assert_eq!(answer.content(), "mine");
    }
    let ids: Vec<Value> = vec![
        stack.caller().post("/create", json!({})).await.json(),
        stack.caller().post("/create", json!({})).await.json(),
    ];
    assert_ne!(ids[0]["sandbox_id"], ids[1]["sandbox_id"]);
}

#[tokio::test]
async fn a_token_that_a_backend_made_with_any_known_key_opens_its_sandbox() {
    let stack = Stack::shared().await;
    let url = stack.site.html("mine");
    for key in [FIRST, SECOND] {
        let fields = json!({"url": url, "sandbox_id": "chat.42:a_b", "owner_token": key.token("chat.42:a_b", 300)});
        assert_eq!(stack.extract(fields).await.content(), "mine", "{}", key.kid);
    }
}

#[tokio::test]
async fn no_other_token_opens_a_sandbox() {
    let stack = Stack::shared().await;
    let url = stack.site.html("not yours");
    let id = "sb-mine";
    let good = claims(id, 300);
    let header = json!({"alg": "HS256", "typ": "JWT", "kid": FIRST.kid});
    let without = |claim: &str| {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(claim);
        claims
    };
    let with = |claim: &str, value: Value| {
        let mut claims = good.clone();
        claims[claim] = value;
        claims
    };
    let sign = |header: Value, claims: &Value| FIRST.sign(&header, claims, Algorithm::HS256);
    let valid = FIRST.token(id, 300);
    let (head, signature) = valid.rsplit_once('.').unwrap();
    let tokens = [
        ("none at all", Value::Null),
        ("an empty one", json!("")),
        ("no JWT", json!("let me in")),
        ("two dots", json!("..")),
        ("expired", json!(FIRST.token(id, -3600))),
        ("another sandbox's", json!(FIRST.token("sb-other", 300))),
        ("signed with a foreign key", json!(FOREIGN.token(id, 300))),
        ("signed with a foreign key under a known name", json!(FOREIGN.sign(&header, &good, Algorithm::HS256))),
        ("signed with a known key under another's name", {
            json!(FIRST.sign(&json!({"alg": "HS256", "kid": SECOND.kid}), &good, Algorithm::HS256))
        }),
        ("without kid", json!(sign(json!({"alg": "HS256", "typ": "JWT"}), &good))),
        ("alg none without signature", {
            json!(format!("{}.", unsigned(&json!({"alg": "none", "typ": "JWT", "kid": FIRST.kid}), &good)))
        }),
        ("alg none with a signature", json!(sign(json!({"alg": "none", "kid": FIRST.kid}), &good))),
        ("alg nOnE", json!(format!("{}.", unsigned(&json!({"alg": "nOnE", "kid": FIRST.kid}), &good)))),
        ("RS256 in its header", json!(sign(json!({"alg": "RS256", "kid": FIRST.kid}), &good))),
        ("HS512", json!(FIRST.sign(&json!({"alg": "HS512", "kid": FIRST.kid}), &good, Algorithm::HS512))),
        ("HS384", json!(FIRST.sign(&json!({"alg": "HS384", "kid": FIRST.kid}), &good, Algorithm::HS384))),
        ("without signature", json!(format!("{head}."))),
        ("with its signature cut", json!(format!("{head}.{}", &signature[..signature.len() - 2]))),
        ("without expiry", json!(sign(header.clone(), &without("exp")))),
        ("without sandbox", json!(sign(header.clone(), &without("sub")))),
        ("without issuer", json!(sign(header.clone(), &without("iss")))),
        ("of another issuer", json!(sign(header.clone(), &with("iss", json!("elsewhere"))))),
        ("expiring never", json!(sign(header.clone(), &with("exp", json!("never"))))),
    ];
    for caller in [stack.caller(), stack.service_caller()] {
        for (what, token) in &tokens {
            eprintln!("{what}");
            for route in ["/browser-screenshot", "/browser-extract"] {
                let fields = json!({"url": url, "sandbox_id": id, "owner_token": token});
                let answer = caller.post(route, fields).await;
                let fields = answer.expect_code("UNAUTHORIZED");
                if let Some(token) = token.as_str().filter(|token| token.len() > 10) {
                    assert!(!fields["details"].as_str().unwrap_or_default().contains(token), "{what}: {answer:?}");
                }
            }
        }
    }
    assert!(stack.site.seen(&url).is_empty(), "the page was visited");
}

#[tokio::test]
async fn the_owner_token_is_verified_before_the_url() {
    let stack = Stack::shared().await;
    let fields = json!({"url": stack.site.forbidden(), "owner_token": "nobody's"});
    stack.screenshot(fields).await.expect_code("UNAUTHORIZED");
}

#[tokio::test]
async fn a_token_that_is_not_valid_yet_opens_nothing() {
    let stack = Stack::shared().await;
    let mut claims = claims("sb-mine", 7200);
    claims["nbf"] = json!(now_seconds() + 3600);
    let token = FIRST.sign(&json!({"alg": "HS256", "kid": FIRST.kid}), &claims, Algorithm::HS256);
    let fields = json!({"url": stack.site.html("not yet"), "sandbox_id": "sb-mine", "owner_token": token});
    stack.extract(fields).await.expect_code("UNAUTHORIZED");
}
