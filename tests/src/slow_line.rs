//! A slow line before a server: bytes arrive later, and no faster than they may.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

/// What is read at once, in bytes: a packet of the line.
const CHUNK_BYTES: usize = 1_400;
/// What the line itself holds in each direction, in chunks: a fast one holds more than a slow one.
const HELD_CHUNKS: usize = 1024;
/// A timer is no finer.
const SHORTEST_SLEEP: Duration = Duration::from_millis(1);
/// The least buffer of its own socket: a line has no megabytes.
const BUFFER_BYTES: u32 = 16 * 1024;

/// The line. Dropping it cuts it.
#[derive(Debug)]
pub struct SlowLine {
    /// What clients connect to.
    pub addr: SocketAddr,
    bytes_a_second: Arc<AtomicU64>,
    _tasks: JoinSet<()>,
}

impl SlowLine {
    /// Begins a line to `server`, with this delay in each direction.
    ///
    /// # Panics
    /// When no port is free.
    pub async fn before(server: SocketAddr, bytes_a_second: u64, delay: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = listener.local_addr().expect("a bound port has an address");
        let rate = Arc::new(AtomicU64::new(bytes_a_second));
        let mut tasks = JoinSet::new();
        let of_line = Arc::clone(&rate);
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let socket = TcpSocket::new_v4().expect("a socket");
                socket.set_recv_buffer_size(BUFFER_BYTES).expect("a small buffer");
                let Ok(stream) = socket.connect(server).await else { continue };
                // What a line delays is in `carry`; these sockets add nothing.
                for socket in [&client, &stream] {
                    socket.set_nodelay(true).expect("an open socket");
                }
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = stream.into_split();
                connections.spawn(carry(from_client, to_server, Arc::clone(&of_line), delay));
                connections.spawn(carry(from_server, to_client, Arc::clone(&of_line), delay));
            }
        });
        Self { addr, bytes_a_second: rate, _tasks: tasks }
    }

    /// Makes it faster or slower.
    pub fn set_bytes_a_second(&self, bytes: u64) {
        self.bytes_a_second.store(bytes, Ordering::Relaxed);
    }
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, bytes_a_second: Arc<AtomicU64>, delay: Duration) {
    let (sender, mut receiver) = mpsc::channel::<(Instant, Vec<u8>)>(HELD_CHUNKS);
    let mut arriving = JoinSet::new();
    arriving.spawn(async move {
        while let Some((at, bytes)) = receiver.recv().await {
            sleep_until(at).await;
            if to.write_all(&bytes).await.is_err() {
                return;
            }
        }
    });
    let mut buffer = vec![0; CHUNK_BYTES];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let takes = Duration::from_secs_f64(read as f64 / bytes_a_second.load(Ordering::Relaxed) as f64);
        if takes >= SHORTEST_SLEEP {
            sleep(takes).await;
        }
        if sender.send((Instant::now() + delay, buffer[..read].to_vec())).await.is_err() {
            return;
        }
    }
    drop(sender);
    arriving.join_all().await;
}
