//! Pages that try to have an agent act on another element than it meant: "done" is said of the right one alone.

mod cards;
mod document;
mod drags;
mod fields;
mod heads;
mod keys;
mod leaving;
mod meanings;
mod names;
mod newcomers;
mod places;
mod pointer;
mod renames;
mod titles;
mod twins;

use porthole_service::page::interact::{ActError, Acted};

/// A click is refused, or told as lost.
fn is_told(clicked: &Result<Acted, ActError>) -> bool {
    clicked.as_ref().map_or(true, Acted::is_click_lost)
}
