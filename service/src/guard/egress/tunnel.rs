//! Joins two connections, for `CONNECT` and WebSockets. Their bytes are not inspected.

use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional_with_sizes};

/// Buffer for each direction.
const BUFFER_BYTES: usize = 32 * 1024;

/// Joins the browser's connection, after its upgrade, with the one to the site, until both have closed or one fails.
/// The connection to the site enforces the idle timeout and counts bytes.
pub(super) async fn join(browser: OnUpgrade, mut site: impl AsyncRead + AsyncWrite + Unpin) {
    let browser = match browser.await {
        Ok(browser) => browser,
        Err(error) => return tracing::debug!(%error, "the browser closed its connection before the tunnel was ready"),
    };
    let mut browser = TokioIo::new(browser);
    if let Err(error) = copy_bidirectional_with_sizes(&mut browser, &mut site, BUFFER_BYTES, BUFFER_BYTES).await {
        tracing::debug!(%error, "a tunnel failed");
    }
}
