//! Whether a message asks for a browser: by its words alone, without a model.
//!
//! A request is a URL beside a word that asks for a page ("open", "summarise", "what does … say"), at the beginning of a
//! clause or where the language puts it. A URL that is merely there, in code, in quotes of a task or in a past, is none.

mod urls;
mod words;

use serde::{Deserialize, Serialize};

/// How much of a message is looked at from its beginning, in bytes: what is asked stands at its ends.
const HEAD_MAX_BYTES: usize = 6_000;
/// And from its end.
const TAIL_MAX_BYTES: usize = 3_000;
/// URLs that are named.
const URLS_MAX: usize = 10;
/// Leads that one clause may have.
const LEADS_MAX: usize = 8;
/// How far before a verb a negation counts, in words.
const NEGATION_REACH_WORDS: usize = 5;
/// Stands for a URL among the words.
const URL: &str = "\u{fffc}";

/// What a message asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// Whether it asks for a browser.
    pub browser_intent: bool,
    /// The URLs that it names, absolute, each once, at most ten.
    pub urls: Vec<String>,
    /// Text to put before the model, where it asks for a browser.
    pub hint: Option<String>,
}

/// Judges a message.
#[must_use]
pub fn intent(message: &str) -> Intent {
    let message = ends(message);
    let message = without_fences(&message);
    let found = urls::find(&message);
    let mut urls: Vec<String> = Vec::new();
    for url in found.iter().map(|found| &found.url) {
        if urls.len() < URLS_MAX && !urls.contains(url) {
            urls.push(url.clone());
        }
    }
    let browser_intent = !urls.is_empty() && asks(&words_of(&message, &found));
    let hint = browser_intent.then(|| hint(&urls));
    Intent { browser_intent, urls, hint }
}

/// Text for a model whose user asks for what a browser shows.
fn hint(urls: &[String]) -> String {
    format!(
        "The user asks for something that needs a browser: {}. You have one. To look once, call sandbox_browser_extract \
         (text) or sandbox_browser_screenshot (picture) with the url; to click, type or follow links, call browser_navigate \
         and then act by the refs (@e1, @e2, …) in its result. Write a call as a JSON object of its own, such as \
         {{\"tool\": \"sandbox_browser_extract\", \"args\": {{\"url\": {}}}}}, and nothing after it; the result follows in \
         the next message. Don't say what is on a page before you have looked at it.",
        urls.join(", "),
        serde_json::Value::from(urls.first().map_or("", String::as_str)),
    )
}

fn ends(message: &str) -> String {
    if message.len() <= HEAD_MAX_BYTES + TAIL_MAX_BYTES {
        return message.to_owned();
    }
    let head = (0..=HEAD_MAX_BYTES).rev().find(|at| message.is_char_boundary(*at)).unwrap_or_default();
    let tail = (message.len() - TAIL_MAX_BYTES..message.len()).find(|at| message.is_char_boundary(*at));
    format!("{}\n{}", &message[..head], &message[tail.unwrap_or(message.len())..])
}

