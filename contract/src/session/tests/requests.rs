//! Each route's good bodies and its refusals by field.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::session::*;
use crate::{Invalid, Validate, parse};

/// A body of a session's call with these fields.
fn body(fields: &Value) -> Vec<u8> {
    let mut body = json!({"sandbox_id": "sb-1", "owner_token": "token", "session": "ses_1"});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body.to_string().into_bytes()
}

fn read<T: DeserializeOwned + Validate>(fields: &Value) -> Result<T, Invalid> {
    parse(&body(fields))
}

#[track_caller]
fn takes<T: DeserializeOwned + Validate>(bodies: &[Value]) {
    for fields in bodies {
        if let Err(invalid) = read::<T>(fields) {
            panic!("{fields} was refused: {invalid}");
        }
    }
}

/// Each body is refused with this path and, within its reason, this text.
#[track_caller]
fn refuses<T: DeserializeOwned + Validate>(bodies: &[(Value, &str, &str)]) {
    for (fields, path, reason) in bodies {
        let Err(invalid) = read::<T>(fields) else { panic!("{fields} was taken") };
        assert_eq!(invalid.path, *path, "{fields}: {invalid}");
        assert!(invalid.reason.contains(reason), "{fields}: {invalid}");
    }
}

/// What every route refuses alike.
#[track_caller]
fn refuses_as_every_route<T: DeserializeOwned + Validate>(good: &Value) {
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        body
    };
    let cases = [
        ("sandbox_id", json!("../x"), "sandbox_id", "must be 1 to 128"),
        ("session", json!("ses 1"), "session", "must be 1 to 64"),
        ("session", json!("a".repeat(65)), "session", "must be 1 to 64"),
        ("tab", json!(""), "tab", "must be 1 to 64"),
        ("timeout_ms", json!(999), "timeout_ms", "must be from 1000 to 60000"),
        ("timeout_ms", json!(60_001), "timeout_ms", "must be from 1000 to 60000"),
        ("colour", json!(1), "colour", "unknown field"),
        ("owner_token", json!(7), "owner_token", "invalid type"),
    ];
    for (field, value, path, reason) in cases {
        refuses::<T>(&[(with(field, value), path, reason)]);
    }
}

#[test]
fn every_route_has_the_fields_of_every_call() {
    let target = json!({"ref": "@e5"});
    refuses_as_every_route::<SnapshotRequest>(&json!({}));
    refuses_as_every_route::<NavigateRequest>(&json!({"url": "https://example.com"}));
    refuses_as_every_route::<ClickRequest>(&target);
    refuses_as_every_route::<TypeRequest>(&json!({"ref": "e5", "text": "a"}));
    refuses_as_every_route::<PressRequest>(&json!({"key": "Enter"}));
    refuses_as_every_route::<HoverRequest>(&target);
    refuses_as_every_route::<SelectRequest>(&json!({"ref": "e5", "values": []}));
    refuses_as_every_route::<CheckRequest>(&target);
    refuses_as_every_route::<DragRequest>(&json!({"ref": "e5", "to": {"ref": "e6"}}));
    refuses_as_every_route::<ScrollRequest>(&json!({"to": "top"}));
    refuses_as_every_route::<UploadRequest>(&json!({"ref": "e5", "files": []}));
    refuses_as_every_route::<WaitRequest>(&json!({"ms": 0}));
    refuses_as_every_route::<InteractRequest>(&json!({"action": "click", "target": {"value": "Save"}}));
    refuses_as_every_route::<SessionScreenshotRequest>(&json!({}));
    refuses_as_every_route::<SessionExtractRequest>(&json!({}));
    refuses_as_every_route::<DialogRequest>(&json!({"accept": true}));
    refuses_as_every_route::<TabsRequest>(&json!({"action": "list"}));
    refuses_as_every_route::<FilesRequest>(&json!({"action": "list"}));
    refuses_as_every_route::<StateRequest>(&json!({}));
    refuses_as_every_route::<StatusRequest>(&json!({}));
    refuses_as_every_route::<ViewerRequest>(&json!({}));
    refuses_as_every_route::<CloseRequest>(&json!({}));
}

