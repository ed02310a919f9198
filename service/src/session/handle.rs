//! A session's handle: a name and a right, `ses_` and 59 characters of base64url.
//!
//! Its first 16 characters are the replica's id (6 bytes) and random bytes of the session (6); the rest is their
//! signature by the owner keys, which all replicas share. So without a store any replica can distinguish a forged
//! handle from one of another replica, even if that replica is gone.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use porthole_contract::session::{HANDLE_PREFIX, REPLICA_CHARS};

use crate::owner_token::OwnerKeys;

const REPLICA_BYTES: usize = 6;
const OWN_BYTES: usize = 6;
/// Characters of both, as base64url.
const NAME_CHARS: usize = 16;
/// What handles are signed as.
const PURPOSE: &str = "handle";

/// A replica's id, made at its start. A replica that starts again is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicaId([u8; REPLICA_BYTES]);

/// A session's name in its replica, and the replica's. Displayed, it is the unsigned part of a handle, fit for logs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionId([u8; REPLICA_BYTES + OWN_BYTES]);

/// The system has no randomness to give.
#[derive(Debug, thiserror::Error)]
#[error("no randomness: {0}")]
pub struct NoRandomness(getrandom::Error);

// === impl ReplicaId ===

impl ReplicaId {
    /// Makes an id.
    ///
    /// # Errors
    /// [`NoRandomness`].
    pub fn random() -> Result<Self, NoRandomness> {
        random().map(Self)
    }
}

impl fmt::Display for ReplicaId {
    /// Writes the characters by which its handles begin.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(self.0)[..REPLICA_CHARS])
    }
}

// === impl SessionId ===

impl SessionId {
    /// Makes the id of a new session of this replica.
    ///
    /// # Errors
    /// [`NoRandomness`].
    pub fn random(replica: ReplicaId) -> Result<Self, NoRandomness> {
        let own: [u8; OWN_BYTES] = random()?;
        let mut id = [0; REPLICA_BYTES + OWN_BYTES];
        id[..REPLICA_BYTES].copy_from_slice(&replica.0);
        id[REPLICA_BYTES..].copy_from_slice(&own);
        Ok(Self(id))
    }

    /// The replica that has the session.
    #[must_use]
    pub fn replica(self) -> ReplicaId {
        let mut id = [0; REPLICA_BYTES];
        id.copy_from_slice(&self.0[..REPLICA_BYTES]);
        ReplicaId(id)
    }

    /// Signs the handle.
    ///
    /// # Errors
    /// A fault of the signing library.
    pub fn handle(self, keys: &OwnerKeys) -> Result<String, jsonwebtoken::errors::Error> {
        let name = self.to_string();
        Ok(format!("{HANDLE_PREFIX}{name}{}", keys.seal(PURPOSE, &name)?))
    }

    /// Reads a handle; `None` for one that no replica with these keys has made.
    #[must_use]
    pub fn read(handle: &str, keys: &OwnerKeys) -> Option<Self> {
        let (name, signature) = handle.strip_prefix(HANDLE_PREFIX)?.split_at_checked(NAME_CHARS)?;
        let id = BASE64_URL_SAFE_NO_PAD.decode(name).ok()?.try_into().ok()?;
        keys.has_sealed(PURPOSE, name, signature).then_some(Self(id))
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({self})")
    }
}

fn random<const BYTES: usize>() -> Result<[u8; BYTES], NoRandomness> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(NoRandomness)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use porthole_contract::limits::HANDLE_MAX_CHARS;

    use super::*;

    /// Keys of 32 bytes.
    fn keys(letter: &str) -> OwnerKeys {
        OwnerKeys::parse(&format!("k:{}A", letter.repeat(42)).into()).unwrap()
    }

    #[test]
    fn a_handle_names_its_replica_and_session() {
        let keys = keys("A");
        let replica = ReplicaId::random().unwrap();
        let (one, other) = (SessionId::random(replica).unwrap(), SessionId::random(replica).unwrap());
        assert_ne!(one, other);
        let handle = one.handle(&keys).unwrap();
        assert!(handle.len() <= HANDLE_MAX_CHARS, "{handle}");
        assert!(handle.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)), "{handle}");
        assert!(handle.starts_with(&format!("{HANDLE_PREFIX}{replica}")));
        let read = SessionId::read(&handle, &keys).unwrap();
        assert_eq!((read, read.replica()), (one, replica));
    }

    #[test]
    fn an_edited_or_foreign_handle_is_none() {
        let replica = ReplicaId::random().unwrap();
        let handle = SessionId::random(replica).unwrap().handle(&keys("A")).unwrap();
        assert_eq!(SessionId::read(&handle, &keys("B")), None);
        for at in 0..handle.len() {
            let mut edited = handle.clone().into_bytes();
            edited[at] = if edited[at] == b'A' { b'B' } else { b'A' };
            let edited = String::from_utf8(edited).unwrap();
            // The last character of a signature has two bits without meaning.
            assert!(at + 1 == handle.len() || SessionId::read(&edited, &keys("A")).is_none(), "{edited}");
        }
        for text in ["", "ses_", "ses_é", &handle[..handle.len() - 1], &format!("{handle}A"), &handle[4..]] {
            assert_eq!(SessionId::read(text, &keys("A")), None, "{text}");
        }
    }
}
