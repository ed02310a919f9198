//! Settings of the service, and how invalid values are refused. `provider` has those about where pages come from.

mod defaults;
mod provider;

use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

pub use self::provider::Pages;
use porthole_contract::limits::SESSION_IDLE_MAX_SECONDS;
use porthole_daemon::bearer::{BearerKeys, SERVICE_CHALLENGE};
use porthole_daemon::loopback::is_loopback;
use porthole_daemon::settings::{LOG, Reader, Setting, SettingError, SettingErrors};
use porthole_daemon::trace::{OTLP_ENDPOINT, OTLP_HEADERS};

use crate::admission::{AdmissionLimits, SeatLimits};
use crate::guard::{AllowFrom, AllowTargets, DenyCidrs, Policy, ResolveOverrides};
use crate::owner_token::OwnerKeys;
use crate::session::SessionLimits;

const ADDR: Setting = Setting::new("PORTHOLE_SERVICE_ADDR", "an address and port, such as 127.0.0.1:8788")
    .help("Address and port to listen on")
    .default("127.0.0.1:8788");
const ADMIN_ADDR: Setting = Setting::new("PORTHOLE_SERVICE_ADMIN_ADDR", "an address and port, such as 127.0.0.1:9788")
    .help("Address and port of metrics and health")
    .default("127.0.0.1:9788");
const OWNER_KEYS: Setting =
    Setting::secret("PORTHOLE_OWNER_KEYS", "a comma list of kid:base64url-key, 32 bytes or more each");
const SERVICE_KEY: Setting = Setting::secret("PORTHOLE_SERVICE_KEY", "32 bytes or more");
const ALLOW_TARGETS: Setting =
    Setting::new("PORTHOLE_ALLOW_TARGETS", "a comma list of host[:port], ip[:port] (IPv6 in brackets) or CIDR")
        .help("Private targets that pages may reach; comma list");
const ALLOW_TARGETS_FROM: Setting = Setting::new("PORTHOLE_ALLOW_TARGETS_FROM", "document or any")
    .help("Which pages may use PORTHOLE_ALLOW_TARGETS: the caller's document and what it is made of, or any page")
    .default("document");
const DENY_CIDRS: Setting =
    Setting::new("PORTHOLE_DENY_CIDRS", "a comma list of CIDR ranges").help("More ranges that the guard blocks");
const RESOLVE: Setting =
    Setting::new("PORTHOLE_RESOLVE", "a comma list of host=ip").help("Addresses of names, used before DNS; comma list");
const MAX_CONCURRENT: Setting = Setting::new("PORTHOLE_MAX_CONCURRENT", "a whole number from 1 to 1024")
    .help("Pages worked on at once")
    .default_told("2 × cores");
const MAX_QUEUE: Setting = Setting::new("PORTHOLE_MAX_QUEUE", "a whole number from 0 to 65536")
    .help("Requests that may wait for a permit")
    .default_told("4 × PORTHOLE_MAX_CONCURRENT");

const MAX_SESSIONS: Setting = Setting::new("PORTHOLE_MAX_SESSIONS", "a whole number from 0 to 10000")
    .help("Agents' sessions at once in this replica; 0: none")
    .default_told("4 × cores");
const MAX_SESSIONS_PER_SANDBOX: Setting =
    Setting::new("PORTHOLE_MAX_SESSIONS_PER_SANDBOX", "a whole number from 1 to 10000")
        .help("Agents' sessions at once in one sandbox")
        .default("8");
const SESSION_IDLE_SECONDS: Setting =
    Setting::new("PORTHOLE_SESSION_IDLE_SECONDS", "a whole number of seconds from 1 to 300")
        .help("An agent's session ends after this long without a call, an input or a viewer, in seconds")
        .default("300");
const SESSION_MAX_SECONDS: Setting =
    Setting::new("PORTHOLE_SESSION_MAX_SECONDS", "a whole number of seconds from 60 to 21600")
        .help("An agent's session ends at this age, in seconds")
        .default("3600");
const SESSION_DRAIN_SECONDS: Setting =
    Setting::new("PORTHOLE_SESSION_DRAIN_SECONDS", "a whole number of seconds from 0 to 3600")
        .help("How long agents' sessions continue after the service is asked to end, in seconds")
        .default("25");
const MAX_MEMORY_PERCENT: Setting = Setting::new("PORTHOLE_MAX_MEMORY_PERCENT", "a whole number from 1 to 100")
    .help("Share of the memory (of the container, else the machine) above which requests are refused; 100: never")
    .default("95");