#[test]
fn a_call_tells_whose_it_is_and_how_long_it_may_take() {
    let call: ClickRequest =
        read(&json!({"ref": "e5", "tab": "t2", "browserbase_api_key": "key", "browserbase_project_id": "project"}))
            .unwrap();
    assert_eq!((call.owner().sandbox_id, call.session(), call.tab()), ("sb-1", Some("ses_1"), Some("t2")));
    assert!(call.owner().token.is_some() && call.browserbase().0.is_some() && call.browserbase().1.is_some());
    assert_eq!((call.timeout_ms(), call.target_wait_ms(), call.snapshot()), (30_000, 5_000, None));
    let call: ClickRequest = read(&json!({"ref": "e5", "timeout_ms": 1000})).unwrap();
    assert_eq!((call.timeout_ms(), call.target_wait_ms()), (1_000, 1_000));
    assert!(!format!("{call:?}").contains("\"token\""), "a token is never shown");
}

#[test]
fn an_answers_snapshot_is_a_word_or_an_object() {
    let asked = |snapshot: Value| read::<StatusRequest>(&json!({ "snapshot": snapshot })).map(|call| call.snapshot());
    assert_eq!(asked(json!("none")).unwrap(), None);
    assert_eq!(asked(json!({"mode": "none", "max_chars": 500})).unwrap(), None);
    assert_eq!(asked(json!("full")).unwrap(), Some(SnapshotOptions::default()));
    let changes = asked(json!("changes")).unwrap();
    assert_eq!(changes, Some(SnapshotOptions { changes: true, ..SnapshotOptions::default() }));
    let options = json!({"mode": "full", "interactive_only": false, "max_chars": 5000, "root": "e3", "offset": 10});
    let expected = SnapshotOptions {
        interactive_only: false,
        max_chars: 5_000,
        root: Some(ElementRef(3)),
        offset: 10,
        ..SnapshotOptions::default()
    };
    assert_eq!(asked(options).unwrap(), Some(expected));
    for (snapshot, path) in [
        (json!("all"), "snapshot"),
        (json!(true), "snapshot"),
        (json!({"max_chars": 500}), "snapshot"),
        (json!({"mode": "full", "max_chars": 499}), "snapshot.max_chars"),
        (json!({"mode": "full", "colour": 1}), "snapshot.colour"),
        (json!({"mode": "full", "root": "5"}), "snapshot.root"),
    ] {
        assert_eq!(asked(snapshot.clone()).unwrap_err().path, path, "{snapshot}");
    }
    let written = serde_json::to_value(SnapshotInAnswer::Mode(SnapshotMode::Changes)).unwrap();
    assert_eq!(written, "changes");
}

#[test]
fn routes_that_take_no_snapshot_refuse_one() {
    let asked = json!({"snapshot": "full"});
    let case = || [(asked.clone(), "snapshot", "unknown field")];
    refuses::<SnapshotRequest>(&case());
    refuses::<SessionScreenshotRequest>(&case());
    refuses::<SessionExtractRequest>(&case());
    refuses::<StateRequest>(&case());
    refuses::<ViewerRequest>(&case());
    refuses::<CloseRequest>(&case());
}

#[test]
fn exactly_one_target_is_taken() {
    let semantic = json!({"by": "role", "value": "button", "name": "Save", "exact": true});
    takes::<HoverRequest>(&[
        json!({"ref": "@e5"}),
        json!({"ref": "e5"}),
        json!({"at": {"x": 10, "y": 20.5}}),
        json!({ "target": semantic }),
        json!({"target": {"value": "main >> text: Save", "exact": false}}),
    ]);
    let hover: HoverRequest = read(&json!({ "target": semantic })).unwrap();
    let Some(Target::Semantic(target)) = hover.target() else { panic!("{hover:?}") };
    assert_eq!((target.by, target.exact), (Some(TargetBy::Role), Some(true)));
    refuses::<HoverRequest>(&[
        (json!({}), "ref", "is missing"),
        (json!({"ref": "e5", "at": {"x": 1, "y": 1}}), "at", "one of"),
        (json!({"ref": "e5", "target": {"value": "a"}}), "target", "one of"),
        (json!({"ref": "button"}), "ref", "such as @e5"),
        (json!({"ref": 5}), "ref", "invalid type"),
        (json!({"at": {"x": -1, "y": 1}}), "at.x", "must be from"),
        (json!({"at": {"x": 1}}), "at", "missing field `y`"),
        (json!({"at": {"x": 1, "y": 10_001}}), "at.y", "must be from"),
        (json!({"target": {"value": " "}}), "target.value", "must not be empty"),
        (json!({"target": {"value": "a".repeat(4001)}}), "target.value", "longer than 4000"),
        (json!({"target": {"value": "a >> ".repeat(16) + "a"}}), "target.value", "more than 16 steps"),
        (json!({"target": {"by": "id", "value": "a"}}), "target.by", "unknown variant"),
        (json!({"target": {"by": "label", "value": "a", "name": "b"}}), "target.name", "by role only"),
        (json!({"target": {"value": "a", "index": 1}}), "target.index", "unknown field"),
    ]);
}

