//! Commands that look at the page as it stands: its snapshot, a picture, its text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use porthole_client::session::{SessionExtractRequest, SessionScreenshotRequest, SnapshotRequest};

use super::acting::no_more;
use super::checked::checked;
use super::{Browser, show};
use crate::args::session::{ReadArgs, ShotArgs, SnapshotArgs};
use crate::failure::Failed;
use crate::{output, picture_file};

pub(super) async fn snapshot(url: Option<String>, args: &SnapshotArgs) -> Result<(), Failed> {
    let request = checked(SnapshotRequest {
        sandbox_id: "-".to_owned(),
        tab: args.call.tab.clone(),
        timeout_ms: args.call.timeout,
        interactive_only: args.all.then_some(false),
        changes: args.changes,
        max_depth: args.depth,
        root: args.root,
        offset: args.offset,
        max_chars: args.max_chars,
        boxes: args.boxes,
        ..SnapshotRequest::default()
    })?;
    let browser = Browser::resume(url, &args.call, "looking")?;
    let answer = browser.settle(browser.session.snapshot(request).await, args.call.json)?;
    show::acted(&browser.caller, &answer, true, args.call.json)
}

pub(super) async fn shot(url: Option<String>, args: ShotArgs) -> Result<(), Failed> {
    let to_output = output::takes_bytes(args.output.as_deref(), "a picture", args.call.json.then_some("--json"))?;
    let target = if args.words.is_empty() { args.target.optional(&[]) } else { args.target.needed(&args.words) };
    let target = target.and_then(no_more)?;
    let named = args.output.as_deref().and_then(picture_file::format_of);
    let request = checked(SessionScreenshotRequest {
        sandbox_id: "-".to_owned(),
        tab: args.call.tab.clone(),
        timeout_ms: args.call.timeout,
        reference: target.reference,
        target: target.target,
        at: target.at,
        full_page: args.full_page,
        format: args.format.map(Into::into).or(named),
        quality: args.quality,
        annotate: args.annotate,
        ..SessionScreenshotRequest::default()
    })?;
    let browser = Browser::resume(url, &args.call, "taking a picture")?;
    let answer = browser.settle(browser.session.screenshot(request).await, args.call.json)?;
    show::noted(&browser.caller, &answer);
    let no_picture = |_| Failed::io("read the picture", std::io::Error::other("it is not base64"));
    let picture = STANDARD.decode(&answer.result.image_base64).map_err(no_picture)?;
    if answer.result.truncated {
        browser.caller.progress.note("truncated: the page goes on below the picture");
    }
    let path = match args.output {
        None if args.call.json => return output::json(&answer),
        None => picture_file::write_named(&answer.url, &answer.result.mime_type, &picture)?,
        Some(_) if to_output => return output::bytes(&picture),
        Some(path) => {
            picture_file::write(&path, &picture)?;
            path
        }
    };
    if args.call.json {
        return output::json_with_path(&answer, "image_base64", &path);
    }
    output::text(&path.display().to_string())
}

pub(super) async fn read(url: Option<String>, args: ReadArgs) -> Result<(), Failed> {
    let request = checked(SessionExtractRequest {
        sandbox_id: "-".to_owned(),
        tab: args.call.tab.clone(),
        timeout_ms: args.call.timeout,
        instruction: args.instruction,
        offset: args.offset,
        max_chars: args.max_chars,
        ..SessionExtractRequest::default()
    })?;
    let browser = Browser::resume(url, &args.call, "reading")?;
    let answer = browser.settle(browser.session.extract(request).await, args.call.json)?;
    show::noted(&browser.caller, &answer);
    let read = &answer.result;
    if read.truncated {
        let shown = read.content.chars().count();
        let more = read.next_offset.map(|next| format!("; the rest: --offset {next}")).unwrap_or_default();
        browser.caller.progress.note(&format!("truncated: {shown} of {} characters{more}", read.total_chars));
    }
    if args.call.json {
        return output::json(&answer);
    }
    if read.results.is_empty() {
        return output::text(&read.content);
    }
    let contents: Vec<&str> = read.results.iter().map(|result| result.content.as_str()).collect();
    output::text(&contents.join("\n\n"))
}
