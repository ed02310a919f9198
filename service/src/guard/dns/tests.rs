//! Look-ups against DNS servers on loopback.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use simple_dns::rdata::{A, AAAA, CNAME, RData};
use simple_dns::{CLASS, Name, Packet, PacketFlag, QTYPE, RCODE, ResourceRecord};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinSet;

use super::files::{Hosts, Servers};
use super::*;

/// A DNS server over UDP and TCP. A name's first label selects the answer. It counts the questions over UDP.
struct Server {
    addr: SocketAddr,
    asked: Arc<AtomicUsize>,
    _serving: JoinSet<()>,
}

impl Server {
    async fn start() -> Server {
        let (udp, tcp, addr) = loop {
            let udp = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            let addr = udp.local_addr().unwrap();
            if let Ok(tcp) = TcpListener::bind(addr).await {
                break (udp, tcp, addr);
            }
        };
        let asked = Arc::new(AtomicUsize::new(0));
        let mut serving = JoinSet::new();
        let count = Arc::clone(&asked);
        serving.spawn(async move {
            let mut question = vec![0; 4096];
            while let Ok((length, from)) = udp.recv_from(&mut question).await {
                count.fetch_add(1, Ordering::SeqCst);
                for answer in answers(&question[..length], false) {
                    udp.send_to(&answer, from).await.unwrap();
                }
            }
        });
        serving.spawn(async move {
            while let Ok((mut stream, _)) = tcp.accept().await {
                let mut question = vec![0; stream.read_u16().await.unwrap().into()];
                stream.read_exact(&mut question).await.unwrap();
                for answer in answers(&question, true) {
                    stream.write_u16(answer.len().try_into().unwrap()).await.unwrap();
                    stream.write_all(&answer).await.unwrap();
                }
            }
        });
        Server { addr, asked, _serving: serving }
    }

    fn files(&self) -> SystemFiles {
        SystemFiles::saying("", Servers::only(vec![self.addr]))
    }
}

const FOUND: Ipv4Addr = Ipv4Addr::new(93, 184, 216, 34);

fn answers(question: &[u8], over_tcp: bool) -> Vec<Vec<u8>> {
    let query = Packet::parse(question).unwrap();
    let question = &query.questions[0];
    let name = question.qname.to_string();
    let kind = question.qtype;
    let record =
        |name: &Name<'_>, data: RData<'static>| ResourceRecord::new(name.clone().into_owned(), CLASS::IN, 0, data);
    let address = |name: &Name<'_>, found: Ipv4Addr| match kind {
        QTYPE::TYPE(TYPE::A) => Some(record(name, RData::A(A::from(found)))),
        _ => None,
    };
    let reply = |id: u16| {
        let mut reply = Packet::new_reply(id);
        reply.questions.push(question.clone().into_owned());
        reply
    };
    let mut answer = reply(query.id());
    let other = Name::new_unchecked("other.example").into_owned();
    let alias = |to: &Name<'_>| RData::CNAME(CNAME(to.clone().into_owned()));
    let mut before = Vec::new();
    match name.to_ascii_lowercase().split('.').next().unwrap() {
        "found" => answer.answers.extend(address(&question.qname, FOUND)),
        "six" if kind == QTYPE::TYPE(TYPE::AAAA) => {
            answer.answers.push(record(&question.qname, RData::AAAA(AAAA::from(Ipv6Addr::LOCALHOST))));
        }
        "six" | "empty" => {}
        "silent" => return Vec::new(),
        "error" => *answer.rcode_mut() = RCODE::ServerFailure,
        "alias" => {
            answer.answers.push(record(&question.qname, alias(&other)));
            answer.answers.extend(address(&other, FOUND));
        }
        "loop" => {
            answer.answers.push(record(&question.qname, alias(&other)));
            answer.answers.push(record(&other, alias(&question.qname)));
        }
        // An address of another name than the one in the question.
        "stray" => answer.answers.extend(address(&other, FOUND)),
        "long" if !over_tcp => answer.set_flags(PacketFlag::TRUNCATION),
        "long" => answer.answers.extend(address(&question.qname, FOUND)),
        // Forgeries come first: another id, another question, no DNS message at all.
        "forged" => {
            let mut wrong = reply(query.id().wrapping_add(1));
            wrong.answers.extend(address(&question.qname, Ipv4Addr::LOCALHOST));
            before.push(wrong.build_bytes_vec().unwrap());
            let mut wrong = reply(query.id());
            wrong.questions[0].qname = other.clone();
            wrong.answers.extend(address(&other, Ipv4Addr::LOCALHOST));
            before.push(wrong.build_bytes_vec().unwrap());
            before.push(vec![0xff; 40]);
            answer.answers.extend(address(&question.qname, FOUND));
        }
        _ => *answer.rcode_mut() = RCODE::NameError,
    }
    before.push(answer.build_bytes_vec().unwrap());
    before
}

