//! `porthole screenshot`.

use std::path::PathBuf;

use porthole_client::{ColorScheme, CreateResponse, ImageFormat, ScreenshotRequest, ScreenshotResponse, image_bytes};
use porthole_contract::Validate as _;

use super::args::ScreenshotArgs;
use super::caller::Caller;
use super::failure::Failed;
use super::picture_file::{self, format_of};
use super::{output, preview};

/// Where the picture goes.
enum Destination {
    /// A file named after the host.
    Named,
    /// This file.
    File(PathBuf),
    /// Standard output.
    Output,
    /// Only into the JSON.
    Json,
}

pub(crate) async fn run(url: Option<String>, args: ScreenshotArgs) -> Result<(), Failed> {
    let destination = destination(&args)?;
    let (json, draw) = (args.json, args.preview);
    let request = request(args, &destination)?;

    let caller = Caller::begin(url, &format!("taking a picture of {}", request.url))?;
    let answer = caller
        .in_sandbox(async |sandbox: &CreateResponse| {
            let request = ScreenshotRequest {
                sandbox_id: sandbox.sandbox_id.clone(),
                owner_token: sandbox.owner_token.clone(),
                ..request.clone()
            };
            caller.client().screenshot(&request).await
        })
        .await?;
    let picture = image_bytes(&answer)?;
    caller.progress.done();

    caller.warn(&answer.warnings);
    if answer.truncated {
        caller.progress.note("truncated: the page goes on below the picture");
    }
    let path = match destination {
        Destination::Json => return output::json(&answer),
        Destination::Output => return output::bytes(&picture),
        Destination::Named => picture_file::write_named(&request.url, &answer.mime_type, &picture)?,
        Destination::File(path) => {
            picture_file::write(&path, &picture)?;
            if let Some(asked) = format_of(&path).filter(|asked| asked.mime_type() != answer.mime_type) {
                let got = &answer.mime_type;
                caller.warn(&[format!("{} holds {got}, not {}", path.display(), asked.mime_type())]);
            }
            path
        }
    };
    if json {
        return output::json_with_path(&answer, "image_base64", &path);
    }
    if draw {
        preview::draw(&picture);
    }
    caller.progress.remark(&summary(&answer));
    output::text(&path.display().to_string())
}

/// Chooses the destination, and refuses invalid combinations before the request is sent.
fn destination(args: &ScreenshotArgs) -> Result<Destination, Failed> {
    let other = if args.json { Some("--json") } else { args.preview.then_some("--preview") };
    if output::takes_bytes(args.output.as_deref(), "a picture", other)? {
        return Ok(Destination::Output);
    }
    Ok(match &args.output {
        Some(path) => Destination::File(path.clone()),
        None if args.json => Destination::Json,
        None => Destination::Named,
    })
}

fn request(args: ScreenshotArgs, destination: &Destination) -> Result<ScreenshotRequest, Failed> {
    let by_ending = match destination {
        Destination::File(path) => format_of(path),
        _ => None,
    };
    let request = ScreenshotRequest {
        sandbox_id: "-".to_owned(),
        full_page: args.full_page,
        viewport: args.window.viewport(),
        selector: args.selector,
        format: args.format.map(ImageFormat::from).or(by_ending),
        quality: args.quality,
        color_scheme: args.dark.then_some(ColorScheme::Dark),
        reduced_motion: args.reduced_motion.then_some(true),
        wait: args.wait.wait(),
        on_timeout: Some(args.wait.on_timeout()),
        timeout_ms: args.wait.timeout,
        max_bytes: args.max_bytes,
        url: args.page,
        ..ScreenshotRequest::default()
    };
    request.validate().map_err(|invalid| Failed::Usage(invalid.to_string()))?;
    Ok(request)
}

fn summary(answer: &ScreenshotResponse) -> String {
    format!(
        "{} - HTTP {}, {}×{}, {} kB, {} ms",
        if answer.title.is_empty() { &answer.final_url } else { &answer.title },
        answer.status_code,
        answer.width,
        answer.height,
        answer.bytes.div_ceil(1000),
        answer.timings_ms.total
    )
}
