//! The documentation against the code: the tables of `docs/reference/`, dependencies, examples, links, and the paths of the
//! map. Needs no browser.

mod dependencies;
mod errors;
mod extraction;
mod links;
mod readme;
mod requests;
mod settings;
