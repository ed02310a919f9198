//! Commands that act on pages. They print what changed.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use porthole_client::Error;
use porthole_client::session::{
    Acted, CheckRequest, ClickRequest, DialogRequest, DragRequest, HistoryAction, HoverRequest, NavigateRequest,
    PressRequest, ScrollDirection, ScrollEnd, ScrollRequest, SelectRequest, SessionAnswer, SnapshotInAnswer,
    SnapshotMode, TargetObject, TypeRequest, UploadFile, UploadRequest, WaitRequest,
};
use porthole_contract::limits::UPLOAD_MAX_BYTES;

use super::checked::checked;
use super::{Browser, show};
use crate::args::session::{
    ActArgs, CheckArgs, ClickArgs, DialogAnswer, DialogArgs, DragArgs, GotoArgs, HoverArgs, PressArgs, ScrollArgs,
    SelectArgs, TypeArgs, UploadArgs, WaitForArgs,
};
use crate::args::target::{parse_place, parse_ref};
use crate::failure::Failed;

/// Builds a request: the fields of every call from `$act`, those of the target if there is one, and its own.
macro_rules! request {
    ($request:ident, $act:expr, $mode:expr, { $($field:ident $(: $value:expr)?),* $(,)? }) => {
        checked($request {
            sandbox_id: "-".to_owned(),
            tab: $act.call.tab.clone(),
            timeout_ms: $act.call.timeout,
            snapshot: Some(shown($act, $mode)),
            $($field $(: $value)?,)*
            ..$request::default()
        })?
    };
    ($request:ident, $act:expr, $target:expr) => {
        request!($request, $act, $target, {})
    };
}

/// The same of a request with a target.
macro_rules! targeted {
    ($request:ident, $act:expr, $target:expr, { $($field:ident $(: $value:expr)?),* $(,)? }) => {{
        let target = $target;
        request!($request, $act, SnapshotMode::Changes, {
            reference: target.reference,
            target: target.target,
            at: target.at,
            $($field $(: $value)?,)*
        })
    }};
}

pub(super) async fn go_to(url: Option<String>, args: GotoArgs) -> Result<(), Failed> {
    let wait_until = args.wait();
    let request = request!(NavigateRequest, &args.act, SnapshotMode::Full, { url: Some(args.page), wait_until });
    let browser = Browser::resume(url, &args.act.call, "going there")?;
    browser.acted(browser.session.navigate(request).await, &args.act)
}

pub(super) async fn history(url: Option<String>, act: &ActArgs, action: HistoryAction) -> Result<(), Failed> {
    let request = request!(NavigateRequest, act, SnapshotMode::Full, { action: Some(action) });
    let browser = Browser::resume(url, &act.call, "going there")?;
    browser.acted(browser.session.navigate(request).await, act)
}

pub(super) async fn click(url: Option<String>, args: &ClickArgs) -> Result<(), Failed> {
    let target = args.target.needed(&args.words).and_then(no_more)?;
    let click_count = args.double.then_some(2);
    let request =
        targeted!(ClickRequest, &args.act, target, { button: args.button(), click_count, modifiers: args.held() });
    let browser = Browser::resume(url, &args.act.call, "clicking")?;
    browser.acted(browser.session.click(request).await, &args.act)
}

pub(super) async fn type_text(url: Option<String>, args: &TypeArgs) -> Result<(), Failed> {
    let (target, rest) = args.target.needed(&args.words)?;
    let text = only(rest, "text")?.to_owned();
    let (submit, slowly) = (args.submit, args.slowly);
    let clear = args.append.then_some(false);
    let request = targeted!(TypeRequest, &args.act, target, { text, clear, submit, slowly });
    let browser = Browser::resume(url, &args.act.call, "typing")?;
    browser.acted(browser.session.type_text(request).await, &args.act)
}

pub(super) async fn press(url: Option<String>, args: &PressArgs) -> Result<(), Failed> {
    let (target, rest) = args.target.optional(&args.words)?;
    let key = only(rest, "key")?.to_owned();
    let request = targeted!(PressRequest, &args.act, target, { key });
    let browser = Browser::resume(url, &args.act.call, "pressing")?;
    browser.acted(browser.session.press(request).await, &args.act)
}

pub(super) async fn hover(url: Option<String>, args: &HoverArgs) -> Result<(), Failed> {
    let target = args.target.needed(&args.words).and_then(no_more)?;
    let request = targeted!(HoverRequest, &args.act, target, {});
    let browser = Browser::resume(url, &args.act.call, "moving the pointer")?;
    browser.acted(browser.session.hover(request).await, &args.act)
}

pub(super) async fn select(url: Option<String>, args: &SelectArgs) -> Result<(), Failed> {
    let (target, values) = args.target.needed(&args.words)?;
    let request = targeted!(SelectRequest, &args.act, target, { values: values.to_vec() });
    let browser = Browser::resume(url, &args.act.call, "choosing")?;
    browser.acted(browser.session.select(request).await, &args.act)
}

pub(super) async fn check(url: Option<String>, args: &CheckArgs) -> Result<(), Failed> {
    let target = args.target.needed(&args.words).and_then(no_more)?;
    let request = targeted!(CheckRequest, &args.act, target, { checked: Some(!args.off) });
    let browser = Browser::resume(url, &args.act.call, "checking")?;
    browser.acted(browser.session.check(request).await, &args.act)
}

