//! Names: camelCase for models and snake_case for the contract, and the name nearest to a misspelt one.

/// The contract's spelling of a model's: `timeoutMs` is `timeout_ms`.
pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// The model's spelling of the contract's: `timeout_ms` is `timeoutMs`.
pub(crate) fn camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        match c {
            '_' if !camel.is_empty() => upper = true,
            c if upper => {
                camel.push(c.to_ascii_uppercase());
                upper = false;
            }
            c => camel.push(c),
        }
    }
    camel
}

/// A name's characters that count when names are compared, at most [`COMPARED_MAX_CHARS`].
const COMPARED_MAX_CHARS: usize = 64;

/// The name of `names` that is nearest to `wrong`, and how many edits apart they are; case, `_` and `-` don't count.
pub(crate) fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<(&'a str, usize)> {
    let wrong = compared(wrong);
    names.map(|name| (name, distance(&wrong, &compared(name)))).min_by_key(|(_, distance)| *distance)
}

fn compared(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.flat_map(char::to_lowercase).take(COMPARED_MAX_CHARS).collect()
}

/// Levenshtein's distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_lead_to_each_other() {
        for (camel_case, snake_case) in [
            ("timeoutMs", "timeout_ms"),
            ("ref", "ref"),
            ("contentBase64", "content_base64"),
            ("fallbackToCdp", "fallback_to_cdp"),
        ] {
            assert_eq!(snake(camel_case), snake_case);
            assert_eq!(camel(snake_case), camel_case);
            assert_eq!(snake(snake_case), snake_case);
        }
    }

    #[test]
    fn the_nearest_name_ignores_case_and_separators() {
        let names = ["browser_click", "browser_check", "interactWithPage"];
        for (wrong, right, edits) in [
            ("browser_clik", "browser_click", 1),
            ("Browser-Check", "browser_check", 0),
            ("interact_with_page", "interactWithPage", 0),
            (&"x".repeat(100_000), "browser_click", COMPARED_MAX_CHARS),
        ] {
            assert_eq!(nearest(wrong, names.into_iter()), Some((right, edits)), "{right}");
        }
        assert_eq!(nearest("x", std::iter::empty()), None);
    }
}
