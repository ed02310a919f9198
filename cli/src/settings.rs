//! Reads the command's settings from its flags and the environment. Secrets are `SecretString` from here on.

use std::path::Path;

use porthole_client::{BuildError, Client, ClientBuilder, DEFAULT_URL, SecretString};
use url::Url;

use super::failure::Failed;

const URL_VARIABLE: &str = "PORTHOLE_URL";
const KEY_VARIABLE: &str = "PORTHOLE_KEY";
const KEY_FILE_VARIABLE: &str = "PORTHOLE_KEY_FILE";
const URL_ACCEPTED: &str = "accepted is an absolute http or https URL, such as http://127.0.0.1:8787";

/// Builds a client for the worker named by the flag `--url`, the environment or the default.
pub(crate) fn client(
    url_flag: Option<String>,
    adapt: impl Fn(ClientBuilder) -> ClientBuilder,
) -> Result<Client, Failed> {
    let from_environment = variable(URL_VARIABLE)?;
    let from_flag = url_flag.is_some();
    let url = url_flag.or(from_environment).unwrap_or_else(|| DEFAULT_URL.to_owned());
    let mut builder = adapt(Client::builder().url(url.clone()));
    if let Some((key, _)) = key()? {
        builder = builder.key(key);
    }
    builder.build().map_err(|error| match error {
        BuildError::Url(reason) if from_flag => {
            Failed::Usage(format!("invalid value '{}' for '--url <URL>': it {reason}", without_password(&url)))
        }
        BuildError::Url(reason) => {
            Failed::Setting(format!("{URL_VARIABLE} is {:?}: it {reason}; {URL_ACCEPTED}", without_password(&url)))
        }
        BuildError::Key => Failed::Setting(format!(
            "{} holds a key that can't be used; accepted are visible ASCII characters without spaces",
            key().ok().flatten().map_or(KEY_VARIABLE, |(_, from)| from)
        )),
        other => Failed::io("start", std::io::Error::other(other)),
    })
}

/// Returns whether the flag or the environment names a worker.
pub(crate) fn names_a_worker(url_flag: Option<&str>) -> Result<bool, Failed> {
    Ok(url_flag.is_some() || variable(URL_VARIABLE)?.is_some())
}

/// Returns the client key and the variable that it came from. An empty variable means no key.
fn key() -> Result<Option<(SecretString, &'static str)>, Failed> {
    let key = secret_variable(KEY_VARIABLE)?;
    let file = variable(KEY_FILE_VARIABLE)?;
    match (key, file) {
        (Some(_), Some(_)) => Err(Failed::Setting(format!(
            "{KEY_VARIABLE} and {KEY_FILE_VARIABLE} are both set; accepted is one of them"
        ))),
        (Some(key), None) => Ok(Some((key, KEY_VARIABLE))),
        (None, Some(path)) => {
            let text = std::fs::read_to_string(Path::new(&path)).map_err(|error| {
                Failed::Setting(format!(
                    "{KEY_FILE_VARIABLE}={path} can't be read ({error}); accepted is a file with the key"
                ))
            })?;
            let key = text.trim();
            if key.is_empty() {
                return Err(Failed::Setting(format!(
                    "{KEY_FILE_VARIABLE}={path} is empty; accepted is a file with the key"
                )));
            }
            Ok(Some((SecretString::from(key), KEY_FILE_VARIABLE)))
        }
        (None, None) => Ok(None),
    }
}

/// Returns a variable's value; `None` if it is unset or empty.
pub(crate) fn variable(name: &str) -> Result<Option<String>, Failed> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(Failed::Setting(format!("{name} is not UTF-8; accepted is UTF-8")))
        }
    }
}

fn secret_variable(name: &str) -> Result<Option<SecretString>, Failed> {
    Ok(variable(name)?.map(|value| SecretString::from(value.trim())))
}

/// Returns the URL without its user info, for error messages: the part before an `@` may be a password.
fn without_password(url: &str) -> String {
    match Url::parse(url) {
        Ok(mut parsed) if !parsed.username().is_empty() || parsed.password().is_some() => {
            let hidden = parsed.set_username("***").and_then(|()| parsed.set_password(None));
            if hidden.is_ok() { parsed.to_string() } else { "***".to_owned() }
        }
        _ => match url.rsplit_once('@') {
            Some((_, rest)) => format!("***@{rest}"),
            None => url.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_a_url_is_not_shown() {
        for url in ["http://me:secret@host:1/x", "me:secret@host", "data:secret@host"] {
            assert!(!without_password(url).contains("secret"), "{url}");
        }
        assert_eq!(without_password("nonsense"), "nonsense");
    }
}
