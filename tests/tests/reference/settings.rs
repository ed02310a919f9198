//! `docs/reference/settings.md` lists exactly the settings of every process, with their defaults.

use std::collections::BTreeMap;

use porthole_daemon::settings::Setting;
use porthole_tests::command::run;
use porthole_tests::stack::Home;

use porthole_tests::markdown::{code, tables};

const FILE: &str = "docs/reference/settings.md";

/// Maps each variable to whether it is a secret, and its default.
type Documented = BTreeMap<String, (bool, Option<String>)>;

fn documented(process: &str) -> Documented {
    let tables = tables(FILE);
    let table = tables.iter().find(|table| table.section == process).expect("each process has a section");
    assert_eq!(table.header, ["variable", "default", "meaning"]);
    let settings = table.rows.iter().map(|row| {
        let variable = code(&row[0]).unwrap_or_else(|| panic!("{row:?}")).to_owned();
        let default = code(&row[1]).map(str::to_owned);
        assert!(default.is_some() || row[1].starts_with("none"), "{row:?}");
        assert!(!row[2].is_empty(), "{row:?}");
        (variable, (row[0].contains("(secret)"), default))
    });
    let settings: Documented = settings.collect();
    assert_eq!(settings.len(), table.rows.len(), "a variable is listed twice for {process}");
    settings
}

#[test]
fn every_setting_of_the_servers_is_documented_and_no_other() {
    for (process, settings) in [
        ("porthole-worker", porthole_worker::settings::SETTINGS),
        ("porthole-service", porthole_service::settings::SETTINGS),
        ("porthole-emulator", porthole_emulator::settings::SETTINGS),
    ] {
        let of_code = |setting: &Setting| {
            let default = setting.default_shown().map(str::to_owned);
            (setting.variable().to_owned(), (setting.is_secret(), default))
        };
        let in_code: Documented = settings.iter().map(of_code).collect();
        assert_eq!(documented(process), in_code, "{process}: left is {FILE}, right is the code");
    }
}

/// The command line's settings are read from its `--help`.
#[tokio::test]
async fn every_setting_of_the_command_line_is_documented_and_no_other() {
    let help = run("porthole", &["--help"], &Home::new().environment(), b"").await.expect_code(0);
    let (_, settings) = help.split_once("Settings (environment):\n").expect("help lists the settings");
    let (settings, _) = settings.split_once("\n\n").expect("exit codes come after the settings");
    let in_help: BTreeMap<String, Option<String>> = settings
        .lines()
        .map(|line| {
            let (variable, meaning) = line.trim().split_once("  ").unwrap_or_else(|| panic!("{line}"));
            let default = meaning.split_once("[default: ").map(|(_, default)| default.trim_end_matches(']').to_owned());
            (variable.to_owned(), default)
        })
        .collect();
    let documented = documented("porthole").into_iter().map(|(variable, (_, default))| (variable, default));
    assert_eq!(documented.collect::<BTreeMap<_, _>>(), in_help, "left is {FILE}, right is `porthole --help`");
}
