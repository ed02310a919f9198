//! The live view of a session: its address is printed, and opened where there is a desktop.

use std::process::{Command, Stdio};

use porthole_client::session::{ViewerRequest, ViewerRole};
use porthole_client::{Error, Session};
use secrecy::{ExposeSecret as _, SecretString};

use crate::failure::Failed;
use crate::output;

/// How long the address opens connections, in seconds: as long as a session lives.
const TTL_SECONDS: u32 = 3_600;

/// Asks for the address of a session's live view.
pub(super) async fn address(session: &Session, role: ViewerRole) -> Result<SecretString, Error> {
    let request =
        ViewerRequest { sandbox_id: "-".to_owned(), role, ttl_seconds: Some(TTL_SECONDS), ..ViewerRequest::default() };
    Ok(session.viewer(request).await?.url)
}

/// Prints the address, and opens it where there is a desktop. With `--json` it goes to standard error.
pub(super) fn show(address: &SecretString, json: bool) -> Result<(), Failed> {
    let line = format!("watch {}", address.expose_secret());
    if json {
        output::note(&line);
    } else {
        output::text(&line)?;
    }
    if let Some(opener) = opener() {
        let opened = Command::new(opener)
            .arg(address.expose_secret())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if let Err(error) = opened {
            output::note(&format!("warning: can't open a browser: {error}"));
        }
    }
    Ok(())
}

/// The program that opens addresses on a desktop; `None` without one.
fn opener() -> Option<&'static str> {
    if cfg!(target_os = "macos") {
        return Some("open");
    }
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")).then_some("xdg-open")
}
