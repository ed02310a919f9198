//! Parses values on the command line: times, sizes, windows, pages.

use std::convert::Infallible;
use std::ops::RangeInclusive;

use porthole_client::Viewport;
use porthole_contract::Validate as _;
use porthole_contract::limits::{
    IMAGE_MAX_BYTES, NETWORK_IDLE_MAX_MS, REQUEST_TIMEOUT_MAX_MS, REQUEST_TIMEOUT_MIN_MS, SESSION_IDLE_MAX_SECONDS,
    SESSION_IDLE_MIN_SECONDS, SESSION_WAIT_MAX_MS, TOKEN_TTL_MAX_SECONDS, TOKEN_TTL_MIN_SECONDS, WAIT_TIMEOUT_MAX_MS,
};
use url::{Host, Url};

/// Parses a token's lifetime in seconds: `3600`, `90s`, `15m`, `12h` or `7d`.
pub(super) fn parse_seconds(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit_seconds = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err("must be a number with s, m, h or d, such as 12h".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "must be a number with s, m, h or d, such as 12h".to_owned())?;
    let seconds = number.saturating_mul(unit_seconds);
    if !(TOKEN_TTL_MIN_SECONDS..=TOKEN_TTL_MAX_SECONDS).contains(&seconds) {
        return Err(format!("must be from {TOKEN_TTL_MIN_SECONDS} s to {} d", TOKEN_TTL_MAX_SECONDS / 86_400));
    }
    Ok(seconds)
}

/// Parses a time into milliseconds: `1500ms`, `30s` or `1m`; a bare number is in seconds.
pub(super) fn parse_millis(text: &str) -> Result<u32, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit_ms = match &text[digits.len()..] {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => 60_000,
        _ => return Err("must be a number with ms, s or m, such as 10s".to_owned()),
    };
    let number: u32 = digits.parse().map_err(|_| "must be a number with ms, s or m, such as 10s".to_owned())?;
    number.checked_mul(unit_ms).ok_or_else(|| "is too long".to_owned())
}

/// Parses the time limit of a call into milliseconds.
pub(super) fn parse_timeout(text: &str) -> Result<u32, String> {
    millis_within(text, REQUEST_TIMEOUT_MIN_MS..=REQUEST_TIMEOUT_MAX_MS)
}

/// Parses how long a one-shot request waits for a page, into milliseconds.
pub(super) fn parse_wait_timeout(text: &str) -> Result<u32, String> {
    millis_within(text, 0..=WAIT_TIMEOUT_MAX_MS)
}

/// Parses after how long without a command a session ends, into milliseconds.
pub(super) fn parse_session_idle(text: &str) -> Result<u32, String> {
    millis_within(text, SESSION_IDLE_MIN_SECONDS * 1_000..=SESSION_IDLE_MAX_SECONDS * 1_000)
}

/// Parses for how long there is to be no request, into milliseconds.
pub(super) fn parse_network_idle(text: &str) -> Result<u32, String> {
    millis_within(text, 1..=NETWORK_IDLE_MAX_MS)
}

/// Parses how long `wait` waits for nothing else, into milliseconds.
pub(super) fn parse_wait(text: &str) -> Result<u32, String> {
    millis_within(text, 0..=SESSION_WAIT_MAX_MS)
}

fn millis_within(text: &str, accepted: RangeInclusive<u32>) -> Result<u32, String> {
    let time = |ms: &u32| if ms.is_multiple_of(1_000) { format!("{}s", ms / 1_000) } else { format!("{ms}ms") };
    let ms = parse_millis(text)?;
    match accepted.contains(&ms) {
        true => Ok(ms),
        false => Err(format!("must be from {} to {}", time(accepted.start()), time(accepted.end()))),
    }
}

/// Parses a language of pages. Its length is the contract's to judge.
pub(super) fn parse_locale(text: &str) -> Result<String, String> {
    of_characters(text, |c| c.is_ascii_alphanumeric() || c == '-', "letters, digits and -, such as de-CH")
}

/// Parses a time zone. Its length is the contract's to judge.
pub(super) fn parse_time_zone(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '+' | '-');
    of_characters(text, fits, "letters, digits, /, _, + and -, such as Europe/Zurich")
}

fn of_characters(text: &str, fits: impl Fn(char) -> bool, accepted: &str) -> Result<String, String> {
    match !text.is_empty() && text.chars().all(fits) {
        true => Ok(text.to_owned()),
        false => Err(format!("must have only {accepted}")),
    }
}

/// Parses a percentage into a share: `1%` is 0.01, `0.5%` is 0.005.
pub(super) fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
    let percent = number.filter(|percent| (0.0..=100.0).contains(percent));
    percent.map(|percent| percent / 100.0).ok_or_else(|| "must be from 0% to 100%, such as 1% or 0.5%".to_owned())
}

/// Gives clap the range of a number whose bounds are limits of the contract.
pub(super) fn range(min: impl TryInto<i64>, max: impl TryInto<i64>) -> RangeInclusive<i64> {
    let bound = |bound: Option<i64>| bound.expect("limits are far below the largest number");
    bound(min.try_into().ok())..=bound(max.try_into().ok())
}