#[test]
fn kinds_of_targets_are_named_as_on_the_wire() {
    for by in TargetBy::IN_ORDER {
        assert_eq!(serde_json::to_value(by).unwrap(), by.name());
    }
    for action in ["click", "type", "select", "check", "uncheck", "keypress", "hover", "waitForSelector"] {
        let read: InteractAction = serde_json::from_value(json!(action)).unwrap();
        assert_eq!(read.name(), action);
    }
}

#[test]
fn open_makes_a_session_with_options() {
    let opened = |fields: Value| {
        let mut body = json!({"sandbox_id": "sb-1"});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        parse::<OpenRequest>(body.to_string().as_bytes())
    };
    let request = opened(json!({
        "viewport": {"width": 800, "height": 600}, "color_scheme": "dark", "reduced_motion": true, "locale": "de-CH",
        "time_zone": "America/Argentina/Buenos_Aires", "user_agent": "Mozilla/5.0 (X11)", "idle_seconds": 60,
        "allow_hosts": ["example.com", "*.example.com", "10.0.0.1", "[::1]", "::1", "bücher.example", "localhost"],
        "storage_state": {"cookies": [{"name": "a", "value": "secret", "domain": ".example.com", "same_site": "Lax"}],
            "origins": [{"origin": "https://example.com", "local_storage": [{"name": "k", "value": "secret"}]}]}
    }))
    .unwrap();
    assert!(!format!("{request:?}").contains("secret\""), "{request:?}");
    let state = request.open_options().storage_state.unwrap();
    assert_eq!(serde_json::to_value(&state).unwrap()["cookies"][0]["value"], "secret");
    let cookie = |cookie: Value| json!({"storage_state": {"cookies": [cookie]}});
    for (fields, path) in [
        (json!({"session": "ses_1"}), "session"),
        (json!({"tab": "t1"}), "tab"),
        (json!({"viewport": {"width": 0, "height": 1}}), "viewport.width"),
        (json!({"locale": "de_CH"}), "locale"),
        (json!({"time_zone": ""}), "time_zone"),
        (json!({"user_agent": "a\r\nX: b"}), "user_agent"),
        (json!({"idle_seconds": 0}), "idle_seconds"),
        (json!({"idle_seconds": 301}), "idle_seconds"),
        (json!({"allow_hosts": []}), "allow_hosts"),
        (json!({"allow_hosts": ["a", "https://a"]}), "allow_hosts[1]"),
        (json!({"allow_hosts": ["*"]}), "allow_hosts[0]"),
        (json!({"allow_hosts": ["*.*.a"]}), "allow_hosts[0]"),
        (json!({"allow_hosts": ["a:80"]}), "allow_hosts[0]"),
        (json!({"allow_hosts": ["a..b"]}), "allow_hosts[0]"),
        (cookie(json!({"name": "a", "value": "b", "domain": ""})), "storage_state.cookies[0].domain"),
        (cookie(json!({"name": "a", "value": "b", "domain": "c", "path": "d"})), "storage_state.cookies[0].path"),
        (json!({"storage_state": {"origins": [{"origin": "ftp://a"}]}}), "storage_state.origins[0].origin"),
        (json!({"storage_state": {"origins": [{"origin": "https://a/b"}]}}), "storage_state.origins[0].origin"),
    ] {
        assert_eq!(opened(fields.clone()).unwrap_err().path, path, "{fields}");
    }
}

