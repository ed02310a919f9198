//! Reads a JSON object or array as models write it, and writes it as strict JSON: trailing commas, comments and typographic
//! quotes are borne, line feeds in values, unknown escapes and lone surrogates too.
//!
//! It reads on until the value ends, something can't be JSON, or the text ends; without recursion, each character once.

use std::fmt::Write as _;
use std::ops::Range;

/// How reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It is whole; this comes after it.
    Whole(usize),
    /// It is no JSON: this can't come here.
    Broken(usize),
    /// The text ends within it.
    CutOff,
}

/// What was read.
#[derive(Debug)]
pub(super) struct Scanned {
    pub(super) ended: Ended,
    /// What was read, as strict JSON.
    pub(super) strict: String,
    /// The object, or the whole objects of the array.
    pub(super) objects: Vec<Object>,
    /// Whether an array has nothing else.
    pub(super) only_objects: bool,
    /// What is known of an object that is cut off.
    pub(super) cut: Cut,
}

/// A whole object.
#[derive(Debug)]
pub(super) struct Object {
    /// Where it stands in the text.
    pub(super) read: Range<usize>,
    /// Where it stands in the strict form.
    pub(super) written: Range<usize>,
}

/// The fields so far of the object that is read: the outermost one, or the array's.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// The value of `tool`, or what of it there is.
    pub(super) tool: Option<String>,
    /// Whether that is all of it.
    pub(super) tool_whole: bool,
    /// Whether it has `args`.
    pub(super) args: bool,
    /// The name within which it is cut.
    pub(super) key: Option<String>,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

/// Why a string has no end.
enum NoString {
    Broken(usize),
    CutOff(String),
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    strict: String,
    /// The brackets that are open.
    open: Vec<u8>,
    /// Whether a comma came, which is written once something follows it.
    comma: bool,
    expected: Expected,
    /// The name whose value comes next, in the object that counts.
    key: String,
    start: Option<(usize, usize)>,
    objects: Vec<Object>,
    only_objects: bool,
    cut: Cut,
    work: &'a mut usize,
}

/// Reads what begins with a bracket at `start`; `end` is the end of the text.
pub(super) fn scan(text: &str, start: usize, end: usize, work: &mut usize) -> Scanned {
    let mut scanner = Scanner {
        text,
        at: start,
        end,
        strict: String::new(),
        open: Vec::new(),
        comma: false,
        expected: Expected::Value,
        key: String::new(),
        start: None,
        objects: Vec::new(),
        only_objects: true,
        cut: Cut::default(),
        work,
    };
    let ended = scanner.run();
    let Scanner { strict, objects, only_objects, cut, .. } = scanner;
    Scanned { ended, strict, objects, only_objects, cut }
}

