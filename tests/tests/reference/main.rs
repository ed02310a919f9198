//! Compares the documentation with the code: the tables of `docs/reference/`, dependencies, examples, links, and the
//! paths that ARCHITECTURE.md names. Needs no browser.

mod dependencies;
mod errors;
mod extraction;
mod imports;
mod kit;
mod limits;
mod links;
mod live;
mod readme;
mod requests;
mod settings;
mod tools;
mod tree;
mod warnings;