/// Code blocks are material.
fn without_fences(message: &str) -> String {
    let mut kept = String::new();
    let mut inside = false;
    for line in message.lines() {
        let marks = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        inside ^= marks;
        if !inside && !marks {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// A sentence: its clauses, each its words with single spaces between them.
#[derive(Debug, Default)]
struct Sentence {
    clauses: Vec<String>,
    is_question: bool,
}

/// The sentences of a message, in lower case, each URL being one word.
fn words_of(message: &str, urls: &[urls::Found]) -> Vec<Sentence> {
    let mut text = String::new();
    let mut at = 0;
    for found in urls {
        text.push_str(&message[at..found.range.start]);
        text.push_str(&format!(" {URL} "));
        at = found.range.end;
    }
    text.push_str(&message[at..]);
    let text = text.to_lowercase().replace("tl;dr", "tldr");
    let mut sentences = vec![Sentence::default()];
    let mut clause = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_sentence = match c {
            '.' => chars.peek().is_none_or(|next| next.is_whitespace()),
            c => matches!(c, '!' | '?' | '\n' | ';' | '。' | '！' | '？' | '؟' | '।' | '…'),
        };
        if ends_sentence
            || matches!(c, ',' | ':' | '،' | '、' | '，' | '：' | '(' | ')' | '"' | '“' | '”' | '«' | '»' | '—')
        {
            end_clause(&mut sentences, &mut clause);
        }
        if ends_sentence {
            if let Some(last) = sentences.last_mut() {
                last.is_question = matches!(c, '?' | '？' | '؟');
            }
            if sentences.last().is_some_and(|last| !last.clauses.is_empty()) {
                sentences.push(Sentence::default());
            }
        } else if c.is_alphanumeric() || c == '\u{fffc}' || is_mark(c) {
            clause.push(c);
        } else if !clause.ends_with(' ') {
            clause.push(' ');
        }
    }
    end_clause(&mut sentences, &mut clause);
    sentences.retain(|sentence| !sentence.clauses.is_empty());
    sentences
}

/// Vowel signs and the like, which are parts of words.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}' | '\u{962}'..='\u{963}')
}

fn end_clause(sentences: &mut [Sentence], clause: &mut String) {
    let words = std::mem::take(clause).trim().to_owned();
    if let Some(last) = sentences.last_mut().filter(|_| !words.is_empty()) {
        last.clauses.push(words);
    }
}

/// What one sentence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judged {
    /// It asks for the page that it names.
    Asks,
    /// It asks for a page and names none.
    AsksForAnother,
    /// It only names a page.
    Names,
    /// Neither.
    Nothing,
}

fn asks(sentences: &[Sentence]) -> bool {
    let judged: Vec<Judged> = sentences.iter().map(judge).collect();
    let is = |kind: Judged| judged.contains(&kind);
    // A URL alone asks to be looked at, and one in a line of its own is what the other lines ask for.
    is(Judged::Asks)
        || (is(Judged::Names) && (is(Judged::AsksForAnother) || judged.iter().all(|one| *one == Judged::Names)))
}

fn judge(sentence: &Sentence) -> Judged {
    let clauses: Vec<&str> = sentence.clauses.iter().flat_map(|clause| at_conjunctions(clause)).collect();
    let whole = sentence.clauses.join(" ");
    let has_url = whole.contains(URL);
    if whole.split(' ').all(|word| word == URL) {
        return Judged::Names;
    }
    let asked = || if has_url { Judged::Asks } else { Judged::AsksForAnother };
    let first = without_leads(clauses.first().copied().unwrap_or_default()).0;
    let asks_how =
        begins(first, "|how|why|wie|warum|comment|pourquoi|cómo|come|perché|como|hoe|waarom|jak|как|كيف|").is_some();
    let is_code = has_word(&whole, words::CODE) || has_part(&whole, words::CODE_PARTS);
    if is_code && begins(first, words::VERBS).is_none() {
        return Judged::Nothing;
    }
    if has_word(&whole, words::NOUNS) && has_url && !asks_how && !denied(&whole) {
        return Judged::Asks;
    }
    let counts = begins(first, words::QUESTIONS).is_some_and(|rest| first.len() - rest.len() > "how ".len() + 1);
    if begins(first, words::OTHERS).is_some() && begins(first, words::VERBS).is_none() && !counts {
        return Judged::Nothing;
    }
    if clauses.iter().any(|clause| requests(clause)) {
        return asked();
    }
    let denies = has_part(&whole, words::PARTS_DENIED);
    if !denies && (has_part(&whole, words::PARTS) || after_url(&whole)) {
        return asked();
    }
    if has_url && asks_about(first, &whole, sentence.is_question) {
        return Judged::Asks;
    }
    // "What is this about?" beside a line with a URL.
    let about_this = !has_url && begins(first, words::QUESTIONS).is_some() && has_word(&whole, words::THIS);
    if about_this { Judged::AsksForAnother } else { Judged::Nothing }
}

/// The parts of a clause between conjunctions.
fn at_conjunctions(clause: &str) -> impl Iterator<Item = &str> {
    const CONJUNCTIONS: [&str; 10] = [" and ", " then ", " und ", " et ", " y ", " e ", " i ", " и ", " ve ", " dann "];
    let mut rest = clause;
    let mut ended = false;
    std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let split = CONJUNCTIONS.iter().filter_map(|word| rest.find(word).map(|at| (at, word.len()))).min();
        let Some((at, long)) = split else {
            ended = true;
            return Some(rest);
        };
        let part = &rest[..at];
        rest = &rest[at + long..];
        Some(part)
    })
}