impl Scanner<'_> {
    fn run(&mut self) -> Ended {
        loop {
            if let Err(ended) = self.skip_space() {
                return ended;
            }
            let Some(c) = self.peek() else { return Ended::CutOff };
            let here = self.at;
            match (self.expected, c) {
                (Expected::KeyOrEnd, '}') | (Expected::CommaOrEnd, '}') if self.open.last() == Some(&b'{') => {
                    self.close('}');
                }
                (Expected::ValueOrEnd, ']') | (Expected::CommaOrEnd, ']') if self.open.last() == Some(&b'[') => {
                    self.close(']');
                }
                (Expected::CommaOrEnd, ',') => {
                    self.comma = true;
                    self.at += 1;
                    self.expected =
                        if self.open.last() == Some(&b'{') { Expected::KeyOrEnd } else { Expected::ValueOrEnd };
                }
                (Expected::Colon, ':' | '：') => {
                    self.strict.push(':');
                    self.at += c.len_utf8();
                    self.expected = Expected::Value;
                }
                (Expected::KeyOrEnd, c) if is_quote(c) => match self.string(c, false) {
                    Ok(key) => {
                        if self.counts() {
                            self.cut.args |= key == "args";
                            if key == "tool" {
                                (self.cut.tool, self.cut.tool_whole) = (Some(String::new()), false);
                            }
                            self.key = key;
                        }
                        self.expected = Expected::Colon;
                    }
                    Err(NoString::Broken(at)) => return Ended::Broken(at),
                    Err(NoString::CutOff(part)) => {
                        self.cut.key = self.counts().then_some(part);
                        return Ended::CutOff;
                    }
                },
                (Expected::Value | Expected::ValueOrEnd, c) => {
                    if let Err(ended) = self.value(c) {
                        return ended;
                    }
                }
                _ => return Ended::Broken(here),
            }
            if self.open.is_empty() {
                return Ended::Whole(self.at);
            }
        }
    }

    fn value(&mut self, c: char) -> Result<(), Ended> {
        let element = self.open == [b'['];
        let is_tool = self.counts() && self.key == "tool";
        if is_tool && !is_quote(c) {
            self.cut.tool_whole = true;
        }
        match c {
            '{' | '[' => {
                self.only_objects &= !element || c == '{';
                self.before_value();
                if c == '{' && (self.open.is_empty() || element) {
                    self.start = Some((self.at, self.strict.len()));
                    self.cut = Cut::default();
                }
                self.open.push(if c == '{' { b'{' } else { b'[' });
                self.strict.push(c);
                self.at += 1;
                self.expected = if c == '{' { Expected::KeyOrEnd } else { Expected::ValueOrEnd };
                return Ok(());
            }
            c if is_quote(c) => match self.string(c, true) {
                Ok(text) if is_tool => {
                    self.cut.tool = Some(text);
                    self.cut.tool_whole = true;
                }
                Ok(_) => {}
                Err(NoString::Broken(at)) => return Err(Ended::Broken(at)),
                Err(NoString::CutOff(part)) => {
                    if is_tool {
                        self.cut.tool = Some(part);
                    }
                    return Err(Ended::CutOff);
                }
            },
            _ => self.word()?,
        }
        self.only_objects &= !element;
        self.expected = Expected::CommaOrEnd;
        Ok(())
    }

    /// A number or a literal; whether a number is one is for the strict parser to say.
    fn word(&mut self) -> Result<(), Ended> {
        let start = self.at;
        let rest = &self.text[start..self.end];
        let long = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.'));
        let word = &rest[..long.count()];
        *self.work += word.len();
        let strict = match word {
            "true" | "True" => "true",
            "false" | "False" => "false",
            "null" | "None" => "null",
            _ if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') => word,
            _ if start + word.len() == self.end
                && ["true", "false", "null"].iter().any(|whole| whole.starts_with(word)) =>
            {
                return Err(Ended::CutOff);
            }
            _ => return Err(Ended::Broken(start)),
        };
        self.before_value();
        self.strict.push_str(strict);
        self.at += word.len();
        Ok(())
    }

    fn close(&mut self, bracket: char) {
        self.comma = false;
        self.open.pop();
        self.strict.push(bracket);
        self.at += 1;
        self.expected = Expected::CommaOrEnd;
        let ends_object = bracket == '}' && (self.open.is_empty() || self.open == [b'[']);
        if let Some((read, written)) = self.start.take_if(|_| ends_object) {
            self.objects.push(Object { read: read..self.at, written: written..self.strict.len() });
            self.cut = Cut::default();
        }
    }

    fn before_value(&mut self) {
        if std::mem::take(&mut self.comma) {
            self.strict.push(',');
        }
    }

    /// Whether the innermost object is one that may be a call.
    fn counts(&self) -> bool {
        matches!(self.open.as_slice(), [b'{'] | [b'[', b'{'])
    }

    fn peek(&mut self) -> Option<char> {
        *self.work += 1;
        self.text[self.at..self.end].chars().next()
    }

    /// Skips white space and comments.
    fn skip_space(&mut self) -> Result<(), Ended> {
        while let Some(c) = self.peek() {
            let rest = &self.text[self.at..self.end];
            if is_space(c) {
                self.at += c.len_utf8();
            } else if self.open.is_empty() || c != '/' {
                return Ok(());
            } else if rest.starts_with("//") {
                let long = rest.find('\n').unwrap_or(rest.len());
                *self.work += long;
                self.at += long;
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let long = comment.find("*/");
                *self.work += long.unwrap_or(comment.len());
                self.at += long.ok_or(Ended::CutOff)? + 4;
            } else {
                return Err(if rest.len() == 1 { Ended::CutOff } else { Ended::Broken(self.at) });
            }
        }
        Ok(())
    }

    /// Reads a string, writes it strictly and returns its text, escapes left as they are.
    fn string(&mut self, quote: char, is_value: bool) -> Result<String, NoString> {
        self.before_value();
        self.strict.push('"');
        let written = self.strict.len();
        let from = self.at;
        self.at += quote.len_utf8();
        while let Some(c) = self.peek() {
            let here = self.at;
            self.at += c.len_utf8();
            match c {
                _ if closes(quote, c) && (quote == '"' || self.structure_follows()) => {
                    let text = self.strict[written..].to_owned();
                    self.strict.push('"');
                    return Ok(text);
                }
                '\\' => self.escape().map_err(|()| NoString::CutOff(self.strict[written..].to_owned()))?,
                '"' => self.strict.push_str("\\\""),
                // A quote in prose after a bracket: a name ends in its line.
                '\n' if !is_value => return Err(NoString::Broken(here.max(from + 1))),
                c if c < ' ' => drop(write!(self.strict, "\\u{:04x}", u32::from(c))),
                c => self.strict.push(c),
            }
        }
        Err(NoString::CutOff(self.strict[written..].to_owned()))
    }

    /// After a typographic quote: whether the string may end here, so that such quotes may stand in a text.
    fn structure_follows(&mut self) -> bool {
        let mut rest = self.text[self.at..self.end].chars();
        loop {
            *self.work += 1;
            match rest.next() {
                None | Some(',' | ':' | '：' | '}' | ']') => return true,
                Some(c) if is_space(c) => {}
                Some(_) => return false,
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<(), ()> {
        let c = self.peek().ok_or(())?;
        match c {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {
                self.at += 1;
                self.strict.push('\\');
                self.strict.push(c);
            }
            'u' => {
                let rest = &self.text[self.at..self.end];
                let unit = hex4(rest, 1);
                let low = hex4(rest, 7).filter(|low| rest.get(5..7) == Some("\\u") && (0xdc00..0xe000).contains(low));
                match (unit, low) {
                    (Some(0xd800..0xdc00), Some(_)) => {
                        self.strict.push('\\');
                        self.strict.push_str(&self.text[self.at..self.at + 11]);
                        self.at += 11;
                    }
                    (Some(0xd800..0xe000), _) => {
                        self.strict.push('\u{fffd}');
                        self.at += 5;
                    }
                    (Some(_), _) => {
                        self.strict.push('\\');
                        self.strict.push_str(&self.text[self.at..self.at + 5]);
                        self.at += 5;
                    }
                    (None, _) => {
                        self.strict.push_str("\\\\u");
                        self.at += 1;
                    }
                }
            }
            '\'' | '`' | '$' => {
                self.at += 1;
                self.strict.push(c);
            }
            // A backslash that should have been two, as in a path. What follows is read as any other character.
            _ => self.strict.push_str("\\\\"),
        }
        Ok(())
    }
}

/// Four hexadecimal digits.
fn hex4(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\u{2060}')
}

fn is_double(c: char) -> bool {
    matches!(c, '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ff02}' | '«' | '»')
}

fn is_single(c: char) -> bool {
    matches!(c, '\u{2018}'..='\u{201b}')
}

fn is_quote(c: char) -> bool {
    c == '"' || is_double(c) || is_single(c)
}

fn closes(quote: char, c: char) -> bool {
    match quote {
        '"' => c == '"',
        quote if is_double(quote) => c == '"' || is_double(c),
        _ => is_single(c),
    }
}
