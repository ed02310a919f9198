//! A keyboard: tracks the keys that are down, and converts a viewer's events to browser input. It types the viewer's
//! `text` only, whatever the layout.

use chromiumoxide_cdp::cdp::browser_protocol::input::{DispatchKeyEventParams, DispatchKeyEventType};
use porthole_contract::live::{KeyEvent, KeyEventType};

use super::key::{ENTER, Key, single};
use super::step::Step;
use crate::page::interact::{ALT, CONTROL, META, SHIFT, TYPING};

/// Keys that are down at the same time.
const DOWN_MAX: usize = 32;
/// What one event types, in characters.
const TEXT_MAX_CHARS: usize = 1_000;
/// What the browser takes with a key, in UTF-16 code units (`WebKeyboardEvent::kTextLengthCap`).
const KEY_TEXT_MAX_UNITS: usize = 4;
const ENTER_TEXT: &str = "\r";

/// The keyboard of one page.
#[derive(Debug, Default)]
pub(super) struct Keyboard {
    down: Vec<Down>,
    /// Whether Enter, which came without a text, was sent with its own: a `char` of it types nothing more.
    has_typed_enter: bool,
}

/// A key that is down.
#[derive(Debug)]
struct Down {
    key: Key,
    /// Whether the browser does not know of it: it was told to the document alone.
    is_in_document: bool,
}

/// What an event comes to.
#[derive(Debug)]
pub(super) enum Stroke {
    /// It does nothing.
    Ignored,
    /// These steps; none where all that it does has been done.
    Steps(Vec<Step>),
}

impl Keyboard {
    /// The steps of an event.
    pub(super) fn stroke(&mut self, event: &KeyEvent) -> Stroke {
        if event.text.as_deref().is_some_and(|text| text.chars().count() > TEXT_MAX_CHARS) {
            return Stroke::Ignored;
        }
        let key = Key::of(event);
        match event.kind {
            KeyEventType::KeyDown => self.goes_down(event, key),
            KeyEventType::KeyUp => self.goes_up(&key),
            KeyEventType::Char => self.types(event, &key),
        }
    }

    fn goes_down(&mut self, event: &KeyEvent, key: Key) -> Stroke {
        let down = self.down.iter().position(|down| down.key.is_same(&key));
        if down.is_none() && self.down.len() == DOWN_MAX {
            return Stroke::Ignored;
        }
        self.has_typed_enter = false;
        let clipboard_use = key.clipboard_use();
        if down.is_none() {
            self.down.push(Down { key: key.clone(), is_in_document: clipboard_use.is_some() });
        }
        if let Some(used) = clipboard_use {
            return Stroke::Steps(vec![Step::Clipboard(used, key)]);
        }
        let mut typed = typed(event, &key);
        if typed.is_none() && key.key == ENTER && key.modifiers & (ALT | CONTROL | META) == 0 {
            self.has_typed_enter = true;
            typed = Some(ENTER_TEXT.to_owned());
        }
        let held = if typed.is_some() { key.modifiers & SHIFT } else { key.modifiers };
        let own = typed.as_deref().filter(|text| text.encode_utf16().count() <= KEY_TEXT_MAX_UNITS);
        let kind = if own.is_some() { DispatchKeyEventType::KeyDown } else { DispatchKeyEventType::RawKeyDown };
        let params = DispatchKeyEventParams {
            modifiers: Some(held),
            text: own.map(str::to_owned),
            unmodified_text: own.map(str::to_owned),
            auto_repeat: down.map(|_| true),
            commands: key.commands(),
            ..key.event(kind)
        };
        let mut steps = vec![Step::Key(Box::new(params))];
        if own.is_none() {
            steps.extend(typed.map(Step::Text));
        }
        Stroke::Steps(steps)
    }

    fn goes_up(&mut self, key: &Key) -> Stroke {
        let Some(at) = self.down.iter().position(|down| down.key.is_same(key)) else { return Stroke::Ignored };
        let down = self.down.remove(at);
        self.has_typed_enter &= key.key != ENTER;
        if down.is_in_document {
            return Stroke::Steps(Vec::new());
        }
        // The key that went down comes up, even if another character stands on it by now.
        let up = Key { modifiers: key.modifiers, ..down.key };
        Stroke::Steps(vec![Step::Key(Box::new(up.event(DispatchKeyEventType::KeyUp)))])
    }

