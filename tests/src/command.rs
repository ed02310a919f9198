//! A command that ends by itself: given arguments and input, taken by its exit code and output.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::executable::binary;
use crate::process::Environment;

/// Longer than the client's own limit for one attempt: a command that runs into it has hung.
const ENDED_WITHIN: Duration = Duration::from_secs(100);

/// What a command did.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: String,
}

impl Finished {
    /// Standard output as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Asserts how it ended, and gives standard output as text.
    ///
    /// # Panics
    /// When it ended otherwise.
    #[track_caller]
    pub fn expect_code(&self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}\n{}", self.text(), self.stderr);
        self.text()
    }
}

/// Runs one of the workspace's executables in this environment and nothing else, until it ends.
///
/// # Panics
/// When it can't be started or does not end.
pub async fn run(name: &str, arguments: &[&str], environment: &Environment, input: &[u8]) -> Finished {
    let program = binary(name);
    run_program(Command::new(program).args(arguments), environment, input).await
}

/// Runs a program that is not one of the workspace's executables likewise.
///
/// # Panics
/// When it can't be started or does not end.
pub async fn run_foreign(program: &Path, arguments: &[&str], environment: &Environment) -> Finished {
    run_program(Command::new(program).args(arguments), environment, b"").await
}

/// Runs a line of shell likewise.
///
/// # Panics
/// When it can't be started or does not end.
pub async fn run_shell(line: &str, environment: &Environment) -> Finished {
    run_program(Command::new("/bin/sh").args(["-c", line]), environment, b"").await
}

async fn run_program(command: &mut Command, environment: &Environment, input: &[u8]) -> Finished {
    let folder = environment.get("HOME").map_or("/", String::as_str);
    let mut child = command
        .env_clear()
        .envs(environment)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("an executable that starts");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let input = input.to_vec();
    // A command may end without having read all of it.
    tokio::spawn(async move { stdin.write_all(&input).await });
    let ended = tokio::time::timeout(ENDED_WITHIN, child.wait_with_output()).await;
    let output = ended.expect("the command still runs").expect("a child can be waited for");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Finished { code: output.status.code(), stdout: output.stdout, stderr }
}
