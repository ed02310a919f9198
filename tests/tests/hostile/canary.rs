//! Canaries: listeners on TCP and UDP where nobody may ever come. They answer whoever does, so that it says more.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinSet;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: text/html\r\n\
    Content-Length: 5\r\nConnection: close\r\n\r\nheard";
/// As much of what is said as is kept.
const SAID_MAX_BYTES: usize = 1024;

/// All canaries of one port. Dropping them closes them.
pub(crate) struct Canaries {
    heard: Arc<Mutex<Vec<Heard>>>,
    _listening: JoinSet<()>,
}

/// Somebody came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    /// `tcp` or `udp`.
    pub(crate) protocol: &'static str,
    /// Whom they came to.
    pub(crate) at: IpAddr,
    /// The first of what they said; nothing, if they only connected.
    pub(crate) said: String,
}

type Notes = Arc<Mutex<Vec<Heard>>>;

impl Canaries {
    /// Listens at this port of every address; `None` if somebody else does at one of them.
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

    /// Who has come so far.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether somebody said this.
    pub(crate) fn heard_about(&self, text: &str) -> bool {
        self.heard().iter().any(|heard| heard.said.contains(text))
    }
}

async fn hear_connections(listener: TcpListener, notes: Notes) {
    let at = address_of(listener.local_addr());
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let index = note(&notes, Heard { protocol: "tcp", at, said: String::new() });
        tokio::spawn(hear_out(stream, Arc::clone(&notes), index));
    }
}

async fn hear_out(mut stream: TcpStream, notes: Notes, index: usize) {
    let mut said = vec![0; SAID_MAX_BYTES];
    let Ok(count) = stream.read(&mut said).await else { return };
    let said = String::from_utf8_lossy(&said[..count]).into_owned();
    notes.lock().unwrap_or_else(PoisonError::into_inner)[index].said = said;
    let _ = stream.write_all(ANSWER).await;
    let _ = stream.shutdown().await;
}

async fn hear_datagrams(socket: UdpSocket, notes: Notes) {
    let at = address_of(socket.local_addr());
    let mut said = vec![0; SAID_MAX_BYTES];
    loop {
        let Ok(count) = socket.recv(&mut said).await else { continue };
        let said = String::from_utf8_lossy(&said[..count]).into_owned();
        note(&notes, Heard { protocol: "udp", at, said });
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
