//! The command line that Chromium is started with, each flag with its reason.

use std::net::IpAddr;
use std::path::Path;

/// Flags that never vary.
const ALWAYS: &[&str] = &[
    // Driven over two pipes: no port that others could find, and the browser ends with us.
    "--remote-debugging-pipe",
    // Nothing that a browser does for a person who sits in front of it: no first-run pages, no accounts, no
    // extensions, no updates, no reports.
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
    "--metrics-recording-only",
    "--no-pings",
    "--password-store=basic",
    "--use-mock-keychain",
    // Only the last of several such flags would count, so they are merged here.
    "--disable-features=AcceptCHFrame,AutofillServerCommunication,CertificateTransparencyComponentUpdater,\
     DestroyProfileOnBrowserClose,DialMediaRouteProvider,DnsOverHttps,GlobalMediaControls,ImprovedCookieControls,\
     InterestFeedContentSuggestions,LensOverlay,MediaRouter,OptimizationHints,PaintHolding,\
     ServiceWorkerAutoPreload,Translate",
    // A page may not open windows, ask for permissions, play sounds or wait for an answer to a dialog.
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--disable-notifications",
    "--disable-print-preview",
    "--disable-prompt-on-repost",
    "--mute-audio",
    // Ways out that no proxy and no interception would see.
    "--disable-quic",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-proxy-server",
    // Several pages are worked on at once and none is in front: all of them must run at full speed.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    // The same picture on every machine.
    "--disable-gpu",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    // A container's /dev/shm is often 64 MB; shared memory goes to the profile's folder, which is removed with it.
    "--disable-dev-shm-usage",
];

/// The whole command line.
pub(super) fn command_line(
    executable: &Path,
    profile: &Path,
    resolve: &[(String, IpAddr)],
    without_sandbox: bool,
) -> Vec<String> {
    let mut flags: Vec<String> = ALWAYS.iter().map(|flag| (*flag).to_owned()).collect();
    flags.push(format!("--user-data-dir={}", profile.display()));
    let is_shell = executable.file_name().is_some_and(|name| name.to_string_lossy().contains("headless-shell"));
    flags.push(if is_shell { "--headless" } else { "--headless=new" }.to_owned());
    if !resolve.is_empty() {
        let rules: Vec<String> = resolve
            .iter()
            .map(|(host, address)| match address {
                IpAddr::V4(address) => format!("MAP {host} {address}"),
                IpAddr::V6(address) => format!("MAP {host} [{address}]"),
            })
            .collect();
        flags.push(format!("--host-resolver-rules={}", rules.join(",")));
    }
    if without_sandbox {
        flags.push("--no-sandbox".to_owned());
    }
    flags.push("about:blank".to_owned());
    flags
}
