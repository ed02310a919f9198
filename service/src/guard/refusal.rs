//! Why a target is refused, and how that is told. A sentence of this file never holds an address that DNS gave.

use std::net::IpAddr;

use porthole_contract::{ErrorCode, Failure};
use url::ParseError;

use super::address::Block;
use super::name::LocalName;
use super::target::URL_MAX_BYTES;

/// Why a target is refused. Displayed, it is a sentence ready for `details`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not an absolute `http` or `https` URL, or one with a user name or password.
    #[error(transparent)]
    InvalidUrl(#[from] InvalidUrl),
    /// A private, reserved or special address or name, or a restricted port.
    #[error(transparent)]
    Blocked(#[from] Blocked),
    /// The name has no address, or none was told in time.
    #[error("net::ERR_NAME_NOT_RESOLVED: {host} can't be found")]
    NotResolved {
        /// The name.
        host: String,
    },
    /// Too many names of other requests are being looked up.
    #[error("{host} can't be looked up: too many other names are waited for")]
    LookupsFull {
        /// The name.
        host: String,
    },
}

/// What makes a URL one that is never tried.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    /// Longer than Chromium navigates to.
    #[error("The URL is longer than {URL_MAX_BYTES} bytes")]
    TooLong,
    /// Relative, or empty.
    #[error("The URL is not absolute: it has to begin with http:// or https://")]
    NotAbsolute,
    /// What the URL standard refuses.
    #[error("The URL can't be read: {0}")]
    Unreadable(ParseError),
    /// Another scheme.
    #[error("The URL's scheme is not http or https")]
    Scheme,
    /// A user name or a password.
    #[error("The URL carries a user name or password")]
    Userinfo,
    /// A host that no host can be called.
    #[error("The URL's host is not a name that DNS can hold")]
    HostName,
    /// What came is not text that a URL could be read from.
    #[error("{0}")]
    NotText(&'static str),
}

/// What makes a readable URL, or an address that is about to be dialled, a blocked target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Blocked {
    /// A port of [`super::port`].
    #[error("Port {port} is not one of the web's: browsers refuse it")]
    Port {
        /// The port.
        port: u16,
    },
    /// The URL names this address itself.
    #[error("{address} is {block}")]
    Address {
        /// The address, as the URL has it.
        address: IpAddr,
        /// What it is.
        block: Block,
    },
    /// The name alone is enough.
    #[error("{host} is {kind}")]
    Name {
        /// The name.
        host: String,
        /// What it is.
        kind: LocalName,
    },
    /// One of the name's addresses is not public.
    #[error("{host} resolves to {block}")]
    Resolved {
        /// The name.
        host: String,
        /// What its address is.
        block: Block,
    },
    /// Porthole's own door: no exception opens it.
    #[error("{host} at port {port} is a listener of Porthole's own")]
    OwnListener {
        /// The host, as the URL has it.
        host: String,
        /// The port.
        port: u16,
    },
}

// === impl Refusal ===

impl Refusal {
    /// The contract's code.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Refusal::InvalidUrl(_) => ErrorCode::InvalidUrl,
            Refusal::Blocked(_) => ErrorCode::BlockedTarget,
            Refusal::NotResolved { .. } => ErrorCode::NavigationFailed,
            Refusal::LookupsFull { .. } => ErrorCode::Overloaded,
        }
    }

    /// One word of a small, fixed set: the `reason` of `porthole_blocked_total`, which counts [`Refusal::Blocked`] alone.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Refusal::InvalidUrl(InvalidUrl::TooLong) => "too_long",
            Refusal::InvalidUrl(InvalidUrl::NotAbsolute) => "not_absolute",
            Refusal::InvalidUrl(InvalidUrl::Unreadable(_)) => "unreadable",
            Refusal::InvalidUrl(InvalidUrl::Scheme) => "scheme",
            Refusal::InvalidUrl(InvalidUrl::Userinfo) => "userinfo",
            Refusal::InvalidUrl(InvalidUrl::HostName) => "host_name",
            Refusal::InvalidUrl(InvalidUrl::NotText(_)) => "not_text",
            Refusal::Blocked(Blocked::Port { .. }) => "port",
            Refusal::Blocked(Blocked::Name { .. }) => "name",
            Refusal::Blocked(Blocked::OwnListener { .. }) => "own_listener",
            Refusal::Blocked(Blocked::Address { block, .. } | Blocked::Resolved { block, .. }) => block.label(),
            Refusal::NotResolved { .. } => "not_resolved",
            Refusal::LookupsFull { .. } => "lookups_full",
        }
    }
}

impl From<&Refusal> for Failure {
    fn from(refusal: &Refusal) -> Failure {
        Failure::new(refusal.code(), refusal.to_string())
    }
}
