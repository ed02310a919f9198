//! The fixture web site: it serves the replies that tests put there, records requests, and misbehaves on demand.
//!
//! It runs on its own thread, so that it outlives the runtime of a single test. Servers that misbehave below HTTP are
//! in `unruly`; the content of pages is in the tests.

mod listen;
mod reply;
mod unruly;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderMap, Uri};
use tokio::sync::oneshot;

use listen::listen_at;
pub use reply::Reply;
use unruly::Unruly;

/// A public-looking name that the stack resolves to the site's address and allows.
pub const SHOP: &str = "shop.example";
/// A public-looking name that the stack resolves to the site's address but does not allow.
pub const REBOUND: &str = "rebound.example";

/// The name of the site's thread.
pub const THREAD: &str = "fixture-site";

/// The site. Dropping it stops it.
pub struct Site {
    addr: SocketAddr,
    shelf: Arc<Shelf>,
    unruly: Unruly,
    next: AtomicUsize,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// A request that the site received.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The requested URI.
    pub uri: Uri,
    /// The request's headers.
    pub headers: HeaderMap,
}

#[derive(Default)]
struct Shelf {
    replies: Mutex<HashMap<String, Reply>>,
    seen: Mutex<Vec<Seen>>,
}

impl Site {
    /// Starts the site on a free loopback port.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    pub fn start() -> Self {
        Self::at(Ipv4Addr::LOCALHOST.into())
    }

    /// Starts the site on a free port of an address of this host.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    pub fn at(address: IpAddr) -> Self {
        let (listener, addr) = listen_at(address);
        let shelf = Arc::new(Shelf::default());
        let (unruly, serve_unruly) = Unruly::bind();
        let (stop, stopped) = oneshot::channel();
        let shelf_of_thread = Arc::clone(&shelf);
        let thread = std::thread::Builder::new().name(THREAD.to_owned()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                let router = Router::new().fallback(answer).with_state(shelf_of_thread);
                tokio::spawn(async move { axum::serve(listener, router).await });
                serve_unruly();
                let _ = stopped.await;
            });
        });
        let thread = thread.expect("a thread");
        Self { addr, shelf, unruly, next: AtomicUsize::new(0), stop: Some(stop), thread: Some(thread) }
    }

    /// Returns the site's address.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Returns a new URL of the site, without a reply yet.
    #[must_use]
    pub fn reserve(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("http://{}/{number}", self.addr)
    }

    /// Puts a reply at a URL of the site, for any query.
    ///
    /// # Panics
    /// When `url` is not a URL.
    pub fn put(&self, url: &str, reply: Reply) {
        let uri: Uri = url.parse().expect("a URL");
        self.shelf.replies.lock().unwrap_or_else(PoisonError::into_inner).insert(uri.path().to_owned(), reply);
    }

    /// Puts a reply at a new URL and returns the URL.
    #[must_use]
    pub fn page(&self, reply: Reply) -> String {
        let url = self.reserve();
        self.put(&url, reply);
        url
    }

    /// Puts an HTML page at a new URL and returns the URL.
    #[must_use]
    pub fn html(&self, html: &str) -> String {
        self.page(Reply::html(html))
    }

    /// Returns the URL with another host and the same port.
    #[must_use]
    pub fn under_name(&self, url: &str, name: &str) -> String {
        url.replacen("127.0.0.1", name, 1)
    }

    /// Returns the requests for a URL, with any query.
    ///
    /// # Panics
    /// When `url` is not a URL.
    #[must_use]
    pub fn seen(&self, url: &str) -> Vec<Seen> {
        let uri: Uri = url.parse().expect("a URL");
        let seen = self.shelf.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().filter(|seen| seen.uri.path() == uri.path()).cloned().collect()
    }

    /// Returns a URL whose port refuses connections.
    #[must_use]
    pub fn refusing(&self) -> String {
        format!("http://{}/", self.unruly.refusing)
    }

    /// Returns a URL whose server resets the connection after reading from the request.
    #[must_use]
    pub fn resetting(&self) -> String {
        format!("http://{}/", self.unruly.resetting)
    }

    /// Returns a URL whose server sends its response head at one byte per second.
    #[must_use]
    pub fn dripping_head(&self) -> String {
        format!("http://{}/", self.unruly.dripping_head)
    }

    /// Returns a URL whose server closes the connection in the middle of its response, at once.
    #[must_use]
    pub fn breaking_off(&self) -> String {
        format!("http://{}/", self.unruly.breaking_off)
    }

    /// Returns a URL whose server does so a second after the first part, a title and `the first part`.
    #[must_use]
    pub fn breaking_off_late(&self) -> String {
        format!("http://{}{}", self.unruly.breaking_off, unruly::LATE)
    }

    /// Returns a URL whose server never accepts a connection.
    #[must_use]
    pub fn unaccepting(&self) -> String {
        self.unruly.fill_queue();
        format!("http://{}/", self.unruly.unaccepting())
    }

    /// Returns an `https` URL with a self-signed certificate.
    #[must_use]
    pub fn self_signed(&self) -> String {
        format!("https://{}/", self.unruly.self_signed)
    }

    /// Returns a URL that the guard must refuse. A canary listens there and counts connections.
    #[must_use]
    pub fn forbidden(&self) -> String {
        format!("http://{}/forbidden", self.unruly.canary)
    }

    /// Returns the number of connections to the canary behind [`Site::forbidden`].
    #[must_use]
    pub fn forbidden_visits(&self) -> usize {
        self.unruly.canary_visits.load(Ordering::SeqCst)
    }

    /// Returns `PORTHOLE_ALLOW_TARGETS` for the whole site except the canary.
    #[must_use]
    pub fn allow_targets(&self) -> String {
        let unruly = &self.unruly;
        let addresses = [
            self.addr,
            unruly.refusing,
            unruly.resetting,
            unruly.dripping_head,
            unruly.breaking_off,
            unruly.self_signed,
            unruly.unaccepting(),
        ];
        let addresses = addresses.map(|addr| addr.to_string());
        format!("{},{SHOP}:{}", addresses.join(","), self.addr.port())
    }

    /// Returns `PORTHOLE_RESOLVE` for the site's names.
    #[must_use]
    pub fn resolve(&self) -> String {
        format!("{SHOP}=127.0.0.1,{REBOUND}=127.0.0.1")
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn answer(State(shelf): State<Arc<Shelf>>, request: Request) -> Response {
    let (uri, headers) = (request.uri().clone(), request.headers().clone());
    let reply = shelf.replies.lock().unwrap_or_else(PoisonError::into_inner).get(uri.path()).cloned();
    shelf.seen.lock().unwrap_or_else(PoisonError::into_inner).push(Seen { uri, headers });
    reply.unwrap_or_else(|| Reply::text("nothing is here").status(404)).respond().await
}