/// Everything that the service reads.
pub const SETTINGS: &[Setting] = &[
    ADDR,
    ADMIN_ADDR,
    provider::PROVIDER,
    provider::CHROMIUM,
    provider::CDP_URL,
    provider::CDP_EGRESS,
    provider::BROWSERBASE_URL,
    provider::BROWSERBASE_REGION,
    provider::BROWSERBASE_RECORD,
    provider::BROWSERBASE_LOG,
    provider::BROWSERBASE_SOLVE_CAPTCHAS,
    provider::BROWSERBASE_IGNORE_CERTIFICATE_ERRORS,
    provider::BROWSERBASE_BLOCK_ADS,
    provider::BROWSERBASE_PROXIES,
    provider::BROWSERBASE_REAP_SECONDS,
    provider::BROWSERBASE_WARM,
    provider::BROWSERBASE_API_KEY,
    provider::BROWSERBASE_PROJECT_ID,
    provider::INSTANCE,
    OWNER_KEYS,
    SERVICE_KEY,
    ALLOW_TARGETS,
    ALLOW_TARGETS_FROM,
    DENY_CIDRS,
    RESOLVE,
    provider::EGRESS_MAX_BYTES,
    provider::WARM_PAGES,
    provider::SESSION_BROWSERS,
    provider::FRAMES,
    provider::BROWSER_MAX_PAGES,
    provider::BROWSER_MAX_MEMORY_MB,
    MAX_CONCURRENT,
    MAX_QUEUE,
    MAX_MEMORY_PERCENT,
    MAX_SESSIONS,
    MAX_SESSIONS_PER_SANDBOX,
    SESSION_IDLE_SECONDS,
    SESSION_MAX_SECONDS,
    SESSION_DRAIN_SECONDS,
    OTLP_ENDPOINT,
    OTLP_HEADERS,
    LOG,
];

const CONCURRENT_MAX: usize = 1024;
const QUEUE_MAX: usize = 65_536;
const SESSIONS_MAX: usize = 10_000;
const SESSION_SECONDS_MIN: u64 = 60;
const SESSION_SECONDS_MAX: u64 = 21_600;
const SESSION_DRAIN_SECONDS_MAX: u64 = 3_600;

/// The service's settings, all of them judged.
pub struct Settings {
    /// Where the service listens.
    pub addr: SocketAddr,
    /// Where metrics and health are asked for.
    pub admin_addr: SocketAddr,
    /// Where pages come from.
    pub pages: Pages,
    /// Signs and verifies owner tokens.
    pub owner_keys: OwnerKeys,
    /// What the worker presents; empty if nothing is asked for.
    pub service_keys: BearerKeys,
    /// What the guard goes by.
    pub policy: Policy,
    /// How many requests run and wait.
    pub admission: AdmissionLimits,
    /// How many sessions there may be, and how long they live.
    pub sessions: SessionLimits,
}

impl Settings {
    /// Reads and judges all settings.
    ///
    /// # Errors
    /// All that are wrong.
    pub fn read(reader: &Reader) -> Result<Self, SettingErrors> {
        SettingErrors::collect(|errors| {
            let service_keys = errors.ok(service_keys(reader));
            // A key that is wrong is reported as such alone.
            let has_key = service_keys.as_ref().is_none_or(|keys| !keys.is_empty());
            let addr = errors.ok(address(reader, has_key));
            let admin_addr = errors.ok(reader.required(&ADMIN_ADDR, |text| text.parse().ok()));
            let policy = errors.all_ok(policy(reader));
            let owner_keys = errors.ok(owner_keys(reader));
            let admission = admission(reader, errors);
            let sessions = sessions(reader, errors);
            let pages = provider::pages(reader, admission, errors);
            Some(Self {
                addr: addr?,
                admin_addr: admin_addr?,
                pages: pages?,
                owner_keys: owner_keys?,
                service_keys: service_keys?,
                policy: policy?,
                admission: admission?,
                sessions: sessions?,
            })
        })
    }
}

/// The address of the main listener: any with a service key, else only loopback.
fn address(reader: &Reader, has_key: bool) -> Result<SocketAddr, SettingError> {
    let addr: SocketAddr = reader.required(&ADDR, |text| text.parse().ok())?;
    if has_key || is_loopback(addr) {
        return Ok(addr);
    }
    Err(ADDR.refuse(addr.to_string(), "must be a loopback address as long as PORTHOLE_SERVICE_KEY is not set"))
}