    fn types(&mut self, event: &KeyEvent, key: &Key) -> Stroke {
        let Some(text) = typed(event, key) else { return Stroke::Ignored };
        if text == ENTER_TEXT && std::mem::take(&mut self.has_typed_enter) {
            return Stroke::Steps(Vec::new());
        }
        if text.encode_utf16().count() > KEY_TEXT_MAX_UNITS {
            return Stroke::Steps(vec![Step::Text(text)]);
        }
        let params = DispatchKeyEventParams {
            modifiers: Some(key.modifiers & SHIFT),
            text: Some(text.clone()),
            unmodified_text: Some(text),
            ..key.event(DispatchKeyEventType::Char)
        };
        Stroke::Steps(vec![Step::Key(Box::new(params))])
    }

    /// Releases all keys, the last one first.
    pub(super) fn release(&mut self) -> Vec<Step> {
        self.has_typed_enter = false;
        let down = std::mem::take(&mut self.down).into_iter().rev().filter(|down| !down.is_in_document);
        let ups = down.map(|down| Key { modifiers: 0, ..down.key }.event(DispatchKeyEventType::KeyUp));
        ups.map(|up| Step::Key(Box::new(up))).collect()
    }
}

/// What an event types. While Ctrl, Alt or Meta is held that is nothing, unless the text is a character of the key's third
/// level: that is how AltGr and a Mac's option key come.
fn typed(event: &KeyEvent, key: &Key) -> Option<String> {
    let text = event.text.as_deref().filter(|text| !text.is_empty())?;
    let held = i64::from(event.modifiers);
    if held & META != 0 {
        return None;
    }
    if held & (ALT | CONTROL) != 0 && (held & ALT == 0 || is_chord(event, key, text)) {
        return None;
    }
    if text == "\n" || text == "\r\n" {
        return Some(ENTER_TEXT.to_owned());
    }
    // Tab and Backspace do what they do as keys.
    let is_typed = text == ENTER_TEXT || !text.chars().any(char::is_control);
    is_typed.then(|| text.to_owned())
}

