//! What the emulator can be told. How settings are read is the daemon's.

use std::env;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Command;
use porthole_chromium::find_executable;
use porthole_daemon::loopback::is_loopback;
use porthole_daemon::settings::{LOG, Reader, Setting, SettingError, SettingErrors, flags, items};
use secrecy::{ExposeSecret as _, SecretString};

use crate::browser::Resolve;
use crate::http::host;
use crate::session::lifetimes::{Lifetimes, TIMEOUT_MAX_SECONDS};
use crate::tls::TlsSettings;

const ADDR: Setting = Setting::new("PORTHOLE_EMULATOR_ADDR", "an address and port, such as 127.0.0.1:8789")
    .help("Address and port of the API and the browsers")
    .default("127.0.0.1:8789");
const API_KEYS: Setting =
    Setting::secret("PORTHOLE_EMULATOR_API_KEYS", "any, or a comma list of keys of printable ASCII without spaces");
const PROJECTS: Setting = Setting::new("PORTHOLE_EMULATOR_PROJECTS", "a comma list of project ids")
    .help("The projects that exist; a session that names none belongs to the first")
    .default_told("any");
const CONCURRENCY: Setting = Setting::new("PORTHOLE_EMULATOR_CONCURRENCY", "a whole number from 1 to 1024")
    .help("Concurrent sessions of a project")
    .default("25");
const PER_MINUTE: Setting = Setting::new("PORTHOLE_EMULATOR_PER_MINUTE", "a whole number from 1 to 1000000")
    .help("Sessions of a project that may be created within a minute")
    .default("25");
const TIMEOUT: Setting = Setting::new("PORTHOLE_EMULATOR_TIMEOUT", "a whole number of seconds from 1 to 21600")
    .help("Lifetime of a session that is created without a timeout, in seconds")
    .default("300");
const TIMEOUT_MIN: Setting = Setting::new("PORTHOLE_EMULATOR_TIMEOUT_MIN", "a whole number of seconds from 1 to 21600")
    .help("The shortest timeout that a session may name, in seconds; lower it to test expiry")
    .default("60");
const CONNECT_WITHIN: Setting =
    Setting::new("PORTHOLE_EMULATOR_CONNECT_WITHIN", "a whole number of seconds from 1 to 21600")
        .help("How long a new session waits for its first connection, in seconds")
        .default("300");
const RESOLVE: Setting = Setting::new("PORTHOLE_EMULATOR_RESOLVE", "a comma list of host=ip, or *=none")
    .help("Names that the browsers resolve to an address of yours; *=none: they resolve no other name");
const TLS: Setting = Setting::new("PORTHOLE_EMULATOR_TLS", "true or false")
    .help("Whether to serve https and wss, with a certificate made at the start")
    .default("false");
const TLS_NAMES: Setting = Setting::new("PORTHOLE_EMULATOR_TLS_NAMES", "a comma list of host names and addresses")
    .help("Further names of the emulator, for which its certificate is valid, besides localhost and the loopback addresses");
const CA_FILE: Setting = Setting::new("PORTHOLE_EMULATOR_CA_FILE", "a path where a file can be written")
    .help("Where the authority that signed the certificate is written, as PEM; removed at the end")
    .default_told("porthole-emulator-<pid>-ca.pem in the temp folder");
const CHROMIUM: Setting = Setting::new("PORTHOLE_CHROMIUM", "the path of an executable file")
    .help("The browser's executable")
    .default_told("the first found of chromium-headless-shell, chrome-headless-shell, chromium, google-chrome");

/// Everything that the emulator reads.
pub const SETTINGS: &[Setting] = &[
    ADDR,
    API_KEYS,
    PROJECTS,
    CONCURRENCY,
    PER_MINUTE,
    TIMEOUT,
    TIMEOUT_MIN,
    CONNECT_WITHIN,
    RESOLVE,
    TLS,
    TLS_NAMES,
    CA_FILE,
    CHROMIUM,
    LOG,
];

const CONCURRENCY_MAX: usize = 1024;
const PER_MINUTE_MAX: usize = 1_000_000;
/// What the emulator's own flags begin with; on its own command line they go without that, too.
const FLAG_PREFIX: &str = "emulator-";

/// The emulator's command line. `--addr` is `--emulator-addr`, and so on; `--tls` needs no value.
#[must_use]
pub fn command() -> Command {
    let flags = flags(SETTINGS).map(|flag| {
        let short = flag.get_long().and_then(|long| long.strip_prefix(FLAG_PREFIX)).map(str::to_owned);
        let flag = match short {
            Some(short) => flag.visible_alias(short),
            None => flag,
        };
        if flag.get_id() == TLS.variable() {
            flag.num_args(0..=1).require_equals(true).default_missing_value("true")
        } else {
            flag
        }
    });
    Command::new("porthole-emulator")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Browserbase's REST API over local Chromium, with faults on demand and a ledger of every session")
        .args(flags)
}

