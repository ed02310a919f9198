//! Warnings as they are on the wire.

use porthole_service::page::interact::{Acted, Located};

/// The warning of an action after which nothing changed.
pub(crate) const NO_CHANGE: &str = "no_change: nothing on the page changed";

/// What comes with warnings.
pub(crate) trait Warned {
    /// Its warnings, as texts.
    fn warned(&self) -> Vec<String>;
}

impl Warned for Acted {
    fn warned(&self) -> Vec<String> {
        self.warnings.iter().map(ToString::to_string).collect()
    }
}

impl Warned for Located {
    fn warned(&self) -> Vec<String> {
        self.warnings.iter().map(ToString::to_string).collect()
    }
}
