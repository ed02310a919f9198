//! What a person does to a page through a viewer, and what the browser draws outside of it, below the session.

mod clipboard;
mod fields;
mod files;
mod keyboard;
mod person;
mod pointer;
mod strays;
mod touch;
