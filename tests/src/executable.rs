//! Finds the workspace's executables beside the test, and refuses those that are older than their sources.
//!
//! `cargo test` with `-p` or `--test` compiles the tests but not the executables that the tests start. Cargo writes
//! the paths of an executable's sources into a `.d` file beside it; a source that was modified later makes it stale, by
//! the same comparison of times as in Cargo. The tests can't build them: Cargo would resolve other features for a build
//! within a test run, and compile the dependencies again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use thiserror::Error;

/// `make build` touches this file beside the executables after building all of them.
const BUILT: &str = ".built";
/// The workspace's root folder.
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Why an executable can't be tested.
#[derive(Debug, Error)]
pub enum Refused {
    /// It has not been built.
    #[error("{} is missing", .0.display())]
    Missing(PathBuf),
    /// The `.d` file lists no sources.
    #[error("{} does not name the executable's sources", .0.display())]
    NoSources(PathBuf),
    /// A source or manifest was modified after the executable was built, or has been removed.
    #[error("{} is stale: {} was changed after it was built", .executable.display(), .source_file.display())]
    Stale {
        /// The executable.
        executable: PathBuf,
        /// The first source that is newer or missing.
        source_file: PathBuf,
    },
    /// A file can't be read.
    #[error("{}: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
}

/// Returns the path of the executable of that name, beside the test.
///
/// # Panics
/// When it has not been built, or is stale.
#[must_use]
pub fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own executable");
    // Tests are in target/<profile>/deps, examples in target/<profile>/examples.
    let folder = test.parent().and_then(Path::parent).expect("a test is in target/<profile>/deps");
    fresh(&folder.join(name), Path::new(WORKSPACE)).unwrap_or_else(|refused| panic!("{refused}: run `make build`"))
}

/// Returns the path of the example of that name, beside the test.
///
/// # Panics
/// When it has not been built, or is stale.
#[must_use]
pub fn example(name: &str) -> PathBuf {
    binary(&format!("examples/{name}"))
}

/// Returns the executable if no source or manifest was modified after it was built.
///
/// # Errors
/// The reason for refusing it.
pub fn fresh(executable: &Path, workspace: &Path) -> Result<PathBuf, Refused> {
    let stale = |source_file| Refused::Stale { executable: executable.to_owned(), source_file };
    let built = match modified(executable) {
        Err(Refused::Unreadable { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Refused::Missing(executable.to_owned()));
        }
        built => built?,
    };
    let list = executable.with_extension("d");
    let text = fs::read_to_string(&list).map_err(|error| Refused::Unreadable { path: list.clone(), error })?;
    let sources = sources(&text);
    if sources.is_empty() {
        return Err(Refused::NoSources(list));
    }
    for source in sources {
        if !modified(&source).is_ok_and(|changed| changed <= built) {
            return Err(stale(source));
        }
    }
    // A changed manifest may leave this executable unchanged, so that it keeps its old time.
    let all_built = modified(&executable.with_file_name(BUILT)).map_or(built, |all_built| all_built.max(built));
    for manifest in manifests(workspace)? {
        if modified(&manifest)? > all_built {
            return Err(stale(manifest));
        }
    }
    Ok(executable.to_owned())
}

/// Parses the paths in a `.d` file: one rule in `make` syntax, blanks in paths escaped by a backslash.
fn sources(list: &str) -> Vec<PathBuf> {
    let rule = list.lines().find_map(|line| line.split_once(": ")).map_or("", |(_, sources)| sources);
    let (mut paths, mut path, mut characters) = (Vec::new(), String::new(), rule.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => path.extend(characters.next()),
            ' ' => paths.push(std::mem::take(&mut path)),
            other => path.push(other),
        }
    }
    paths.push(path);
    paths.into_iter().filter(|path| !path.is_empty()).map(PathBuf::from).collect()
}

/// Returns the lock file and the manifests of the workspace and its members.
fn manifests(workspace: &Path) -> Result<Vec<PathBuf>, Refused> {
    let unreadable = |error| Refused::Unreadable { path: workspace.to_owned(), error };
    let mut manifests = vec![workspace.join("Cargo.lock"), workspace.join("Cargo.toml")];
    for entry in fs::read_dir(workspace).map_err(unreadable)? {
        let manifest = entry.map_err(unreadable)?.path().join("Cargo.toml");
        if manifest.is_file() {
            manifests.push(manifest);
        }
    }
    Ok(manifests)
}

fn modified(path: &Path) -> Result<SystemTime, Refused> {
    fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .map_err(|error| Refused::Unreadable { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use super::*;

    /// A workspace with one member, one source file and an executable built from it, each written a minute after the
    /// previous one.
    struct Built(tempfile::TempDir);

    impl Built {
        fn new() -> Self {
            let built = Self(tempfile::tempdir().unwrap());
            let sources = format!("{}: {}\n", built.path("program").display(), built.escaped("member/a source.rs"));
            for (minute, (name, text)) in [
                ("Cargo.lock", ""),
                ("Cargo.toml", ""),
                ("member/Cargo.toml", ""),
                ("member/a source.rs", ""),
                ("program.d", sources.as_str()),
                ("program", ""),
            ]
            .into_iter()
            .enumerate()
            {
                built.write(name, text, u64::try_from(minute).unwrap());
            }
            built
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn escaped(&self, name: &str) -> String {
            self.path(name).to_str().unwrap().replace(' ', "\\ ")
        }

        fn write(&self, name: &str, text: &str, minute: u64) {
            let path = self.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(minute * 60);
            File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
        }

        fn fresh(&self) -> Result<PathBuf, Refused> {
            fresh(&self.path("program"), self.0.path())
        }

        fn expect_stale_because_of(&self, name: &str) {
            let refused = self.fresh().unwrap_err();
            assert!(
                matches!(&refused, Refused::Stale { source_file, .. } if *source_file == self.path(name)),
                "{refused}"
            );
        }
    }

    #[test]
    fn an_executable_newer_than_its_sources_is_accepted() {
        let built = Built::new();
        assert_eq!(built.fresh().unwrap(), built.path("program"));
    }

    #[test]
    fn an_executable_older_than_a_source_is_refused() {
        let built = Built::new();
        built.write("member/a source.rs", "changed", 6);
        built.expect_stale_because_of("member/a source.rs");
    }

    #[test]
    fn an_executable_with_a_missing_source_is_refused() {
        let built = Built::new();
        fs::remove_file(built.path("member/a source.rs")).unwrap();
        built.expect_stale_because_of("member/a source.rs");
    }

    #[test]
    fn a_changed_manifest_makes_executables_stale_until_all_are_built() {
        for name in ["Cargo.lock", "Cargo.toml", "member/Cargo.toml"] {
            let built = Built::new();
            built.write(name, "changed", 6);
            built.expect_stale_because_of(name);
            built.write(BUILT, "", 7);
            built.fresh().unwrap();
            // A newer source still makes it stale.
            built.write("member/a source.rs", "changed", 6);
            built.expect_stale_because_of("member/a source.rs");
        }
    }

    #[test]
    fn an_executable_that_is_missing_or_has_no_list_of_sources_is_refused() {
        let built = Built::new();
        built.write("program.d", "", 4);
        assert!(matches!(built.fresh(), Err(Refused::NoSources(_))));
        fs::remove_file(built.path("program.d")).unwrap();
        assert!(matches!(built.fresh(), Err(Refused::Unreadable { .. })));
        fs::remove_file(built.path("program")).unwrap();
        assert!(matches!(built.fresh(), Err(Refused::Missing(_))));
    }
}
