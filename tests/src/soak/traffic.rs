//! The traffic of the soak: well-behaved and misbehaving callers, ordinary and hostile pages.

use std::sync::Arc;
use std::time::Duration;

use http::header::ACCEPT;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use super::Books;
use crate::caller::{Answer, Caller};
use crate::site::{Reply, Site};
use crate::{Picture, raw};

/// Number of ordinary pages. Their contents differ, so that an answer with another page's content is noticed.
const PAGES: usize = 12;
/// Wait of a caller after a retryable failure.
const RETRY_AFTER_MS: std::ops::Range<u64> = 100..600;
/// Bytes per read, pause between reads and total time of a slow reader.
const SLOWLY_BYTES: usize = 2_000;
const SLOWLY_PAUSE: Duration = Duration::from_millis(50);
const SLOWLY_FOR: Duration = Duration::from_secs(5);

/// The pages' URLs.
pub(super) struct Traffic {
    ordinary: Vec<String>,
    late: String,
    noise: String,
    missing: String,
    refusing: String,
    forbidden: String,
    hostile: Vec<String>,
    /// Never answered.
    never: String,
}

impl Traffic {
    pub(super) fn new(site: &Site) -> Self {
        let style = site.page(Reply::of("text/css", "body{font:18px sans-serif;margin:2em;background:#eef}"));
        let ordinary = (0..PAGES).map(|number| {
            let rows = format!("<p>row after row of page {number}").repeat(40);
            site.html(&format!(
                "<link rel=stylesheet href='{style}'><title>page {number}</title><h1>{number}</h1>{rows}"
            ))
        });
        let late = site.page(Reply::text("came late").late(Duration::from_millis(300)));
        let hostile = [
            "<script>for(;;);</script>".to_owned(),
            "<script>setInterval(()=>document.body.append('x'),0)</script><p>grows".to_owned(),
            "<script>for(let i=0;i<50;i++)alert(i)</script><p>alerts".to_owned(),
            "<script>for(let i=0;i<20;i++)window.open('about:blank#'+i)</script><p>popups".to_owned(),
            "<script>setTimeout(()=>location.reload(),50)</script><p>reloads".to_owned(),
            "<script>navigator.serviceWorker&&0;new Worker(URL.createObjectURL(new Blob(['for(;;);'])))</script><p>spins"
                .to_owned(),
            format!("{}deep", "<div>".repeat(20_000)),
            format!("<img src='{}'><iframe src='{}'></iframe><p>knocks", site.forbidden(), site.forbidden()),
            "<script>history.pushState(0,0,'?'+Math.random());onbeforeunload=()=>1;print()</script><p>clings".to_owned(),
        ];
        let mut hostile: Vec<String> = hostile.iter().map(|html| site.html(html)).collect();
        hostile.push(site.page(Reply::hundred_megabytes()));
        hostile.push(site.page(Reply::html("<p>never ends").held()));
        hostile.push(site.page(Reply::html("<p>drips, byte by byte").dripping()));
        hostile.push(site.dripping_head());
        let round = site.reserve();
        site.put(&round, Reply::redirect(302, &round));
        hostile.push(round);
        Self {
            ordinary: ordinary.collect(),
            late: site.html(&format!(
                "<title>late</title><p id=p>early<script>fetch('{late}').then(a=>a.text()).then(t=>p.textContent=t)</script>"
            )),
            noise: site.html(NOISE),
            missing: site.reserve(),
            refusing: site.refusing(),
            forbidden: site.forbidden(),
            never: site.page(Reply::never()),
            hostile,
        }
    }

    /// Runs one caller, which sends requests until `until`.
    pub(super) async fn ask_until(
        self: Arc<Self>,
        until: Instant,
        caller: Caller,
        mut rng: fastrand::Rng,
        books: Arc<Books>,
    ) {
        while Instant::now() < until {
            let (traffic, asker, noted) = (Arc::clone(&self), caller.clone(), Arc::clone(&books));
            let mut dice = rng.fork();
            // In its own task: a failed assertion is recorded and the soak continues.
            let asked = tokio::spawn(async move { traffic.ask(&asker, &mut dice, &noted).await });
            let try_again = asked.await.unwrap_or_else(|error| {
                books.violation(message(error));
                false
            });
            if try_again {
                tokio::time::sleep(Duration::from_millis(rng.u64(RETRY_AFTER_MS))).await;
            }
        }
    }

