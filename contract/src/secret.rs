//! Serialises secrets onto the wire. No other place serialises a `SecretString`.

use secrecy::{ExposeSecret, SecretString};
use serde::Serializer;

pub(crate) fn expose_on_the_wire<S: Serializer>(
    secret: &Option<SecretString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match secret {
        Some(secret) => serializer.serialize_str(secret.expose_secret()),
        None => serializer.serialize_none(),
    }
}

pub(crate) fn expose_value<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}
