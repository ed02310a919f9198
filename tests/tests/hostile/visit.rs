//! One visit of a hostile page: a way out, one variant of its target, and the result.

use futures_util::{StreamExt, stream};
use porthole_tests::{Answer, Caller, Reply};
use serde_json::{Value, json};

use super::names::ZONE;
use super::scene::Scene;
use super::service::AT_ONCE;
use super::ways::{Asks, Way};

/// How long a page with a slow way is kept open, in milliseconds of real time.
const SLOW_MS: u32 = 1_000;

/// The text that every hostile page shows.
pub(crate) const PUBLIC_PART: &str = "the public part";

/// How the forbidden target is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// By its address.
    Absolute,
    /// By a redirect of the public site.
    Redirect,
    /// By a name that resolves to it.
    Name,
    /// By a name that resolves both to the public site and to the target.
    Both,
    /// By the page's own name, which resolved to the public site when the page was loaded.
    Rebinding,
    /// By its address as one number.
    Decimal,
    /// By its IPv6 address.
    Ipv6,
}

impl Variant {
    /// All of them.
    pub(crate) const ALL: [Variant; 7] = [
        Variant::Absolute,
        Variant::Redirect,
        Variant::Name,
        Variant::Both,
        Variant::Rebinding,
        Variant::Decimal,
        Variant::Ipv6,
    ];
}

/// A visit of a hostile page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    pub(crate) way: &'static Way,
    pub(crate) variant: Variant,
    /// Whether the page itself is visited by a name of the public site.
    pub(crate) home_by_name: bool,
}

/// The result of a visit.
#[derive(Clone, Debug)]
pub(crate) struct Visited {
    pub(crate) visit: Visit,
    /// A text that every request for the target contains, if it is in plain text.
    pub(crate) mark: String,
    pub(crate) answer: Answer,
}

impl Visit {
    /// Returns a visit by the target's address.
    pub(crate) fn of(way: &'static Way) -> Visit {
        Visit { way, variant: Variant::Absolute, home_by_name: false }
    }

    /// Returns a visit for each of these variants.
    pub(crate) fn in_each(way: &'static Way, variants: &[Variant]) -> Vec<Visit> {
        variants.iter().map(|variant| Visit { variant: *variant, ..Visit::of(way) }).collect()
    }

    /// Whether the page itself navigates to the target, so that nothing of it may be shown. A download from the page's
    /// own site leaves the page where it is; one from another site is a navigation.
    pub(crate) fn leaves(self) -> bool {
        let downloads = self.way.name == "download" && self.variant == Variant::Rebinding;
        self.way.asks == Asks::WholePage && !downloads
    }

    /// Whether the page may be shown before it navigates away. A download from the page's own site becomes a navigation
    /// only when its answer redirects to another site. The page may be finished by then: mostly in full Chromium, and in
    /// the headless shell in one visit of hundreds.
    pub(crate) fn may_stay(self) -> bool {
        self.way.name == "download" && self.variant == Variant::Redirect
    }

    /// Returns the same visit of a page that is visited by a name.
    pub(crate) fn by_name(self) -> Visit {
        Visit { home_by_name: true, ..self }
    }
}

impl Visited {
    /// Whether a page that navigates to the target was refused, or shown as it was before.
    pub(crate) fn is_kept_from_leaving(&self) -> bool {
        match self.answer.code() {
            Some(code) => code == "BLOCKED_TARGET",
            None => self.visit.may_stay(),
        }
    }

    /// Returns how many of the page's requests were refused, or `None` if the page itself was.
    pub(crate) fn blocked(&self) -> Option<u64> {
        self.answer.json().get("blocked_requests").and_then(Value::as_u64)
    }
}

impl std::fmt::Display for Visited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}: {:?}", self.visit.way.name, self.visit.variant, self.answer)
    }
}

/// Publishes a page for each visit and extracts them, several at once.
pub(crate) async fn visit_all(scene: &Scene, caller: &Caller, visits: Vec<Visit>) -> Vec<Visited> {
    stream::iter(visits).map(|visit| visit_one(scene, caller, visit)).buffer_unordered(AT_ONCE).collect().await
}

