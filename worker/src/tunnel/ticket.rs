//! Reads the session from a ticket without verifying it: the worker has no key for that. The service verifies it.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

#[derive(Deserialize)]
struct Claims {
    session: String,
}

/// The handle that a ticket (a JWT) names; `None` for what is no ticket.
pub(super) fn session_of(ticket: &SecretString) -> Option<String> {
    let mut parts = ticket.expose_secret().split('.');
    let (_header, claims, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
    serde_json::from_slice(&claims).ok().map(|Claims { session }| session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handle_is_read_from_the_claims() {
        let claims = BASE64_URL_SAFE_NO_PAD.encode(r#"{"iss":"porthole","session":"ses_abc","role":"view","exp":1}"#);
        assert_eq!(session_of(&format!("h.{claims}.s").into()).as_deref(), Some("ses_abc"));
        let unnamed = BASE64_URL_SAFE_NO_PAD.encode(r#"{"sub":"sb-1"}"#);
        for text in [String::new(), "a.b.c".into(), claims.clone(), format!("h.{claims}"), format!("h.{unnamed}.s")] {
            assert_eq!(session_of(&text.as_str().into()), None, "{text}");
        }
        assert_eq!(session_of(&format!("h.{claims}.s.more").into()), None);
    }
}
