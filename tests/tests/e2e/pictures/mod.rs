//! Pictures: of the right part, in the right size and colours, and never over the cap.

mod options;
mod part;
mod raw;
mod settled;
mod size_cap;
mod writing;
