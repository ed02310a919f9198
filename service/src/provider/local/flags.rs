//! The command line that Chromium is started with, each flag with its reason.

use std::path::Path;

use super::kind::BrowserKind;
use super::{Defence, Weakness};

/// Flags that never vary.
const ALWAYS: &[&str] = &[
    // Driven over two pipes: there is no port for other programs to find, and the browser ends with the service.
    "--remote-debugging-pipe",
    // Nothing that serves only an interactive user: no first-run pages, no accounts, no extensions, no updates, no
    // reports.
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
    "--password-store=basic",
    "--use-mock-keychain",
    // Chromium honours only the last such flag, so the features are merged here. WebRtcHideLocalIpsWithMdns would
    // join the link's mDNS multicast group; WebRTC can't use local addresses here, so there are none to hide.
    // CacheSharingForPervasiveResources makes each context compile a list of URL patterns before its first script or
    // style request (4 ms), for a cache that no second page sees. KeepAliveInBrowserMigration sends each beacon
    // through the browser's main thread; without it the page's own process sends them, through the same egress.
    "--disable-features=AcceptCHFrame,AutofillServerCommunication,CacheSharingForPervasiveResources,\
     CertificateTransparencyComponentUpdater,DestroyProfileOnBrowserClose,DialMediaRouteProvider,DnsOverHttps,\
     GlobalMediaControls,ImprovedCookieControls,InterestFeedContentSuggestions,KeepAliveInBrowserMigration,LensOverlay,\
     MediaRouter,\
     OptimizationHints,PaintHolding,ServiceWorkerAutoPreload,Translate,WebRtcHideLocalIpsWithMdns",
    // The first document reuses the blank page's frame instead of a new one with a compositor of its own. Subframes
    // still get a new frame for each document.
    "--enable-features=RenderDocument:level/subframe",
    // Most pictures show a phone's viewport: two large tiles are drawn sooner than eight small ones.
    "--default-tile-width=512",
    "--default-tile-height=512",
    // A page may not ask for permissions or play sounds.
    "--deny-permission-prompts",
    "--disable-notifications",
    "--disable-print-preview",
    "--disable-prompt-on-repost",
    "--mute-audio",
    // A middle click pastes the selection, which all contexts of a browser share: one session would get another's. Without
    // the others a headless browser tells pages that there is no mouse (`pointer: none`, `hover: none`): they show what they
    // show on phones.
    "--blink-settings=middleClickPasteAllowed=false,selectionClipboardBufferAvailable=false,primaryPointerType=4,\
     availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2",
    // Several pages run at once and none is in the foreground: all must run at full speed.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    // Without these flags the browser's main thread, which all pages share, writes each console message to stderr: a
    // loop of `console.log` stopped all other pages. The shell reads the level only with the first flag.
    "--enable-logging=stderr",
    "--log-level=2",
    // Identical pictures on every machine.
    "--disable-gpu",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    // A container's /dev/shm is often only 64 MB; shared memory goes to the profile folder, which is removed anyway.
    "--disable-dev-shm-usage",
];

/// Flags that close a way to the network, each with its defence.
const CLOSED: &[(Defence, &str)] = &[
    // QUIC and WebRTC bypass proxies and interception. The headless shell reads one of the two WebRTC
    // policies, the full browser the other.
    (Defence::NoQuic, "--disable-quic"),
    (Defence::WebRtcPolicy, "--webrtc-ip-handling-policy=disable_non_proxied_udp"),
    (Defence::WebRtcPolicy, "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"),
    // Each context has its own egress; requests outside any context end at a closed port. Without `<-loopback>`,
    // requests to loopback and link-local addresses (cloud metadata!) would bypass the proxy.
    (Defence::DeadEnd, "--proxy-server=http://127.0.0.1:9"),
    (Defence::LoopbackRule, "--proxy-bypass-list=<-loopback>"),
    // The egress resolves names; the browser itself must not.
    (Defence::ResolverRules, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
    // No hyperlink auditing (`ping`). The headless shell sends the pings despite the flag, through the egress.
    (Defence::NoPings, "--no-pings"),
];

/// Flags for visits: a page may not open windows.
const VISITS: &[&str] = &["--block-new-web-contents"];

/// Flags for pages that draw by `begin_frame`: all stages of a frame run, and each frame is requested.
const BEGIN_FRAME: &[&str] = &["--enable-begin-frame-control", "--run-all-compositor-stages-before-draw"];

/// Returns whether this is the headless shell, the only Chromium with `begin_frame`.
pub(super) fn is_headless_shell(executable: &Path) -> bool {
    executable.file_name().is_some_and(|name| name.to_string_lossy().contains("headless-shell"))
}

/// Builds the whole command line.
pub(super) fn command_line(
    executable: &Path,
    kind: BrowserKind,
    profile: &Path,
    weakness: &Weakness,
    without_sandbox: bool,
) -> Vec<String> {
    let mut flags: Vec<String> = ALWAYS.iter().map(|flag| (*flag).to_owned()).collect();
    let closed = CLOSED.iter().filter(|(defence, _)| weakness.leaves(*defence));
    flags.extend(closed.map(|(_, flag)| (*flag).to_owned()));
    flags.extend(weakness.flags.iter().cloned());
    flags.push(format!("--user-data-dir={}", profile.display()));
    let more: &[&[&str]] = match kind {
        BrowserKind::Ordinary => &[VISITS],
        BrowserKind::BeginFrame => &[VISITS, BEGIN_FRAME],
        BrowserKind::Session => &[],
    };
    flags.extend(more.iter().copied().flatten().map(|flag| (*flag).to_owned()));
    flags.push(if is_headless_shell(executable) { "--headless" } else { "--headless=new" }.to_owned());
    if without_sandbox {
        flags.push("--no-sandbox".to_owned());
    }
    flags.push("about:blank".to_owned());
    flags
}
