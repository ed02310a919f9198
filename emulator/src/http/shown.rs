//! Sessions in the API's format, and their URLs.

use secrecy::ExposeSecret as _;
use serde_json::{Map, Value, json};

use super::emulator::Emulator;
use crate::ledger::rfc3339;
use crate::session::Session;

/// Returns a session object.
pub(super) fn session(session: &Session) -> Map<String, Value> {
    let state = session.state();
    let mut shown = Map::new();
    let mut show = |name: &str, value: Value| drop(shown.insert(name.to_owned(), value));
    show("id", session.id.clone().into());
    show("createdAt", rfc3339(session.created_at).into());
    show("updatedAt", rfc3339(state.updated_at).into());
    show("projectId", session.project_id.clone().into());
    show("startedAt", rfc3339(session.created_at).into());
    show("expiresAt", rfc3339(session.expires_at()).into());
    show("status", json!(state.status));
    show("proxyBytes", 0.into());
    show("keepAlive", session.keep_alive.into());
    show("region", session.region.name().into());
    if let Some((at, _)) = state.ended {
        show("endedAt", rfc3339(at).into());
    }
    if let Some(metadata) = &session.user_metadata {
        show("userMetadata", metadata.clone().into());
    }
    shown
}

/// Returns a session object, with the URLs and the key to connect to it unless it has ended.
pub(super) fn session_with_way_in(emulator: &Emulator, of: &Session) -> Value {
    let mut shown = session(of);
    if !of.state().status.is_over() {
        let (http, authority) = (emulator.scheme("http"), emulator.reach.authority());
        let key = of.signing_key.expose_secret();
        shown.insert("connectUrl".to_owned(), emulator.connect_url(of).into());
        shown.insert("seleniumRemoteUrl".to_owned(), format!("{http}://{authority}/webdriver").into());
        shown.insert("signingKey".to_owned(), key.into());
    }
    shown.into()
}

impl Emulator {
    fn connect_url(&self, session: &Session) -> String {
        let unreachable = session.unreachable.as_ref().and_then(|socket| socket.local_addr().ok());
        let authority = unreachable.map_or_else(|| self.reach.authority(), |addr| addr.to_string());
        format!("{}://{authority}/?signingKey={}", self.scheme("ws"), session.signing_key.expose_secret())
    }
}
