//! `porthole-emulator`: settings, server, signals. Nothing else.

use std::io::Write as _;
use std::process::ExitCode;

use porthole_daemon::settings::{Environment, Reader, SettingErrors, command_line};
use porthole_daemon::{logs, signals};
use porthole_emulator::server::Server;
use porthole_emulator::settings::{SETTINGS, Settings, command};

fn main() -> ExitCode {
    let matches = match command_line(command(), std::env::args_os()) {
        Ok(matches) => matches,
        Err(exit) => return exit,
    };
    let environment = Environment::of_process();
    let reader = Reader::new(environment.clone()).with_flags(SETTINGS, &matches);
    let settings = match started(&reader) {
        Ok(settings) => settings,
        Err(error) => return error.exit(),
    };
    environment.warn_of_unknown();
    match run(settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(error = logs::with_causes(error.as_ref()), "the emulator failed to start");
            ExitCode::FAILURE
        }
    }
}

fn started(reader: &Reader) -> Result<Settings, SettingErrors> {
    SettingErrors::collect(|errors| {
        let settings = errors.all_ok(Settings::read(reader));
        errors.ok(logs::init(reader));
        settings
    })
}

#[tokio::main]
async fn run(settings: Settings) -> Result<(), Box<dyn std::error::Error>> {
    let shutdown = signals::shutdown_on_signals()?;
    let server = Server::bind(settings).await?;
    print(&server.way_in());
    let ledger = server.run(shutdown).await;
    print(&ledger);
    Ok(())
}

/// Writes to standard output, and ignores errors: its reader may be gone.
fn print(text: &str) {
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
