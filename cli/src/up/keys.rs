//! The keys of the two processes: created on the first start, saved in `keys.json`, passed on by the environment.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use porthole_contract::limits::KEY_MIN_BYTES;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::json;

use crate::failure::Failed;
use crate::private_files::PrivateFiles;

const FILE: &str = "keys.json";

/// The two secrets, in the format of `PORTHOLE_OWNER_KEYS` and `PORTHOLE_SERVICE_KEY`.
#[derive(Deserialize)]
pub(super) struct Keys {
    pub(super) owner_keys: SecretString,
    pub(super) service_key: SecretString,
}

impl Keys {
    /// Returns new keys, saved nowhere.
    pub(super) fn fresh() -> Result<Self, Failed> {
        let owner_keys = format!("up-{}:{}", random(4)?, random(KEY_MIN_BYTES)?).into();
        Ok(Self { owner_keys, service_key: random_key()? })
    }

    /// Reads the saved keys, or creates new ones. An invalid file is never replaced: tokens signed with its key would
    /// become invalid.
    pub(super) fn load_or_make(files: &PrivateFiles) -> Result<Self, Failed> {
        let path = files.path(FILE);
        let failed = |error| Failed::io(format!("keep the keys in {}", path.display()), error);
        let mut text = files.read(FILE).map_err(failed)?;
        if text.is_none() {
            // When two first starts race, one file wins and both read it.
            files.write_new(FILE, &new_keys()?).map_err(failed)?;
            text = files.read(FILE).map_err(failed)?;
        }
        text.and_then(|text| serde_json::from_str(text.expose_secret()).ok()).ok_or_else(|| Failed::Up {
            sentence: format!(
                "{} does not hold owner_keys and service_key; repair it, or remove it to create new keys, which \
                 invalidates owner tokens signed with the old one",
                path.display()
            ),
            setting: false,
        })
    }
}

fn new_keys() -> Result<SecretString, Failed> {
    let keys = Keys::fresh()?;
    let keys = json!({"owner_keys": keys.owner_keys.expose_secret(), "service_key": keys.service_key.expose_secret()});
    Ok(SecretString::from(keys.to_string()))
}

/// Returns a new key, in visible ASCII characters.
pub(super) fn random_key() -> Result<SecretString, Failed> {
    random(KEY_MIN_BYTES).map(SecretString::from)
}

fn random(bytes: usize) -> Result<String, Failed> {
    let mut key = vec![0; bytes];
    getrandom::fill(&mut key).map_err(|error| Failed::io("make keys", error.into()))?;
    Ok(URL_SAFE_NO_PAD.encode(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_created_once_and_saved() {
        let home = tempfile::tempdir().unwrap();
        let files = PrivateFiles::at(home.path().to_owned());
        let made = Keys::load_or_make(&files).unwrap();
        let kept = Keys::load_or_make(&files).unwrap();
        assert_eq!(made.owner_keys.expose_secret(), kept.owner_keys.expose_secret());
        let (kid, key) = made.owner_keys.expose_secret().split_once(':').unwrap();
        assert!(kid.starts_with("up-"));
        assert_eq!(URL_SAFE_NO_PAD.decode(key).unwrap().len(), 32);
        assert!(made.service_key.expose_secret().len() >= 32);
        assert_ne!(key, made.service_key.expose_secret());
    }

    #[test]
    fn an_invalid_file_is_reported_and_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        let files = PrivateFiles::at(home.path().to_owned());
        std::fs::write(files.path(FILE), "{}").unwrap();
        let sentence = Keys::load_or_make(&files).err().unwrap().to_string();
        assert!(sentence.contains("keys.json"), "{sentence}");
        assert_eq!(std::fs::read_to_string(files.path(FILE)).unwrap(), "{}");
    }
}
