//! A Chromium process: how its executable is found, how it is started in a folder and a process group of its own, how
//! it ends and leaves nothing behind.
//!
//! What is said to the browser, over the pipe or otherwise, and which flags it is given are its owner's affair.

mod executable;
mod group;
mod memory;
mod process;
mod profile;
mod stderr_tail;

pub use executable::{ExecutableError, find_executable};
pub use group::{group_of, processes_of_group};
pub use memory::memory_of_group;
pub use process::{Pipe, Process};
pub use profile::{Profile, sweep};
pub use stderr_tail::StderrTail;
