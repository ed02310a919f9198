//! Refuses a request that the service would refuse, as a wrong usage: by the names of the flags, not of the fields.

use porthole_contract::{Invalid, Validate};

use crate::failure::Failed;

/// Refuses a request here that the service would refuse, as a wrong usage.
pub(super) fn checked<T: Validate>(request: T) -> Result<T, Failed> {
    request.validate().map_err(|invalid| Failed::Usage(said(&invalid)))?;
    Ok(request)
}

fn said(invalid: &Invalid) -> String {
    let Invalid { path, reason } = invalid;
    let field = path.split(['.', '[']).next().unwrap_or_default();
    let name = match field {
        "timeout_ms" => "--timeout".to_owned(),
        "idle_seconds" | "network_idle_ms" => "--idle".to_owned(),
        "ms" => "--for".to_owned(),
        "storage_state" => "--state".to_owned(),
        "values" => "OPTION".to_owned(),
        "direction" => "WHERE".to_owned(),
        "url" | "ref" | "key" | "files" | "file" => field.to_uppercase(),
        "target" => "the element".to_owned(),
        "body" => return reason.clone(),
        "session" | "tab" | "text" | "text_gone" | "locale" | "time_zone" | "user_agent" | "allow_hosts"
        | "viewport" | "at" | "state" | "amount" | "max_chars" | "offset" | "root" | "full_page" | "quality"
        | "format" => {
            format!("--{}", field.replace('_', "-"))
        }
        _ => return invalid.to_string(),
    };
    format!("{name}: {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_named_as_it_was_typed() {
        for (path, expected) in [
            ("idle_seconds", "--idle: must be"),
            ("timeout_ms", "--timeout: must be"),
            ("allow_hosts[1]", "--allow-hosts: must be"),
            ("storage_state.cookies[0].name", "--state: must be"),
            ("files", "FILES: must be"),
            ("unheard_of", "unheard_of: must be"),
        ] {
            assert_eq!(said(&Invalid::new(path, "must be")), expected);
        }
    }
}
