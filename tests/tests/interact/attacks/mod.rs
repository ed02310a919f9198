//! Pages that try to have an agent act on another element than it meant: "done" is said of the right one alone.

mod cards;
mod document;
mod drags;
mod fields;
mod keys;
mod leaving;
mod meanings;
mod names;
mod newcomers;
mod places;
mod pointer;
mod renames;
mod twins;