    /// Sends one request and checks its answer; returns whether it is to be retried.
    async fn ask(&self, caller: &Caller, dice: &mut fastrand::Rng, books: &Books) -> bool {
        let (asked, answer) = match dice.u8(0..100) {
            0..30 => ("text", self.text(caller, dice).await),
            30..55 => ("picture", self.picture(caller, dice).await),
            55..60 => ("raw picture", self.raw_picture(caller, dice).await),
            60..68 => ("late page", self.late(caller).await),
            68..72 => ("sandbox", caller.post("/create", json!({})).await),
            72..76 => ("missing page", self.missing(caller).await),
            76..79 => ("refusing site", failing(caller, &self.refusing, "NAVIGATION_FAILED").await),
            79..82 => ("forbidden site", failing(caller, &self.forbidden, "BLOCKED_TARGET").await),
            82..85 => ("nonsense", nonsense(caller, dice).await),
            85..92 => ("hostile page", self.hostile(caller, dice).await),
            92..97 => return self.leave(caller, dice, books).await,
            _ => return self.read_slowly(caller, books).await,
        };
        let code = answer.code();
        let mut try_again = false;
        if let Some(code) = &code {
            // Checks the whole failure against the contract's table.
            try_again = answer.expect_code(code)["retryable"] == true;
            let of_the_stack =
                try_again || !matches!(asked, "text" | "picture" | "raw picture" | "late page" | "missing page");
            assert!(of_the_stack, "an unexpected failure of this {asked}: {answer:?}");
        }
        books.answer(asked, code, answer.took);
        try_again
    }

    async fn text(&self, caller: &Caller, dice: &mut fastrand::Rng) -> Answer {
        let number = dice.usize(0..PAGES);
        let answer = caller.extract(asking(&self.ordinary[number])).await;
        if answer.status == 200 {
            let content = answer.content();
            assert!(content.contains(&format!("row after row of page {number}")), "another page's text: {answer:?}");
            assert_eq!(answer.expect_ok()["title"], format!("page {number}"), "another page's title");
        }
        answer
    }

    async fn picture(&self, caller: &Caller, dice: &mut fastrand::Rng) -> Answer {
        let number = dice.usize(0..PAGES);
        let full_page = dice.bool();
        let mut fields = asking(&self.ordinary[number]);
        fields["full_page"] = json!(full_page);
        fields["format"] = json!(dice.choice(["png", "jpeg"]));
        let answer = caller.screenshot(fields).await;
        if answer.status == 200 {
            assert_eq!(answer.expect_ok()["title"], format!("page {number}"), "another page's title");
            let picture = answer.picture();
            assert!(full_page || picture.size() == (390, 844), "a picture of {:?}", picture.size());
            // The corner shows the page's background; in a blank or black picture it has another colour.
            let corner = picture.part(0, 0, 1, 1);
            assert!(corner.iter().flatten().all(|channel| *channel >= 225), "a corner of {corner:?}");
        }
        answer
    }

    async fn raw_picture(&self, caller: &Caller, dice: &mut fastrand::Rng) -> Answer {
        let body = caller.body("/browser-screenshot", asking(&self.ordinary[dice.usize(0..PAGES)]));
        let request = caller.request(http::Method::POST, "/browser-screenshot").header(ACCEPT, "image/*").json(&body);
        let answer = caller.send(request).await;
        if answer.status == 200 {
            assert_eq!(Picture::decode(&answer.body).size(), (390, 844));
        }
        answer
    }

    async fn late(&self, caller: &Caller) -> Answer {
        let answer = caller.extract(asking(&self.late)).await;
        if answer.status == 200 {
            assert_eq!(answer.content().trim(), "came late");
        }
        answer
    }

    async fn missing(&self, caller: &Caller) -> Answer {
        let answer = caller.extract(asking(&self.missing)).await;
        if answer.status == 200 {
            assert_eq!(answer.expect_ok()["status_code"], 404);
        }
        answer
    }

