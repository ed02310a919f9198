//! `porthole demo`: starts service and worker, shows a page's picture and text, fills its form in a session, and prints
//! commands to try next.

mod site;

use std::env;

use clap::Parser as _;

use self::site::Site;
use super::args::{Cli, Command, DemoArgs, UpArgs};
use super::failure::Failed;
use super::up::{self, Then};
use super::{browser, extract, output, screenshot};

const ALLOW_TARGETS: &str = "PORTHOLE_ALLOW_TARGETS";
/// The page shown when the browsers can't reach the demo's own page.
const FAR_AWAY: &str = "https://example.com/";
/// The length of the text shown.
const SHOWN_CHARS: &str = "1500";

pub(crate) async fn run(args: DemoArgs) -> Result<(), Failed> {
    let given = args.page.or_else(|| browsers_are_far_away().then(|| FAR_AWAY.to_owned()));
    // Kept until the end: the printed curl commands use its URL.
    let site = match given {
        Some(_) => None,
        None => Some(Site::start().await.map_err(|error| Failed::io("serve the demo page", error))?),
    };
    let page = match (&site, given) {
        (Some(site), _) => format!("http://{}/", site.address),
        (None, page) => page.unwrap_or_default(),
    };
    let mut allowed: Vec<String> = env::var(ALLOW_TARGETS).ok().filter(|list| !list.is_empty()).into_iter().collect();
    allowed.extend(site.as_ref().map(|site| site.address.to_string()));
    let up =
        UpArgs { allow_targets: (!allowed.is_empty()).then(|| allowed.join(",")), verbose: args.verbose, json: false };
    up::run_then(&up, &page, async |worker| {
        show(worker, &page, &args.output).await?;
        if site.is_some() {
            act(worker, &page, args.once).await?;
        }
        Ok(if args.once { Then::End } else { Then::Keep })
    })
    .await
}

/// Returns whether pages are opened by remote browsers, which can't reach the demo's own page on this machine.
fn browsers_are_far_away() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_account = is_set("BROWSERBASE_API_KEY") || is_set("BROWSERBASE_API_KEY_FILE");
    let is_asked_for =
        env::var("PORTHOLE_PROVIDER").map_or(true, |name| matches!(name.as_str(), "" | "auto" | "browserbase"));
    // The emulator's browsers run on this machine.
    let is_here = env::var("PORTHOLE_BROWSERBASE_URL").is_ok_and(|base| base.starts_with("http://"));
    has_account && is_asked_for && !is_here
}

/// Runs and prints the commands that a person would type.
async fn show(worker: &str, page: &str, picture: &str) -> Result<(), Failed> {
    output::text(&format!("$ porthole screenshot {page} -o {picture} --preview"))?;
    if let Command::Screenshot(args) = command(&["screenshot", page, "-o", picture, "--preview"])? {
        screenshot::run(Some(worker.to_owned()), *args).await?;
    }
    output::text(&format!("\n$ porthole extract {page} --max-chars {SHOWN_CHARS}"))?;
    if let Command::Extract(args) = command(&["extract", page, "--max-chars", SHOWN_CHARS])? {
        extract::run(Some(worker.to_owned()), *args).await?;
    }
    output::text("")
}

/// Fills the demo page's form in a session, as an agent would, and prints what an agent sees. If the demo goes on, so
/// does the session, for its live view.
async fn act(worker: &str, page: &str, once: bool) -> Result<(), Failed> {
    let lines: [&[&str]; 5] = [
        &["open", page, "--watch"],
        &["type", "--label", "Your name", "Ada"],
        &["check", "--label", "On board"],
        &["click", "--role", "button", "--name", "Cast off"],
        &["close"],
    ];
    for line in &lines[..if once { lines.len() } else { lines.len() - 1 }] {
        let quoted = line.iter().map(|word| if word.contains(' ') { format!("'{word}'") } else { (*word).to_owned() });
        output::text(&format!("$ porthole {}", quoted.collect::<Vec<_>>().join(" ")))?;
        if let Command::Session(command) = command(line)? {
            browser::run(Some(worker.to_owned()), command).await?;
        }
    }
    output::text("")
}

fn command(arguments: &[&str]) -> Result<Command, Failed> {
    let line = ["porthole"].iter().chain(arguments);
    Cli::try_parse_from(line).map(|cli| cli.command).map_err(|error| Failed::Usage(error.to_string()))
}
