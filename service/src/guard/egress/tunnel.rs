//! Two connections joined, for `CONNECT` and WebSockets. What goes through is not looked at.

use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional_with_sizes};

/// Buffer for each direction.
const BUFFER_BYTES: usize = 32 * 1024;

/// Joins the browser's connection, once it is handed over, with the one to the site, until both have closed or one failed.
/// The connection to the site keeps time and count.
pub(super) async fn join(browser: OnUpgrade, mut site: impl AsyncRead + AsyncWrite + Unpin) {
    let browser = match browser.await {
        Ok(browser) => browser,
        Err(error) => return tracing::debug!(%error, "the browser left before its tunnel stood"),
    };
    let mut browser = TokioIo::new(browser);
    if let Err(error) = copy_bidirectional_with_sizes(&mut browser, &mut site, BUFFER_BYTES, BUFFER_BYTES).await {
        tracing::debug!(%error, "a tunnel broke");
    }
}
