//! The arguments of every call to a session.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use porthole_client::session::{HANDLE_PREFIX, is_handle};

use crate::args::values::parse_timeout;

/// Which session and tab, how long, and how it is printed.
#[derive(Args, Clone, Debug)]
pub(crate) struct CallArgs {
    /// Another session than the current one, which it becomes: its number in `porthole sessions`, or its handle
    #[arg(long, value_name = "NUMBER|HANDLE")]
    pub(crate) session: Option<SessionName>,
    /// Another tab than the active one, such as t2
    #[arg(long, value_name = "TAB")]
    pub(crate) tab: Option<String>,
    /// The time limit of the call, such as 10s; from 1 s to 60 s [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_timeout)]
    pub(crate) timeout: Option<u32>,
    /// Print the answer, or the failure, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A call that acts.
#[derive(Args, Clone, Debug)]
pub(crate) struct ActArgs {
    #[command(flatten)]
    pub(crate) call: CallArgs,
    /// Print the whole page afterwards, not only what changed
    #[arg(long)]
    pub(crate) full: bool,
}

/// A session on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SessionName {
    /// Its number among those that are remembered.
    Number(u32),
    /// Its handle.
    Handle(String),
}

impl FromStr for SessionName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(number) => Ok(Self::Number(number)),
            Err(_) if text.starts_with(HANDLE_PREFIX) && is_handle(text) => Ok(Self::Handle(text.to_owned())),
            Err(_) => Err("must be a number in `porthole sessions`, or a handle, which begins with ses_"),
        }
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Handle(handle) => handle.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_its_number_or_its_handle() {
        assert_eq!("12".parse(), Ok(SessionName::Number(12)));
        assert_eq!("ses_a-B_1".parse(), Ok(SessionName::Handle("ses_a-B_1".to_owned())));
        for text in ["", "-1", "t1", "ses 1", "ses_/../x", "4294967296"] {
            assert!(text.parse::<SessionName>().is_err(), "{text}");
        }
    }
}
