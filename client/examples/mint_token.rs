//! Mints an owner token and prints it: `mint_token SANDBOX_ID`.
//!
//! A chat backend that has the owner key can do this without a request to the worker. `PORTHOLE_OWNER_KEYS` is the
//! service's own setting, a comma-separated list of `kid:base64url-key`; the first key signs.

use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::json;

const VALID_SECONDS: u64 = 3600;

fn main() -> Result<(), Box<dyn Error>> {
    let sandbox_id = std::env::args().nth(1).ok_or("usage: mint_token SANDBOX_ID")?;
    let keys = std::env::var("PORTHOLE_OWNER_KEYS").map_err(|_| "PORTHOLE_OWNER_KEYS is not set")?;
    let first = keys.split(',').next().unwrap_or_default();
    let (kid, key) = first.split_once(':').ok_or("PORTHOLE_OWNER_KEYS must be kid:base64url-key")?;
    let key = EncodingKey::from_secret(&URL_SAFE_NO_PAD.decode(key.trim_end_matches('='))?);

    let header = Header { kid: Some(kid.trim().to_owned()), ..Header::new(Algorithm::HS256) };
    let issued_at = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let claims = json!({"iss": "porthole", "sub": sandbox_id, "iat": issued_at, "exp": issued_at + VALID_SECONDS});
    println!("{}", encode(&header, &claims, &key)?);
    Ok(())
}
