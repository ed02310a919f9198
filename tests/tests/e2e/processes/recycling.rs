//! Recycle policy: worn browsers are replaced while requests go on, and however many die, no resources leak.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use porthole_tests::eventually::so;
use porthole_tests::family::Relative;
use porthole_tests::{Stack, eventually};
use serde_json::json;

const SETTLED_WITHIN: Duration = Duration::from_secs(60);
/// The pause between two rounds of requests. The service measures a browser's memory at intervals, which more requests don't
/// shorten.
const PAUSE: Duration = Duration::from_millis(150);
/// Number of times that the browser is killed: more than the service accepts without a back-off.
const KILLS: usize = 6;
/// Files that the service may have open more than before: sockets that have just closed, a file being read.
const SLACK: usize = 8;

fn browsers(stack: &Stack) -> BTreeSet<i32> {
    stack.chromium().into_iter().filter(Relative::is_browser).map(|browser| browser.pid).collect()
}

async fn worn_out(setting: &str, value: &str) -> Stack {
    let stack = Stack::with()
        .setting("PORTHOLE_MAX_CONCURRENT", "2")
        .setting("PORTHOLE_WARM_PAGES", "1")
        .setting(setting, value)
        .start()
        .await;
    let first = browsers(&stack);
    let url = stack.site.html("<p>nobody notices");
    let (mut seen, mut asked) = (first.clone(), 0);
    // Waits until the first browser has been replaced and its successor, too, while requests go on.
    eventually(SETTLED_WITHIN, async || {
        let answers = futures_util::future::join_all((0..3).map(|_| stack.extract(json!({"url": url})))).await;
        for answer in answers {
            assert_eq!(answer.content().trim(), "nobody notices");
        }
        asked += 3;
        tokio::time::sleep(PAUSE).await;
        let now = browsers(&stack);
        assert!(now.len() <= 2, "{now:?} run at once");
        seen.extend(&now);
        so(seen.len() > 2 && now.is_disjoint(&first), format!("{seen:?} so far, {now:?} now"))
    })
    .await;
    let sessions = stack.metrics().await["sessions"].clone();
    assert_eq!((&sessions["created"], &sessions["leaked"]), (&json!(asked), &json!(0)), "{sessions}");
    stack
}

#[tokio::test]
async fn a_browser_is_replaced_after_its_pages_and_no_request_notices() {
    let stack = worn_out("PORTHOLE_BROWSER_MAX_PAGES", "5").await;
    stack.expect_idle(Duration::from_secs(5)).await;
    // The newest browser's warm pages must not keep its predecessor alive.
    eventually(SETTLED_WITHIN, async || {
        let (now, files) = (browsers(&stack), stack.home.left_in_temp());
        so(now.len() == 1 && files.len() == 1, format!("{now:?} run, with {files:?}"))
    })
    .await;
}

#[tokio::test]
async fn a_browser_is_replaced_when_it_has_grown_too_large_and_no_request_notices() {
    // Any browser uses more than a megabyte: each is replaced as soon as its memory is measured.
    worn_out("PORTHOLE_BROWSER_MAX_MEMORY_MB", "1").await;
}

/// Counts children of the service that have ended and that it has not reaped.
fn zombies(stack: &Stack) -> usize {
    let parent = stack.service.process.pid().to_string();
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    let stats = entries.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    let ended = stats.filter(|stat| {
        let mut fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
        (fields.next(), fields.next()) == (Some("Z"), Some(&parent))
    });
    ended.count()
}

/// Counts the files, sockets and pipes that the service has open.
fn held_open(stack: &Stack) -> usize {
    fs::read_dir(format!("/proc/{}/fd", stack.service.process.pid())).expect("the service is alive").count()
}

#[tokio::test]
async fn however_many_browsers_die_nothing_of_them_piles_up() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "2").setting("PORTHOLE_WARM_PAGES", "2").start().await;
    stack.expect_alive().await;
    let warm = async || {
        eventually(SETTLED_WITHIN, async || {
            let pages = stack.metrics().await["pages"].clone();
            so(pages["warm"] == 2 && pages["busy"] == 0, format!("pages are {pages}"))
        })
        .await;
    };
    warm().await;
    let (open_before, url) = (held_open(&stack), stack.site.html("<p>again"));
    let mut rested = 0;
    for round in 0..KILLS {
        stack.chromium().iter().filter(|one| one.is_browser()).for_each(Relative::kill);
        eventually(SETTLED_WITHIN, async || {
            let answer = stack.extract(json!({"url": url})).await;
            if answer.json()["retry_after_ms"].is_u64() {
                answer.expect_code("SESSION_CREATE_FAILED");
                rested += 1;
            }
            so(answer.status == 200, format!("round {round}: {answer:?}"))
        })
        .await;
    }
    assert!(rested > 0, "browsers that died young one after another were started without a back-off");
    warm().await;
    eventually(SETTLED_WITHIN, async || {
        let open = held_open(&stack);
        so(browsers(&stack).len() == 1, format!("browsers: {:?}", browsers(&stack)))?;
        so(zombies(&stack) == 0, format!("{} zombies", zombies(&stack)))?;
        so(stack.home.left_in_temp().len() == 1, format!("files: {:?}", stack.home.left_in_temp()))?;
        so(open <= open_before + SLACK, format!("{open} files and sockets are open, {open_before} were"))
    })
    .await;
}
