//! Pictures: they show the right part, in the right size and colours, and never exceed the size cap.

mod options;
mod part;
mod raw;
mod settled;
mod size_cap;
mod writing;

use tokio::sync::Mutex;

/// Held by a test that takes pictures of tens of millions of pixels: two at once, on a machine that other tests keep busy,
/// take longer than a capture may.
static LARGE: Mutex<()> = Mutex::const_new(());