pub(super) async fn drag(url: Option<String>, args: &DragArgs) -> Result<(), Failed> {
    let (target, rest) = args.target.needed(&args.words)?;
    let to = parse_place(only(rest, "place to drop it")?)?;
    let request = targeted!(DragRequest, &args.act, target, { to });
    let browser = Browser::resume(url, &args.act.call, "dragging")?;
    browser.acted(browser.session.drag(request).await, &args.act)
}

pub(super) async fn scroll(url: Option<String>, args: &ScrollArgs) -> Result<(), Failed> {
    let (target, rest) = args.target.optional(&args.words)?;
    let (direction, to) = match rest {
        [] if target == TargetObject::default() => {
            let how = "up, down, left, right, top or bottom, or the ref of an element that is to be in view";
            return Err(Failed::Usage(format!("where to? Give {how}")));
        }
        [] => (None, None),
        _ => match only(rest, "direction")? {
            "up" => (Some(ScrollDirection::Up), None),
            "down" => (Some(ScrollDirection::Down), None),
            "left" => (Some(ScrollDirection::Left), None),
            "right" => (Some(ScrollDirection::Right), None),
            "top" => (None, Some(ScrollEnd::Top)),
            "bottom" => (None, Some(ScrollEnd::Bottom)),
            other => {
                let reason = format!("{other:?} is no direction: up, down, left, right, top or bottom");
                return Err(Failed::Usage(reason));
            }
        },
    };
    let request = targeted!(ScrollRequest, &args.act, target, { direction, to, amount: args.amount });
    let browser = Browser::resume(url, &args.act.call, "scrolling")?;
    browser.acted(browser.session.scroll(request).await, &args.act)
}

pub(super) async fn upload(url: Option<String>, args: &UploadArgs) -> Result<(), Failed> {
    let (target, paths) = args.target.needed(&args.words)?;
    let files = read_files(paths)?;
    let request = targeted!(UploadRequest, &args.act, target, { files });
    let browser = Browser::resume(url, &args.act.call, "uploading")?;
    browser.acted(browser.session.upload(request).await, &args.act)
}

pub(super) async fn wait(url: Option<String>, args: &WaitForArgs) -> Result<(), Failed> {
    let reference = args.words.first().map(|word| parse_ref(word)).transpose()?;
    let target = args.element.named()?;
    let conditions = usize::from(reference.is_some()) + usize::from(target.is_some()) + args.other_conditions();
    if conditions != 1 {
        let what = "an element, --text, --text-gone, --page-url, --idle or --for";
        return Err(Failed::Usage(format!("say what to wait for, by one of these: {what}")));
    }
    let request = request!(WaitRequest, &args.act, SnapshotMode::Changes, {
        reference,
        target,
        state: args.state(),
        ms: args.time,
        text: args.text.clone(),
        text_gone: args.text_gone.clone(),
        url: args.page_url.clone(),
        network_idle_ms: args.idle,
    });
    let browser = Browser::resume(url, &args.act.call, "waiting")?;
    let json = args.act.call.json;
    let answer = browser.settle(browser.session.wait(request).await, json)?;
    show::acted(&browser.caller, &answer, false, json)
}

pub(super) async fn dialog(url: Option<String>, args: DialogArgs) -> Result<(), Failed> {
    let accept = args.answer == DialogAnswer::Accept;
    let request = request!(DialogRequest, &args.act, SnapshotMode::Changes, { accept, text: args.text });
    let browser = Browser::resume(url, &args.act.call, "answering")?;
    let json = args.act.call.json;
    let answer = browser.settle(browser.session.dialog(request).await, json)?;
    show::acted(&browser.caller, &answer, false, json)
}

impl Browser {
    fn acted(&self, outcome: Result<SessionAnswer<Acted>, Error>, act: &ActArgs) -> Result<(), Failed> {
        let answer = self.settle(outcome, act.call.json)?;
        show::status(&self.caller, answer.result.status_code, act.call.json);
        show::acted(&self.caller, &answer, answer.result.navigated, act.call.json)
    }
}

fn shown(act: &ActArgs, mode: SnapshotMode) -> SnapshotInAnswer {
    SnapshotInAnswer::Mode(if act.full { SnapshotMode::Full } else { mode })
}

/// Returns the only word that is left.
fn only<'a>(words: &'a [String], what: &str) -> Result<&'a str, Failed> {
    match words {
        [one] => Ok(one),
        [] => Err(Failed::Usage(format!("the {what} is missing"))),
        [_, second, ..] => Err(Failed::Usage(format!("unexpected argument {second:?}"))),
    }
}

/// Returns the target; no word may be left.
pub(super) fn no_more<T>((target, rest): (T, &[String])) -> Result<T, Failed> {
    match rest {
        [] => Ok(target),
        [word, ..] => Err(Failed::Usage(format!("unexpected argument {word:?}: a flag names the element already"))),
    }
}

fn read_files(paths: &[String]) -> Result<Vec<UploadFile>, Failed> {
    let mut room = UPLOAD_MAX_BYTES as u64;
    paths
        .iter()
        .map(|path| {
            let path = Path::new(path);
            let failed = |error| Failed::Usage(format!("can't read {}: {error}", path.display()));
            let bytes = std::fs::metadata(path).map_err(failed)?.len();
            room = room.checked_sub(bytes).ok_or_else(|| {
                Failed::Usage(format!("the files must not have more than {UPLOAD_MAX_BYTES} bytes together"))
            })?;
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("file").to_owned();
            let content_base64 = STANDARD.encode(std::fs::read(path).map_err(failed)?);
            Ok(UploadFile { name, mime_type: None, content_base64 })
        })
        .collect()
}
