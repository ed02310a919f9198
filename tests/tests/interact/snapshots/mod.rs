//! What an agent does with a page, in a real Chromium: what it sees, finds and acts upon.

mod scene;
mod snapshot;
