//! The route table: the routes that the worker forwards, each with its largest body, its weight against the caller's
//! rate, and whether it gets the operator's credentials.

use porthole_contract::limits::WORKER_BODY_MAX_BYTES;
use porthole_contract::metrics::Operation;
use porthole_contract::routes::{self, CREATE, EXTRACT, SCREENSHOT, WORKER_PREFIX};

use crate::callers::Weight;

/// A route of the service that callers reach through the worker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// The service's path. The worker's own has [`WORKER_PREFIX`] before it.
    pub(crate) service_path: &'static str,
    /// Whether the worker puts the operator's Browserbase credentials into the body.
    pub(crate) takes_credentials: bool,
    /// The largest body, in bytes.
    pub(crate) body_max_bytes: usize,
    /// What a call counts against its caller's rate.
    pub(crate) weight: Weight,
    /// Whether a body may name a session, whose replica gets the call.
    pub(crate) of_session: bool,
    /// Whether a call that was sent may have changed something, so that its caller must not repeat it.
    pub(crate) acts: bool,
    /// Whether the answer names the worker's own address.
    pub(crate) names_us: bool,
}

/// A route that opens no page.
pub(crate) fn create() -> Route {
    Route {
        service_path: CREATE,
        takes_credentials: false,
        body_max_bytes: WORKER_BODY_MAX_BYTES,
        weight: Weight::REQUEST,
        of_session: false,
        acts: false,
        names_us: false,
    }
}

/// All forwarded routes. A new route of the service is one line here, or one of the contract's session routes.
pub(crate) fn all() -> impl Iterator<Item = Route> {
    let one_shot = |service_path| Route { service_path, takes_credentials: true, ..create() };
    let of_session = |&service_path: &&'static str| Route {
        service_path,
        takes_credentials: true,
        body_max_bytes: routes::session::body_max_bytes(service_path),
        weight: Weight::SESSION_CALL,
        of_session: true,
        acts: routes::session::acts(service_path),
        names_us: service_path == routes::session::VIEWER,
    };
    [create(), one_shot(SCREENSHOT), one_shot(EXTRACT)].into_iter().chain(routes::session::ALL.iter().map(of_session))
}

impl Route {
    /// Returns the path that callers use.
    pub(crate) fn public_path(&self) -> String {
        format!("{WORKER_PREFIX}{}", self.service_path)
    }
}

/// Returns the operation of a public path.
pub(crate) fn operation_of(public_path: &str) -> Option<Operation> {
    Operation::of_route(public_path.strip_prefix(WORKER_PREFIX)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_has_an_operation_and_only_routes_with_a_browser_take_credentials() {
        for route in all() {
            assert!(operation_of(&route.public_path()).is_some(), "{route:?}");
            assert_eq!(route.takes_credentials, route.service_path != CREATE, "{route:?}");
        }
        assert_eq!(operation_of(SCREENSHOT), None, "without the prefix it is no public path");
    }

    #[test]
    fn calls_that_only_look_may_be_repeated() {
        let repeatable: Vec<&str> =
            all().filter(|route| route.of_session && !route.acts).map(|route| route.service_path).collect();
        assert_eq!(
            repeatable,
            ["snapshot", "wait", "screenshot", "extract", "files", "state", "status", "viewer", "close"]
                .map(|name| format!("/session/{name}"))
        );
    }
}
