//! Intent on judged messages of fifteen languages: precision and recall, on two thirds of them and on the rest.

use std::collections::BTreeMap;

use porthole_tools::intent;

const MESSAGES: &str = include_str!("intent/messages.tsv");

#[derive(Debug, Default)]
struct Score {
    right: usize,
    wrongly_asked: Vec<String>,
    missed: Vec<String>,
    silent: usize,
}

impl Score {
    fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrongly_asked.len()) as f64
    }

    fn recall(&self) -> f64 {
        self.right as f64 / (self.right + self.missed.len()) as f64
    }
}

#[test]
fn messages_are_judged_as_a_person_does() {
    let (mut chosen_by, mut held_out) = (Score::default(), Score::default());
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for line in MESSAGES.lines().filter(|line| !line.starts_with('#')) {
        let [language, judged, message] = line.splitn(3, '\t').collect::<Vec<_>>().try_into().unwrap();
        let count = seen.entry((language, judged)).or_default();
        *count += 1;
        let score = if count.is_multiple_of(3) { &mut held_out } else { &mut chosen_by };
        let message = message.replace("\\n", "\n");
        match (judged, intent(&message).browser_intent) {
            ("y", true) => score.right += 1,
            ("y", false) => score.missed.push(message),
            ("n", true) => score.wrongly_asked.push(message),
            ("n", false) => score.silent += 1,
            _ => panic!("{line}"),
        }
    }
    let languages = seen.keys().map(|(language, _)| language).collect::<std::collections::BTreeSet<_>>().len();
    assert!(languages >= 10 && seen.values().sum::<usize>() >= 150);
    for (name, score) in [("chosen by", &chosen_by), ("held out", &held_out)] {
        let (precision, recall) = (score.precision(), score.recall());
        println!("{name}: precision {precision:.3}, recall {recall:.3}, {} silent: {score:#?}", score.silent);
    }
    for score in [&chosen_by, &held_out] {
        assert!(score.precision() > 0.95 && score.recall() > 0.9, "{score:#?}");
    }
}

#[test]
fn urls_and_the_hint_are_named() {
    let asked = intent("Compare example.com/plans and https://b.example/x, then example.com/plans again");
    assert!(asked.browser_intent);
    assert_eq!(asked.urls, ["https://example.com/plans", "https://b.example/x"]);
    let hint = asked.hint.unwrap();
    assert!(
        hint.contains("https://example.com/plans, https://b.example/x") && hint.contains("sandbox_browser_extract")
    );
    let calls = porthole_tools::detect(&hint);
    assert_eq!(calls.calls[0].args["url"], "https://example.com/plans", "the hint shows how a call is written");
    let silent = intent("Mail ada@example.com about https://a.example");
    assert_eq!((silent.browser_intent, silent.hint), (false, None));
    assert_eq!(silent.urls, ["https://a.example"]);
}

#[test]
fn a_long_message_is_judged_by_its_ends_and_names_few_urls() {
    let pasted = "https://a.example/1 lorem ipsum, and so on. ".repeat(20_000);
    let asked = intent(&format!("Open https://b.example/\n{pasted}"));
    assert!(asked.browser_intent && asked.urls.len() <= 10);
    assert!(intent(&format!("{pasted}\nNow open https://b.example/")).browser_intent);
    for text in ["https://", "http://[", "a.", "é.", "``` ", "open ", "\u{fffc}", "日本.", ". ", "?"] {
        let _ = intent(&text.repeat(1_000_000 / text.len()));
    }
}
