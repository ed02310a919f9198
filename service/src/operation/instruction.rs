//! What an extract's instruction asks for.

use porthole_contract::Invalid;

use crate::page::TextOf;

/// An instruction that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    pub text_of: TextOf,
    /// What the caller should know about how it was understood.
    pub warning: Option<String>,
}

const NOT_UNDERSTOOD: &str =
    "instruction_ignored: the instruction is no directive such as `selector: CSS`, so this is the whole page's text";

impl Instruction {
    /// Reads an instruction. Text that is no directive asks for the page's text.
    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self { text_of: TextOf::Page, warning: None });
        }
        let directive = text.split_once(':').filter(|(keyword, _)| {
            let keyword = keyword.trim();
            keyword.eq_ignore_ascii_case("selector") || keyword.eq_ignore_ascii_case("css")
        });
        match directive.map(|(_, selector)| selector.trim()) {
            Some("") => Err(Invalid::new("instruction", "names no selector")),
            Some(selector) => Ok(Self { text_of: TextOf::Element(selector.to_owned()), warning: None }),
            None => Ok(Self { text_of: TextOf::Page, warning: Some(NOT_UNDERSTOOD.to_owned()) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_is_understood_in_any_case_and_anything_else_is_free_text() {
        for (text, selector) in [
            ("selector: .main-content", ".main-content"),
            ("  CSS:#a:not(.b) > p  ", "#a:not(.b) > p"),
            ("Selector :main", "main"),
        ] {
            assert_eq!(Instruction::parse(text).unwrap().text_of, TextOf::Element(selector.to_owned()), "{text}");
        }
        assert_eq!(Instruction::parse(" \n ").unwrap(), Instruction { text_of: TextOf::Page, warning: None });
        let free = Instruction::parse("what does it cost: euros?").unwrap();
        assert_eq!(free.text_of, TextOf::Page);
        assert!(free.warning.unwrap().starts_with("instruction_ignored: "));
        assert_eq!(Instruction::parse("selector:  ").unwrap_err().path, "instruction");
    }
}
