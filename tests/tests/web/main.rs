//! The elements and pages of `web/`, in real browsers: what a person sees and does there.
//!
//! Tests of the elements are JavaScript (`web/tests/`): they run in the page, under a Content Security Policy that
//! forbids all but the modules themselves, and ask for real input of the browser through the bench. Firefox runs the same
//! ones where it is installed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a step that fails is the test that fails")]

mod bench;
mod browser;
mod chat;
mod chromium;
mod examples;
mod firefox;
mod live_socket;
mod person;
mod phone;
mod playground;
mod suites;
mod watched;
mod work;
