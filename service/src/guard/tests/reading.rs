//! Compares the URL reader and the address table with second implementations that share no code with them: a URL
//! reader written from the standard's state machine (https://url.spec.whatwg.org/, without IDNA) and the address
//! blocks as intervals of numbers. Seeds are in `tests/data/guard-urls.txt`; each run adds mutations of them and URLs
//! assembled from odd pieces.

use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;
use crate::guard::refusal::InvalidUrl;
use crate::guard::target::Target;

const SEEDS: &str = include_str!("../../../tests/data/guard-urls.txt");
const BLOCKS: &str = include_str!("../../../tests/data/address-blocks.tsv");

/// The second reader's result for a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Read {
    /// The URL needs IDNA, which the second reader lacks.
    Unknown,
    Invalid,
    Url {
        host: Host<String>,
        port: u16,
        has_userinfo: bool,
    },
}

fn read(raw: &str) -> Read {
    let text: String = raw
        .trim_matches(|character: char| character <= ' ')
        .chars()
        .filter(|character| !matches!(character, '\t' | '\n' | '\r'))
        .collect();
    let Some((scheme, rest)) = text.split_once(':') else { return Read::Invalid };
    let default_port = match scheme.to_ascii_lowercase().as_str() {
        "http" => 80,
        "https" => 443,
        _ => return Read::Invalid,
    };
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap();
    let (userinfo, place) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (host, port) = match place.strip_prefix('[') {
        Some(inside) => match inside.split_once(']') {
            Some((_, after)) => (&place[..place.len() - after.len()], after),
            None => return Read::Invalid,
        },
        None => place.split_at(place.find(':').unwrap_or(place.len())),
    };
    let port = match port.strip_prefix(':') {
        None if port.is_empty() => default_port,
        Some("") => default_port,
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => match digits.trim_start_matches('0') {
            "" => 0,
            digits => match digits.parse() {
                Ok(port) => port,
                Err(_) => return Read::Invalid,
            },
        },
        _ => return Read::Invalid,
    };
    match host_of(host) {
        Ok(Some(host)) => Read::Url { host, port, has_userinfo: !matches!(userinfo, "" | ":") },
        Ok(None) => Read::Unknown,
        Err(()) => Read::Invalid,
    }
}

/// Reads a host; `None` if that needs IDNA.
fn host_of(text: &str) -> Result<Option<Host<String>>, ()> {
    if let Some(inside) = text.strip_prefix('[') {
        let address: Ipv6Addr = inside.strip_suffix(']').ok_or(())?.parse().map_err(drop)?;
        return Ok(Some(Host::Ipv6(address)));
    }
    let bytes = decoded(text.as_bytes());
    if text.is_empty() {
        return Err(());
    }
    let Ok(name) = String::from_utf8(bytes) else { return Ok(None) };
    let name = name.to_ascii_lowercase();
    if !name.is_ascii() || name.split('.').any(|label| label.starts_with("xn--")) {
        return Ok(None);
    }
    const FORBIDDEN: &str = " #/:<>?@[\\]^|%\u{7f}";
    if name.chars().any(|character| character < ' ' || FORBIDDEN.contains(character)) {
        return Err(());
    }
    let mut labels: Vec<&str> = name.split('.').collect();
    if labels.len() > 1 && labels.last() == Some(&"") {
        labels.pop();
    }
    let is_number = |label: &str| {
        let digits = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
        digits || label.strip_prefix("0x").is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    if !is_number(labels.last().unwrap()) {
        return Ok(Some(Host::Domain(name)));
    }
    if labels.len() > 4 {
        return Err(());
    }
    let numbers = labels.iter().map(|label| number_of(label)).collect::<Result<Vec<u128>, ()>>()?;
    let (last, first) = numbers.split_last().unwrap();
    let room = 256u128.pow(u32::try_from(5 - numbers.len()).unwrap());
    if *last >= room || first.iter().any(|number| *number > 255) {
        return Err(());
    }
    let high = first.iter().enumerate().map(|(at, number)| number << (8 * (3 - at))).sum::<u128>();
    Ok(Some(Host::Ipv4(Ipv4Addr::from(u32::try_from(high + last).unwrap()))))
}

fn number_of(label: &str) -> Result<u128, ()> {
    let (digits, radix) = match label.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None if label.len() > 1 && label.starts_with('0') => (&label[1..], 8),
        None => (label, 10),
    };
    if digits.is_empty() && radix != 10 {
        return Ok(0);
    }
    if !digits.bytes().all(|byte| char::from(byte).is_digit(radix)) || digits.is_empty() {
        return Err(());
    }
    // A number that overflows is too large for an address.
    Ok(u128::from_str_radix(digits, radix).unwrap_or(u128::MAX))
}

