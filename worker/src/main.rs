//! The worker's process: settings, listeners, signals. Nothing else.

use std::process::ExitCode;

use clap::Command;
use porthole_daemon::listen::Listener;
use porthole_daemon::settings::{Environment, Reader, SettingErrors};
use porthole_daemon::trace::Export;
use porthole_daemon::{logs, runtime, settings, signals};
use porthole_worker::server::Worker;
use porthole_worker::settings::{SETTINGS, Settings};

fn main() -> ExitCode {
    let command = Command::new("porthole-worker")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Porthole's edge proxy: authenticates callers, adds the credentials, forwards to the sandbox service")
        .args(settings::flags(SETTINGS));
    let matches = match settings::command_line(command, std::env::args_os()) {
        Ok(matches) => matches,
        Err(code) => return code,
    };
    let environment = Environment::of_process();
    let reader = Reader::new(environment.clone()).with_flags(SETTINGS, &matches);
    let (settings, export) = match started(&reader) {
        Ok(started) => started,
        Err(error) => return error.exit(),
    };
    environment.warn_of_unknown();
    let ran = runtime().map_err(Into::into).and_then(|runtime| runtime.block_on(run(settings)));
    export.end();
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "the worker failed to start");
            ExitCode::FAILURE
        }
    }
}

fn started(reader: &Reader) -> Result<(Settings, Export), SettingErrors> {
    SettingErrors::collect(|errors| {
        let settings = errors.all_ok(Settings::read(reader));
        let export = errors.ok(logs::init_with_export(reader, "porthole-worker"));
        settings.zip(export)
    })
}

async fn run(settings: Settings) -> Result<(), Box<dyn std::error::Error>> {
    let shutdown = signals::drain_on_signals()?;
    let main = Listener::bind("main", settings.addr).await?;
    let admin = Listener::bind("admin", settings.admin_addr).await?;
    Worker::new(settings)?.run(main, admin, shutdown).await;
    Ok(())
}
