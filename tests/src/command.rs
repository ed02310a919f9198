//! Runs a command that ends by itself, with arguments and input; returns its exit code and output.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::executable::binary;
use crate::process::Environment;

/// Longer than the client's own limit for one attempt: a command that reaches it has hung.
const ENDED_WITHIN: Duration = Duration::from_secs(100);

/// The result of a command.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: String,
}

impl Finished {
    /// Returns standard output as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Asserts the exit code; returns standard output as text.
    ///
    /// # Panics
    /// When the exit code differs.
    #[track_caller]
    pub fn expect_code(&self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}\n{}", self.text(), self.stderr);
        self.text()
    }
}

/// Runs one of the workspace's executables with exactly this environment until it ends.
///
/// # Panics
/// When it can't be started or does not end.
pub async fn run(name: &str, arguments: &[&str], environment: &Environment, input: &[u8]) -> Finished {
    let program = binary(name);
    run_program(Command::new(program).args(arguments), environment, input).await
}

/// Runs a program from outside the workspace in the same way.
///
/// # Panics
/// When it can't be started or does not end.
pub async fn run_foreign(program: &Path, arguments: &[&str], environment: &Environment) -> Finished {
    run_program(Command::new(program).args(arguments), environment, b"").await
}

/// Runs a shell command line in the same way.
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
    // Errors are ignored: a command may end without reading all of its input.
    tokio::spawn(async move { stdin.write_all(&input).await });
    let ended = tokio::time::timeout(ENDED_WITHIN, child.wait_with_output()).await;
    let output = ended.expect("the command ends in time").expect("a child can be waited for");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Finished { code: output.status.code(), stdout: output.stdout, stderr }
}
