//! Finds the two executables: beside this one, then in `PATH`.

use std::env;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::failure::Failed;

pub(super) const SERVICE: &str = "porthole-service";
pub(super) const WORKER: &str = "porthole-worker";

/// The paths of the two executables.
pub(super) struct Executables {
    pub(super) service: PathBuf,
    pub(super) worker: PathBuf,
}

/// Finds both executables.
pub(super) fn find() -> Result<Executables, Failed> {
    let beside = env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
    let path = env::var_os("PATH").unwrap_or_default();
    // An empty entry means the working directory, which may hold files of other users.
    let on_path = env::split_paths(&path).filter(|directory| directory.is_absolute());
    let directories: Vec<PathBuf> = beside.into_iter().chain(on_path).collect();
    Ok(Executables { service: find_in(&directories, SERVICE)?, worker: find_in(&directories, WORKER)? })
}

fn find_in(directories: &[PathBuf], name: &str) -> Result<PathBuf, Failed> {
    directories.iter().map(|directory| directory.join(name)).find(|path| is_executable(path)).ok_or_else(|| {
        let beside = directories.first().map(|path| path.display().to_string()).unwrap_or_default();
        Failed::Up {
            sentence: format!(
                "{name} is neither beside this program ({beside}) nor in PATH; build it with `cargo build -p {name}`, \
                 or install it there"
            ),
            setting: false,
        }
    })
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    #[test]
    fn the_first_executable_file_of_that_name_is_found() {
        let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let directories: Vec<_> = places.iter().map(|place| place.path().to_owned()).collect();
        let missing = find_in(&directories, SERVICE).unwrap_err().to_string();
        assert!(missing.contains(SERVICE) && missing.contains("PATH"), "{missing}");

        fs::create_dir(directories[0].join(SERVICE)).unwrap();
        for directory in &directories[1..] {
            fs::write(directory.join(SERVICE), "").unwrap();
        }
        fs::set_permissions(directories[1].join(SERVICE), Permissions::from_mode(0o644)).unwrap();
        fs::set_permissions(directories[2].join(SERVICE), Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find_in(&directories, SERVICE).unwrap(), directories[2].join(SERVICE));
    }
}
