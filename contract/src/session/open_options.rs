//! How a new session is to be: the fields of the requests that may make one.

use super::storage::StorageState;
use crate::json::{Invalid, Validate};
use crate::limits::{
    ALLOW_HOST_MAX_BYTES, ALLOW_HOSTS_MAX, LOCALE_MAX_BYTES, SESSION_IDLE_MAX_SECONDS, SESSION_IDLE_MIN_SECONDS,
    TIME_ZONE_MAX_BYTES, USER_AGENT_MAX_BYTES,
};
use crate::request::in_range;
use crate::{ColorScheme, Viewport};

/// The names of [`OpenOptions`]' fields: how a new session is to be. A call with a handle must not have them.
pub const OPEN_FIELDS: [&str; 9] = [
    "viewport",
    "color_scheme",
    "reduced_motion",
    "locale",
    "time_zone",
    "user_agent",
    "allow_hosts",
    "idle_seconds",
    "storage_state",
];

/// How a new session is to be.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The browser window; default [`Viewport::DESKTOP`].
    pub viewport: Option<Viewport>,
    /// What `prefers-color-scheme` says.
    pub color_scheme: Option<ColorScheme>,
    /// What `prefers-reduced-motion` says.
    pub reduced_motion: Option<bool>,
    /// The page's language.
    pub locale: Option<String>,
    /// The page's time zone.
    pub time_zone: Option<String>,
    /// What the browser calls itself.
    pub user_agent: Option<String>,
    /// The only hosts that the session may reach.
    pub allow_hosts: Option<Vec<String>>,
    /// The session ends after this long without use, in seconds; default the service's setting.
    pub idle_seconds: Option<u32>,
    /// Cookies and local storage to begin with.
    pub storage_state: Option<StorageState>,
}

/// A request that may make a session.
pub trait Opens {
    /// How that session is to be.
    fn open_options(&self) -> OpenOptions;
}

// === impl OpenOptions ===

impl OpenOptions {
    /// The first field that is given, by its name on the wire.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        [
            ("viewport", self.viewport.is_some()),
            ("color_scheme", self.color_scheme.is_some()),
            ("reduced_motion", self.reduced_motion.is_some()),
            ("locale", self.locale.is_some()),
            ("time_zone", self.time_zone.is_some()),
            ("user_agent", self.user_agent.is_some()),
            ("allow_hosts", self.allow_hosts.is_some()),
            ("idle_seconds", self.idle_seconds.is_some()),
            ("storage_state", self.storage_state.is_some()),
        ]
        .into_iter()
        .find_map(|(field, given)| given.then_some(field))
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        self.viewport.as_ref().map_or(Ok(()), Validate::validate)?;
        let locale = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        plain("locale", self.locale.as_deref(), LOCALE_MAX_BYTES, locale)?;
        let zone = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'+' | b'-');
        plain("time_zone", self.time_zone.as_deref(), TIME_ZONE_MAX_BYTES, zone)?;
        // A header's value: what else it held would be a header of its own.
        let printable = |byte: u8| (b' '..=b'~').contains(&byte);
        plain("user_agent", self.user_agent.as_deref(), USER_AGENT_MAX_BYTES, printable)?;
        let (min, max) = (SESSION_IDLE_MIN_SECONDS.into(), SESSION_IDLE_MAX_SECONDS.into());
        in_range("idle_seconds", self.idle_seconds.map(u64::from), min, max)?;
        self.storage_state.as_ref().map_or(Ok(()), Validate::validate)?;
        let Some(hosts) = &self.allow_hosts else { return Ok(()) };
        if !(1..=ALLOW_HOSTS_MAX).contains(&hosts.len()) {
            return Err(Invalid::new("allow_hosts", format!("must have from 1 to {ALLOW_HOSTS_MAX} entries")));
        }
        match hosts.iter().position(|host| !is_host_pattern(host)) {
            Some(at) => Err(Invalid::new(
                format!("allow_hosts[{at}]"),
                "must be a host name, `*.` and a host name, or a literal address, without scheme, port and path",
            )),
            None => Ok(()),
        }
    }
}

fn plain(path: &str, value: Option<&str>, max_bytes: usize, fits: impl Fn(u8) -> bool) -> Result<(), Invalid> {
    match value {
        Some(value) if value.is_empty() || value.len() > max_bytes || !value.bytes().all(fits) => {
            Err(Invalid::new(path, format!("must be 1 to {max_bytes} of the characters that it may have")))
        }
        _ => Ok(()),
    }
}

/// A name, a name below which all are meant, or a literal address. Names of other scripts are the guard's to encode.
fn is_host_pattern(pattern: &str) -> bool {
    if pattern.len() > ALLOW_HOST_MAX_BYTES {
        return false;
    }
    let unbracketed = pattern.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(pattern);
    if unbracketed.parse::<std::net::IpAddr>().is_ok() {
        return true;
    }
    let name = pattern.strip_prefix("*.").unwrap_or(pattern);
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii())
    };
    !name.chars().any(char::is_whitespace) && name.split('.').all(is_label)
}
