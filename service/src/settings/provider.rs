//! Where pages come from: the provider, and what each of them is told.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use porthole_chromium::{ExecutableError, find_executable};
use porthole_daemon::loopback::is_this_machine;
use porthole_daemon::settings::{Reader, Setting, SettingError, SettingErrors};
use secrecy::ExposeSecret as _;
use url::Url;

use super::defaults;
use crate::admission::AdmissionLimits;
use crate::guard::egress::EgressLimits;
use crate::provider::Credentials;
use crate::provider::browserbase::{BrowserSettings, BrowserbaseOptions, INSTANCE_MAX_CHARS};
use crate::provider::cdp::{CdpOptions, Endpoint};
use crate::provider::local::{LocalOptions, RecyclePolicy};

pub(super) const PROVIDER: Setting = Setting::new("PORTHOLE_PROVIDER", "auto, local, browserbase or cdp")
    .help("Where pages come from; auto is Browserbase for requests that carry its credentials, else local")
    .default("auto");
pub(super) const CHROMIUM: Setting = Setting::new("PORTHOLE_CHROMIUM", "the path of an executable file")
    .help("The local browser's executable")
    .default_told("the first found of chromium-headless-shell, chrome-headless-shell, chromium, google-chrome");
pub(super) const EGRESS_MAX_BYTES: Setting =
    Setting::new("PORTHOLE_EGRESS_MAX_BYTES", "a whole number of bytes, 1 or more")
        .help("What one request's page may load, in bytes")
        .default_told("50000000");

pub(super) const WARM_PAGES: Setting = Setting::new("PORTHOLE_WARM_PAGES", "a whole number from 0 to 1024")
    .help("Blank pages that each local browser keeps ready")
    .default_told("PORTHOLE_MAX_CONCURRENT");
const WARM_PAGES_MAX: usize = 1_024;

pub(super) const SESSION_BROWSERS: Setting =
    Setting::new("PORTHOLE_SESSION_BROWSERS", "a whole number from 1 to 10000")
        .help("Local browsers for sessions; sandboxes share one only where there are no more")
        .default_told("4 × cores");
const SESSION_BROWSERS_MAX: usize = 10_000;

pub(super) const FRAMES: Setting = Setting::new("PORTHOLE_FRAMES", "auto or off")
    .help(
        "Whether pictures of the viewport are drawn by `begin_frame` in a second browser, which is faster; headless shell only",
    )
    .default("auto");

pub(super) const BROWSER_MAX_PAGES: Setting = Setting::new("PORTHOLE_BROWSER_MAX_PAGES", "a whole number, 1 or more")
    .help("Pages after which the local browser is replaced by a fresh one")
    .default("1000");
pub(super) const BROWSER_MAX_MEMORY_MB: Setting =
    Setting::new("PORTHOLE_BROWSER_MAX_MEMORY_MB", "a whole number of megabytes, 1 or more")
        .help("Memory with which the local browser is replaced by a fresh one")
        .default_told("512 + 256 × PORTHOLE_MAX_CONCURRENT");
const BROWSER_MEMORY_MB: u64 = 512;
const BROWSER_MEMORY_MB_A_PAGE: u64 = 256;

/// A secret, since services that sell browsers take their token in it.
pub(super) const CDP_URL: Setting =
    Setting::secret("PORTHOLE_CDP_URL", "a ws://, wss://, http:// or https:// endpoint");
pub(super) const CDP_EGRESS: Setting = Setting::new("PORTHOLE_CDP_EGRESS", PROXY)
    .help("A forward proxy for the pages of provider cdp, which is then what guards them");
const PROXY: &str = "a proxy as http://host:port, https://host:port or socks5://host:port";

pub(super) const BROWSERBASE_URL: Setting =
    Setting::new("PORTHOLE_BROWSERBASE_URL", "an https:// URL, or http:// on this machine")
        .help("Browserbase's API base")
        .default("https://api.browserbase.com");
pub(super) const BROWSERBASE_REGION: Setting =
    Setting::new("PORTHOLE_BROWSERBASE_REGION", "a region's name, such as eu-central-1")
        .help("The region of Browserbase's sessions")
        .default_told("Browserbase's own");
pub(super) const BROWSERBASE_RECORD: Setting =
    switch("PORTHOLE_BROWSERBASE_RECORD", "Whether Browserbase records its sessions' screens");
