//! `docs/reference/errors.md` lists every error code with its status, whether it is retryable, and its message.

use std::collections::BTreeSet;

use porthole_contract::ErrorCode;
use porthole_tests::markdown::{code, tables, text};

#[test]
fn every_error_code_is_documented_and_no_other() {
    let tables = tables("docs/reference/errors.md");
    let table = tables.first().expect("the table of codes");
    assert_eq!(table.header, ["code", "HTTP", "retryable", "operator", "`message`"]);
    let documented: Vec<Vec<&str>> = table
        .rows
        .iter()
        .map(|row| {
            let name = code(&row[0]).unwrap_or_else(|| panic!("{row:?}"));
            [name].into_iter().chain(row[1..].iter().map(String::as_str)).collect()
        })
        .collect();
    let statuses: Vec<String> = ErrorCode::ALL.iter().map(|code| code.status().to_string()).collect();
    let yes_no = |is: bool| if is { "yes" } else { "no" };
    let in_code: Vec<Vec<&str>> = ErrorCode::ALL
        .iter()
        .zip(&statuses)
        .map(|(code, status)| {
            let (retryable, operator) = (yes_no(code.retryable()), yes_no(code.operators_concern()));
            vec![code.name(), status, retryable, operator, code.message()]
        })
        .collect();
    assert_eq!(documented, in_code, "left is the document, right is the code");
}

/// The codes that a call may be sent again after although it acts.
#[test]
fn the_codes_that_come_before_anything_was_done_are_documented() {
    let reference = text("docs/reference/sessions.md");
    let sentence = reference.split("its code means that nothing was done: ").nth(1).expect("the sentence");
    let documented: BTreeSet<&str> =
        sentence.split('.').next().expect("its end").split('`').skip(1).step_by(2).collect();
    let all = ErrorCode::ALL.iter().filter(|code| code.refuses_before_acting());
    assert_eq!(documented, all.map(|code| code.name()).collect());
}

/// What operators are not alerted to by its code, with the reason.
const NOT_ALERTED: [(&str, &str); 1] = [("SHUTTING_DOWN", "the end of a process, which is meant")];

#[test]
fn every_code_that_concerns_operators_is_in_an_alert() {
    let alerts = text("deploy/prometheus/alerts.yml");
    let alerted: BTreeSet<&str> = alerts
        .split("code=~\"")
        .skip(1)
        .flat_map(|rest| rest.split('"').next().expect("its end").split('|'))
        .chain(alerts.split("code=\"").skip(1).map(|rest| rest.split('"').next().expect("its end")))
        .collect();
    let except: BTreeSet<&str> = NOT_ALERTED.iter().map(|(code, _)| *code).collect();
    for code in ErrorCode::ALL.iter().filter(|code| code.operators_concern()) {
        assert!(alerted.contains(code.name()) != except.contains(code.name()), "{}", code.name());
    }
    let unknown: Vec<&&str> = alerted.iter().filter(|code| ErrorCode::from_name(code).is_none()).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
