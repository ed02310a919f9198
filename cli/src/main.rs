//! The `porthole` command: parses the arguments, runs the named command and turns its result into an exit code.
//! Each command has its own module.

mod args;
mod browser;
mod caller;
mod create;
mod demo;
mod extract;
mod failure;
mod logs;
mod manual;
mod mcp;
mod metrics;
mod objectives;
mod output;
mod picture_file;
mod preview;
mod private_files;
mod progress;
mod report;
mod sandbox;
mod saved_sessions;
mod screenshot;
mod settings;
mod tools;
mod up;

use std::process::ExitCode;

use clap::Parser as _;

use self::args::{Cli, Command};
use self::failure::Failed;

fn main() -> ExitCode {
    if let Some(code) = up::tied::intercept(std::env::args_os()) {
        return code;
    }
    let cli = Cli::try_parse().unwrap_or_else(|error| refuse(&error));
    let json = cli.command.json();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => failed.report(json),
    }
}

/// Ends the process after a command line that can't be parsed, or with the help that it asks for.
fn refuse(error: &clap::Error) -> ! {
    let json = error.use_stderr() && std::env::args_os().any(|argument| argument == "--json");
    let text = error.to_string();
    let sentence = text.lines().next().unwrap_or_default();
    report::answer_if(json, &report::wrong_usage(sentence.trim_start_matches("error: ")));
    error.exit()
}

fn run(cli: Cli) -> Result<(), Failed> {
    match cli.command {
        Command::Completions { shell } => return manual::completions(shell),
        Command::Man => return manual::man(),
        Command::Tools(args) => return tools::definitions(args.format),
        _ => {}
    }
    logs::init()?;
    // The commands mostly wait, so one thread is enough. `up` also relies on a single thread: see `up::tied`.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failed::io("start the runtime", error))?;
    let outcome = runtime.block_on(async {
        let url = cli.url;
        match cli.command {
            Command::RunTool(args) => tools::run(url, args).await,
            Command::Up(args) => up::run(&args).await,
            Command::Demo(args) => demo::run(args).await,
            Command::Create(args) => create::run(url, &args).await,
            Command::Screenshot(args) => screenshot::run(url, *args).await,
            Command::Extract(args) => extract::run(url, *args).await,
            Command::Session(command) => browser::run(url, command).await,
            Command::Mcp(args) => mcp::run(url, &args).await,
            Command::Metrics(args) => metrics::run(&args).await,
            Command::Completions { .. } | Command::Man | Command::Tools(_) => Ok(()),
        }
    });
    // A read of standard input can't be cancelled, and must not be waited for.
    runtime.shutdown_background();
    outcome
}
