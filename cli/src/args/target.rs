//! What a command acts on: a ref as the first word, or flags that name the element or the point.

use clap::Args;
use porthole_client::session::{ElementRef, Point, SemanticTarget, TargetBy, TargetObject};

use crate::failure::Failed;

/// Names an element by what a person sees, apart from its text.
#[derive(Args, Debug, Default)]
pub(crate) struct ElementArgs {
    /// The element with this role, such as button
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// The accessible name of the element with that role
    #[arg(long, value_name = "NAME", requires = "role")]
    name: Option<String>,
    /// The field with this label
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// The field with this placeholder
    #[arg(long, value_name = "TEXT")]
    placeholder: Option<String>,
    /// The element with this data-testid
    #[arg(long, value_name = "ID")]
    testid: Option<String>,
    /// The element that this CSS selector matches
    #[arg(long, value_name = "CSS")]
    css: Option<String>,
    /// The element that this XPath expression matches
    #[arg(long, value_name = "XPATH")]
    xpath: Option<String>,
    /// A part of the name or text is enough
    #[arg(long)]
    partly: bool,
}

/// Names an element by what a person sees, or a point.
#[derive(Args, Debug, Default)]
pub(crate) struct TargetArgs {
    #[command(flatten)]
    element: ElementArgs,
    /// The element with this text
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// A point of the window, in CSS pixels
    #[arg(long, value_name = "X,Y", value_parser = parse_point)]
    at: Option<Point>,
}

impl ElementArgs {
    /// Returns the element that the flags name, if they do.
    pub(crate) fn named(&self) -> Result<Option<SemanticTarget>, Failed> {
        self.named_with(None)
    }

    fn named_with(&self, text: Option<&String>) -> Result<Option<SemanticTarget>, Failed> {
        let given = [
            (TargetBy::Role, self.role.as_ref()),
            (TargetBy::Label, self.label.as_ref()),
            (TargetBy::Placeholder, self.placeholder.as_ref()),
            (TargetBy::TestId, self.testid.as_ref()),
            (TargetBy::Css, self.css.as_ref()),
            (TargetBy::Xpath, self.xpath.as_ref()),
            (TargetBy::Text, text),
        ];
        let mut given = given.into_iter().filter_map(|(by, value)| Some((by, value?)));
        let Some((by, value)) = given.next() else { return Ok(None) };
        if let Some((other, _)) = given.next() {
            return Err(Failed::Usage(format!("--{} and --{} both name the element", by.name(), other.name())));
        }
        let exact = self.partly.then_some(false);
        Ok(Some(SemanticTarget { by: Some(by), value: value.clone(), name: self.name.clone(), exact }))
    }
}

impl TargetArgs {
    /// Takes the target from the flags, else from the first word. The rest of the words are the command's own.
    pub(crate) fn needed<'a>(&self, words: &'a [String]) -> Result<(TargetObject, &'a [String]), Failed> {
        if let Some(target) = self.flagged()? {
            return Ok((target, words));
        }
        let (first, rest) = words.split_first().ok_or_else(|| {
            Failed::Usage("which element? Give its ref, such as @e3, or name it, such as --text Save".to_owned())
        })?;
        Ok((TargetObject { reference: Some(parse_ref(first)?), ..TargetObject::default() }, rest))
    }

    /// The same for a command that may go without a target: only a first word that begins with `@` is a ref.
    pub(crate) fn optional<'a>(&self, words: &'a [String]) -> Result<(TargetObject, &'a [String]), Failed> {
        match words.first() {
            Some(word) if word.starts_with('@') => self.needed(words),
            _ => Ok((self.flagged()?.unwrap_or_default(), words)),
        }
    }

    fn flagged(&self) -> Result<Option<TargetObject>, Failed> {
        let named = self.element.named_with(self.text.as_ref())?;
        match (named, self.at) {
            (Some(_), Some(_)) => Err(Failed::Usage("--at and another flag both name the target".to_owned())),
            (None, None) => Ok(None),
            (target, at) => Ok(Some(TargetObject { reference: None, target, at })),
        }
    }
}

/// Parses where something is dropped: a ref or a point.
pub(crate) fn parse_place(word: &str) -> Result<TargetObject, Failed> {
    match parse_point(word) {
        Ok(at) => Ok(TargetObject { at: Some(at), ..TargetObject::default() }),
        Err(_) => Ok(TargetObject { reference: Some(parse_ref(word)?), ..TargetObject::default() }),
    }
}

/// Parses a ref.
pub(crate) fn parse_ref(word: &str) -> Result<ElementRef, Failed> {
    word.parse().map_err(|_| {
        Failed::Usage(format!("{word:?} is no ref such as @e3; flags such as --text or --label name an element, too"))
    })
}

fn parse_point(text: &str) -> Result<Point, String> {
    let parsed = text.split_once(',').and_then(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)));
    parsed
        .filter(|(x, y): &(f64, f64)| x.is_finite() && y.is_finite())
        .map(|(x, y)| Point { x, y })
        .ok_or_else(|| "must have the form X,Y, such as 10,20".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn the_first_word_is_the_ref_unless_a_flag_names_the_element() {
        let given = words(&["@e2", "text"]);
        let (target, rest) = TargetArgs::default().needed(&given).unwrap();
        assert_eq!((target.reference, rest), (Some(ElementRef(2)), &given[1..]));
        let label = ElementArgs { label: Some("Email".to_owned()), ..ElementArgs::default() };
        let flags = TargetArgs { element: label, ..TargetArgs::default() };
        let (target, rest) = flags.needed(&given).unwrap();
        assert_eq!((target.reference, rest), (None, &given[..]));
        assert_eq!(target.target.unwrap().by, Some(TargetBy::Label));
        for wrong in [words(&[]), words(&["text"]), words(&["@x"])] {
            assert!(matches!(TargetArgs::default().needed(&wrong), Err(Failed::Usage(_))), "{wrong:?}");
        }
    }

    #[test]
    fn a_key_is_no_ref() {
        let key = words(&["Enter"]);
        let (target, rest) = TargetArgs::default().optional(&key).unwrap();
        assert_eq!((target, rest), (TargetObject::default(), &key[..]));
        let both = words(&["@e1", "Enter"]);
        assert_eq!(TargetArgs::default().optional(&both).unwrap().1, &both[1..]);
    }

    #[test]
    fn one_way_to_name_an_element_at_a_time() {
        let two = ElementArgs { label: Some("a".to_owned()), css: Some("b".to_owned()), ..ElementArgs::default() };
        assert!(two.named().is_err());
        let text = Some("Save".to_owned());
        let at = Some(Point { x: 1.0, y: 2.0 });
        assert!(TargetArgs { text, at, ..TargetArgs::default() }.needed(&[]).is_err());
    }

    #[test]
    fn places_are_refs_or_points() {
        assert_eq!(parse_place("10, 20.5").unwrap().at, Some(Point { x: 10.0, y: 20.5 }));
        assert_eq!(parse_place("e7").unwrap().reference, Some(ElementRef(7)));
        for text in ["10", "10,NaN", "1,2,3", ""] {
            assert!(parse_place(text).is_err(), "{text}");
        }
    }
}
