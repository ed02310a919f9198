//! `docs/reference/live-view.md` lists exactly the messages and close codes of the contract.

use std::collections::BTreeSet;

use porthole_contract::live::{CloseCode, ServerMessage, ViewerMessage};
use porthole_tests::markdown::{code, tables};

const LIVE_VIEW: &str = "docs/reference/live-view.md";

#[test]
fn every_message_and_close_code_is_documented_and_no_other() {
    let tables = tables(LIVE_VIEW);
    let first_column = |header: &str| -> BTreeSet<String> {
        let table = tables.iter().find(|table| table.header[0] == header).expect("the table");
        table.rows.iter().map(|row| code(&row[0]).unwrap_or(&row[0]).to_owned()).collect()
    };
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    assert_eq!(first_column("message of the server"), names(ServerMessage::TYPES));
    assert_eq!(first_column("message of a viewer"), names(ViewerMessage::TYPES));
    let codes: BTreeSet<String> = CloseCode::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(first_column("code"), codes);
}
