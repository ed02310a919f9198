//! Reads a page and prints its text: `extract URL [INSTRUCTION]`, such as `extract https://example.com article`.
//!
//! The client itself retries temporary failures; the callback only reports them. `PORTHOLE_URL` is the worker's URL,
//! `PORTHOLE_KEY` a client key if the worker requires one. `PORTHOLE_SANDBOX_ID` and `PORTHOLE_OWNER_TOKEN` name a
//! sandbox whose token was minted elsewhere (see `mint_token`); without them the worker creates a sandbox.

use std::error::Error;
use std::process::ExitCode;

use porthole_client::{Client, CreateRequest, DEFAULT_URL, ExtractRequest, SecretString};

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
        return Err("usage: extract URL [INSTRUCTION]".into());
    };
    let mut client = Client::builder()
        .url(std::env::var("PORTHOLE_URL").unwrap_or_else(|_| DEFAULT_URL.to_owned()))
        .on_retry(|retry| eprintln!("retry {} in {:?}: {}", retry.number, retry.wait, retry.error));
    if let Ok(key) = std::env::var("PORTHOLE_KEY") {
        client = client.key(SecretString::from(key));
    }
    let client = client.build()?;

    let minted = std::env::var("PORTHOLE_SANDBOX_ID").ok().zip(std::env::var("PORTHOLE_OWNER_TOKEN").ok());
    let (sandbox_id, owner_token) = match minted {
        Some((sandbox_id, token)) => (sandbox_id, Some(SecretString::from(token))),
        None => {
            let sandbox = client.create(&CreateRequest::default()).await?;
            (sandbox.sandbox_id, sandbox.owner_token)
        }
    };
    let request = ExtractRequest { sandbox_id, owner_token, url, instruction: arguments.next(), ..Default::default() };
    let answer = client.extract(&request).await?;
    for warning in &answer.warnings {
        eprintln!("{warning}");
    }
    println!("{}", answer.content);
    Ok(())
}
