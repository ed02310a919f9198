//! URLs in a message: those with a scheme, and bare domains, to which `https://` is put.

use std::ops::Range;

/// A URL, in bytes.
const URL_MAX_BYTES: usize = 2_048;

/// Top-level domains that a bare domain may have: the common ones, without those that end the names of files.
const TOP_LEVEL: &str = " com org net edu gov mil int info biz name io ai app dev co me tv xyz online site tech store shop blog \
    news cloud page wiki art design live link club space website world agency pro media \
    ac ad ae af ag al am ar at au az ba bd be bg bh bo br by ca ch ci cl cn cr cu cy cz de dk do dz ec ee eg es et eu fi fr ge \
    gg gh gr gt hk hn hr hu id ie il in iq ir is it jm jo jp ke kh kr kw kz la lb li lk lt lu lv ly ma mm mn mt mx my na ng ni \
    nl no np nz om pa pe ph pk pl pr pt qa ro ru sa se sg si sk sn sv th tn to tr tt tw tz ua ug uk us uy uz ve vn za zm zw рф ";
/// Those that end the names of files too: a path must follow.
const WITH_PATH_ONLY: &str = " rs py sh md so cc ps ml zip mov ";

/// A URL in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Where it stands.
    pub(super) range: Range<usize>,
    /// Absolute.
    pub(super) url: String,
}

/// Finds the URLs of a message, in order.
pub(super) fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    while let Some(c) = text[at..].chars().next() {
        let end = if is_label(c) && !is_label(before) && !matches!(before, '@' | '.' | '/' | '-' | ':' | '\\') {
            match with_scheme(text, at).or_else(|| bare(text, at)) {
                Some(one) => {
                    let end = one.range.end;
                    found.push(one);
                    end
                }
                None => at + text[at..].find(|c| !is_label(c)).unwrap_or(text.len() - at),
            }
        } else {
            at + c.len_utf8()
        };
        before = text[..end].chars().next_back().unwrap_or(' ');
        at = end;
    }
    found
}

/// Characters of a domain's labels in scripts with spaces between words: in others a domain may stand within a sentence.
fn is_label(c: char) -> bool {
    c.is_ascii_alphanumeric() || (c.is_alphabetic() && c < '\u{600}')
}

fn with_scheme(text: &str, at: usize) -> Option<Found> {
    let rest = &text[at..];
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| rest.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))?;
    let host_start = &rest[scheme.len()..];
    let first = host_start.chars().next()?;
    let any_script = !is_label(first) && first.is_alphabetic();
    if !is_label(first) && !any_script && first != '[' {
        return None;
    }
    let in_host = |c: char| {
        is_label(c) || matches!(c, '.' | '-' | '_' | '@' | '[' | ']' | ':') || (any_script && c.is_alphanumeric())
    };
    let host = host_start.find(|c| !in_host(c)).unwrap_or(host_start.len());
    let end = scheme.len() + host + path(&host_start[host..]);
    let url = trimmed(&rest[..end.min(URL_MAX_BYTES)], rest);
    (url.len() > scheme.len()).then(|| Found { range: at..at + url.len(), url: url.to_owned() })
}

fn bare(text: &str, at: usize) -> Option<Found> {
    let rest = &text[at..];
    let host = rest.find(|c| !is_label(c) && !matches!(c, '.' | '-')).unwrap_or(rest.len());
    let domain = rest[..host].trim_end_matches(['.', '-']);
    let after = &rest[domain.len()..];
    let port = after.strip_prefix(':').map_or(0, |port| {
        let digits = port.bytes().take(5).take_while(u8::is_ascii_digit).count();
        if digits == 0 { 0 } else { digits + 1 }
    });
    let has_path = after[port..].starts_with('/');
    if !is_domain(domain, has_path) || after.starts_with('@') {
        return None;
    }
    let end = domain.len() + port + path(&after[port..]);
    let url = trimmed(&rest[..end.min(URL_MAX_BYTES)], rest);
    Some(Found { range: at..at + url.len(), url: format!("https://{url}") })
}

