//! Chromium's network errors. Names and meanings are those of `net/base/net_error_list.h` in Chromium's sources
//! (stable since 2010; checked against Chromium 148).

use std::fmt;
use std::sync::Arc;

/// Why the browser, or the egress in its place, could not load a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetError {
    /// `ERR_FAILED`: no more specific name applies.
    Failed,
    /// `ERR_ABORTED`: a download, an answer without content, or another navigation ended this one.
    Aborted,
    /// `ERR_TIMED_OUT`: the connection stood, and no answer came.
    TimedOut,
    /// `ERR_CONNECTION_CLOSED`: the server closed the connection (a TCP FIN).
    ConnectionClosed,
    /// `ERR_CONNECTION_RESET`: the server reset the connection (a TCP RST).
    ConnectionReset,
    /// `ERR_CONNECTION_REFUSED`: nothing listens at the port.
    ConnectionRefused,
    /// `ERR_CONNECTION_ABORTED`: no acknowledgement came for data that was sent.
    ConnectionAborted,
    /// `ERR_CONNECTION_FAILED`: the connection attempt failed for another reason.
    ConnectionFailed,
    /// `ERR_CONNECTION_TIMED_OUT`: the connection attempt was not answered.
    ConnectionTimedOut,
    /// `ERR_NAME_NOT_RESOLVED`: DNS knows no address.
    NameNotResolved,
    /// `ERR_ADDRESS_UNREACHABLE`: no route leads there.
    AddressUnreachable,
    /// `ERR_SOCKET_NOT_CONNECTED`: the connection was gone when it was used.
    SocketNotConnected,
    /// `ERR_NETWORK_CHANGED`: the machine's network changed meanwhile.
    NetworkChanged,
    /// `ERR_EMPTY_RESPONSE`: the server closed the connection without an answer.
    EmptyResponse,
    /// `ERR_INVALID_HTTP_RESPONSE`: the answer is not HTTP.
    InvalidHttpResponse,
    /// `ERR_PROXY_CONNECTION_FAILED`: the proxy, which is our egress for a local page, was not reached.
    ProxyConnectionFailed,
    /// `ERR_HTTP2_PING_FAILED`: an HTTP/2 connection no longer answered.
    Http2PingFailed,
    /// Any other, by its name. None of them passes by itself.
    Other(Arc<str>),
}

/// Each error's name, and whether another try may succeed: the connection stood and broke, or came too late. All else is
/// the site's own state: its name, its certificate, its refusal.
const TABLE: [(NetError, &str, bool); 17] = [
    (NetError::Failed, "net::ERR_FAILED", false),
    (NetError::Aborted, "net::ERR_ABORTED", false),
    (NetError::TimedOut, "net::ERR_TIMED_OUT", true),
    (NetError::ConnectionClosed, "net::ERR_CONNECTION_CLOSED", true),
    (NetError::ConnectionReset, "net::ERR_CONNECTION_RESET", true),
    (NetError::ConnectionRefused, "net::ERR_CONNECTION_REFUSED", false),
    (NetError::ConnectionAborted, "net::ERR_CONNECTION_ABORTED", true),
    (NetError::ConnectionFailed, "net::ERR_CONNECTION_FAILED", false),
    (NetError::ConnectionTimedOut, "net::ERR_CONNECTION_TIMED_OUT", true),
    (NetError::NameNotResolved, "net::ERR_NAME_NOT_RESOLVED", false),
    (NetError::AddressUnreachable, "net::ERR_ADDRESS_UNREACHABLE", false),
    (NetError::SocketNotConnected, "net::ERR_SOCKET_NOT_CONNECTED", true),
    (NetError::NetworkChanged, "net::ERR_NETWORK_CHANGED", true),
    (NetError::EmptyResponse, "net::ERR_EMPTY_RESPONSE", true),
    (NetError::InvalidHttpResponse, "net::ERR_INVALID_HTTP_RESPONSE", false),
    (NetError::ProxyConnectionFailed, "net::ERR_PROXY_CONNECTION_FAILED", false),
    (NetError::Http2PingFailed, "net::ERR_HTTP2_PING_FAILED", true),
];

impl NetError {
    /// Reads a name as the protocol reports it, with its `net::`.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let known = TABLE.iter().find(|(_, known, _)| *known == name);
        known.map_or_else(|| Self::Other(name.into()), |(error, ..)| error.clone())
    }

    /// The name, with its `net::`.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            known => known.row().map_or("net::ERR_FAILED", |(_, name, _)| *name),
        }
    }

    /// Whether another try may succeed.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.row().is_some_and(|(.., is_transient)| *is_transient)
    }

    fn row(&self) -> Option<&'static (NetError, &'static str, bool)> {
        TABLE.iter().find(|(error, ..)| error == self)
    }
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_and_unknown_ones_are_kept() {
        for (error, name, _) in &TABLE {
            assert_eq!(NetError::of_name(name), *error);
            assert_eq!(error.to_string(), *name);
        }
        let other = NetError::of_name("net::ERR_CERT_DATE_INVALID");
        assert_eq!(other.to_string(), "net::ERR_CERT_DATE_INVALID");
        assert!(!other.is_transient());
    }
}
