//! What an agent does with a page, below the session: `Page` against a real Chromium. One binary, since it is linked once.

mod act;
mod locate;
mod snapshots;
