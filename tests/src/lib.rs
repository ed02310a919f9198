//! The end-to-end tests' harness: real processes, a fixture web site, callers that know only the wire.
//!
//! The harness links neither the service nor the worker nor the client: the tests know of Porthole what any operator or
//! caller can see, its executables, its settings and its sockets. Two exceptions: `tests/hostile/` runs the service within
//! the test to take a defence away, and `tests/e2e/processes/drains.rs` retries as the client does.

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
pub mod markdown;
pub mod neighbours;
pub mod owner;
pub mod picture;
pub mod process;
pub mod raw;
pub mod remote;
pub mod site;
pub mod soak;
pub mod stack;

pub use caller::{Answer, Caller};
pub use collector::Collector;
pub use emulator::Emulator;
pub use eventually::eventually;
pub use flaky::FlakyBrowser;
pub use picture::Picture;
pub use remote::Remote;
pub use site::{Reply, Site};
pub use stack::Stack;
