//! Watches what the processes of a browser do, so that other sandboxes' pages don't wait for them: renderers that keep
//! processors busy get a lower priority, and what loads the browser itself is told to the quarantine, as is a page that was
//! ended because of what it sent.

use std::sync::{Arc, Weak};
use std::time::Duration;

use porthole_chromium::Renderers;
use tokio::time::sleep;

use super::browser::Browser;
use super::busy::Busy;
use super::kind::BrowserKind;
use super::noise::Recent;
use super::quarantine::Quarantine;
use crate::cdp::{Connection, FLOODED, Flooded};

/// How often the processes for visits are looked at while a page is in use.
const EVERY: Duration = Duration::from_millis(100);
/// How often those of sessions are, which live longer and are there while no page is in use.
const EVERY_OF_SESSIONS: Duration = Duration::from_millis(500);

/// Watches the processes of a browser until its connection ends.
pub(super) async fn watch(
    browser: Weak<Browser>,
    kind: BrowserKind,
    connection: Connection,
    busy: Arc<Busy>,
    quarantine: Arc<Quarantine>,
) {
    let watching = async {
        let Some(leader) = browser.upgrade().map(|browser| browser.group()) else { return };
        let (mut renderers, mut recent) = (Renderers::of(leader, kind != BrowserKind::Session), Recent::default());
        loop {
            if kind == BrowserKind::Session {
                sleep(EVERY_OF_SESSIONS).await;
            } else {
                busy.any().await;
                sleep(EVERY).await;
            }
            let looking = tokio::task::spawn_blocking(move || {
                let looked = renderers.look();
                (renderers, looked)
            });
            let Ok((watched, looked)) = looking.await else { return };
            renderers = watched;
            for process in &looked.lowered {
                tracing::debug!(process, "a renderer keeps a processor busy; its priority is lowered");
            }
            let Some(browser) = browser.upgrade().filter(|_| kind != BrowserKind::Session) else { continue };
            browser.noise.worked(looked.browser);
            let noisy = recent.add(looked, browser.pages_made());
            quarantine.found(browser.noise.blame(&noisy));
        }
    };
    let mut floods = connection.browser().events(&[FLOODED]);
    let flooding = async {
        while let Some(event) = floods.next().await {
            let Some(browser) = browser.upgrade() else { return };
            let flooded = event.read::<Flooded>().ok();
            let sandbox = flooded.and_then(|flooded| browser.noise.flooded(&flooded.session));
            quarantine.found(sandbox.into_iter().collect());
        }
    };
    tokio::select! {
        () = watching => {}
        () = flooding => {}
        _ = connection.closed() => {}
    }
}
