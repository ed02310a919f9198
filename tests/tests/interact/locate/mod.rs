//! Locating elements by what a person would name, waiting for them, and acting on them in the page, in a real Chromium.

mod kinds;
mod places;
mod preferred;
mod scene;
mod waiting;
