//! Canaries: TCP and UDP listeners at forbidden targets. They answer each connection, so that the client sends more.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinSet;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: text/html\r\n\
    Content-Length: 5\r\nConnection: close\r\n\r\nheard";
/// Maximum bytes that are kept of each message.
const RECEIVED_MAX_BYTES: usize = 1024;

/// All canaries of one port. Dropping this closes them.
pub(crate) struct Canaries {
    heard: Arc<Mutex<Vec<Heard>>>,
    _listening: JoinSet<()>,
}

/// A connection or datagram that reached a canary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    /// `tcp` or `udp`.
    pub(crate) protocol: &'static str,
    /// The canary's address.
    pub(crate) at: IpAddr,
    /// The first message; empty, if the client only connected.
    pub(crate) received: String,
}

type Notes = Arc<Mutex<Vec<Heard>>>;

impl Canaries {
    /// Listens at this port of every address. Returns `None` if it is taken at one of them.
    pub(crate) async fn at(addresses: &[IpAddr], port: u16) -> Option<Canaries> {
        let heard = Notes::default();
        let mut listening = JoinSet::new();
        for address in addresses {
            let tcp = TcpListener::bind((*address, port)).await.ok()?;
            let udp = UdpSocket::bind((*address, port)).await.ok()?;
            listening.spawn(hear_connections(tcp, Arc::clone(&heard)));
            listening.spawn(hear_datagrams(udp, Arc::clone(&heard)));
        }
        Some(Canaries { heard, _listening: listening })
    }

    /// Returns everything that has reached the canaries so far.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a message with this text has reached a canary.
    pub(crate) fn heard_about(&self, text: &str) -> bool {
        self.heard().iter().any(|heard| heard.received.contains(text))
    }
}

async fn hear_connections(listener: TcpListener, notes: Notes) {
    let at = address_of(listener.local_addr());
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let index = note(&notes, Heard { protocol: "tcp", at, received: String::new() });
        tokio::spawn(hear_out(stream, Arc::clone(&notes), index));
    }
}

async fn hear_out(mut stream: TcpStream, notes: Notes, index: usize) {
    let mut received = vec![0; RECEIVED_MAX_BYTES];
    let Ok(count) = stream.read(&mut received).await else { return };
    let received = String::from_utf8_lossy(&received[..count]).into_owned();
    notes.lock().unwrap_or_else(PoisonError::into_inner)[index].received = received;
    let _ = stream.write_all(ANSWER).await;
    let _ = stream.shutdown().await;
}

async fn hear_datagrams(socket: UdpSocket, notes: Notes) {
    let at = address_of(socket.local_addr());
    let mut received = vec![0; RECEIVED_MAX_BYTES];
    loop {
        let Ok(count) = socket.recv(&mut received).await else { continue };
        let received = String::from_utf8_lossy(&received[..count]).into_owned();
        note(&notes, Heard { protocol: "udp", at, received });
    }
}

fn address_of(bound: std::io::Result<SocketAddr>) -> IpAddr {
    bound.expect("a bound socket has an address").ip()
}

fn note(notes: &Notes, heard: Heard) -> usize {
    let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    notes.push(heard);
    notes.len() - 1
}
