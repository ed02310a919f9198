//! What the service can be told, and how a wrong word is refused. What concerns where pages come from is in `provider`.

mod provider;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

pub use self::provider::Pages;
use porthole_daemon::bearer::{BearerKeys, SERVICE_CHALLENGE};
use porthole_daemon::settings::{LOG, Reader, Setting, SettingError};
use porthole_daemon::trace::{OTLP_ENDPOINT, OTLP_HEADERS};

use crate::admission::AdmissionLimits;
use crate::guard::{AllowFrom, AllowTargets, DenyCidrs, Policy, ResolveOverrides};
use crate::http::owner_token::OwnerKeys;

const ADDR: Setting = Setting::new("PORTHOLE_SERVICE_ADDR", "an address and port, such as 127.0.0.1:8788")
    .help("Where the service listens")
    .default("127.0.0.1:8788");
const ADMIN_ADDR: Setting = Setting::new("PORTHOLE_SERVICE_ADMIN_ADDR", "an address and port, such as 127.0.0.1:9788")
    .help("Where metrics and health are asked for")
    .default("127.0.0.1:9788");
const OWNER_KEYS: Setting =
    Setting::secret("PORTHOLE_OWNER_KEYS", "a comma list of kid:base64url-key, 32 bytes or more each");
const SERVICE_KEY: Setting = Setting::secret("PORTHOLE_SERVICE_KEY", "32 bytes or more");
const ALLOW_TARGETS: Setting =
    Setting::new("PORTHOLE_ALLOW_TARGETS", "a comma list of host[:port], ip[:port] (IPv6 in brackets) or CIDR")
        .help("What the guard lets through although private");
const ALLOW_TARGETS_FROM: Setting = Setting::new("PORTHOLE_ALLOW_TARGETS_FROM", "document or any")
    .help("Which pages may use PORTHOLE_ALLOW_TARGETS: the caller's document and what it is made of, or any page")
    .default("document");
const DENY_CIDRS: Setting =
    Setting::new("PORTHOLE_DENY_CIDRS", "a comma list of CIDR ranges").help("More ranges that the guard blocks");
const RESOLVE: Setting =
    Setting::new("PORTHOLE_RESOLVE", "a comma list of host=ip").help("Names that are answered before DNS is asked");
const MAX_CONCURRENT: Setting = Setting::new("PORTHOLE_MAX_CONCURRENT", "a whole number from 1 to 1024")
    .help("Pages worked on at once")
    .default_told("2 × cores");
const MAX_QUEUE: Setting = Setting::new("PORTHOLE_MAX_QUEUE", "a whole number from 0 to 65536")
    .help("Requests that may wait for a permit")
    .default_told("4 × PORTHOLE_MAX_CONCURRENT");

const MAX_MEMORY_PERCENT: Setting = Setting::new("PORTHOLE_MAX_MEMORY_PERCENT", "a whole number from 1 to 100")
    .help("Share of the memory (of the container, else the machine) above which requests are turned away; 100: never")
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
    provider::FRAMES,
    provider::BROWSER_MAX_PAGES,
    provider::BROWSER_MAX_MEMORY_MB,
    MAX_CONCURRENT,
    MAX_QUEUE,
    MAX_MEMORY_PERCENT,
    OTLP_ENDPOINT,
    OTLP_HEADERS,
    LOG,
];

const CONCURRENT_MAX: usize = 1024;
const QUEUE_MAX: usize = 65_536;

/// The service's settings, all of them judged.
pub struct Settings {
    /// Where the service listens.
    pub addr: SocketAddr,
    /// Where metrics and health are asked for.
    pub admin_addr: SocketAddr,
    /// Where pages come from.
    pub pages: Pages,
    /// Signs and verifies owner tokens.
    pub owner_keys: Arc<OwnerKeys>,
    /// What the worker presents; empty if nothing is asked for.
    pub service_keys: Arc<BearerKeys>,
    /// What the guard goes by.
    pub policy: Policy,
    /// How many requests run and wait.
    pub admission: AdmissionLimits,
}

impl Settings {
    /// Reads and judges all settings.
    ///
    /// # Errors
    /// [`SettingError`] for the first that is wrong.
    pub fn read(reader: &Reader) -> Result<Self, SettingError> {
        let addr: SocketAddr = reader.required(&ADDR, |text| text.parse().ok())?;
        let admin_addr: SocketAddr = reader.required(&ADMIN_ADDR, |text| text.parse().ok())?;
        let policy = policy(reader)?;
        let owner_keys = reader.secret(&OWNER_KEYS)?.ok_or_else(|| {
            OWNER_KEYS.missing("without keys nobody's token could be verified (`porthole up` makes one)")
        })?;
        let owner_keys = OwnerKeys::parse(&owner_keys).map_err(|error| OWNER_KEYS.refuse("", error.to_string()))?;
        let service_key = reader.secret(&SERVICE_KEY)?;
        let service_keys = BearerKeys::new(service_key.as_slice(), SERVICE_CHALLENGE)
            .map_err(|error| SERVICE_KEY.refuse("", error.to_string()))?;
        if service_keys.is_empty() && !addr.ip().is_loopback() {
            return Err(
                ADDR.refuse(addr.to_string(), "must be a loopback address as long as PORTHOLE_SERVICE_KEY is not set")
            );
        }
        let within = |max: usize, min: usize| move |text: &str| text.parse().ok().filter(|n| (min..=max).contains(n));
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let concurrent_max = reader.value(&MAX_CONCURRENT, within(CONCURRENT_MAX, 1))?.unwrap_or(2 * cores);
        let pages = provider::pages(reader, concurrent_max)?;
        let queue_max = reader.value(&MAX_QUEUE, within(QUEUE_MAX, 0))?.unwrap_or(4 * concurrent_max);
        let memory_percent_max = reader
            .required(&MAX_MEMORY_PERCENT, |text| text.parse().ok().filter(|percent| (1..=100).contains(percent)))?;
        Ok(Self {
            addr,
            admin_addr,
            pages,
            owner_keys: Arc::new(owner_keys),
            service_keys: Arc::new(service_keys),
            policy,
            admission: AdmissionLimits { permits: concurrent_max, queue_max, memory_percent_max },
        })
    }
}

/// What the guard goes by; `check-url` needs nothing else.
///
/// # Errors
/// [`SettingError`] for the first setting that is wrong.
pub fn policy(reader: &Reader) -> Result<Policy, SettingError> {
    Ok(Policy {
        allow: parsed(reader, &ALLOW_TARGETS, AllowTargets::parse)?,
        allow_from: parsed(reader, &ALLOW_TARGETS_FROM, AllowFrom::parse)?,
        deny: parsed(reader, &DENY_CIDRS, DenyCidrs::parse)?,
        resolve: parsed(reader, &RESOLVE, ResolveOverrides::parse)?,
        ..Policy::default()
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