fn service_keys(reader: &Reader) -> Result<BearerKeys, SettingError> {
    let key = reader.secret(&SERVICE_KEY)?;
    BearerKeys::new(key.as_slice(), SERVICE_CHALLENGE).map_err(|error| SERVICE_KEY.refuse("", error.to_string()))
}

fn owner_keys(reader: &Reader) -> Result<OwnerKeys, SettingError> {
    let keys = reader.secret(&OWNER_KEYS)?;
    let keys = keys.ok_or_else(|| {
        OWNER_KEYS.missing("without a key no owner token could be verified (`porthole up` makes one)")
    })?;
    OwnerKeys::parse(&keys).map_err(|error| OWNER_KEYS.refuse("", error.to_string()))
}

fn sessions(reader: &Reader, errors: &mut SettingErrors) -> Option<SessionLimits> {
    fn within<T: FromStr + PartialOrd>(min: T, max: T) -> impl Fn(&str) -> Option<T> {
        move |text| text.parse().ok().filter(|number| (&min..=&max).contains(&number))
    }
    let seconds = |min, max| move |text: &str| within(min, max)(text).map(Duration::from_secs);
    let total = errors.ok(reader.value(&MAX_SESSIONS, within(0, SESSIONS_MAX)));
    let per_sandbox = errors.ok(reader.required(&MAX_SESSIONS_PER_SANDBOX, within(1, SESSIONS_MAX)));
    let idle = errors.ok(reader.required(&SESSION_IDLE_SECONDS, seconds(1, SESSION_IDLE_MAX_SECONDS.into())));
    let age = errors.ok(reader.required(&SESSION_MAX_SECONDS, seconds(SESSION_SECONDS_MIN, SESSION_SECONDS_MAX)));
    let drain = errors.ok(reader.required(&SESSION_DRAIN_SECONDS, seconds(0, SESSION_DRAIN_SECONDS_MAX)));
    let total = total?.unwrap_or_else(defaults::sessions);
    Some(SessionLimits {
        seats: SeatLimits { total, per_sandbox: per_sandbox? },
        idle: idle?,
        age: age?,
        drain: drain?,
    })
}

fn admission(reader: &Reader, errors: &mut SettingErrors) -> Option<AdmissionLimits> {
    let within = |max: usize, min: usize| move |text: &str| text.parse().ok().filter(|n| (min..=max).contains(n));
    let percent = |text: &str| text.parse().ok().filter(|percent| (1..=100).contains(percent));
    let permits = errors.ok(reader.value(&MAX_CONCURRENT, within(CONCURRENT_MAX, 1)));
    let queue_max = errors.ok(reader.value(&MAX_QUEUE, within(QUEUE_MAX, 0)));
    let memory_percent_max = errors.ok(reader.required(&MAX_MEMORY_PERCENT, percent));
    let permits = permits?.unwrap_or_else(defaults::permits);
    Some(AdmissionLimits {
        permits,
        queue_max: queue_max?.unwrap_or(4 * permits),
        memory_percent_max: memory_percent_max?,
    })
}

/// What the guard goes by; `check-url` needs nothing else.
///
/// # Errors
/// All settings that are wrong.
pub fn policy(reader: &Reader) -> Result<Policy, SettingErrors> {
    SettingErrors::collect(|errors| {
        let allow = errors.ok(parsed(reader, &ALLOW_TARGETS, AllowTargets::parse));
        let allow_from = errors.ok(parsed(reader, &ALLOW_TARGETS_FROM, AllowFrom::parse));
        let deny = errors.ok(parsed(reader, &DENY_CIDRS, DenyCidrs::parse));
        let resolve = errors.ok(parsed(reader, &RESOLVE, ResolveOverrides::parse));
        let (allow, allow_from) = allow.zip(allow_from)?;
        Some(Policy { allow, allow_from, deny: deny?, resolve: resolve?, ..Policy::default() })
    })
}

fn parsed<T: Default, E: std::fmt::Display>(
    reader: &Reader,
    setting: &Setting,
    parse: fn(&str) -> Result<T, E>,
) -> Result<T, SettingError> {
    match reader.text(setting)? {
        None => Ok(T::default()),
        Some(text) => parse(&text).map_err(|error| setting.refuse(text, error.to_string())),
    }
}
