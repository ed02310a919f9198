//! Settings of the worker. The daemon has the code that reads settings.

use std::net::SocketAddr;
use std::num::NonZeroU32;

use porthole_contract::limits::KEY_MIN_BYTES;
use porthole_daemon::bearer;
use porthole_daemon::client_network::TrustedProxies;
use porthole_daemon::loopback::is_loopback;
use porthole_daemon::origin::Origin;
use porthole_daemon::settings::{self, Reader, Setting, SettingError, SettingErrors, plain_url};
use porthole_daemon::trace::{OTLP_ENDPOINT, OTLP_HEADERS};
use porthole_mcp::{Toolset, UnknownTool};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};

const ADDR: Setting = Setting::new("PORTHOLE_WORKER_ADDR", "an IP address and a port, such as 127.0.0.1:8787")
    .help("Address and port to listen on")
    .default("127.0.0.1:8787");
const ADMIN_ADDR: Setting =
    Setting::new("PORTHOLE_WORKER_ADMIN_ADDR", "an IP address and a port, such as 127.0.0.1:9787")
        .help("Address and port of metrics and health")
        .default("127.0.0.1:9787");
const SERVICE_URL: Setting = Setting::new(
    "PORTHOLE_SERVICE_URL",
    "a comma list of http or https URLs without user name, password, query or fragment, such as http://127.0.0.1:8788",
)
.help("URL of the sandbox service; for several replicas a comma list")
.default("http://127.0.0.1:8788");
const SERVICE_PEERS: Setting =
    Setting::new("PORTHOLE_SERVICE_PEERS", "a DNS name and a port, such as porthole-service.default.svc:8788")
        .help("A DNS name whose addresses are all replicas of the service, used instead of its URL");
const PUBLIC_URL: Setting = Setting::new(
    "PORTHOLE_PUBLIC_URL",
    "an http or https URL without user name, password, query or fragment, such as https://porthole.example.com",
)
.help("URL under which callers and viewers reach this worker; the live view's addresses begin with it")
.default_told("the host of the request");
const ALLOWED_ORIGINS: Setting = Setting::new(
    "PORTHOLE_ALLOWED_ORIGINS",
    "a comma list of web origins, scheme://host or scheme://host:port, such as https://chat.example.com",
)
.help("The web origins whose pages may call; comma list")
.default_told("loopback ones");
const RATE_LIMIT: Setting = Setting::new("PORTHOLE_RATE_LIMIT", "a whole number from 1 to 4294967295")
    .help("Requests a minute for one client key, or IP address without one")
    .default("120");
const TRUSTED_PROXIES: Setting = Setting::new(
    "PORTHOLE_TRUSTED_PROXIES",
    "a comma list of IP addresses and CIDR ranges, such as 127.0.0.1,10.1.0.0/16",
)
.help("Proxies in front of the worker, exempt from the limit on connections of one address; comma list");
const MCP: Setting = Setting::new("PORTHOLE_MCP", "on or off")
    .help("Whether the worker serves the Model Context Protocol at /mcp")
    .default("on");
const MCP_TOOLS: Setting =
    Setting::new("PORTHOLE_MCP_TOOLS", "a comma list of tools, such as browser_navigate,browser_click")
        .help("The tools that /mcp offers; comma list")
        .default_told("all");
const PLAYGROUND: Setting = Setting::new("PORTHOLE_PLAYGROUND", "on or off")
    .help("Whether /playground is served, an interactive test page")
    .default_told("on where PORTHOLE_WORKER_ADDR is a loopback address");
const BROWSER_TOOLS: Setting = Setting::new("PORTHOLE_BROWSER_TOOLS", "on or off")
    .help("Whether models' tool calls are served at /api/sandbox/tools")
    .default("off");
const SERVICE_KEY: Setting =
    Setting::secret("PORTHOLE_SERVICE_KEY", "32 bytes or more, printable ASCII without spaces");
