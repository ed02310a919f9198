//! The saved sandboxes: one for each worker, in `sandbox.json`, so that users need not paste tokens. `caller` creates
//! them.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use porthole_client::{CreateResponse, SecretString};
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::private_files::PrivateFiles;

const FILE: &str = "sandbox.json";

/// A token that expires within this time is treated as expired.
const EXPIRY_MARGIN: Duration = Duration::from_secs(10);

/// Every saved sandbox, by its worker's URL.
#[derive(Default, Deserialize, Serialize)]
struct Saved {
    #[serde(default)]
    sandboxes: BTreeMap<String, CreateResponse>,
}

/// The saved sandboxes of the user.
#[derive(Clone, Debug)]
pub(crate) struct SavedSandboxes(PrivateFiles);

impl SavedSandboxes {
    pub(crate) fn new(files: PrivateFiles) -> Self {
        Self(files)
    }

    /// Returns the sandbox of that worker unless its token has expired by `now`.
    pub(crate) fn get(&self, worker: &str, now: OffsetDateTime) -> io::Result<Option<CreateResponse>> {
        let sandbox = self.load()?.sandboxes.remove(worker);
        Ok(sandbox.filter(|sandbox| lives(sandbox, now)))
    }

    /// Saves the sandbox of that worker and removes expired ones.
    pub(crate) fn put(&self, worker: &str, sandbox: &CreateResponse, now: OffsetDateTime) -> io::Result<()> {
        let _lock = self.0.lock()?;
        let mut saved = self.load()?;
        saved.sandboxes.retain(|_, sandbox| lives(sandbox, now));
        saved.sandboxes.insert(worker.to_owned(), sandbox.clone());
        let text = serde_json::to_string_pretty(&saved).map_err(io::Error::other)?;
        self.0.write(FILE, &SecretString::from(text))
    }

    /// Reads the file. An invalid file counts as empty: a new sandbox costs one request.
    fn load(&self) -> io::Result<Saved> {
        let text = self.0.read(FILE)?;
        Ok(text.and_then(|text| serde_json::from_str(text.expose_secret()).ok()).unwrap_or_default())
    }
}

fn lives(sandbox: &CreateResponse, now: OffsetDateTime) -> bool {
    sandbox.owner_token.is_some()
        && OffsetDateTime::parse(&sandbox.expires_at, &Rfc3339).is_ok_and(|end| end > now + EXPIRY_MARGIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sandbox(id: &str, expires_at: &str) -> CreateResponse {
        CreateResponse {
            ok: true,
            sandbox_id: id.to_owned(),
            owner_token: Some(SecretString::from("token")),
            expires_at: expires_at.to_owned(),
        }
    }

    fn at(time: &str) -> OffsetDateTime {
        OffsetDateTime::parse(time, &Rfc3339).unwrap()
    }

    fn saved() -> (tempfile::TempDir, SavedSandboxes) {
        let home = tempfile::tempdir().unwrap();
        let saved = SavedSandboxes::new(PrivateFiles::at(home.path().to_owned()));
        (home, saved)
    }

    #[test]
    fn each_worker_has_its_own_sandbox_until_it_expires() {
        let (_home, saved) = saved();
        let noon = at("2026-11-21T12:00:00Z");
        assert!(saved.get("http://a", noon).unwrap().is_none());
        saved.put("http://a", &sandbox("sb-a", "2026-11-21T13:00:00Z"), noon).unwrap();
        saved.put("http://b", &sandbox("sb-b", "2026-11-21T14:00:00+01:00"), noon).unwrap();
        assert_eq!(saved.get("http://a", noon).unwrap().unwrap().sandbox_id, "sb-a");
        assert_eq!(saved.get("http://b", noon).unwrap().unwrap().sandbox_id, "sb-b");
        assert!(saved.get("http://a", at("2026-11-21T12:59:55Z")).unwrap().is_none());
    }

    #[test]
    fn an_invalid_file_counts_as_empty() {
        let (home, saved) = saved();
        std::fs::write(home.path().join(FILE), "{\"sandboxes\": 7").unwrap();
        let noon = at("2026-11-21T12:00:00Z");
        assert!(saved.get("http://a", noon).unwrap().is_none());
        saved.put("http://a", &sandbox("sb-a", "2026-11-22T12:00:00Z"), noon).unwrap();
        assert!(saved.get("http://a", noon).unwrap().is_some());
    }

    #[test]
    fn concurrent_saves_lose_nothing() {
        let (_home, saved) = saved();
        let noon = at("2026-11-21T12:00:00Z");
        std::thread::scope(|scope| {
            for number in 0..8 {
                let saved = saved.clone();
                scope.spawn(move || {
                    let end = "2026-11-22T12:00:00Z";
                    saved.put(&format!("http://{number}"), &sandbox("sb", end), noon).unwrap();
                });
            }
        });
        assert_eq!(saved.load().unwrap().sandboxes.len(), 8);
    }
}
