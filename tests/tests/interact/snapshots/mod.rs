//! What an agent does with a page, in a real Chromium: what it sees, finds and acts upon.

mod agreement;
mod around;
mod clickables;
mod plain;
mod playwright;
mod scene;
mod shown;
mod slotted;
mod snapshot;
mod stale;
mod subjects;