pub(super) const BROWSERBASE_LOG: Setting =
    switch("PORTHOLE_BROWSERBASE_LOG", "Whether Browserbase logs its sessions' requests");
pub(super) const BROWSERBASE_SOLVE_CAPTCHAS: Setting =
    switch("PORTHOLE_BROWSERBASE_SOLVE_CAPTCHAS", "Whether Browserbase solves captchas");
pub(super) const BROWSERBASE_IGNORE_CERTIFICATE_ERRORS: Setting = switch(
    "PORTHOLE_BROWSERBASE_IGNORE_CERTIFICATE_ERRORS",
    "Whether Browserbase shows pages whose certificate is wrong",
);
pub(super) const BROWSERBASE_BLOCK_ADS: Setting =
    switch("PORTHOLE_BROWSERBASE_BLOCK_ADS", "Whether Browserbase blocks advertisements");
pub(super) const BROWSERBASE_PROXIES: Setting =
    switch("PORTHOLE_BROWSERBASE_PROXIES", "Whether Browserbase's sessions go through its proxies");
pub(super) const BROWSERBASE_REAP_SECONDS: Setting =
    Setting::new("PORTHOLE_BROWSERBASE_REAP_SECONDS", "a whole number of seconds from 1 to 3600")
        .help("How often sessions are looked for that a killed process left behind")
        .default("60");
pub(super) const BROWSERBASE_API_KEY: Setting = Setting::secret("BROWSERBASE_API_KEY", "an API key of Browserbase's");
pub(super) const BROWSERBASE_PROJECT_ID: Setting =
    Setting::secret("BROWSERBASE_PROJECT_ID", "a project's id at Browserbase's");
pub(super) const BROWSERBASE_WARM: Setting = Setting::new(
    "PORTHOLE_BROWSERBASE_WARM",
    "a whole number from 0 to 100; more than 0 with BROWSERBASE_API_KEY alone",
)
.help("Browserbase sessions kept ready in the service's own account; they are billed while they wait")
.default("0");
pub(super) const INSTANCE: Setting = Setting::new("PORTHOLE_INSTANCE", "a name of 1 to 100 characters")
    .help("This replica's name, in the metadata of its remote sessions")
    .default_told("the host's name");

const REAP_SECONDS_MAX: u64 = 3_600;
const BROWSERBASE_WARM_MAX: usize = 100;

const fn switch(variable: &'static str, help: &'static str) -> Setting {
    Setting::new(variable, "true or false").help(help).default("false")
}

/// Where pages come from.
#[derive(Clone, Debug)]
pub enum Pages {
    /// Browserbase for requests that carry its credentials, else the local browser.
    Auto {
        /// The local browser.
        local: LocalOptions,
        /// Browserbase.
        browserbase: BrowserbaseOptions,
    },
    /// Chromium on this machine.
    Local(LocalOptions),
    /// Browserbase, for requests without credentials too.
    Browserbase(BrowserbaseOptions),
    /// Any endpoint of the DevTools protocol.
    Cdp(CdpOptions),
}

impl Pages {
    /// What the local provider is made with, where there is one.
    #[must_use]
    pub fn local(&self) -> Option<&LocalOptions> {
        match self {
            Pages::Auto { local, .. } | Pages::Local(local) => Some(local),
            Pages::Browserbase(_) | Pages::Cdp(_) => None,
        }
    }

    /// The same, to be made otherwise than any setting could.
    pub fn local_mut(&mut self) -> Option<&mut LocalOptions> {
        match self {
            Pages::Auto { local, .. } | Pages::Local(local) => Some(local),
            Pages::Browserbase(_) | Pages::Cdp(_) => None,
        }
    }
}

/// The providers that `PORTHOLE_PROVIDER` names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Auto,
    Local,
    Browserbase,
    Cdp,
}

impl Kind {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "auto" => Self::Auto,
            "local" => Self::Local,
            "browserbase" => Self::Browserbase,
            "cdp" => Self::Cdp,
            _ => return None,
        })
    }
}

