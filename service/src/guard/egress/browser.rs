//! One connection from the browser. Its requests are served one after the other, each with the site's answer or one in
//! its place.
//!
//! Chromium uses each connection to a proxy for one site, so one connection to that site is kept with it. Nothing is
//! pooled: a site's connection is no older than the browser's.

use std::io::{self, ErrorKind, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use http::{Method, Request, Response, StatusCode};
use http_body_util::{Either, Empty};
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1::SendRequest;
use hyper::service::service_fn;
use hyper::{client, server};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;

use super::fate::Fate;
use super::idle::IdleTimer;
use super::message::{self, Answered, Ask, AskError, Sent};
use super::report::Authority;
use super::report::DialOutcome;
use super::shared::Shared;
use super::tunnel;
use super::upstream::Upstream;

/// Most headers of one message. Chromium accepts any number within the size of a head.
const HEADERS_MAX: usize = 512;

/// A connection from the browser, with its permit and its kept connection to a site.
struct Visitor {
    shared: Arc<Shared>,
    permit: Arc<OwnedSemaphorePermit>,
    kept: Mutex<Option<Site>>,
}

/// A connection to a site that accepts requests.
struct Site {
    authority: Authority,
    requests: SendRequest<Sent>,
    fate: Fate,
    is_excepted: bool,
}

/// The site closed a kept connection, so the browser's is closed without an answer: the browser knows what it may
/// repeat.
#[derive(Debug, thiserror::Error)]
#[error("the site closed a kept connection")]
struct Cut;

/// The browser's end of the connection. It fails if the browser stops reading while data waits to be written.
struct BrowserEnd {
    stream: TcpStream,
    stalled: Option<IdleTimer>,
    limit: std::time::Duration,
}

/// Serves one connection to its end.
pub(super) async fn serve(stream: TcpStream, peer: SocketAddr, permit: Arc<OwnedSemaphorePermit>, shared: Arc<Shared>) {
    let ours = match stream.local_addr() {
        Ok(addr) => shared.entrance.admit(peer, addr).await,
        Err(_) => false,
    };
    if !ours {
        shared.books.foreign();
        return tracing::debug!(%peer, "a connection to an egress did not come from its browser");
    }
    drop(stream.set_nodelay(true));
    let limits = shared.limits.clone();
    let end = BrowserEnd { stream, stalled: None, limit: limits.idle_timeout };
    let visitor = Arc::new(Visitor { shared: Arc::clone(&shared), permit, kept: Mutex::default() });
    let service = service_fn(move |request| {
        let visitor = Arc::clone(&visitor);
        async move {
            let url = request.uri().to_string();
            let answer = visitor.answer(request).await?;
            visitor.shared.guard.answered(&url, message::redirect_of(&answer));
            visitor.shared.books.answered(&url, message::is_own_answer(answer.headers()));
            Ok::<_, Cut>(answer)
        }
    });
    let served = server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .max_buf_size(limits.head_bytes)
        .max_headers(HEADERS_MAX)
        .preserve_header_case(true)
        .auto_date_header(false)
        .serve_connection(TokioIo::new(end), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        if error.is_parse() {
            shared.books.malformed();
        }
        tracing::debug!(%error, "a connection from the browser broke");
    }
}

// === impl Visitor ===

impl Visitor {
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Answered>, Cut> {
        let excess = self.shared.books.request().err();
        let ask = match Ask::read(&request) {
            Ok(ask) => ask,
            Err(AskError::Malformed) => {
                self.shared.books.malformed();
                return Ok(message::malformed());
            }
            Err(AskError::Refused(authority, refusal)) => {
                return Ok(self.refuse(&authority, DialOutcome::Blocked(refusal)).await);
            }
        };
        if let Some(excess) = excess {
            return Ok(self.refuse(&ask.authority, DialOutcome::OverBudget(excess)).await);
        }
        if request.method() == Method::CONNECT {
            return Ok(self.connect(request, &ask).await);
        }
        self.forward(request, ask).await
    }

    async fn refuse(&self, authority: &Authority, outcome: DialOutcome) -> Response<Answered> {
        self.shared.books.ended(authority, outcome.clone());
        self.in_place(authority, &outcome).await
    }

    /// The answer for a connection that did not come about. A page that would go there hears of a refusal first.
    async fn in_place(&self, authority: &Authority, outcome: &DialOutcome) -> Response<Answered> {
        if let DialOutcome::Blocked(refusal) = outcome {
            self.shared.guard.refused(authority, refusal).await;
        }
        message::in_place(outcome)
    }

    async fn connect(&self, request: Request<Incoming>, ask: &Ask) -> Response<Answered> {
        let upstream = match Upstream::connect(&self.shared, ask).await {
            Ok(upstream) => upstream,
            Err(outcome) => return self.in_place(&ask.authority, &outcome).await,
        };
        let browser = hyper::upgrade::on(request);
        let permit = Arc::clone(&self.permit);
        let guard = upstream.is_excepted().then(|| self.shared.guard.clone());
        self.shared.spawn(async move {
            match guard {
                Some(guard) => tunnel::join(browser, guard.lends(upstream)).await,
                None => tunnel::join(browser, upstream).await,
            }
            drop(permit);
        });
        message::connected()
    }

    async fn forward(&self, mut request: Request<Incoming>, ask: Ask) -> Result<Response<Answered>, Cut> {
        let websocket = message::asks_for_websocket(&request);
        let browser = websocket.then(|| hyper::upgrade::on(&mut request));
        let mut request = message::to_site(request, &ask, websocket);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A connection that an exception opened for one document is not lent to others.
        let may_use = |site: &Site| !site.is_excepted || self.shared.guard.allows_again(&ask.authority, &ask.asker);
        if let Some(mut site) = kept.filter(|site| site.authority == ask.authority && may_use(site))
            && site.requests.ready().await.is_ok()
        {
            let spare = spare(&request);
            site.fate.await_answer(true);
            site.fate.await_head(true);
            match site.requests.try_send_request(request).await {
                Ok(answer) => return Ok(self.answered(site, answer, browser)),
                // The site had closed it. The request is repeated if the site has not seen it, or may see it twice.
                Err(mut failed) => match failed.take_message().or(spare) {
                    Some(again) if site.fate.outcome().is_none_or(|outcome| outcome == DialOutcome::Reset) => {
                        request = again;
                    }
                    _ => return Err(Cut),
                },
            }
        }
        let mut site = match self.connect_to_site(&ask).await {
            Ok(site) => site,
            Err(outcome) => return Ok(self.in_place(&ask.authority, &outcome).await),
        };
        site.fate.await_head(true);
        match site.requests.try_send_request(request).await {
            Ok(answer) => Ok(self.answered(site, answer, browser)),
            Err(failed) => {
                let outcome = if failed.error().is_parse() { DialOutcome::Garbled } else { DialOutcome::Empty };
                // The connection may have failed for an earlier reason, which counts then.
                site.fate.ends(outcome.clone());
                Ok(message::in_place(&site.fate.outcome().unwrap_or(outcome)))
            }
        }
    }

    async fn connect_to_site(&self, ask: &Ask) -> Result<Site, DialOutcome> {
        let upstream = Upstream::connect(&self.shared, ask).await?;
        let (fate, is_excepted) = (upstream.fate(), upstream.is_excepted());
        let (requests, connection) = client::conn::http1::Builder::new()
            .max_buf_size(self.shared.limits.head_bytes)
            .max_headers(HEADERS_MAX)
            .preserve_header_case(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .handshake(TokioIo::new(upstream))
            .await
            .map_err(|_| DialOutcome::Failed)?;
        self.shared.spawn(async move {
            if let Err(error) = connection.with_upgrades().await {
                tracing::debug!(%error, "a connection to a site broke");
            }
        });
        Ok(Site { authority: ask.authority.clone(), requests, fate, is_excepted })
    }

    /// Forwards an answer and keeps the connection that it came from.
    fn answered(
        &self,
        site: Site,
        mut answer: Response<Incoming>,
        browser: Option<hyper::upgrade::OnUpgrade>,
    ) -> Response<Answered> {
        site.fate.await_head(false);
        if message::is_coded_too_often(answer.headers()) {
            site.fate.ends(DialOutcome::Garbled);
            return message::in_place(&DialOutcome::Garbled);
        }
        if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
            let answer = message::to_browser(answer, site.fate.clone());
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(site);
            return answer;
        }
        let Some(browser) = browser.filter(|_| message::names_websocket(answer.headers())) else {
            site.fate.ends(DialOutcome::Garbled);
            return message::in_place(&DialOutcome::Garbled);
        };
        let fate = site.fate;
        let upgraded = hyper::upgrade::on(&mut answer);
        let permit = Arc::clone(&self.permit);
        self.shared.spawn(async move {
            match upgraded.await {
                Ok(site) => tunnel::join(browser, TokioIo::new(site)).await,
                Err(error) => tracing::debug!(%error, "a site closed its connection while switching protocols"),
            }
            drop(permit);
        });
        message::to_browser(answer, fate)
    }
}

/// Copies a request that may be sent twice without harm.
fn spare(request: &Request<Sent>) -> Option<Request<Sent>> {
    let again = request.method().is_idempotent() && request.body().is_end_stream();
    again.then(|| {
        let mut spare = Request::new(Either::Right(Empty::new()));
        *spare.method_mut() = request.method().clone();
        *spare.uri_mut() = request.uri().clone();
        *spare.headers_mut() = request.headers().clone();
        spare
    })
}

// === impl BrowserEnd ===

impl BrowserEnd {
    fn written(&mut self, cx: &mut Context<'_>, write: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if write.is_ready() {
            self.stalled = None;
            return write;
        }
        let stalled = self.stalled.get_or_insert_with(|| IdleTimer::new(self.limit));
        match stalled.poll_expired(cx) {
            Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for BrowserEnd {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for BrowserEnd {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.written(cx, write)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.written(cx, write)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