#[test]
fn navigate_goes_to_a_url_or_through_the_history() {
    takes::<NavigateRequest>(&[
        json!({"url": "https://example.com", "wait_until": "domcontentloaded", "snapshot": "full"}),
        json!({"action": "back"}),
        json!({"session": null, "url": "https://example.com", "color_scheme": "dark", "idle_seconds": 5}),
    ]);
    refuses::<NavigateRequest>(&[
        (json!({}), "url", "is missing"),
        (json!({"url": "https://example.com", "action": "back"}), "action", "one of them"),
        (json!({"url": " "}), "url", "must not be empty"),
        (json!({"url": "a".repeat(32 * 1024 + 1)}), "url", "longer"),
        (json!({"action": "home"}), "action", "unknown variant"),
        (json!({"url": "https://a", "wait_until": "settled"}), "wait_until", "unknown variant"),
        (json!({"url": "https://a", "locale": "de"}), "locale", "without session"),
        (json!({"session": null, "url": "https://a", "locale": ""}), "locale", "must be 1 to 35"),
    ]);
}

#[test]
fn snapshots_are_bounded() {
    takes::<SnapshotRequest>(&[
        json!({}),
        json!({"interactive_only": false, "max_depth": 3, "root": "@e12", "offset": 10, "max_chars": 100_000,
            "changes": true, "boxes": true}),
    ]);
    refuses::<SnapshotRequest>(&[
        (json!({"max_chars": 499}), "max_chars", "must be from 500 to 100000"),
        (json!({"max_chars": 100_001}), "max_chars", "must be from 500 to 100000"),
        (json!({"max_depth": 1001}), "max_depth", "must be from 0 to 1000"),
        (json!({"offset": 100_000_001}), "offset", "must be from 0"),
        (json!({"root": "main"}), "root", "such as @e5"),
    ]);
}

#[test]
fn pointer_and_keys() {
    takes::<ClickRequest>(&[
        json!({"ref": "e5", "button": "right", "click_count": 3, "modifiers": ["Control", "Shift"], "snapshot": "full"}),
    ]);
    refuses::<ClickRequest>(&[
        (json!({"ref": "e5", "click_count": 0}), "click_count", "must be from 1 to 3"),
        (json!({"ref": "e5", "modifiers": ["Ctrl"]}), "modifiers[0]", "unknown variant"),
        (json!({"ref": "e5", "button": "back"}), "button", "unknown variant"),
    ]);
    let typed: TypeRequest = read(&json!({"ref": "e5", "text": ""})).unwrap();
    assert!(typed.clears() && !typed.submit && !typed.slowly);
    refuses::<TypeRequest>(&[(json!({"ref": "e5"}), "body", "missing field `text`")]);
    takes::<PressRequest>(&[json!({"key": "Control+A"}), json!({"key": " ", "ref": "e1"})]);
    refuses::<PressRequest>(&[
        (json!({"key": ""}), "key", "from 1 to 100 characters"),
        (json!({"key": "a".repeat(101)}), "key", "from 1 to 100 characters"),
        (json!({"key": "a", "ref": "e1", "at": {"x": 1, "y": 1}}), "at", "one of"),
    ]);
    takes::<SelectRequest>(&[json!({"ref": "e5", "values": ["a", "b"]})]);
    refuses::<SelectRequest>(&[(json!({"ref": "e5"}), "body", "missing field `values`")]);
    let checked: CheckRequest = read(&json!({"ref": "e5"})).unwrap();
    assert!(checked.is_checked());
    refuses::<CheckRequest>(&[(json!({"checked": true}), "ref", "is missing")]);
    takes::<DragRequest>(&[json!({"ref": "e5", "to": {"at": {"x": 1, "y": 2}}})]);
    refuses::<DragRequest>(&[
        (json!({"ref": "e5", "to": {}}), "to.ref", "is missing"),
        (json!({"ref": "e5", "to": {"target": {"value": ""}}}), "to.target.value", "must not be empty"),
        (json!({"ref": "e5"}), "body", "missing field `to`"),
    ]);
}

#[test]
fn scroll_goes_somewhere() {
    takes::<ScrollRequest>(&[
        json!({"direction": "down"}),
        json!({"direction": "left", "amount": 300, "ref": "e5"}),
        json!({"to": "bottom", "at": {"x": 1, "y": 1}}),
        json!({"ref": "e5"}),
    ]);
    refuses::<ScrollRequest>(&[
        (json!({}), "direction", "is missing"),
        (json!({"direction": "down", "to": "top"}), "to", "one of them"),
        (json!({"to": "top", "amount": 1}), "amount", "with direction only"),
        (json!({"direction": "down", "amount": 0}), "amount", "must be from 1"),
        (json!({"at": {"x": 1, "y": 1}}), "at", "with direction or to"),
    ]);
}

