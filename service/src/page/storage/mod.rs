//! Cookies and local storage of a page's browser context.
//!
//! `cookies` asks the browser. Local storage only a document of its origin can reach: `open` reads it in the frames that
//! are shown, `visitor` in documents of its own, which no site is asked for.

pub(super) mod cookies;
mod open;
mod visitor;

use std::collections::BTreeMap;

use porthole_contract::session::{OriginStorage, StorageEntry};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

pub use self::cookies::set_cookies;
pub use self::open::read_open;
pub use self::visitor::put;
use super::PageError;

/// What all origins may hold together, in bytes: more than a body of `open` takes would be of no use.
const STORED_MAX_BYTES: usize = 1_000_000;
/// What an entry costs beside its name and value.
const ENTRY_BYTES: usize = 24;
/// How many origins a session's state has.
pub const ORIGINS_MAX: usize = 100;

/// `max => {origin, entries: [[name, value]], over} | null`: the local storage of the document's origin; `over` in place
/// of the entries if it has more than `max` characters.
const READ: &str = "max => {
  let entries = [], size = 0;
  try {
    const storage = localStorage;
    for (let at = 0; at < storage.length; at++) {
      const name = storage.key(at), value = storage.getItem(name) ?? '';
      size += name.length + value.length + 24;
      if (size > max) return { origin: self.origin, entries: [], over: true };
      entries.push([name, value]);
    }
    return { origin: self.origin, entries, over: false };
  } catch { return null }
}";
/// `entries => origin | null`: puts entries into the local storage of the document's origin.
const WRITE: &str = "entries => {
  try { for (const [name, value] of entries) localStorage.setItem(name, value) } catch { return null }
  return self.origin;
}";

/// What a document says of its local storage.
#[derive(Deserialize)]
struct Read {
    origin: String,
    entries: Vec<(SecretString, SecretString)>,
    over: bool,
}

/// The local storage of a session's origins, as far as it was read.
#[derive(Debug, Default)]
pub struct Stored {
    origins: BTreeMap<String, Vec<StorageEntry>>,
    bytes: usize,
    left_out: usize,
}

/// Why a session can't begin with a storage state.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StorageError {
    /// The browser refuses the cookies.
    #[error("the browser refuses a cookie: {0}")]
    Cookies(String),
    /// Local storage does not take the entries of an origin.
    #[error("the browser refuses the local storage of {0}")]
    Origin(String),
    /// The page is gone or does not answer.
    #[error(transparent)]
    Page(#[from] PageError),
}

// === impl Stored ===

impl Stored {
    /// Whether this origin was read, or left out.
    #[must_use]
    pub fn has(&self, origin: &str) -> bool {
        self.origins.contains_key(origin)
    }

    /// How many origins are left out, since there was no room or since they gave none in time.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// The origins that have entries.
    #[must_use]
    pub fn into_origins(self) -> Vec<OriginStorage> {
        let filled = self.origins.into_iter().filter(|(_, local_storage)| !local_storage.is_empty());
        filled.map(|(origin, local_storage)| OriginStorage { origin, local_storage }).collect()
    }

    /// How many characters the next origin may have.
    fn room(&self) -> usize {
        STORED_MAX_BYTES.saturating_sub(self.bytes)
    }

    fn add(&mut self, read: Read) {
        let Read { origin, entries, over } = read;
        if self.has(&origin) || self.origins.len() >= ORIGINS_MAX {
            return;
        }
        let bytes: usize = entries
            .iter()
            .map(|(name, value)| name.expose_secret().len() + value.expose_secret().len() + ENTRY_BYTES)
            .sum();
        let entries = if over || bytes > self.room() {
            self.left_out += 1;
            Vec::new()
        } else {
            self.bytes += bytes;
            entries
                .into_iter()
                .map(|(name, value)| StorageEntry { name: name.expose_secret().to_owned(), value })
                .collect()
        };
        self.origins.insert(origin, entries);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(origin: &str, value: &str) -> Read {
        Read { origin: origin.to_owned(), entries: vec![("name".into(), value.into())], over: false }
    }

    #[test]
    fn an_origin_is_read_once_and_all_together_are_bounded() {
        let mut stored = Stored::default();
        stored.add(read("https://a.example", "first"));
        stored.add(read("https://a.example", "second"));
        stored.add(read("https://b.example", &"x".repeat(STORED_MAX_BYTES)));
        stored.add(read("https://c.example", "small"));
        assert_eq!(stored.left_out(), 1);
        let origins = stored.into_origins();
        let values: Vec<_> = origins.iter().map(|origin| origin.local_storage[0].value.expose_secret()).collect();
        assert_eq!(values, ["first", "small"]);
    }
}
