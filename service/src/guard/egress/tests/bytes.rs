//! Arbitrary bytes written to an egress: it answers or closes, and dials only what the guard lets through. Seeds are
//! in `tests/data/egress-requests.txt`; each run mutates them.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::*;

const SEEDS: &str = include_str!("../../../../tests/data/egress-requests.txt");
const MUTATIONS: usize = 400;
const AT_ONCE: usize = 16;

/// Decodes a seed and its escapes.
fn bytes(seed: &str, port: u16) -> Vec<u8> {
    let seed = seed.replace("PORT", &port.to_string());
    let (mut bytes, mut rest) = (Vec::new(), seed.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let (byte, length) = match (first, after) {
            (b'\\', [b'r', ..]) => (b'\r', 1),
            (b'\\', [b'n', ..]) => (b'\n', 1),
            (b'\\', [b'\\', ..]) => (b'\\', 1),
            (b'\\', [b'x', high, low, ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16).unwrap();
                (u8::try_from(digit(*high) * 16 + digit(*low)).unwrap(), 3)
            }
            (byte, _) => (*byte, 0),
        };
        bytes.push(byte);
        rest = &after[length..];
    }
    bytes
}

/// Writes these bytes and reads until the egress closes, at once or after its timeout.
async fn write_and_read(egress: &Egress, bytes: Vec<u8>) -> Vec<u8> {
    let mut caller = Caller::to(egress).await;
    // The egress may refuse early and close while we still write.
    drop(caller.0.write_all(&bytes).await);
    caller.read_to_end().await
}

async fn write_all(egress: &Egress, all: Vec<Vec<u8>>) {
    use futures_util::StreamExt as _;
    let received = futures_util::stream::iter(all).map(|bytes| write_and_read(egress, bytes)).buffer_unordered(AT_ONCE);
    received.for_each(|_| std::future::ready(())).await;
}

#[tokio::test]
async fn no_input_causes_a_forbidden_connection() {
    let site = Site::that(Does::AnswersOnce(OK)).await;
    // At the same port of another address, which no exception opens: a misdirected connection arrives here.
    let canary = Site::at(&format!("127.0.0.2:{}", site.addr.port()), Does::AnswersOnce(OK)).await;
    let guard = guard_with("site.example", "inside.example=127.0.0.2");
    let short = Duration::from_millis(200);
    let limits =
        EgressLimits { requests: 100_000, head_timeout: short, idle_timeout: short, ..EgressLimits::default() };
    let egress = Egress::open(guard, limits, Peers::anyone()).unwrap();
    let port = site.addr.port();
    let seeds: Vec<Vec<u8>> = SEEDS
        .lines()
        .map(|seed| bytes(&seed.replace("127.0.0.1", "127.0.0.2").replace("127.1", "127.2"), port))
        .collect();
    write_all(&egress, seeds.clone()).await;

    let mut runner = TestRunner::deterministic();
    let change = (any::<prop::sample::Index>(), any::<u8>(), 0..4u8);
    let changes = (prop::sample::select(seeds), prop::collection::vec(change, 1..5));
    let mutated = (0..MUTATIONS).map(|_| {
        let (mut bytes, changes) = changes.new_tree(&mut runner).unwrap().current();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, b"\r\n :/@[]%\\"[usize::from(byte) % 10]),
            }
        }
        bytes
    });
    write_all(&egress, mutated.collect()).await;

    assert_eq!(canary.connections(), 0, "{}", canary.received());
    assert!(site.connections() > 4, "too few connections were let through: {}", site.connections());
    // Every request that the site received was for it: none for another host was smuggled in.
    assert!(!site.received().contains("Host: 127.0.0.2"), "{}", site.received());
    assert_eq!(get(&egress, &site.url("site.example")).await, OK, "the egress still works");
}
