//! The string form of directives: one per line, or separated by `;`. It is parsed into the typed form, so both forms
//! have the same meaning.

use serde_json::Value;

use crate::extract::{Directive, ExtractKind, TableFormat};
use crate::json::{Invalid, StrictObject, Validate};
use crate::limits::DIRECTIVES_MAX;
use crate::scan::Scan;
use crate::selector::{By, Chain};

/// A parsed instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// Directives, at least one.
    Directives(Vec<Directive>),
    /// Text that is not written as directives.
    FreeText,
}

const KEYWORDS: [&str; 20] = [
    "selector", "css", "xpath", "text", "role", "testid", "all", "html", "markdown", "article", "links", "images",
    "metadata", "headings", "table", "tables", "csv", "json", "schema", "frames",
];
/// Largest edit distance from a keyword at which an unknown word is reported as a misspelling.
const MISSPELLING_MAX_DISTANCE: usize = 2;

impl Instruction {
    /// Parses an instruction. An empty one asks for the page's text.
    ///
    /// # Errors
    /// [`Invalid`] for `instruction`: a directive is invalid, or a word looks like a misspelt keyword.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self::Directives(vec![Directive::default()]));
        }
        let Some(lines) = lines(text)? else { return Ok(Self::FreeText) };
        let mut directives: Vec<Directive> = Vec::new();
        for line in lines {
            match line.keyword {
                "schema" => {
                    let schema = json(line.rest, "schema")?;
                    match directives.last_mut() {
                        Some(last) if last.kind == ExtractKind::Json => last.schema = Some(schema),
                        _ => return Err(refusal("`schema:` must follow a `json:` directive")),
                    }
                }
                keyword => directives.push(directive(keyword, line.rest)?),
            }
        }
        if directives.len() > DIRECTIVES_MAX {
            return Err(refusal(format!("has more than {DIRECTIVES_MAX} directives")));
        }
        for directive in &directives {
            directive.validate().map_err(|invalid| refusal(format!("{}: {}", invalid.path, invalid.reason)))?;
        }
        Ok(Self::Directives(directives))
    }
}

fn refusal(reason: impl Into<String>) -> Invalid {
    Invalid::new("instruction", reason)
}

/// A keyword and the text after its colon.
struct Line<'a> {
    keyword: &'static str,
    rest: &'a str,
}

/// Splits an instruction into lines; `None` if it is free text.
fn lines(text: &str) -> Result<Option<Vec<Line<'_>>>, Invalid> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut free = false;
    for part in parts(text) {
        let trimmed = part.trim();
        if trimmed.is_empty() {
            continue;
        }
        let (word, rest) = match trimmed.split_once(':') {
            Some((word, rest)) => (word.trim(), Some(rest)),
            None => (trimmed, None),
        };
        if let Some(keyword) = KEYWORDS.iter().find(|keyword| word.eq_ignore_ascii_case(keyword)) {
            lines.push(Line { keyword, rest: rest.unwrap_or_default().trim() });
            continue;
        }
        // The selector of the previous line continues on this one.
        if let Some(last) = lines.last_mut()
            && last.rest.ends_with([',', '>', '+', '~'])
            && By::of_keyword(last.keyword).is_some()
        {
            let start = last.rest.as_ptr() as usize - text.as_ptr() as usize;
            let end = trimmed.as_ptr() as usize - text.as_ptr() as usize + trimmed.len();
            last.rest = &text[start..end];
            continue;
        }
        let is_word = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        if is_word && rest.is_some_and(|rest| !rest.starts_with("//")) {
            let word = word.to_lowercase();
            let nearest = KEYWORDS.iter().map(|keyword| (distance(&word, keyword), keyword)).min();
            if let Some((off, keyword)) = nearest
                && off <= MISSPELLING_MAX_DISTANCE
            {
                return Err(refusal(format!("`{word}:` is not a directive; did you mean `{keyword}:`?")));
            }
        }
        free = true;
    }
    Ok((!free && !lines.is_empty()).then_some(lines))
}

/// Splits at `;` and line ends that are outside quotes, brackets and braces.
fn parts(text: &str) -> Vec<&str> {
    Scan::split(text, ";").into_iter().flat_map(|part| Scan::split(part, "\n")).collect()
}

fn directive(keyword: &str, rest: &str) -> Result<Directive, Invalid> {
    let wanted = |kind: ExtractKind| Directive {
        kind,
        selector: (!rest.is_empty()).then(|| rest.to_owned()),
        ..Directive::default()
    };
    let alone = |kind: ExtractKind| match rest {
        "" => Ok(Directive::of(kind)),
        _ => Err(refusal(format!("`{keyword}` takes no argument"))),
    };
    Ok(match keyword {
        "text" if rest.is_empty() => Directive::default(),
        "selector" | "css" | "xpath" | "text" | "role" | "testid" => selected(keyword, rest)?,
        "all" => all(rest)?,
        "html" => wanted(ExtractKind::Html),
        "markdown" => wanted(ExtractKind::Markdown),
        "article" => wanted(ExtractKind::Article),
        "links" => wanted(ExtractKind::Links),
        "images" => wanted(ExtractKind::Images),
        "headings" => wanted(ExtractKind::Headings),
        "table" => wanted(ExtractKind::Table),
        "csv" => Directive { format: Some(TableFormat::Csv), ..wanted(ExtractKind::Table) },
        "metadata" => alone(ExtractKind::Metadata)?,
        "tables" => alone(ExtractKind::Tables)?,
        "frames" => Directive { frames: true, ..alone(ExtractKind::Text)? },
        _ => Directive { map: Some(json(rest, "json")?), ..Directive::of(ExtractKind::Json) },
    })
}

