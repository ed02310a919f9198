//! Input that needs answers from the page's documents: pasting, copying, choosing options, giving files.

use serde_json::json;
use tokio::sync::mpsc;

use super::key::Key;
use super::shared::Shared;
use super::step::{ASKING_TIMEOUT, Step};
use super::{chooser, look};
use crate::page::interact::{ActError, ClipboardUse, Frame, KeyAnswer};

/// What a person gets of a text that is copied, in characters; the session's clipboard has all.
const COPIED_MAX_CHARS: usize = 250_000;

/// Does a step that asks; any other does nothing.
pub(super) async fn ask(shared: &Shared, copied: &mpsc::Sender<String>, step: Step) -> Result<(), ActError> {
    let page = &shared.page;
    match step {
        Step::Clipboard(used, key) => {
            let frame = page.focused_frame().await?;
            let Key { key, code, key_code, modifiers, .. } = key;
            let told = json!({"key": key, "code": code, "keyCode": key_code, "modifiers": modifiers});
            let pressed: KeyAnswer = frame.call(page, ASKING_TIMEOUT, "domKey", vec![told, 0.into()]).await?;
            if !pressed.goes_on {
                return Ok(());
            }
            match used {
                ClipboardUse::Paste => paste(shared, &frame, &shared.clipboard.get()).await,
                ClipboardUse::Copy => copy(shared, copied, &frame, false).await,
                ClipboardUse::Cut => copy(shared, copied, &frame, true).await,
            }
        }
        Step::Paste(text) => paste(shared, &page.focused_frame().await?, &text).await,
        Step::Copy => copy(shared, copied, &page.focused_frame().await?, false).await,
        Step::Choose(values) => look::choose(shared, values).await,
        Step::Files(files) => chooser::give(shared, &files).await,
        _ => Ok(()),
    }
}

async fn paste(shared: &Shared, frame: &Frame, text: &str) -> Result<(), ActError> {
    let _: bool = frame.call(&shared.page, ASKING_TIMEOUT, "pasteText", vec![text.into()]).await?;
    Ok(())
}

/// Copies or cuts to the session's clipboard, and to the person's own.
async fn copy(shared: &Shared, copied: &mpsc::Sender<String>, frame: &Frame, cut: bool) -> Result<(), ActError> {
    let text: String = frame.call(&shared.page, ASKING_TIMEOUT, "take", vec![cut.into()]).await?;
    if !text.is_empty() {
        shared.clipboard.set(text.clone());
        // A copy is dropped where several wait to be told already.
        let _ = copied.try_send(text.chars().take(COPIED_MAX_CHARS).collect());
    }
    Ok(())
}
