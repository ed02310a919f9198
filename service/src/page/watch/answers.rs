//! Judges responses on a remote network by the address that they came from. A response from a blocked address was
//! fetched already, so the page's result is withheld.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use tokio::task::JoinSet;
use url::Url;

use super::events::{
    RequestWillBeSent, Response, ResponseReceived, WebSocketCreated, WebSocketOpened, WebTransportCreated,
    WebTransportOpened,
};
use super::shared::Watched;
use crate::cdp::{CdpError, Event};
use crate::guard::{Asker, Refusal};

/// How many sockets of a page are remembered. A further one is judged, when it opens, as if its URL were private.
const SOCKETS_MAX: usize = 1_024;

/// URLs of sockets that were begun, by socket id. Nothing can stop a socket, so a refusal counts when it opens.
#[derive(Default)]
pub(super) struct Sockets(HashMap<String, String>);

/// Judges the response or the socket that an event reports.
pub(super) fn judge_event(
    event: &Event,
    watched: &Watched,
    sockets: &mut Sockets,
    judging: &mut JoinSet<()>,
) -> Result<(), CdpError> {
    match event.method {
        "Network.requestWillBeSent" => {
            let request: RequestWillBeSent = event.read()?;
            if let Some(redirect) = &request.redirect_response {
                judge_origin(redirect, watched);
            }
        }
        "Network.responseReceived" => {
            let received: ResponseReceived = event.read()?;
            judge_origin(&received.response, watched);
        }
        "Network.webSocketCreated" => {
            let WebSocketCreated { request_id, url } = event.read()?;
            sockets.begun(request_id, &url, watched);
        }
        "Network.webTransportCreated" => {
            let WebTransportCreated { transport_id, url } = event.read()?;
            sockets.begun(transport_id, &url, watched);
        }
        "Network.webSocketHandshakeResponseReceived" => {
            let WebSocketOpened { request_id } = event.read()?;
            sockets.opened(&request_id, watched, judging);
        }
        "Network.webTransportConnectionEstablished" => {
            let WebTransportOpened { transport_id } = event.read()?;
            sockets.opened(&transport_id, watched, judging);
        }
        _ => {}
    }
    Ok(())
}

/// Withholds the page's result if this answer came from a blocked address.
fn judge_origin(response: &Response, watched: &Watched) {
    if !watched.network.remote().is_some_and(|remote| remote.judges_addresses) {
        return;
    }
    // Responses of a worker, of the cache or of the browser itself have no address.
    let Some(address) = response.address() else { return };
    let Some((host, port)) =
        Url::parse(&response.url).ok().and_then(|url| Some((url.host()?.to_owned(), url.port_or_known_default()?)))
    else {
        return;
    };
    let dialled = SocketAddr::new(address, response.remote_port.filter(|port| *port != 0).unwrap_or(port));
    if let Err(refusal) = watched.guard.judge_address(&host, dialled) {
        tracing::warn!(%refusal, "a response came from a blocked address");
        watched.count(&refusal);
        watched.withhold(refusal);
    }
}

impl Response {
    fn address(&self) -> Option<IpAddr> {
        let text = self.remote_ip_address.as_deref()?;
        text.trim_start_matches('[').trim_end_matches(']').parse().ok()
    }
}

impl Sockets {
    fn begun(&mut self, id: String, url: &str, watched: &Watched) {
        let url = as_http(url);
        if let Err(refusal @ Refusal::Blocked(_)) = watched.guard.judge_url(&url, &Asker::default()) {
            tracing::info!(%refusal, "a socket to a blocked target was begun");
            watched.count(&refusal);
        }
        if self.0.len() < SOCKETS_MAX {
            self.0.insert(id, url);
        }
    }

    /// Judges a socket that has opened: if its target is refused, the page's result is withheld.
    fn opened(&mut self, id: &str, watched: &Watched, judging: &mut JoinSet<()>) {
        let url = self.0.remove(id).unwrap_or_default();
        let watched = watched.clone();
        judging.spawn(async move {
            // Also refused if our resolver can't find the name: the browser's found it, at an address unknown to us.
            if let Err(refusal) = watched.guard.judge(&url, &Asker::default()).await {
                tracing::warn!(%refusal, "a socket to a blocked target was opened");
                watched.withhold(refusal);
            }
        });
    }
}

/// Returns a socket's URL as the guard reads it: with the scheme of the handshake, without credentials.
fn as_http(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return url.to_owned() };
    let scheme = if matches!(url.scheme(), "ws" | "http") { "http" } else { "https" };
    url.set_scheme(scheme).unwrap_or_default();
    url.set_username("").unwrap_or_default();
    url.set_password(None).unwrap_or_default();
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sockets_url_is_judged_as_its_handshakes() {
        assert_eq!(as_http("ws://10.0.0.1/socket"), "http://10.0.0.1/socket");
        assert_eq!(as_http("wss://user:word@example.com"), "https://example.com/");
        assert_eq!(as_http("https://example.com:4433/wt"), "https://example.com:4433/wt");
        assert_eq!(as_http("no url"), "no url");
    }
}
