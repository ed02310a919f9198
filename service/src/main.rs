//! `porthole-service`: settings, server, signals. Nothing else.

use std::env;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use porthole_daemon::settings::{Environment, Reader, SettingErrors, command_line, flags};
use porthole_daemon::trace::Export;
use porthole_daemon::{logs, runtime, signals};
use porthole_service::check_url;
use porthole_service::guard::Guard;
use porthole_service::server::Server;
use porthole_service::settings::{self, SETTINGS, Settings};
use tokio::io::{BufReader, stdin, stdout};

const CHECK_URL: &str = "check-url";
const CHECK_URL_HELP: &str = "Reads URLs from arguments or standard input, one a line (bare or as a JSON string), and \
    prints for each `allowed`, `BLOCKED_TARGET`, `INVALID_URL` or `NAVIGATION_FAILED` (its name can't be found), a tab \
    and the reason. Exit code 0 if all are allowed, 1 otherwise.";

fn command() -> Command {
    let check_url = Command::new(CHECK_URL)
        .about("Tells which URLs the guard lets through, and why not")
        .long_about(CHECK_URL_HELP)
        .arg(Arg::new("no-dns").long("no-dns").action(ArgAction::SetTrue).help("Don't resolve names"))
        .arg(Arg::new("urls").value_name("URL").action(ArgAction::Append).help("URLs; none: standard input is read"));
    Command::new("porthole-service")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Porthole's sandbox service: a guarded browser behind owner tokens")
        .args(flags(SETTINGS))
        .subcommand(check_url)
}

fn main() -> ExitCode {
    let matches = match command_line(command(), env::args_os()) {
        Ok(matches) => matches,
        Err(exit) => return exit,
    };
    let environment = Environment::of_process();
    let reader = Reader::new(environment.clone()).with_flags(SETTINGS, &matches);
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    if let Some(matches) = matches.subcommand_matches(CHECK_URL) {
        let exit = runtime.block_on(check_urls(&reader, matches));
        // A look-up that was given up holds its thread until the system's resolver is done: it is not waited for.
        runtime.shutdown_background();
        return exit;
    }
    let (settings, export) = match started(&reader) {
        Ok(started) => started,
        Err(errors) => return errors.exit(),
    };
    environment.warn_of_unknown();
    let exit = runtime.block_on(serve(settings));
    export.end();
    exit
}

fn started(reader: &Reader) -> Result<(Settings, Export), SettingErrors> {
    SettingErrors::collect(|errors| {
        let export = errors.ok(logs::init_with_export(reader, "porthole-service"));
        let settings = errors.all_ok(Settings::read(reader));
        settings.zip(export)
    })
}

async fn serve(settings: Settings) -> ExitCode {
    let shutdown = match signals::drain_on_signals() {
        Ok(shutdown) => shutdown,
        Err(error) => return failed(&error),
    };
    match Server::bind(settings).await {
        Ok(server) => {
            server.run(shutdown).await;
            ExitCode::SUCCESS
        }
        Err(error) => failed(&error),
    }
}

async fn check_urls(reader: &Reader, matches: &ArgMatches) -> ExitCode {
    let policy = match settings::policy(reader) {
        Ok(policy) => policy,
        Err(error) => return error.exit(),
    };
    let urls: Vec<String> = matches.get_many("urls").unwrap_or_default().cloned().collect();
    let dns = !matches.get_flag("no-dns");
    match check_url::run(&Guard::new(policy), urls, BufReader::new(stdin()), stdout(), dns).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => failed(&error),
    }
}

fn failed(error: &dyn std::error::Error) -> ExitCode {
    // Logs may not be set up yet.
    #[expect(clippy::print_stderr, reason = "the last word of a process that can't start")]
    {
        eprintln!("error: {error}");
    }
    ExitCode::FAILURE
}
