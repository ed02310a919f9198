//! The environment variables that a process was started with, and which of them no process reads.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use super::{FILE_SUFFIX, PREFIX};

/// Every variable of the contract that is no secret, of all processes.
const KNOWN: &[&str] = &[
    "PORTHOLE_WORKER_ADDR",
    "PORTHOLE_SERVICE_ADDR",
    "PORTHOLE_WORKER_ADMIN_ADDR",
    "PORTHOLE_SERVICE_ADMIN_ADDR",
    "PORTHOLE_EMULATOR_ADDR",
    "PORTHOLE_EMULATOR_PROJECTS",
    "PORTHOLE_EMULATOR_CONCURRENCY",
    "PORTHOLE_EMULATOR_PER_MINUTE",
    "PORTHOLE_EMULATOR_TIMEOUT",
    "PORTHOLE_EMULATOR_TIMEOUT_MIN",
    "PORTHOLE_EMULATOR_CONNECT_WITHIN",
    "PORTHOLE_EMULATOR_RESOLVE",
    "PORTHOLE_EMULATOR_TLS",
    "PORTHOLE_EMULATOR_TLS_NAMES",
    "PORTHOLE_EMULATOR_CA_FILE",
    "PORTHOLE_PROVIDER",
    "PORTHOLE_CHROMIUM",
    "PORTHOLE_BROWSERBASE_URL",
    "PORTHOLE_BROWSERBASE_REGION",
    "PORTHOLE_BROWSERBASE_RECORD",
    "PORTHOLE_BROWSERBASE_LOG",
    "PORTHOLE_BROWSERBASE_SOLVE_CAPTCHAS",
    "PORTHOLE_BROWSERBASE_IGNORE_CERTIFICATE_ERRORS",
    "PORTHOLE_BROWSERBASE_BLOCK_ADS",
    "PORTHOLE_BROWSERBASE_PROXIES",
    "PORTHOLE_BROWSERBASE_REAP_SECONDS",
    "PORTHOLE_ALLOW_TARGETS",
    "PORTHOLE_ALLOW_TARGETS_FROM",
    "PORTHOLE_DENY_CIDRS",
    "PORTHOLE_RESOLVE",
    "PORTHOLE_MAX_CONCURRENT",
    "PORTHOLE_MAX_QUEUE",
    "PORTHOLE_MAX_MEMORY_PERCENT",
    "PORTHOLE_MAX_SESSIONS",
    "PORTHOLE_MAX_SESSIONS_PER_SANDBOX",
    "PORTHOLE_SESSION_IDLE_SECONDS",
    "PORTHOLE_SESSION_MAX_SECONDS",
    "PORTHOLE_SESSION_DRAIN_SECONDS",
    "PORTHOLE_FRAMES",
    "PORTHOLE_WARM_PAGES",
    "PORTHOLE_SESSION_BROWSERS",
    "PORTHOLE_BROWSER_MAX_PAGES",
    "PORTHOLE_BROWSER_MAX_MEMORY_MB",
    "PORTHOLE_EGRESS_MAX_BYTES",
    "PORTHOLE_CDP_EGRESS",
    "PORTHOLE_BROWSERBASE_WARM",
    "PORTHOLE_INSTANCE",
    "PORTHOLE_SERVICE_URL",
    "PORTHOLE_SERVICE_PEERS",
    "PORTHOLE_PUBLIC_URL",
    "PORTHOLE_ALLOWED_ORIGINS",
    "PORTHOLE_RATE_LIMIT",
    "PORTHOLE_MCP",
    "PORTHOLE_MCP_TOOLS",
    "PORTHOLE_PLAYGROUND",
    "PORTHOLE_TRUSTED_PROXIES",
    "PORTHOLE_BROWSER_TOOLS",
    "PORTHOLE_URL",
    "PORTHOLE_LOG",
];

/// Every secret of the contract that begins with [`PREFIX`].
const KNOWN_SECRETS: &[&str] = &[
    "PORTHOLE_OWNER_KEYS",
    "PORTHOLE_SERVICE_KEY",
    "PORTHOLE_CLIENT_KEYS",
    "PORTHOLE_KEY",
    "PORTHOLE_CDP_URL",
    "PORTHOLE_EMULATOR_API_KEYS",
];

/// Environment variables, as they were when they were read.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, OsString>);

impl Environment {
    /// This process's.
    #[must_use]
    pub fn of_process() -> Self {
        Self(std::env::vars_os().map(|(name, value)| (name.to_string_lossy().into_owned(), value)).collect())
    }

    /// A variable's value; an empty one counts as none.
    pub(super) fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(name).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Variables that begin with `PORTHOLE_` and that no Porthole process knows: most often a slip of the pen.
    #[must_use]
    pub fn unknown(&self) -> Vec<&str> {
        let known = |name: &str| {
            KNOWN.contains(&name) || KNOWN_SECRETS.contains(&name.strip_suffix(FILE_SUFFIX).unwrap_or(name))
        };
        self.0.keys().map(String::as_str).filter(|name| name.starts_with(PREFIX) && !known(name)).collect()
    }

    /// Logs a warning for each of the [`unknown`](Self::unknown) variables; never their values.
    pub fn warn_of_unknown(&self) {
        for variable in self.unknown() {
            tracing::warn!(variable, "no Porthole process knows this environment variable");
        }
    }
}

impl<N: Into<String>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_that_no_process_knows_are_unknown() {
        let environment: Environment = [
            ("PORTHOLE_WORKER_ADDR", "x"),
            ("PORTHOLE_OWNER_KEYS_FILE", "x"),
            ("PORTHOLE_KEY", "x"),
            ("PORTHOLE_LOG", "x"),
            ("PORTHOLE_PROVIDER_FILE", "x"),
            ("PORTHOLE_RATELIMIT", "x"),
            ("HOME", "x"),
        ]
        .into_iter()
        .collect();
        assert_eq!(environment.unknown(), ["PORTHOLE_PROVIDER_FILE", "PORTHOLE_RATELIMIT"]);
    }
}
