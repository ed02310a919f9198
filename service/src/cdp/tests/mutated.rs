//! Arbitrary bytes and mutated messages: no input from the pipe makes the client panic or hold more memory than the
//! bounds allow. `seeds/messages.txt` holds one message of each kind, as Chromium wrote it, on each line.

use chromiumoxide_cdp::cdp::browser_protocol::browser::GetVersionParams;
use futures_util::FutureExt as _;
use proptest::prelude::*;
use tokio::io::AsyncWriteExt as _;

use crate::cdp::bounds::{Bounds, Meter};
use crate::cdp::pipe::{ENDS_BYTES, PipeReceiver};
use crate::cdp::routes::{EVENT_START, Routes};
use crate::cdp::transport::{Incoming, Receiver as _};
use crate::cdp::{CdpError, FLOODED, connect_pipe};

const SEEDS: &str = include_str!("seeds/messages.txt");
const CASES: u32 = 400;
/// Small enough that some seeds exceed them.
const BOUNDS: Bounds =
    Bounds { answer_max_bytes: 3_000, event_max_bytes: 1_000, burst_bytes: 20_000, refill_bytes_a_second: 0 };
/// What the receiver may hold beyond the message that it collects: one read, and the slack of a buffer that doubles.
const HELD_BEYOND_BYTES: usize = 3 * 64 * 1024;
const METHODS: &[&str] = &["Page.frameNavigated", "Page.lifecycleEvent", "Target.attachedToTarget", FLOODED];

/// One change of a message; positions are fractions of its length.
#[derive(Clone, Debug)]
enum Change {
    Replace(f64, u8),
    Insert(f64, Vec<u8>),
    Remove(f64, f64),
    Repeat(f64, f64, u8),
    Cut(f64),
}

