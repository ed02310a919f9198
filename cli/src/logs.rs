//! The command's own log: off unless `PORTHOLE_LOG` asks for it, on standard error.

use std::io::{self, IsTerminal as _};

use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::{EnvFilter, FilterExt as _, filter_fn};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use super::failure::Failed;

/// Libraries that log bodies and headers, secrets included, below `info`.
const WIRE_LIBRARIES: [&str; 4] = ["hyper", "reqwest", "rustls", "h2"];

/// Logs what is typed below `info`, and its client's mistakes as warnings.
const MESSAGE_LIBRARY: &str = "rmcp";

/// Starts the log.
pub(crate) fn init() -> Result<(), Failed> {
    let Some(wanted) = std::env::var("PORTHOLE_LOG").ok().filter(|text| !text.is_empty()) else {
        return Ok(());
    };
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::OFF.into()).parse(&wanted).map_err(|error| {
        Failed::Setting(format!(
            "PORTHOLE_LOG={wanted} is not a log filter ({error}); accepted is tracing's syntax, as porthole_client=debug"
        ))
    })?;
    let filter = filter.and(filter_fn(keeps_secrets));
    let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr).log_internal_errors(false);
    let layer = if io::stderr().is_terminal() { layer.boxed() } else { layer.json().flatten_event(true).boxed() };
    tracing_subscriber::registry().with(layer.with_filter(filter)).init();
    Ok(())
}

fn keeps_secrets(line: &Metadata<'_>) -> bool {
    let library = line.target().split("::").next().unwrap_or_default();
    let wire = WIRE_LIBRARIES
        .iter()
        .any(|name| library == *name || library.strip_prefix(name).is_some_and(|rest| rest.starts_with('_')));
    let most = match library {
        MESSAGE_LIBRARY => Level::ERROR,
        _ if wire => Level::INFO,
        _ => Level::TRACE,
    };
    *line.level() <= most
}
