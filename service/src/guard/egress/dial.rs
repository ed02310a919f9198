//! Connects to the host of a URL: resolves it once, judges every answer and dials only judged addresses. Several
//! addresses race (RFC 8305), so that broken IPv6 costs a moment and not the page.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use url::Host;

use super::report::DialOutcome;
use super::shared::Shared;
use crate::guard::page::Dialable;
use crate::guard::{Asker, Grounds, Guard};

/// Delay before the next address is tried in parallel (RFC 8305, 8).
const NEXT_ATTEMPT_AFTER: Duration = Duration::from_millis(250);
/// Addresses tried for one name.
const ATTEMPTS_MAX: usize = 8;

/// Connects to the host and port of this URL, if the guard allows it for this asker. Also returns whether that took an
/// exception.
pub(super) async fn dial(shared: &Shared, url: &str, asker: &Asker) -> Result<(TcpStream, bool), DialOutcome> {
    let connected = timeout(shared.limits.dial_timeout, async {
        let Dialable { target, guard } = shared.guard.judge_dialable(url, asker).await?;
        let stream = race(&guard, target.host(), in_turn(target.addresses())).await?;
        Ok((stream, target.grounds() == Grounds::Exception))
    });
    connected.await.unwrap_or(Err(DialOutcome::TimedOut))
}

/// Returns the addresses in the resolver's order, alternating between IPv4 and IPv6.
fn in_turn(addresses: &[SocketAddr]) -> Vec<SocketAddr> {
    let Some(first) = addresses.first() else { return Vec::new() };
    let (mut same, mut other): (Vec<_>, Vec<_>) =
        addresses.iter().copied().partition(|address| address.is_ipv4() == first.is_ipv4());
    same.reverse();
    other.reverse();
    let mut ordered = Vec::new();
    while !(same.is_empty() && other.is_empty()) {
        ordered.extend(same.pop());
        ordered.extend(other.pop());
    }
    ordered.truncate(ATTEMPTS_MAX);
    ordered
}

async fn race(guard: &Guard, host: &Host<String>, addresses: Vec<SocketAddr>) -> Result<TcpStream, DialOutcome> {
    let mut waiting = addresses.into_iter();
    let mut attempts = FuturesUnordered::new();
    let mut failed = None;
    loop {
        match waiting.next() {
            Some(address) => attempts.push(attempt(guard, host, address)),
            None if attempts.is_empty() => return Err(failed.unwrap_or(DialOutcome::NameNotFound)),
            None => {}
        }
        let is_last = waiting.len() == 0;
        tokio::select! {
            Some(ended) = attempts.next() => match ended {
                Ok(stream) => return Ok(stream),
                // On a host without IPv6, IPv6 addresses are unreachable: the outcome of the others is more useful.
                Err(outcome) if failed.is_none() || outcome != DialOutcome::Unreachable => failed = Some(outcome),
                Err(_) => {}
            },
            () = sleep(NEXT_ATTEMPT_AFTER), if !is_last => {}
        }
    }
}

async fn attempt(guard: &Guard, host: &Host<String>, address: SocketAddr) -> Result<TcpStream, DialOutcome> {
    // Judged before, but a listener of our own may have been opened there since.
    guard.judge_address(host, address)?;
    // From this event and the next, a packet capture recognises the egress's connections.
    tracing::trace!(%address, "dials");
    let stream = TcpStream::connect(address).await.map_err(|error| outcome(&error))?;
    let local = stream.local_addr().map_err(|_| DialOutcome::Failed)?;
    tracing::trace!(%local, %address, "dialled");
    guard.judge_connected(host, address, local)?;
    // Heads and TLS records are small and must not be delayed. Without the option the connection still works.
    drop(stream.set_nodelay(true));
    Ok(stream)
}

fn outcome(error: &io::Error) -> DialOutcome {
    match error.kind() {
        ErrorKind::ConnectionRefused => DialOutcome::Refused,
        ErrorKind::ConnectionReset => DialOutcome::Reset,
        ErrorKind::TimedOut => DialOutcome::TimedOut,
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::AddrNotAvailable => {
            DialOutcome::Unreachable
        }
        _ => DialOutcome::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns_and_the_first_answer_is_tried_first() {
        let read = |list: &[&str]| list.iter().map(|address| address.parse().unwrap()).collect::<Vec<SocketAddr>>();
        let told = read(&["[2606:4700::1]:80", "[2606:4700::2]:80", "1.1.1.1:80", "[2606:4700::3]:80"]);
        let tried = read(&["[2606:4700::1]:80", "1.1.1.1:80", "[2606:4700::2]:80", "[2606:4700::3]:80"]);
        assert_eq!(in_turn(&told), tried);
        assert_eq!(in_turn(&[]), []);
        assert_eq!(in_turn(&[told[0]; 20]).len(), ATTEMPTS_MAX);
    }
}
