//! Settings: where they come from, and how a wrong one is refused. What a process can be told is that process's own.
//!
//! Every setting is an environment variable and a flag of the same name, and the flag wins. A secret has no flag and
//! does not show in `--help`; it may also be given as `NAME_FILE`, a path. An empty value counts as none.

mod environment;
mod reader;

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use url::Url;

pub use environment::Environment;
pub use reader::{Reader, items};

/// What a process ends with when a setting is wrong: `EX_USAGE` of sysexits.h.
pub const EXIT_WRONG_SETTING: u8 = 64;

/// What is taken off a variable's name to make its flag.
const PREFIX: &str = "PORTHOLE_";
/// What is put behind a secret's name for the variable that holds a path.
const FILE_SUFFIX: &str = "_FILE";

/// A setting that every process has.
pub const LOG: Setting = Setting::new("PORTHOLE_LOG", "a filter as tracing reads it, such as info or porthole=debug")
    .help("What is logged")
    .default("info");

/// One thing that a process can be told.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    variable: &'static str,
    accepted: &'static str,
    help: &'static str,
    default: Option<&'static str>,
    default_told: Option<&'static str>,
    secret: bool,
}

impl Setting {
    /// The setting of that variable. `accepted` follows "must be" in a refusal.
    #[must_use]
    pub const fn new(variable: &'static str, accepted: &'static str) -> Self {
        Self { variable, accepted, help: "", default: None, default_told: None, secret: false }
    }

    /// A secret: no flag, not in `--help`, its value in no message, and `NAME_FILE` as another way to give it.
    #[must_use]
    pub const fn secret(variable: &'static str, accepted: &'static str) -> Self {
        Self { secret: true, ..Self::new(variable, accepted) }
    }

    /// What `--help` says about it.
    #[must_use]
    pub const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    /// The value that holds when none is given; read like a given one.
    #[must_use]
    pub const fn default(self, value: &'static str) -> Self {
        Self { default: Some(value), default_told: Some(value), ..self }
    }

    /// What `--help` says about a default that the process works out itself.
    #[must_use]
    pub const fn default_told(self, words: &'static str) -> Self {
        Self { default_told: Some(words), ..self }
    }

    /// Its environment variable.
    #[must_use]
    pub const fn variable(&self) -> &'static str {
        self.variable
    }

    /// Its default as `--help` shows it; `None` where there is none.
    #[must_use]
    pub const fn default_shown(&self) -> Option<&'static str> {
        self.default_told
    }

    /// Whether it is a secret.
    #[must_use]
    pub const fn is_secret(&self) -> bool {
        self.secret
    }

    /// What follows "must be" in a refusal.
    #[must_use]
    pub const fn accepted(&self) -> &'static str {
        self.accepted
    }

    /// Its flag, without the dashes; a secret has none.
    #[must_use]
    pub fn flag(&self) -> Option<String> {
        let name = self.variable.strip_prefix(PREFIX).unwrap_or(self.variable);
        (!self.secret).then(|| name.to_ascii_lowercase().replace('_', "-"))
    }

    /// A refusal of `value`, for reasons that only the process knows.
    pub fn refuse(&self, value: impl Into<String>, reason: impl Into<String>) -> SettingError {
        if self.secret {
            return SettingError::WrongSecret { variable: self.variable, reason: reason.into() };
        }
        SettingError::Wrong { variable: self.variable, value: value.into(), reason: reason.into() }
    }

    /// A refusal because no value was given, where the process can't do without one.
    pub fn missing(&self, reason: impl Into<String>) -> SettingError {
        SettingError::Missing { variable: self.variable, reason: reason.into() }
    }

    fn refuse_as_unaccepted(&self, value: &str) -> SettingError {
        self.refuse(value, format!("must be {}", self.accepted))
    }

    fn file_variable(&self) -> String {
        format!("{}{FILE_SUFFIX}", self.variable)
    }
}