const CLIENT_KEYS: Setting = Setting::secret(
    "PORTHOLE_CLIENT_KEYS",
    "a comma list of keys, each 32 bytes or more of printable ASCII without spaces",
);
const BROWSERBASE_API_KEY: Setting = Setting::secret("BROWSERBASE_API_KEY", "a Browserbase API key");
const BROWSERBASE_PROJECT_ID: Setting = Setting::secret("BROWSERBASE_PROJECT_ID", "a Browserbase project's id");

/// Every setting of the worker.
pub const SETTINGS: &[Setting] = &[
    ADDR,
    ADMIN_ADDR,
    SERVICE_URL,
    SERVICE_PEERS,
    PUBLIC_URL,
    ALLOWED_ORIGINS,
    RATE_LIMIT,
    TRUSTED_PROXIES,
    MCP,
    MCP_TOOLS,
    PLAYGROUND,
    BROWSER_TOOLS,
    SERVICE_KEY,
    CLIENT_KEYS,
    BROWSERBASE_API_KEY,
    BROWSERBASE_PROJECT_ID,
    OTLP_ENDPOINT,
    OTLP_HEADERS,
    settings::LOG,
];

/// The worker's settings, judged.
#[derive(Debug)]
pub struct Settings {
    /// Address and port for callers.
    pub addr: SocketAddr,
    /// Address and port of metrics and health.
    pub admin_addr: SocketAddr,
    /// Where the service's replicas are; no path has a slash at its end.
    pub service_urls: Vec<Url>,
    /// A name whose addresses are the replicas, instead of these URLs.
    pub service_peers: Option<Peers>,
    /// Where callers reach the worker, if the operator says.
    pub public_url: Option<Url>,
    /// What the worker presents to the service.
    pub service_key: Option<SecretString>,
    /// What goes into the bodies of browser requests.
    pub browserbase: Option<Browserbase>,
    /// Keys that callers present; empty: no key is required.
    pub client_keys: Vec<SecretString>,
    /// Origins whose pages may call; empty: loopback origins.
    pub allowed_origins: Vec<Origin>,
    /// Requests a minute for one caller.
    pub rate_limit: NonZeroU32,
    /// Proxies whose connections are not bounded by address.
    pub trusted_proxies: TrustedProxies,
    /// The tools that are served at `/mcp`; `None` serves nothing there.
    pub mcp: Option<Toolset>,
    /// Whether the playground is served.
    pub playground: bool,
    /// Whether models' tool calls are served.
    pub browser_tools: bool,
}

/// A DNS name whose addresses are replicas of the service, all on one port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peers {
    /// The name.
    pub name: String,
    /// The port of each.
    pub port: u16,
}

/// The operator's Browserbase credentials.
#[derive(Clone, Debug)]
pub struct Browserbase {
    /// The key.
    pub api_key: SecretString,
    /// The project that is billed.
    pub project_id: SecretString,
}

impl Settings {
    /// Reads and judges all of them.
    ///
    /// # Errors
    /// All that are wrong.
    pub fn read(reader: &Reader) -> Result<Self, SettingErrors> {
        SettingErrors::collect(|errors| {
            let client_keys = errors.ok(client_keys(reader));
            // Keys that are wrong are reported as such alone.
            let has_keys = client_keys.as_ref().is_none_or(|keys| !keys.is_empty());
            let addr = errors.ok(address(reader, &ADDR, has_keys));
            let admin_addr = errors.ok(address(reader, &ADMIN_ADDR, has_keys));
            let service_urls = errors.ok(reader.required(&SERVICE_URL, service_urls));
            let service_peers = errors.ok(reader.value(&SERVICE_PEERS, Peers::parse));
            let public_url = errors.ok(reader.value(&PUBLIC_URL, plain_url));
            let service_key = errors.ok(service_key(reader));
            let browserbase = errors.ok(browserbase(reader));
            let allowed_origins = errors.ok(reader.list(&ALLOWED_ORIGINS, Origin::parse));
            let rate_limit = errors.ok(reader.required(&RATE_LIMIT, |text| text.parse().ok()));
            let trusted_proxies = errors.ok(reader.list(&TRUSTED_PROXIES, TrustedProxies::parse));
            let mcp = errors.ok(reader.required(&MCP, on_or_off));
            let mcp_tools = errors.ok(mcp_tools(reader));
            let browser_tools = errors.ok(reader.required(&BROWSER_TOOLS, on_or_off));
            let playground = errors.ok(reader.value(&PLAYGROUND, on_or_off));
            let addr: SocketAddr = addr?;
            Some(Self {
                addr,
                admin_addr: admin_addr?,
                service_urls: service_urls?,
                service_peers: service_peers?,
                public_url: public_url?,
                service_key: service_key?,
                browserbase: browserbase?,
                client_keys: client_keys?,
                allowed_origins: allowed_origins?,
                rate_limit: rate_limit?,
                trusted_proxies: trusted_proxies?.into_iter().collect(),
                mcp: mcp_tools.zip(mcp).map(|(tools, on)| on.then_some(tools))?,
                playground: playground?.unwrap_or_else(|| is_loopback(addr)),
                browser_tools: browser_tools?,
            })
        })
    }
}

