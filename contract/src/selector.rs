//! Selector chains: steps separated by ` >> `, each matched within the result of the previous one.

use serde::Serialize;

use crate::json::Invalid;
use crate::scan::Scan;

/// A chain of steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Chain {
    /// The steps; at least one.
    pub steps: Vec<Step>,
}

/// One step of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The step's language.
    pub by: By,
    /// The selector, in that language.
    pub of: String,
}

/// The language of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A CSS selector.
    Css,
    /// An XPath 1.0 expression.
    Xpath,
    /// Visible text: a case-insensitive part of it, or all of it in quotes.
    Text,
    /// An ARIA role, optionally followed by a name in quotes.
    Role,
    /// The value of `data-testid`.
    TestId,
}

impl By {
    /// Returns the language that a step's keyword stands for.
    #[must_use]
    pub fn of_keyword(word: &str) -> Option<Self> {
        [
            ("css", By::Css),
            ("selector", By::Css),
            ("xpath", By::Xpath),
            ("text", By::Text),
            ("role", By::Role),
            ("testid", By::TestId),
        ]
        .into_iter()
        .find_map(|(keyword, by)| word.eq_ignore_ascii_case(keyword).then_some(by))
    }
}

impl Chain {
    /// The parts of a chain between its ` >> `, trimmed; at least one. Arrows in quotes and brackets split nothing.
    #[must_use]
    pub fn split(text: &str) -> Vec<&str> {
        Scan::split(text, ">>").into_iter().map(str::trim).collect()
    }

    /// Reads a chain whose first step is CSS unless it says otherwise.
    ///
    /// # Errors
    /// [`Invalid`] for `selector`: a step is empty, or a role is malformed.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::beginning_with(By::Css, text)
    }

    /// Parses a chain whose first step is in the language `first` unless it begins with a keyword.
    ///
    /// # Errors
    /// As [`Chain::parse`].
    pub fn beginning_with(first: By, text: &str) -> Result<Self, Invalid> {
        let steps = Self::split(text)
            .into_iter()
            .enumerate()
            .map(|(at, step)| {
                let explicit = step.split_once(':').and_then(|(word, rest)| {
                    // `a:hover` is CSS; a keyword's colon is told by the word before it.
                    By::of_keyword(word.trim()).map(|by| (by, rest.trim()))
                });
                let (by, of) = explicit.unwrap_or((if at == 0 { first } else { By::Css }, step));
                Step::new(by, of)
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { steps })
    }
}

impl Step {
    fn new(by: By, of: &str) -> Result<Self, Invalid> {
        if of.is_empty() {
            return Err(Invalid::new("selector", "a step is empty"));
        }
        if by == By::Role {
            let (role, name) =
                of.split_at(of.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')).unwrap_or(of.len()));
            let name = name.trim();
            let quoted = name.len() >= 2
                && (name.starts_with('"') && name.ends_with('"') || name.starts_with('\'') && name.ends_with('\''));
            if role.is_empty()
                || !role.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
                || !(name.is_empty() || quoted)
            {
                return Err(Invalid::new(
                    "selector",
                    format!("`{of}` is not a role: write `button` or `button \"Name\"`"),
                ));
            }
        }
        Ok(Self { by, of: of.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_split_only_at_arrows_outside_quotes() {
        let steps = |text: &str| {
            let chain = Chain::parse(text).unwrap();
            chain.steps.into_iter().map(|step| (step.by, step.of)).collect::<Vec<_>>()
        };
        assert_eq!(steps("a:hover > b"), [(By::Css, "a:hover > b".to_owned())]);
        assert_eq!(
            steps("main >> role: button \"Go >> on\" >> TEXT: it's >> xpath:./b"),
            [
                (By::Css, "main".to_owned()),
                (By::Role, "button \"Go >> on\"".to_owned()),
                (By::Text, "it's".to_owned()),
                (By::Xpath, "./b".to_owned())
            ]
        );
        assert_eq!(steps("[title='a >> b']"), [(By::Css, "[title='a >> b']".to_owned())]);
        for text in ["", "a >> ", ">> a", "role: \"Name\"", "role: button Name", "css:"] {
            assert_eq!(Chain::parse(text).unwrap_err().path, "selector", "{text}");
        }
    }
}
