//! Listening: HTTP/1 with upgrades, with or without TLS, and faults that leave a request without an answer.
//!
//! The daemon's listener has no TLS and answers every request; some faults require that a request is not answered.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

/// Time for a TLS handshake, or for a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Open connections, without WebSockets; further callers wait in the accept queue.
const CONNECTIONS_MAX: usize = 1024;
/// Time for requests in flight to end after shutdown was requested.
const DRAIN: Duration = Duration::from_secs(1);
/// Pause after a failed `accept`, most often for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A response extension: closes the connection instead of sending the response.
#[derive(Clone, Copy)]
pub(crate) struct CloseInstead;

/// Serves `router` until `shutdown`, then waits up to [`DRAIN`] for requests in flight.
pub(crate) async fn serve(socket: TcpListener, tls: Option<TlsAcceptor>, router: Router, shutdown: CancellationToken) {
    let connections = TaskTracker::new();
    let end_now = CancellationToken::new();
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let accepted = tokio::select! {
            biased;
            () = shutdown.cancelled() => break,
            accepted = accept(&socket, &places) => accepted,
        };
        let (place, stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "failed to accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let connection = connection(stream, peer, tls.clone(), router.clone(), shutdown.clone());
        let end_now = end_now.clone();
        connections.spawn(async move {
            tokio::select! {
                () = connection => {}
                () = end_now.cancelled() => {}
            }
            drop(place);
        });
    }
    drop(socket);
    connections.close();
    if tokio::time::timeout(DRAIN, connections.wait()).await.is_err() {
        end_now.cancel();
        connections.wait().await;
    }
}

async fn accept(
    socket: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(OwnedSemaphorePermit, TcpStream, SocketAddr)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, peer) = socket.accept().await?;
    Ok((place, stream, peer))
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    tls: Option<TlsAcceptor>,
    router: Router,
    shutdown: CancellationToken,
) {
    // Messages are written whole, so Nagle's algorithm would only delay them. A failure here costs only speed.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else {
        return serve_http(stream, peer, router, shutdown).await;
    };
    match tokio::time::timeout(HEAD_TIMEOUT, tls.accept(stream)).await {
        Ok(Ok(stream)) => serve_http(stream, peer, router, shutdown).await,
        Ok(Err(error)) => tracing::debug!(%peer, %error, "a TLS handshake failed"),
        Err(_) => tracing::debug!(%peer, "a TLS handshake took too long"),
    }
}

async fn serve_http(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    peer: SocketAddr,
    router: Router,
    shutdown: CancellationToken,
) {
    let service = hyper::service::service_fn(move |request| answer(router.clone(), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection broke");
    }
}

async fn answer(router: Router, request: hyper::Request<Incoming>) -> io::Result<Response> {
    let request: Request = request.map(Body::new);
    let response = match router.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    if response.extensions().get::<CloseInstead>().is_some() {
        return Err(io::Error::other("a fault drops this answer"));
    }
    Ok(response)
}
