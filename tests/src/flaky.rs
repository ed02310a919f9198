//! A browser that fails at chosen starts: a script that fails at some starts and runs the real browser at the others.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Exits with status 1.
pub const EXITS: &str = "exit 1";
/// Ends by a signal, as a crash does.
pub const CRASHES: &str = "kill -s SEGV $$";
/// Runs without output.
pub const HANGS: &str = "exec sleep 1000";
/// Reports that it listens, and exits.
pub const LISTENS_AND_DIES: &str = "echo 'DevTools listening on ws://127.0.0.1:9/devtools/browser/x' >&2; exit 1";
/// Answers the first call on the pipe, `Browser.getVersion` with id 1, and exits.
pub const ANSWERS_AND_DIES: &str = r#"head -c 1 <&3 >/dev/null
printf '{"id":1,"result":{"protocolVersion":"1","product":"x","revision":"x","userAgent":"x","jsVersion":"1"}}\0' >&4
exit 1"#;

/// The script and its folder.
#[derive(Debug)]
pub struct FlakyBrowser {
    folder: TempDir,
    script: PathBuf,
}

impl FlakyBrowser {
    /// Creates a script that runs the shell command `how` at the starts that match `which`, a `case` pattern for their
    /// number from 1, and the browser at `real` at the others.
    ///
    /// # Panics
    /// When the disk is full.
    #[must_use]
    pub fn new(real: &Path, which: &str, how: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("porthole-tests-flaky-").tempdir().expect("a temp folder");
        let name = real.file_name().expect("an executable has a name").to_string_lossy();
        // The service chooses flags by the executable's name.
        let script = folder.path().join(format!("flaky-{name}"));
        // Only one process can create a folder, so that simultaneous starts get different numbers.
        let text = format!(
            "#!/bin/sh\nn=1; while ! mkdir '{}/start-'$n 2>/dev/null; do n=$((n + 1)); done\ncase $n in {which}) {how};; \
             esac\nexec '{}' \"$@\"\n",
            folder.path().display(),
            real.display()
        );
        fs::write(&script, text).expect("a file in the temp folder");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("the file is ours");
        Self { folder, script }
    }

    /// Returns the script's path, for `PORTHOLE_CHROMIUM`.
    ///
    /// # Panics
    /// When the temp folder's name can't be read.
    #[must_use]
    pub fn path(&self) -> &str {
        self.script.to_str().expect("temp folders have readable names")
    }

    /// Returns how often the script was started.
    ///
    /// # Panics
    /// When its folder has been removed.
    #[must_use]
    pub fn starts(&self) -> usize {
        fs::read_dir(self.folder.path()).expect("the folder exists").count() - 1
    }
}