#[test]
fn uploads_are_bounded_together() {
    let file = |name: &str, content: &str| json!({"name": name, "content_base64": content});
    takes::<UploadRequest>(&[
        json!({"ref": "e5", "files": []}),
        json!({"ref": "e5", "files": [{"name": "a.txt", "mime_type": "text/plain", "content_base64": "QQ=="}]}),
    ]);
    let half = "A".repeat(5_000_000 / 3 * 4);
    takes::<UploadRequest>(&[json!({"ref": "e5", "files": [file("a", &half), file("b", &half)]})]);
    let files = |files: Value| json!({"ref": "e5", "files": files});
    refuses::<UploadRequest>(&[
        (
            files(json!([file("a", &half), file("b", &half), file("c", "AAAAAAAA")])),
            "files",
            "more than 10000000 bytes",
        ),
        (files(json!(vec![file("a", ""); 101])), "files", "more than 100 files"),
        (files(json!([file("a", ""), file("../b", "")])), "files[1].name", "a file's name"),
        (files(json!([file("a", "Q")])), "files[0].content_base64", "base64"),
        (
            files(json!([{"name": "a", "mime_type": "text", "content_base64": ""}])),
            "files[0].mime_type",
            "a media type",
        ),
    ]);
}

#[test]
fn wait_has_exactly_one_condition() {
    takes::<WaitRequest>(&[
        json!({"ms": 30_000}),
        json!({"ref": "e5", "state": "hidden"}),
        json!({"target": {"value": "Save"}, "state": "enabled"}),
        json!({"text": "Saved"}),
        json!({"text_gone": "Loading"}),
        json!({"url": "https://example.com/**/done"}),
        json!({"network_idle_ms": 500}),
    ]);
    let wait: WaitRequest = read(&json!({"ref": "e5"})).unwrap();
    let visible = Condition::Element(Target::Ref(ElementRef(5)), ElementState::Visible);
    assert_eq!(wait.condition(), Some(visible));
    refuses::<WaitRequest>(&[
        (json!({}), "body", "a condition is missing"),
        (json!({"ms": 1, "text": "a"}), "text", "exactly one"),
        (json!({"ref": "e5", "target": {"value": "a"}}), "target", "exactly one"),
        (json!({"ms": 1, "state": "hidden"}), "state", "with ref or target only"),
        (json!({"state": "hidden"}), "body", "a condition is missing"),
        (json!({"ms": 30_001}), "ms", "must be from 0 to 30000"),
        (json!({"network_idle_ms": 0}), "network_idle_ms", "must be from 1"),
        (json!({"text": ""}), "text", "must not be empty"),
        (json!({"url": "a".repeat(4001)}), "url", "longer than 4000"),
        (json!({"at": {"x": 1, "y": 1}}), "at", "unknown field"),
    ]);
}

#[test]
fn interact_takes_a_target_and_a_value_where_its_action_needs_them() {
    let email = json!({"by": "placeholder", "value": "Email"});
    let typed: InteractRequest = read(&json!({"action": "type", "target": email, "value": "user@example.com",
        "options": {"timeout_ms": 7000, "post_action_screenshot": true}}))
    .unwrap();
    assert_eq!(typed.options.timeout_or_default_ms(), 7_000);
    let defaults = InteractOptions::default();
    assert_eq!(defaults.timeout_or_default_ms(), 5_000);
    assert!(defaults.waits_for_visible() && defaults.waits_for_enabled() && defaults.falls_back_to_cdp());
    takes::<InteractRequest>(&[
        json!({"action": "click", "target": email, "value": ""}),
        json!({"action": "waitForSelector", "target": email}),
        json!({"action": "keypress", "value": "Control+A"}),
        json!({"action": "type", "target": email, "value": ""}),
    ]);
    let with = |options: Value| json!({"action": "click", "target": email, "options": options});
    refuses::<InteractRequest>(&[
        (json!({"target": email}), "body", "missing field `action`"),
        (json!({"action": "wait_for_selector", "target": email}), "action", "unknown variant"),
        (json!({"action": "click"}), "target", "click needs one"),
        (json!({"action": "type", "target": email}), "value", "type needs one"),
        (json!({"action": "keypress", "target": email}), "value", "keypress needs one"),
        (json!({"action": "keypress", "value": ""}), "value", "from 1 to 100"),
        (json!({"action": "hover", "target": email, "value": "a"}), "value", "goes with type"),
        (with(json!({"timeout_ms": 60_001})), "options.timeout_ms", "must be from 0"),
        (with(json!({"wait_for_network_idle_ms": 30_001})), "options.wait_for_network_idle_ms", "must be from 0"),
        (with(json!({"screenshot_label": "a".repeat(201)})), "options.screenshot_label", "longer than 200"),
        (with(json!({"frame_selector": " "})), "options.frame_selector", "must not be empty"),
        (with(json!({"timeoutMs": 1})), "options.timeoutMs", "unknown field"),
    ]);
}

