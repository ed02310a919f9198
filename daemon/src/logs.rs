//! Logs: one event per line on standard error, text on a terminal, JSON elsewhere.
//!
//! This module has the format and the filter. It ignores what libraries log about network data below `info`, even if
//! the filter asks for it, since that data contains keys and tokens.

use std::io::IsTerminal as _;
use std::panic::PanicHookInfo;

use tracing::level_filters::LevelFilter;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::filter::{EnvFilter, FilterExt as _, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Registry, fmt};

pub use crate::causes::with_causes;
use crate::settings::{self, Reader, SettingError};
use crate::trace::{self, Export};

/// Libraries that print headers and frames below `info`.
const WIRE_LIBRARIES: &[&str] =
    &["h2", "hyper", "hyper_rustls", "hyper_util", "reqwest", "rustls", "tokio_tungstenite", "tungstenite"];

/// Prints messages below `info`, some lines for each message at `info`, and what callers do wrong as warnings.
const MESSAGE_LIBRARY: &str = "rmcp";

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text for terminals.
    Text {
        /// Whether levels have colours.
        colours: bool,
    },
    /// One JSON object per line, with its fields beside `timestamp`, `level` and `message`.
    Json,
}

/// A `PORTHOLE_LOG` that tracing can't parse.
#[derive(Debug, thiserror::Error)]
#[error("can't parse the log filter: {0}")]
pub struct FilterError(#[from] tracing_subscriber::filter::ParseError);

/// Sends this process's events to standard error, panics included.
///
/// # Errors
/// [`SettingError::Wrong`] for a filter that can't be read.
///
/// # Panics
/// When it is called twice.
pub fn init(reader: &Reader) -> Result<(), SettingError> {
    install(reader, &Export::default())
}

/// Initialises logs like [`init`], and starts the export of spans that the settings configure, under the name
/// `service`.
///
/// # Errors
/// [`SettingError::Wrong`] for a filter or an endpoint that can't be read.
///
/// # Panics
/// When it is called twice.
pub fn init_with_export(reader: &Reader, service: &'static str) -> Result<Export, SettingError> {
    let export = Export::start(reader, service)?;
    install(reader, &export)?;
    Ok(export)
}

fn install(reader: &Reader, export: &Export) -> Result<(), SettingError> {
    let filter = reader.text(&settings::LOG)?.unwrap_or_default();
    let form = if std::io::stderr().is_terminal() {
        Form::Text { colours: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) }
    } else {
        Form::Json
    };
    let subscriber = subscriber(&filter, form, std::io::stderr)
        .map_err(|error| settings::LOG.refuse(filter, format!("must be {}; {error}", settings::LOG.accepted())))?;
    subscriber.with(export.layer()).init();
    std::panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Builds the subscriber of [`init`] with another writer, for tests that read their own lines.
///
/// # Errors
/// [`FilterError`] for a filter that can't be read.
pub fn subscriber<W>(
    filter: &str,
    form: Form,
    writer: W,
) -> Result<impl Subscriber + for<'a> LookupSpan<'a> + Send + Sync + use<W>, FilterError>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let asked_for = EnvFilter::builder().with_default_directive(LevelFilter::ERROR.into()).parse(filter)?;
    let filter = asked_for.and(filter_fn(|event| !shows_network_data(event) && event.target() != trace::SPANS));
    let lines = match form {
        Form::Text { colours } => fmt::layer().with_ansi(colours).with_writer(writer).boxed(),
        Form::Json => {
            fmt::layer().json().flatten_event(true).with_span_list(false).with_ansi(false).with_writer(writer).boxed()
        }
    };
    Ok(Registry::default().with(lines.with_filter(filter)))
}

fn shows_network_data(event: &Metadata<'_>) -> bool {
    let library = event.target().split("::").next().unwrap_or_default();
    let most = match library {
        MESSAGE_LIBRARY => LevelFilter::ERROR,
        _ if WIRE_LIBRARIES.contains(&library) => LevelFilter::INFO,
        _ => LevelFilter::TRACE,
    };
    *event.level() > most
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let location = panic.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current();
    let payload = panic.payload();
    let message =
        payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    tracing::error!(
        panic = message.unwrap_or("(no text)"),
        location,
        thread = thread.name().unwrap_or("(no name)"),
        "a thread panicked"
    );
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn logged(filter: &str, form: Form, act: impl FnOnce()) -> String {
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = subscriber(filter, form, move || writer.clone()).unwrap();
        tracing::subscriber::with_default(subscriber, act);
        String::from_utf8(lines.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn wire_libraries_are_quiet_below_info_whatever_the_filter_says() {
        let output = logged("trace,hyper=trace,hyper::proto=trace,tungstenite::protocol=debug", Form::Json, || {
            tracing::debug!(target: "hyper::proto::h1", "authorization: Bearer hidden");
            tracing::trace!(target: "tungstenite::protocol", "hidden frame");
            tracing::trace!(target: "tokio_tungstenite", "hidden frame");
            tracing::debug!(target: "reqwest::connect", "hidden proxy");
            tracing::info!(target: "hyper", "a word at info");
            tracing::debug!(target: "hyperion", "another crate's word");
        });
        assert!(!output.contains("hidden"), "{output}");
        assert!(output.contains("a word at info") && output.contains("another crate's word"), "{output}");
    }

    #[test]
    fn a_json_line_has_its_fields_beside_the_message_and_its_span() {
        let output = logged("info", Form::Json, || {
            let _entered = tracing::info_span!("request", request_id = "r-1").entered();
            tracing::info!(listener = "main", addr = "127.0.0.1:1", "listening");
            tracing::debug!("below the filter");
        });
        assert_eq!(output.lines().count(), 1, "{output}");
        let line: serde_json::Value = serde_json::from_str(&output).unwrap();
        assert_eq!(
            (&line["message"], &line["level"], &line["listener"], &line["addr"], &line["span"]["request_id"]),
            (&"listening".into(), &"INFO".into(), &"main".into(), &"127.0.0.1:1".into(), &"r-1".into()),
        );
        assert!(line["timestamp"].is_string());
    }

    #[test]
    fn text_has_no_escape_codes_without_colours() {
        let output = logged("info", Form::Text { colours: false }, || tracing::info!(listener = "main", "listening"));
        assert!(output.contains("INFO") && output.contains("listening listener=\"main\""), "{output}");
        assert!(!output.contains('\u{1b}'), "{output}");
    }

    #[test]
    fn a_panic_is_one_line_with_its_location() {
        let output = logged("info", Form::Json, || {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(log_panic));
            let panicked = std::panic::catch_unwind(|| panic!("words of number {}", 7));
            std::panic::set_hook(before);
            panicked.unwrap_err();
        });
        assert_eq!(output.lines().count(), 1, "{output}");
        let line: serde_json::Value = serde_json::from_str(&output).unwrap();
        assert_eq!((&line["level"], &line["panic"]), (&"ERROR".into(), &"words of number 7".into()));
        assert!(line["location"].as_str().unwrap().contains("logs.rs:"), "{line}");
    }

    #[test]
    fn a_filter_that_cannot_be_read_is_an_error() {
        assert!(subscriber("info,=,porthole=loudly", Form::Json, std::io::sink).is_err());
    }
}
