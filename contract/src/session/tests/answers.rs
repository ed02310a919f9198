//! How answers, events and errors stand on the wire.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::session::*;
use crate::{ErrorCode, Failure};

/// An answer of tab `t1` with this result.
fn answer<T>(result: T) -> SessionAnswer<T> {
    SessionAnswer {
        ok: true,
        session: "ses_1".to_owned(),
        tab: "t1".to_owned(),
        url: "https://example.com/".to_owned(),
        title: "Example".to_owned(),
        request_id: "r".to_owned(),
        timings_ms: SessionTimings { queue: 0, act: 12, settle: 31, total: 45 },
        events: Vec::new(),
        warnings: Vec::new(),
        snapshot: None,
        result,
    }
}

/// An answer's fields without those of every answer, and that it reads back.
#[track_caller]
fn own_fields<T>(answer: &SessionAnswer<T>) -> Value
where
    T: serde::Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let mut written = serde_json::to_value(answer).unwrap();
    let read: SessionAnswer<T> = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(read, *answer);
    let fields = written.as_object_mut().unwrap();
    for common in ["ok", "session", "tab", "url", "title", "request_id", "timings_ms", "events", "warnings"] {
        assert!(fields.remove(common).is_some(), "{common}");
    }
    written
}

#[test]
fn an_answer_that_acted_stands_as_in_the_contract() {
    let bounding_box = Some(BoundingBox { x: 1.0, y: 2.5, width: 30.0, height: 40.0 });
    let acted = Acted {
        navigated: true,
        settled: true,
        target: Some(TargetAnswer {
            reference: Some(ElementRef(5)),
            role: "button".to_owned(),
            name: "Save".to_owned(),
            selector_used: Some("role: button \"Save\"".to_owned()),
            matched_count: 1,
            bounding_box,
        }),
        method: Some(Method::Cdp),
        status_code: None,
    };
    let refs = [(10, "link"), (9, "textbox")];
    let refs =
        refs.map(|(number, role)| (ElementRef(number), SnapshotRef { role: role.to_owned(), name: String::new() }));
    let mut answered = answer(acted.clone());
    answered.events = vec![Event::Navigated { tab: "t1".to_owned(), url: "https://example.com/".to_owned() }];
    answered.snapshot = Some(SnapshotAnswer {
        snapshot_id: "s3".to_owned(),
        tree: "- textbox".to_owned(),
        refs: refs.into(),
        element_count: 2,
        truncated: false,
        chars: 9,
        changes: Some(false),
    });
    assert_eq!(
        serde_json::to_string(&answered).unwrap(),
        concat!(
            r#"{"ok":true,"session":"ses_1","tab":"t1","url":"https://example.com/","title":"Example","request_id":"r","#,
            r#""timings_ms":{"queue":0,"act":12,"settle":31,"total":45},"#,
            r#""events":[{"type":"navigated","tab":"t1","url":"https://example.com/"}],"warnings":[],"#,
            r#""snapshot":{"snapshot_id":"s3","tree":"- textbox","#,
            r#""refs":{"@e9":{"role":"textbox","name":""},"@e10":{"role":"link","name":""}},"#,
            r#""element_count":2,"truncated":false,"chars":9,"changes":false},"#,
            r#""navigated":true,"settled":true,"target":{"ref":"@e5","role":"button","name":"Save","#,
            r#""selector_used":"role: button \"Save\"","matched_count":1,"#,
            r#""bounding_box":{"x":1.0,"y":2.5,"width":30.0,"height":40.0}},"method":"cdp"}"#,
        )
    );
    let read: SessionAnswer<Acted> = serde_json::from_str(&serde_json::to_string(&answered).unwrap()).unwrap();
    assert_eq!(read, answered);

    let details = InteractDetails { matched_count: 1, bounding_box, ..InteractDetails::default() };
    let interacted =
        Interacted { acted, success: true, message: "Clicked".to_owned(), details, ..Interacted::default() };
    let own = own_fields(&answer(interacted));
    assert_eq!(
        (&own["success"], &own["navigated"], &own["details"]["tried"]),
        (&json!(true), &json!(true), &json!([]))
    );
    assert!(own.get("image_base64").is_none());
}

