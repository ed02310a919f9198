//! Tests of the egress over real sockets. This file holds what they share: sites that record what they receive, and
//! callers that write arbitrary bytes.

mod budget;
mod bytes;
mod memory;
mod peers;
mod plain;
mod refused;
mod scope;
mod strain;
mod tunnels;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use url::Host;

use super::*;
use crate::guard::{AllowFrom, AllowTargets, HostAddresses, Policy, ResolveOverrides};

/// How long any wait in these tests may take.
const SOON: Duration = Duration::from_secs(20);

/// A listener that answers every connection by a script and records what it receives.
struct Site {
    addr: SocketAddr,
    received: Arc<Mutex<Vec<u8>>>,
    connections: Arc<AtomicUsize>,
    sent: Arc<AtomicU64>,
    task: tokio::task::JoinHandle<()>,
}

/// What a site does with a connection.
#[derive(Clone, Copy)]
enum Does {
    /// Answers each head with these bytes and keeps the connection.
    Answers(&'static str),
    /// Answers the first head with these bytes, then closes.
    AnswersOnce(&'static str),
    /// Closes after the first head.
    Closes,
    /// Resets after the first head.
    Resets,
    /// Reads and never answers.
    NeverAnswers,
    /// Sends back what it receives.
    Echoes,
    /// Answers each head with a body of this many bytes.
    Pours(usize),
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

impl Site {
    async fn that(does: Does) -> Site {
        Site::at("127.0.0.1:0", does).await
    }

    async fn at(addr: &str, does: Does) -> Site {
        let listener = TcpListener::bind(addr).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (received, connections, sent) = <(Arc<Mutex<Vec<u8>>>, Arc<AtomicUsize>, Arc<AtomicU64>)>::default();
        let books = (Arc::clone(&received), Arc::clone(&connections), Arc::clone(&sent));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                books.1.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(answer(stream, does, Arc::clone(&books.0), Arc::clone(&books.2)));
            }
        });
        Site { addr, received, connections, sent, task }
    }

    fn received(&self) -> String {
        String::from_utf8_lossy(&self.received.lock().unwrap()).into_owned()
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    fn url(&self, name: &str) -> String {
        format!("http://{name}:{}/", self.addr.port())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(mut stream: TcpStream, does: Does, received: Arc<Mutex<Vec<u8>>>, sent: Arc<AtomicU64>) {
    let mut buffer = vec![0; 16 * 1024];
    let mut pending: Vec<u8> = Vec::new();
    loop {
        let Ok(count @ 1..) = stream.read(&mut buffer).await else { return };
        received.lock().unwrap().extend(&buffer[..count]);
        pending.extend(&buffer[..count]);
        if let Does::Echoes = does {
            drop(stream.write_all(&buffer[..count]).await);
            continue;
        }
        while let Some(end) = pending.windows(4).position(|window| window == b"\r\n\r\n") {
            pending.drain(..end + 4);
            match does {
                Does::Answers(answer) => drop(stream.write_all(answer.as_bytes()).await),
                Does::AnswersOnce(answer) => return drop(stream.write_all(answer.as_bytes()).await),
                Does::Closes => return,
                Does::Resets => return stream.set_zero_linger().unwrap(),
                Does::NeverAnswers | Does::Echoes => {}
                Does::Pours(size) => {
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n");
                    drop(stream.write_all(head.as_bytes()).await);
                    let mut left = size;
                    while left > 0 {
                        let part = left.min(buffer.len());
                        if stream.write_all(&buffer[..part]).await.is_err() {
                            return;
                        }
                        sent.fetch_add(part as u64, Ordering::SeqCst);
                        left -= part;
                    }
                }
            }
        }
    }
}

/// Returns a guard that opens the tests' sites as `site.example` and `other.example`, and nothing else of this host.
fn guard() -> Guard {
    guard_with("site.example,other.example,six.example", "")
}

fn guard_with(allow: &str, resolve: &str) -> Guard {
    let resolve =
        format!("site.example=127.0.0.1,other.example=127.0.0.1,six.example=::1,inside.example=127.0.0.1,{resolve}");
    Guard::new(Policy {
        allow: AllowTargets::parse(allow).unwrap(),
        allow_from: AllowFrom::Any,
        resolve: ResolveOverrides::parse(&resolve).unwrap(),
        ..Policy::default()
    })
}

async fn open(limits: EgressLimits) -> Egress {
    Egress::open(guard(), limits, Peers::anyone()).unwrap()
}

async fn open_default() -> Egress {
    open(EgressLimits::default()).await
}

/// A client of the egress, in place of the browser.
struct Caller(TcpStream);

impl Caller {
    async fn to(egress: &Egress) -> Caller {
        Caller(TcpStream::connect(egress.addr()).await.unwrap())
    }

    async fn write(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Reads a head, and a body of its `Content-Length`.
    async fn read(&mut self) -> String {
        let mut read = Vec::new();
        timeout(SOON, async {
            while !read.ends_with(b"\r\n\r\n") {
                match self.0.read_u8().await {
                    Ok(byte) => read.push(byte),
                    Err(_) => return,
                }
            }
            let head = String::from_utf8_lossy(&read).to_ascii_lowercase();
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split('\r').next()?.parse().ok());
            let mut body = vec![0; length.unwrap_or(0)];
            self.0.read_exact(&mut body).await.unwrap();
            read.extend(body);
        })
        .await
        .expect("an answer in time");
        String::from_utf8_lossy(&read).into_owned()
    }

    /// Reads until the other side closes or resets the connection.
    async fn read_to_end(&mut self) -> Vec<u8> {
        let mut read = Vec::new();
        drop(timeout(SOON, self.0.read_to_end(&mut read)).await.expect("a close in time"));
        read
    }

    async fn ask(&mut self, text: &str) -> String {
        self.write(text).await;
        self.read().await
    }
}

/// Sends one GET on a connection of its own.
async fn get(egress: &Egress, url: &str) -> String {
    Caller::to(egress).await.ask(&format!("GET {url} HTTP/1.1\r\nHost: ignored\r\n\r\n")).await
}

async fn connect(egress: &Egress, authority: &str) -> (Caller, String) {
    let mut caller = Caller::to(egress).await;
    let answer = caller.ask(&format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n")).await;
    (caller, answer)
}

fn domain(name: &str) -> Host<String> {
    Host::Domain(name.to_owned())
}

async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + SOON;
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        sleep(Duration::from_millis(5)).await;
    }
}
