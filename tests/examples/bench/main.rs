//! `make bench`: how long a screenshot takes, and what it costs, beside what else one could take: a bare script, Playwright
//! and browserless, with the same Chromium. Prints Markdown. Nothing is asserted of the time.
//!
//! One at a time everybody takes a shot in turns, with a pause before each, so that pages are ready for whoever keeps some.
//! For throughput and cost everybody in turns works off a burst with so many at once.
//!
//! Arguments: `--shots N` (a time, one at a time), `--bursts N` (for each number at once), `--burst N` (shots in one),
//! `--pages tiny,article,app`, `--at-once 1,2,4,8`, `--only WORDS` (contenders whose names hold one), `--browserless` (npm
//! installs it and Node 24: some 500 MB), `--setting NAME=VALUE` (of Porthole's; any number of them), `--output FILE` (the
//! report goes there, too). `--settled` asks something else, `--bursts` times: what the pictures show.

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

/// Before each shot, one at a time: for whoever makes the next page ready.
const PAUSE: Duration = Duration::from_millis(250);
/// After so long every page here is as it will be.
const FINISHED_AFTER: Duration = Duration::from_secs(2);
/// Shots before any that counts: caches and compilers have seen the page then.
const WARM_UP_SHOTS: usize = 3;

#[tokio::main]
async fn main() {
    let arguments = Arguments::read();
    let settings = arguments.settings.iter();
    let stack = settings.fold(Stack::with(), |stack, (name, value)| stack.setting(name, value));
    let stack = Box::pin(stack.start()).await;
    let pages = pages::put(&stack.site, &arguments.pages);
    let contenders = Box::pin(contender::all(&stack, &arguments)).await;
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
        eprintln!("{}: the page as it will be", page.name);
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

/// Latency: everybody takes a shot in turns.
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

/// Throughput, cost and memory: everybody works off bursts in turns.
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
            // What is done after the last answer belongs to the cost: contexts disposed of, pages made ready.
            sleep(PAUSE).await;
            let cpu_ms = Usage::of(contender).cpu_ms_since(&before) / shots as f64;
            report.burst(Cell { page: page.name, contender: contender.name(), at_once }, &burst.took_ms, took, cpu_ms);
        }
    }
    // Memory is looked at in a burst of its own: looking takes time.
    for contender in contenders {
        let job = Job { url: page.url.clone(), until: contender.until(), shots: shots.min(4 * at_once), at_once };
        let (_, peak_mb) = tokio::join!(contender.take(&job), usage::peak_mb(contender));
        report.memory(Cell { page: page.name, contender: contender.name(), at_once }, peak_mb);
    }
}
