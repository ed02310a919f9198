//! Owner keys and tokens, made as a chat backend makes them: with a JWT library and none of our code.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, crypto};
use serde_json::{Value, json};

/// A key that owner tokens are signed with.
#[derive(Clone, Copy, Debug)]
pub struct OwnerKey {
    /// Its id, which is in the token's header.
    pub kid: &'static str,
    /// The key itself.
    pub bytes: &'static [u8],
}

/// The key that signs.
pub const FIRST: OwnerKey = OwnerKey { kid: "k-2026-11", bytes: b"first owner key of the end-to-end tests" };
/// The previous signing key, which still verifies.
pub const SECOND: OwnerKey = OwnerKey { kid: "k-2026-10", bytes: b"second owner key of the end-to-end tests" };
/// A key that the service does not know.
pub const FOREIGN: OwnerKey = OwnerKey { kid: "k-foreign", bytes: b"a key that the service has never been given" };

impl OwnerKey {
    /// Returns the key in the format of `PORTHOLE_OWNER_KEYS`.
    #[must_use]
    pub fn setting(&self) -> String {
        format!("{}:{}", self.kid, URL_SAFE_NO_PAD.encode(self.bytes))
    }

    /// Returns a token of `sandbox_id`, valid for `valid_seconds` from now; expired if negative.
    ///
    /// # Panics
    /// Never: the claims can always be encoded.
    #[must_use]
    pub fn token(&self, sandbox_id: &str, valid_seconds: i64) -> String {
        let header = Header { kid: Some(self.kid.to_owned()), ..Header::new(Algorithm::HS256) };
        let key = EncodingKey::from_secret(self.bytes);
        jsonwebtoken::encode(&header, &claims(sandbox_id, valid_seconds), &key).expect("claims that can be encoded")
    }

    /// Returns a token with exactly this header and these claims, signed with the HMAC `algorithm`.
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

/// Returns the claims of an owner token.
#[must_use]
pub fn claims(sandbox_id: &str, valid_seconds: i64) -> Value {
    let now = now_seconds();
    json!({"iss": "porthole", "sub": sandbox_id, "iat": now.min(now + valid_seconds), "exp": now + valid_seconds})
}

/// Returns a token's first two parts.
#[must_use]
pub fn unsigned(header: &Value, claims: &Value) -> String {
    format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims.to_string()))
}

/// Decodes one part of a token.
///
/// # Panics
/// When it is not JSON in base64url.
#[must_use]
pub fn part(token: &str, index: usize) -> Value {
    let part = token.split('.').nth(index).expect("a token has three parts");
    let json = URL_SAFE_NO_PAD.decode(part).expect("base64url without padding");
    serde_json::from_slice(&json).expect("JSON")
}

/// Returns the Unix time in seconds.
///
/// # Panics
/// Before 1970.
#[must_use]
pub fn now_seconds() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(now.as_secs()).expect("long before the end of time")
}
