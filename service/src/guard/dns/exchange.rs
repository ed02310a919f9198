//! Sends one question to one DNS server: over UDP, then over TCP if the answer was truncated.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use simple_dns::rdata::RData;
use simple_dns::{CLASS, Name, Packet, PacketFlag, QTYPE, Question, RCODE, TYPE};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

/// Largest answer over UDP that is read. Without EDNS a server sends 512 bytes at most.
const UDP_MAX_BYTES: usize = 4_096;
/// Aliases that are followed within one answer.
const ALIASES_MAX: usize = 16;

/// Why a server gave no addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The name does not exist.
    NoSuchName,
    /// No answer, or one that does not settle the name; another server may know it.
    Unusable(&'static str),
}

/// Asks the server for this name's addresses of this kind. Empty if the name has only other records.
pub(super) async fn ask(server: SocketAddr, name: &str, kind: TYPE, limit: Duration) -> Result<Vec<IpAddr>, Failure> {
    let answered = timeout(limit, async {
        let query = Query::new(name, kind)?;
        match query.read(&query.over_udp(server).await.map_err(unreachable)?)? {
            Answer::Addresses(addresses) => Ok(addresses),
            Answer::Truncated => match query.read(&query.over_tcp(server).await.map_err(unreachable)?)? {
                Answer::Addresses(addresses) => Ok(addresses),
                Answer::Truncated => Err(Failure::Unusable("truncated over TCP")),
            },
        }
    });
    answered.await.unwrap_or(Err(Failure::Unusable("timed out")))
}

fn unreachable(_: io::Error) -> Failure {
    Failure::Unusable("unreachable")
}

enum Answer {
    Addresses(Vec<IpAddr>),
    Truncated,
}

struct Query<'a> {
    name: Name<'a>,
    kind: TYPE,
    id: u16,
    message: Vec<u8>,
}

impl<'a> Query<'a> {
    fn new(name: &'a str, kind: TYPE) -> Result<Query<'a>, Failure> {
        let unaskable = |_| Failure::NoSuchName;
        // Random: a forged answer must match this id and the port.
        let mut id = [0; 2];
        getrandom::fill(&mut id).map_err(|_| Failure::Unusable("no randomness"))?;
        let id = u16::from_ne_bytes(id);
        let name = Name::new(name).map_err(unaskable)?;
        let mut packet = Packet::new_query(id);
        packet.set_flags(PacketFlag::RECURSION_DESIRED);
        packet.questions.push(Question::new(name.clone(), kind.into(), CLASS::IN.into(), false));
        let message = packet.build_bytes_vec().map_err(unaskable)?;
        Ok(Query { name, kind, id, message })
    }

    async fn over_udp(&self, server: SocketAddr) -> io::Result<Vec<u8>> {
        let any: IpAddr = if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let socket = UdpSocket::bind((any, 0)).await?;
        // Connected, so that the kernel drops messages of other senders.
        socket.connect(server).await?;
        socket.send(&self.message).await?;
        let mut message = vec![0; UDP_MAX_BYTES];
        loop {
            let count = socket.recv(&mut message).await?;
            // Any other message may be forged; the true answer may still come.
            if Packet::parse(&message[..count]).is_ok_and(|packet| self.is_answered_by(&packet)) {
                message.truncate(count);
                return Ok(message);
            }
        }
    }

    async fn over_tcp(&self, server: SocketAddr) -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(server).await?;
        let length = u16::try_from(self.message.len()).map_err(io::Error::other)?;
        stream.write_all(&[&length.to_be_bytes()[..], &self.message].concat()).await?;
        let mut message = vec![0; stream.read_u16().await?.into()];
        stream.read_exact(&mut message).await?;
        Ok(message)
    }

    fn is_answered_by(&self, packet: &Packet<'_>) -> bool {
        let [question] = &packet.questions[..] else { return false };
        packet.id() == self.id
            && packet.has_flags(PacketFlag::RESPONSE)
            && question.qname == self.name
            && question.qtype == QTYPE::TYPE(self.kind)
    }

    fn read(&self, message: &[u8]) -> Result<Answer, Failure> {
        let packet = Packet::parse(message)
            .ok()
            .filter(|packet| self.is_answered_by(packet))
            .ok_or(Failure::Unusable("not an answer"))?;
        match packet.rcode() {
            RCODE::NoError => {}
            RCODE::NameError => return Err(Failure::NoSuchName),
            _ => return Err(Failure::Unusable("an error code")),
        }
        if packet.has_flags(PacketFlag::TRUNCATION) {
            return Ok(Answer::Truncated);
        }
        let records = || packet.answers.iter().filter(|record| record.class == CLASS::IN);
        let mut names = vec![&self.name];
        while let Some(alias) = names.last().and_then(|last| {
            records().find_map(|record| match &record.rdata {
                RData::CNAME(alias) if record.name == **last => Some(&alias.0),
                _ => None,
            })
        }) {
            if names.len() > ALIASES_MAX || names.contains(&alias) {
                return Err(Failure::Unusable("an alias loop"));
            }
            names.push(alias);
        }
        let address = |rdata: &RData<'_>| match rdata {
            RData::A(a) if self.kind == TYPE::A => Some(IpAddr::from(Ipv4Addr::from(a.address))),
            RData::AAAA(aaaa) if self.kind == TYPE::AAAA => Some(IpAddr::from(Ipv6Addr::from(aaaa.address))),
            _ => None,
        };
        let of_name = records().filter(|record| names.contains(&&record.name));
        Ok(Answer::Addresses(of_name.filter_map(|record| address(&record.rdata)).collect()))
    }
}