#[tokio::test]
async fn names_are_found_by_their_records_aliases_and_over_tcp() {
    let server = Server::start().await;
    let files = server.files();
    for name in ["found.example", "FOUND.example", "found.example.", "alias.example", "long.example", "forged.example"]
    {
        assert_eq!(look_up(&files, name).await, Ok(vec![FOUND.into()]), "{name}");
    }
    assert_eq!(look_up(&files, "six.example").await, Ok(vec![Ipv6Addr::LOCALHOST.into()]));
    for name in ["none.example", "empty.example", "stray.example"] {
        assert_eq!(look_up(&files, name).await, Err(DnsError::NotFound), "{name}");
    }
    for name in ["error.example", "loop.example"] {
        assert_eq!(look_up(&files, name).await, Err(DnsError::Silent), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_server_is_asked_if_none_gives_a_usable_answer() {
    let (first, second) = (Server::start().await, Server::start().await);
    let servers = Servers::only(vec![first.addr, second.addr]);
    let files = SystemFiles::saying("", servers);
    for name in ["error.example", "silent.example"] {
        assert_eq!(look_up(&files, name).await, Err(DnsError::Silent), "{name}");
    }
    // Two kinds of address, two attempts, two names.
    assert_eq!((first.asked.load(Ordering::SeqCst), second.asked.load(Ordering::SeqCst)), (8, 8));
}

#[tokio::test]
async fn the_hosts_file_is_asked_first_and_alone() {
    let server = Server::start().await;
    let hosts = "10.1.2.3 found.example alias # silent.example\n\n#1.1.1.1 x\nnonsense y\nfd00::1\tfound.example";
    let files = SystemFiles::saying(hosts, Servers::only(vec![server.addr]));
    for name in ["found.example", "Found.Example."] {
        assert_eq!(
            look_up(&files, name).await.unwrap(),
            ["10.1.2.3", "fd00::1"].map(|ip| ip.parse::<IpAddr>().unwrap())
        );
    }
    assert_eq!(look_up(&files, "alias").await.unwrap().len(), 1);
    assert_eq!(server.asked.load(Ordering::SeqCst), 0);
    assert_eq!(Hosts::parse("nonsense").addresses("nonsense"), None);
}

#[tokio::test]
async fn dropping_a_look_up_closes_its_sockets() {
    let server = Server::start().await;
    let files = server.files();
    let end = format!("{:08X}:{:04X}", u32::from_ne_bytes([127, 0, 0, 1]), server.addr.port());
    let mut look_ups = JoinSet::new();
    let files = Arc::new(files);
    for n in 0..100 {
        let files = Arc::clone(&files);
        look_ups.spawn(async move { look_up(&files, &format!("silent.{n}.example")).await });
    }
    while server.asked.load(Ordering::SeqCst) < 200 {
        tokio::task::yield_now().await;
    }
    until_sockets_to(&end, 200).await;
    look_ups.abort_all();
    while look_ups.join_next().await.is_some() {}
    // A process that another test is just starting has them, too, until it runs its program.
    until_sockets_to(&end, 0).await;
}

/// Waits until the kernel lists `count` UDP sockets whose remote end is `end`, for ten seconds.
///
/// It lists a page at a time, by position: where other tests open and close sockets meanwhile, one is listed twice or not
/// at all.
async fn until_sockets_to(end: &str, count: usize) {
    let mut seen = 0;
    let waited = tokio::time::timeout(Duration::from_secs(10), async {
        loop {
            let listed = std::fs::read_to_string("/proc/net/udp").unwrap();
            seen = listed.matches(&format!(" {end} 01")).count();
            if seen == count {
                return;
            }
            tokio::task::yield_now().await;
        }
    });
    waited.await.unwrap_or_else(|_| panic!("{seen} sockets are open, not {count}"));
}

#[test]
fn resolv_conf_is_read_as_the_system_reads_it() {
    let servers = Servers::parse(
        "; comment\n# another\nnameserver 9.9.9.9\nnameserver 2620:fe::fe\nnameserver fe80::1%1\nnameserver 1.1.1.1\n\
         nameserver nonsense\ndomain old.example\nsearch a.example b.example. bad..name\n\
         options ndots:2 timeout:1 attempts:9 rotate edns0\nsortlist 1.2.3.4\n",
        "host.own.example",
    );
    let addresses: Vec<String> = servers.addresses.iter().map(ToString::to_string).collect();
    assert_eq!(addresses, ["9.9.9.9:53", "[2620:fe::fe]:53", "[fe80::1%1]:53"]);
    assert_eq!((servers.timeout, servers.attempts), (Duration::from_secs(1), 5));
    assert_eq!(servers.names("db"), ["db.a.example", "db.b.example", "db"]);
    assert_eq!(servers.names("db.x"), ["db.x.a.example", "db.x.b.example", "db.x"]);
    assert_eq!(servers.names("db.x.y"), ["db.x.y", "db.x.y.a.example", "db.x.y.b.example"]);
    assert_eq!(servers.names("db."), ["db"]);

    let servers = Servers::parse("", "host.own.example");
    assert_eq!(servers.addresses, ["127.0.0.1:53".parse().unwrap()]);
    assert_eq!(servers.names("db"), ["db.own.example", "db"]);
    assert_eq!(Servers::parse("search\n", "host.own.example").names("db"), ["db"]);
}

#[test]
fn a_file_that_changes_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (hosts, servers) = (folder.path().join("hosts"), folder.path().join("resolv.conf"));
    let files = SystemFiles::at(&hosts, &servers);
    assert_eq!(files.read().0.addresses("a.example"), None);
    std::fs::write(&hosts, "10.0.0.1 a.example\n").unwrap();
    std::fs::write(&servers, "nameserver 10.0.0.53\n").unwrap();
    assert_eq!(files.read().0.addresses("a.example").unwrap().len(), 1);
    assert_eq!(files.read().1.addresses, ["10.0.0.53:53".parse().unwrap()]);
    std::fs::write(&servers, "nameserver 10.0.0.54\nnameserver 10.0.0.55\n").unwrap();
    assert_eq!(files.read().1.addresses.len(), 2);
}