fn is_domain(domain: &str, has_path: bool) -> bool {
    let labels: Vec<&str> = domain.split('.').collect();
    let [.., last] = labels.as_slice() else { return false };
    let well_formed =
        |label: &&str| !label.is_empty() && label.len() <= 63 && !label.starts_with('-') && !label.ends_with('-');
    if labels.len() < 2 || labels.len() > 10 || !labels.iter().all(well_formed) {
        return false;
    }
    let is_www = labels[0].eq_ignore_ascii_case("www") && labels.len() > 2;
    // `done.It`: the beginning of a sentence.
    let mixed = last.chars().any(char::is_uppercase) && !domain.chars().all(|c| !c.is_lowercase());
    let listed = |list: &str| list.contains(&format!(" {} ", last.to_lowercase()));
    !mixed
        && last.chars().all(char::is_alphabetic)
        && (is_www || listed(TOP_LEVEL) || (has_path && listed(WITH_PATH_ONLY)))
}

/// How long the path, query and fragment are. Letters of scripts without spaces belong to them only after a separator: a
/// particle may follow a URL.
fn path(text: &str) -> usize {
    if !text.starts_with(['/', '?', '#']) {
        return 0;
    }
    let mut before = '/';
    for (at, c) in text.char_indices() {
        let belongs = match c {
            '"' | '<' | '>' | '`' | '{' | '}' | '|' | '\\' | '^' => false,
            c if c.is_ascii_graphic() || is_label(c) => true,
            c => c.is_alphanumeric() && (matches!(before, '/' | '=' | '_' | '-' | '%') || !before.is_ascii()),
        };
        if !belongs {
            return at;
        }
        before = c;
    }
    text.len()
}

/// Without the punctuation of the sentence that it stands in.
fn trimmed<'a>(url: &'a str, rest: &'a str) -> &'a str {
    let mut end = url.len();
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    let mut url = &rest[..end];
    while let Some(last) = url.chars().next_back() {
        let closes = match last {
            ')' => url.matches('(').count() < url.matches(')').count(),
            ']' => url.matches('[').count() < url.matches(']').count(),
            c => matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '~'),
        };
        if !closes {
            break;
        }
        url = &url[..url.len() - last.len_utf8()];
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_found_without_the_sentence_around_them() {
        for (text, expected) in [
            ("see https://a.example/x?y=1#z.", &["https://a.example/x?y=1#z"][..]),
            ("(https://en.wikipedia.org/wiki/Rust_(film))", &["https://en.wikipedia.org/wiki/Rust_(film)"]),
            ("**HTTP://A.example/**, <http://b.example>", &["HTTP://A.example/", "http://b.example"]),
            ("[text](https://a.example/b)", &["https://a.example/b"]),
            (
                "open example.com, www.foo.museum:8080/x and münchen.de!",
                &["https://example.com", "https://www.foo.museum:8080/x", "https://münchen.de"],
            ),
            ("帮我看一下example.org吧", &["https://example.org"]),
            ("https://example.com을 열어, https://example.com/を", &["https://example.com", "https://example.com/を"]),
            (
                "https://ja.wikipedia.org/wiki/日本 と http://例え.jp/",
                &["https://ja.wikipedia.org/wiki/日本", "http://例え.jp/"],
            ),
            ("example.com'u aç", &["https://example.com"]),
            ("docs.rs/serde but main.rs", &["https://docs.rs/serde"]),
            ("ada@example.com, https://, http:// x, a.b, 1.2.3.4, v1.0, e.g. i.e. Node.js done.It -x.com", &[]),
            ("http://[::1]:8080/ http://127.0.0.1:3000/a", &["http://[::1]:8080/", "http://127.0.0.1:3000/a"]),
        ] {
            let found: Vec<String> = find(text).into_iter().map(|found| found.url).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
