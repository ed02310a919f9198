//! Cuts content where its format allows: Markdown between blocks, lists between entries, JSON so that it stays valid.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

/// Content that may have been cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cut<T> {
    /// The content that was kept.
    pub kept: T,
    /// Where the rest begins, if there is a rest.
    pub next_offset: Option<u64>,
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// Returns the text from `offset` on, at most `max` characters, cut between characters.
#[must_use]
pub fn text(text: &str, offset: usize, max: usize) -> Cut<String> {
    let kept: String = text.chars().skip(offset).take(max).collect();
    let end = offset + chars(&kept);
    Cut { next_offset: (end < chars(text)).then_some(end as u64), kept }
}

/// Returns the opening lines of a code block or table, which are repeated in each piece that continues it.
fn opening(block: &str) -> Option<String> {
    let mut lines = block.lines();
    let first = lines.next()?;
    if first.starts_with("```") {
        return Some(format!("{first}\n"));
    }
    let second = lines.next()?;
    (first.starts_with('|') && second.starts_with("| ---")).then(|| format!("{first}\n{second}\n"))
}

fn fence(block: &str) -> Option<&str> {
    let first = block.lines().next()?;
    let fence = &first[..first.len() - first.trim_start_matches('`').len()];
    (fence.len() >= 3).then_some(fence)
}

/// Returns blocks of Markdown from character `offset` on, joined by blank lines, at most `max` characters: whole blocks
/// if one fits, else whole lines, else characters.
#[must_use]
pub fn blocks(parts: &[String], offset: usize, max: usize) -> Cut<String> {
    let mut kept = String::new();
    let mut start = 0;
    for part in parts {
        let end = start + chars(part);
        if end <= offset && !(start == offset && end == offset) {
            start = end + 2;
            continue;
        }
        let skipped = offset.saturating_sub(start);
        let again = if skipped > 0 {
            // A longer opening could fill every piece, and the content would never advance.
            opening(part).filter(|opening| chars(opening) <= skipped.min(max / 2)).unwrap_or_default()
        } else {
            String::new()
        };
        let rest: String = again.clone() + &part.chars().skip(skipped).collect::<String>();
        let separator = if kept.is_empty() { 0 } else { 2 };
        let used = chars(&kept) + separator;
        if used + chars(&rest) <= max {
            if separator > 0 {
                kept.push_str("\n\n");
            }
            kept.push_str(&rest);
            start = end + 2;
            continue;
        }
        if !kept.is_empty() {
            return Cut { kept, next_offset: Some(start as u64) };
        }
        // Not even one block fits.
        let closing = fence(part)
            .map(|fence| format!("\n{fence}"))
            .filter(|closing| chars(closing) + chars(&again) < max / 2)
            .unwrap_or_default();
        let room = max - chars(&closing);
        let head: String = rest.chars().take(room).collect();
        let line_end = head.rfind('\n').filter(|end| *end > again.len() && *end > head.len() / 4);
        let (head, skips) = match line_end {
            Some(end) => (head[..end].to_owned(), 1),
            None => (head, 0),
        };
        let taken = chars(&head).saturating_sub(chars(&again));
        let next = start + skipped + taken + skips;
        return Cut { kept: head + &closing, next_offset: Some(next as u64) };
    }
    Cut { kept, next_offset: None }
}

/// Returns HTML from character `offset` on, cut after a tag if possible.
#[must_use]
pub fn html(whole: &str, offset: usize, max: usize) -> Cut<String> {
    let cut = text(whole, offset, max);
    if cut.next_offset.is_none() {
        return cut;
    }
    let after_tag = cut.kept.rfind('>').map(|end| end + 1).filter(|end| *end > cut.kept.len() / 2);
    let before_tag =
        cut.kept.rfind('<').filter(|start| *start > 0 && cut.kept.rfind('>').is_none_or(|end| end < *start));
    match after_tag.or(before_tag) {
        Some(end) => {
            let kept = cut.kept[..end].to_owned();
            Cut { next_offset: Some((offset + chars(&kept)) as u64), kept }
        }
        None => cut,
    }
}

/// Returns how many of these lengths fit into `max`, each followed by one separating character.
#[must_use]
pub fn how_many(lengths: impl Iterator<Item = usize>, max: usize) -> usize {
    let mut room = max;
    let mut count = 0;
    for length in lengths {
        if length + 1 > room {
            break;
        }
        room -= length + 1;
        count += 1;
    }
    count
}

