//! How long a result may be: clients refuse or cut results of more than 25 000 tokens.
//!
//! No tokenizer is known here, so each character counts what it costs in common ones where text is no prose, about.

/// A whole result, in thousandths of a token. The rest up to 25 000 tokens is for what stands around a page's text.
pub(crate) const RESULT_MAX_MILLITOKENS: usize = 23_000_000;

/// What a character costs, in thousandths of a token.
fn cost_millitokens(c: char) -> usize {
    match c {
        ' ' => 200,
        'a'..='z' => 370,
        '\n' | 'A'..='Z' | '0'..='9' => 600,
        '\0'..='\u{7f}' => 700,
        // As measured with random text of a script, in the costliest of three tokenizers: a page may be no prose.
        '\u{80}'..='\u{ff}' => 1400,
        '\u{100}'..='\u{24f}' => 2000,
        // Greek, Cyrillic, Hebrew, Arabic.
        '\u{370}'..='\u{3ff}' => 1750,
        '\u{400}'..='\u{4ff}' => 1350,
        '\u{590}'..='\u{5ff}' => 1500,
        '\u{600}'..='\u{6ff}' => 1550,
        '\u{250}'..='\u{7ff}' => 2000,
        // India's scripts and Thai; Latin with two marks; dashes and quotes.
        '\u{900}'..='\u{e7f}' | '\u{1e00}'..='\u{1eff}' => 2000,
        '\u{2000}'..='\u{206f}' => 1700,
        // Japanese, Chinese, Korean.
        '\u{3000}'..='\u{30ff}' => 1600,
        '\u{4e00}'..='\u{9fff}' => 2350,
        '\u{ac00}'..='\u{d7af}' => 2600,
        // All others at most a token for each byte.
        '\u{800}'..='\u{ffff}' => 3000,
        _ => 4000,
    }
}

/// The longest beginning of `text` that costs no more than `budget`, which is lowered by its cost; it ends between lines if
/// a line ends in its last tenth.
pub(crate) fn fit<'a>(text: &'a str, budget: &mut usize) -> &'a str {
    let mut spent = 0;
    for (at, c) in text.char_indices() {
        let cost = cost_millitokens(c);
        if spent + cost > *budget {
            *budget = 0;
            let kept = &text[..at];
            return match kept.rfind('\n') {
                Some(line_end) if line_end >= at / 10 * 9 => &kept[..line_end],
                _ => kept,
            };
        }
        spent += cost;
    }
    *budget -= spent;
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_its_cost_between_lines_if_one_is_near() {
        let mut budget = RESULT_MAX_MILLITOKENS;
        let prose = "word and word\n".repeat(10_000);
        let kept = fit(&prose, &mut budget).len();
        assert!((50_000..80_000).contains(&kept) && kept % 14 == 13, "{kept}");
        assert_eq!(budget, 0);
        let mut budget = RESULT_MAX_MILLITOKENS;
        assert!(fit(&"漢".repeat(60_000), &mut budget).chars().count() < 16_000);
        // Tokens for 100 characters, as measured (cl100k, o200k and Anthropic's tokenizer of npm, the largest).
        for (from, to, tokens) in [
            ('\u{c0}', '\u{ff}', 138),
            ('\u{180}', '\u{24f}', 197),
            ('Α', 'ώ', 172),
            ('\u{400}', '\u{45f}', 135),
            ('\u{620}', '\u{65f}', 152),
            ('\u{700}', '\u{7ff}', 200),
            ('\u{b85}', '\u{bb9}', 200),
            ('\u{1ea0}', '\u{1ef9}', 200),
            ('\u{1200}', '\u{1356}', 299),
            ('ぁ', 'ヺ', 156),
            ('\u{3400}', '\u{4db5}', 299),
            ('一', '\u{9fa5}', 234),
            ('\u{a000}', '\u{a48c}', 299),
            ('가', '힣', 257),
            ('\u{e000}', '\u{f8ff}', 299),
            ('\u{20000}', '\u{2a000}', 397),
        ] {
            let text: String = (from..=to).cycle().take(60_000).collect();
            let mut budget = RESULT_MAX_MILLITOKENS;
            let kept = fit(&text, &mut budget).chars().count();
            assert!(kept * tokens < 25_000 * 100, "{kept} characters from {from:?}");
        }
        let mut budget = 2_000;
        assert_eq!((fit("abc", &mut budget), budget), ("abc", 890));
        assert_eq!(fit("\u{10ffff}", &mut budget), "");
    }
}
