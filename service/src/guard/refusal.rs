//! Why a target is refused, with the sentence for the caller. No sentence contains an address that DNS returned.

use std::net::IpAddr;

use porthole_contract::{ErrorCode, Failure};
use url::ParseError;

use super::address::Block;
use super::name::LocalName;

/// Why a target is refused. Its `Display` form is a sentence for `details`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not an absolute `http` or `https` URL, or one with a user name or password.
    #[error(transparent)]
    InvalidUrl(#[from] InvalidUrl),
    /// A private, reserved or special address or name, or a restricted port.
    #[error(transparent)]
    Blocked(#[from] Blocked),
    /// The name has no address, or no answer came in time.
    #[error("net::ERR_NAME_NOT_RESOLVED: {host} can't be found")]
    NotResolved {
        /// The name.
        host: String,
    },
    /// Too many names of other requests are being looked up.
    #[error("{host} can't be looked up: too many other look-ups are in progress")]
    LookupsFull {
        /// The name.
        host: String,
    },
}

/// Why a URL is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    /// Longer than Chromium accepts.
    #[error("The URL is longer than {max_bytes} bytes")]
    TooLong {
        /// The longest that is accepted.
        max_bytes: usize,
    },
    /// Relative, or empty.
    #[error("The URL is not absolute: it has to begin with http:// or https://")]
    NotAbsolute,
    /// The URL standard refuses it.
    #[error("The URL can't be read: {0}")]
    Unreadable(ParseError),
    /// Another scheme.
    #[error("The URL's scheme is not http or https")]
    Scheme,
    /// A user name or a password.
    #[error("The URL carries a user name or password")]
    Userinfo,
    /// The host is not a valid DNS name.
    #[error("The URL's host is not a valid DNS name")]
    HostName,
    /// The input is not text that can hold a URL.
    #[error("{0}")]
    NotText(&'static str),
}

/// Why a readable URL, or an address that is about to be dialled, is blocked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Blocked {
    /// A restricted port ([`super::port`]).
    #[error("Port {port} is not a web port: browsers refuse it")]
    Port {
        /// The port.
        port: u16,
    },
    /// The URL's host is this address.
    #[error("{address} is {block}")]
    Address {
        /// The address, as the URL has it.
        address: IpAddr,
        /// Why it is blocked.
        block: Block,
    },
    /// The name alone is enough to refuse it.
    #[error("{host} is {kind}")]
    Name {
        /// The name.
        host: String,
        /// Why it is local.
        kind: LocalName,
    },
    /// One of the name's addresses is not public.
    #[error("{host} resolves to {block}")]
    Resolved {
        /// The name.
        host: String,
        /// Why its address is blocked.
        block: Block,
    },
    /// The session's caller named hosts, and this is not among them.
    #[error("{host} is not in the session's allow_hosts")]
    NotNamed {
        /// The host, as the URL has it.
        host: String,
    },
    /// An exception opens it, but not to a page that has been to other sites ([`super::scope`]).
    #[error(
        "{refused}; an exception opens it to pages that have been to no other site, as those of a new request or session"
    )]
    NotForThisPage {
        /// Why it is blocked without the exception.
        refused: Box<Blocked>,
    },
    /// An address that Porthole itself listens on; no exception opens it.
    #[error("{host} at port {port} is one of Porthole's own listeners")]
    OwnListener {
        /// The host, as the URL has it.
        host: String,
        /// The port.
        port: u16,
    },
}

// === impl Refusal ===

impl Refusal {
    /// Returns the contract's error code.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Refusal::InvalidUrl(_) => ErrorCode::InvalidUrl,
            Refusal::Blocked(_) => ErrorCode::BlockedTarget,
            Refusal::NotResolved { .. } => ErrorCode::NavigationFailed,
            Refusal::LookupsFull { .. } => ErrorCode::Overloaded,
        }
    }

    /// Returns the `reason` of `porthole_blocked_total`, one of a small, fixed set. The metric counts
    /// [`Refusal::Blocked`] only.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Refusal::Blocked(blocked) => blocked.label(),
            Refusal::InvalidUrl(InvalidUrl::TooLong { .. }) => "too_long",
            Refusal::InvalidUrl(InvalidUrl::NotAbsolute) => "not_absolute",
            Refusal::InvalidUrl(InvalidUrl::Unreadable(_)) => "unreadable",
            Refusal::InvalidUrl(InvalidUrl::Scheme) => "scheme",
            Refusal::InvalidUrl(InvalidUrl::Userinfo) => "userinfo",
            Refusal::InvalidUrl(InvalidUrl::HostName) => "host_name",
            Refusal::InvalidUrl(InvalidUrl::NotText(_)) => "not_text",
            Refusal::NotResolved { .. } => "not_resolved",
            Refusal::LookupsFull { .. } => "lookups_full",
        }
    }

    /// Adds that an exception opens the target, but not to this page.
    #[must_use]
    pub(super) fn in_spite_of_exception(self) -> Refusal {
        match self {
            Refusal::Blocked(refused) => Blocked::NotForThisPage { refused: Box::new(refused) }.into(),
            other => other,
        }
    }
}

// === impl Blocked ===

impl Blocked {
    const fn label(&self) -> &'static str {
        match self {
            Blocked::Port { .. } => "port",
            Blocked::Name { .. } => "name",
            Blocked::NotNamed { .. } => "not_named",
            Blocked::OwnListener { .. } => "own_listener",
            Blocked::Address { block, .. } | Blocked::Resolved { block, .. } => block.label(),
            Blocked::NotForThisPage { refused } => refused.label(),
        }
    }
}

impl From<&Refusal> for Failure {
    fn from(refusal: &Refusal) -> Failure {
        Failure::new(refusal.code(), refusal.to_string())
    }
}
