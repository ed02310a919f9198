//! More than 200 messages with the calls that they have, and properties of all texts.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Characters looked at for each character of a message, at most.
const WORK_PER_CHARACTER: usize = 20;

fn names(message: &str) -> Vec<String> {
    detect(message).calls.into_iter().map(|call| call.tool).collect()
}

/// A call as text, and what it is read as.
fn calls() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        (r#"{"tool":"browser_snapshot"}"#, "browser_snapshot", json!({})),
        (r#"{"tool":"browser_snapshot","args":{}}"#, "browser_snapshot", json!({})),
        (r#"{"tool":"browser_snapshot","args":null}"#, "browser_snapshot", json!({})),
        (
            "{\n  \"tool\": \"browser_navigate\",\n  \"args\": {\n    \"url\": \"https://example.com/a?b={c}&d=[e]\"\n  }\n}",
            "browser_navigate",
            json!({"url": "https://example.com/a?b={c}&d=[e]"}),
        ),
        (
            r#"{"thought":"{\"tool\":\"browser_click\"}","args":{"ref":"@e5"},"tool":"browser_click","id":[1,{"a":2}]}"#,
            "browser_click",
            json!({"ref": "@e5"}),
        ),
        (
            r#"{"tool":"browser_type","args":{"ref":"@e1","text":"a \"quoted\" } ] ` `` ``` \\ \u00e9 \ud83d\ude00 //x /*y*/"}}"#,
            "browser_type",
            json!({"ref": "@e1", "text": "a \"quoted\" } ] ` `` ``` \\ é 😀 //x /*y*/"}),
        ),
        (
            "{\"tool\":\"browser_wait\",\"args\":{\"text\":\"Grüezi 世界 🙂\",\"timeoutMs\":5000,},}",
            "browser_wait",
            json!({"text": "Grüezi 世界 🙂", "timeoutMs": 5000}),
        ),
        (
            "{“tool”: “browser_type”, “args”: {“text”: “say “hi” to “all””, “ref”: “@e2”}}",
            "browser_type",
            json!({"text": "say “hi” to “all”", "ref": "@e2"}),
        ),
        (
            "{ // first\n \"tool\": /* which */ \"browser_press\", // the key\n \"args\": {\"key\": \"Control+A\"} }",
            "browser_press",
            json!({"key": "Control+A"}),
        ),
        (
            r#"{"tool":"interactWithPage","args":{"action":"click","target":{"by":"role","value":"button","name":"OK"}}}"#,
            "interactWithPage",
            json!({"action": "click", "target": {"by": "role", "value": "button", "name": "OK"}}),
        ),
        (r#"{"tool":"browser_no_such_tool","args":{"a":-1.5e3}}"#, "browser_no_such_tool", json!({"a": -1500.0})),
        (
            r#"{"tool":"sandbox_browser_extract","args":{"url":"https://例え.jp/"}}"#,
            "sandbox_browser_extract",
            json!({"url": "https://例え.jp/"}),
        ),
    ]
}

/// Ways in which a call stands as one, with what is left of the message.
const STANDING: [(&str, &str); 16] = [
    ("CALL", ""),
    ("  \n CALL \n", ""),
    ("I will look.\n\nCALL", "I will look."),
    ("Ich schaue nach: CALL Danke.", "Ich schaue nach:  Danke."),
    ("見てみます。CALLどうぞ", "見てみます。どうぞ"),
    ("سأفتح الصفحة CALL", "سأفتح الصفحة"),
    ("```json\nCALL\n```", ""),
    ("```JSON\nCALL\n```\n", ""),
    ("```tool\nCALL\n```", ""),
    ("```tool_code\nCALL\n```", ""),
    ("```\nCALL\n```", ""),
    ("~~~~json\nCALL\n~~~~", ""),
    ("Now:\n```json\nCALL", "Now:"),
    ("1. First\n\n   ```json\n   CALL\n   ```\nDone {really}.", "1. First\n\n   \nDone {really}."),
    ("It's `code` and 5 o'clock. CALL", "It's `code` and 5 o'clock."),
    ("[CALL]", ""),
];

/// Ways in which it does not.
const NOT_STANDING: [&str; 9] = [
    "```text\nCALL\n```",
    "```js\nCALL\n```",
    "````markdown\n```json\nCALL\n```\n````",
    "~~~python\nCALL\n~~~",
    "> ```text\n> CALL\n> ```",
    "{\"example\": CALL}",
    "{\"calls\": [CALL]}",
    "[[CALL]]",
    "[1, CALL]",
];

#[test]
fn a_call_is_found_wherever_it_may_stand_and_nowhere_else() {
    let mut cases = 0;
    for (text, tool, args) in calls() {
        for (around, rest) in STANDING {
            let message = around.replace("CALL", text);
            let detected = detect(&message);
            let expected = [DetectedCall { tool: tool.to_owned(), args: args.clone() }];
            assert_eq!((detected.calls.as_slice(), detected.incomplete), (expected.as_slice(), false), "{message}");
            assert_eq!(detected.rest, rest, "{message}");
            cases += 1;
        }
        for around in NOT_STANDING {
            let message = around.replace("CALL", text);
            let expected = Detected { rest: message.trim().to_owned(), ..Detected::default() };
            assert_eq!(detect(&message), expected, "{message}");
            cases += 1;
        }
    }
    for text in calls().iter().map(|(text, ..)| text).filter(|text| !text.contains(['`', '\n'])) {
        for around in ["`CALL`", "Write `` CALL `` for it.", "Say `a CALL b` now"] {
            let message = around.replace("CALL", text);
            assert_eq!(names(&message), [""; 0], "{message}");
            cases += 1;
        }
    }
    assert!(cases >= 300, "{cases}");
}

#[test]
fn a_call_that_is_cut_off_is_none_and_is_reported() {
    let mut cases = 0;
    for (text, tool, _) in calls() {
        let from = text.find("tool").unwrap().min(text.find("args").unwrap_or(usize::MAX)) + 4;
        for cut in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let shown = &text[..cut];
            let plain = detect(&format!("Let me see.\n{shown}"));
            assert_eq!(plain.calls, [], "{shown}");
            let known = cut > from && !shown.contains("thought");
            assert!(plain.incomplete || !known, "{shown}");
            let fenced = detect(&format!("```json\n{{\"tool\":\"browser_close\"}}\n{shown}"));
            assert_eq!((fenced.calls.len(), fenced.incomplete), (1, plain.incomplete), "{shown}");
            cases += 2;
        }
        let array = detect(&format!("[{text}, {{\"tool\": \"brow"));
        assert_eq!((array.calls[0].tool.as_str(), array.incomplete), (tool, true));
    }
    assert!(cases > 200);
}

#[test]
fn other_shapes() {
    let one = r#"{"tool":"browser_snapshot"}"#;
    let two = r#"{"tool":"browser_close"}"#;
    let both = ["browser_snapshot", "browser_close"];
    for (message, expected, rest, incomplete) in [
        // Several.
        (format!("{one}{two}"), &both[..], "", false),
        (format!("{one}\n\nthen\n\n{two}"), &both, "then", false),
        (format!("[{one},{two},]"), &both, "", false),
        (format!("```json\n[\n{one},\n{two}\n]\n```"), &both, "", false),
        (format!("```json\n{one}\n{two}\n```"), &both, "", false),
        (format!("```json\n{one}\n```\n```tool\n{two}\n```"), &both, "", false),
        (
            format!("```json\n{one}\n```\nand\n```text\n{two}\n```"),
            &both[..1],
            "and\n```text\n{\"tool\":\"browser_close\"}\n```",
            false,
        ),
        (format!("see [{one} and {two}] here"), &both, "see [ and ] here", false),
        (format!("[{one}, {{\"a\":1}}]"), &[], "", false),
        (format!("[{one}, {two}"), &both, "[,", true),
        // Fences that keep something.
        (format!("```json\n// look\n{one}\n```"), &both[..1], "```json\n// look\n\n```", false),
        (format!("```json {one}\n```"), &both[..1], "", false),
        (format!("```{one}\n```"), &both[..1], "", false),
        (format!("```json\n{one}\n``` trailing"), &both[..1], "```json\n\n``` trailing", false),
        (format!("````json\n{one}\n```\n````"), &both[..1], "````json\n\n```\n````", false),
        (format!("```json\r\n{one}\r\n```\r\n"), &both[..1], "", false),
        // Backticks.
        (format!("a ` b {one}"), &both[..1], "a ` b", false),
        (format!("a `` b ` {one}"), &both[..1], "a `` b `", false),
        (format!("a ` b\n\n{one} `"), &both[..1], "a ` b\n\n `", false),
        (format!("a \\` {one} `"), &both[..1], "a \\`  `", false),
        (format!("`x` {one} `y`"), &both[..1], "`x`  `y`", false),
        (format!("```{one}```"), &[], "", false),
        // Look-alikes.
        (r#"{"tool":"hammer","args":{}}"#.to_owned(), &[], "", false),
        (r#"{"tool":"Browser_click"}"#.to_owned(), &[], "", false),
        (r#"{"tool":5}"#.to_owned(), &[], "", false),
        (r#"{"tool":"browser_click","args":"@e5"}"#.to_owned(), &[], "", false),
        (r#"{"tool":"browser_click","args":["@e5"]}"#.to_owned(), &[], "", false),
        (r#"{"name":"browser_click","arguments":{"ref":"@e5"}}"#.to_owned(), &[], "", false),
        (r#"{"answer":{"tool":"browser_click"}}"#.to_owned(), &[], "", false),
        (r#"{"tools":["browser_click"]}"#.to_owned(), &[], "", false),
        (r#""{\"tool\":\"browser_click\"}""#.to_owned(), &[], "", false),
        (r#"{tool: browser_click}"#.to_owned(), &[], "", false),
        (r#"{"tool" "browser_click"}"#.to_owned(), &[], "", false),
        ("{}".to_owned(), &[], "", false),
        ("[]".to_owned(), &[], "", false),
        ("[[],{}]".to_owned(), &[], "", false),
        ("{\"tool\":\"browser_click\"]".to_owned(), &[], "", false),
        // Brackets of prose before a call.
        (format!("{{ {one}"), &both[..1], "{", false),
        (format!("{{see below}} {one}"), &both[..1], "{see below}", false),
        (format!("{{\"quoted\" word}} {one}"), &both[..1], "{\"quoted\" word}", false),
        (format!("if (a) {{ b[1] = \"c\"; }} {one}"), &both[..1], "if (a) { b[1] = \"c\"; }", false),
        (format!("[link](http://a) [1] [x] {one}"), &both[..1], "[link](http://a) [1] [x]", false),
        (format!("{{{{{one}"), &both[..1], "{{", false),
        (format!("{{\"\n{one}"), &both[..1], "{\"", false),
        (format!("<tool_call>{one}</tool_call>"), &both[..1], "<tool_call></tool_call>", false),
        // Cut off: others than calls are not reported.
        ("{\"answer\": [1, 2".to_owned(), &[], "", false),
        ("{\"tool\": \"ham".to_owned(), &[], "", false),
        ("{\"tool\": \"hammer\", \"args\": {".to_owned(), &[], "", false),
        ("{\"tool\": \"inter".to_owned(), &[], "", true),
        ("{\"to".to_owned(), &[], "", true),
        ("{".to_owned(), &[], "", false),
        ("Costs {5".to_owned(), &[], "", false),
        ("```json\n{\"tool\":\"browser_click\"\n```".to_owned(), &[], "", true),
        ("```text\n{\"tool\":\"browser_click\"".to_owned(), &[], "", false),
        ("{\"tool\":\"browser_click\",\"args\":{} /* and".to_owned(), &[], "", true),
        ("{\"tool\":\"browser_click\",\"args\":{\"clear\":tr".to_owned(), &[], "", true),
        (String::new(), &[], "", false),
    ] {
        let detected = detect(&message);
        let found: Vec<&str> = detected.calls.iter().map(|call| call.tool.as_str()).collect();
        assert_eq!((found.as_slice(), detected.incomplete), (expected, incomplete), "{message}");
        let rest = if expected.is_empty() { message.trim() } else { rest };
        assert_eq!(detected.rest, rest, "{message}");
    }
}

#[test]
fn strings_as_models_write_them() {
    for (written, read) in [
        (r#""C:\dir\new""#, "C:\\dir\new"),
        (r#""it\'s""#, "it's"),
        (r#""lone \ud800 end""#, "lone \u{fffd} end"),
        (r#""lone \udc00""#, "lone \u{fffd}"),
        (r#""pair \ud83d\ude00""#, "pair 😀"),
        (r#""high twice \ud83d\ud83d\ude00""#, "high twice \u{fffd}😀"),
        (r#""high and text \ud83d\u0041""#, "high and text \u{fffd}A"),
        (r#""short \u12""#, "short \\u12"),
        (r#""odd \uDé00""#, "odd \\uDé00"),
        (r#""\u0041\n\t\/\b""#, "A\n\t/\u{8}"),
        ("\"two\nlines\ttab\"", "two\nlines\ttab"),
        ("\"null \u{0} byte\"", "null \u{0} byte"),
        ("„deutsch“", "deutsch"),
        ("«français»", "français"),
        ("‘it’s ‘single’ quoted’", "it’s ‘single’ quoted"),
        ("“a \"b\" c”", "a \"b\" c"),
        ("“mixed\"", "mixed"),
        ("\"“kept”\"", "“kept”"),
        ("“”", ""),
        ("\"\"", ""),
        ("\"\u{202e}bidi\"", "\u{202e}bidi"),
    ] {
        let message = format!("{{\"tool\":\"browser_type\",\"args\":{{\"text\":{written}}}}}");
        let detected = detect(&message);
        assert_eq!(detected.calls.first().map(|call| &call.args["text"]), Some(&json!(read)), "{message}");
        assert_eq!(detected.rest, "");
    }
    assert_eq!(names("{\"tool\":\"browser_wait\",\"args\":{\"ms\":01}}"), [""; 0], "no JSON number");
    assert_eq!(names("{\"tool\":\"browser_type\",\"args\":{\"clear\":True,\"submit\":None}}"), ["browser_type"]);
}

#[test]
fn a_megabyte_of_anything_takes_a_bounded_number_of_steps() {
    for piece in [
        "{",
        "[",
        "}",
        "[{",
        "{\"",
        "{\"a\":",
        "{\"a\":[",
        "[[{\"a\":\"",
        "\"",
        "\\",
        "`",
        "``` ",
        "```\n",
        "~~~\n",
        "```json\n{\n",
        "`{``[",
        "` `` ``` ",
        "{\"tool\":\"browser_click\"}",
        "[{\"tool\":\"browser_click\"},",
        "{\"tool\":",
        "“",
        "{“a” ”",
        "{“a”:“ ” ",
        "/*",
        "{/*",
        "{//",
        "{\"a\":/",
        "\n",
        "{ \n",
        "\\u",
        "{\"\\ud800",
        "{\"a\\",
        "[1,",
        "[-",
        "{\"a\":tru",
        "> ",
        "- ",
        "1. ```\n",
        "é",
        "{\"é",
    ] {
        let message = piece.repeat(1_000_000 / piece.len());
        let mut work = 0;
        detect_counting(&message, &mut work);
        assert!(work < message.len() * WORK_PER_CHARACTER, "{piece:?}: {work} steps for {} bytes", message.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_read(text in "\\PC*") {
        let detected = detect(&text);
        prop_assert!(detected.rest.len() <= text.len());
    }

    #[test]
    fn any_mixture_of_what_matters_is_read_in_bounded_steps(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ":", ",", "\"", "“", "”", "‘", "’", "\\", "\\u", "d800", "\n", "\r\n", " ", "`", "```", "```json\n",
            "~~~", "//", "/*", "*/", "\"tool\"", "\"args\"", "\"browser_click\"", "null", "1", "é", "> ", "- ", "{\"tool\":\"browser_close\"}",
        ]), 0..200),
    ) {
        let text = pieces.concat();
        let mut work = 0;
        let detected = detect_counting(&text, &mut work);
        prop_assert!(work <= (text.len() + 10) * WORK_PER_CHARACTER, "{} for {}", work, text.len());
        prop_assert!(detected.rest.len() <= text.len());
    }

    #[test]
    fn arguments_are_read_as_they_were_written(text in "\\PC*", key in "[a-zA-Z\"\\\\{}\\[\\]`“”]{0,12}", number in any::<i64>()) {
        let mut args = serde_json::Map::new();
        args.insert("text".to_owned(), json!(text));
        args.insert(key, json!([number, {"b": [true, null]}]));
        let args = Value::Object(args);
        let call = json!({"tool": "browser_type", "args": args});
        for message in [format!("Look: {call} ok"), format!("```json\n{call:#}\n```")] {
            let detected = detect(&message);
            prop_assert_eq!(&detected.calls, &[DetectedCall { tool: "browser_type".to_owned(), args: args.clone() }]);
        }
    }
}
