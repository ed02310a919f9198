//! The flags that a browser is started with.

use std::net::IpAddr;
use std::path::Path;

use serde::Deserialize;

/// Flags of every browser.
const ALWAYS: &[&str] = &[
    // The port is for clients; the pipe ends the browser with this process.
    "--remote-debugging-port=0",
    "--remote-debugging-pipe",
    // No features for interactive use, and no traffic of the browser's own.
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--disable-features=CertificateTransparencyComponentUpdater,DialMediaRouteProvider,MediaRouter,OptimizationHints,\
     Translate",
    "--metrics-recording-only",
    "--no-pings",
    "--password-store=basic",
    "--use-mock-keychain",
    // No window is visible, so background throttling would slow every page.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--mute-audio",
    // Pages are told that there is a mouse.
    "--blink-settings=primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2",
    "--disable-gpu",
    // A container's /dev/shm is often 64 MB; shared memory goes to the profile's folder, which is removed with it.
    "--disable-dev-shm-usage",
];

/// A window's size, in pixels. The default is Browserbase's.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub(crate) struct Viewport {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { width: 1288, height: 711 }
    }
}

/// What a session chooses of its browser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) viewport: Viewport,
    pub(crate) ignores_certificate_errors: bool,
}

/// A rule for the browsers' name resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolve {
    /// This name, at this address.
    Name(String, IpAddr),
    /// No other name is found.
    NoOther,
}

/// The command line of a browser, without its program.
pub(super) fn command_line(executable: &Path, profile: &Path, resolve: &[Resolve], options: Options) -> Vec<String> {
    let mut flags: Vec<String> = ALWAYS.iter().map(|flag| (*flag).to_owned()).collect();
    let is_shell = executable.file_name().is_some_and(|name| name.to_string_lossy().contains("headless-shell"));
    flags.push(if is_shell { "--headless" } else { "--headless=new" }.to_owned());
    if nix::unistd::geteuid().is_root() {
        flags.push("--no-sandbox".to_owned());
    }
    let Viewport { width, height } = options.viewport;
    flags.push(format!("--window-size={width},{height}"));
    if options.ignores_certificate_errors {
        flags.push("--ignore-certificate-errors".to_owned());
    }
    if !resolve.is_empty() {
        flags.push(format!("--host-resolver-rules={}", resolver_rules(resolve)));
    }
    flags.push(format!("--user-data-dir={}", profile.display()));
    flags.push("about:blank".to_owned());
    flags
}

fn resolver_rules(resolve: &[Resolve]) -> String {
    // The first matching rule applies, so the catch-all comes last.
    let named = resolve.iter().filter_map(|rule| match rule {
        Resolve::Name(name, address) if address.is_ipv6() => Some(format!("MAP {name} [{address}]")),
        Resolve::Name(name, address) => Some(format!("MAP {name} {address}")),
        Resolve::NoOther => None,
    });
    let mut rules: Vec<String> = named.collect();
    if resolve.contains(&Resolve::NoOther) {
        rules.extend(["EXCLUDE 127.0.0.1", "EXCLUDE localhost", "MAP * ~NOTFOUND"].map(str::to_owned));
    }
    rules.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catch_all_rule_comes_last() {
        let rules = [Resolve::NoOther, Resolve::Name("a.test".to_owned(), [10, 0, 0, 1].into())];
        assert_eq!(
            resolver_rules(&rules),
            "MAP a.test 10.0.0.1, EXCLUDE 127.0.0.1, EXCLUDE localhost, MAP * ~NOTFOUND"
        );
    }
}
