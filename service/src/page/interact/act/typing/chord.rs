//! Keys as they are named, `Control+A`, and as the browser's input wants them: the US layout.

use super::layout::{ALIASES, NAMED, TYPING};

/// Keys that are held while others are pressed, as the protocol's bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers(i64);

/// A key, and what is held with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chord {
    /// What is held.
    pub modifiers: Modifiers,
    /// The key.
    pub(super) key: Key,
}

/// A key of the US layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// As in `KeyboardEvent.key`.
    pub key: String,
    /// As in `KeyboardEvent.code`; empty for a character that the layout lacks.
    pub code: &'static str,
    /// As in `KeyboardEvent.keyCode`.
    pub key_code: i64,
    /// What it types; empty for a key that types nothing.
    pub text: String,
    /// As in `KeyboardEvent.location`.
    pub location: i64,
}

/// What a chord does to the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::page) enum ClipboardUse {
    Copy,
    Cut,
    Paste,
}

/// A name that is no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown key {0:?}: name it as in KeyboardEvent.key, such as Enter, ArrowDown, a, Control+A")]
pub struct NotAKey(String);

pub(in crate::page) const ALT: i64 = 1;
pub(in crate::page) const CONTROL: i64 = 2;
pub(in crate::page) const META: i64 = 4;
pub(in crate::page) const SHIFT: i64 = 8;
/// The longest name that is quoted in an error, in characters.
const NAME_MAX_CHARS: usize = 40;

// === impl Modifiers ===

impl Modifiers {
    /// From names such as `Control`, `Shift`.
    ///
    /// # Errors
    /// [`NotAKey`] with the first that is no modifier.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, NotAKey> {
        names.into_iter().try_fold(Self::default(), |held, name| match Self::named(name) {
            Some(one) => Ok(Self(held.0 | one.0)),
            None => Err(NotAKey::new(name)),
        })
    }

    fn named(name: &str) -> Option<Self> {
        let bit = match name.to_ascii_lowercase().as_str() {
            "control" | "ctrl" | "controlormeta" => CONTROL,
            "shift" => SHIFT,
            "alt" | "option" => ALT,
            "meta" | "cmd" | "command" | "super" => META,
            _ => return None,
        };
        Some(Self(bit))
    }

    /// As the protocol has them: Alt 1, Control 2, Meta 4, Shift 8.
    #[must_use]
    pub fn bits(self) -> i64 {
        self.0
    }

    /// The keys that are held.
    pub(super) fn keys(self) -> impl DoubleEndedIterator<Item = (i64, Key)> {
        let held = [(CONTROL, "Control"), (ALT, "Alt"), (META, "Meta"), (SHIFT, "Shift")];
        held.into_iter()
            .filter(move |(bit, _)| self.0 & bit != 0)
            .filter_map(|(bit, name)| Some((bit, Key::named(name)?)))
    }
}

// === impl Chord ===

impl std::str::FromStr for Chord {
    type Err = NotAKey;

    /// Reads `Enter`, `Control+A`, `Shift+ArrowRight`, `+`, `Control++`.
    fn from_str(text: &str) -> Result<Self, NotAKey> {
        let (held, name) = match text.strip_suffix('+') {
            Some("") => (None, "+"),
            Some(before) => (Some(before.strip_suffix('+').ok_or_else(|| NotAKey::new(text))?), "+"),
            None => text.rsplit_once('+').map_or((None, text), |(held, name)| (Some(held), name)),
        };
        let modifiers = Modifiers::parse(held.into_iter().flat_map(|held| held.split('+')).map(str::trim))?;
        let name = if name.chars().count() > 1 { name.trim() } else { name };
        let key = Key::named(name).or_else(|| Key::typing(name)).ok_or_else(|| NotAKey::new(text))?;
        Ok(Self { modifiers, key: key.beside(modifiers) })
    }
}

impl Chord {
    /// A character as it is typed.
    pub(super) fn of(character: char) -> Option<Self> {
        if character == '\n' {
            return Key::named("Enter").map(|key| Self { modifiers: Modifiers::default(), key });
        }
        if character == '\t' {
            return Key::named("Tab").map(|key| Self { modifiers: Modifiers::default(), key });
        }
        let (_, shifted, ..) =
            TYPING.iter().find(|(plain, shifted, ..)| character == *plain || character == *shifted)?;
        let is_shifted = character == *shifted && character != ' ';
        let modifiers = Modifiers(if is_shifted { SHIFT } else { 0 });
        Key::typing(&character.to_string()).map(|key| Self { modifiers, key })
    }

    /// What it does to the clipboard, if anything.
    pub(super) fn clipboard_use(&self) -> Option<ClipboardUse> {
        ClipboardUse::of(self.key.code, self.modifiers.0)
    }
}

// === impl ClipboardUse ===