#[test]
fn looking_at_the_page() {
    takes::<SessionScreenshotRequest>(&[
        json!({"full_page": true, "format": "jpeg", "quality": 70, "max_bytes": 100_000, "annotate": true}),
        json!({"ref": "e5"}),
    ]);
    refuses::<SessionScreenshotRequest>(&[
        (json!({"full_page": true, "ref": "e5"}), "full_page", "without a target"),
        (json!({"quality": 0}), "quality", "must be from 1 to 100"),
        (json!({"max_bytes": 1_500_001}), "max_bytes", "must be from 1"),
    ]);
    takes::<SessionExtractRequest>(&[
        json!({"instruction": "article"}),
        json!({"extract": {"kind": "links", "selector": "nav"}, "max_chars": 100, "offset": 5}),
    ]);
    let extract: SessionExtractRequest = read(&json!({"max_chars": 100, "offset": 5})).unwrap();
    let directive = extract.directives().unwrap().unwrap().remove(0);
    assert_eq!((directive.max_chars, directive.offset), (Some(100), Some(5)));
    refuses::<SessionExtractRequest>(&[
        (json!({"instruction": "article", "extract": {}}), "extract", "send one of them"),
        (json!({"instruction": "selektor: h1"}), "instruction", "did you mean `selector:`?"),
        (json!({"instruction": "article; links", "offset": 1}), "offset", "one directive"),
        (json!({"max_chars": 20_001}), "max_chars", "must be from 1"),
        (json!({"extract": {"selector": "a >> "}}), "extract.selector", "a step is empty"),
    ]);
}

#[test]
fn holding_a_session() {
    takes::<DialogRequest>(&[json!({"accept": true, "text": "a"}), json!({"accept": false})]);
    refuses::<DialogRequest>(&[
        (json!({}), "body", "missing field `accept`"),
        (json!({"accept": false, "text": "a"}), "text", "accept: true only"),
    ]);
    takes::<TabsRequest>(&[
        json!({"action": "new", "url": "https://example.com"}),
        json!({"action": "select", "tab": "t2"}),
        json!({"action": "close"}),
    ]);
    refuses::<TabsRequest>(&[
        (json!({}), "body", "missing field `action`"),
        (json!({"action": "select"}), "tab", "select needs one"),
        (json!({"action": "list", "url": "https://a"}), "url", "with new only"),
        (json!({"action": "new", "url": ""}), "url", "must not be empty"),
    ]);
    takes::<FilesRequest>(&[json!({"action": "get", "file": "f1"})]);
    refuses::<FilesRequest>(&[
        (json!({"action": "get"}), "file", "get needs one"),
        (json!({"action": "list", "file": "f1"}), "file", "with get only"),
        (json!({"action": "get", "file": "../f1"}), "file", "must be 1 to 64"),
    ]);
    let viewer: ViewerRequest = read(&json!({"role": "control"})).unwrap();
    assert_eq!((viewer.role, viewer.ttl_or_default_seconds()), (ViewerRole::Control, 300));
    refuses::<ViewerRequest>(&[
        (json!({"role": "admin"}), "role", "unknown variant"),
        (json!({"ttl_seconds": 29}), "ttl_seconds", "must be from 30 to 3600"),
    ]);
}
