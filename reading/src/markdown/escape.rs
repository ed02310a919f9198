//! Escapes, no more than a Markdown parser needs to read text as plain text.

/// Escapes text; in a link, all its brackets too.
pub(super) fn text(text: &str, in_link: bool) -> String {
    text_after(text, None, in_link)
}

/// Escapes text that follows the character `before`.
pub(super) fn text_after(text: &str, before: Option<char>, in_link: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in chars.iter().copied().enumerate() {
        let last = at.checked_sub(1).map(|at| chars[at]).or(before);
        let next = chars.get(at + 1).copied();
        let spaced = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let escapes = match c {
            '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            '`' => true,
            '*' => !(spaced(last) && spaced(next) && at > 0 && next.is_some()),
            '_' => !(last.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric)),
            '[' => in_link,
            ']' => in_link || next.is_none_or(|next| matches!(next, '(' | '[' | ':')),
            '<' => next.is_none_or(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            '&' => is_entity(&chars[at + 1..]),
            '~' => next == Some('~') || last == Some('~'),
            _ => false,
        };
        if escapes {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn is_entity(rest: &[char]) -> bool {
    let end = rest.iter().take(33).position(|c| *c == ';');
    end.is_some_and(|end| {
        end > 0 && rest[..end].iter().enumerate().all(|(at, c)| c.is_ascii_alphanumeric() || (at == 0 && *c == '#'))
    })
}

/// Escapes line starts that would begin a heading, a list, a quote, a rule or a fence.
pub(super) fn line_starts(text: &str) -> String {
    text.split('\n').enumerate().map(|(at, line)| line_start(line, at > 0)).collect::<Vec<_>>().join("\n")
}

fn line_start(line: &str, continues: bool) -> String {
    let escaped = |at: usize| format!("{}\\{}", &line[..at], &line[at..]);
    let run = |c: char| line.len() - line.trim_start_matches(c).len();
    let ends_word = |rest: &str| rest.is_empty() || rest.starts_with(' ') || rest.starts_with('\\');
    match line.chars().next() {
        Some('#') if run('#') <= 6 && ends_word(line.trim_start_matches('#')) => escaped(0),
        Some('>') => escaped(0),
        Some('+') if ends_word(&line[1..]) => escaped(0),
        Some('-') if ends_word(&line[1..]) || is_rule(line, '-') => escaped(0),
        Some('*') if ends_word(&line[1..]) || is_rule(line, '*') => escaped(0),
        Some('=') if continues && line.trim_end().chars().all(|c| c == '=') => escaped(0),
        Some('~') if run('~') >= 3 => escaped(0),
        Some(first) if first.is_ascii_digit() => {
            let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let rest = &line[digits..];
            if digits <= 9 && rest.starts_with(['.', ')']) && ends_word(&rest[1..]) {
                escaped(digits)
            } else {
                line.to_owned()
            }
        }
        _ => line.to_owned(),
    }
}

fn is_rule(line: &str, mark: char) -> bool {
    line.chars().all(|c| c == mark || c == ' ') && (line.chars().filter(|c| *c == mark).count() >= 3 || mark == '-')
}

/// Writes a link's target.
pub(super) fn destination(url: &str) -> String {
    let mut depth = 0_i32;
    let unbalanced = url.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    }) || depth != 0;
    let escaped: String = url
        .chars()
        .filter(|c| *c != '\n' && *c != '\r')
        .flat_map(|c| matches!(c, '\\' | '<' | '>').then_some('\\').into_iter().chain([c]))
        .collect();
    let escaped = entities(&escaped);
    if url.is_empty() || unbalanced || url.contains(|c: char| c.is_whitespace() || c.is_control() || c == '<') {
        format!("<{escaped}>")
    } else {
        escaped
    }
}

/// Escapes entities: `&copy;` in a target would be read as a character.
fn entities(url: &str) -> String {
    let chars: Vec<char> = url.chars().collect();
    let mut out = String::with_capacity(url.len());
    for (at, c) in chars.iter().enumerate() {
        if *c == '&' && is_entity(&chars[at + 1..]) {
            out.push('\\');
        }
        out.push(*c);
    }
    out
}

/// Writes a title, with a space before it.
pub(super) fn title(title: Option<&str>) -> String {
    match title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|title| !title.is_empty()) {
        Some(title) => format!(" \"{}\"", entities(&title.replace('\\', "\\\\").replace('"', "\\\""))),
        None => String::new(),
    }
}

/// Writes a code block's language.
pub(super) fn info(language: &str) -> String {
    entities(&language.chars().flat_map(|c| (c == '\\').then_some('\\').into_iter().chain([c])).collect::<String>())
}

/// Escapes text in a table cell.
pub(super) fn cell(text: &str) -> String {
    text.replace("\\\n", "<br>").replace('\n', " ").replace('|', "\\|")
}

/// Returns whether a URL can be written between angle brackets.
pub(super) fn is_autolink(url: &str) -> bool {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme).unwrap_or_default();
    matches!(scheme, "http" | "https" | "mailto")
        && !url.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '\\'))
}

/// Returns whether `mark` around a text, between these two characters, is parsed as emphasis (CommonMark 0.31, 6.2).
pub(super) fn can_emphasise(mark: char, before: Option<char>, text: &str, after: Option<char>) -> bool {
    let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else { return false };
    if before == Some(mark) || first == mark || last == mark || after == Some(mark) {
        return false;
    }
    let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let punctuation = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    let opens = !first.is_whitespace() && (!punctuation(first) || space(before) || before.is_some_and(punctuation));
    let closes = !last.is_whitespace() && (!punctuation(last) || space(after) || after.is_some_and(punctuation));
    let in_word =
        mark == '_' && (before.is_some_and(char::is_alphanumeric) || after.is_some_and(char::is_alphanumeric));
    opens && closes && !in_word
}
