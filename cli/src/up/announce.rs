//! What `up` prints once both processes are ready: their addresses, and commands to copy and paste.

use std::fmt::Write as _;

use porthole_client::DEFAULT_URL;
use porthole_contract::routes::{CREATE, EXTRACT, METRICS, SCREENSHOT, WORKER_PREFIX};
use serde::Serialize;

/// The page in the examples.
pub(super) const EXAMPLE_PAGE: &str = "https://example.com";

/// The addresses of both processes.
#[derive(Debug, Serialize)]
pub(super) struct Ready {
    pub(super) worker: String,
    pub(super) worker_admin: String,
    pub(super) service: String,
    pub(super) service_admin: Option<String>,
    /// Whether the worker serves the playground.
    pub(super) playground: bool,
    /// Whether the worker requires client keys.
    pub(super) needs_key: bool,
}

impl Ready {
    /// Formats the addresses for a person, with examples that open `page`.
    pub(super) fn text(&self, page: &str) -> String {
        let mut text = "Porthole is ready.\n\n".to_owned();
        let _ = writeln!(text, "  worker   {}   metrics {}{METRICS}", self.worker, self.worker_admin);
        let admin = self.service_admin.as_ref().map(|url| format!("   metrics {url}{METRICS}")).unwrap_or_default();
        let _ = writeln!(text, "  service  {}{admin}", self.service);
        let url = if self.worker == DEFAULT_URL { String::new() } else { format!(" --url {}", self.worker) };
        if self.playground {
            let _ = writeln!(text, "\nTry it in a browser:\n\n  {}/playground", self.worker);
        }
        let _ = writeln!(text, "\nTry it from another terminal:\n\n  porthole screenshot{url} {page}");
        let _ = writeln!(text, "\nor with curl alone:\n");
        let _ = writeln!(text, "{}\n", self.curl_screenshot(page));
        let _ = writeln!(text, "{}\n", self.curl_extract(page));
        if self.needs_key {
            text.push_str("The worker asks for client keys: PORTHOLE_KEY must hold one of them.\n");
        }
        text.push_str("Ctrl-C ends both.");
        text
    }

    /// Returns a command that creates a sandbox and writes a picture of `page` to `page.png`.
    fn curl_screenshot(&self, page: &str) -> String {
        self.curl(SCREENSHOT, page, " -H 'accept: image/png' -o page.png")
    }

    /// Returns a command that creates a sandbox and prints the text of `page` as JSON.
    fn curl_extract(&self, page: &str) -> String {
        self.curl(EXTRACT, page, "")
    }

    /// Returns one command with two calls: sed turns the answer of the first into the request of the second, so the
    /// token appears neither in the shell's history nor in the process list.
    fn curl(&self, route: &str, page: &str, rest: &str) -> String {
        let worker = format!("{}{WORKER_PREFIX}", self.worker);
        let key = if self.needs_key { r#" -H "authorization: Bearer $PORTHOLE_KEY""# } else { "" };
        let call = |route: &str| format!("curl -fsS {worker}{route}{key} -H 'content-type: application/json'");
        let field = |name: &str| format!(r#"\("{name}":"[^"]*"\)"#);
        let (id, token) = (field("sandbox_id"), field("owner_token"));
        format!(
            "{} -d '{{}}' |\n  sed 's|.*{id}.*{token}.*|{{\\1,\\2,\"url\":\"{page}\"}}|' |\n  {} -d @-{rest}",
            call(CREATE),
            call(route),
        )
    }
}