/// The word that makes any key a good one.
const ANY_KEY: &str = "any";

/// Which API keys are good.
#[derive(Clone, Debug)]
pub enum GoodKeys {
    /// These.
    These(Vec<SecretString>),
    /// Any: to be asked for, and only on loopback.
    Any,
    /// One that is made at the start and printed.
    Made,
}

/// The emulator's settings, judged.
pub struct Settings {
    /// Where it listens.
    pub addr: SocketAddr,
    /// The names and addresses that it is reached by, beside the loopback ones.
    pub names: Vec<String>,
    /// The keys that are good.
    pub api_keys: GoodKeys,
    /// The projects that there are; with none, any is.
    pub projects: Vec<String>,
    /// Sessions of a project at once.
    pub concurrency: usize,
    /// Creations within a minute.
    pub per_minute: usize,
    /// How long sessions live.
    pub lifetimes: Lifetimes,
    /// What the browsers find names at.
    pub resolve: Vec<Resolve>,
    /// The certificate; `None` serves `http` and `ws`.
    pub tls: Option<TlsSettings>,
    /// The browser's executable.
    pub executable: PathBuf,
    /// Where profile folders are made.
    pub profiles: PathBuf,
}

impl Settings {
    /// Reads and judges all settings.
    ///
    /// # Errors
    /// All that are wrong.
    pub fn read(reader: &Reader) -> Result<Self, SettingErrors> {
        SettingErrors::collect(|errors| {
            let api_keys = errors.ok(api_keys(reader));
            // Keys that are wrong are reported as such alone.
            let has_keys = api_keys.as_ref().is_none_or(|keys| matches!(keys, GoodKeys::These(_)));
            let addr = errors.ok(address(reader, has_keys));
            let names = errors.ok(reader.list(&TLS_NAMES, |item| host(item).map(|_| item.to_owned())));
            let projects = errors.ok(reader.list(&PROJECTS, |item| Some(item.to_owned())));
            let concurrency = errors.ok(reader.required(&CONCURRENCY, within(CONCURRENCY_MAX)));
            let per_minute = errors.ok(reader.required(&PER_MINUTE, within(PER_MINUTE_MAX)));
            let default = errors.ok(reader.required(&TIMEOUT, seconds));
            let min = errors.ok(reader.required(&TIMEOUT_MIN, seconds));
            let connect_within = errors.ok(reader.required(&CONNECT_WITHIN, seconds));
            let resolve = errors.ok(reader.list(&RESOLVE, resolve));
            let tls = errors.ok(reader.required(&TLS, |text| text.parse::<bool>().ok()));
            let ca_file = errors.ok(reader.text(&CA_FILE));
            let executable = errors.ok(executable(reader));
            let ca_file = ca_file?.map(PathBuf::from);
            Some(Self {
                addr: addr?,
                names: names?,
                api_keys: api_keys?,
                projects: projects?,
                concurrency: concurrency?,
                per_minute: per_minute?,
                lifetimes: Lifetimes { default: default?, min: min?, connect_within: connect_within? },
                resolve: resolve?,
                tls: tls?.then_some(TlsSettings { ca_file }),
                executable: executable?,
                profiles: env::temp_dir(),
            })
        })
    }
}

/// The address to listen on: any where keys are named, else only loopback.
fn address(reader: &Reader, has_keys: bool) -> Result<SocketAddr, SettingError> {
    let addr: SocketAddr = reader.required(&ADDR, |text| text.parse().ok())?;
    if has_keys || is_loopback(addr) {
        return Ok(addr);
    }
    let reason = "must be a loopback address as long as PORTHOLE_EMULATOR_API_KEYS names no keys";
    Err(ADDR.refuse(addr.to_string(), reason))
}

fn executable(reader: &Reader) -> Result<PathBuf, SettingError> {
    let given = reader.text(&CHROMIUM)?;
    find_executable(given.as_ref().map(PathBuf::from).as_deref()).map_err(|error| match &given {
        Some(given) => CHROMIUM.refuse(given, format!("must be {}: {error}", CHROMIUM.accepted())),
        None => CHROMIUM.missing(error.to_string()),
    })
}

fn within(max: usize) -> impl Fn(&str) -> Option<usize> {
    move |text| text.parse().ok().filter(|number| (1..=max).contains(number))
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds = text.parse().ok().filter(|number| (1..=TIMEOUT_MAX_SECONDS).contains(number))?;
    Some(Duration::from_secs(seconds))
}

