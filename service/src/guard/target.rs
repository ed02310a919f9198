//! A target: a URL as the URL standard reads it, with its host. This file does not decide whether it may be visited.
//!
//! Only the re-serialised form is passed on, never the text as typed: Chromium reads `[::ffff:0x7f.0.0.1]` as loopback
//! where the standard refuses it. Re-serialising also removes tabs, line ends, backslashes and odd digits.

use std::net::{IpAddr, SocketAddr};

use url::{Host, ParseError, Url};

use super::name;
use super::port::is_restricted;
use super::refusal::{Blocked, InvalidUrl, Refusal};

/// Longest URL, in bytes. Chromium does not navigate to longer ones (`url::kMaxURLChars`).
pub const URL_MAX_BYTES: usize = 2 * 1024 * 1024;

/// A URL that the guard has judged; [`Target::grounds`] tells how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    url: Url,
    host: Host<String>,
    port: u16,
    addresses: Vec<SocketAddr>,
    grounds: Grounds,
}

/// A host, as written in a URL, and a port.
pub type Authority = (Host<String>, u16);

/// Why a target was let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grounds {
    /// Its URL names a public address.
    PublicAddress,
    /// Every address of its name is public.
    Resolved,
    /// Its name is not a private one; its addresses have not been looked up.
    NameOnly,
    /// An entry of `PORTHOLE_ALLOW_TARGETS` lets it through.
    Exception,
}

// === impl Target ===

impl Target {
    /// Reads a URL: absolute, `http` or `https`, no user name or password, a valid host name, no restricted port.
    pub(crate) fn read(raw: &str) -> Result<Target, Refusal> {
        if raw.len() > URL_MAX_BYTES {
            return Err(InvalidUrl::TooLong { max_bytes: URL_MAX_BYTES }.into());
        }
        let url = Url::parse(raw).map_err(|error| match error {
            ParseError::RelativeUrlWithoutBase => InvalidUrl::NotAbsolute,
            error => InvalidUrl::Unreadable(error),
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(InvalidUrl::Scheme.into());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(InvalidUrl::Userinfo.into());
        }
        // Both schemes have a host and a known port, or the parser would have refused the URL.
        let host = url.host().ok_or(InvalidUrl::Unreadable(ParseError::EmptyHost))?.to_owned();
        let port = url.port_or_known_default().ok_or(InvalidUrl::Unreadable(ParseError::InvalidPort))?;
        if let Host::Domain(name) = &host
            && !name::is_host_name(name)
            // A local name with extra trailing dots is still local, and that refusal is more helpful.
            && !name::local(name).is_some_and(|_| name::is_host_name(name::bare(name)))
        {
            return Err(InvalidUrl::HostName.into());
        }
        if is_restricted(port) {
            return Err(Blocked::Port { port }.into());
        }
        Ok(Target { url, host, port, addresses: Vec::new(), grounds: Grounds::NameOnly })
    }

    /// Returns this target with the grounds on which it passed and the addresses that may be dialled for it.
    pub(super) fn passed(self, grounds: Grounds, addresses: Vec<SocketAddr>) -> Target {
        Target { grounds, addresses, ..self }
    }

    /// Returns the re-serialised URL, which the browser navigates to.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the URL's host.
    #[must_use]
    pub fn host(&self) -> &Host<String> {
        &self.host
    }

    /// Returns the URL's port, or the scheme's default.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the host and port.
    #[must_use]
    pub fn authority(&self) -> Authority {
        (self.host.clone(), self.port)
    }

    /// Returns the addresses that were judged and may be dialled; empty if none are known ([`Grounds::NameOnly`]).
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns why it was let through.
    #[must_use]
    pub fn grounds(&self) -> Grounds {
        self.grounds
    }
}

/// Returns the address if the host is a literal address.
pub(super) fn literal(host: &Host<String>) -> Option<IpAddr> {
    match host {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some((*address).into()),
        Host::Ipv6(address) => Some((*address).into()),
    }
}