/// Reads where pages come from. The settings of providers that are not chosen are judged as well.
pub(super) fn pages(reader: &Reader, limits: Option<AdmissionLimits>, errors: &mut SettingErrors) -> Option<Pages> {
    let kind = errors.ok(reader.required(&PROVIDER, Kind::parse));
    let browserbase = browserbase(reader, errors);
    let cdp = errors.ok(cdp(reader, kind == Some(Kind::Cdp)));
    let has_local = matches!(kind, Some(Kind::Auto | Kind::Local));
    let local = if has_local { local(reader, limits, kind == Some(Kind::Local), errors) } else { None };
    Some(match kind? {
        Kind::Local => Pages::Local(local?),
        Kind::Browserbase => Pages::Browserbase(browserbase?),
        Kind::Cdp => Pages::Cdp(cdp??),
        Kind::Auto => Pages::Auto { local: local?, browserbase: browserbase? },
    })
}

fn local(
    reader: &Reader,
    admission: Option<AdmissionLimits>,
    is_required: bool,
    errors: &mut SettingErrors,
) -> Option<LocalOptions> {
    let executable = errors.ok(executable(reader, is_required));
    let bytes = errors.ok(reader.value(&EGRESS_MAX_BYTES, |text| text.parse().ok().filter(|bytes| *bytes > 0)));
    let warm = |text: &str| text.parse().ok().filter(|pages| *pages <= WARM_PAGES_MAX);
    let warm_pages = errors.ok(reader.value(&WARM_PAGES, warm));
    let browsers = |text: &str| text.parse().ok().filter(|browsers| (1..=SESSION_BROWSERS_MAX).contains(browsers));
    let session_browsers = errors.ok(reader.value(&SESSION_BROWSERS, browsers));
    let begin_frame = errors.ok(reader.required(&FRAMES, |text| match text {
        "auto" => Some(true),
        "off" => Some(false),
        _ => None,
    }));
    let concurrent_max = admission.map_or_else(defaults::permits, |limits| limits.permits);
    let memory_percent_max = admission.map_or(100, |limits| limits.memory_percent_max);
    let recycle = recycle_policy(reader, concurrent_max, memory_percent_max, errors);
    let limits = EgressLimits::default();
    Some(LocalOptions {
        executable: executable?,
        egress: EgressLimits { bytes: bytes?.unwrap_or(limits.bytes), ..limits },
        session_browsers: session_browsers?.unwrap_or_else(defaults::sessions),
        warm_pages: warm_pages?.unwrap_or(concurrent_max),
        begin_frame: begin_frame?,
        recycle: recycle?,
        profiles: env::temp_dir(),
    })
}

/// The local browser's executable. Without a setting there need not be one, unless the provider is `local`.
fn executable(reader: &Reader, is_required: bool) -> Result<Result<PathBuf, ExecutableError>, SettingError> {
    let given = reader.text(&CHROMIUM)?;
    let executable = find_executable(given.as_ref().map(PathBuf::from).as_deref());
    match (&executable, &given) {
        (Err(error), Some(given)) => {
            return Err(CHROMIUM.refuse(given, format!("must be {}: {error}", CHROMIUM.accepted())));
        }
        (Err(error), None) if is_required => return Err(CHROMIUM.missing(error.to_string())),
        (Err(error), None) => tracing::warn!(%error, "there is no local browser"),
        (Ok(_), _) => {}
    }
    Ok(executable)
}

fn recycle_policy(
    reader: &Reader,
    concurrent_max: usize,
    memory_percent_max: u8,
    errors: &mut SettingErrors,
) -> Option<RecyclePolicy> {
    let positive = |text: &str| text.parse().ok().filter(|number: &u64| *number > 0);
    let memory_mb = errors.ok(reader.value(&BROWSER_MAX_MEMORY_MB, positive));
    let pages_max = errors.ok(reader.required(&BROWSER_MAX_PAGES, positive));
    let default_mb = BROWSER_MEMORY_MB + BROWSER_MEMORY_MB_A_PAGE * concurrent_max as u64;
    let memory_max_bytes = memory_mb?.unwrap_or(default_mb).saturating_mul(1_000_000);
    Some(RecyclePolicy { pages_max: pages_max?, memory_max_bytes, memory_percent_max })
}

