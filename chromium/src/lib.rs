//! Finds Chromium's executable, starts it in its own profile folder and process group, and ends it without leftovers.
//!
//! The crate knows neither the DevTools protocol nor any flag: the caller chooses the flags and drives the pipe.

mod executable;
mod group;
mod memory;
mod priority;
mod process;
mod profile;
mod stderr_tail;

pub use executable::{ExecutableError, find_executable};
pub use group::{group_of, processes_of_group};
pub use memory::{GroupMemory, Shared, end_of_group, memory_of_group, memory_of_groups};
pub use priority::{Looked, RendererTime, Renderers, lower_group, since_boot};
pub use process::{Pipe, Process};
pub use profile::{Profile, sweep};
pub use stderr_tail::StderrTail;
