//! Where pages come from, told rightly and wrongly.

use porthole_daemon::settings::Environment;

use super::*;
use crate::settings::SETTINGS;

fn read(variables: &[(&str, &str)]) -> Result<Pages, SettingErrors> {
    let reader = Reader::new(variables.iter().copied().collect());
    SettingErrors::collect(|errors| pages(&reader, None, errors))
}

fn options(variables: &[(&str, &str)]) -> Result<BrowserbaseOptions, SettingErrors> {
    let variables: Vec<_> = [("PORTHOLE_PROVIDER", "browserbase")].iter().chain(variables).copied().collect();
    match read(&variables)? {
        Pages::Browserbase(options) => Ok(options),
        other => panic!("{other:?}"),
    }
}

#[test]
fn browserbase_is_frugal_and_private_unless_told_otherwise() {
    let options_by_default = options(&[]).unwrap();
    assert_eq!(options_by_default.browser, BrowserSettings::default());
    assert_eq!(options_by_default.api.as_str(), "https://api.browserbase.com/");
    assert!(!options_by_default.proxies && options_by_default.own_account.is_none());
    assert!(!options_by_default.instance.is_empty());
    let told = options(&[("PORTHOLE_BROWSERBASE_RECORD", "true"), ("PORTHOLE_BROWSERBASE_PROXIES", "true")]).unwrap();
    assert!(told.browser.record_session && !told.browser.log_session && told.proxies);
}

#[test]
fn no_setting_is_taken_for_a_slip_of_the_pen() {
    let environment: Environment = SETTINGS.iter().map(|setting| (setting.variable(), "x")).collect();
    assert_eq!(environment.unknown(), Vec::<&str>::new());
}

#[test]
fn keys_never_travel_in_the_clear() {
    let with = |base: &str| options(&[("PORTHOLE_BROWSERBASE_URL", base)]);
    for base in ["https://api.example.com", "http://127.0.0.1:8789", "http://[::1]:1", "http://localhost:1/bb"] {
        assert!(with(base).is_ok(), "{base}");
    }
    for base in ["http://api.example.com", "http://10.0.0.1", "https://user:word@a", "https://a/?key=1", "x"] {
        assert!(with(base).is_err(), "{base}");
    }
}

#[test]
fn an_account_is_whole_or_none_and_never_shown() {
    let whole = options(&[("BROWSERBASE_API_KEY", "the-key"), ("BROWSERBASE_PROJECT_ID", "the-project")]).unwrap();
    let shown = format!("{whole:?}");
    assert!(whole.own_account.is_some() && !shown.contains("the-key") && !shown.contains("the-project"), "{shown}");
    assert!(options(&[("BROWSERBASE_API_KEY", "the-key")]).is_err());
    assert!(options(&[("BROWSERBASE_PROJECT_ID", "the-project")]).is_err());
}

#[test]
fn warm_sessions_need_an_account_that_pays() {
    let own = [("BROWSERBASE_API_KEY", "the-key"), ("BROWSERBASE_PROJECT_ID", "the-project")];
    let with = |warm: &'static str| options(&[own[0], own[1], ("PORTHOLE_BROWSERBASE_WARM", warm)]);
    assert_eq!(options(&own).unwrap().warm, 0);
    assert_eq!(with("2").unwrap().warm, 2);
    assert!(with("101").is_err() && with("-1").is_err());
    let refused = options(&[("PORTHOLE_BROWSERBASE_WARM", "1")]).unwrap_err().to_string();
    assert!(refused.contains("BROWSERBASE_API_KEY") && refused.contains("PORTHOLE_BROWSERBASE_WARM"), "{refused}");
    assert!(options(&[("PORTHOLE_BROWSERBASE_WARM", "0")]).is_ok());
}

#[test]
fn cdp_needs_an_endpoint_and_never_shows_it() {
    let missing = read(&[("PORTHOLE_PROVIDER", "cdp")]).unwrap_err().to_string();
    assert!(missing.starts_with("PORTHOLE_CDP_URL is not set"), "{missing}");
    let with = |url: &str| read(&[("PORTHOLE_PROVIDER", "cdp"), ("PORTHOLE_CDP_URL", url)]);
    assert!(matches!(with("wss://a/?token=t"), Ok(Pages::Cdp(_))));
    let refused = with("ftp://a/?token=the-token").unwrap_err().to_string();
    assert!(refused.contains("PORTHOLE_CDP_URL") && !refused.contains("the-token"), "{refused}");
}

#[test]
fn a_proxy_is_one_that_chromium_takes() {
    for text in ["http://proxy.example:3128", "socks5://10.0.0.1:1080", "https://[::1]:1/"] {
        assert!(proxy(text).is_some(), "{text}");
    }
    for text in ["proxy:3128", "http://proxy", "http://user:word@proxy:1", "ftp://proxy:1", "http://proxy:1/path"] {
        assert!(proxy(text).is_none(), "{text}");
    }
}
