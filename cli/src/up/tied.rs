//! Tying a process to the life of `up`: on Linux it gets SIGTERM from the kernel when `up` ends, however that was.
//!
//! The wish has to be made by the process itself, between its start and its program. Rust has no safe way to run code
//! there, so this program is started again, makes the wish, and becomes the other program. The wish outlives that
//! step. The kernel watches the thread that started the process, which is the main one: the runtime has no other.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use nix::unistd::{Pid, getppid};

/// The first argument of a start that only ties. Not a command, so it is in no help and no completion.
const MARK: &str = "__tied-to";

/// The exit code of a program that could not be started, as shells have it.
const EXIT_NOT_STARTED: u8 = 127;

/// A command that runs `program` tied to this process.
pub(super) fn command(program: &OsStr) -> Command {
    if cfg!(target_os = "linux") {
        // The link, not the path: it holds while an upgrade replaces the file.
        let mut command = Command::new("/proc/self/exe");
        command.arg(MARK).arg(std::process::id().to_string()).arg(program);
        command
    } else {
        Command::new(program)
    }
}

/// Becomes the program that the arguments name, if this start is one that only ties.
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
    // It may have ended before the wish was made.
    if Some(getppid()) == parent { Ok(()) } else { Err("the parent process has ended".to_owned()) }
}