/// Parses a picture's size in bytes.
pub(super) fn parse_bytes(text: &str) -> Result<u32, String> {
    let bytes: u32 = text.parse().map_err(|_| "must be a number of bytes".to_owned())?;
    let fits = bytes >= 1 && usize::try_from(bytes).is_ok_and(|bytes| bytes <= IMAGE_MAX_BYTES);
    if fits { Ok(bytes) } else { Err(format!("must be from 1 to {IMAGE_MAX_BYTES}")) }
}

/// Parses a window that is not mobile: `1280x720` or `1280x720@2`.
pub(super) fn parse_size(text: &str) -> Result<Viewport, String> {
    let (size, scale) = text.split_once('@').unwrap_or((text, "1"));
    let parsed = size.split_once(['x', '×']).and_then(|(width, height)| {
        Some(Viewport {
            width: width.parse().ok()?,
            height: height.parse().ok()?,
            device_scale_factor: scale.parse().ok()?,
            mobile: false,
        })
    });
    let viewport = parsed.ok_or_else(|| "must have the form 1280x720 or 1280x720@2".to_owned())?;
    viewport.validate().map_err(|invalid| invalid.to_string())?;
    Ok(viewport)
}

/// Parses a page's URL, as [`page_url`] does.
pub(super) fn parse_page(text: &str) -> Result<String, Infallible> {
    Ok(page_url(text))
}

/// Returns what a person typed as an address, with a scheme: `https://` before a domain, `http://` before an IP address, a
/// name without a dot and `localhost`. What has a scheme or is no address stays as it is, for the service to judge.
pub(super) fn page_url(text: &str) -> String {
    if has_scheme(text) || text.starts_with(['/', '\\']) {
        return text.to_owned();
    }
    let as_http = Url::parse(&format!("http://{text}"));
    match as_http.as_ref().ok().and_then(Url::host) {
        Some(Host::Domain(name)) if is_public(name) => format!("https://{text}"),
        Some(_) => format!("http://{text}"),
        None => text.to_owned(),
    }
}

/// Whether a scheme stands before the first colon. Before a digit the colon is a port's: `example.com:8080/x`.
fn has_scheme(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && !rest.starts_with(|c: char| c.is_ascii_digit())
}

fn is_public(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name.contains('.') && !name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_lifetimes() {
        for (text, seconds) in [("60", 60), ("90s", 90), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000)] {
            assert_eq!(parse_seconds(text), Ok(seconds), "{text}");
        }
        for text in ["", "59", "31d", "1w", "-5m", "1.5h", "99999999999999999999d"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn time_limits() {
        for (text, ms) in [("1500ms", 1_500), ("30", 30_000), ("30s", 30_000), ("1m", 60_000)] {
            assert_eq!(parse_millis(text), Ok(ms), "{text}");
        }
        for text in ["", "s", "1h", "99999999m"] {
            assert!(parse_millis(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_out_of_range_are_told_in_the_units_that_are_typed() {
        assert_eq!(parse_timeout("0s").unwrap_err(), "must be from 1s to 60s");
        assert_eq!(parse_session_idle("10m").unwrap_err(), "must be from 1s to 300s");
        assert_eq!(parse_network_idle("0").unwrap_err(), "must be from 1ms to 30s");
        assert_eq!(parse_session_idle("5m"), Ok(300_000));
    }

    #[test]
    fn locales_and_time_zones_say_what_they_may_have() {
        assert_eq!(parse_locale("de-CH").unwrap(), "de-CH");
        assert_eq!(parse_time_zone("Etc/GMT+1").unwrap(), "Etc/GMT+1");
        for wrong in [parse_locale("!!"), parse_locale(""), parse_locale("de_CH"), parse_time_zone("a b")] {
            assert!(wrong.unwrap_err().starts_with("must have only letters, digits"));
        }
    }

    #[test]
    fn windows() {
        let window = parse_size("1280x720@1.5").unwrap();
        assert_eq!((window.width, window.height, window.device_scale_factor), (1280, 720, 1.5));
        for text in ["1280", "x", "1280x", "0x720", "4000x720", "1280x720@9", "1280x720@NaN", "1280x720@"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_page_may_be_typed_without_its_scheme() {
        for (text, url) in [
            ("example.com", "https://example.com"),
            ("example.com:8080/x?y=a:b", "https://example.com:8080/x?y=a:b"),
            ("bücher.example/a b", "https://bücher.example/a b"),
            ("localhost", "http://localhost"),
            ("localhost:3000", "http://localhost:3000"),
            ("app.localhost:3000/x", "http://app.localhost:3000/x"),
            ("web:8080", "http://web:8080"),
            ("127.0.0.1:3000", "http://127.0.0.1:3000"),
            ("[::1]:3000/", "http://[::1]:3000/"),
        ] {
            assert_eq!(page_url(text), url, "{text}");
        }
        for url in [
            "https://example.com",
            "HTTP://example.com:80",
            "http://",
            "http:example.com",
            "ftp://a.example",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "about:blank",
            "data:text/html,x",
            "",
            "/etc/passwd",
            "//example.com",
            "two words",
            "example.com:port",
        ] {
            assert_eq!(page_url(url), url, "{url}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_bytes("1500000"), Ok(1_500_000));
        for text in ["0", "1500001", "1MB"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
