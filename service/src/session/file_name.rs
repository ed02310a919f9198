//! The name of a download.

use porthole_contract::limits::FILE_NAME_MAX_BYTES;

/// A name that is safe in any folder: the last part of what the page suggests, without control characters.
pub(super) fn file_name(suggested: &str) -> String {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_fit = |c: &char| {
        !c.is_control()
            && !matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let fit: String = last.chars().filter(is_fit).collect();
    let fit = fit.trim().trim_start_matches('.').trim_end_matches('.');
    let end = fit.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= FILE_NAME_MAX_BYTES).last();
    match end {
        Some(end) => fit[..end].to_owned(),
        None => "download".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggested_name_becomes_a_file_name() {
        for (suggested, name) in [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("c:\\windows\\a.exe", "a.exe"),
            ("a\u{0}b\nc\u{202e}txt.exe", "abctxt.exe"),
            (".bashrc", "bashrc"),
            ("..", "download"),
            ("", "download"),
            ("Übersicht 2026.xlsx", "Übersicht 2026.xlsx"),
        ] {
            assert_eq!(file_name(suggested), name, "{suggested:?}");
        }
        assert_eq!(file_name(&"ä".repeat(300)).len(), FILE_NAME_MAX_BYTES - 1);
    }
}
