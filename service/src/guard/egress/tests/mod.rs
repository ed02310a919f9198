//! The egress over real sockets. Here is what its tests share: sites that say what they heard, and callers that write
//! what they please.

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

/// How long anything here may take.
const SOON: Duration = Duration::from_secs(20);

/// A listener whose every connection is answered by a script; it keeps what it heard.
struct Site {
    addr: SocketAddr,
    heard: Arc<Mutex<Vec<u8>>>,
    connections: Arc<AtomicUsize>,
    sent: Arc<AtomicU64>,
    task: tokio::task::JoinHandle<()>,
}

/// What a site does with a connection.
#[derive(Clone, Copy)]
enum Does {
    /// Answers each head with these bytes and stays.
    Says(&'static str),
    /// The same, once, then closes.
    SaysOnce(&'static str),
    /// Closes after the first head.
    Leaves,
    /// Resets after the first head.
    Resets,
    /// Hears and says nothing.
    Sleeps,
    /// Sends back what it hears.
    Echoes,
    /// Sends this many bytes of body, whatever it hears.
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
        let (heard, connections, sent) = <(Arc<Mutex<Vec<u8>>>, Arc<AtomicUsize>, Arc<AtomicU64>)>::default();
        let books = (Arc::clone(&heard), Arc::clone(&connections), Arc::clone(&sent));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                books.1.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(answer(stream, does, Arc::clone(&books.0), Arc::clone(&books.2)));
            }
        });
        Site { addr, heard, connections, sent, task }
    }

    fn heard(&self) -> String {
        String::from_utf8_lossy(&self.heard.lock().unwrap()).into_owned()
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

async fn answer(mut stream: TcpStream, does: Does, heard: Arc<Mutex<Vec<u8>>>, sent: Arc<AtomicU64>) {
    let mut buffer = vec![0; 16 * 1024];
    let mut pending: Vec<u8> = Vec::new();
    loop {
        let Ok(count @ 1..) = stream.read(&mut buffer).await else { return };
        heard.lock().unwrap().extend(&buffer[..count]);
        pending.extend(&buffer[..count]);
        if let Does::Echoes = does {
            drop(stream.write_all(&buffer[..count]).await);
            continue;
        }
        while let Some(end) = pending.windows(4).position(|window| window == b"\r\n\r\n") {
            pending.drain(..end + 4);
            match does {
                Does::Says(answer) => drop(stream.write_all(answer.as_bytes()).await),
                Does::SaysOnce(answer) => return drop(stream.write_all(answer.as_bytes()).await),
                Does::Leaves => return,
                Does::Resets => return stream.set_zero_linger().unwrap(),
                Does::Sleeps | Does::Echoes => {}
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

/// A guard that lets tests' sites be reached as `site.example` and `other.example`, and nothing else of this host.
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

async fn plainly() -> Egress {
    open(EgressLimits::default()).await
}

/// A caller of the egress.
struct Caller(TcpStream);

impl Caller {
    async fn to(egress: &Egress) -> Caller {
        Caller(TcpStream::connect(egress.addr()).await.unwrap())
    }

    async fn write(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// A head, and as much of a body as its `Content-Length` says.
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

    /// All that comes until the other side closes, in whatever way.
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

/// One GET on a connection of its own.
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
