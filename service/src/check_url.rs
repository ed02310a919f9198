//! `porthole-service check-url`: shows an operator the guard's verdict on URLs, and the reason. Every line in,
//! an empty one too, gives one line out, so that the two can be read side by side. It needs neither keys nor a
//! browser.

use std::future::Future;
use std::io;

use futures_util::FutureExt;
use futures_util::stream::{self, Stream, StreamExt};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufWriter};

use crate::guard::refusal::InvalidUrl;
use crate::guard::target::URL_MAX_BYTES;
use crate::guard::{Grounds, Guard, Refusal, Target};

/// Look-ups under way at once; the output keeps the input's order.
const LOOKUPS_AT_ONCE: usize = 16;
/// Longest line that is read, in bytes: the longest URL, each byte of it written as a JSON escape, and its quotes.
/// The rest of a longer line is discarded.
const LINE_MAX_BYTES: usize = 6 * URL_MAX_BYTES + 2;

/// Judges `urls`, or each line of `input` if there are none, and writes one line to `output` for each: the verdict
/// (`allowed` or the code that a request would end with), a tab and the reason. Without `dns` no name is looked up.
///
/// A line is a bare URL or a JSON string. It is answered as soon as it and those before it are judged, not when the
/// input ends. Returns whether all were allowed.
///
/// # Errors
/// Any error of reading or writing.
pub async fn run<R, W>(guard: &Guard, urls: Vec<String>, input: R, output: W, dns: bool) -> io::Result<bool>
where
    R: AsyncBufRead + Unpin,
    W: AsyncWrite + Unpin,
{
    if urls.is_empty() {
        write_all(lines(input).map(|line| judged(guard, line, dns)), output).await
    } else {
        let urls = urls.into_iter().map(|url| judged(guard, Ok(Line::Whole(url.into_bytes())), dns));
        write_all(stream::iter(urls), output).await
    }
}

/// A line of the input, without its end.
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

async fn write_all<V, W>(verdicts: impl Stream<Item = V>, output: W) -> io::Result<bool>
where
    V: Future<Output = io::Result<Result<Target, Refusal>>>,
    W: AsyncWrite + Unpin,
{
    let mut verdicts = std::pin::pin!(verdicts.buffered(LOOKUPS_AT_ONCE));
    let mut output = BufWriter::new(output);
    let mut all_allowed = true;
    loop {
        // Verdicts that are ready are written together; the output is flushed before each wait.
        let next = match verdicts.next().now_or_never() {
            Some(next) => next,
            None => {
                output.flush().await?;
                verdicts.next().await
            }
        };
        let Some(verdict) = next else { break };
        let verdict = verdict?;
        all_allowed &= verdict.is_ok();
        output.write_all(sentence(&verdict).as_bytes()).await?;
    }
    output.flush().await?;
    Ok(all_allowed)
}

async fn judged(guard: &Guard, line: io::Result<Line>, dns: bool) -> io::Result<Result<Target, Refusal>> {
    Ok(match read(line?) {
        Ok(url) if dns => guard.judge(&url).await,
        Ok(url) => guard.judge_url(&url),
        Err(invalid) => Err(invalid.into()),
    })
}

/// Returns the URL in a line.
fn read(line: Line) -> Result<String, InvalidUrl> {
    let Line::Whole(line) = line else { return Err(InvalidUrl::TooLong { max_bytes: URL_MAX_BYTES }) };
    let line = String::from_utf8(line).map_err(|_| InvalidUrl::NotText("The line is not UTF-8"))?;
    if line.trim_start().starts_with('"') {
        // No request could carry invalid Unicode, such as half a surrogate pair, either.
        serde_json::from_str(&line).map_err(|_| InvalidUrl::NotText("The line begins as a JSON string but is not one"))
    } else {
        Ok(line)
    }
}

fn sentence(verdict: &Result<Target, Refusal>) -> String {
    let (name, reason) = match verdict {
        Ok(target) => ("allowed", grounds(target)),
        Err(refusal) => (refusal.code().name(), refusal.to_string()),
    };
    format!("{name}\t{}\n", on_one_line(&reason))
}

fn grounds(target: &Target) -> String {
    let host = target.host();
    match target.grounds() {
        Grounds::PublicAddress => format!("{host} is a public address"),
        Grounds::Resolved => format!("{host} resolves to public addresses only"),
        Grounds::NameOnly => format!("{host} is not a private name; what it resolves to was not looked up"),
        Grounds::Exception => format!("PORTHOLE_ALLOW_TARGETS lets {host} at port {} through", target.port()),
    }
}

