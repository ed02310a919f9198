//! Opens a page, lets the program act on it and prints what each action changed: `session URL [REF…]`, such as
//! `session https://example.com @e1`.
//!
//! An agent does the same: it shows the snapshot to its model, which answers with the ref of the element to click.
//! `PORTHOLE_URL` is the worker's URL, `PORTHOLE_KEY` a client key if the worker requires one.

use std::error::Error;
use std::process::ExitCode;

use porthole_client::session::{ClickRequest, SnapshotInAnswer, SnapshotMode, SnapshotRequest};
use porthole_client::{Client, CreateRequest, DEFAULT_URL, SecretString, Session};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let Some(url) = arguments.next() else {
        return Err("usage: session URL [REF…]".into());
    };
    let mut client = Client::builder().url(std::env::var("PORTHOLE_URL").unwrap_or_else(|_| DEFAULT_URL.to_owned()));
    if let Ok(key) = std::env::var("PORTHOLE_KEY") {
        client = client.key(SecretString::from(key));
    }
    let client = client.build()?;

    let sandbox = client.create(&CreateRequest::default()).await?;
    let session = client.session(sandbox.sandbox_id, sandbox.owner_token);
    let outcome = act(&session, &url, arguments).await;
    // A session that is not closed ends by itself after five idle minutes.
    if session.handle().is_some() {
        session.close().await?;
    }
    outcome
}

async fn act(session: &Session, url: &str, refs: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let arrived = session.go_to(url).await?;
    println!("{} - {}", arrived.title, arrived.url);
    let page = session.snapshot(SnapshotRequest::default()).await?;
    println!("{}", page.snapshot.unwrap_or_default().tree);
    for reference in refs {
        let click = ClickRequest {
            reference: Some(reference.parse()?),
            snapshot: Some(SnapshotInAnswer::Mode(SnapshotMode::Changes)),
            ..ClickRequest::default()
        };
        let clicked = session.click(click).await?;
        for event in &clicked.events {
            println!("{event:?}");
        }
        println!("{}", clicked.snapshot.unwrap_or_default().tree);
    }
    Ok(())
}
