//! A browser whose starts fail as a test wants them to: a script that fails at some starts and is the real browser at
//! the others.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Exits with a status.
pub const EXITS: &str = "exit 1";
/// Ends by a signal, as a crash does.
pub const CRASHES: &str = "kill -s SEGV $$";
/// Runs and says nothing.
pub const HANGS: &str = "exec sleep 1000";
/// Says that it listens, and ends.
pub const LISTENS_AND_DIES: &str = "echo 'DevTools listening on ws://127.0.0.1:9/devtools/browser/x' >&2; exit 1";
/// Answers the first call that comes over the pipe, and ends. The call is `Browser.getVersion`, as number 1.
pub const ANSWERS_AND_DIES: &str = r#"head -c 1 <&3 >/dev/null
printf '{"id":1,"result":{"protocolVersion":"1","product":"x","revision":"x","userAgent":"x","jsVersion":"1"}}\0' >&4
exit 1"#;

/// The script and the folder that it lives in.
#[derive(Debug)]
pub struct FlakyBrowser {
    folder: TempDir,
    script: PathBuf,
}

impl FlakyBrowser {
    /// One that does `how` (shell) at the starts that `which` (a pattern of `case`) names: the first is 1. At the others
    /// it is the browser at `real`.
    ///
    /// # Panics
    /// When the disk is full.
    #[must_use]
    pub fn new(real: &Path, which: &str, how: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("porthole-tests-flaky-").tempdir().expect("a temp folder");
        let name = real.file_name().expect("an executable has a name").to_string_lossy();
        // What the browser is told depends on its name.
        let script = folder.path().join(format!("flaky-{name}"));
        // A folder is made by one process only, so that starts at the same time have different numbers.
        let text = format!(
            "#!/bin/sh\nn=1; while ! mkdir '{}/start-'$n 2>/dev/null; do n=$((n + 1)); done\ncase $n in {which}) {how};; \
             esac\nexec '{}' \"$@\"\n",
            folder.path().display(),
            real.display()
        );
        fs::write(&script, text).expect("a file in it");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("our own file");
        Self { folder, script }
    }

    /// For `PORTHOLE_CHROMIUM`.
    ///
    /// # Panics
    /// When the temp folder's name can't be read.
    #[must_use]
    pub fn path(&self) -> &str {
        self.script.to_str().expect("temp folders have readable names")
    }

    /// How often it was started.
    ///
    /// # Panics
    /// When its folder is gone.
    #[must_use]
    pub fn starts(&self) -> usize {
        fs::read_dir(self.folder.path()).expect("its folder").count() - 1
    }
}
