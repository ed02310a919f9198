//! Owner tokens: JWT with `kid`, HS256 only. Verifying them needs no store, so any replica can do it.

use jsonwebtoken::crypto;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode};
use porthole_contract::limits::KEY_MIN_BYTES;
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

const ISSUER: &str = "porthole";
/// base64url, with or without its padding: keys come from many tools.
const BASE64URL: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The claims of a token.
#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    iat: serde_json::Number,
    exp: serde_json::Number,
}

/// The keys of `PORTHOLE_OWNER_KEYS`: the first signs, all verify, so that keys can be changed without downtime.
pub struct OwnerKeys {
    signing: EncodingKey,
    keys: Vec<OwnerKey>,
}

struct OwnerKey {
    id: String,
    verifying: DecodingKey,
}

/// Why a list of keys is invalid. Never holds a key.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// The list is empty.
    #[error("names no key")]
    Empty,
    /// An entry is not `kid:key`.
    #[error("has an entry that is not kid:key (entry {0})")]
    NoKeyId(usize),
    /// A key is not base64url.
    #[error("has a key that is not base64url (entry {0})")]
    NotBase64(usize),
    /// A key is too short.
    #[error("has a key of less than {KEY_MIN_BYTES} bytes (entry {0})")]
    TooShort(usize),
    /// Two keys have the same id.
    #[error("has the same kid twice (entry {0})")]
    Twice(usize),
}

/// Why a token is refused for this sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// No token was sent.
    #[error("owner_token is missing")]
    Missing,
    /// The token has expired, or none of our keys signed it with HS256.
    #[error("owner_token is not valid or has expired")]
    Invalid,
    /// A valid token of another sandbox.
    #[error("owner_token belongs to another sandbox")]
    OtherSandbox,
}

impl OwnerKeys {
    /// Reads a comma list of `kid:base64url-key`.
    ///
    /// # Errors
    /// [`KeysError`], which names an entry by its position and never holds a key.
    pub fn parse(list: &SecretString) -> Result<Self, KeysError> {
        let mut signing = None;
        let mut keys: Vec<OwnerKey> = Vec::new();
        let entries = list.expose_secret().split(',').map(str::trim).filter(|entry| !entry.is_empty());
        for (place, entry) in (1..).zip(entries) {
            let (id, key) = entry.split_once(':').ok_or(KeysError::NoKeyId(place))?;
            let (id, key) = (id.trim(), key.trim());
            if id.is_empty() {
                return Err(KeysError::NoKeyId(place));
            }
            let key = BASE64URL.decode(key).map_err(|_| KeysError::NotBase64(place))?;
            if key.len() < KEY_MIN_BYTES {
                return Err(KeysError::TooShort(place));
            }
            if keys.iter().any(|other| other.id == id) {
                return Err(KeysError::Twice(place));
            }
            signing.get_or_insert_with(|| EncodingKey::from_secret(&key));
            keys.push(OwnerKey { id: id.to_owned(), verifying: DecodingKey::from_secret(&key) });
        }
        Ok(Self { signing: signing.ok_or(KeysError::Empty)?, keys })
    }

    /// Signs a token for `sandbox_id`; times are unix seconds.
    ///
    /// # Errors
    /// A fault of the signing library.
    pub fn sign(
        &self,
        sandbox_id: &str,
        issued_at: u64,
        expires_at: u64,
    ) -> Result<SecretString, jsonwebtoken::errors::Error> {
        let header = Header { kid: self.keys.first().map(|key| key.id.clone()), ..Header::new(Algorithm::HS256) };
        let claims = Claims {
            iss: ISSUER.to_owned(),
            sub: sandbox_id.to_owned(),
            iat: issued_at.into(),
            exp: expires_at.into(),
        };
        encode(&header, &claims, &self.signing).map(SecretString::from)
    }

    /// Signs claims of another kind as a JWT. They must not have the claims of an owner token.
    ///
    /// # Errors
    /// A fault of the signing library.
    pub fn sign_claims(&self, claims: &impl Serialize) -> Result<SecretString, jsonwebtoken::errors::Error> {
        let header = Header { kid: self.keys.first().map(|key| key.id.clone()), ..Header::new(Algorithm::HS256) };
        encode(&header, claims, &self.signing).map(SecretString::from)
    }

    /// Reads the claims of a JWT that one of the keys signed, `required` among them, and that has not expired.
    #[must_use]
    pub fn verified_claims<C: DeserializeOwned>(&self, token: &SecretString, required: &[&str]) -> Option<C> {
        let token = token.expose_secret();
        let header = decode_header(token).ok()?;
        let key = self.keys.iter().find(|key| header.kid.as_deref() == Some(&key.id))?;
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_required_spec_claims(required);
        validation.leeway = 0;
        validation.validate_nbf = true;
        decode::<C>(token, &key.verifying, &validation).ok().map(|token| token.claims)
    }

    /// Signs a text of ours that callers carry, with the key that signs tokens: 43 characters of base64url. `purpose`
    /// keeps signatures of one kind of text from being used for another, and for tokens.
    ///
    /// # Errors
    /// A fault of the signing library.
    pub fn seal(&self, purpose: &str, text: &str) -> Result<String, jsonwebtoken::errors::Error> {
        crypto::sign(sealed(purpose, text).as_bytes(), &self.signing, Algorithm::HS256)
    }