/// Publishes a page and extracts it.
pub(crate) async fn visit_one(scene: &Scene, caller: &Caller, visit: Visit) -> Visited {
    visit_as_counted(scene, visit, |url| {
        let mut fields = json!({"url": url});
        if visit.way.slow {
            fields["wait"] = json!({"until": "load", "delay_ms": SLOW_MS});
        }
        caller.extract(fields)
    })
    .await
}

/// Takes screenshots instead, in the browser whose pages draw with `begin_frame`.
pub(crate) async fn picture_all(scene: &Scene, caller: &Caller, visits: Vec<Visit>) -> Vec<Visited> {
    let picture = |visit| visit_as_counted(scene, visit, |url| caller.screenshot(json!({"url": url})));
    stream::iter(visits).map(picture).buffer_unordered(AT_ONCE).collect().await
}

/// Publishes a page and has it asked for. A page that is navigated again, since its renderer did not report its document,
/// resolves a name once more than is counted on, and is then refused rightly: it is asked for once more, under a new name.
async fn visit_as_counted<F: Future<Output = Answer>>(
    scene: &Scene,
    visit: Visit,
    ask: impl Fn(String) -> F,
) -> Visited {
    let visit_once = async |attempt| {
        let (url, mark) = put_up(scene, visit, attempt);
        Visited { visit, mark, answer: ask(url).await }
    };
    let visited = visit_once("").await;
    let shown = visited.answer.code().as_deref() != Some("BLOCKED_TARGET");
    if shown || visit.leaves() || visit.variant != Variant::Rebinding { visited } else { visit_once("-again").await }
}

/// Publishes a page and returns its URL and the mark in requests for its target. Its names and paths end in `attempt`.
fn put_up(scene: &Scene, Visit { way, variant, home_by_name }: Visit, attempt: &str) -> (String, String) {
    let ground = &scene.ground;
    let place = format!("{}/{variant:?}{attempt}", way.name).to_ascii_lowercase();
    let path = |what: &str| format!("/{what}/{place}");
    let on = |host: &str, path: &str| format!("http://{}{path}", scene.authority(host));
    let label = place.replace('/', "-");
    let name = |word: &str| format!("{word}-{label}.{ZONE}");
    let public = if home_by_name { name("public") } else { ground.public.to_string() };
    // The guard resolves the name once, the egress once for each connection.
    let connections = 1 + usize::from(way.beside.is_some());
    let turning = name(&format!("turns{}", 1 + connections));
    let home = if variant == Variant::Rebinding { turning.clone() } else { public.clone() };
    let host = match variant {
        Variant::Absolute => ground.forbidden.to_string(),
        Variant::Redirect => public,
        Variant::Name => name("inside"),
        Variant::Both => name("both"),
        Variant::Rebinding => turning,
        Variant::Decimal => u32::from(ground.forbidden).to_string(),
        Variant::Ipv6 => format!("[{}]", ground.forbidden6),
    };
    let target = on(&host, &path("target"));
    if variant == Variant::Redirect {
        let forbidden = on(&ground.forbidden.to_string(), &path("target"));
        scene.site.put(&target, Reply::redirect(302, &forbidden).header("access-control-allow-origin", "*"));
    }
    let beside = on(&home, &path("beside"));
    let filled = |text: &str| {
        text.replace("BESIDE", &beside)
            .replace("AUTHORITY", &scene.authority(&host))
            .replace("BACKSLASHES", &target.replace("http://", r"\\"))
            .replace("SOCKET", &target.replace("http:", "ws:"))
            .replace("SECURE", &target.replace("http:", "https:"))
            .replace("TARGET", &target)
    };
    let page = on(&home, &path("page"));
    // Each connection carries one answer, so that the next request has to resolve the name again.
    let mut reply = Reply::html(&format!("<p>{PUBLIC_PART}</p>{}", filled(way.body))).header("connection", "close");
    for (header, value) in way.headers {
        reply = reply.header(header, &filled(value));
    }
    scene.site.put(&page, reply);
    if let Some((kind, holds)) = way.beside {
        scene.site.put(&beside, Reply::of(kind, filled(holds)).header("connection", "close"));
    }
    (page, path("target"))
}
