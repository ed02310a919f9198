//! `docs/reference/errors.md` lists every error code with its status, whether it is retryable, and its message.

use porthole_contract::ErrorCode;

use porthole_tests::markdown::{code, tables};

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