fn api_keys(reader: &Reader) -> Result<GoodKeys, SettingError> {
    let Some(keys) = reader.secret(&API_KEYS)? else { return Ok(GoodKeys::Made) };
    let fits = |key: &str| key.bytes().all(|byte| byte.is_ascii_graphic());
    let keys: Vec<&str> = items(keys.expose_secret()).collect();
    match keys[..] {
        [] => Ok(GoodKeys::Made),
        [ANY_KEY] => Ok(GoodKeys::Any),
        _ if keys.iter().all(|key| fits(key) && *key != ANY_KEY) => {
            Ok(GoodKeys::These(keys.into_iter().map(SecretString::from).collect()))
        }
        _ => Err(API_KEYS.refuse("", format!("must be {}", API_KEYS.accepted()))),
    }
}

fn resolve(item: &str) -> Option<Resolve> {
    let (name, address) = item.split_once('=')?;
    if (name, address) == ("*", "none") {
        return Some(Resolve::NoOther);
    }
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    is_name.then(|| address.parse().ok())?.map(|address| Resolve::Name(name.to_owned(), address))
}

#[cfg(test)]
mod tests {
    use porthole_daemon::settings::Environment;

    use super::*;

    fn read(variables: &[(&str, &str)], arguments: &[&str]) -> Result<Settings, String> {
        let words = std::iter::once("porthole-emulator").chain(arguments.iter().copied());
        let matches = command().try_get_matches_from(words).map_err(|error| error.to_string())?;
        let here = env::current_exe().unwrap();
        let chromium = [("PORTHOLE_CHROMIUM", here.to_str().unwrap())];
        let environment: Environment = chromium.iter().chain(variables).copied().collect();
        let reader = Reader::new(environment).with_flags(SETTINGS, &matches);
        Settings::read(&reader).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_go_with_and_without_their_prefix_and_tls_needs_no_value() {
        let settings = read(&[], &["--addr", "127.0.0.1:1", "--tls", "--emulator-concurrency", "3"]).unwrap();
        assert_eq!((settings.addr.port(), settings.concurrency), (1, 3));
        assert!(settings.tls.is_some());
        assert!(read(&[], &["--tls=false"]).unwrap().tls.is_none());
        assert!(read(&[("PORTHOLE_EMULATOR_TLS", "true")], &[]).unwrap().tls.is_some());
    }

    #[test]
    fn beyond_loopback_keys_are_needed() {
        for keys in [&[][..], &[("PORTHOLE_EMULATOR_API_KEYS", "any")]] {
            let error = read(keys, &["--addr", "0.0.0.0:1"]).err().unwrap();
            assert!(error.contains("PORTHOLE_EMULATOR_API_KEYS"), "{error}");
        }
        let keys = [("PORTHOLE_EMULATOR_API_KEYS", "one, two")];
        let read = read(&keys, &["--addr", "0.0.0.0:1"]).unwrap();
        assert!(matches!(read.api_keys, GoodKeys::These(keys) if keys.len() == 2));
    }

    #[test]
    fn without_keys_one_is_made_and_any_must_be_asked_for() {
        assert!(matches!(read(&[], &[]).unwrap().api_keys, GoodKeys::Made));
        let keys = |value| read(&[("PORTHOLE_EMULATOR_API_KEYS", value)], &[]).map(|settings| settings.api_keys);
        assert!(matches!(keys("any"), Ok(GoodKeys::Any)));
        assert!(matches!(keys(" , "), Ok(GoodKeys::Made)), "a list of nothing does not open it");
        assert!(keys("any,one").is_err());
    }

    #[test]
    fn wrong_words_are_refused_and_secrets_not_shown() {
        for arguments in [
            ["--concurrency", "0"],
            ["--timeout", "21601"],
            ["--resolve", "a b=1.1.1.1"],
            ["--resolve", "a=b"],
            ["--tls-names", "a b"],
        ] {
            assert!(read(&[], &arguments).is_err(), "{arguments:?}");
        }
        let error = read(&[("PORTHOLE_EMULATOR_API_KEYS", "good,hid den")], &[]).err().unwrap();
        assert!(!error.contains("hid den"), "{error}");
    }

    #[test]
    fn names_are_read() {
        let settings = read(&[("PORTHOLE_EMULATOR_RESOLVE", "a.test=127.0.0.1, *=none")], &[]).unwrap();
        assert_eq!(settings.resolve, [Resolve::Name("a.test".to_owned(), [127, 0, 0, 1].into()), Resolve::NoOther]);
    }
}
