//! The runtime that a server process runs on.

use std::num::NonZero;
use std::{env, io, thread};

use tokio::runtime::{Builder, Runtime};

/// Processors to each thread. Both processes wait far more than they work, and what takes long has threads of its own: of
/// four processors that serve pages, a fifth of one is enough for us. Each thread more is one more to wake.
const PROCESSORS_PER_THREAD: usize = 4;
/// The runtime's own setting, which comes before ours.
const THREADS: &str = "TOKIO_WORKER_THREADS";

/// A runtime with a thread for every four processors.
///
/// # Errors
/// Where the system has no thread or descriptor to give.
pub fn runtime() -> io::Result<Runtime> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.div_ceil(PROCESSORS_PER_THREAD);
    let mut builder = match threads {
        _ if env::var_os(THREADS).is_some() => Builder::new_multi_thread(),
        // Nobody to share work with: the same without what sharing takes.
        1 => Builder::new_current_thread(),
        threads => {
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(threads);
            builder
        }
    };
    builder.enable_all().build()
}
