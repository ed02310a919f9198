//! `make bench-settled`: how often a picture shows what the page shows ten real seconds later, and how long it took.
//!
//! The pages are the judged set of the tests and, if Debian's `python3-doc` is installed, twenty of its pages.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use porthole_tests::judged::PAGES;
use porthole_tests::{Reply, Site};

use super::contender::{Contender, Job, Until};
use super::floor;
use super::report::quantile;

/// Time after which a page counts as finished.
const FINISHED_AFTER: Duration = Duration::from_secs(10);
/// Number of pages finishing at once.
const FINISHING_AT_ONCE: usize = 6;
/// Folder of Debian's python3-doc.
const DOCUMENTS: &str = "/usr/share/doc/python3/html";
/// Number of its pages in the bench.
const DOCUMENT_PAGES: usize = 20;

/// Has the contenders take every page in turns; returns the table.
pub(crate) async fn compare(site: &Site, contenders: &[Contender<'_>], rounds: usize) -> String {
    let mut urls: Vec<(String, String)> = PAGES.iter().map(|page| (page.name.to_owned(), page.put(site))).collect();
    urls.extend(documents(site));
    eprintln!("{} pages, ten seconds each, {FINISHING_AT_ONCE} at once", urls.len());
    let finishing = urls.iter().map(|(_, url)| floor::finished(contenders, url, FINISHED_AFTER));
    let finished: Vec<_> = stream::iter(finishing).buffered(FINISHING_AT_ONCE).collect().await;
    let mut took_ms = vec![Vec::new(); contenders.len()];
    let mut shown = vec![0; contenders.len()];
    let mut wrong = vec![Vec::new(); contenders.len()];
    for round in 1..=rounds {
        for ((name, url), finished) in urls.iter().zip(&finished) {
            eprint!("round {round} of {rounds}: {name}:");
            for (at, contender) in contenders.iter().enumerate() {
                let job = Job { url: url.clone(), until: contender.until(), shots: 1, at_once: 1 };
                let shot = contender.take_any(&job).await;
                eprint!(" {:.0}", shot.took_ms[0]);
                took_ms[at].extend(shot.took_ms);
                if finished.is_shown_by(&shot.picture) {
                    shown[at] += 1;
                } else if !wrong[at].contains(name) {
                    wrong[at].push(name.clone());
                }
            }
            eprintln!(" ms");
        }
    }
    let mut text = format!(
        "{} pages, {rounds} rounds: pictures that show the page as it is ten real seconds later.\n\n\
         | contender | as ten seconds later | median ms | p95 ms | judged pages, median ms | documents, median ms |\n\
         |---|---|---|---|---|---|\n",
        urls.len()
    );
    for (at, contender) in contenders.iter().enumerate() {
        let share = 100 * shown[at] / (urls.len() * rounds);
        let (median, p95) = (quantile(&took_ms[at], 0.5), quantile(&took_ms[at], 0.95));
        let mut alone_ms = [Vec::new(), Vec::new()];
        for (nth, took_ms) in took_ms[at].iter().enumerate() {
            alone_ms[usize::from(nth % urls.len() >= PAGES.len())].push(*took_ms);
        }
        let [judged, documents] = alone_ms.map(|took_ms| quantile(&took_ms, 0.5));
        let name = contender.name();
        let _ = writeln!(text, "| {name} | {share} % | {median:.0} | {p95:.0} | {judged:.0} | {documents:.0} |");
    }
    for (at, contender) in contenders.iter().enumerate().filter(|(_, contender)| contender.until() == Until::Settled) {
        let _ = writeln!(text, "\n{}, different ten seconds later: {}", contender.name(), wrong[at].join("; "));
    }
    text
}

/// Puts the documents and their resources on the site; returns their names and URLs.
fn documents(site: &Site) -> Vec<(String, String)> {
    let root = Path::new(DOCUMENTS);
    if !root.join("library").exists() {
        eprintln!("without python3-doc's pages: it is not installed");
        return Vec::new();
    }
    let base = format!("http://{}", site.addr());
    for folder in ["_static", "_images"] {
        put_folder(site, &base, root, Path::new(folder));
    }
    let mut names: Vec<String> = std::fs::read_dir(root.join("library"))
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "html"))
        .collect();
    names.sort();
    let every = (names.len() / DOCUMENT_PAGES).max(1);
    let taken = names.into_iter().step_by(every).take(DOCUMENT_PAGES);
    taken
        .map(|name| {
            let url = format!("{base}/library/{name}");
            site.put(
                &url,
                Reply::of("text/html; charset=utf-8", std::fs::read(root.join("library").join(&name)).expect("a file")),
            );
            (format!("python3-doc, {name}"), url)
        })
        .collect()
}

fn put_folder(site: &Site, base: &str, root: &Path, folder: &Path) {
    for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        let path = folder.join(entry.file_name());
        let Ok(content) = std::fs::read(root.join(&path)) else { continue };
        let content_type = match path.extension().and_then(|extension| extension.to_str()) {
            Some("css") => "text/css",
            Some("js") => "text/javascript",
            Some("svg") => "image/svg+xml",
            Some("png") => "image/png",
            _ => "application/octet-stream",
        };
        site.put(&format!("{base}/{}", path.display()), Reply::of(content_type, content));
    }
}
