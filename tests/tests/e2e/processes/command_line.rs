//! The `porthole` command as a user runs it: `up` in one terminal, screenshots and extracts in another.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use nix::sys::signal::Signal;
use porthole_tests::command::{Finished, run, run_shell};
use porthole_tests::eventually::so;
use porthole_tests::family::{Relative, expect_gone};
use porthole_tests::process::{Environment, Process};
use porthole_tests::stack::Home;
use porthole_tests::{Picture, Site, eventually, markdown};
use serde_json::Value;

const UP_WITHIN: Duration = Duration::from_secs(60);
const ENDED_WITHIN: Duration = Duration::from_secs(20);

/// `porthole up`, and the environment in which other commands reach it.
struct Up {
    process: Process,
    environment: Environment,
    site: Site,
    home: Home,
}

impl Up {
    async fn start() -> Self {
        let (site, home) = (Site::start(), Home::new());
        let mut environment = home.environment();
        for name in [
            "PORTHOLE_SERVICE_ADDR",
            "PORTHOLE_SERVICE_ADMIN_ADDR",
            "PORTHOLE_WORKER_ADDR",
            "PORTHOLE_WORKER_ADMIN_ADDR",
        ] {
            environment.insert(name.to_owned(), "127.0.0.1:0".to_owned());
        }
        environment.insert("PORTHOLE_ALLOW_TARGETS".to_owned(), site.allow_targets());
        let mut process = Process::spawn("porthole", &["up"], &environment);
        let worker = worker_url(&mut process).await;
        environment.insert("PORTHOLE_URL".to_owned(), worker);
        let _ = process.family();
        Self { process, environment, site, home }
    }

    async fn porthole(&self, arguments: &[&str]) -> Finished {
        run("porthole", arguments, &self.environment, b"").await
    }
}

/// Waits for the curl line that `up` prints once it is ready, and returns the worker's URL from it.
async fn worker_url(process: &mut Process) -> String {
    eventually(UP_WITHIN, async || {
        let said = process.stdout().join("\n");
        let (before, _) = said
            .split_once("/api/sandbox")
            .ok_or_else(|| format!("`up` printed no curl line:\n{said}\n{}", process.stderr().join("\n")))?;
        let start = before.rfind("http://").ok_or_else(|| format!("no URL in the curl line:\n{said}"))?;
        Ok(before[start..].to_owned())
    })
    .await
}

fn every_file_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let below = |path: std::path::PathBuf| if path.is_dir() { every_file_below(&path) } else { vec![path] };
    entries.flatten().map(|entry| entry.path()).flat_map(below).collect()
}

#[tokio::test]
async fn up_then_pictures_and_texts_then_ctrl_c() {
    let mut up = Up::start().await;
    let page = up.site.html("<title>Shown</title><body style='background:#336699'><h1>Shown</h1><p id=part>a part");
    let file = up.home.home().join("page.png");
    let name = file.to_str().unwrap();

    let finished = up.porthole(&["screenshot", &page, "-o", name]).await;
    finished.expect_code(0);
    assert_eq!(finished.stderr, "", "stderr must be empty without a terminal");
    let picture = Picture::decode(&std::fs::read(&file).unwrap());
    picture.expect_size(390, 844).expect_colour(380, 800, [0x33, 0x66, 0x99]);

    let finished = up.porthole(&["screenshot", &page, "-o", "-", "--viewport", "320x200"]).await;
    finished.expect_code(0);
    Picture::decode(&finished.stdout).expect_size(320, 200);

    let said = up.porthole(&["screenshot", &page, "--selector", "#part", "--json"]).await.expect_code(0);
    let answer: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&answer["ok"], &answer["title"]), (&Value::from(true), &Value::from("Shown")));

    assert_eq!(up.porthole(&["extract", &page]).await.expect_code(0), "Shown\n\na part\n");
    assert_eq!(up.porthole(&["extract", &page, "selector: #part"]).await.expect_code(0), "a part\n");
    let said = up.porthole(&["extract", &page, "--json"]).await.expect_code(0);
    let answer: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(answer["content"], "Shown\n\na part");

    let shop = up.site.html(
        "<main><h1>Shop</h1><p class=price>1,234.50</p><table id=prices><tr><th>a<th>b<tr><td>1<td>2, 3</table></main>",
    );
    let csv = up.porthole(&["extract", &shop, "table: #prices", "--csv"]).await.expect_code(0);
    assert_eq!(csv, "a,b\n1,\"2, 3\"\n");
    let map = up.home.home().join("fields.json");
    std::fs::write(&map, r#"{"price": ".price | number", "name": "h1"}"#).unwrap();
    let said = up.porthole(&["extract", &shop, "--json-map", map.to_str().unwrap()]).await.expect_code(0);
    assert_eq!(said, "{\"name\":\"Shop\",\"price\":1234.5}\n");
    let said = up.porthole(&["extract", &shop, "markdown: h1; csv"]).await.expect_code(0);
    assert_eq!(said, "# Shop\n\na,b\n1,\"2, 3\"\n", "several results must be printed one after the other");
    up.porthole(&["extract", &shop, "article", "--csv"]).await.expect_code(2);

    let said = up.porthole(&["create", "--json"]).await.expect_code(0);
    let made: Value = serde_json::from_str(&said).unwrap();
    assert!(made["sandbox_id"].as_str().unwrap().starts_with("sb-"), "{said}");

    let finished = up.porthole(&["extract", &up.site.forbidden()]).await;
    assert_eq!(finished.expect_code(1), "", "a failure printed something on standard output");
    assert!(
        finished.stderr.contains("BLOCKED_TARGET") && finished.stderr.contains("private or local network"),
        "{finished:?}"
    );
    for wrong in [
        ["screenshot", "--nonsense"].as_slice(),
        &["extract"],
        &["nonsense"],
        &["screenshot", &page, "--viewport", "x"],
    ] {
        up.porthole(wrong).await.expect_code(2);
    }

    let kept = every_file_below(&up.home.home().join(".config"));
    let holds_something = |path: &std::path::PathBuf| std::fs::metadata(path).is_ok_and(|file| file.len() > 0);
    let kept: Vec<_> = kept.into_iter().filter(holds_something).collect();
    assert!(kept.len() >= 2, "keys and sandbox are not both kept: {kept:?}");
    for path in kept {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} can be read by others: {mode:o}", path.display());
    }

    let family = up.process.family();
    assert!(family.iter().any(Relative::is_browser), "no browser among {family:#?}");
    up.process.signal_group(Signal::SIGINT);
    let status = up.process.ended(ENDED_WITHIN).await;
    assert_eq!(status.code(), Some(0), "{status:?}\n{}", up.process.stderr().join("\n"));
    expect_gone(&family).await;
    assert_eq!(up.home.left_in_temp().len(), 0, "Ctrl-C left files: {:?}", up.home.left_in_temp());
}