fn decoded(bytes: &[u8]) -> Vec<u8> {
    let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let (mut decoded, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        match (bytes[at], hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                decoded.push(u8::try_from(high * 16 + low).unwrap());
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

/// Asserts that both readers agree, if the second one can read the URL.
fn compare(raw: &str) {
    let (ours, theirs) = (Target::read(raw), read(raw));
    match (&ours, &theirs) {
        (_, Read::Unknown) => {}
        (Err(Refusal::InvalidUrl(_)), Read::Invalid) => {}
        (Err(Refusal::InvalidUrl(InvalidUrl::Userinfo)), Read::Url { has_userinfo: true, .. }) => {}
        (
            Err(Refusal::InvalidUrl(InvalidUrl::HostName)),
            Read::Url { host: Host::Domain(_), has_userinfo: false, .. },
        ) => {}
        (Err(Refusal::Blocked(Blocked::Port { port })), Read::Url { port: read, has_userinfo: false, .. }) => {
            assert_eq!(port, read, "{raw:?}");
        }
        (Ok(ours), Read::Url { host, port, has_userinfo: false }) => {
            assert_eq!((ours.host(), ours.port()), (host, *port), "{raw:?}");
            // The re-serialised URL is read alike.
            assert_eq!(read(ours.url().as_str()), theirs, "{raw:?}");
        }
        _ => panic!("{raw:?} is read as {ours:?} and as {theirs:?}"),
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let scheme = prop::sample::select(vec!["http:", "https:", "HTTP:", "ht\ttp:", " http:", "ftp:", "http", ""]);
    let slashes = prop::sample::select(vec!["//", "", "/", "\\\\", "///", "/\\", "/\n/"]);
    let userinfo = prop::sample::select(vec!["", "", "", "", "@", ":@", "a@", "a:b@", "a@b@", "127.0.0.1@", "%40@"]);
    let label = prop_oneof![
        "[0-9]{1,4}",
        "0x[0-9a-fA-F]{0,9}",
        "0[0-7]{0,11}",
        "[a-zA-Z0-9_-]{1,6}",
        prop::sample::select(vec![
            "",
            "%31",
            "%2e",
            "%00",
            "09",
            "0xg",
            "4294967295",
            "4294967296",
            " ",
            "|",
            "^",
            "%"
        ])
        .prop_map(str::to_owned),
    ];
    let name = prop::collection::vec(label, 1..6).prop_map(|labels| labels.join("."));
    let v6 =
        prop_oneof![any::<u128>().prop_map(|bits| format!("[{}]", Ipv6Addr::from(bits))), "\\[[0-9a-f:.]{0,20}\\]?",];
    let port = prop_oneof![
        4 => Just(String::new()),
        2 => ":[0-9]{0,6}",
        1 => prop::sample::select(vec![":+80", ":80:80", ":8 0", ":-1"]).prop_map(str::to_owned),
    ];
    let rest = prop::sample::select(vec!["", "/", "/a/b?c=d#e", "?x@127.0.0.1", "#@127.0.0.1", "\\@127.0.0.1", "/../"]);
    (scheme, slashes, userinfo, prop_oneof![3 => name, 1 => v6], port, rest).prop_map(
        |(scheme, slashes, userinfo, host, port, rest)| format!("{scheme}{slashes}{userinfo}{host}{port}{rest}"),
    )
}

/// Generates a seed with a few characters removed, inserted or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let seeds: Vec<&str> = SEEDS.lines().collect();
    let odd: Vec<char> = "/\\:@?#[]%.0x17fF \t\n\u{0}|<>^".chars().collect();
    let change = (any::<prop::sample::Index>(), prop::sample::select(odd), 0..3u8);
    (prop::sample::select(seeds), prop::collection::vec(change, 1..4)).prop_map(|(seed, changes)| {
        let mut text: Vec<char> = seed.chars().collect();
        for (at, character, how) in changes {
            if text.is_empty() {
                break;
            }
            let at = at.index(text.len());
            match how {
                0 => drop(text.remove(at)),
                1 => text.insert(at, character),
                _ => text[at] = character,
            }
        }
        text.into_iter().collect()
    })
}

#[test]
fn seeds_are_read_alike() {
    SEEDS.lines().for_each(compare);
    // The second reader can read many of the seeds.
    let known = SEEDS.lines().filter(|seed| matches!(read(seed), Read::Url { .. })).count();
    assert!(known > 25, "{known}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn urls_of_odd_pieces_are_read_alike(url in pieces()) {
        compare(&url);
    }

    #[test]
    fn mutated_seeds_are_read_alike(url in mutated()) {
        compare(&url);
    }

    #[test]
    fn an_address_is_special_where_the_table_of_intervals_says_so(bits in any::<u128>(), near in any::<prop::sample::Index>(), step in -2..=2i128) {
        let intervals: Vec<(IpAddr, IpAddr)> = BLOCKS
            .lines()
            .map(|row| row.split('\t').collect::<Vec<_>>())
            .map(|row| (row[0].parse().unwrap(), row[1].parse().unwrap()))
            .collect();
        let number = |address: IpAddr| match address {
            IpAddr::V4(address) => u128::from(u32::from(address)),
            IpAddr::V6(address) => u128::from(address),
        };
        let contains = |address: IpAddr| {
            intervals.iter().any(|(first, last)| {
                first.is_ipv4() == address.is_ipv4() && (number(*first)..=number(*last)).contains(&number(address))
            })
        };
        let (first, last) = intervals[near.index(intervals.len())];
        let beside = |edge: IpAddr| match edge {
            IpAddr::V4(edge) => IpAddr::from(Ipv4Addr::from(u32::from(edge).wrapping_add_signed(i32::try_from(step).unwrap()))),
            IpAddr::V6(edge) => IpAddr::from(Ipv6Addr::from(u128::from(edge).wrapping_add_signed(step))),
        };
        let v4 = IpAddr::from(Ipv4Addr::from(u32::try_from(bits >> 96).unwrap()));
        let v6 = IpAddr::from(Ipv6Addr::from(bits));
        let global = IpAddr::from(Ipv6Addr::from(bits >> 3 | 1 << 125));
        for address in [v4, v6, global, beside(first), beside(last)] {
            let IpAddr::V6(six) = address else {
                prop_assert_eq!(block(address).is_some(), contains(address), "{}", address);
                continue;
            };
            if let Some(four) = six.to_ipv4_mapped() {
                prop_assert_eq!(block(address), block(four.into()));
                continue;
            }
            let is_global = six.segments()[0] >> 13 == 1;
            let is_isatap = matches!(six.segments(), [_, _, _, _, 0 | 0x100 | 0x200 | 0x300, 0x5efe, ..]);
            prop_assert_eq!(block(address).is_some(), !is_global || is_isatap || contains(address), "{}", address);
        }
    }
}
