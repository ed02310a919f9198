//! The sockets of the site's servers.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

/// Binds a port of the loopback interface.
pub(super) fn listen() -> (TcpListener, SocketAddr) {
    listen_at(Ipv4Addr::LOCALHOST.into())
}

/// Binds a port of this address.
pub(super) fn listen_at(address: IpAddr) -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((address, 0)).expect("a free port");
    listener.set_nonblocking(true).expect("a socket that can be non-blocking");
    let addr = listener.local_addr().expect("a bound address");
    (listener, addr)
}
