//! The route table: the routes that the worker forwards, and those that get the operator's credentials.

use porthole_contract::metrics::Operation;
use porthole_contract::routes::{CREATE, EXTRACT, SCREENSHOT, WORKER_PREFIX};

/// A route of the service that callers reach through the worker.
#[derive(Debug)]
pub(crate) struct Route {
    /// The service's path. The worker's own has [`WORKER_PREFIX`] before it.
    pub(crate) service_path: &'static str,
    /// Whether the worker puts the operator's Browserbase credentials into the body.
    pub(crate) takes_credentials: bool,
}

/// All forwarded routes. A new route of the service is one line here.
pub(crate) static ROUTES: &[Route] = &[
    Route { service_path: CREATE, takes_credentials: false },
    Route { service_path: SCREENSHOT, takes_credentials: true },
    Route { service_path: EXTRACT, takes_credentials: true },
];

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
    fn every_route_has_an_operation_and_only_browser_routes_take_credentials() {
        for route in ROUTES {
            assert!(operation_of(&route.public_path()).is_some(), "{route:?}");
            assert_eq!(route.takes_credentials, route.service_path.starts_with("/browser-"), "{route:?}");
        }
        assert_eq!(operation_of(SCREENSHOT), None, "without the prefix it is no public path");
    }
}
