//! Removes odd characters: invisible ones that no script needs, which can steer terminals and models and carry hidden
//! messages. Those that scripts and emoji need are kept.

use std::borrow::Cow;

/// Returns the text without odd characters, and how many there were.
#[must_use]
pub fn clean(text: &str) -> (Cow<'_, str>, u64) {
    if text.is_ascii()
        && !text.bytes().any(|byte| byte < b' ' && !matches!(byte, b'\n' | b'\t' | b'\r' | 0x0c) || byte == 0x7f)
    {
        return (Cow::Borrowed(text), 0);
    }
    let mut kept = String::with_capacity(text.len());
    let mut odd = 0;
    // Direction marks must be balanced within a paragraph.
    for line in text.split_inclusive('\n') {
        odd += clean_line(line, &mut kept);
    }
    (Cow::Owned(kept), odd)
}

/// Counts odd characters.
#[must_use]
pub fn count_odd(text: &str) -> u64 {
    clean(text).1
}

/// Returns the text without odd characters.
#[must_use]
pub fn cleaned(text: &str) -> String {
    clean(text).0.into_owned()
}

fn clean_line(line: &str, kept: &mut String) -> u64 {
    let chars: Vec<char> = line.chars().collect();
    let unbalanced = unbalanced(&chars);
    let has_rtl = chars.iter().any(|c| is_rtl(*c));
    let mut odd = 0;
    for (at, c) in chars.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        let stays = match c {
            '\n' | '\t' | '\r' => true,
            '\u{c}' => {
                kept.push(' ');
                continue;
            }
            // A soft hyphen only marks where a word may be broken.
            '\u{ad}' => continue,
            '\u{200c}' | '\u{200d}' => joins(before, after),
            '\u{200b}' => before.is_some_and(breaks_without_spaces) && after.is_some_and(breaks_without_spaces),
            '\u{200e}' | '\u{200f}' | '\u{61c}' => has_rtl,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => unbalanced.binary_search(&at).is_err(),
            // Word joiner, invisible operators, deprecated and interlinear marks, byte order mark, Mongolian vowel separator.
            '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' | '\u{feff}' | '\u{180e}' => {
                false
            }
            '\u{fe00}'..='\u{fe0f}' => before.is_some_and(|before| !before.is_whitespace() && !is_selector(before)),
            '\u{e0100}'..='\u{e01ef}' => before.is_some_and(is_ideograph),
            '\u{e0000}'..='\u{e007f}' => in_flag(&chars, at),
            c => !c.is_control(),
        };
        if stays {
            kept.push(c);
        } else {
            odd += 1;
        }
    }
    odd
}

/// Returns whether a joiner connects letters or emoji.
fn joins(before: Option<char>, after: Option<char>) -> bool {
    let fits = |c: char| c.is_alphanumeric() || is_mark(c) || is_emoji(c);
    // A vowel sign or virama may precede the joiner; a joiner at the end may select a letter's form.
    match (before, after) {
        (Some(before), Some(after)) => fits(before) && fits(after),
        (Some(before), None) => is_indic_or_arabic(before),
        _ => false,
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{6d6}'..='\u{6ed}' | '\u{900}'..='\u{dff}' | '\u{e31}'..='\u{e4e}' | '\u{f00}'..='\u{fff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}' | '\u{1a00}'..='\u{1cff}')
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{20e3}' | '\u{3030}' | '\u{303d}' | '©' | '®')
}

fn is_indic_or_arabic(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{77f}' | '\u{900}'..='\u{dff}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether a script writes words without spaces; there a zero-width space marks possible line ends.
fn breaks_without_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{f00}'..='\u{fff}')
        || is_ideograph(c)
}

fn is_rtl(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Most tag characters of one flag, the cancelling one included.
const FLAG_TAGS_MAX: usize = 7;

/// Returns whether a tag character is part of a flag: a black flag, tags, and the cancelling tag.
fn in_flag(chars: &[char], at: usize) -> bool {
    let is_tag = |c: &char| matches!(*c, '\u{e0020}'..='\u{e007f}');
    let start = (at.saturating_sub(FLAG_TAGS_MAX)..at).rev().find(|before| !is_tag(&chars[*before]));
    let begins = start.is_some_and(|start| chars[start] == '\u{1f3f4}');
    begins && chars[at..].iter().take(8).take_while(|c| is_tag(c)).any(|c| *c == '\u{e007f}')
}

/// Returns the positions of direction marks without a counterpart, in order.
fn unbalanced(chars: &[char]) -> Vec<usize> {
    let mut open: Vec<(usize, bool)> = Vec::new();
    // Number of open isolates: without a possible counterpart the search is skipped.
    let mut isolates = 0;
    let mut alone = Vec::new();
    for (at, c) in chars.iter().enumerate() {
        match c {
            '\u{202a}' | '\u{202b}' | '\u{202d}' | '\u{202e}' => open.push((at, false)),
            '\u{2066}'..='\u{2068}' => {
                open.push((at, true));
                isolates += 1;
            }
            '\u{202c}' | '\u{2069}' => {
                let isolate = *c == '\u{2069}';
                let any = if isolate { isolates > 0 } else { open.len() > isolates };
                let counterpart =
                    any.then(|| open.iter().rposition(|(_, of_isolate)| *of_isolate == isolate)).flatten();
                match counterpart {
                    Some(position) => {
                        // Marks that were opened inside and not closed have no counterpart.
                        isolates -= open[position..].iter().filter(|(_, of_isolate)| *of_isolate).count();
                        alone.extend(open.drain(position..).skip(1).map(|(at, _)| at));
                    }
                    None => alone.push(at),
                }
            }
            _ => {}
        }
    }
    alone.extend(open.into_iter().map(|(at, _)| at));
    alone.sort_unstable();
    alone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_a_script_needs_are_kept() {
        for text in [
            "plain\ttext\nof two lines",
            "می\u{200c}خواهم",                       // Persian, with a zero-width non-joiner
            "👨\u{200d}👩\u{200d}👧",                // a family
            "❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}", // with variation selectors
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}", // Scotland
            "שלום \u{202b}עולם\u{202c} \u{2067}א\u{2069}",
            "abc \u{2066}(עברית)\u{2069}",
            "ไทย\u{200b}ภาษา",
            "क्\u{200d}ष क्\u{200c}ष",
            "葛\u{e0100}城",
            "עברית\u{200f}!",
        ] {
            assert_eq!(clean(text), (Cow::Borrowed(text), 0), "{text:?}");
        }
    }

    #[test]
    fn invisible_characters_are_removed_and_counted() {
        for (text, expected, odd) in [
            ("a\u{0}b\u{1b}[31m", "ab[31m", 2),
            ("ab\u{200b}cd", "abcd", 1),
            ("a \u{200d} b", "a  b", 1),
            ("\u{feff}x\u{2060}y", "xy", 2),
            ("a\u{202e}b", "ab", 1),
            ("a\u{202c}b\u{2069}", "ab", 2),
            ("\u{202e}a\u{2066}b\u{202c}", "\u{202e}ab\u{202c}", 1),
            ("hi\u{e0068}\u{e0069}", "hi", 2),
            ("x\u{fe01}\u{fe02}\u{fe03}", "x\u{fe01}", 2),
            ("left\u{200e}", "left", 1),
            ("Donau\u{ad}dampf", "Donaudampf", 0),
        ] {
            assert_eq!(clean(text), (Cow::Borrowed(expected), odd), "{text:?}");
        }
    }
}
