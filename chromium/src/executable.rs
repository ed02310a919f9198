//! Finds the browser's executable.

use std::env;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Names looked for in `PATH`, best first: the headless shell makes five times as many screenshots a second as the full
/// browser in its new headless mode.
const NAMES: [&str; 4] = ["chromium-headless-shell", "chrome-headless-shell", "chromium", "google-chrome"];

/// Where Debian keeps the programs behind its wrapper scripts. The scripts don't `exec`, so a signal sent to them would
/// not reach the browser.
const DEBIAN_PROGRAMS: &str = "/usr/lib/chromium";

/// Why no executable was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecutableError {
    /// None of the known names is in `PATH`.
    #[error("no Chromium was found (looked for {}): install chromium-headless-shell or set PORTHOLE_CHROMIUM", NAMES.join(", "))]
    NotFound,
    /// The given path is not an executable file.
    #[error("{0} is not an executable file")]
    NotExecutable(PathBuf),
}

/// Returns the executable at `given`, or the first of the known names in `PATH`.
///
/// # Errors
/// [`ExecutableError`] if there is none.
pub fn find_executable(given: Option<&Path>) -> Result<PathBuf, ExecutableError> {
    if let Some(given) = given {
        return if is_executable(given) {
            Ok(program_behind_script(given))
        } else {
            Err(ExecutableError::NotExecutable(given.to_owned()))
        };
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|candidate| is_executable(candidate))
        .map(|found| program_behind_script(&found))
        .ok_or(ExecutableError::NotFound)
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Returns the program that one of Debian's wrapper scripts starts; any other path unchanged.
fn program_behind_script(found: &Path) -> PathBuf {
    let in_usr_bin =
        found.parent().is_some_and(|folder| folder == Path::new("/usr/bin") || folder == Path::new("/bin"));
    match found.file_name() {
        Some(name) if in_usr_bin && is_executable(&Path::new(DEBIAN_PROGRAMS).join(name)) => {
            Path::new(DEBIAN_PROGRAMS).join(name)
        }
        _ => found.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_path_must_be_an_executable_file() {
        let here = env::current_exe().unwrap();
        assert_eq!(find_executable(Some(&here)), Ok(here));
        for wrong in ["/etc/passwd", "/nowhere/at/all", "/tmp"] {
            let error = find_executable(Some(Path::new(wrong))).unwrap_err();
            assert!(error.to_string().contains(wrong), "{error}");
        }
    }
}