fn on_or_off(text: &str) -> Option<bool> {
    match text {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

fn mcp_tools(reader: &Reader) -> Result<Toolset, SettingError> {
    let list = reader.text(&MCP_TOOLS)?.unwrap_or_default();
    Toolset::parse(&list).map_err(|UnknownTool(name)| {
        MCP_TOOLS
            .refuse(name, format!("must be {}; the tools are {}", MCP_TOOLS.accepted(), Toolset::names().join(", ")))
    })
}

/// An address to listen on: any with client keys, else only loopback.
fn address(reader: &Reader, setting: &Setting, has_keys: bool) -> Result<SocketAddr, SettingError> {
    let addr: SocketAddr = reader.required(setting, |text| text.parse().ok())?;
    if has_keys || is_loopback(addr) {
        return Ok(addr);
    }
    let variable = CLIENT_KEYS.variable();
    Err(setting.refuse(addr.to_string(), format!("must be a loopback address, or {variable} must be set")))
}

fn service_urls(list: &str) -> Option<Vec<Url>> {
    let urls: Vec<Url> = settings::items(list).map(service_url).collect::<Option<_>>()?;
    (!urls.is_empty()).then_some(urls)
}

fn service_url(text: &str) -> Option<Url> {
    let mut url = plain_url(text)?;
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Some(url)
}

impl Peers {
    fn parse(text: &str) -> Option<Self> {
        let (name, port) = text.trim().rsplit_once(':')?;
        let port = port.parse().ok().filter(|port| *port != 0)?;
        let Ok(Host::Domain(name)) = Host::parse(name) else { return None };
        Some(Self { name, port })
    }
}

fn service_key(reader: &Reader) -> Result<Option<SecretString>, SettingError> {
    let key = reader.secret(&SERVICE_KEY)?;
    if key.as_ref().is_some_and(|key| bearer::fit(key).is_err()) {
        return Err(SERVICE_KEY.refuse("", format!("must be {}", SERVICE_KEY.accepted())));
    }
    Ok(key)
}

fn client_keys(reader: &Reader) -> Result<Vec<SecretString>, SettingError> {
    let list = reader.secret(&CLIENT_KEYS)?;
    let keys: Vec<SecretString> =
        list.iter().flat_map(|list| settings::items(list.expose_secret())).map(SecretString::from).collect();
    match keys.iter().position(|key| bearer::fit(key).is_err()) {
        Some(at) => {
            let reason = format!(
                "must be {}; number {} of {} is not (a key has at least {KEY_MIN_BYTES} bytes)",
                CLIENT_KEYS.accepted(),
                at + 1,
                keys.len()
            );
            Err(CLIENT_KEYS.refuse("", reason))
        }
        // A list of commas alone would open the worker to everybody where keys were meant.
        None if keys.is_empty() && list.is_some() => {
            Err(CLIENT_KEYS.refuse("", format!("must be {}; it holds none", CLIENT_KEYS.accepted())))
        }
        None => Ok(keys),
    }
}

fn browserbase(reader: &Reader) -> Result<Option<Browserbase>, SettingError> {
    let together = |other: &Setting| format!("must be set where {} is", other.variable());
    match (reader.secret(&BROWSERBASE_API_KEY)?, reader.secret(&BROWSERBASE_PROJECT_ID)?) {
        (None, None) => Ok(None),
        (Some(api_key), Some(project_id)) => Ok(Some(Browserbase { api_key, project_id })),
        (None, Some(_)) => Err(BROWSERBASE_API_KEY.missing(together(&BROWSERBASE_PROJECT_ID))),
        (Some(_), None) => Err(BROWSERBASE_PROJECT_ID.missing(together(&BROWSERBASE_API_KEY))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(environment: &[(&str, &str)]) -> Result<Settings, String> {
        let reader = Reader::new(environment.iter().copied().collect());
        Settings::read(&reader).map_err(|error| error.to_string())
    }

    fn key(letter: &str) -> String {
        letter.repeat(KEY_MIN_BYTES)
    }

    #[test]
    fn defaults_are_the_contracts() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.addr.to_string(), "127.0.0.1:8787");
        assert_eq!(settings.admin_addr.to_string(), "127.0.0.1:9787");
        assert_eq!(settings.service_urls, ["http://127.0.0.1:8788/".parse().unwrap()]);
        assert_eq!(settings.service_peers, None);
        assert_eq!(settings.rate_limit.get(), 120);
        assert!(settings.client_keys.is_empty() && settings.allowed_origins.is_empty());
        assert!(settings.service_key.is_none() && settings.browserbase.is_none());
    }

    #[test]
    fn wrong_values_are_refused_by_name() {
        for (variable, value) in [
            ("PORTHOLE_WORKER_ADDR", "localhost:8787"),
            ("PORTHOLE_WORKER_ADMIN_ADDR", "9787"),
            ("PORTHOLE_SERVICE_URL", "127.0.0.1:8788"),
            ("PORTHOLE_SERVICE_URL", "ftp://127.0.0.1"),
            ("PORTHOLE_SERVICE_URL", "http://user@127.0.0.1"),
            ("PORTHOLE_SERVICE_URL", "http://127.0.0.1/?a=b"),
            ("PORTHOLE_SERVICE_URL", "http://127.0.0.1/#a"),
            ("PORTHOLE_SERVICE_URL", "http://127.0.0.1,nowhere"),
            ("PORTHOLE_SERVICE_URL", ","),
            ("PORTHOLE_SERVICE_PEERS", "service"),
            ("PORTHOLE_SERVICE_PEERS", "service:0"),
            ("PORTHOLE_SERVICE_PEERS", "http://service:8788"),
            ("PORTHOLE_SERVICE_PEERS", "user@service:8788"),
            ("PORTHOLE_SERVICE_PEERS", "10.0.0.1:8788"),
            ("PORTHOLE_ALLOWED_ORIGINS", "*"),
            ("PORTHOLE_ALLOWED_ORIGINS", "https://a.example/path"),
            ("PORTHOLE_RATE_LIMIT", "0"),
            ("PORTHOLE_RATE_LIMIT", "many"),
            ("PORTHOLE_TRUSTED_PROXIES", "proxy.example"),
            ("PORTHOLE_TRUSTED_PROXIES", "10.0.0.0/33"),
            ("PORTHOLE_MCP", "yes"),
            ("PORTHOLE_MCP_TOOLS", "browser_fly"),
        ] {
            let refusal = read(&[(variable, value)]).unwrap_err();
            assert!(refusal.starts_with(&format!("{variable} is \"{value}\": must be ")), "{refusal}");
        }
    }

    #[test]
    fn replicas_are_a_list_of_urls_or_a_name() {
        let settings = read(&[("PORTHOLE_SERVICE_URL", "http://a:1, https://b/porthole/")]).unwrap();
        let urls: Vec<&str> = settings.service_urls.iter().map(Url::as_str).collect();
        assert_eq!(urls, ["http://a:1/", "https://b/porthole"]);
        let settings = read(&[("PORTHOLE_SERVICE_PEERS", "Service.default.svc:8788")]).unwrap();
        assert_eq!(settings.service_peers, Some(Peers { name: "service.default.svc".to_owned(), port: 8788 }));
    }

    #[test]
    fn all_that_is_wrong_is_reported_at_once() {
        let wrong = [("PORTHOLE_WORKER_ADDR", "x"), ("PORTHOLE_RATE_LIMIT", "0"), ("BROWSERBASE_API_KEY", "hidden")];
        let refusals = read(&wrong).unwrap_err();
        let named = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
        let named: Vec<String> = refusals.lines().map(named).collect();
        assert_eq!(named, ["PORTHOLE_WORKER_ADDR", "BROWSERBASE_PROJECT_ID", "PORTHOLE_RATE_LIMIT"]);
    }

    #[test]
    fn short_keys_are_refused_and_never_shown() {
        let refusal = read(&[("PORTHOLE_SERVICE_KEY", "hidden-and-short")]).unwrap_err();
        assert!(
            refusal.starts_with("PORTHOLE_SERVICE_KEY: must be 32 bytes") && !refusal.contains("hidden"),
            "{refusal}"
        );
        let refusal = read(&[("PORTHOLE_CLIENT_KEYS", &format!("{}, hidden-and-short", key("a")))]).unwrap_err();
        assert!(refusal.contains("number 2 of 2") && !refusal.contains("hidden"), "{refusal}");
        assert!(read(&[("PORTHOLE_CLIENT_KEYS", " , ")]).unwrap_err().contains("it holds none"));
        let settings = read(&[("PORTHOLE_CLIENT_KEYS", &format!("{},{}", key("a"), key("b")))]).unwrap();
        assert_eq!(settings.client_keys.len(), 2);
        assert!(!format!("{settings:?}").contains("aaaa"));
    }

    #[test]
    fn beyond_loopback_only_with_client_keys() {
        for addr in ["0.0.0.0:1", "[::]:1", "192.0.2.1:1", "[::ffff:192.0.2.1]:1"] {
            for variable in ["PORTHOLE_WORKER_ADDR", "PORTHOLE_WORKER_ADMIN_ADDR"] {
                let refusal = read(&[(variable, addr)]).unwrap_err();
                assert!(
                    refusal.contains(variable) && refusal.contains("PORTHOLE_CLIENT_KEYS must be set"),
                    "{refusal}"
                );
                assert!(read(&[(variable, addr), ("PORTHOLE_CLIENT_KEYS", &key("a"))]).is_ok());
            }
        }
        for addr in ["127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            assert!(read(&[("PORTHOLE_WORKER_ADDR", addr)]).is_ok(), "{addr}");
        }
    }

    #[test]
    fn the_playground_is_off_beyond_loopback_unless_it_is_asked_for() {
        let playground = |more: &[(&str, &str)]| read(more).unwrap().playground;
        let key = key("a");
        let far = [("PORTHOLE_WORKER_ADDR", "192.0.2.1:1"), ("PORTHOLE_CLIENT_KEYS", key.as_str())];
        assert!(playground(&[]) && !playground(&[("PORTHOLE_PLAYGROUND", "off")]) && !playground(&far));
        assert!(playground(&[far[0], far[1], ("PORTHOLE_PLAYGROUND", "on")]));
        assert!(read(&[("PORTHOLE_PLAYGROUND", "yes")]).unwrap_err().contains("PORTHOLE_PLAYGROUND"));
    }

    #[test]
    fn browserbase_credentials_come_together_or_not_at_all() {
        let alone = read(&[("BROWSERBASE_API_KEY", "hidden")]).unwrap_err();
        assert_eq!(alone, "BROWSERBASE_PROJECT_ID is not set: must be set where BROWSERBASE_API_KEY is");
        assert!(
            read(&[("BROWSERBASE_PROJECT_ID", "hidden")]).unwrap_err().starts_with("BROWSERBASE_API_KEY is not set")
        );
        assert!(read(&[("BROWSERBASE_API_KEY", "a"), ("BROWSERBASE_PROJECT_ID", "b")]).unwrap().browserbase.is_some());
    }
}
