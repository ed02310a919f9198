//! Ties a child process to `up`: on Linux the kernel sends it SIGTERM when `up` ends for any reason.
//!
//! The child itself must set its parent-death signal, between fork and exec. Rust has no safe way to run code there,
//! so `up` starts its own executable, which sets the signal and execs the program. The signal survives exec. The
//! kernel watches the thread that started the child, which is the main thread: the runtime has no other.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use nix::unistd::{Pid, getppid};

/// The first argument of such a start. It is not a subcommand, so help and completions don't show it.
const MARK: &str = "__tied-to";

/// The exit code of a program that could not be started, as in shells.
const EXIT_NOT_STARTED: u8 = 127;

/// Returns a command that runs `program` tied to this process.
pub(super) fn command(program: &OsStr) -> Command {
    if cfg!(target_os = "linux") {
        // The link, not the path: it stays valid when an upgrade replaces the file.
        let mut command = Command::new("/proc/self/exe");
        command.arg(MARK).arg(std::process::id().to_string()).arg(program);
        command
    } else {
        Command::new(program)
    }
}

/// Ties this process and execs the program in the arguments, if they begin with [`MARK`].
pub(crate) fn intercept(mut args: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if args.nth(1)? != MARK {
        return None;
    }
    let parent = args.next().and_then(|id| id.to_str()?.parse().ok()).map(Pid::from_raw);
    let program = args.next()?;
    if let Err(error) = tie(parent) {
        eprintln!("{error}");
        return Some(ExitCode::from(EXIT_NOT_STARTED));
    }
    let error = Command::new(&program).args(args).exec();
    eprintln!("can't start {}: {error}", program.display());
    Some(ExitCode::from(EXIT_NOT_STARTED))
}

fn tie(parent: Option<Pid>) -> Result<(), String> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGTERM)
        .map_err(|error| format!("can't tie to the parent process: {error}"))?;
    // The parent may have ended before the signal was set.
    if Some(getppid()) == parent { Ok(()) } else { Err("the parent process has ended".to_owned()) }
}