#[test]
fn the_other_answers_have_their_own_fields() {
    assert_eq!(own_fields(&answer(Plain {})), json!({}));
    assert_eq!(own_fields(&answer(Closed { closed: false })), json!({"closed": false}));
    let tab = TabInfo { tab: "t1".to_owned(), url: "u".to_owned(), title: "t".to_owned() };
    assert_eq!(
        own_fields(&answer(Tabs { tabs: vec![tab.clone()] })),
        json!({"tabs": [{"tab": "t1", "url": "u", "title": "t"}]})
    );
    let status =
        Status { tabs: vec![tab], age_seconds: 9, idle_seconds: 1, control: Control::Viewer, ..Status::default() };
    assert_eq!(own_fields(&answer(status))["control"], "viewer");
    let file =
        FileInfo { file: "f1".to_owned(), name: "a.txt".to_owned(), mime_type: "text/plain".to_owned(), bytes: 1 };
    let listed = json!({"file": "f1", "name": "a.txt", "mime_type": "text/plain", "bytes": 1});
    assert_eq!(own_fields(&answer(Files::list(vec![file.clone()]))), json!({ "files": [listed] }));
    let mut got = listed;
    got["content_base64"] = json!("QQ==");
    assert_eq!(own_fields(&answer(Files::one(file, "QQ==".to_owned()))), got);
    let picture = own_fields(&answer(Picture { mime_type: "image/png".to_owned(), ..Picture::default() }));
    assert_eq!((&picture["mime_type"], &picture["status_code"]), (&json!("image/png"), &json!(0)));
    assert_eq!(own_fields(&answer(Extracted::default()))["format"], "text");
    let viewer = json!({"ok": true, "session": "ses_1", "url": "http://w/live#ticket=abc", "ticket": "abc", "role": "view",
        "expires_at": "2026-01-01T00:00:00Z", "request_id": "r", "timings_ms": {}});
    let viewer: ViewerAnswer = serde_json::from_value(viewer).unwrap();
    assert!(!format!("{viewer:?}").contains("abc"), "{viewer:?}");
    assert_eq!(serde_json::to_value(&viewer).unwrap()["ticket"], "abc");
}

#[test]
fn events_are_told_by_their_type() {
    let tab = || "t1".to_owned();
    for (event, written) in [
        (
            Event::Dialog { tab: tab(), kind: DialogKind::BeforeUnload, message: "m".to_owned(), default: None },
            json!({"type": "dialog", "tab": "t1", "kind": "beforeunload", "message": "m"}),
        ),
        (Event::TabOpened { tab: tab(), url: "u".to_owned() }, json!({"type": "tab_opened", "tab": "t1", "url": "u"})),
        (
            Event::Download { tab: tab(), file: None, name: "a".to_owned(), bytes: 3, error: Some("e".to_owned()) },
            json!({"type": "download", "tab": "t1", "name": "a", "bytes": 3, "error": "e"}),
        ),
        (Event::Blocked { count: 2 }, json!({"type": "blocked", "count": 2})),
        (Event::Crashed { tab: tab() }, json!({"type": "crashed", "tab": "t1"})),
        (Event::Dropped { count: 7 }, json!({"type": "dropped", "count": 7})),
    ] {
        assert_eq!(serde_json::to_value(&event).unwrap(), written);
        assert_eq!(serde_json::from_value::<Event>(written).unwrap(), event);
    }
    let later: Event = serde_json::from_value(json!({"type": "sneezed", "tab": "t1"})).unwrap();
    assert_eq!(later, Event::Other);
}

#[test]
fn an_error_answer_has_its_session_where_there_is_one() {
    let plain = Failure::new(ErrorCode::NoPage, "d").answer("r");
    assert_eq!(
        serde_json::to_value(&plain).unwrap(),
        json!({"ok": false, "error": "NO_PAGE", "message": "No page is open yet - open one first", "details": "d",
            "retryable": false, "request_id": "r"})
    );
    let context = ErrorContext {
        session: Some("ses_1".to_owned()),
        tab: Some("t1".to_owned()),
        events: Some(Vec::new()),
        tried: Some(vec![Tried { selector: "label: Email".to_owned(), matched: 0 }]),
        matched_count: Some(0),
        ..ErrorContext::default()
    };
    let answer = Failure::new(ErrorCode::ElementNotFound, "d").in_session(context).answer("r");
    let written = serde_json::to_value(&answer).unwrap();
    assert_eq!((&written["session"], &written["events"]), (&json!("ses_1"), &json!([])));
    assert_eq!(written["tried"], json!([{"selector": "label: Email", "matched": 0}]));
    assert_eq!(serde_json::from_value::<crate::ErrorAnswer>(written).unwrap(), answer);
}
