//! The harness of the end-to-end tests: real processes, a fixture web site, callers that know only the wire.
//!
//! The harness does not link the service, the worker or the client: tests see of Porthole what an operator or a caller
//! sees, its executables, settings and sockets. Two exceptions: `tests/hostile/` runs the service within the test to
//! remove a defence, and `tests/e2e/processes/drains.rs` retries as the client does.

pub mod agent;
pub mod caller;
pub mod collector;
pub mod command;
pub mod emulator;
pub mod eventually;
pub mod executable;
pub mod exposition;
pub mod family;
pub mod flaky;
pub mod judged;
pub mod live;
pub mod markdown;
pub mod neighbours;
pub mod owner;
pub mod picture;
pub mod process;
pub mod raw;
pub mod remote;
pub mod site;
pub mod slow_line;
pub mod soak;
pub mod stack;

pub use caller::{Answer, Caller};
pub use collector::Collector;
pub use emulator::Emulator;
pub use eventually::{eventually, in_time};
pub use flaky::FlakyBrowser;
pub use live::LiveViewer;
pub use picture::Picture;
pub use remote::Remote;
pub use site::{Reply, Site};
pub use slow_line::SlowLine;
pub use stack::Stack;
