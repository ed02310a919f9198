//! Messages between the browser and a site: the URL that a request is for, the headers that are forwarded, and the
//! answers that the egress gives in place of a site.

use std::collections::HashSet;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::{self, Scheme};
use http::{Method, Request, Response, StatusCode, Version};
use http_body_util::{Either, Empty};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use url::{Host, Url};

use super::fate::Fate;
use super::report::{Authority, DialOutcome};
use crate::guard::refusal::InvalidUrl;
use crate::guard::{Asker, Refusal};

/// Marks the answers of the egress itself; its value is [`DialOutcome::label`]. A site's own header of that name is
/// removed from plain answers.
const MARKER: HeaderName = HeaderName::from_static("x-porthole-egress");

/// Hop-by-hop headers (RFC 9110, 7.6.1), those that only a proxy reads, and `Expect`, which the server side has
/// answered already.
const NOT_FOR_THE_SITE: [HeaderName; 11] = [
    header::CONNECTION,
    header::EXPECT,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-authentication-info"),
    HeaderName::from_static("proxy-connection"),
];

/// The body of a request to a site, or none.
pub(super) type Sent = Either<Incoming, Empty<Bytes>>;
/// The body of an answer to the browser, or none.
pub(super) type Answered = Either<Awaited, Empty<Bytes>>;

/// The body of a site's answer. The answer counts as awaited until this is dropped.
pub(super) struct Awaited {
    body: Incoming,
    fate: Fate,
}

/// The target and the sender of a request.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    /// Host and port, as in the URL.
    pub(super) authority: Authority,
    /// The origin's URL, for the guard to judge.
    pub(super) url: String,
    /// The `Host` header of the forwarded request.
    host: HeaderValue,
    /// The sender of the request.
    pub(super) asker: Asker,
}

/// Why a request can't be forwarded.
#[derive(Debug)]
pub(super) enum AskError {
    /// Not a valid request to a proxy: no absolute URL, no port after `CONNECT`, or two hosts.
    Malformed,
    /// An invalid URL.
    Refused(Authority, Refusal),
}

/// Returns whether these headers of a plain `http:` answer mark it as the egress's own, not a site's.
pub(super) fn is_own_answer(headers: &HeaderMap) -> bool {
    headers.contains_key(MARKER)
}

/// Returns where a redirect leads, for the statuses that browsers follow (Fetch, "redirect status"). Chromium uses the
/// first `Location` that is not empty, and shows an answer without one.
pub(super) fn redirect_of<B>(answer: &Response<B>) -> Option<&str> {
    const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];
    if !REDIRECTS.contains(&answer.status().as_u16()) {
        return None;
    }
    let mut named = answer.headers().get_all(header::LOCATION).iter().filter_map(|location| location.to_str().ok());
    named.find(|location| !location.trim().is_empty())
}

// === impl Ask ===

impl Ask {
    /// Reads the target and the sender of a request. Its `Host` header is ignored.
    pub(super) fn read<B>(request: &Request<B>) -> Result<Ask, AskError> {
        let uri = request.uri();
        let authority = uri.authority().ok_or(AskError::Malformed)?;
        if request.headers().get_all(header::HOST).iter().count() > 1 {
            return Err(AskError::Malformed);
        }
        let scheme = if request.method() == Method::CONNECT {
            authority.port_u16().ok_or(AskError::Malformed)?;
            "https"
        } else {
            "http"
        };
        let refused = |reason: InvalidUrl| match origin(scheme, bare(authority)) {
            Some((_, authority)) => AskError::Refused(authority, reason.into()),
            None => AskError::Malformed,
        };
        if request.method() != Method::CONNECT && uri.scheme() != Some(&Scheme::HTTP) {
            return Err(refused(InvalidUrl::Scheme));
        }
        if authority.as_str().contains('@') {
            return Err(refused(InvalidUrl::Userinfo));
        }
        let (url, authority) = origin(scheme, authority.as_str()).ok_or(AskError::Malformed)?;
        let host = match url.port() {
            Some(port) => format!("{}:{port}", authority.0),
            None => authority.0.to_string(),
        };
        let host = HeaderValue::try_from(host).map_err(|_| AskError::Malformed)?;
        Ok(Ask { url: url.into(), authority, host, asker: Asker::of(request.headers()) })
    }
}

// === impl Awaited ===

impl Body for Awaited {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.fate.await_answer(false);
    }
}

fn bare(authority: &uri::Authority) -> &str {
    authority.as_str().rsplit('@').next().unwrap_or_default()
}

fn origin(scheme: &str, authority: &str) -> Option<(Url, Authority)> {
    let url = Url::parse(&format!("{scheme}://{authority}/")).ok()?;
    let host: Host<String> = url.host()?.to_owned();
    let port = url.port_or_known_default()?;
    Some((url, (host, port)))
}

/// Returns whether the browser asks for a WebSocket. Other upgrades are not forwarded: the guard can't judge them.
pub(super) fn asks_for_websocket<B>(request: &Request<B>) -> bool {
    request.method() == Method::GET && request.version() == Version::HTTP_11 && names_websocket(request.headers())
}

