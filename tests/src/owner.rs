//! Owner keys and tokens as a chat backend would make them by itself: with a JWT library and nothing of ours.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, crypto};
use serde_json::{Value, json};

/// A key that owner tokens are signed with.
#[derive(Clone, Copy, Debug)]
pub struct OwnerKey {
    /// Its name, which stands in a token's header.
    pub kid: &'static str,
    /// The key itself.
    pub bytes: &'static [u8],
}

/// The key that signs.
pub const FIRST: OwnerKey = OwnerKey { kid: "k-2026-11", bytes: b"first owner key of the end-to-end tests" };
/// The key that signed before it and still verifies.
pub const SECOND: OwnerKey = OwnerKey { kid: "k-2026-10", bytes: b"second owner key of the end-to-end tests" };
/// A key that the service does not know.
pub const FOREIGN: OwnerKey = OwnerKey { kid: "k-foreign", bytes: b"a key that nobody gave to the service, ever" };

impl OwnerKey {
    /// As it stands in `PORTHOLE_OWNER_KEYS`.
    #[must_use]
    pub fn setting(&self) -> String {
        format!("{}:{}", self.kid, URL_SAFE_NO_PAD.encode(self.bytes))
    }

    /// A token of `sandbox_id`, valid for `valid_seconds` from now (before now, if that is negative).
    ///
    /// # Panics
    /// Never: all of it can be encoded.
    #[must_use]
    pub fn token(&self, sandbox_id: &str, valid_seconds: i64) -> String {
        let header = Header { kid: Some(self.kid.to_owned()), ..Header::new(Algorithm::HS256) };
        let key = EncodingKey::from_secret(self.bytes);
        jsonwebtoken::encode(&header, &claims(sandbox_id, valid_seconds), &key).expect("claims that can be encoded")
    }

    /// A token with these very header and claims, signed with HMAC of `algorithm`.
    ///
    /// # Panics
    /// Never: an HMAC takes any key.
    #[must_use]
    pub fn sign(&self, header: &Value, claims: &Value, algorithm: Algorithm) -> String {
        let message = unsigned(header, claims);
        let key = EncodingKey::from_secret(self.bytes);
        let signature = crypto::sign(message.as_bytes(), &key, algorithm).expect("an HMAC takes any key");
        format!("{message}.{signature}")
    }
}

/// The claims of an owner token.
#[must_use]
pub fn claims(sandbox_id: &str, valid_seconds: i64) -> Value {
    let now = now_seconds();
    json!({"iss": "porthole", "sub": sandbox_id, "iat": now.min(now + valid_seconds), "exp": now + valid_seconds})
}

/// A token's first two parts.
#[must_use]
pub fn unsigned(header: &Value, claims: &Value) -> String {
    format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims.to_string()))
}

/// One part of a token, read.
///
/// # Panics
/// When it is no base64url of JSON.
#[must_use]
pub fn part(token: &str, index: usize) -> Value {
    let part = token.split('.').nth(index).expect("a token has three parts");
    let json = URL_SAFE_NO_PAD.decode(part).expect("base64url without padding");
    serde_json::from_slice(&json).expect("JSON")
}

/// Unix time in seconds.
///
/// # Panics
/// Before 1970.
#[must_use]
pub fn now_seconds() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(now.as_secs()).expect("long before the end of time")
}
