//! The request body for the service: the caller's, parsed and re-serialised, with the operator's credentials or none.
//!
//! The caller's bytes are never passed on, so that worker and service can't parse them differently.

use porthole_contract::StrictObject;
use secrecy::ExposeSecret as _;
use serde_json::Value;

use crate::settings::Browserbase;

const API_KEY: &str = "browserbase_api_key";
const PROJECT_ID: &str = "browserbase_project_id";

const SESSION: &str = "session";

/// Returns the handle of the session that a body names. One of another type than text is for the service to refuse.
pub(crate) fn session_of(object: &StrictObject) -> Option<&str> {
    object.0.get(SESSION)?.as_str()
}

/// Puts the operator's credentials in place of the caller's, or removes these if the operator has none.
pub(crate) fn put_credentials(object: &mut StrictObject, credentials: Option<&Browserbase>) {
    for (field, secret) in [
        (API_KEY, credentials.map(|credentials| &credentials.api_key)),
        (PROJECT_ID, credentials.map(|credentials| &credentials.project_id)),
    ] {
        match secret {
            Some(secret) => object.0.insert(field.to_owned(), Value::String(secret.expose_secret().to_owned())),
            None => object.0.remove(field),
        };
    }
}

/// Returns the body re-serialised, with the same meaning.
pub(crate) fn serialised(object: &StrictObject) -> Vec<u8> {
    serde_json::to_vec(&object.0).expect("an object with string keys can be serialised")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn injected(body: &str, credentials: Option<&Browserbase>) -> Value {
        let mut object = StrictObject::parse(body.as_bytes()).unwrap();
        put_credentials(&mut object, credentials);
        serde_json::from_slice(&serialised(&object)).unwrap()
    }

    #[test]
    fn the_operators_credentials_replace_the_callers_however_they_are_spelt() {
        let credentials = Browserbase { api_key: "ours".into(), project_id: "ours too".into() };
        let body = r#"{"url":"x","browserbase\u005fapi_key":"theirs","browserbase_project_id":{"a":1}}"#;
        assert_eq!(
            injected(body, Some(&credentials)),
            json!({"url": "x", "browserbase_api_key": "ours", "browserbase_project_id": "ours too"})
        );
        assert_eq!(injected(body, None), json!({"url": "x"}));
    }

    #[test]
    fn a_reserialised_body_has_the_same_meaning() {
        let body = r#"{"b":[1,-2,3.5,true,null,{"a":"\u00e9\n\"}"}],"a":18446744073709551615}"#;
        let read: Value = serde_json::from_str(body).unwrap();
        let object = StrictObject::parse(body.as_bytes()).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&serialised(&object)).unwrap(), read);
    }

    #[test]
    fn the_session_is_read_from_the_object_itself() {
        for (body, session) in [
            (r#"{"session":"ses_a"}"#, Some("ses_a")),
            (r#"{"s\u0065ssion":"ses_a"}"#, Some("ses_a")),
            (r#"{"session":7}"#, None),
            (r#"{"session":null}"#, None),
            (r#"{"a":{"session":"ses_a"}}"#, None),
        ] {
            assert_eq!(session_of(&StrictObject::parse(body.as_bytes()).unwrap()), session, "{body}");
        }
    }
}
