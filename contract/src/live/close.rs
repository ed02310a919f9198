//! Why a live view's connection was closed.

use std::fmt;

/// A WebSocket close code of the live view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum CloseCode {
    /// The server goes away: come again, the session may be alive.
    GoingAway = 1001,
    /// Not a WebSocket as RFC 6455 has it.
    ProtocolError = 1002,
    /// A text message that is not UTF-8.
    NotUtf8 = 1007,
    /// A message over its limit of bytes.
    TooBig = 1009,
    /// The first message was no valid hello.
    BadHello = 4400,
    /// The ticket is bad, edited or expired.
    BadTicket = 4401,
    /// A good ticket of a session that is gone, or a handle that leads to no replica.
    NoSession = 4404,
    /// No hello came in time.
    NoHello = 4408,
    /// The session ended.
    SessionEnded = 4410,
    /// The session has as many viewers as it may have.
    TooManyViewers = 4429,
}

impl CloseCode {
    /// Every code.
    pub const ALL: &'static [CloseCode] = &[
        Self::GoingAway,
        Self::ProtocolError,
        Self::NotUtf8,
        Self::TooBig,
        Self::BadHello,
        Self::BadTicket,
        Self::NoSession,
        Self::NoHello,
        Self::SessionEnded,
        Self::TooManyViewers,
    ];

    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The reason sent with the code, and shown to people.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::GoingAway => "The server goes away - connect again",
            Self::ProtocolError => "The connection broke the WebSocket protocol",
            Self::NotUtf8 => "A text message was not UTF-8",
            Self::TooBig => "A message was too large",
            Self::BadHello => "The first message must be a valid hello",
            Self::BadTicket => "The ticket is not valid or has expired",
            Self::NoSession => "This browser session has ended",
            Self::NoHello => "No hello came in time",
            Self::SessionEnded => "The browser session ended",
            Self::TooManyViewers => "Too many viewers watch this session",
        }
    }
}

impl fmt::Display for CloseCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}