/// Returns the length of a value's JSON in characters, without building the JSON.
#[must_use]
pub fn json_chars(value: &(impl Serialize + ?Sized)) -> usize {
    struct Count(usize);
    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // All bytes except UTF-8 continuation bytes.
            self.0 += bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting can't fail, and all keys that we serialize are strings.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// Caps on the length of texts and lists in a shortened value, tried in this order.
pub const CAPS: [usize; 9] = [4_000, 1_500, 500, 200, 80, 30, 10, 3, 0];

/// Shortens a value's longest texts and lists until its JSON has at most `max` characters.
#[must_use]
pub fn shrink(value: &Value, max: usize) -> Value {
    CAPS.iter().map(|cap| capped(value, *cap)).find(|shrunk| json_chars(shrunk) <= max).unwrap_or_else(|| match value {
        Value::Array(_) if max >= 2 => Value::Array(Vec::new()),
        Value::Object(_) if max >= 2 => Value::Object(serde_json::Map::new()),
        _ if max >= 4 => Value::Null,
        _ => Value::from(0),
    })
}

/// Returns the value with no text or list longer than `cap`.
#[must_use]
pub fn capped(value: &Value, cap: usize) -> Value {
    match value {
        Value::String(text) => Value::String(text.chars().take(cap).collect()),
        Value::Array(list) => list.iter().take(cap).map(|one| capped(one, cap)).collect(),
        Value::Object(object) => object.iter().map(|(name, one)| (name.clone(), capped(one, cap))).collect(),
        other => other.clone(),
    }
}

/// Returns an object with its lists from entry `offset` on, as many entries as fit.
#[must_use]
pub fn object(value: &Value, offset: usize, max: usize) -> Cut<Value> {
    let Value::Object(fields) = value else { return Cut { kept: shrink(value, max), next_offset: None } };
    let window = |count: usize| -> Value {
        fields
            .iter()
            .map(|(name, one)| match one {
                Value::Array(list) => (name.clone(), list.iter().skip(offset).take(count).cloned().collect()),
                other => (name.clone(), other.clone()),
            })
            .collect()
    };
    let lists = || fields.values().filter_map(Value::as_array);
    let left = lists().map(Vec::len).max().unwrap_or_default().saturating_sub(offset);
    // Characters that each further entry of the lists adds: its own, and a comma after the previous entry.
    let mut added = vec![0; left];
    for list in lists() {
        for (at, one) in list.iter().skip(offset).enumerate() {
            added[at] += json_chars(one) + usize::from(at > 0);
        }
    }
    let empty = fields
        .iter()
        .map(|(name, one)| json_chars(name) + 2 + if one.is_array() { 2 } else { json_chars(one) })
        .sum::<usize>()
        + if fields.is_empty() { 2 } else { 1 };
    let mut chars = empty;
    let fitting = added.iter().take_while(|more| {
        chars += **more;
        chars <= max
    });
    let count = fitting.count();
    if count == left && empty <= max {
        return Cut { kept: window(left), next_offset: None };
    }
    let next = offset + count.max(1);
    let kept = if count == 0 { shrink(&window(left.min(1)), max) } else { window(count) };
    Cut { kept, next_offset: (next < offset + left).then_some(next as u64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn strings(parts: &[&str]) -> Vec<String> {
        parts.iter().map(|part| (*part).to_owned()).collect()
    }

    #[test]
    fn markdown_is_cut_between_blocks_and_continues_where_it_was_cut() {
        let parts = strings(&["# Head", "first paragraph", "second, which is longer", "last"]);
        let whole = parts.join("\n\n");
        for max in 1..=whole.len() + 1 {
            let mut pieces = Vec::new();
            let mut offset = 0;
            loop {
                let cut = blocks(&parts, offset, max);
                assert!(cut.kept.chars().count() <= max, "{max}: {cut:?}");
                assert!(!cut.kept.is_empty(), "{max} {offset}");
                pieces.push(cut.kept);
                match cut.next_offset {
                    Some(next) => offset = usize::try_from(next).unwrap(),
                    None => break,
                }
            }
            let plain = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(plain(&pieces.concat()), plain(&whole), "{max}");
        }
        assert_eq!(blocks(&parts, 0, 25).kept, "# Head\n\nfirst paragraph");
    }

    #[test]
    fn code_and_tables_are_whole_in_each_piece() {
        let code = strings(&["```rust\none();\ntwo();\nthree();\nfour();\n```"]);
        let cut = blocks(&code, 0, 30);
        assert_eq!(cut.kept, "```rust\none();\ntwo();\n```");
        let rest = blocks(&code, usize::try_from(cut.next_offset.unwrap()).unwrap(), 100);
        assert_eq!(rest.kept, "```rust\nthree();\nfour();\n```");
        let table = strings(&["| a |\n| --- |\n| 1 |\n| 2 |\n| 3 |"]);
        let cut = blocks(&table, 0, 22);
        assert_eq!(cut.kept, "| a |\n| --- |\n| 1 |");
        assert_eq!(
            blocks(&table, usize::try_from(cut.next_offset.unwrap()).unwrap(), 100).kept,
            "| a |\n| --- |\n| 2 |\n| 3 |"
        );
    }

    #[test]
    fn json_stays_valid_however_little_room_there_is() {
        let value = json!({"title": "t".repeat(500), "items": [{"a": "x".repeat(50)}, {"a": "y"}, {"a": "z"}]});
        for max in 2..700 {
            let cut = object(&value, 0, max);
            assert!(json_chars(&cut.kept) <= max, "{max}: {cut:?}");
        }
        assert_eq!(object(&value, 0, 700).next_offset, None);
        assert_eq!(object(&value, 2, 700).kept["items"], json!([{"a": "z"}]));
    }
}
