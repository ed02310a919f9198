//! Porthole.
