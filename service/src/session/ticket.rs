//! Tickets for the live view: JWTs that name a session and a role, signed by the owner keys.

use std::time::Duration;

use porthole_contract::session::ViewerRole;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::SessionError;
use crate::owner_token::OwnerKeys;

/// The claims of a ticket. An owner token names its sandbox as `sub`, so that neither can stand for the other.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ticket {
    /// The session's handle.
    pub session: String,
    /// What its holder may do.
    pub role: ViewerRole,
    /// Until when it opens connections, in unix seconds.
    exp: i64,
}

impl Ticket {
    /// A ticket that opens connections for this long, and when it expires.
    pub(super) fn new(session: String, role: ViewerRole, ttl: Duration) -> (Self, OffsetDateTime) {
        let expires_at = OffsetDateTime::now_utc() + ttl;
        // Its claim has whole seconds.
        let expires_at = expires_at.replace_nanosecond(0).unwrap_or(expires_at);
        (Self { session, role, exp: expires_at.unix_timestamp() }, expires_at)
    }

    /// Signs it.
    ///
    /// # Errors
    /// [`SessionError::Handle`] for a fault of the signing library.
    pub(super) fn sign(&self, keys: &OwnerKeys) -> Result<SecretString, SessionError> {
        keys.sign_claims(self).map_err(|error| SessionError::Handle(error.to_string()))
    }

    /// Reads a ticket; `None` for one that was not signed by these keys, was edited, or has expired.
    pub(super) fn read(ticket: &SecretString, keys: &OwnerKeys) -> Option<Self> {
        keys.verified_claims(ticket, &["exp"])
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn keys(letter: &str) -> OwnerKeys {
        OwnerKeys::parse(&format!("k:{}A", letter.repeat(42)).into()).unwrap()
    }

    fn ticket(seconds: i64) -> Ticket {
        let exp = OffsetDateTime::now_utc().unix_timestamp() + seconds;
        Ticket { session: "ses_1".to_owned(), role: ViewerRole::Control, exp }
    }

    #[test]
    fn a_ticket_names_its_session_and_role() {
        let (ticket, expires_at) = Ticket::new("ses_1".to_owned(), ViewerRole::Control, Duration::from_secs(30));
        assert_eq!(ticket.exp, expires_at.unix_timestamp());
        let signed = ticket.sign(&keys("A")).unwrap();
        let read = Ticket::read(&signed, &keys("A")).unwrap();
        assert_eq!((read.session.as_str(), read.role), ("ses_1", ViewerRole::Control));
    }

    #[test]
    fn edited_expired_and_foreign_tickets_are_none() {
        let signed = ticket(30).sign(&keys("A")).unwrap();
        assert!(Ticket::read(&signed, &keys("B")).is_none());
        assert!(Ticket::read(&ticket(-1).sign(&keys("A")).unwrap(), &keys("A")).is_none());
        let text = signed.expose_secret();
        let dots: Vec<usize> = text.match_indices('.').map(|(at, _)| at).collect();
        for at in [0, dots[0] + 5, dots[1] + 3] {
            let mut edited = text.as_bytes().to_vec();
            edited[at] = if edited[at] == b'A' { b'B' } else { b'A' };
            assert!(Ticket::read(&String::from_utf8(edited).unwrap().into(), &keys("A")).is_none(), "byte {at}");
        }
        let unsigned = format!("{}.", &text[..dots[1]]);
        assert!(Ticket::read(&unsigned.into(), &keys("A")).is_none());
    }

    #[test]
    fn a_ticket_is_no_owner_token_and_an_owner_token_no_ticket() {
        let keys = keys("A");
        let signed = ticket(30).sign(&keys).unwrap();
        assert!(keys.verify("sb-1", Some(&signed)).is_err());
        let expires_at = u64::try_from(OffsetDateTime::now_utc().unix_timestamp()).unwrap() + 60;
        let token = keys.sign("sb-1", expires_at - 60, expires_at).unwrap();
        assert!(Ticket::read(&token, &keys).is_none());
    }
}