impl ClipboardUse {
    /// What the key of this code does to the clipboard while these are held, if anything.
    pub(in crate::page) fn of(code: &str, held: i64) -> Option<Self> {
        let is_control = held & CONTROL != 0 && held & (ALT | META) == 0;
        match code {
            "Copy" => Some(Self::Copy),
            "Cut" => Some(Self::Cut),
            "Paste" => Some(Self::Paste),
            "KeyC" | "Insert" if is_control && held & SHIFT == 0 => Some(Self::Copy),
            "KeyX" if is_control && held & SHIFT == 0 => Some(Self::Cut),
            "KeyV" if is_control => Some(Self::Paste),
            "Insert" if held == SHIFT => Some(Self::Paste),
            "Delete" if held == SHIFT => Some(Self::Cut),
            _ => None,
        }
    }
}

// === impl Key ===

impl Key {
    fn named(name: &str) -> Option<Self> {
        let name = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map_or(name, |(_, key)| key);
        let (key, code, key_code, text, location) = *NAMED.iter().find(|(key, ..)| key.eq_ignore_ascii_case(name))?;
        Some(Self { key: key.to_owned(), code, key_code, text: text.to_owned(), location })
    }

    /// A key that types a character, by the character or by its code (`KeyA`, `Space`).
    pub(super) fn typing(name: &str) -> Option<Self> {
        let mut characters = name.chars();
        let (Some(character), None) = (characters.next(), characters.next()) else {
            let (plain, _, code, key_code) = *TYPING.iter().find(|(_, _, code, _)| code.eq_ignore_ascii_case(name))?;
            return Some(Self { key: plain.into(), code, key_code, text: plain.into(), location: 0 });
        };
        let known = TYPING.iter().find(|(plain, shifted, ..)| character == *plain || character == *shifted);
        let (code, key_code) = known.map_or(("", 0), |(_, _, code, key_code)| (*code, *key_code));
        Some(Self { key: character.into(), code, key_code, text: character.into(), location: 0 })
    }

    /// The same while keys are held: letters ignore case, Shift changes what is typed, the others leave nothing to type.
    fn beside(mut self, Modifiers(held): Modifiers) -> Self {
        if held != 0
            && let Some((plain, shifted, ..)) = TYPING.iter().find(|(_, _, code, _)| *code == self.code)
        {
            let is_letter = plain.is_ascii_alphabetic();
            if is_letter || held & SHIFT != 0 {
                self.key = if held & SHIFT != 0 { *shifted } else { *plain }.into();
            }
            self.text.clone_from(&self.key);
        }
        if held & (CONTROL | ALT | META) != 0 {
            self.text.clear();
        }
        self
    }
}

// === impl NotAKey ===

impl NotAKey {
    fn new(name: &str) -> Self {
        Self(name.chars().take(NAME_MAX_CHARS).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(text: &str) -> (String, &'static str, String, i64) {
        let Chord { modifiers, key } = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        (key.key, key.code, key.text, modifiers.bits())
    }

    #[test]
    fn keys_are_read_as_they_are_named() {
        assert_eq!(chord("Enter"), ("Enter".into(), "Enter", "\r".into(), 0));
        assert_eq!(chord("Control+A"), ("a".into(), "KeyA", String::new(), CONTROL));
        assert_eq!(chord("ctrl+a"), chord("Control+A"));
        assert_eq!(chord("Control+Shift+a"), ("A".into(), "KeyA", String::new(), CONTROL | SHIFT));
        assert_eq!(chord("Shift+1"), ("!".into(), "Digit1", "!".into(), SHIFT));
        assert_eq!(chord("A"), ("A".into(), "KeyA", "A".into(), 0));
        assert_eq!(chord("+"), ("+".into(), "Equal", "+".into(), 0));
        assert_eq!(chord("Control++"), ("+".into(), "Equal", String::new(), CONTROL));
        assert_eq!(chord(" "), chord("Space"));
        assert_eq!(chord("esc"), chord("Escape"));
        assert_eq!(chord("é"), ("é".into(), "", "é".into(), 0));
        for wrong in ["", "Contrl+A", "A+B", "Enterr", "Control+", "Control++A", "+A", "ab"] {
            assert!(wrong.parse::<Chord>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn clipboard_keys_are_told_from_others() {
        let of = |text: &str| text.parse::<Chord>().ok().and_then(|chord| chord.clipboard_use());
        assert_eq!(of("Control+C"), Some(ClipboardUse::Copy));
        assert_eq!(of("Control+Shift+v"), Some(ClipboardUse::Paste));
        assert_eq!(of("Shift+Insert"), Some(ClipboardUse::Paste));
        assert_eq!(of("Shift+Delete"), Some(ClipboardUse::Cut));
        assert_eq!(of("Paste"), Some(ClipboardUse::Paste));
        assert_eq!((of("c"), of("Alt+C"), of("Control+A"), of("Delete")), (None, None, None, None));
    }
}
