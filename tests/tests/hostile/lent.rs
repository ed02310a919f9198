//! A foreign document must not send its requests through the TLS connections that an exception opened for another one: the service
//! can't look into these. Runs beside the foreign site of [`foreign`](super::foreign).

use std::net::Ipv4Addr;

use porthole_service::guard::{AllowFrom, AllowTargets, Policy, ResolveOverrides};
use serde_json::json;

use super::foreign::{run_beside_a_foreign_site, told};
use super::names::ZONE;
use super::namespace::INSIDE;
use super::service::Service;
use super::tls::{TRUSTING, TlsSite};

/// What the foreign site tells: its certificate's fingerprint, and its URL on the site of the exception and on another.
pub(super) const FINGERPRINT: &str = "FINGERPRINT";
pub(super) const SAME_SITE: &str = "SAME_SITE";
pub(super) const CROSS_SITE: &str = "CROSS_SITE";

#[tokio::test]
async fn a_foreign_document_has_no_use_of_tunnels_that_an_exception_opened() {
    run_beside_a_foreign_site("lent::through_tunnels").await;
}

/// A page that asks the URL after its `?` in ways that send no sender's name.
pub(super) fn foreign_page(_: &str) -> String {
    "<p>foreign</p><script>
    const target = decodeURIComponent(location.search.slice(1));
    const how = { mode: 'no-cors', credentials: 'include', referrerPolicy: 'no-referrer' };
    fetch(target + 'stolen-get', how).catch(() => 0);
    fetch(target + 'stolen-post', { ...how, method: 'POST', body: 'x' }).catch(() => 0);
    const picture = new Image(); picture.referrerPolicy = 'no-referrer'; picture.src = target + 'stolen-picture';
    const frame = document.createElement('iframe'); frame.referrerPolicy = 'no-referrer'; frame.src = target + 'stolen-frame'; document.body.append(frame);
    </script>"
    .to_owned()
}

/// The exception's pages: one embeds the URL after its `?`, one goes there.
fn inside_page(target: &str) -> String {
    let script = match target.split('?').next() {
        Some("/embeds") => {
            "const frame = document.createElement('iframe'); frame.src = to; document.body.append(frame);"
        }
        Some("/goes") => "location = to;",
        _ => "",
    };
    format!("<p>inside</p><script>const to = decodeURIComponent(location.search.slice(1)); {script}</script>")
}

/// Runs in the service's namespace.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs inside a network namespace, started by another test"]
async fn through_tunnels() {
    assert!(std::env::var_os(INSIDE).is_some(), "runs only in a network namespace");
    let name = format!("inside.{ZONE}");
    let site = TlsSite::lasting(Ipv4Addr::LOCALHOST.into(), &name, inside_page).await;
    let inside = format!("https://{name}:{}/", site.addr.port());
    let flags = [format!("{TRUSTING}={},{}", site.fingerprint, told(FINGERPRINT))];
    for allow_from in [AllowFrom::Document, AllowFrom::Any] {
        let policy = Policy {
            allow: AllowTargets::parse(&format!("{name}:{}", site.addr.port())).unwrap(),
            allow_from,
            resolve: ResolveOverrides::parse(&format!("{name}=127.0.0.1")).unwrap(),
            ..Policy::default()
        };
        let service = Service::with(policy, None, &[], &flags).await;
        for foreign in [SAME_SITE, CROSS_SITE] {
            for page in ["embeds", "goes"] {
                let before = site.heard().len();
                let url = format!("{inside}{page}?{}?{inside}", told(foreign));
                let wait = json!({"until": "load", "delay_ms": 1000});
                let answer = service.caller().extract(json!({"url": url, "wait": wait})).await;
                let body = answer.expect_ok();
                let heard = site.heard().split_off(before).join("\n");
                assert!(heard.contains(page), "{heard}");
                let is_open = allow_from == AllowFrom::Any;
                assert_eq!(heard.contains("stolen"), is_open, "{foreign} {page}: {heard}");
                assert_eq!(body["blocked_requests"].as_u64() == Some(0), is_open, "{foreign} {page}: {body:?}");
            }
        }
        service.end().await;
    }
}