/// A setting that is wrong. Its sentence names the variable, the value (never a secret's) and what is accepted.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// A value that is not accepted.
    #[error("{variable} is {value:?}: {reason}")]
    Wrong {
        /// The variable.
        variable: &'static str,
        /// What it was given.
        value: String,
        /// What is accepted.
        reason: String,
    },
    /// A secret that is not accepted.
    #[error("{variable}: {reason} (the value is not shown)")]
    WrongSecret {
        /// The variable.
        variable: &'static str,
        /// What is accepted.
        reason: String,
    },
    /// No value, where one is needed.
    #[error("{variable} is not set: {reason}")]
    Missing {
        /// The variable.
        variable: &'static str,
        /// What is accepted, or why it is needed.
        reason: String,
    },
    /// A secret given in both ways.
    #[error("{variable} and {variable}_FILE are both set: only one of them is accepted")]
    Twice {
        /// The variable.
        variable: &'static str,
    },
    /// A secret's file that can't be read.
    #[error("{variable}_FILE is {path:?}: must be the path of a readable text file ({source})")]
    Unreadable {
        /// The variable, without its suffix.
        variable: &'static str,
        /// The path that it was given.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Every setting that is wrong, in the order in which they were read: an operator mends all of them at once.
#[derive(Debug, Default)]
pub struct SettingErrors(Vec<SettingError>);

impl SettingErrors {
    /// Runs `read`, which passes each result to [`SettingErrors::ok`] and looks at the values (by `?`) only after all of
    /// them were read.
    ///
    /// # Errors
    /// All errors that were passed, or that `read` pushed.
    pub fn collect<T>(read: impl FnOnce(&mut Self) -> Option<T>) -> Result<T, Self> {
        let mut errors = Self::default();
        match read(&mut errors) {
            Some(value) if errors.0.is_empty() => Ok(value),
            _ => Err(errors),
        }
    }

    /// The value, or `None` for an error, which is kept.
    pub fn ok<T>(&mut self, read: Result<T, SettingError>) -> Option<T> {
        read.map_err(|error| self.0.push(error)).ok()
    }

    /// The value, or `None` for errors, all of which are kept.
    pub fn all_ok<T>(&mut self, read: Result<T, Self>) -> Option<T> {
        read.map_err(|errors| self.0.extend(errors.0)).ok()
    }

    /// Prints a sentence for each error on standard error, and returns the code to exit with.
    #[must_use]
    pub fn exit(&self) -> ExitCode {
        for error in &self.0 {
            eprintln!("error: {error}");
        }
        ExitCode::from(EXIT_WRONG_SETTING)
    }
}

impl fmt::Display for SettingErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(at, error)| write!(f, "{}{error}", if at == 0 { "" } else { "\n" }))
    }
}

impl Error for SettingErrors {}

/// The flags of these settings, for a [`Command`].
pub fn flags(settings: &[Setting]) -> impl Iterator<Item = Arg> {
    settings.iter().filter_map(|setting| {
        let flag = setting.flag()?;
        let default = setting.default_told.map_or_else(String::new, |default| format!(" [default: {default}]"));
        let help = format!("{} [env: {}]{default}", setting.help, setting.variable);
        Some(Arg::new(setting.variable).long(flag).value_name("VALUE").help(help).global(true))
    })
}

/// Reads the command line. `Err` is what the process is to end with at once: 0 after `--help` and `--version`,
/// [`EXIT_WRONG_SETTING`] after anything that the command doesn't know; the words have been told then.
///
/// # Errors
/// As above.
pub fn command_line(command: Command, arguments: impl IntoIterator<Item = OsString>) -> Result<ArgMatches, ExitCode> {
    command.try_get_matches_from(arguments).map_err(|error| {
        // Standard output or error may be closed: then the failure can't be reported.
        let _ = error.print();
        if error.use_stderr() { ExitCode::from(EXIT_WRONG_SETTING) } else { ExitCode::SUCCESS }
    })
}

/// The base of another process's address: `http` or `https`, a host, and no user name, password, query or fragment.
#[must_use]
pub fn plain_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    plain.then_some(url)
}