/// Escapes every character that could end a line or change how it is shown.
fn on_one_line(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, character| {
        if character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            line.extend(character.escape_unicode());
        } else {
            line.push(character);
        }
        line
    })
}

/// Returns the lines of the input as they arrive, without a byte order mark before the first one.
fn lines<R: AsyncBufRead + Unpin>(input: R) -> impl Stream<Item = io::Result<Line>> {
    stream::unfold((input, true), async |(mut input, first)| {
        let line = match next_line(&mut input).await {
            Ok(None) => return None,
            Ok(Some(Line::Whole(bytes))) if first => {
                Ok(Line::Whole(bytes.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(bytes)))
            }
            Ok(Some(line)) => Ok(line),
            Err(error) => Err(error),
        };
        Some((line, (input, false)))
    })
}

async fn next_line<R: AsyncBufRead + Unpin>(input: &mut R) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut too_long = false;
    let mut begun = false;
    loop {
        let available = input.fill_buf().await?;
        if available.is_empty() {
            break;
        }
        begun = true;
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        too_long |= line.len() + part.len() > LINE_MAX_BYTES;
        if too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(match (begun, too_long) {
        (false, _) => None,
        (true, true) => Some(Line::TooLong),
        (true, false) => Some(Line::Whole(line)),
    })
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, duplex};

    use super::*;
    use crate::guard::{AllowTargets, Policy, ResolveOverrides};

    async fn check(guard: &Guard, input: &[u8], dns: bool) -> (String, bool) {
        let mut output = Vec::new();
        let all_allowed = run(guard, Vec::new(), input, &mut output, dns).await.unwrap();
        (String::from_utf8(output).unwrap(), all_allowed)
    }

    fn plain() -> Guard {
        Guard::new(Policy::default())
    }

    #[tokio::test]
    async fn each_line_gets_its_verdict_a_tab_and_the_reason() {
        let input = b"http://1.1.1.1/\n\"http://127.0.0.1/\"\nftp://1.1.1.1/\r\nhttp://example.com\n";
        let (output, all_allowed) = check(&plain(), input, false).await;
        assert_eq!(
            output,
            "allowed\t1.1.1.1 is a public address\n\
             BLOCKED_TARGET\t127.0.0.1 is a loopback address\n\
             INVALID_URL\tThe URL's scheme is not http or https\n\
             allowed\texample.com is not a private name; what it resolves to was not looked up\n"
        );
        assert!(!all_allowed);
        assert!(check(&plain(), b"http://1.1.1.1/", false).await.1);
        assert_eq!(check(&plain(), b"", false).await, (String::new(), true));
    }

    #[tokio::test]
    async fn every_line_gets_exactly_one_verdict() {
        let long = format!("http://1.1.1.1/{}", "a".repeat(LINE_MAX_BYTES));
        let lines: &[&[u8]] = &[
            b"",
            b" ",
            b"\r",
            b"\xff\xfe",
            b"\"http://1.1.1.1/\\ud800\"",
            b"\"http://1.1.1.1/",
            b"\"http://1.1.1.1/\" trailing",
            b"\"http://local\\nhost/\"",
            b"\"\\u0000\"",
            b"\"a\\nb\\u2028c\"",
            b"[\"http://1.1.1.1/\"]",
            b"http://1.1.1.1/\0",
            b"http://\x1b[31m.example/",
            long.as_bytes(),
            b"http://1.1.1.1/",
        ];
        let (output, _) = check(&plain(), &lines.join(&b'\n'), false).await;
        assert_eq!(output.lines().count(), lines.len(), "{output}");
        for (line, answer) in lines.iter().zip(output.lines()) {
            let (verdict, reason) = answer.split_once('\t').unwrap();
            assert!(matches!(verdict, "allowed" | "BLOCKED_TARGET" | "INVALID_URL"), "{answer}");
            assert!(!reason.is_empty() && !reason.contains(char::is_control), "{answer}");
            let shown = String::from_utf8_lossy(&line[..line.len().min(40)]).into_owned();
            let allowed = matches!(*line, b"http://1.1.1.1/\0" | b"http://1.1.1.1/");
            assert_eq!(verdict == "allowed", allowed, "{shown:?}: {answer}");
        }
        assert!(output.ends_with("allowed\t1.1.1.1 is a public address\n"));
    }

    #[tokio::test]
    async fn a_line_longer_than_any_url_is_not_kept() {
        let mut input = &[&vec![b'a'; LINE_MAX_BYTES + 1][..], b"\nnext"].concat()[..];
        assert!(matches!(next_line(&mut input).await, Ok(Some(Line::TooLong))));
        assert!(matches!(next_line(&mut input).await, Ok(Some(Line::Whole(line))) if line == b"next"));
        assert!(matches!(next_line(&mut input).await, Ok(None)));
    }

    #[tokio::test]
    async fn a_byte_order_mark_before_the_first_line_is_no_part_of_it() {
        let (output, all_allowed) = check(&plain(), b"\xef\xbb\xbfhttp://1.1.1.1/\r\n", false).await;
        assert!(all_allowed, "{output}");
    }

    #[tokio::test]
    async fn urls_from_arguments_leave_the_input_alone() {
        let mut output = Vec::new();
        let urls = vec!["http://1.1.1.1/".to_owned(), "http://localhost/\nhttp://1.1.1.1/".to_owned()];
        let all_allowed = run(&plain(), urls, &b"never read"[..], &mut output, false).await.unwrap();
        assert_eq!(String::from_utf8(output).unwrap().lines().count(), 2);
        assert!(!all_allowed);
    }

    #[tokio::test]
    async fn a_line_is_answered_before_the_next_one_comes() {
        let (mut questions, input) = duplex(64);
        let (output, mut answers) = duplex(1024);
        let asked = async move {
            for (question, expected) in [("http://[::1]/\n", "BLOCKED_TARGET\t"), ("http://1.1.1.1/\n", "allowed\t")] {
                questions.write_all(question.as_bytes()).await.unwrap();
                let mut answer = String::new();
                while !answer.ends_with('\n') {
                    answer.push(char::from(answers.read_u8().await.unwrap()));
                }
                assert!(answer.starts_with(expected), "{answer}");
            }
        };
        let guard = plain();
        let judged = run(&guard, Vec::new(), tokio::io::BufReader::new(input), output, true);
        let both = async { tokio::join!(judged, asked) };
        let (all_allowed, ()) = tokio::time::timeout(std::time::Duration::from_secs(10), both).await.unwrap();
        assert!(!all_allowed.unwrap());
    }

    #[tokio::test]
    async fn policy_is_respected_and_names_are_resolved_by_it() {
        let guard = Guard::new(Policy {
            allow: AllowTargets::parse("demo.example:8080").unwrap(),
            resolve: ResolveOverrides::parse("demo.example=127.0.0.1,good.example=1.1.1.1").unwrap(),
            ..Policy::default()
        });
        let input = b"http://demo.example:8080/\nhttp://demo.example:8081/\nhttp://good.example/\n";
        let (output, all_allowed) = check(&guard, input, true).await;
        assert_eq!(
            output,
            "allowed\tPORTHOLE_ALLOW_TARGETS lets demo.example at port 8080 through\n\
             BLOCKED_TARGET\tdemo.example resolves to a loopback address\n\
             allowed\tgood.example resolves to public addresses only\n"
        );
        assert!(!all_allowed);
    }

    #[tokio::test]
    async fn a_name_that_does_not_resolve_is_not_allowed() {
        let guard = Guard::asking(Policy::default(), |_: &str, _| Err(io::Error::other("NXDOMAIN")));
        let (output, all_allowed) = check(&guard, b"http://gone.example/\n", true).await;
        assert_eq!(output, "NAVIGATION_FAILED\tnet::ERR_NAME_NOT_RESOLVED: gone.example can't be found\n");
        assert!(!all_allowed);
    }

    #[tokio::test]
    async fn answers_keep_the_order_of_the_questions_however_long_each_takes() {
        let (release, released) = std::sync::mpsc::sync_channel::<()>(1);
        let released = std::sync::Mutex::new(released);
        let guard = Guard::asking(Policy::default(), move |host: &str, port: u16| {
            match host {
                "slow.example" => released.lock().unwrap().recv().unwrap(),
                _ => release.send(()).unwrap(),
            }
            Ok(vec![std::net::SocketAddr::from(([1, 1, 1, 1], port))])
        });
        let (output, _) = check(&guard, b"http://slow.example/\nhttp://fast.example/\n", true).await;
        assert_eq!(
            output,
            "allowed\tslow.example resolves to public addresses only\n\
             allowed\tfast.example resolves to public addresses only\n"
        );
    }

    #[test]
    fn nothing_in_a_reason_breaks_its_line() {
        assert_eq!(on_one_line("a\r\nb\tc\u{2028}d\u{202e}é"), "a\\u{d}\\u{a}b\\u{9}c\\u{2028}d\\u{202e}é");
    }
}