    /// Requests a hostile page; any answer of the contract is accepted.
    async fn hostile(&self, caller: &Caller, dice: &mut fastrand::Rng) -> Answer {
        let url = dice.choice(&self.hostile).expect("there are hostile pages");
        let mut fields = asking(url);
        fields["timeout_ms"] = json!(8_000);
        let answer = if dice.bool() { caller.screenshot(fields).await } else { caller.extract(fields).await };
        if answer.status == 200 {
            answer.expect_ok();
        }
        answer
    }

    /// Sends a request and disconnects at a random moment.
    async fn leave(&self, caller: &Caller, dice: &mut fastrand::Rng, books: &Books) -> bool {
        let url = if dice.bool() { &self.never } else { &self.ordinary[0] };
        let after = Duration::from_millis(dice.u64(0..1_500));
        match timeout(after, caller.screenshot(asking(url))).await {
            Ok(answer) => books.answer("leaver", answer.code(), answer.took),
            Err(_) => books.left("leaver"),
        }
        false
    }

    /// Requests a large picture and reads it slowly.
    async fn read_slowly(&self, caller: &Caller, books: &Books) -> bool {
        let mut fields = asking(&self.noise);
        fields["viewport"] = json!({"width": 900, "height": 700});
        let fields = caller.body("/browser-screenshot", fields);
        let address = caller.base.trim_start_matches("http://").trim_end_matches("/api/sandbox");
        let host = address.parse().expect("a worker's address");
        let head = raw::post("HTTP/1.1", "/api/sandbox/browser-screenshot", host, &fields);
        let mut stream = TcpStream::connect(host).await.expect("the worker listens");
        stream.write_all(head.as_bytes()).await.expect("the worker reads");
        let mut buffer = vec![0; SLOWLY_BYTES];
        let until = Instant::now() + SLOWLY_FOR;
        while Instant::now() < until && matches!(timeout(SLOWLY_FOR, stream.read(&mut buffer)).await, Ok(Ok(1..))) {
            tokio::time::sleep(SLOWLY_PAUSE).await;
        }
        books.left("slow reader");
        false
    }
}

async fn failing(caller: &Caller, url: &str, code: &str) -> Answer {
    let answer = caller.extract(asking(url)).await;
    assert_ne!(answer.status, 200, "{url} gave a success instead of {code}: {answer:?}");
    answer
}

/// Sends an invalid request, which is refused at once.
async fn nonsense(caller: &Caller, dice: &mut fastrand::Rng) -> Answer {
    let (fields, code) = match dice.u8(0..4) {
        0 => (json!({"url": "not a URL"}), "INVALID_URL"),
        1 => (json!({"url": "file:///etc/passwd"}), "INVALID_URL"),
        2 => (json!({"url": "http://[::1]:1/", "owner_token": "x.y.z"}), "UNAUTHORIZED"),
        _ => (json!({"url": "http://127.0.0.1/", "viewport": {"width": 0}}), "INVALID_REQUEST"),
    };
    let answer = caller.extract(fields).await;
    // The service may be down or busy.
    let actual = answer.code();
    let away = ["SERVICE_UNAVAILABLE", "SHUTTING_DOWN", "OVERLOADED"];
    assert!(actual.as_deref().is_some_and(|actual| actual == code || away.contains(&actual)), "not {code}: {answer:?}");
    answer
}

fn message(error: tokio::task::JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
            (Some(text), _) => text.clone(),
            (None, Some(text)) => (*text).to_owned(),
            (None, None) => "a panic without a message".to_owned(),
        },
        Err(error) => error.to_string(),
    }
}

/// A page of noise, whose picture is large.
const NOISE: &str = "<title>noise</title><body style='margin:0'><canvas id=c width=900 height=700></canvas><script>\
    const x=c.getContext('2d'),d=x.createImageData(900,700);let s=1;for(let i=0;i<d.data.length;i++){\
    s=(s*1103515245+12345)&0x7fffffff;d.data[i]=i%4==3?255:s>>16}x.putImageData(d,0,0)</script>";

/// Returns a request body for a page, with a timeout that limits hostile pages.
fn asking(url: &str) -> serde_json::Value {
    json!({"url": url, "timeout_ms": 20_000})
}
