//! One Chromium process, in its own process group, driven over a pipe and removed with its profile folder.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use command_fds::{CommandFdExt as _, FdMapping};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};

use crate::profile::Profile;
use crate::stderr_tail::StderrTail;

/// The descriptors that `--remote-debugging-pipe` reads from and writes to.
const BROWSER_READS_FD: i32 = 3;
const BROWSER_WRITES_FD: i32 = 4;

/// The pipe to a browser: JSON messages, each ended by a NUL byte. A browser started with `--remote-debugging-pipe`
/// exits when the pipe closes, so it does not outlive this process, however that ends.
#[derive(Debug)]
pub struct Pipe {
    /// Messages from the browser.
    pub reader: pipe::Receiver,
    /// Messages to the browser.
    pub writer: pipe::Sender,
}

/// A browser's process, the leader of its own process group, and its profile folder. Dropping it kills the group and
/// removes the folder as far as possible without waiting; [`Process::kill`] waits until the processes have ended.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Option<Pid>,
    stderr: StderrTail,
    profile: Option<Profile>,
}

impl Process {
    /// Starts `executable` with these flags and a bare environment; its `HOME` and `TMPDIR` are `profile`. The caller's
    /// flags must name that folder (`--user-data-dir`) and request the pipe (`--remote-debugging-pipe`).
    ///
    /// # Errors
    /// If the process can't be started.
    pub fn start(
        executable: &Path,
        flags: impl IntoIterator<Item = String>,
        profile: Profile,
    ) -> io::Result<(Self, Pipe)> {
        let (writer, theirs_in) = pipe::pipe()?;
        let (theirs_out, reader) = pipe::pipe()?;
        let (theirs_stderr, stderr) = pipe::pipe()?;
        let mut command = Command::new(executable);
        command
            .args(flags)
            // The browser inherits none of our environment and writes only into the folder that is removed with it.
            .env_clear()
            .env("HOME", profile.path())
            .env("TMPDIR", profile.path())
            .env("PATH", "/usr/bin:/bin")
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(theirs_stderr.into_blocking_fd()?)
            .process_group(0)
            .kill_on_drop(true)
            .fd_mappings(vec![
                FdMapping { parent_fd: theirs_in.into_blocking_fd()?, child_fd: BROWSER_READS_FD },
                FdMapping { parent_fd: theirs_out.into_blocking_fd()?, child_fd: BROWSER_WRITES_FD },
            ])
            .map_err(io::Error::other)?;
        give_up_priorities();
        let child = command.spawn()?;
        // The command holds our copies of the browser's ends; while they are open, we would not see a pipe close.
        drop(command);
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        Ok((Self { child, group, stderr: StderrTail::read(stderr)?, profile: Some(profile) }, Pipe { reader, writer }))
    }

    /// Returns the process's id, which is also its group's; 0 if the process ended as soon as it had started.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.group.and_then(|group| u32::try_from(group.as_raw()).ok()).unwrap_or_default()
    }

    /// Returns the tail of its stderr.
    #[must_use]
    pub fn stderr(&self) -> StderrTail {
        self.stderr.clone()
    }

    /// Waits until the process ends by itself. Safe to cancel.
    ///
    /// # Errors
    /// If the system can't wait for the process.
    pub async fn ended(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Kills the process and its children and waits until it has ended. The caller then
    /// [removes](Profile::remove) the profile.
    ///
    /// # Panics
    /// Never: the profile is present until the process is dropped.
    pub async fn kill(mut self) -> Profile {
        self.kill_group();
        drop(self.child.wait().await);
        self.profile.take().expect("a process that has not been dropped has its profile")
    }

    fn kill_group(&mut self) {
        if let Some(group) = self.group.take()
            && let Err(error) = killpg(group, Signal::SIGKILL)
        {
            tracing::debug!(%error, "the browser's process group has already ended");
        }
    }
}

/// Takes from this thread's future children the right to raise priorities, which root has. Chromium would use it to prefer
/// itself to all else on the machine, the service and other browsers included, and for threads of renderers whose priority
/// was lowered. Users other than root never have this right, and this thread doesn't use it.
fn give_up_priorities() {
    // Fails for users that have no right to do so, and those have no such right to give up.
    let _ = remove_capability_from_bounding_set(CapabilitySet::SYS_NICE);
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_group();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Starts a shell in the browser's place, so that these tests need no browser.
    fn shell(script: &str, root: &Path) -> (Process, Pipe, PathBuf) {
        let profile = Profile::create(root).unwrap();
        let path = profile.path().to_owned();
        let flags = ["-c".to_owned(), script.to_owned()];
        let (process, pipe) = Process::start(Path::new("/bin/sh"), flags, profile).unwrap();
        (process, pipe, path)
    }

    fn is_running(pid: &str) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
    }

    #[tokio::test]
    async fn it_can_raise_no_priority() {
        let root = tempfile::tempdir().unwrap();
        let script = "nice -n -1 true 2>&1 | grep -q . && printf 'refused\\0' >&4 || printf 'raised\\0' >&4";
        let (process, mut pipe, _) = shell(script, root.path());
        let mut told = Vec::new();
        pipe.reader.read_to_end(&mut told).await.unwrap();
        assert_eq!(told, b"refused\0");
        drop(process);
    }

    #[tokio::test]
    async fn it_reads_and_writes_the_pipe_and_inherits_none_of_our_environment() {
        let root = tempfile::tempdir().unwrap();
        let script = r#"read -r word <&3; echo "$word ${CARGO_PKG_NAME:-bare} $HOME" >&4"#;
        let (mut process, mut pipe, profile) = shell(script, root.path());
        pipe.writer.write_all(b"hello\n").await.unwrap();
        let mut answer = String::new();
        pipe.reader.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer.trim(), format!("hello bare {}", profile.display()));
        assert!(process.ended().await.unwrap().success());
    }

    #[tokio::test]
    async fn a_child_sees_the_pipe_close() {
        let root = tempfile::tempdir().unwrap();
        let (mut process, pipe, _) = shell("read -r word <&3; exit 7", root.path());
        drop(pipe);
        assert_eq!(process.ended().await.unwrap().code(), Some(7));
    }

    #[tokio::test]
    async fn kill_ends_the_whole_group_and_remove_deletes_the_folder() {
        let root = tempfile::tempdir().unwrap();
        let (process, mut pipe, path) = shell("sleep 1000 & echo $! >&4; touch \"$HOME/file\"; wait", root.path());
        let mut child = [0; 16];
        let read = pipe.reader.read(&mut child).await.unwrap();
        let child = String::from_utf8_lossy(&child[..read]).trim().to_owned();
        assert!(is_running(&child));
        let profile = process.kill().await;
        profile.remove().await;
        assert!(!path.exists());
        while is_running(&child) {
            tokio::task::yield_now().await;
        }
    }
}
