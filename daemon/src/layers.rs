//! The layers around every route, in the required order.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use porthole_contract::metrics::Operation;

use crate::body::{BODY_READ_TIMEOUT, Reading};
use crate::drain::Ending;
pub use crate::drain::Late;
use crate::requests::{Account, Requests};
use crate::shutdown::Shutdown;
use crate::web_pages::Hosts;
use crate::{answer, body, drain, request_id, requests, web_pages};

/// Settings of the layers around the routes of a main listener.
#[derive(Clone)]
pub struct Layers {
    /// Where requests are counted.
    pub requests: Requests,
    /// Returns the operation of a matched route; requests to other routes are logged but not counted.
    pub operation_of: fn(&str) -> Option<Operation>,
    /// Time from a request's head to the end of its body.
    pub body_timeout: Duration,
    /// The drain: refuses new requests, and gives up those in flight once hurried.
    pub shutdown: Shutdown,
    /// The routes that are served after the drain has begun, if any.
    pub late: Option<Late>,
}

impl Layers {
    /// Counts into `requests`, with [`BODY_READ_TIMEOUT`] for bodies.
    #[must_use]
    pub fn new(requests: Requests, operation_of: fn(&str) -> Option<Operation>) -> Self {
        Self { requests, operation_of, body_timeout: BODY_READ_TIMEOUT, shutdown: Shutdown::default(), late: None }
    }

    /// Wraps a main listener's complete router: every request has an id, is counted and logged, is answered in the
    /// contract's format, even after a panic or during the drain, and its body is read before the answer is sent.
    pub fn around(self, router: Router) -> Router {
        self.around_with(router, |router| router)
    }

    /// Wraps the router with an additional layer of the process, which `judge` adds inside the others. That layer sees
    /// every request, even without a route, and may answer with a [`Refused`](crate::answer::Refused).
    pub fn around_with(self, router: Router, judge: impl FnOnce(Router) -> Router) -> Router {
        let account = Account { requests: self.requests, operation_of: self.operation_of };
        let reading = Reading { timeout: self.body_timeout, room: Arc::default() };
        let ending = Ending { shutdown: self.shutdown, operation_of: self.operation_of, late: self.late };
        judge(in_the_contracts_form(router).layer(from_fn_with_state(ending, drain::take_until_the_end)))
            .layer(from_fn_with_state(reading, body::drain_leftovers))
            .layer(from_fn(answer::write_failures))
            .layer(from_fn_with_state(account, requests::keep_account))
            .layer(from_fn(request_id::give_id))
    }
}

/// Refuses requests of foreign web pages: those with a foreign `Origin`, and those with a `Host` that `hosts` does not
/// allow. For [`Layers::around_with`].
pub fn without_web_pages(router: Router, hosts: Hosts) -> Router {
    router.layer(from_fn_with_state(hosts, web_pages::refuse_web_pages))
}

/// Wraps an admin listener's complete router likewise, without counting requests or reading bodies.
pub(crate) fn around_admin(router: Router, hosts: Hosts) -> Router {
    without_web_pages(in_the_contracts_form(router), hosts)
        .layer(from_fn(answer::write_failures))
        .layer(from_fn(request_id::give_id))
}

fn in_the_contracts_form(router: Router) -> Router {
    router
        .fallback(answer::not_found)
        .method_not_allowed_fallback(answer::method_not_allowed)
        .layer(from_fn(answer::catch_panics))
}
