//! Tests whose bounds are tight: a second for what takes some milliseconds. A machine that is busy with other tests would
//! miss them, and wider bounds would show nothing. Cargo runs one test binary after the other; within this one each test
//! waits for its turn.

mod leaving;
mod overload;

use tokio::sync::{Mutex, MutexGuard};

/// The turn of one test of this binary: each takes it first and holds it to its end.
async fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::const_new(());
    TURN.lock().await
}
