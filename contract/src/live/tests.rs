use secrecy::ExposeSecret;
use serde_json::{Value, json};

use super::*;
use crate::error::ErrorCode;
use crate::session::{BoundingBox, Control, DialogKind, ElementRef, HistoryAction, TabInfo, ViewerRole};

fn read(message: &Value) -> Result<ViewerMessage, Unread> {
    ViewerMessage::parse(&message.to_string())
}

#[test]
fn a_hello_needs_a_ticket_and_has_defaults() {
    let hello = Hello::parse(r#"{"type":"hello","ticket":"abc"}"#).unwrap();
    assert_eq!(hello.ticket.expose_secret(), "abc");
    assert_eq!((hello.frames, hello.max_width, hello.max_height), (FrameMode::Binary, 1280, 720));
    assert_eq!((hello.quality, hello.max_fps), (70, 30));
    assert!(!format!("{hello:?}").contains("abc"), "the ticket is a secret");

    let said = json!({"type": "hello", "ticket": "abc", "frames": "raw", "max_width": 640, "max_height": 360,
        "quality": 40, "max_fps": 60, "later": true});
    let hello = Hello::parse(&said.to_string()).unwrap();
    let again = Hello::parse(&serde_json::to_string(&hello).unwrap()).unwrap();
    assert_eq!((again.frames, again.max_width, again.quality, again.max_fps), (FrameMode::Raw, 640, 40, 60));
}

#[test]
fn bad_hellos_are_told() {
    for (message, unread) in [
        (json!({"type": "hello"}), Unread::Malformed),
        (json!({"type": "hello", "ticket": 7}), Unread::Malformed),
        (json!({"type": "hello", "ticket": "a", "frames": "mpeg"}), Unread::Malformed),
        (json!({"type": "hello", "ticket": "a", "max_fps": 61}), Unread::Malformed),
        (json!({"type": "hello", "ticket": "a", "max_fps": 0}), Unread::Malformed),
        (json!({"type": "hello", "ticket": "a", "quality": 101}), Unread::Malformed),
        (json!({"type": "hello", "ticket": "a", "max_width": 0}), Unread::Malformed),
        (json!({"type": "hello", "ticket": "a", "max_height": 16_385}), Unread::Malformed),
        (json!({"type": "ping", "ticket": "a"}), Unread::UnknownType),
        (json!(["hello"]), Unread::Malformed),
    ] {
        assert_eq!(Hello::parse(&message.to_string()).unwrap_err(), unread, "{message}");
    }
    assert_eq!(Hello::parse("nonsense").unwrap_err(), Unread::Malformed);
}

#[test]
fn every_message_of_a_viewer_survives_the_wire() {
    for message in [
        json!({"type": "mouse", "event": {"type": "mousePressed", "x": 1.5, "y": -2.0, "button": "left",
            "clickCount": 2, "deltaX": 0.0, "deltaY": 0.0, "modifiers": 9}}),
        json!({"type": "keyboard", "event": {"type": "keyDown", "key": "a", "code": "KeyA", "text": "a", "modifiers": 0}}),
        json!({"type": "keyboard", "event": {"type": "char", "key": "", "code": "", "text": "ä", "modifiers": 0}}),
        json!({"type": "touch", "event": {"type": "touchStart", "points": [{"x": 1.0, "y": 2.0, "id": -4}]}}),
        json!({"type": "touch", "event": {"type": "touchEnd", "points": []}}),
        json!({"type": "ime", "event": {"type": "compose", "text": "に", "selectionStart": 1, "selectionEnd": 1}}),
        json!({"type": "paste", "text": "words"}),
        json!({"type": "copy"}),
        json!({"type": "navigate", "url": "https://example.com/"}),
        json!({"type": "navigate", "action": "back"}),
        json!({"type": "choose", "values": ["a", "b"]}),
        json!({"type": "choose", "values": null}),
        json!({"type": "dialog", "accept": true, "text": "Ada"}),
        json!({"type": "files", "files": [{"name": "a.txt", "mime_type": "text/plain", "content_base64": "QQ=="}]}),
        json!({"type": "files", "files": []}),
        json!({"type": "resize", "width": 390, "height": 844}),
        json!({"type": "control", "action": "take"}),
        json!({"type": "tab", "tab": "t2"}),
        json!({"type": "tab", "tab": null}),
        json!({"type": "quality", "quality": 30, "max_fps": 5}),
        json!({"type": "ack", "seq": 12}),
        json!({"type": "ping", "id": 3}),
        json!({"type": "ping", "id": "three"}),
    ] {
        let read = read(&message).unwrap_or_else(|error| panic!("{message}: {error}"));
        assert_eq!(serde_json::to_value(&read).unwrap(), message);
    }
    assert_eq!(
        read(&json!({"type": "navigate", "action": "reload", "later": 1})),
        Ok(ViewerMessage::Navigate(Goto { url: None, action: Some(HistoryAction::Reload) })),
        "unknown fields are ignored",
    );
}

#[test]
fn what_is_unknown_or_malformed_is_told() {
    let mouse = |event: Value| json!({"type": "mouse", "event": event});
    let key = |event: Value| json!({"type": "keyboard", "event": event});
    for (message, unread) in [
        (json!({"type": "hello", "ticket": "a"}), Unread::UnknownType),
        (json!({"type": "shout"}), Unread::UnknownType),
        (json!({"type": 7}), Unread::Malformed),
        (json!({}), Unread::Malformed),
        (json!(["mouse"]), Unread::Malformed),
        (mouse(json!({"type": "mouseMoved", "x": 1})), Unread::Malformed),
        (mouse(json!({"type": "mouseHeld", "x": 1, "y": 1})), Unread::Malformed),
        (mouse(json!({"type": "mouseMoved", "x": 1e9, "y": 1})), Unread::Malformed),
        (mouse(json!({"type": "mousePressed", "x": 1, "y": 1})), Unread::Malformed),
        (mouse(json!({"type": "mousePressed", "x": 1, "y": 1, "button": "fourth"})), Unread::Malformed),
        (mouse(json!({"type": "mouseMoved", "x": 1, "y": 1, "modifiers": 16})), Unread::Malformed),
        (key(json!({"type": "keyDown"})), Unread::Malformed),
        (key(json!({"type": "char", "key": "a"})), Unread::Malformed),
        (key(json!({"type": "keyDown", "key": "a".repeat(101)})), Unread::Malformed),
        (json!({"type": "touch", "event": {"type": "touchStart", "points": []}}), Unread::Malformed),
        (json!({"type": "navigate"}), Unread::Malformed),
        (json!({"type": "navigate", "url": "https://a/", "action": "back"}), Unread::Malformed),
        (json!({"type": "choose"}), Unread::Malformed),
        (json!({"type": "files", "files": [{"name": "a"}]}), Unread::Malformed),
        (json!({"type": "resize", "width": 0, "height": 10}), Unread::Malformed),
        (json!({"type": "tab"}), Unread::Malformed),
        (json!({"type": "tab", "tab": "../x"}), Unread::Malformed),
        (json!({"type": "quality"}), Unread::Malformed),
        (json!({"type": "quality", "max_fps": 61}), Unread::Malformed),
        (json!({"type": "ack", "seq": -1}), Unread::Malformed),
        (json!({"type": "ping", "id": "x".repeat(101)}), Unread::Malformed),
        (json!({"type": "ping", "id": [1]}), Unread::Malformed),
    ] {
        assert_eq!(read(&message), Err(unread), "{message}");
    }
    let points: Vec<Value> = (0..17).map(|id| json!({"x": 1, "y": 1, "id": id})).collect();
    assert!(read(&json!({"type": "touch", "event": {"type": "touchStart", "points": points}})).is_err());
    let padded = |values: usize| read(&json!({"type": "copy", "more": vec![0; values]}));
    assert!(padded(400).is_ok());
    assert_eq!(padded(600), Err(Unread::Malformed), "more than is read");
    let files = |files: Value| read(&json!({"type": "files", "files": files}));
    for unusable in [
        json!([{"name": "../a", "content_base64": ""}]),
        json!([{"name": "a", "content_base64": "?"}]),
        json!([{"name": "a", "content_base64": "AAAA".repeat(2_500_001)}, {"name": "b", "content_base64": "AAAA".repeat(1_000_000)}]),
    ] {
        let is_told = matches!(files(unusable), Err(Unread::Unusable(invalid)) if invalid.path.starts_with("files"));
        assert!(is_told);
    }
    let deep = format!(r#"{{"type":"ping","id":{}"#, "[".repeat(60_000));
    assert_eq!(ViewerMessage::parse(&deep), Err(Unread::Malformed));
    assert_eq!(ViewerMessage::parse(""), Err(Unread::Malformed));
}

#[test]
fn wheels_and_sizes_are_clamped() {
    let wheel =
        json!({"type": "mouse", "event": {"type": "mouseWheel", "x": 0, "y": 0, "deltaX": -9e9, "deltaY": 501}});
    let Ok(ViewerMessage::Mouse { event }) = read(&wheel) else { panic!("{wheel}") };
    assert_eq!((event.delta_x, event.delta_y, event.click_count_or_default()), (-500.0, 500.0, 0));
    let size = read(&json!({"type": "resize", "width": 7680, "height": 4320}));
    assert_eq!(size, Ok(ViewerMessage::Resize(Size { width: 3840, height: 2160 })));
}

#[test]
fn only_five_types_count_from_who_watches() {
    let watching: Vec<&str> = [
        json!({"type": "tab", "tab": null}),
        json!({"type": "quality", "quality": 1}),
        json!({"type": "ack", "seq": 1}),
        json!({"type": "ping", "id": 1}),
        json!({"type": "copy"}),
        json!({"type": "control", "action": "take"}),
        json!({"type": "resize", "width": 1, "height": 1}),
        json!({"type": "mouse", "event": {"type": "mouseMoved", "x": 0, "y": 0}}),
    ]
    .iter()
    .filter(|message| read(message).unwrap().only_watches())
    .filter_map(|message| ["tab", "quality", "ack", "ping"].into_iter().find(|kind| message["type"] == *kind))
    .collect();
    assert_eq!(watching, ["tab", "quality", "ack", "ping"]);
}

#[test]
fn the_server_s_messages_have_the_contract_s_fields() {
    let bounding_box = BoundingBox { x: 1.0, y: 2.0, width: 3.0, height: 4.0 };
    let rect = json!({"x": 1.0, "y": 2.0, "width": 3.0, "height": 4.0});
    for (message, expected) in [
        (
            ServerMessage::Welcome { role: ViewerRole::View, session: "ses_1".into(), tab: "t1".into() },
            json!({"type": "welcome", "role": "view", "session": "ses_1", "tab": "t1"}),
        ),
        (
            ServerMessage::Status { status: LiveStatus::BrowserStarting },
            json!({"type": "status", "status": "browser_starting"}),
        ),
        (
            ServerMessage::Viewport { width: 1280, height: 720, offset_top: 0.0, page_scale_factor: 1.0 },
            json!({"type": "viewport", "width": 1280, "height": 720, "offset_top": 0.0, "page_scale_factor": 1.0}),
        ),
        (
            ServerMessage::Url { url: "https://a/".into(), title: "A".into() },
            json!({"type": "url", "url": "https://a/", "title": "A"}),
        ),
        (
            ServerMessage::Tabs {
                tabs: vec![TabInfo { tab: "t1".into(), url: "u".into(), title: "T".into() }],
                active: "t1".into(),
            },
            json!({"type": "tabs", "tabs": [{"tab": "t1", "url": "u", "title": "T"}], "active": "t1"}),
        ),
        (ServerMessage::Cursor { cursor: "pointer".into() }, json!({"type": "cursor", "cursor": "pointer"})),
        (
            ServerMessage::Select(OpenField {
                kind: FieldKind::DateTimeLocal,
                options: vec![FieldOption { label: "L".into(), value: "v".into(), ..FieldOption::default() }],
                multiple: false,
                value: "v".into(),
                min: Some("m".into()),
                max: None,
                step: None,
                rect: bounding_box,
            }),
            json!({"type": "select", "kind": "datetime-local", "options": [{"label": "L", "value": "v",
                "disabled": false, "selected": false}], "multiple": false, "value": "v", "min": "m", "rect": rect}),
        ),
        (ServerMessage::SelectClosed, json!({"type": "select_closed"})),
        (
            ServerMessage::Dialog { kind: DialogKind::Prompt, message: "?".into(), default: Some("d".into()) },
            json!({"type": "dialog", "kind": "prompt", "message": "?", "default": "d"}),
        ),
        (ServerMessage::DialogClosed, json!({"type": "dialog_closed"})),
        (
            ServerMessage::FileChooser { multiple: true, accept: ".pdf".into() },
            json!({"type": "file_chooser", "multiple": true, "accept": ".pdf"}),
        ),
        (
            ServerMessage::Control { holder: Control::Viewer, you: true },
            json!({"type": "control", "holder": "viewer", "you": true}),
        ),
        (
            ServerMessage::Action {
                tool: "browser_click".into(),
                reference: Some(ElementRef(5)),
                bounding_box: Some(bounding_box),
                key: None,
            },
            json!({"type": "action", "tool": "browser_click", "ref": "@e5", "box": rect}),
        ),
        (ServerMessage::Clipboard { text: "words".into() }, json!({"type": "clipboard", "text": "words"})),
        (ServerMessage::Pong { id: Some(PingId::Text("p".into())) }, json!({"type": "pong", "id": "p"})),
        (
            ServerMessage::Error { error: ErrorCode::ControlHeld, message: "held".into() },
            json!({"type": "error", "error": "CONTROL_HELD", "message": "held"}),
        ),
    ] {
        let text = message.text();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
        assert!(ServerMessage::TYPES.iter().any(|kind| expected["type"] == *kind), "{expected}");
        assert_eq!(serde_json::from_str::<ServerMessage>(&text).unwrap(), message);
    }
}

#[test]
fn raw_mode_knows_three_messages_without_a_type() {
    let texts: Vec<Option<String>> = [
        ServerMessage::Status { status: LiveStatus::Streaming },
        ServerMessage::Url { url: "https://a/".into(), title: "A".into() },
        ServerMessage::Viewport { width: 2, height: 1, offset_top: 0.0, page_scale_factor: 1.0 },
        ServerMessage::SelectClosed,
        ServerMessage::Control { holder: Control::None, you: false },
    ]
    .iter()
    .map(raw_text)
    .collect();
    let [Some(status), Some(url), Some(viewport), None, None] = &texts[..] else { panic!("{texts:?}") };
    assert_eq!(serde_json::from_str::<Value>(status).unwrap(), json!({"status": "streaming"}));
    assert_eq!(serde_json::from_str::<Value>(url).unwrap(), json!({"url": "https://a/"}));
    let expected = json!({"viewport": {"width": 2, "height": 1, "offset_top": 0.0, "page_scale_factor": 1.0}});
    assert_eq!(serde_json::from_str::<Value>(viewport).unwrap(), expected);
}

#[test]
fn frames_keep_header_and_picture() {
    let header = FrameHeader {
        seq: 7,
        width: 640,
        height: 360,
        timestamp_ms: 1_764_000_000_000,
        scroll_x: 0.0,
        scroll_y: 12.5,
        page_scale_factor: 1.0,
    };
    let jpeg = [0xff, 0xd8, 0x00, 0xff];
    let message = binary_frame(&header, &jpeg);
    assert_eq!(split_binary_frame(&message), Ok((header, &jpeg[..])));
    for length in 0..message.len() - jpeg.len() {
        assert_eq!(split_binary_frame(&message[..length]), Err(NotAFrame));
    }

    let frame: Value = serde_json::from_str(&json_frame(&header, "/9gA/w==")).unwrap();
    let mut expected = serde_json::to_value(header).unwrap();
    expected["type"] = json!("frame");
    expected["data"] = json!("/9gA/w==");
    assert_eq!(frame, expected);
}

#[test]
fn close_codes_are_the_contract_s() {
    let numbers: Vec<u16> = CloseCode::ALL.iter().map(|code| code.number()).collect();
    assert_eq!(numbers, [1001, 1002, 1007, 1009, 4400, 4401, 4404, 4408, 4410, 4429]);
    for code in CloseCode::ALL {
        assert!(code.reason().len() <= 123, "a close frame's reason has at most 123 bytes: {code}");
    }
}
