//! Keys and what they write.
//!
//! `keys` presses chords (`chord`: their names, `layout`: their places on a keyboard) where `focus` has led them. `fields`
//! writes a text into a field (`field`: what is asked of one) or an editor (`text`), and `submit` has it sent.

mod chord;
mod field;
mod fields;
mod focus;
mod keys;
mod layout;
mod submit;
mod text;

pub(in crate::page) use self::chord::{ALT, CONTROL, ClipboardUse, META, SHIFT};
pub use self::chord::{Chord, Modifiers, NotAKey};
pub use self::field::Typing;
pub use self::keys::Clipboard;
pub(in crate::page) use self::keys::KeyAnswer;
pub(in crate::page) use self::layout::{NAMED, TYPING};
