//! `porthole demo`: service and worker, a picture of a page and its text, and lines to go on with.

mod site;

use std::env;

use clap::Parser as _;

use self::site::Site;
use super::args::{Cli, Command, DemoArgs, UpArgs};
use super::failure::Failed;
use super::up::{self, Then};
use super::{extract, output, screenshot};

const ALLOW_TARGETS: &str = "PORTHOLE_ALLOW_TARGETS";
/// How much of the text is shown.
const SHOWN_CHARS: &str = "1500";

pub(crate) async fn run(args: DemoArgs) -> Result<(), Failed> {
    // Held until the end: the curl lines name it.
    let site = match args.page {
        Some(_) => None,
        None => Some(Site::start().await.map_err(|error| Failed::io("serve the demo page", error))?),
    };
    let page = match (&site, args.page) {
        (Some(site), _) => format!("http://{}/", site.address),
        (None, page) => page.unwrap_or_default(),
    };
    let mut allowed: Vec<String> = env::var(ALLOW_TARGETS).ok().filter(|list| !list.is_empty()).into_iter().collect();
    allowed.extend(site.as_ref().map(|site| site.address.to_string()));
    let up =
        UpArgs { allow_targets: (!allowed.is_empty()).then(|| allowed.join(",")), verbose: args.verbose, json: false };
    up::run_then(&up, &page, async |worker| {
        show(worker, &page, &args.output).await?;
        Ok(if args.once { Then::End } else { Then::Keep })
    })
    .await
}

/// The same commands that a person would type.
async fn show(worker: &str, page: &str, picture: &str) -> Result<(), Failed> {
    output::text(&format!("$ porthole screenshot {page} -o {picture} --preview"))?;
    if let Command::Screenshot(args) = command(&["screenshot", page, "-o", picture, "--preview"])? {
        screenshot::run(Some(worker.to_owned()), *args).await?;
    }
    output::text(&format!("\n$ porthole extract {page} --max-chars {SHOWN_CHARS}"))?;
    if let Command::Extract(args) = command(&["extract", page, "--max-chars", SHOWN_CHARS])? {
        extract::run(Some(worker.to_owned()), args).await?;
    }
    output::text("")
}

fn command(arguments: &[&str]) -> Result<Command, Failed> {
    let line = ["porthole"].iter().chain(arguments);
    Cli::try_parse_from(line).map(|cli| cli.command).map_err(|error| Failed::Usage(error.to_string()))
}
