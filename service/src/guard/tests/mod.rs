//! Tests of the guard as a whole. This file holds what they share.

mod answers;
mod exceptions;
mod host;
mod reading;
mod spellings;
mod urls;

use std::io;
use std::net::{IpAddr, SocketAddr};

use porthole_contract::{ErrorCode, Failure};
use url::Host;

use super::*;

fn plain() -> Guard {
    Guard::new(Policy::default())
}

fn allowing(list: &str) -> Guard {
    Guard::new(Policy { allow: AllowTargets::parse(list).unwrap(), ..Policy::default() })
}

fn code(verdict: &Result<Target, Refusal>) -> Option<ErrorCode> {
    verdict.as_ref().err().map(Refusal::code)
}

/// Returns a guard whose DNS gives these addresses for every name.
fn resolving(allow: &str, addresses: &[&str]) -> Guard {
    let addresses: Vec<IpAddr> = addresses.iter().map(|address| address.parse().unwrap()).collect();
    let policy = Policy { allow: AllowTargets::parse(allow).unwrap(), ..Policy::default() };
    Guard::asking(policy, move |_: &str, port| {
        Ok(addresses.iter().map(|address| SocketAddr::new(*address, port)).collect())
    })
}
