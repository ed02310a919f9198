//! Acting on an element.
//!
//! `actionable` waits until that is possible, and says where it is hit; `readiness` reads what the page's script answers.
//! `click` clicks, `pointer` moves the pointer, `press` sends presses and releases; `hold_input` and `leaving` keep what was
//! sent from reaching another document. `scroll`, `choices` (options and boxes), `upload` and `upload_by_chooser` are actions of
//! their own.

mod actionable;
mod choices;
mod click;
mod drag;
mod hold_input;
mod leaving;
mod pointer;
mod press;
mod readiness;
mod scroll;
mod typing;
mod upload;
mod upload_by_chooser;

pub use self::click::{ActedOn, Button, Click};
pub use self::drag::{Drop, Grip};
pub use self::scroll::{Direction, End, Scroll};
pub(in crate::page) use self::typing::{ALT, CONTROL, ClipboardUse, KeyAnswer, META, NAMED, SHIFT, TYPING};
pub use self::typing::{Chord, Clipboard, Modifiers, NotAKey, Typing};
pub use self::upload::File;