/// Builds the directive for the text of a selector's match.
fn selected(keyword: &str, rest: &str) -> Result<Directive, Invalid> {
    if rest.is_empty() {
        return Err(refusal("lacks a selector"));
    }
    // `selector: all: li` means the same as `all: li`.
    if matches!(keyword, "selector" | "css")
        && let Some((word, rest)) = rest.split_once(':')
        && word.trim().eq_ignore_ascii_case("all")
    {
        return all(rest.trim());
    }
    let by = By::of_keyword(keyword).unwrap_or(By::Css);
    let selector = match by {
        // The typed form writes CSS without a keyword.
        By::Css => rest.to_owned(),
        _ => format!("{keyword}: {rest}"),
    };
    Chain::parse(&selector).map_err(|invalid| refusal(invalid.reason))?;
    Ok(Directive { selector: Some(selector), ..Directive::default() })
}

/// Builds the directive for all matches of a selector.
fn all(rest: &str) -> Result<Directive, Invalid> {
    let inner = rest.split_once(':').and_then(|(word, rest)| {
        let word = word.trim();
        let keyword = KEYWORDS.iter().find(|keyword| word.eq_ignore_ascii_case(keyword))?;
        Some((*keyword, rest.trim()))
    });
    let inner = match inner {
        Some(("all", _)) => return Err(refusal("`all:` is given twice")),
        Some((keyword, rest)) => directive(keyword, rest)?,
        None => selected("css", rest)?,
    };
    Ok(Directive { all: true, ..inner })
}

fn json(text: &str, keyword: &str) -> Result<Value, Invalid> {
    match StrictObject::parse(text.as_bytes()) {
        Ok(StrictObject(object)) => Ok(Value::Object(object)),
        Err(error) => Err(refusal(format!("`{keyword}:` takes a JSON object: {}", error.reason))),
    }
}

/// Returns the Levenshtein distance. Keywords are short, so only the first 20 characters of `one` are compared.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().take(20).collect(), other.chars().collect());
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in other.iter().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Vec<Directive> {
        match Instruction::parse(text).unwrap() {
            Instruction::Directives(directives) => directives,
            Instruction::FreeText => panic!("free text: {text}"),
        }
    }

    fn of_selector(selector: &str) -> Directive {
        Directive { selector: Some(selector.to_owned()), ..Directive::default() }
    }

    #[test]
    fn selector_keywords_are_case_insensitive() {
        for (text, selector) in [
            ("selector: .main-content", ".main-content"),
            ("  CSS:#a:not(.b) > p  ", "#a:not(.b) > p"),
            ("Selector :main", "main"),
            ("selector: [title=\"a;b\nc\"]", "[title=\"a;b\nc\"]"),
            ("css: .a,\n  .b", ".a,\n  .b"),
            ("xpath: //a[@id='x']", "xpath: //a[@id='x']"),
            ("Text: Don't panic", "text: Don't panic"),
            ("role: button \"Save; all\"", "role: button \"Save; all\""),
        ] {
            assert_eq!(read(text), [of_selector(selector)], "{text}");
        }
        assert_eq!(read(" \n "), [Directive::default()]);
        assert_eq!(read("TEXT"), [Directive::default()]);
    }

    #[test]
    fn every_kind_has_a_keyword_and_each_line_is_a_directive() {
        let read = read(
            "article; links: nav\nTable\ncsv: #prices;all: li\nall: markdown: .post;json: {\"a\": \"h1; b\",\n \"c[]\": \"li\"}; schema: {\"type\": \"object\"}\nframes",
        );
        let all = |kind, selector: &str| Directive { kind, all: true, ..of_selector(selector) };
        assert_eq!(
            read,
            [
                Directive::of(ExtractKind::Article),
                Directive { kind: ExtractKind::Links, ..of_selector("nav") },
                Directive::of(ExtractKind::Table),
                Directive { kind: ExtractKind::Table, format: Some(TableFormat::Csv), ..of_selector("#prices") },
                all(ExtractKind::Text, "li"),
                all(ExtractKind::Markdown, ".post"),
                Directive {
                    map: Some(json!({"a": "h1; b", "c[]": "li"})),
                    schema: Some(json!({"type": "object"})),
                    ..Directive::of(ExtractKind::Json)
                },
                Directive { frames: true, ..Directive::default() },
            ]
        );
    }

    #[test]
    fn other_text_is_free_text_and_a_misspelt_keyword_is_reported() {
        for text in [
            "what does it cost: euros?",
            "Summarise this page",
            "article please",
            "article; then tell me more",
            "https://example.com/",
            "question: why?",
            "selector: h1\nand the rest",
        ] {
            assert_eq!(Instruction::parse(text).unwrap(), Instruction::FreeText, "{text}");
        }
        for (text, meant) in [("selektor: h1", "selector"), ("markdwon:", "markdown"), ("article; tabel: x", "table")] {
            let invalid = Instruction::parse(text).unwrap_err();
            assert_eq!(invalid.path, "instruction");
            assert!(invalid.reason.contains(&format!("`{meant}:`")), "{text}: {invalid}");
        }
        for text in
            ["selector:  ", "json: nonsense", "json: [1]", "schema: {}", "metadata: x", "all: article: main", "role: 1"]
        {
            assert_eq!(Instruction::parse(text).unwrap_err().path, "instruction", "{text}");
        }
    }
}
