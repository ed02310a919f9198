//! The request body for the service: the caller's, parsed and re-serialised, with the operator's credentials or none.
//!
//! The caller's bytes are never passed on, so that worker and service can't parse them differently.

use porthole_contract::{Invalid, StrictObject};
use secrecy::ExposeSecret as _;
use serde_json::Value;

use crate::settings::Browserbase;

const API_KEY: &str = "browserbase_api_key";
const PROJECT_ID: &str = "browserbase_project_id";

/// Returns the body re-serialised, with the same meaning.
///
/// # Errors
/// [`Invalid`] for anything but a JSON object, and for duplicate keys.
pub(crate) fn reserialised(body: &[u8]) -> Result<Vec<u8>, Invalid> {
    StrictObject::parse(body).map(|object| serialised(&object))
}

/// Returns the body with the operator's credentials in place of the caller's, or without any if the operator has none.
///
/// # Errors
/// As for [`reserialised`].
pub(crate) fn with_credentials(body: &[u8], credentials: Option<&Browserbase>) -> Result<Vec<u8>, Invalid> {
    let mut object = StrictObject::parse(body)?;
    for (field, secret) in [
        (API_KEY, credentials.map(|credentials| &credentials.api_key)),
        (PROJECT_ID, credentials.map(|credentials| &credentials.project_id)),
    ] {
        match secret {
            Some(secret) => object.0.insert(field.to_owned(), Value::String(secret.expose_secret().to_owned())),
            None => object.0.remove(field),
        };
    }
    Ok(serialised(&object))
}

fn serialised(object: &StrictObject) -> Vec<u8> {
    serde_json::to_vec(&object.0).expect("an object with string keys can be serialised")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn injected(body: &str, credentials: Option<&Browserbase>) -> Value {
        serde_json::from_slice(&with_credentials(body.as_bytes(), credentials).unwrap()).unwrap()
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
        assert_eq!(serde_json::from_slice::<Value>(&reserialised(body.as_bytes()).unwrap()).unwrap(), read);
    }

    #[test]
    fn only_json_objects_without_duplicate_keys_are_accepted() {
        for body in
            [r#"{"a":1,"a":2}"#, r#"{"a":1,"\u0061":2}"#, r#"{"x":{"a":1,"a":2}}"#, "[]", "", "nonsense", "{} {}"]
        {
            assert!(
                reserialised(body.as_bytes()).is_err() && with_credentials(body.as_bytes(), None).is_err(),
                "{body}"
            );
        }
    }
}