pub(super) fn names_websocket(headers: &HeaderMap) -> bool {
    nominated(headers).any(|name| name.eq_ignore_ascii_case("upgrade"))
        && headers.get(header::UPGRADE).is_some_and(|protocol| protocol.as_bytes().eq_ignore_ascii_case(b"websocket"))
}

/// Builds the request for the site.
pub(super) fn to_site(request: Request<Incoming>, ask: &Ask, websocket: bool) -> Request<Sent> {
    let (mut parts, body) = request.into_parts();
    let mut headers = HeaderMap::with_capacity(parts.headers.len() + 1);
    headers.insert(header::HOST, ask.host.clone());
    pass(&parts.headers, &mut headers, |name| *name == header::HOST);
    if websocket {
        upgrade(&mut headers);
    }
    let body = if body.is_end_stream() { Either::Right(Empty::new()) } else { Either::Left(body) };
    // Set explicitly, since a GET would otherwise be sent without its body.
    if !body.is_end_stream() && body.size_hint().exact().is_none() {
        headers.remove(header::CONTENT_LENGTH);
        headers.insert(header::TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    }
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    parts.uri = path.parse().unwrap_or_default();
    parts.version = Version::HTTP_11;
    parts.headers = headers;
    Request::from_parts(parts, body)
}

/// The most content codings of an answer that is passed on. From eleven on Chromium's network service crashes (seen with
/// 156), and with it all pages of its browser lose their connections.
const CODINGS_MAX: usize = 5;

/// Returns whether an answer has more content codings than a browser can be trusted with.
pub(super) fn is_coded_too_often(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::CONTENT_ENCODING).iter();
    lines.map(|line| line.as_bytes().split(|byte| *byte == b',').count()).sum::<usize>() > CODINGS_MAX
}

/// Builds the answer for the browser.
pub(super) fn to_browser(answer: Response<Incoming>, fate: Fate) -> Response<Answered> {
    let (mut parts, body) = answer.into_parts();
    let mut headers = HeaderMap::with_capacity(parts.headers.len());
    pass(&parts.headers, &mut headers, |name| *name == MARKER);
    if parts.status == StatusCode::SWITCHING_PROTOCOLS {
        upgrade(&mut headers);
        parts.headers = headers;
        return Response::from_parts(parts, Either::Right(Empty::new()));
    }
    parts.version = Version::HTTP_11;
    parts.headers = headers;
    Response::from_parts(parts, Either::Left(Awaited { body, fate }))
}

/// Builds the `200` answer to a `CONNECT`.
pub(super) fn connected() -> Response<Answered> {
    Response::new(Either::Right(Empty::new()))
}

/// Builds the answer in place of a site's that failed or was refused. Nothing in it could be taken for a page.
pub(super) fn in_place(outcome: &DialOutcome) -> Response<Answered> {
    let mut answer = Response::new(Either::Right(Empty::new()));
    *answer.status_mut() = StatusCode::BAD_GATEWAY;
    answer.headers_mut().insert(MARKER, HeaderValue::from_static(outcome.label()));
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// Builds the answer to a malformed request. It closes the connection.
pub(super) fn malformed() -> Response<Answered> {
    let mut answer = Response::new(Either::Right(Empty::new()));
    *answer.status_mut() = StatusCode::BAD_REQUEST;
    answer.headers_mut().insert(MARKER, HeaderValue::from_static("malformed"));
    answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    answer
}

fn upgrade(headers: &mut HeaderMap) {
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
}

/// Returns the header names that `Connection` declares as hop-by-hop.
fn nominated(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::CONNECTION).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',').map(str::trim))
}

/// Copies headers in their order, without hop-by-hop ones.
fn pass(from: &HeaderMap, to: &mut HeaderMap, also_not: impl Fn(&HeaderName) -> bool) {
    // Only those that are there: a site may nominate a hundred thousand.
    let names = nominated(from).filter_map(|name| HeaderName::from_bytes(name.as_bytes()).ok());
    let nominated: HashSet<HeaderName> = names.filter(|name| from.contains_key(name)).collect();
    for (name, value) in from {
        let stays = NOT_FOR_THE_SITE.contains(name)
            || also_not(name)
            // The body's length has been read already, so `Connection` must not remove it.
            || (*name != header::CONTENT_LENGTH && nominated.contains(name));
        if !stays {
            to.append(name, value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_nominated_headers_are_looked_up() {
        // As much as a head may have: compared one by one, it would be a hundred million comparisons.
        let nominations = format!("{}X-Hop", "a,".repeat(125_000));
        let mut answer = HeaderMap::new();
        answer.insert(header::CONNECTION, HeaderValue::try_from(nominations).unwrap());
        answer.insert("x-hop", HeaderValue::from_static("1"));
        for number in 0..500 {
            answer.insert(HeaderName::try_from(format!("x-kept-{number}")).unwrap(), HeaderValue::from_static("1"));
        }
        let mut passed = HeaderMap::new();
        pass(&answer, &mut passed, |_| false);
        assert_eq!(passed.len(), 500);
        assert!(!passed.contains_key("x-hop"));
    }
}
