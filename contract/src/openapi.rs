//! The OpenAPI 3.1 document, generated from the types. Its golden file is `contract/openapi.json`.

mod session;
mod tools;

use utoipa::OpenApi;

use crate::routes::WORKER_PREFIX;
use crate::{
    CreateRequest, CreateResponse, ErrorAnswer, ExtractRequest, ExtractResponse, ScreenshotRequest, ScreenshotResponse,
};

/// The image itself. (OpenAPI 3.1 gives binary bodies no type; `format: binary` is what its tools still read.)
#[derive(utoipa::ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "the macro reads the type; it is never constructed")]
struct ImageBytes(Vec<u8>);

/// The service's API. [`document`] adds the worker's prefix to its paths.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Porthole",
        description = "A URL in, a picture of the page or its text out; and sessions, in which a browser stays for an agent.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
        contact()
    ),
    paths(create, browser_screenshot, browser_extract),
    components(schemas(ErrorAnswer))
)]
struct ServiceApi;

/// Returns the document that the service serves.
#[must_use]
pub fn service() -> serde_json::Value {
    document(service_paths(), "", "the worker's own key, when the operator set one (`PORTHOLE_SERVICE_KEY`)")
}

/// Returns the public document, which the worker serves.
#[must_use]
pub fn worker() -> serde_json::Value {
    let mut api = service_paths();
    api.merge(tools::ToolsApi::openapi());
    document(api, WORKER_PREFIX, "a client key, when the operator set any (`PORTHOLE_CLIENT_KEYS`)")
}

fn service_paths() -> utoipa::openapi::OpenApi {
    let mut api = ServiceApi::openapi();
    api.merge(session::SessionApi::openapi());
    api
}

fn document(mut api: utoipa::openapi::OpenApi, prefix: &str, bearer: &str) -> serde_json::Value {
    api.paths.paths = std::mem::take(&mut api.paths.paths)
        .into_iter()
        .map(|(path, item)| (format!("{prefix}{path}"), item))
        .collect();
    let mut document = serde_json::to_value(api).expect("an OpenAPI document is JSON");
    document["components"]["securitySchemes"] =
        serde_json::json!({"bearer": {"type": "http", "scheme": "bearer", "description": bearer}});
    document["security"] = serde_json::json!([{}, {"bearer": []}]);
    document
}

/// Creates a sandbox and its owner token.
#[utoipa::path(
    post,
    path = "/create",
    request_body = CreateRequest,
    responses(
        (status = 200, description = "The sandbox", body = CreateResponse),
        (status = "default", description = "An error, identified by its code", body = ErrorAnswer),
    )
)]
#[expect(dead_code, reason = "the macro reads the function; it is never called")]
fn create() {}

/// Takes a screenshot. `Accept: image/*` returns the image itself, with its metadata in `x-porthole-…` headers.
#[utoipa::path(
    post,
    path = "/browser-screenshot",
    request_body = ScreenshotRequest,
    responses(
        (status = 200, description = "The picture", content(
            (ScreenshotResponse = "application/json"),
            (ImageBytes = "image/png"),
            (ImageBytes = "image/jpeg"),
            (ImageBytes = "image/webp"),
        )),
        (status = "default", description = "An error, identified by its code", body = ErrorAnswer),
    )
)]
#[expect(dead_code, reason = "the macro reads the function; it is never called")]
fn browser_screenshot() {}

/// Reads a page's text.
#[utoipa::path(
    post,
    path = "/browser-extract",
    request_body = ExtractRequest,
    responses(
        (status = 200, description = "The text", body = ExtractResponse),
        (status = "default", description = "An error, identified by its code", body = ErrorAnswer),
    )
)]
#[expect(dead_code, reason = "the macro reads the function; it is never called")]
fn browser_extract() {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::routes;

    const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");

    #[test]
    fn the_public_document_is_the_golden_file() {
        let document = format!("{}\n", serde_json::to_string_pretty(&worker()).unwrap());
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(GOLDEN, &document).unwrap();
        }
        let golden = std::fs::read_to_string(GOLDEN).unwrap_or_default();
        assert!(
            golden == document,
            "the API changed: if this is intended, run the tests with UPDATE_GOLDEN=1 and commit the new file"
        );
    }

    #[test]
    fn the_workers_document_has_the_services_routes_and_its_own() {
        let paths = |document: serde_json::Value| {
            document["paths"].as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>()
        };
        let expected = [routes::CREATE, routes::EXTRACT, routes::SCREENSHOT].iter().chain(routes::session::ALL);
        assert_eq!(paths(service()), expected.map(ToString::to_string).collect());
        let own = [routes::TOOLS, routes::TOOLS_RUN, routes::TOOLS_INTENT].map(ToOwned::to_owned);
        let prefixed: BTreeSet<_> =
            paths(service()).into_iter().chain(own).map(|path| format!("{WORKER_PREFIX}{path}")).collect();
        assert_eq!(paths(worker()), prefixed);
        assert_eq!(worker()["openapi"], "3.1.0");
    }
}