/// Whether a key with Alt is a chord, though it has a text: the character that the key has without Alt. With Ctrl too, as
/// AltGr comes, only a letter or digit is taken for a chord: on other layouts than the US one any sign may be on any key.
fn is_chord(event: &KeyEvent, key: &Key, text: &str) -> bool {
    let held = i64::from(event.modifiers);
    let Some(character) = single(text).filter(|_| event.kind != KeyEventType::Char) else { return false };
    if character.is_ascii_alphanumeric() {
        let typing = TYPING.iter().find(|(_, _, code, _)| *code == key.code);
        return typing.is_none_or(|(plain, shifted, ..)| character == *plain || character == *shifted);
    }
    let Some((plain, shifted, ..)) = TYPING.iter().find(|(_, _, code, _)| *code == key.code) else { return false };
    held & CONTROL == 0 && character == if held & SHIFT == 0 { *plain } else { *shifted }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: KeyEventType, key: &str, code: &str, text: Option<&str>, modifiers: u8) -> KeyEvent {
        KeyEvent { kind, key: key.into(), code: code.into(), text: text.map(Into::into), modifiers }
    }

    fn down(key: &str, code: &str, text: Option<&str>, modifiers: u8) -> KeyEvent {
        event(KeyEventType::KeyDown, key, code, text, modifiers)
    }

    fn sent(keyboard: &mut Keyboard, event: &KeyEvent) -> Vec<String> {
        let Stroke::Steps(steps) = keyboard.stroke(event) else { return vec!["ignored".to_owned()] };
        let told = |step: Step| match step {
            Step::Key(params) => {
                let name = |name: Option<String>| name.unwrap_or_default();
                let kind = params.r#type.as_ref().to_owned();
                let repeats = if params.auto_repeat == Some(true) { " again" } else { "" };
                let (code, key_code) = (name(params.code), params.windows_virtual_key_code.unwrap_or_default());
                let text = params.text.map(|text| format!(" {text:?}")).unwrap_or_default();
                let commands = params.commands.map(|commands| format!(" {}", commands.join(","))).unwrap_or_default();
                format!("{kind} {} {code} {key_code}{text}{commands}{repeats}", name(params.key))
            }
            Step::Text(text) => format!("text {text}"),
            Step::Clipboard(used, _) => format!("{used:?}"),
            other => format!("{other:?}"),
        };
        steps.into_iter().map(told).collect()
    }

    #[test]
    fn what_is_left_out_is_filled_in() {
        let mut keyboard = Keyboard::default();
        assert_eq!(sent(&mut keyboard, &down("a", "", Some("a"), 0)), ["keyDown a KeyA 65 \"a\""]);
        assert_eq!(sent(&mut keyboard, &down("", "KeyB", None, 8)), ["rawKeyDown B KeyB 66"]);
        assert_eq!(sent(&mut keyboard, &down("ArrowLeft", "", None, 8)), ["rawKeyDown ArrowLeft ArrowLeft 37"]);
        assert_eq!(sent(&mut keyboard, &down("", "ShiftRight", None, 8)), ["rawKeyDown Shift ShiftRight 16"]);
        assert_eq!(sent(&mut keyboard, &down("5", "Numpad5", Some("5"), 0)), ["keyDown 5 Numpad5 101 \"5\""]);
        // Another layout: the letter's number, the place's code.
        assert_eq!(sent(&mut keyboard, &down("z", "KeyY", Some("z"), 0)), ["keyDown z KeyY 90 \"z\""]);
        assert_eq!(sent(&mut keyboard, &down("ö", "Semicolon", Some("ö"), 0)), ["keyDown ö Semicolon 186 \"ö\""]);
        assert_eq!(sent(&mut keyboard, &down("Process", "KeyK", None, 0)), ["rawKeyDown Process KeyK 229"]);
    }

    #[test]
    fn text_is_typed_unless_a_chord_is_pressed() {
        let mut keyboard = Keyboard::default();
        assert_eq!(sent(&mut keyboard, &down("a", "KeyA", Some("a"), 2)), ["rawKeyDown a KeyA 65"]);
        assert_eq!(sent(&mut keyboard, &down("s", "KeyS", Some("s"), 1)), ["rawKeyDown s KeyS 83"]);
        assert_eq!(sent(&mut keyboard, &down("d", "KeyD", Some("d"), 4)), ["rawKeyDown d KeyD 68"]);
        assert_eq!(sent(&mut keyboard, &down("f", "KeyF", Some("f"), 3)), ["rawKeyDown f KeyF 70"]);
        assert_eq!(sent(&mut keyboard, &down("@", "KeyQ", Some("@"), 3)), ["keyDown @ KeyQ 81 \"@\""], "AltGr");
        assert_eq!(sent(&mut keyboard, &down("å", "KeyW", Some("å"), 1)), ["keyDown å KeyW 87 \"å\""], "option");
        assert_eq!(sent(&mut keyboard, &down("Backspace", "", Some("\u{8}"), 0)), ["rawKeyDown Backspace Backspace 8"]);
        // On the same key as with Shift, or without, on a US keyboard: still a third level.
        for (text, code, modifiers) in [
            ("@", "Digit2", 3),
            ("#", "Digit3", 3),
            ("|", "Backslash", 3),
            ("\\", "Backslash", 3),
            ("[", "BracketLeft", 3),
            ("{", "BracketLeft", 3),
            ("}", "BracketRight", 3),
            ("@", "Digit2", 1),
            ("#", "Digit3", 1),
            ("|", "IntlBackslash", 3),
            ("€", "", 1),
        ] {
            let told = sent(&mut Keyboard::default(), &down(text, code, Some(text), modifiers));
            assert!(told[0].starts_with("keyDown"), "{text} on {code} with {modifiers}: {told:?}");
            let char = event(KeyEventType::Char, text, code, Some(text), modifiers);
            assert!(sent(&mut Keyboard::default(), &char)[0].starts_with("char"), "{text} on {code} with {modifiers}");
        }
        for (text, code, modifiers) in
            [("[", "BracketLeft", 1), ("@", "Digit2", 9), ("A", "KeyA", 1), ("5", "Numpad5", 1), ("x", "KeyX", 3)]
        {
            let told = sent(&mut Keyboard::default(), &down(text, code, Some(text), modifiers));
            assert!(told[0].starts_with("rawKeyDown"), "{text} on {code} with {modifiers}: {told:?}");
        }
        let family = "👨‍👩‍👧";
        assert_eq!(
            sent(&mut keyboard, &event(KeyEventType::Char, "", "", Some(family), 0)),
            [format!("text {family}")]
        );
        assert_eq!(sent(&mut keyboard, &event(KeyEventType::Char, "c", "KeyC", Some("c"), 2)), ["ignored"]);
        let long = "x".repeat(TEXT_MAX_CHARS + 1);
        assert_eq!(sent(&mut keyboard, &event(KeyEventType::Char, "", "", Some(&long), 0)), ["ignored"]);
        let mut mac = Keyboard::default();
        assert_eq!(sent(&mut mac, &down("a", "", None, 4)), ["rawKeyDown a KeyA 65 selectAll"]);
    }

    #[test]
    fn enter_is_typed_once_however_it_comes() {
        let typed = "keyDown Enter Enter 13 \"\\r\"";
        let mut keyboard = Keyboard::default();
        assert_eq!(sent(&mut keyboard, &down("Enter", "Enter", None, 0)), [typed]);
        assert!(sent(&mut keyboard, &event(KeyEventType::Char, "Enter", "Enter", Some("\r"), 0)).is_empty());
        assert_eq!(
            sent(&mut keyboard, &event(KeyEventType::KeyUp, "Enter", "Enter", None, 0)),
            ["keyUp Enter Enter 13"]
        );
        assert_eq!(sent(&mut keyboard, &down("Enter", "", Some("\n"), 0)), [typed]);
        assert_eq!(sent(&mut keyboard, &down("Enter", "", None, 2)), ["rawKeyDown Enter Enter 13 again"]);
    }

    #[test]
    fn keys_that_are_down_come_up() {
        let mut keyboard = Keyboard::default();
        let up = |key: &str, code: &str| event(KeyEventType::KeyUp, key, code, None, 0);
        assert_eq!(sent(&mut keyboard, &up("a", "KeyA")), ["ignored"]);
        sent(&mut keyboard, &down("Shift", "ShiftLeft", None, 8));
        sent(&mut keyboard, &down("A", "KeyA", Some("A"), 8));
        assert_eq!(sent(&mut keyboard, &down("A", "KeyA", Some("A"), 8)), ["keyDown A KeyA 65 \"A\" again"]);
        assert_eq!(sent(&mut keyboard, &up("a", "KeyA")), ["keyUp A KeyA 65"], "Shift came up first");
        assert_eq!(keyboard.release().len(), 1);
        assert!(keyboard.release().is_empty());
        for number in 0..40 {
            sent(&mut keyboard, &down(&format!("F{number}"), &format!("F{number}"), None, 0));
        }
        assert_eq!(keyboard.release().len(), DOWN_MAX);
    }

    #[test]
    fn clipboard_keys_never_reach_the_browser() {
        let mut keyboard = Keyboard::default();
        for (chord, used) in [
            (down("c", "KeyC", Some("c"), 2), "Copy"),
            (down("c", "KeyI", None, 4), "Copy"),
            (down("x", "", None, 2), "Cut"),
            (down("V", "KeyV", None, 10), "Paste"),
            (down("Insert", "Insert", None, 8), "Paste"),
            (down("Paste", "", None, 0), "Paste"),
        ] {
            assert_eq!(sent(&mut keyboard, &chord), [used]);
        }
        assert!(sent(&mut keyboard, &event(KeyEventType::KeyUp, "c", "KeyC", None, 2)).is_empty());
        assert!(keyboard.release().is_empty());
    }
}
