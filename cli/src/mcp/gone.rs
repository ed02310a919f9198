//! Notices that the reader of standard output is gone, when nothing is being written.

use std::io::{self, stdout};
use std::os::fd::{AsFd as _, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Returns once the reader of standard output is gone; never where the system can't tell, as with a file.
pub(super) async fn reader_gone() {
    if watch().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[expect(deprecated, reason = "sound for an OwnedFd, which keeps its number; the successor is an unsafe function")]
async fn watch() -> io::Result<()> {
    let output: OwnedFd = stdout().as_fd().try_clone_to_owned()?;
    // A pipe without a reader is an error; a socket without a peer is closed, of which only a writer hears.
    let output = AsyncFd::with_interest(output, Interest::WRITABLE | Interest::ERROR)?;
    loop {
        let mut guard = output.ready(Interest::WRITABLE | Interest::ERROR).await?;
        if guard.ready().is_error() || guard.ready().is_write_closed() {
            return Ok(());
        }
        guard.clear_ready();
    }
}