#[tokio::test]
async fn the_curl_lines_that_up_prints_work() {
    let up = Up::start().await;
    if run_shell("command -v curl", &up.environment).await.code != Some(0) {
        eprintln!("SKIPPED: curl is missing");
        return;
    }
    let page = up.site.html("<body style='background:#00ff00'>by curl");
    let said = up.process.stdout().join("\n");
    let lines: Vec<&str> = said.split("\n\n").filter(|part| part.trim_start().starts_with("curl ")).collect();
    assert!(!lines.is_empty(), "no curl line in\n{said}");
    let mut pictures = 0;
    for line in lines {
        let finished = run_shell(&line.replace("https://example.com", &page), &up.environment).await;
        let said = finished.expect_code(0);
        let file = up.home.home().join("page.png");
        if file.exists() {
            Picture::decode(&std::fs::read(&file).unwrap()).expect_colour(200, 400, [0, 255, 0]);
            std::fs::remove_file(file).unwrap();
            pictures += 1;
        } else {
            assert!(said.contains(r#""ok":true"#), "{said}");
        }
    }
    assert!(pictures > 0, "no line made a picture:\n{said}");
}

#[tokio::test]
async fn the_curl_lines_of_the_readme_work() {
    let up = Up::start().await;
    if run_shell("command -v curl", &up.environment).await.code != Some(0) {
        eprintln!("SKIPPED: curl is missing");
        return;
    }
    let page = up.site.html("<body style='background:#00ff00'><h1>by curl</h1>");
    let sandbox: Value = serde_json::from_str(&up.porthole(&["create", "--json"]).await.expect_code(0)).unwrap();
    let readme = markdown::text("README.md").replace("\\\n", "");
    let lines: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix("$ curl ")).collect();
    assert_eq!(lines.len(), 3, "create, a screenshot, an extract: {lines:?}");
    for line in lines {
        let line = line
            .replace("http://127.0.0.1:8787", &up.environment["PORTHOLE_URL"])
            .replace("https://example.com", &page)
            .replace("sb-…", sandbox["sandbox_id"].as_str().unwrap())
            .replace("eyJ…", sandbox["owner_token"].as_str().unwrap());
        let said = run_shell(&format!("curl {line}"), &up.environment).await.expect_code(0);
        if line.contains("/browser-screenshot") {
            let picture = std::fs::read(up.home.home().join("page.png")).unwrap();
            Picture::decode(&picture).expect_colour(200, 400, [0, 255, 0]);
        } else {
            assert!(said.contains(r#""ok":true"#), "{said}");
            assert!(line.contains("/create") || said.contains(r#""content":"by curl""#), "{said}");
        }
    }
}

#[tokio::test]
async fn up_that_is_killed_takes_all_with_it() {
    let up = Up::start().await;
    let family = up.process.family();
    assert!(family.iter().any(Relative::is_browser), "no browser among {family:#?}");
    up.process.signal(Signal::SIGKILL);
    eventually(Duration::from_secs(10), async || {
        let left: Vec<&Relative> = family.iter().filter(|one| one.is_alive()).collect();
        so(left.is_empty(), format!("SIGKILL left {left:#?}"))
    })
    .await;
}

#[tokio::test]
async fn up_starts_again_what_dies() {
    let up = Up::start().await;
    let page = up.site.html("still here");
    let family = up.process.family();
    let service = family.iter().find(|one| one.command.iter().any(|word| word.contains("porthole-service"))).unwrap();
    service.kill();
    eventually(Duration::from_secs(5), async || so(!service.is_alive(), "the service is still alive")).await;
    // The command retries by itself while the service restarts.
    assert_eq!(up.porthole(&["extract", &page]).await.expect_code(0), "still here\n");
}

#[tokio::test]
async fn help_completions_and_manual_are_there() {
    let home = Home::new();
    for (arguments, expected) in [
        (["--help"].as_slice(), "screenshot"),
        (&["screenshot", "--help"], "porthole screenshot https://"),
        (&["extract", "--help"], "porthole extract https://"),
        (&["completions", "bash"], "porthole"),
        (&["man"], ".TH"),
        (&["--version"], "porthole"),
    ] {
        let said = run("porthole", arguments, &home.environment(), b"").await.expect_code(0);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}
