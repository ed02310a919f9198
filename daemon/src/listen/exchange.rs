//! One request and its answer on a connection: passes the request to the router, and reports to the connection table
//! when the body is awaited and when the answer has ended.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use bytes::Bytes;
use http::StatusCode;
use hyper::body::{Frame, Incoming, SizeHint};
use tower::ServiceExt as _;

use super::table::Handle;
use super::upgrade::Connection;

/// Answers a request. Handlers find the caller's address as [`ConnectInfo<SocketAddr>`].
pub(super) async fn answer(
    router: Router,
    peer: SocketAddr,
    connection: Connection,
    request: hyper::Request<Incoming>,
) -> Result<Response, Infallible> {
    let handle = connection.handle().clone();
    handle.head_came();
    let mut request: Request = request.map(|body| {
        let handle = handle.clone();
        if body.is_end_stream() { Body::empty() } else { Body::new(Awaited { body, handle }) }
    });
    request.extensions_mut().insert(ConnectInfo(peer));
    request.extensions_mut().insert(connection);
    let mut response = router.oneshot(request).await?;
    let switches = response.status() == StatusCode::SWITCHING_PROTOCOLS;
    if !switches {
        handle.stays_plain();
    } else if !handle.is_upgraded() {
        // Upgraded connections are counted and limited by their `UpgradePermit`; one without it would escape that.
        tracing::error!("a handler upgraded a connection without a permit");
        response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    }
    Ok(response.map(|body| Body::new(Answer { body, handle })))
}

/// A request's body.
struct Awaited {
    body: Incoming,
    handle: Handle,
}

impl HttpBody for Awaited {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if frame.is_pending() {
            self.handle.awaits_body();
        } else {
            self.handle.body_came();
        }
        frame
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
        self.handle.body_came();
    }
}

/// An answer's body.
struct Answer {
    body: Body,
    handle: Handle,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.handle.answered();
    }
}
