//! `make bench`: time and cost of a screenshot with Porthole and its alternatives, a bare script, Playwright and
//! browserless, on the same Chromium. Prints Markdown. It asserts no times.
//!
//! For latency the contenders take single shots in turns, with a pause before each, so that contenders with warm pages
//! can prepare the next. For throughput and cost they take turns with bursts at each concurrency.
//!
//! Arguments: `--shots N` (single shots), `--bursts N` (bursts for each concurrency), `--burst N` (shots in a burst),
//! `--pages tiny,article,app`, `--at-once 1,2,4,8`, `--only WORDS` (contenders whose names contain one of them),
//! `--browserless` (npm installs it and Node 24: some 500 MB), `--setting NAME=VALUE` (for Porthole; repeatable),
//! `--before FOLDER` (the `porthole-service` and `porthole-worker` of another commit, which take their turns as well),
//! `--output FILE` (also writes the report there). `--settled` compares instead what the pictures show, in `--bursts`
//! rounds.

mod arguments;
mod contender;
mod floor;
mod node;
mod pages;
mod porthole;
mod report;
mod service;
mod settled;
mod usage;

use std::time::Duration;

use porthole_tests::Stack;
use tokio::time::{Instant, sleep};

use self::arguments::Arguments;
use self::contender::{Contender, Job};
use self::report::{Cell, Report};
use self::usage::Usage;

/// Pause before each single shot, so that contenders can prepare their next page.
const PAUSE: Duration = Duration::from_millis(250);
/// Time after which every page of the bench has reached its final state.
const FINISHED_AFTER: Duration = Duration::from_secs(2);
/// Unmeasured shots at the start, which fill caches and warm up compilers.
const WARM_UP_SHOTS: usize = 3;

#[tokio::main]
async fn main() {
    let arguments = Arguments::read();
    let settings = arguments.settings.iter();
    let shipped =
        || settings.clone().fold(Stack::with().as_shipped(), |stack, (name, value)| stack.setting(name, value));
    let stack = Box::pin(shipped().start()).await;
    let before = match &arguments.before {
        // Its pages come from the same site.
        Some(folder) => {
            let before = shipped()
                .executables(folder)
                .setting("PORTHOLE_ALLOW_TARGETS", &stack.site.allow_targets())
                .setting("PORTHOLE_RESOLVE", &stack.site.resolve());
            Some(Box::pin(before.start()).await)
        }
        None => None,
    };
    let pages = pages::put(&stack.site, &arguments.pages);
    let contenders = Box::pin(contender::all(&stack, before.as_ref(), &arguments)).await;
    if arguments.settled {
        let text = settled::compare(&stack.site, &contenders, arguments.bursts).await;
        report::put_out(&text, arguments.output.as_deref());
        for contender in contenders {
            contender.end().await;
        }
        return;
    }
    let mut report = Report::new(&arguments, &contenders);

    for page in &pages {
        let job = |until| Job { url: page.url.clone(), until, shots: 1, at_once: 1 };
        eprintln!("{}: reference pictures of the finished page", page.name);
        let finished = floor::finished(&contenders, &page.url, FINISHED_AFTER).await;
        for contender in &contenders {
            for _ in 0..WARM_UP_SHOTS {
                contender.take(&job(contender.until())).await;
            }
        }
        one_at_a_time(&arguments, page, &contenders, &finished, &mut report).await;
        for at_once in &arguments.at_once {
            bursts(&arguments, page, &contenders, *at_once, &mut report).await;
        }
    }
    if arguments.only.is_empty() {
        eprintln!("the service itself");
        let measuring = service::measure(&arguments, &stack, &pages[0].url, arguments.growth_shots);
        report.own = Some(Box::pin(measuring).await);
    }
    report.show(arguments.output.as_deref());
    for contender in contenders {
        contender.end().await;
    }
}

/// Measures latency: the contenders take single shots in turns.
async fn one_at_a_time(
    arguments: &Arguments,
    page: &pages::Page,
    contenders: &[Contender<'_>],
    finished: &floor::Finished,
    report: &mut Report,
) {
    for shot in 1..=arguments.shots {
        eprintln!("{}, one at a time: {shot} of {}", page.name, arguments.shots);
        for contender in contenders {
            sleep(PAUSE).await;
            let job = Job { url: page.url.clone(), until: contender.until(), shots: 1, at_once: 1 };
            let burst = contender.take(&job).await;
            let is_final = finished.is_shown_by(&burst.picture);
            report.alone(page.name, contender.name(), &burst, is_final);
        }
    }
}

/// Measures throughput, cost and memory: the contenders take bursts in turns.
async fn bursts(
    arguments: &Arguments,
    page: &pages::Page,
    contenders: &[Contender<'_>],
    at_once: usize,
    report: &mut Report,
) {
    let shots = arguments.burst.max(at_once);
    for round in 1..=arguments.bursts {
        eprintln!("{}, {at_once} at once: burst {round} of {}", page.name, arguments.bursts);
        for contender in contenders {
            sleep(PAUSE).await;
            let job = Job { url: page.url.clone(), until: contender.until(), shots, at_once };
            let before = Usage::of(contender);
            let started = Instant::now();
            let burst = contender.take(&job).await;
            let took = started.elapsed();
            // Work after the last answer belongs to the cost: disposing of contexts, preparing pages.
            sleep(PAUSE).await;
            let cpu_ms = Usage::of(contender).cpu_ms_since(&before) / shots as f64;
            report.burst(Cell { page: page.name, contender: contender.name(), at_once }, &burst.took_ms, took, cpu_ms);
        }
    }
    // Memory is sampled in a separate burst, because sampling takes time.
    for contender in contenders {
        let job = Job { url: page.url.clone(), until: contender.until(), shots: shots.min(4 * at_once), at_once };
        let (_, peak_mb) = tokio::join!(contender.take(&job), usage::peak_mb(contender));
        report.memory(Cell { page: page.name, contender: contender.name(), at_once }, peak_mb);
    }
}
