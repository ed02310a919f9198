//! The end-to-end tests' harness: real processes, a fixture web site, callers that know only the wire.
//!
//! Nothing of the service, the worker or the client is linked in here: what these tests know of Porthole is what any
//! stranger can see, its binaries, its settings and its sockets. The exceptions are `tests/hostile/`, which runs the
//! service within the test to take a defence away, and `tests/processes/drains.rs`, which retries as the client does.

pub mod caller;
pub mod collector;
pub mod command;
pub mod emulator;
pub mod eventually;
pub mod exposition;
pub mod family;
pub mod judged;
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
pub use picture::Picture;
pub use remote::Remote;
pub use site::{Reply, Site};
pub use stack::Stack;
