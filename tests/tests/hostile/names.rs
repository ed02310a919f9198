//! A DNS server for the tests: the queried name itself determines the answer, and the server counts queries by name.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket as BlockingSocket};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use simple_dns::rdata::{A, AAAA, RData};
use simple_dns::{CLASS, Name, Packet, PacketFlag, QTYPE, Question, RCODE, ResourceRecord, TYPE};
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// The zone of all names that the server knows.
pub(crate) const ZONE: &str = "hostile.example";
/// The first label of names that the server never answers.
pub(crate) const SILENT: &str = "silent";
/// Maximum size of a DNS message over UDP.
const MESSAGE_MAX_BYTES: usize = 1232;
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
const TTL_SECONDS: u32 = 0;

/// The addresses that the names resolve to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leads {
    /// The public site's address.
    pub(crate) public: Ipv4Addr,
    /// A canary's address.
    pub(crate) forbidden: Ipv4Addr,
    /// Another canary's address.
    pub forbidden6: Ipv6Addr,
}

/// The running server. Dropping this ends it.
pub(crate) struct Names {
    addr: SocketAddr,
    asked: Asked,
    task: JoinHandle<()>,
}

/// Counts queries for addresses, by name and whether they are for IPv4.
type Asked = Arc<Mutex<HashMap<(String, bool), usize>>>;

impl Names {
    /// Serves at this address.
    ///
    /// # Panics
    /// When the address is taken.
    pub(crate) async fn at(addr: SocketAddr, leads: Leads) -> Names {
        let socket = UdpSocket::bind(addr).await.expect("a free port for the DNS server");
        let addr = socket.local_addr().expect("a bound socket");
        let asked = Asked::default();
        let task = tokio::spawn(serve(socket, leads, Arc::clone(&asked)));
        Names { addr, asked, task }
    }

    /// Returns the number of IPv4 queries for each name.
    pub(crate) fn all_asked(&self) -> BTreeMap<String, usize> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().filter(|((_, v4), _)| *v4).map(|((name, _), count)| (name.clone(), *count)).collect()
    }

    /// Returns a function that queries this server only, for a resolver.
    pub(crate) fn look_up(&self) -> impl Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync + use<> {
        let server = self.addr;
        move |name, port| {
            let addresses = [ask(server, name, TYPE::A)?, ask(server, name, TYPE::AAAA)?].concat();
            Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
        }
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(socket: UdpSocket, leads: Leads, asked: Asked) {
    let mut question = vec![0; MESSAGE_MAX_BYTES];
    loop {
        let Ok((count, from)) = socket.recv_from(&mut question).await else { continue };
        if let Some(answer) = answer(&question[..count], leads, &asked) {
            let _ = socket.send_to(&answer, from).await;
        }
    }
}

fn answer(message: &[u8], leads: Leads, asked: &Asked) -> Option<Vec<u8>> {
    let query = Packet::parse(message).ok()?;
    let question = query.questions.first()?;
    let name = question.qname.to_string().to_ascii_lowercase();
    let v4 = question.qtype == QTYPE::TYPE(TYPE::A);
    let before = {
        let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
        // IPv4 and IPv6 queries are counted separately, so that a name changes its address for both or for neither.
        let count = asked.entry((name.clone(), v4)).or_default();
        *count += 1;
        *count - 1
    };
    let mut reply = Packet::new_reply(query.id());
    reply.set_flags(PacketFlag::RECURSION_DESIRED | PacketFlag::RECURSION_AVAILABLE);
    reply.questions.push(question.clone());
    let label = name.strip_suffix(ZONE).and_then(|rest| rest.split(['.', '-']).next());
    if label == Some(SILENT) {
        return None;
    }
    match label.map(|label| addresses(label, before, leads)) {
        Some(Some(addresses)) => {
            let of_kind = addresses.into_iter().filter(|address| address.is_ipv4() == v4);
            reply.answers.extend(of_kind.map(|address| {
                let data = match address {
                    IpAddr::V4(address) => RData::A(A::from(address)),
                    IpAddr::V6(address) => RData::AAAA(AAAA::from(address)),
                };
                ResourceRecord::new(question.qname.clone(), CLASS::IN, TTL_SECONDS, data)
            }));
        }
        _ => *reply.rcode_mut() = RCODE::NameError,
    }
    reply.build_bytes_vec().ok()
}

/// Returns the addresses for a name's first label, after `before` earlier queries for the name.
fn addresses(word: &str, before: usize, leads: Leads) -> Option<Vec<IpAddr>> {
    let (public, forbidden) = (IpAddr::from(leads.public), IpAddr::from(leads.forbidden));
    let turns_after = word.strip_prefix("turns").and_then(|times| times.parse::<usize>().ok());
    Some(match (word, turns_after) {
        ("public", _) => vec![public],
        ("inside", _) => vec![forbidden],
        ("inside6", _) => vec![leads.forbidden6.into()],
        ("both", _) => vec![public, forbidden],
        (_, Some(times)) => vec![if before < times { public } else { forbidden }],
        _ => return None,
    })
}

fn ask(server: SocketAddr, name: &str, kind: TYPE) -> io::Result<Vec<IpAddr>> {
    let mut query = Packet::new_query(1);
    let name = Name::new(name).map_err(io::Error::other)?;
    query.questions.push(Question::new(name, kind.into(), CLASS::IN.into(), false));
    let query = query.build_bytes_vec().map_err(io::Error::other)?;
    let socket = BlockingSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.set_read_timeout(Some(ANSWER_WITHIN))?;
    socket.connect(server)?;
    socket.send(&query)?;
    let mut message = vec![0; MESSAGE_MAX_BYTES];
    let count = socket.recv(&mut message)?;
    let reply = Packet::parse(&message[..count]).map_err(io::Error::other)?;
    if reply.rcode() != RCODE::NoError {
        return Err(io::Error::other("no such name"));
    }
    let address = |record: &ResourceRecord<'_>| match &record.rdata {
        RData::A(a) => Some(IpAddr::from(Ipv4Addr::from(a.address))),
        RData::AAAA(aaaa) => Some(IpAddr::from(Ipv6Addr::from(aaaa.address))),
        _ => None,
    };
    Ok(reply.answers.iter().filter_map(address).collect())
}
