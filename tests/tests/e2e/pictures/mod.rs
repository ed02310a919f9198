//! Pictures: they show the right part, in the right size and colours, and never exceed the size cap.

mod options;
mod part;
mod raw;
mod settled;
mod size_cap;
mod writing;