    /// Returns whether one of the keys signed this text for this purpose.
    #[must_use]
    pub fn has_sealed(&self, purpose: &str, text: &str, signature: &str) -> bool {
        let message = sealed(purpose, text);
        let verified = |key: &OwnerKey| crypto::verify(signature, message.as_bytes(), &key.verifying, Algorithm::HS256);
        self.keys.iter().any(|key| verified(key).unwrap_or_default())
    }

    /// Verifies that `token` is the owner token of `sandbox_id`.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn verify(&self, sandbox_id: &str, token: Option<&SecretString>) -> Result<(), TokenError> {
        let token =
            token.map(|token| token.expose_secret()).filter(|token| !token.is_empty()).ok_or(TokenError::Missing)?;
        let header = decode_header(token).map_err(|_| TokenError::Invalid)?;
        let key = self.keys.iter().find(|key| header.kid.as_deref() == Some(&key.id)).ok_or(TokenError::Invalid)?;
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_required_spec_claims(&["exp", "iss", "sub"]);
        validation.leeway = 0;
        validation.validate_nbf = true;
        let claims = decode::<Claims>(token, &key.verifying, &validation).map_err(|_| TokenError::Invalid)?.claims;
        if claims.sub == sandbox_id { Ok(()) } else { Err(TokenError::OtherSandbox) }
    }
}

/// What is signed. A token's signed part has no colon, so neither can stand for the other.
fn sealed(purpose: &str, text: &str) -> String {
    format!("porthole:{purpose}:{text}")
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    /// 32 bytes each.
    const OLD: &str = "old:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    const NEW: &str = "new:__________________________________________8=";

    fn keys(list: &str) -> OwnerKeys {
        OwnerKeys::parse(&list.into()).unwrap()
    }

    fn now() -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
    }

    #[test]
    fn a_token_is_valid_for_its_sandbox_while_its_key_is_known() {
        let (before, during, after) = (keys(OLD), keys(&format!("{NEW},{OLD}")), keys(NEW));
        let token = before.sign("sb-1", now(), now() + 60).unwrap();
        assert_eq!(during.verify("sb-1", Some(&token)), Ok(()));
        assert_eq!(during.verify("sb-2", Some(&token)), Err(TokenError::OtherSandbox));
        assert_eq!(after.verify("sb-1", Some(&token)), Err(TokenError::Invalid));
        let fresh = during.sign("sb-1", now(), now() + 60).unwrap();
        assert_eq!(after.verify("sb-1", Some(&fresh)), Ok(()), "the first key signs");
    }

    #[test]
    fn expired_missing_and_forged_tokens_are_refused() {
        let keys = keys(OLD);
        let expired = keys.sign("sb-1", now() - 120, now() - 1).unwrap();
        assert_eq!(keys.verify("sb-1", Some(&expired)), Err(TokenError::Invalid));
        assert_eq!(keys.verify("sb-1", None), Err(TokenError::Missing));
        assert_eq!(keys.verify("sb-1", Some(&"".into())), Err(TokenError::Missing));
        // {"alg":"none","kid":"old"} and an otherwise valid body.
        let body = BASE64URL.encode(format!(r#"{{"iss":"porthole","sub":"sb-1","iat":1,"exp":{}}}"#, now() + 60));
        for header in
            [r#"{"alg":"none","kid":"old"}"#, r#"{"alg":"HS256","kid":"old"}"#, r#"{"alg":"HS512","kid":"old"}"#]
        {
            let forged = format!("{}.{}.", BASE64URL.encode(header).trim_end_matches('='), body.trim_end_matches('='));
            assert_eq!(keys.verify("sb-1", Some(&forged.into())), Err(TokenError::Invalid), "{header}");
        }
    }

    #[test]
    fn a_token_signed_another_way_with_the_right_key_is_refused() {
        let keys = keys(OLD);
        let header = Header { kid: Some("old".to_owned()), ..Header::new(Algorithm::HS512) };
        let claims = Claims { iss: ISSUER.to_owned(), sub: "sb-1".to_owned(), iat: 1.into(), exp: (now() + 60).into() };
        let token = encode(&header, &claims, &EncodingKey::from_secret(&[0; 32])).unwrap();
        assert_eq!(keys.verify("sb-1", Some(&token.into())), Err(TokenError::Invalid));
    }

    #[test]
    fn a_sealed_text_is_known_under_its_purpose_while_its_key_is() {
        let (before, during, after) = (keys(OLD), keys(&format!("{NEW},{OLD}")), keys(NEW));
        let signature = before.seal("handle", "text").unwrap();
        assert_eq!(signature.len(), 43);
        assert!(during.has_sealed("handle", "text", &signature));
        assert!(!after.has_sealed("handle", "text", &signature));
        for (purpose, text, signature) in
            [("ticket", "text", signature.as_str()), ("handle", "texts", &signature), ("handle", "text", "")]
        {
            assert!(!during.has_sealed(purpose, text, signature), "{purpose} {text}");
        }
    }

    #[test]
    fn a_wrong_list_is_refused_without_showing_it() {
        for (list, expected) in [
            ("", KeysError::Empty),
            ("justakey", KeysError::NoKeyId(1)),
            (":AAAA", KeysError::NoKeyId(1)),
            ("a:not base64!", KeysError::NotBase64(1)),
            ("a:AAAA", KeysError::TooShort(1)),
            (
                "old:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA,old:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                KeysError::Twice(2),
            ),
        ] {
            assert_eq!(OwnerKeys::parse(&list.into()).err(), Some(expected), "{list}");
        }
    }
}