/// Whether a clause begins with a request for a page, which it does not deny.
fn requests(clause: &str) -> bool {
    let (rest, leads) = without_leads(clause);
    let negated_after = |rest: &str| {
        let words: Vec<&str> = rest.split(' ').filter(|word| *word != URL).collect();
        words.iter().take(2).chain(words.last()).any(|word| matches!(*word, "nicht" | "niet"))
    };
    if begins(rest, words::NOT_VERBS).is_some() {
        return false;
    }
    if let Some(rest) = begins(rest, words::VERBS) {
        return !negated_after(rest);
    }
    let last = leads.is_some_and(|lead| has_word(lead, words::VERB_LAST_LEADS));
    last && !denied(clause)
        && rest.split(' ').enumerate().any(|(at, word)| at > 0 && begins(word, words::VERBS) == Some(""))
}

/// What follows the leads of a clause, and these.
fn without_leads(clause: &str) -> (&str, Option<&str>) {
    let mut rest = clause;
    for _ in 0..LEADS_MAX {
        match begins(rest, words::LEADS) {
            Some(after) if !after.is_empty() => rest = after,
            _ => break,
        }
    }
    let leads = clause[..clause.len() - rest.len()].trim();
    (rest, (!leads.is_empty()).then_some(leads))
}

/// Whether words deny the request that they are.
fn denied(words: &str) -> bool {
    let near: Vec<&str> = words.split(' ').take(NEGATION_REACH_WORDS).collect();
    has_word(&near.join(" "), words::NEGATIONS) || has_word(words, "|nicht|niet|without|")
}

/// Whether a verb follows a URL, in languages whose verbs do.
fn after_url(whole: &str) -> bool {
    let Some((_, after)) = whole.split_once(URL) else { return false };
    has_word(after, words::VERBS_AFTER) && !has_word(after, "|मत|")
}

/// Whether a question is about what stands at a URL.
fn asks_about(first: &str, whole: &str, is_question: bool) -> bool {
    if begins(first, words::QUESTIONS).is_none() {
        return false;
    }
    if whole.starts_with(URL) && is_question {
        return true;
    }
    let words: Vec<&str> = whole.split(' ').collect();
    words.iter().enumerate().filter(|(_, word)| **word == URL).any(|(at, _)| {
        let before = words[..at].last().is_some_and(|word| has_word(word, words::AT));
        let after = words.get(at + 1).is_some_and(|word| has_word(word, words::SAYS));
        let says_before = words[..at]
            .iter()
            .rev()
            .take(4)
            .any(|word| has_word(word, "|does|say|says|dit|dice|diz|zegt|mówi|говорит|sagt|"));
        (is_question && before) || after || (is_question && says_before)
    })
}

/// What follows the longest phrase of `list` with which `words` begin.
fn begins<'a>(words: &'a str, list: &str) -> Option<&'a str> {
    let ends = words.match_indices(' ').map(|(at, _)| at).chain([words.len()]).take(5);
    let longest = ends.filter(|end| *end > 0 && contains_phrase(list, &words[..*end])).last()?;
    Some(words[longest..].trim_start())
}

fn contains_phrase(list: &str, phrase: &str) -> bool {
    list.match_indices(phrase).any(|(at, _)| list[..at].ends_with('|') && list[at + phrase.len()..].starts_with('|'))
}

/// Whether a phrase of `list` is among the words.
fn has_word(words: &str, list: &str) -> bool {
    let padded = format!(" {words} ");
    phrases(list).any(|phrase| {
        padded
            .match_indices(phrase)
            .any(|(at, _)| padded[..at].ends_with(' ') && padded[at + phrase.len()..].starts_with(' '))
    })
}

/// Whether a phrase of `list` is a part of the text.
fn has_part(text: &str, list: &str) -> bool {
    phrases(list).any(|phrase| text.contains(phrase))
}

fn phrases(list: &str) -> impl Iterator<Item = &str> {
    list.split('|').filter(|phrase| !phrase.is_empty())
}