fn browserbase(reader: &Reader, errors: &mut SettingErrors) -> Option<BrowserbaseOptions> {
    let region = |text: &str| {
        let is_name = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_name.then(|| text.to_owned())
    };
    let instance = |text: &str| (1..=INSTANCE_MAX_CHARS).contains(&text.chars().count()).then(|| text.to_owned());
    let reap = |text: &str| text.parse().ok().filter(|seconds| (1..=REAP_SECONDS_MAX).contains(seconds));
    let own_account = errors.ok(own_account(reader));
    // An account that is wrong is reported as such alone.
    let may_warm = own_account.as_ref().is_none_or(Option::is_some);
    let warm = errors.ok(warm_sessions(reader, may_warm));
    let api = errors.ok(reader.required(&BROWSERBASE_URL, api_base));
    let region = errors.ok(reader.value(&BROWSERBASE_REGION, region));
    let instance = errors.ok(reader.value(&INSTANCE, instance));
    let reap_seconds = errors.ok(reader.required(&BROWSERBASE_REAP_SECONDS, reap));
    let mut is_on = |setting: &Setting| errors.ok(reader.required(setting, |text| text.parse::<bool>().ok()));
    let record_session = is_on(&BROWSERBASE_RECORD);
    let log_session = is_on(&BROWSERBASE_LOG);
    let solve_captchas = is_on(&BROWSERBASE_SOLVE_CAPTCHAS);
    let ignore_certificate_errors = is_on(&BROWSERBASE_IGNORE_CERTIFICATE_ERRORS);
    let block_ads = is_on(&BROWSERBASE_BLOCK_ADS);
    let proxies = is_on(&BROWSERBASE_PROXIES);
    Some(BrowserbaseOptions {
        warm: warm?,
        api: api?,
        region: region?,
        browser: BrowserSettings {
            record_session: record_session?,
            log_session: log_session?,
            solve_captchas: solve_captchas?,
            ignore_certificate_errors: ignore_certificate_errors?,
            block_ads: block_ads?,
        },
        proxies: proxies?,
        instance: instance?.unwrap_or_else(host_name),
        own_account: own_account?,
        reap_every: Duration::from_secs(reap_seconds?),
    })
}

fn own_account(reader: &Reader) -> Result<Option<Credentials>, SettingError> {
    let api_key = reader.secret(&BROWSERBASE_API_KEY)?;
    let project_id = reader.secret(&BROWSERBASE_PROJECT_ID)?;
    match (api_key, project_id) {
        (Some(api_key), project_id @ Some(_)) => Ok(Some(Credentials { api_key, project_id })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(BROWSERBASE_PROJECT_ID.missing("it goes with BROWSERBASE_API_KEY")),
        (None, Some(_)) => Err(BROWSERBASE_API_KEY.missing("it goes with BROWSERBASE_PROJECT_ID")),
    }
}

fn warm_sessions(reader: &Reader, has_account: bool) -> Result<usize, SettingError> {
    let warm = reader
        .required(&BROWSERBASE_WARM, |text| text.parse().ok().filter(|sessions| *sessions <= BROWSERBASE_WARM_MAX))?;
    if warm > 0 && !has_account {
        return Err(BROWSERBASE_API_KEY.missing("PORTHOLE_BROWSERBASE_WARM keeps sessions ready in that account"));
    }
    Ok(warm)
}

/// The endpoint of the provider `cdp`; `None` where there is none and none is required.
fn cdp(reader: &Reader, is_required: bool) -> Result<Option<CdpOptions>, SettingError> {
    let Some(url) = reader.secret(&CDP_URL)? else {
        return if is_required { Err(CDP_URL.missing("the provider cdp needs an endpoint")) } else { Ok(None) };
    };
    let refusal = || CDP_URL.refuse("", format!("must be {}", CDP_URL.accepted()));
    let endpoint = Endpoint::parse(url.expose_secret()).ok_or_else(refusal)?;
    Ok(Some(CdpOptions { endpoint, egress: reader.value(&CDP_EGRESS, proxy)? }))
}

/// Keys go over TLS or not off this machine.
fn api_base(text: &str) -> Option<Url> {
    let url: Url = text.parse().ok()?;
    let is_here = is_this_machine(&url.host()?);
    let is_plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    (is_plain && (url.scheme() == "https" || url.scheme() == "http" && is_here)).then_some(url)
}

/// A proxy as Chromium takes it: it knows no user's name there.
fn proxy(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let url: Url = format!("http://{rest}").parse().ok()?;
    let is_bare = url.username().is_empty() && url.password().is_none() && url.path() == "/" && url.query().is_none();
    let is_proxy = matches!(scheme, "http" | "https" | "socks5") && is_bare && rest.contains(':');
    is_proxy.then(|| format!("{scheme}://{}", rest.trim_end_matches('/')))
}

fn host_name() -> String {
    let name = nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "porthole".to_owned())
}

#[cfg(test)]
mod tests;
