//! The Tokio runtime of the server processes.

use std::num::NonZero;
use std::{env, io, thread};

use tokio::runtime::{Builder, Runtime};

/// Processors per thread. Both processes mostly wait, and long computations have their own threads: on four processors
/// that serve pages, our process needs a fifth of one. Each further thread is one more to wake.
const PROCESSORS_PER_THREAD: usize = 4;
/// Tokio's own setting, which takes precedence.
const THREADS: &str = "TOKIO_WORKER_THREADS";

/// Builds a runtime with a thread for every four processors.
///
/// # Errors
/// When the system provides no thread or descriptor.
pub fn runtime() -> io::Result<Runtime> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.div_ceil(PROCESSORS_PER_THREAD);
    let mut builder = match threads {
        _ if env::var_os(THREADS).is_some() => Builder::new_multi_thread(),
        // A single thread needs no work stealing.
        1 => Builder::new_current_thread(),
        threads => {
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(threads);
            builder
        }
    };
    builder.enable_all().build()
}
