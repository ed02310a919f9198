//! Connects to a remote session and leases its page: the existing page of the browser's default context.

use chromiumoxide_cdp::cdp::browser_protocol::page::EnableParams as EnablePage;
use chromiumoxide_cdp::cdp::browser_protocol::target::CreateTargetParams;
use futures_util::FutureExt as _;
use porthole_contract::limits::CONNECT_TIMEOUT;
use porthole_daemon::loopback::is_this_machine;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::timeout;
use url::Url;

use super::session::HeldSession;
use crate::cdp::{Attached, Attachments, CdpError, Connection, WebSocketOptions, connect_websocket};
use crate::guard::Network;
use crate::provider::{Downloads, Lease, ProviderError, Purpose};
use crate::telemetry::{ConnectedBrowser, LeaseMetrics};

/// Connects to a session's browser and leases its page.
pub(super) async fn open(
    session: HeldSession,
    purpose: Purpose,
    connect_url: &SecretString,
    network: Network,
    metrics: &LeaseMetrics,
) -> Result<Lease, ProviderError> {
    if !may_be_connected_to(connect_url) {
        return Err(ProviderError::Unavailable("Browserbase named an endpoint that is not wss".to_owned()));
    }
    let connected = timeout(CONNECT_TIMEOUT, async {
        let connection = connect_websocket(connect_url, WebSocketOptions::default()).await?;
        let pages = connection.browser().attach_to_pages();
        let (page, popups) = first_page(&connection, pages).await?;
        // Worth a round trip: a renderer that does not run yet gets its commands too late, and answers from blocked
        // addresses would go unseen meanwhile.
        page.session.call(&EnablePage::default()).await?;
        Ok::<_, CdpError>((connection, page, popups))
    });
    let (connection, page, popups) = connected.await.map_err(|_| ProviderError::TimedOut)??;
    let browser = ConnectedBrowser::count(metrics);
    // A refusal does no harm: a download could not reach a folder of ours.
    let downloads = Downloads::begin(connection.browser(), None, None);
    tracing::debug!(remote_session = session.id(), "leased the page of a remote session");
    let watched = page.session.clone();
    let mut lease = Lease::new(purpose, page.session, page.target_id, network, move |watchers| {
        session.end(watched, watchers);
    });
    lease.handle_popups(popups);
    let mut lease = lease.with_downloads((purpose == Purpose::Session).then_some(downloads));
    // Counts the browser as connected until the connection ends, a moment after the lease.
    lease.watchers().spawn(connection.closing().map(move |()| drop(browser)));
    Ok(lease)
}

/// Returns the first page and the stream of the others. One round trip, since auto-attach reports the existing pages.
async fn first_page(connection: &Connection, mut pages: Attachments) -> Result<(Attached, Attachments), CdpError> {
    pages.confirmed().await?;
    if let Some(page) = pages.attached() {
        return Ok((page, pages));
    }
    connection.browser().call(&CreateTargetParams::new("about:blank")).await?;
    let page = pages.next().await.ok_or_else(|| CdpError::Closed("the browser gave no page".into()))?;
    page.resume();
    Ok((page, pages))
}

/// Allows `wss` to any host, and plain `ws` to this machine only, for the emulator.
fn may_be_connected_to(url: &SecretString) -> bool {
    let Ok(url) = Url::parse(url.expose_secret()) else { return false };
    match (url.scheme(), url.host()) {
        ("wss", Some(_)) => true,
        ("ws", Some(host)) => is_this_machine(&host),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_websockets_are_allowed_on_this_machine_only() {
        for url in ["wss://connect.example/?signingKey=k", "ws://127.0.0.1:1/?k", "ws://[::1]:1/", "ws://localhost:1/"]
        {
            assert!(may_be_connected_to(&url.into()), "{url}");
        }
        for url in ["ws://connect.example/", "ws://10.0.0.1/", "ws://localhost.example/", "http://127.0.0.1/", "", "x"]
        {
            assert!(!may_be_connected_to(&url.into()), "{url}");
        }
    }
}
