//! Property tests: any IPv4 address in any spelling, and arbitrary text.

use std::net::Ipv4Addr;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Copy, Debug)]
enum Radix {
    Decimal,
    Octal { zeros: usize },
    Hex { zeros: usize, upper: bool },
}

fn radix() -> impl Strategy<Value = Radix> {
    prop_oneof![
        Just(Radix::Decimal),
        (1..4usize).prop_map(|zeros| Radix::Octal { zeros }),
        (0..4usize, any::<bool>()).prop_map(|(zeros, upper)| Radix::Hex { zeros, upper }),
    ]
}

fn number(value: u32, radix: Radix) -> String {
    match radix {
        Radix::Decimal => value.to_string(),
        Radix::Octal { zeros } => format!("{}{value:o}", "0".repeat(zeros)),
        Radix::Hex { zeros, upper: false } => format!("0x{}{value:x}", "0".repeat(zeros)),
        Radix::Hex { zeros, upper: true } => format!("0X{}{value:X}", "0".repeat(zeros)),
    }
}

/// Splits an address: the first `count - 1` parts are one byte each, the last one holds the rest.
fn parts(address: Ipv4Addr, count: usize) -> Vec<u32> {
    let octets = address.octets();
    let mut parts: Vec<u32> = octets[..count - 1].iter().map(|octet| u32::from(*octet)).collect();
    parts.push(octets[count - 1..].iter().fold(0, |rest, octet| rest << 8 | u32::from(*octet)));
    parts
}

/// Writes one character as it is, percent-encoded, full-width or in a circle.
fn disguise(character: char, how: u8) -> String {
    let code = u32::from(character);
    let of = |base: u32| char::from_u32(base).unwrap().to_string();
    match (how % 4, character) {
        (1, _) => format!("%{code:02X}"),
        (2, '!'..='~') => of(code + 0xfee0),
        (3, '.') => "。".to_owned(),
        (3, '0') => "⓪".to_owned(),
        (3, '1'..='9') => of(code - u32::from('1') + u32::from('①')),
        (3, 'a'..='z') => of(code - u32::from('a') + u32::from('ⓐ')),
        (3, 'A'..='Z') => of(code - u32::from('A') + u32::from('Ⓐ')),
        _ => character.to_string(),
    }
}

/// Generates any address, the special ones as often as all others together.
fn address() -> impl Strategy<Value = Ipv4Addr> {
    let special = prop::sample::select(vec![
        [0, 0],
        [10, 0],
        [100, 64],
        [127, 0],
        [169, 254],
        [172, 16],
        [192, 0],
        [192, 168],
        [198, 18],
        [203, 0],
        [224, 0],
        [255, 255],
    ]);
    prop_oneof![
        any::<u32>().prop_map(Ipv4Addr::from),
        (special, any::<[u8; 2]>()).prop_map(|([a, b], [c, d])| Ipv4Addr::new(a, b, c, d)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_spelling_of_an_address_has_the_verdict_of_its_canonical_form(
        address in address(),
        count in 1..=4usize,
        radixes in prop::array::uniform4(radix()),
        dot in any::<bool>(),
        disguises in prop::collection::vec(prop_oneof![4 => Just(0u8), 1 => any::<u8>()], 64),
    ) {
        let spelt: Vec<String> = parts(address, count).into_iter().zip(radixes).map(|(part, radix)| number(part, radix)).collect();
        let spelt = spelt.join(".") + if dot { "." } else { "" };
        let spelt: String = spelt.chars().zip(disguises.iter().cycle()).map(|(character, how)| disguise(character, *how)).collect();
        let guard = plain();
        let canonical = guard.judge_url(&format!("http://{address}/"));
        prop_assert_eq!(canonical.is_ok(), address::block(address.into()).is_none());
        prop_assert_eq!(guard.judge_url(&format!("http://{spelt}/")), canonical, "{}", spelt);
    }

    #[test]
    fn a_mapped_address_has_the_verdict_of_its_ipv4_address(address in address()) {
        let guard = plain();
        let plain = guard.judge_url(&format!("http://{address}/"));
        let mapped = guard.judge_url(&format!("http://[{}]/", address.to_ipv6_mapped()));
        prop_assert_eq!(plain.is_ok(), mapped.is_ok());
        let [a, b, c, d] = address.octets();
        let dotted = guard.judge_url(&format!("http://[::ffff:{a}.{b}.{c}.{d}]/"));
        prop_assert_eq!(mapped, dotted);
    }

    #[test]
    fn an_address_exception_opens_that_address_and_port_alone(address in address(), other in address(), port in 10_081..u16::MAX) {
        let guard = allowing(&format!("{address}:{port}"));
        let named = format!("http://{address}:{port}/");
        prop_assert!(guard.judge_url(&named).is_ok());
        let strict = plain();
        for url in [format!("http://{address}:{}/", port + 1), format!("http://{other}:{port}/")] {
            if url != named {
                prop_assert_eq!(guard.judge_url(&url), strict.judge_url(&url));
            }
        }
    }

    #[test]
    fn any_text_is_judged_and_an_accepted_url_is_accepted_again(raw in text()) {
        let guard = plain();
        if let Ok(target) = guard.judge_url(&raw) {
            let again = guard.judge_url(target.url().as_str());
            prop_assert_eq!(again, Ok(target), "{:?}", raw);
        }
    }
}

/// Generates text similar to URLs, and any other text.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "http",
        "https",
        ":",
        "/",
        "//",
        "\\",
        "@",
        "#",
        "?",
        "[",
        "]",
        "%",
        "%31",
        "%2e",
        ".",
        "..",
        "。",
        "1",
        "127",
        "0x7f",
        "256",
        "localhost",
        "example",
        "com",
        "ffff",
        "::",
        "-",
        "xn--",
        "\t",
        "\n",
        " ",
        "\0",
        "\u{ad}",
        "\u{200d}",
        "\u{202e}",
        "é",
        "①",
        "💩",
    ]);
    prop_oneof![
        any::<String>(),
        prop::collection::vec(piece.clone(), 0..12).prop_map(|pieces| pieces.concat()),
        prop::collection::vec(piece, 1..8).prop_map(|pieces| format!("http://{}", pieces.concat())),
        "https?://[a-z0-9.:%@\\[\\]-]{1,30}/[a-z?#@:/]{0,10}",
        any::<String>().prop_map(|text| format!("http://{text}.example.com/")),
    ]
}