impl Change {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "small")]
    fn apply(&self, message: &mut Vec<u8>) {
        let length = message.len();
        let at = |share: &f64| ((length as f64 * share) as usize).min(length);
        match self {
            Change::Replace(place, byte) => {
                if let Some(old) = message.get_mut(at(place)) {
                    *old = *byte;
                }
            }
            Change::Insert(place, bytes) => drop(message.splice(at(place)..at(place), bytes.iter().copied())),
            Change::Remove(from, to) => drop(message.drain(at(from).min(at(to))..at(from).max(at(to)))),
            Change::Repeat(from, to, times) => {
                let part = message[at(from).min(at(to))..at(from).max(at(to))].repeat(usize::from(*times % 8));
                message.splice(at(to)..at(to), part);
            }
            Change::Cut(place) => message.truncate(at(place)),
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let tokens = prop::sample::select(vec![
        &b"\0"[..],
        b"\"",
        b"\\",
        b"\\ud800",
        b"{",
        b"}",
        b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        b"\"sessionId\":\"S\"}",
        b"{\"id\":1,",
        b"{\"method\":\"Target.detachedFromTarget\",",
        b"99999999999999999999999",
        b"\xff\xfe",
    ]);
    let share = || 0.0..=1.0;
    prop_oneof![
        (share(), any::<u8>()).prop_map(|(place, byte)| Change::Replace(place, byte)),
        (share(), tokens).prop_map(|(place, bytes)| Change::Insert(place, bytes.to_vec())),
        (share(), share()).prop_map(|(from, to)| Change::Remove(from, to)),
        (share(), share(), any::<u8>()).prop_map(|(from, to, times)| Change::Repeat(from, to, times)),
        share().prop_map(Change::Cut),
    ]
}

/// Generates a seed with some changes, or arbitrary bytes.
fn message() -> impl Strategy<Value = Vec<u8>> {
    let seeds: Vec<&str> = SEEDS.lines().collect();
    let mutated = (prop::sample::select(seeds), prop::collection::vec(change(), 0..4)).prop_map(|(seed, changes)| {
        let mut message = seed.as_bytes().to_vec();
        changes.iter().for_each(|change| change.apply(&mut message));
        message
    });
    prop_oneof![9 => mutated, 1 => prop::collection::vec(any::<u8>(), 0..6_000)]
}

/// Feeds the bytes to a receiver in chunks of this size and returns its messages.
fn received(stream: &[u8], chunk: usize) -> Vec<Incoming> {
    let (mut browser, ours) = tokio::io::duplex(chunk);
    let mut receiver = PipeReceiver::new(ours, BOUNDS, Meter::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let sends = async move {
            browser.write_all(stream).await.expect("a reader");
        };
        let receives = async {
            let mut all = Vec::new();
            while let Ok(message) = receiver.receive().await {
                let held_max = BOUNDS.answer_max_bytes + HELD_BEYOND_BYTES;
                assert!(receiver.held_bytes() <= held_max, "{} bytes held", receiver.held_bytes());
                all.push(message);
            }
            all
        };
        tokio::join!(sends, receives).1
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn the_receiver_splits_at_every_nul_and_keeps_no_more_than_the_bounds(
        messages in prop::collection::vec(message(), 0..12),
        chunk in 1_usize..5_000,
    ) {
        let stream = messages.join(&0);
        let expected: Vec<&[u8]> = stream.split(|byte| *byte == 0).collect();
        let incoming = received(&stream, chunk);
        // The bytes after the last NUL byte are an incomplete message.
        prop_assert_eq!(incoming.len(), expected.len() - 1);
        for (incoming, expected) in incoming.iter().zip(expected) {
            let is_event = expected.starts_with(EVENT_START);
            let max = if is_event { BOUNDS.event_max_bytes } else { BOUNDS.answer_max_bytes };
            match incoming {
                Incoming::Whole(message) => {
                    prop_assert_eq!(&message[..], expected);
                    prop_assert!(message.len() <= max);
                }
                Incoming::Oversized(message) => {
                    prop_assert!(expected.len() > max);
                    prop_assert_eq!(message.bytes, expected.len());
                    prop_assert_eq!(&message.head[..], &expected[..ENDS_BYTES]);
                    prop_assert_eq!(&message.tail[..], &expected[expected.len() - ENDS_BYTES..]);
                }
            }
        }
    }

    #[test]
    fn no_message_makes_the_routes_panic(messages in prop::collection::vec(message(), 0..12)) {
        let mut routes = Routes::new(Some(BOUNDS), Meter::default());
        let mut answers: Vec<_> = (1..20).map(|id| routes.expect(id, None)).collect();
        let sessions = SEEDS.lines().filter_map(|seed| seed.rsplit_once("\"sessionId\":\"")?.1.strip_suffix("\"}"));
        let mut streams: Vec<_> = sessions.map(|id| routes.subscribe(Some(id.into()), METHODS).0).collect();
        let stream = [messages.join(&0), vec![0]].concat();
        for incoming in received(&stream, 4_096) {
            match incoming {
                Incoming::Whole(message) => routes.route(&message),
                Incoming::Oversized(message) => routes.fail_oversized(&message),
            }
        }
        routes.close("the end".into());
        for answer in &mut answers {
            prop_assert!(answer.now_or_never().is_some(), "every call is answered");
        }
        for events in &mut streams {
            while let Some(event) = events.try_next() {
                prop_assert!(METHODS.contains(&event.method));
            }
            prop_assert!(events.next().now_or_never().is_some(), "every stream ends");
        }
    }
}

#[test]
fn a_message_of_half_a_gigabyte_is_skipped_in_little_memory() {
    let (mut browser, ours) = tokio::io::duplex(1 << 20);
    let mut receiver = PipeReceiver::new(ours, Bounds::default(), Meter::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (megabyte, megabytes) = (vec![b'x'; 1 << 20], 512);
    runtime.block_on(async {
        let sends = async {
            browser.write_all(br#"{"method":"Page.windowOpen","params":{"windowName":""#).await.unwrap();
            for _ in 0..megabytes {
                browser.write_all(&megabyte).await.unwrap();
            }
            browser.write_all(b"\"},\"sessionId\":\"S1\"}\0{}\0").await.unwrap();
        };
        let receives = async {
            let Incoming::Oversized(message) = receiver.receive().await.unwrap() else {
                panic!("the message was kept")
            };
            assert!(message.bytes > megabytes << 20);
            assert!(message.tail.ends_with(br#""sessionId":"S1"}"#));
            assert!(receiver.held_bytes() < HELD_BEYOND_BYTES, "{}", receiver.held_bytes());
            assert_eq!(receiver.receive().await.unwrap(), Incoming::Whole("{}".into()));
        };
        tokio::join!(sends, receives);
    });
}

#[tokio::test]
async fn every_seed_is_read_by_a_whole_connection() {
    let (mut browser, ours) = tokio::io::duplex(1 << 20);
    let meter = Meter::default();
    let connection = connect_pipe(ours, tokio::io::sink(), Bounds::default(), meter.clone());
    let call = connection.browser().call(&GetVersionParams::default());
    let stream = SEEDS.replace('\n', "\0");
    browser.write_all(stream.as_bytes()).await.unwrap();
    drop(browser);
    connection.closed().await;
    assert_eq!(meter.bytes.get(), stream.len() as u64);
    assert_eq!(meter.oversized.get(), 0);
    // The first seed answers the first call, but with the result of another method.
    assert!(matches!(call.await, Err(CdpError::Unreadable { .. })));
}
