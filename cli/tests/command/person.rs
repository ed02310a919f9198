//! A person who runs the command in their own home directory, and a worker whose requests succeed.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::scripted::{Worker, answer, extract, sandbox, screenshot_answer};

/// A person with their own home directory.
pub(crate) struct Person {
    home: TempDir,
    pub(crate) url: String,
}

impl Person {
    pub(crate) fn at(worker: &Worker) -> Self {
        Self { home: tempfile::tempdir().unwrap(), url: worker.url() }
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_porthole"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PORTHOLE_")) {
            command.env_remove(name);
        }
        command
            .args(args)
            .current_dir(self.home.path())
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path().join("config"))
            .env("PORTHOLE_URL", &self.url)
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(&self.command(args).output().unwrap())
    }

    pub(crate) fn config(&self, name: &str) -> PathBuf {
        self.home.path().join("config/porthole").join(name)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }
}

/// The command's exit code and output.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn failed(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Starts a worker whose requests all succeed; its sandboxes are numbered.
pub(crate) fn willing() -> Worker {
    let mut sandboxes = 0;
    Worker::start(move |seen| {
        if seen.asks_for("/create") {
            sandboxes += 1;
            sandbox(&format!("sb-{sandboxes}"))
        } else if seen.asks_for("/browser-extract") {
            extract("the text")
        } else {
            answer(200, &screenshot_answer())
        }
    })
}
