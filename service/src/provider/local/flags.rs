//! The command line that Chromium is started with, each flag with its reason.

use std::path::Path;

use super::pool::BrowserKind;
use super::{Defence, Weakness};

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
    "--password-store=basic",
    "--use-mock-keychain",
    // Only the last of several such flags would count, so they are merged here. The last of the features would join the
    // link's multicast group for names of its own; there are no local addresses to hide where WebRTC may not use them.
    // CacheSharingForPervasiveResources has each context compile a list of URL patterns before its first script or style
    // is asked for (4 ms), for a cache that no second page sees. KeepAliveInBrowserMigration has each beacon pass the
    // browser's main thread; without it the page's own process sends them, by the same way out.
    "--disable-features=AcceptCHFrame,AutofillServerCommunication,CacheSharingForPervasiveResources,\
     CertificateTransparencyComponentUpdater,DestroyProfileOnBrowserClose,DialMediaRouteProvider,DnsOverHttps,\
     GlobalMediaControls,ImprovedCookieControls,InterestFeedContentSuggestions,KeepAliveInBrowserMigration,LensOverlay,\
     MediaRouter,\
     OptimizationHints,PaintHolding,ServiceWorkerAutoPreload,Translate,WebRtcHideLocalIpsWithMdns",
    // The first document takes the blank page's frame, which is ready, instead of one that is made for it meanwhile, with
    // a compositor of its own. Frames within a page have a new one for each document, as ever.
    "--enable-features=RenderDocument:level/subframe",
    // Most pictures are a phone's viewport: two tiles of it are drawn sooner than eight.
    "--default-tile-width=512",
    "--default-tile-height=512",
    // A page may not ask for permissions or play sounds.
    "--deny-permission-prompts",
    "--disable-notifications",
    "--disable-print-preview",
    "--disable-prompt-on-repost",
    "--mute-audio",
    // A middle click pastes the selection, which all contexts of a browser share: one session would get another's.
    "--blink-settings=middleClickPasteAllowed=false,selectionClipboardBufferAvailable=false",
    // Several pages are worked on at once and none is in front: all of them must run at full speed.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    // A page's console passes the browser's main thread, which all pages share, and each line of it was written to standard
    // error there: a loop of `console.log` stopped every other page. The shell reads the level only with the first flag.
    "--enable-logging=stderr",
    "--log-level=2",
    // The same picture on every machine.
    "--disable-gpu",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    // A container's /dev/shm is often 64 MB; shared memory goes to the profile's folder, which is removed with it.
    "--disable-dev-shm-usage",
];

/// Flags that close a way out, each under the name of its defence.
const CLOSED: &[(Defence, &str)] = &[
    // Ways out that no proxy and no interception would see. The shell reads one of the two policies, the browser the
    // other.
    (Defence::NoQuic, "--disable-quic"),
    (Defence::WebRtcPolicy, "--webrtc-ip-handling-policy=disable_non_proxied_udp"),
    (Defence::WebRtcPolicy, "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"),
    // Each context has its own way out; whatever belongs to none of them comes to a dead end. `<-loopback>`, or
    // loopback and link-local addresses (cloud metadata!) would bypass the proxy.
    (Defence::DeadEnd, "--proxy-server=http://127.0.0.1:9"),
    (Defence::LoopbackRule, "--proxy-bypass-list=<-loopback>"),
    // Names are the egress's matter: the browser itself finds none.
    (Defence::ResolverRules, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
    // What a link's `ping` would tell. It goes through the egress; the shell sends it all the same.
    (Defence::NoPings, "--no-pings"),
];

/// Flags for visits: a page may not open windows.
const VISITS: &[&str] = &["--block-new-web-contents"];

/// Flags for pages that draw by `begin_frame`: all stages of a frame run, and each frame is requested.
const BEGIN_FRAME: &[&str] = &["--enable-begin-frame-control", "--run-all-compositor-stages-before-draw"];

/// Whether this is the headless shell, the only Chromium with `begin_frame`.
pub(super) fn is_headless_shell(executable: &Path) -> bool {
    executable.file_name().is_some_and(|name| name.to_string_lossy().contains("headless-shell"))
}

/// The whole command line.
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
