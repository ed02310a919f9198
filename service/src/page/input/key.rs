//! One key of a viewer's event, as browser input. Fields that the viewer leaves out are filled in from the US layout.

use chromiumoxide_cdp::cdp::browser_protocol::input::{DispatchKeyEventParams, DispatchKeyEventType};
use porthole_contract::live::KeyEvent;

use crate::page::interact::{ALT, CONTROL, ClipboardUse, META, NAMED, SHIFT, TYPING};

/// The Enter key's name.
pub(super) const ENTER: &str = "Enter";
/// `KeyboardEvent.keyCode` of a key that an input method took.
const PROCESS_KEY_CODE: i64 = 229;

/// `(code, key code)` of keys beside the main block that type or act.
const NUMPAD: &[(&str, i64)] = &[
    ("Numpad0", 96),
    ("Numpad1", 97),
    ("Numpad2", 98),
    ("Numpad3", 99),
    ("Numpad4", 100),
    ("Numpad5", 101),
    ("Numpad6", 102),
    ("Numpad7", 103),
    ("Numpad8", 104),
    ("Numpad9", 105),
    ("NumpadMultiply", 106),
    ("NumpadAdd", 107),
    ("NumpadSubtract", 109),
    ("NumpadDecimal", 110),
    ("NumpadDivide", 111),
    ("NumpadEnter", 13),
];

/// Chords with the command key, which a Mac's viewer sends and other systems' browsers do nothing for: `(key, with Shift,
/// the browser's editing command)`.
const COMMANDS: &[(&str, bool, &str)] = &[
    ("a", false, "selectAll"),
    ("z", false, "undo"),
    ("z", true, "redo"),
    ("ArrowLeft", false, "moveToBeginningOfLine"),
    ("ArrowLeft", true, "moveToBeginningOfLineAndModifySelection"),
    ("ArrowRight", false, "moveToEndOfLine"),
    ("ArrowRight", true, "moveToEndOfLineAndModifySelection"),
    ("ArrowUp", false, "moveToBeginningOfDocument"),
    ("ArrowUp", true, "moveToBeginningOfDocumentAndModifySelection"),
    ("ArrowDown", false, "moveToEndOfDocument"),
    ("ArrowDown", true, "moveToEndOfDocumentAndModifySelection"),
    ("Backspace", false, "deleteToBeginningOfLine"),
];

/// A key as the browser's input wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub key: String,
    pub code: String,
    pub key_code: i64,
    pub location: i64,
    pub modifiers: i64,
}

impl Key {
    /// A viewer's key, with what it left out.
    pub(super) fn of(event: &KeyEvent) -> Self {
        let shifted = i64::from(event.modifiers) & SHIFT != 0;
        let mut key = event.key.clone();
        let mut code = event.code.clone();
        if key.is_empty() {
            key = key_of(&code, shifted);
        } else if code.is_empty() {
            code = code_of(&key);
        }
        let key_code = key_code_of(&key, &code);
        let location = location_of(&code);
        Self { key, code, key_code, location, modifiers: event.modifiers.into() }
    }

    /// Whether both are the same physical key, even if another character is on it by now.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        if self.code.is_empty() && other.code.is_empty() { self.key == other.key } else { self.code == other.code }
    }

    pub(super) fn event(&self, kind: DispatchKeyEventType) -> DispatchKeyEventParams {
        DispatchKeyEventParams {
            modifiers: Some(self.modifiers),
            code: (!self.code.is_empty()).then(|| self.code.clone()),
            key: (!self.key.is_empty()).then(|| self.key.clone()),
            windows_virtual_key_code: Some(self.key_code),
            location: Some(self.location),
            is_keypad: (self.location == 3).then_some(true),
            ..DispatchKeyEventParams::new(kind)
        }
    }

    /// What it does to the clipboard, by Ctrl or a Mac's command key.
    pub(super) fn clipboard_use(&self) -> Option<ClipboardUse> {
        let is_command = self.modifiers & META != 0 && self.modifiers & CONTROL == 0;
        let held = if is_command { (self.modifiers & !META) | CONTROL } else { self.modifiers };
        // A letter is meant wherever it stands on a keyboard.
        let by_letter = single(&self.key).filter(char::is_ascii_alphabetic).map(|letter| code_of(&letter.to_string()));
        ClipboardUse::of(by_letter.as_deref().unwrap_or(&self.code), held)
    }

    pub(super) fn commands(&self) -> Option<Vec<String>> {
        if self.modifiers & META == 0 || self.modifiers & (ALT | CONTROL) != 0 {
            return None;
        }
        let shifted = self.modifiers & SHIFT != 0;
        let known =
            COMMANDS.iter().find(|(key, with_shift, _)| key.eq_ignore_ascii_case(&self.key) && *with_shift == shifted);
        known.map(|(.., command)| vec![(*command).to_owned()])
    }
}

/// The only character of a text; `None` where it has none or several.
pub(super) fn single(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

fn key_of(code: &str, shifted: bool) -> String {
    if let Some((plain, with_shift, ..)) = TYPING.iter().find(|(_, _, known, _)| *known == code) {
        return if shifted { *with_shift } else { *plain }.into();
    }
    if code == "NumpadEnter" {
        return ENTER.to_owned();
    }
    // Both of a pair are named after the left one.
    let left = code.strip_suffix("Right").map(|name| format!("{name}Left"));
    let named = |code: &str| NAMED.iter().find(|(_, known, ..)| *known == code).map(|(key, ..)| (*key).to_owned());
    named(code).or_else(|| named(&left?)).unwrap_or_default()
}

fn code_of(key: &str) -> String {
    if let Some((_, code, ..)) = NAMED.iter().find(|(known, ..)| *known == key) {
        return (*code).to_owned();
    }
    let typing = single(key)
        .and_then(|character| TYPING.iter().find(|(plain, shifted, ..)| character == *plain || character == *shifted));
    typing.map(|(_, _, code, _)| (*code).to_owned()).unwrap_or_default()
}

fn key_code_of(key: &str, code: &str) -> i64 {
    if key == "Process" {
        return PROCESS_KEY_CODE;
    }
    if let Some((_, key_code)) = NUMPAD.iter().find(|(known, _)| *known == code) {
        return *key_code;
    }
    // Browsers number letters and digits by the character on the key, not by the key's place.
    if let Some(character) = single(key).filter(char::is_ascii_alphanumeric) {
        return i64::from(u32::from(character.to_ascii_uppercase()));
    }
    let named = NAMED.iter().find(|(known, ..)| *known == key).map(|(_, _, key_code, ..)| *key_code);
    let by_code = || TYPING.iter().find(|(_, _, known, _)| *known == code).map(|(.., key_code)| *key_code);
    let by_character = || {
        let character = single(key)?;
        TYPING
            .iter()
            .find(|(plain, shifted, ..)| character == *plain || character == *shifted)
            .map(|(.., key_code)| *key_code)
    };
    named.or_else(by_code).or_else(by_character).unwrap_or_default()
}

/// As in `KeyboardEvent.location`.
fn location_of(code: &str) -> i64 {
    let is_modifier = ["Shift", "Control", "Alt", "Meta"].iter().any(|name| code.starts_with(name));
    match code {
        code if is_modifier && code.ends_with("Left") => 1,
        code if is_modifier && code.ends_with("Right") => 2,
        code if code.starts_with("Numpad") => 3,
        _ => 0,
    }
}
