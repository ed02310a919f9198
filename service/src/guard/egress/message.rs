//! What may pass between the browser and a site: which URL a request is for, which headers go on, and the answers that
//! the egress gives in a site's place.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::{self, Scheme};
use http::{Method, Request, Response, StatusCode, Version};
use http_body_util::{Either, Empty};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use url::{Host, Url};

use super::DialOutcome;
use super::report::Authority;
use super::upstream::Fate;
use crate::guard::refusal::InvalidUrl;
use crate::guard::{Asker, Refusal};

/// Marks the answers of the egress itself; its value is [`DialOutcome::label`]. A site's own header of that name never
/// passes in a plain answer.
const MARKER: HeaderName = HeaderName::from_static("x-porthole-egress");

/// Headers that are for the next hop alone (RFC 9110, 7.6.1), with those that only a proxy reads and `Expect`, which the
/// server side has answered already.
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

/// A body that passes to a site, or none.
pub(super) type Sent = Either<Incoming, Empty<Bytes>>;
/// A body that passes to the browser, or none.
pub(super) type Answered = Either<Awaited, Empty<Bytes>>;

/// A site's answer, awaited until its end.
pub(super) struct Awaited {
    body: Incoming,
    fate: Fate,
}

/// What a request asks for.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    /// Host and port, as the URL has them.
    pub(super) authority: Authority,
    /// The origin's URL, for the guard to judge.
    pub(super) url: String,
    /// The `Host` of the request that goes on.
    host: HeaderValue,
    /// Who asks.
    pub(super) asker: Asker,
}

/// Why there is nothing to ask for.
#[derive(Debug)]
pub(super) enum Unasked {
    /// Not a request that a proxy gets: no absolute URL, no port after `CONNECT`, two hosts.
    Malformed,
    /// A URL that is never tried.
    Refused(Authority, Refusal),
}

/// Whether these headers of a plain `http:` answer say that the egress gave it, not a site.
pub(super) fn is_own_answer(headers: &HeaderMap) -> bool {
    headers.contains_key(MARKER)
}

/// Where a redirect leads, by the statuses that browsers follow (Fetch, "redirect status"). Chromium takes the first
/// `Location` that is not empty, and shows an answer without one.
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
    /// Reads where a request shall go. What its `Host` says has no weight.
    pub(super) fn read<B>(request: &Request<B>) -> Result<Ask, Unasked> {
        let uri = request.uri();
        let authority = uri.authority().ok_or(Unasked::Malformed)?;
        if request.headers().get_all(header::HOST).iter().count() > 1 {
            return Err(Unasked::Malformed);
        }
        let scheme = if request.method() == Method::CONNECT {
            authority.port_u16().ok_or(Unasked::Malformed)?;
            "https"
        } else {
            "http"
        };
        let refused = |reason: InvalidUrl| match origin(scheme, bare(authority)) {
            Some((_, authority)) => Unasked::Refused(authority, reason.into()),
            None => Unasked::Malformed,
        };
        if request.method() != Method::CONNECT && uri.scheme() != Some(&Scheme::HTTP) {
            return Err(refused(InvalidUrl::Scheme));
        }
        if authority.as_str().contains('@') {
            return Err(refused(InvalidUrl::Userinfo));
        }
        let (url, authority) = origin(scheme, authority.as_str()).ok_or(Unasked::Malformed)?;
        let host = match url.port() {
            Some(port) => format!("{}:{port}", authority.0),
            None => authority.0.to_string(),
        };
        let host = HeaderValue::try_from(host).map_err(|_| Unasked::Malformed)?;
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

/// Whether the browser wants a WebSocket here. No other upgrade passes: what it would lead to nobody has judged.
pub(super) fn asks_for_websocket<B>(request: &Request<B>) -> bool {
    request.method() == Method::GET && request.version() == Version::HTTP_11 && names_websocket(request.headers())
}

pub(super) fn names_websocket(headers: &HeaderMap) -> bool {
    nominated(headers).any(|name| name.eq_ignore_ascii_case("upgrade"))
        && headers.get(header::UPGRADE).is_some_and(|protocol| protocol.as_bytes().eq_ignore_ascii_case(b"websocket"))
}

/// The request as the site gets it.
pub(super) fn to_site(request: Request<Incoming>, ask: &Ask, websocket: bool) -> Request<Sent> {
    let (mut parts, body) = request.into_parts();
    let mut headers = HeaderMap::with_capacity(parts.headers.len() + 1);
    headers.insert(header::HOST, ask.host.clone());
    pass(&parts.headers, &mut headers, |name| *name == header::HOST);
    if websocket {
        upgrade(&mut headers);
    }
    let body = if body.is_end_stream() { Either::Right(Empty::new()) } else { Either::Left(body) };
    // Said outright, or the body of a GET would be taken for none.
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

/// The answer as the browser gets it.
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

/// `200` to a `CONNECT`.
pub(super) fn connected() -> Response<Answered> {
    Response::new(Either::Right(Empty::new()))
}

/// The answer in place of one that a site did not or may not give: nothing in it that could be taken for a page.
pub(super) fn in_place(outcome: &DialOutcome) -> Response<Answered> {
    let mut answer = Response::new(Either::Right(Empty::new()));
    *answer.status_mut() = StatusCode::BAD_GATEWAY;
    answer.headers_mut().insert(MARKER, HeaderValue::from_static(outcome.label()));
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// The answer to what is no request for a proxy; the connection is not read any further.
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

/// The names that `Connection` declares to be for this hop alone.
fn nominated(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::CONNECTION).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',').map(str::trim))
}

/// Lets headers through in their order, but for those of this hop.
fn pass(from: &HeaderMap, to: &mut HeaderMap, also_not: impl Fn(&HeaderName) -> bool) {
    let nominated: Vec<&str> = nominated(from).collect();
    for (name, value) in from {
        let stays = NOT_FOR_THE_SITE.contains(name)
            || also_not(name)
            // How long the body is has been read already; a nomination can't unsay it.
            || (*name != header::CONTENT_LENGTH
                && nominated.iter().any(|nominated| name.as_str().eq_ignore_ascii_case(nominated)));
        if !stays {
            to.append(name, value.clone());
        }
    }
}
