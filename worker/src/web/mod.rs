//! The pages and elements for browsers: `/live`, `/playground`, `/elements/`. They are files within the executable.
//!
//! No key is needed for them: they hold no data, and the routes that they call require a key or a ticket.

mod files;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use porthole_contract::ErrorCode;
use porthole_daemon::answer::Refused;
use sha2::{Digest as _, Sha256};

use self::files::{File, Kind};
use crate::shared::Shared;

/// What these pages may load: scripts, styles and pictures of their own, and connections to the worker. A page within
/// them that got out of its text could load and run nothing.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types 'none'";
/// The elements are modules without secrets: any page may load them, and each asks before it uses a copy that it has.
const ELEMENTS: &str = "/elements/";
const REVALIDATED: &str = "no-cache";
/// Length of an entity tag in bytes of the content's hash.
const TAG_BYTES: usize = 16;

/// The files with their entity tags, by path.
static SERVED: LazyLock<HashMap<&'static str, Served>> = LazyLock::new(|| {
    let tagged = |file: &'static File| {
        let hash = Sha256::digest(file.content);
        let tag = hash.iter().take(TAG_BYTES).fold(String::new(), |mut tag, byte| {
            let _ = write!(tag, "{byte:02x}");
            tag
        });
        let tag = HeaderValue::from_str(&format!("\"{tag}\"")).expect("hexadecimal digits are a valid header value");
        (file.path, Served { file, tag })
    };
    files::ALL.iter().map(tagged).collect()
});

struct Served {
    file: &'static File,
    tag: HeaderValue,
}

/// Whether pages of every origin may load this path.
pub(crate) fn is_for_every_origin(path: &str) -> bool {
    path.starts_with(ELEMENTS)
}

/// Adds the routes; those of the playground only where it is on.
pub(crate) fn add(router: Router<Arc<Shared>>, playground: bool) -> Router<Arc<Shared>> {
    let mut router = router
        .route("/elements/{*path}", get(asset).with_state("elements"))
        .route("/live", get(page).with_state("live"))
        .route("/live/{*path}", get(asset).with_state("live"));
    if playground {
        router = router
            .route("/playground", get(page).with_state("playground"))
            .route("/playground/{*path}", get(asset).with_state("playground"));
    }
    router
}

fn not_found() -> Response {
    Refused::new(ErrorCode::NotFound, "there is no such file").into_response()
}

async fn page(State(name): State<&'static str>, headers: HeaderMap) -> Response {
    served(&format!("{name}/index.html"), &headers)
}

async fn asset(State(folder): State<&'static str>, Path(path): Path<String>, headers: HeaderMap) -> Response {
    // A page has one address.
    if path == "index.html" {
        return not_found();
    }
    served(&format!("{folder}/{path}"), &headers)
}

fn served(path: &str, asked: &HeaderMap) -> Response {
    let Some(served) = SERVED.get(path) else { return not_found() };
    let is_held = asked.get_all(header::IF_NONE_MATCH).iter().any(|tags| names(tags, &served.tag));
    let mut response = if is_held {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        (StatusCode::OK, Bytes::from_static(served.file.content)).into_response()
    };
    let headers = response.headers_mut();
    let mut put = |name: HeaderName, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    put(header::CONTENT_TYPE, served.file.kind.media_type());
    put(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY);
    put(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(header::REFERRER_POLICY, "no-referrer");
    put(header::CACHE_CONTROL, REVALIDATED);
    if served.file.kind == Kind::Page {
        put(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    }
    let reach = if is_for_every_origin(&format!("/{path}")) { "cross-origin" } else { "same-origin" };
    put(HeaderName::from_static("cross-origin-resource-policy"), reach);
    if reach == "cross-origin" {
        put(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    }
    headers.insert(header::ETAG, served.tag.clone());
    response
}

/// Whether a list of entity tags has this one; a weak tag is the same content to us.
fn names(tags: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(tags), Ok(tag)) = (tags.to_str(), tag.to_str()) else { return false };
    tags.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str, if_none_match: Option<&'static str>) -> Response {
        let headers = if_none_match.map(|tags| (header::IF_NONE_MATCH, HeaderValue::from_static(tags)));
        served(path, &headers.into_iter().collect())
    }

    #[test]
    fn a_file_comes_with_its_policy_and_is_not_sent_twice() {
        let response = get("live/index.html", None);
        let header = |name: HeaderName| response.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header(header::CONTENT_TYPE), "text/html; charset=utf-8");
        assert_eq!(header(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
        assert_eq!(header(header::REFERRER_POLICY), "no-referrer");
        let policy = header(header::CONTENT_SECURITY_POLICY);
        assert!(policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"), "{policy}");
        assert!(!response.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN));

        let tag: &'static str = Box::leak(format!("\"other\", W/{}", header(header::ETAG)).into_boxed_str());
        assert_eq!(get("live/index.html", Some(tag)).status(), StatusCode::NOT_MODIFIED);
        assert_eq!(get("live/index.html", Some("\"other\"")).status(), StatusCode::OK);
        assert_eq!(get("elements/none.js", None).status(), StatusCode::NOT_FOUND);
        assert_eq!(get("elements/../live/index.html", None).status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn pages_of_every_origin_may_load_the_elements() {
        let response = get("elements/index.js", None);
        assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/javascript; charset=utf-8");
        assert!(is_for_every_origin("/elements/index.js") && !is_for_every_origin("/live"));
    }
}
