//! Takes a picture of a page and writes it to a file: `screenshot URL FILE`.
//!
//! `PORTHOLE_URL` is the worker's URL, `PORTHOLE_KEY` a client key if the worker requires one.

use std::error::Error;
use std::process::ExitCode;

use porthole_client::{Client, CreateRequest, DEFAULT_URL, ScreenshotRequest, SecretString, image_bytes};

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
    let (Some(url), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: screenshot URL FILE".into());
    };
    let mut client = Client::builder().url(std::env::var("PORTHOLE_URL").unwrap_or_else(|_| DEFAULT_URL.to_owned()));
    if let Ok(key) = std::env::var("PORTHOLE_KEY") {
        client = client.key(SecretString::from(key));
    }
    let client = client.build()?;

    // One sandbox serves any number of requests until its token expires, after a day by default.
    let sandbox = client.create(&CreateRequest::default()).await?;
    let answer = client
        .screenshot(&ScreenshotRequest {
            sandbox_id: sandbox.sandbox_id,
            owner_token: sandbox.owner_token,
            url,
            ..ScreenshotRequest::default()
        })
        .await?;
    std::fs::write(&file, image_bytes(&answer)?)?;
    for warning in &answer.warnings {
        eprintln!("{warning}");
    }
    println!("{file}: {}x{} {}", answer.width, answer.height, answer.mime_type);
    Ok(())
}
