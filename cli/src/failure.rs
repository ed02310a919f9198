//! How a command fails, and its exit code. The one place that knows exit codes; `report` writes the message.

use std::io;

use porthole_client::{Error, ErrorCode};

use super::saved_sessions::OpenSessions;

/// An invalid setting: `EX_USAGE` of sysexits.
pub(crate) const EXIT_SETTING: u8 = 64;
const EXIT_FAILED: u8 = 1;
const EXIT_USAGE: u8 = 2;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    /// An invalid setting. The sentence names the variable, its value and what is accepted.
    #[error("{0}")]
    Setting(String),
    /// Arguments that conflict with one another or with a terminal as standard output.
    #[error("{0}")]
    Usage(String),
    /// The request failed.
    #[error("{0}")]
    Request(#[from] Error),
    /// An admin listener did not answer with metrics.
    #[error("{0}")]
    Metrics(Error),
    /// A command needs a session, and none is open or none of them is the current one.
    #[error("{code}: {0}", code = ErrorCode::NoPage)]
    NoSession(OpenSessions),
    /// The session of a command has ended.
    #[error("{error}")]
    Ended {
        /// The answer.
        error: Box<Error>,
        /// The sessions that are open still.
        open: OpenSessions,
    },
    /// The reader closed standard output, as `head` does. Not a failure.
    #[error("standard output was closed")]
    OutputClosed,
    /// An operation is over a given limit. One sentence a line.
    #[error("{0}")]
    Objective(String),
    /// A tool's call failed; its result was printed.
    #[error("{tool} failed: {code}")]
    Tool {
        /// The tool.
        tool: String,
        /// The code.
        code: &'static str,
    },
    /// A command about all sessions was refused some of them; each was reported.
    #[error("can't {doing} {count} of {of} sessions")]
    Sessions {
        /// The attempted action: `close`.
        doing: &'static str,
        /// How many were refused.
        count: usize,
        /// How many there are.
        of: usize,
    },
    /// A file, a directory or a process could not be used.
    #[error("can't {what}: {source}")]
    Io {
        /// The attempted action: `write page.png`.
        what: String,
        /// The cause.
        source: io::Error,
    },
    /// `up` could not start its processes or keep them running. The sentence includes their last log lines.
    #[error("{sentence}")]
    Up {
        /// What happened.
        sentence: String,
        /// Whether a process refused its settings.
        setting: bool,
    },
}

impl Failed {
    /// Wraps an I/O error of the action `what`.
    pub(crate) fn io(what: impl Into<String>, source: io::Error) -> Self {
        Failed::Io { what: what.into(), source }
    }

    /// The exit code of this failure.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failed::Setting(_) | Failed::Up { setting: true, .. } => EXIT_SETTING,
            Failed::Usage(_) => EXIT_USAGE,
            Failed::OutputClosed => 0,
            Failed::Request(_)
            | Failed::Metrics(_)
            | Failed::NoSession(_)
            | Failed::Ended { .. }
            | Failed::Objective(_)
            | Failed::Tool { .. }
            | Failed::Sessions { .. }
            | Failed::Io { .. }
            | Failed::Up { setting: false, .. } => EXIT_FAILED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    /// The exit code of this failure.
    pub(crate) fn exit_codes_are_the_documented_ones() {
        assert_eq!(Failed::Setting(String::new()).exit_code(), 64);
        assert_eq!(Failed::Usage(String::new()).exit_code(), 2);
        assert_eq!(Failed::OutputClosed.exit_code(), 0);
        assert_eq!(Failed::Up { sentence: String::new(), setting: true }.exit_code(), 64);
        assert_eq!(Failed::io("x", io::Error::other("y")).exit_code(), 1);
    }
}
