//! Tests with tight time bounds: one second for work of some milliseconds, or a share of the processors. Other tests
//! running at the same time would exceed them, and wider bounds would prove nothing. `make test` runs this binary by
//! itself; within it a mutex runs one test at a time.

mod busy;
mod leaving;
mod overload;
mod priority;

use tokio::sync::{Mutex, MutexGuard};

/// Locks this binary's tests out of each other: each test takes the guard first and holds it to its end, or until only
/// an idle stack is left to wait for.
async fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::const_new(());
    TURN.lock().await
}
