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
use super::noise::{LOOK_EVERY, Recent};
use super::quarantine::Quarantine;
use crate::cdp::{Connection, FLOODED, Flooded};

/// How often those of sessions are looked at, which live longer and are there while no page is in use.
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
        let every = if kind == BrowserKind::Session { EVERY_OF_SESSIONS } else { LOOK_EVERY };
        let (mut renderers, mut recent) = (Renderers::of(leader), Recent::every(every));
        loop {
            if kind != BrowserKind::Session {
                busy.any().await;
            }
            sleep(every).await;
            let looking = tokio::task::spawn_blocking(move || {
                let looked = renderers.look();
                (renderers, looked)
            });
            let Ok((watched, looked)) = looking.await else { return };
            renderers = watched;
            for process in &looked.lowered {
                tracing::debug!(process, "a renderer keeps a processor busy; its priority is lowered");
            }
            let Some(browser) = browser.upgrade() else { return };
            browser.noise.worked(looked.browser);
            let noisy = browser.noise.blame(&recent.add(looked, browser.pages_made()));
            if kind != BrowserKind::Session {
                quarantine.found(noisy);
            } else if !noisy.is_empty() && !browser.gives_way() && !browser.noise.has_others(|one| noisy.contains(one))
            {
                tracing::info!(
                    pid = browser.group(),
                    "a sandbox's sessions keep their local browser busy; it gives way"
                );
                browser.give_way().await;
            }
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
