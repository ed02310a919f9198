//! The listeners of this process, found as any program on this host could find them.

use std::collections::HashSet;
use std::fs;
use std::net::Ipv4Addr;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// The kernel's `TCP_LISTEN`, as `/proc/net/tcp` prints it.
const LISTENING: &str = "0A";

/// Returns the ports of 127.0.0.1 at which this process listens.
fn of_this_process() -> Vec<u16> {
    let descriptors = fs::read_dir("/proc/self/fd").expect("our own descriptors");
    let links = descriptors.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    let ours: HashSet<String> =
        links.filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())).collect();
    let table = fs::read_to_string("/proc/net/tcp").expect("the kernel's table");
    let loopback = format!("{:08X}", u32::from_ne_bytes(Ipv4Addr::LOCALHOST.octets()));
    let port = |line: &str| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let (address, port) = fields.get(1)?.split_once(':')?;
        let listens = address == loopback && *fields.get(3)? == LISTENING && ours.contains(*fields.get(9)?);
        listens.then(|| u16::from_str_radix(port, 16).ok()).flatten()
    };
    table.lines().filter_map(port).collect()
}

/// Sends a proxy request for a URL to all of them at once. Some belong to other tests of this process and don't answer.
pub(crate) async fn ask_all(url: &str) {
    join_all(of_this_process().into_iter().map(|port| ask(port, url))).await;
}

async fn ask(port: u16, url: &str) {
    let _ = timeout(ANSWER_WITHIN, async {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
        stream.write_all(format!("GET {url} HTTP/1.1\r\nConnection: close\r\n\r\n").as_bytes()).await?;
        stream.read_to_end(&mut Vec::new()).await
    })
    .await;
}
