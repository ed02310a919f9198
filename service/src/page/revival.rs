//! How to bring back a page whose renderer died: its URL, and whether a reload could send a form twice.

use chromiumoxide_cdp::cdp::browser_protocol::page::{GetNavigationHistoryParams, TransitionType};
use porthole_contract::limits::CAPTURE_TIMEOUT;
use tokio::time::timeout;

use super::Page;

/// How a page whose renderer died can be shown again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revival {
    /// By a reload, which keeps its place in the history and its state there.
    Reload,
    /// By going to this URL anew: a reload could send a form a second time.
    GoTo(String),
}

impl Page {
    /// How the page can be shown again; `None` where the browser does not say where it was. Asks the browser, which
    /// answers for a page without a renderer.
    pub async fn revival(&self) -> Option<Revival> {
        let asked = self.session.call(&GetNavigationHistoryParams::default());
        let history = timeout(CAPTURE_TIMEOUT, asked).await.ok()?.ok()?;
        let entry =
            usize::try_from(history.current_index).ok().and_then(|index| history.entries.into_iter().nth(index))?;
        Some(revival(&entry.url, &entry.transition_type))
    }
}

/// The browser repeats a `POST` when it reloads the answer to one, without asking. An entry that was reloaded before
/// does not say any more how it came.
fn revival(url: &str, transition: &TransitionType) -> Revival {
    let may_send = matches!(transition, TransitionType::FormSubmit | TransitionType::Reload);
    let is_http = url.starts_with("http://") || url.starts_with("https://");
    if may_send && is_http { Revival::GoTo(url.to_owned()) } else { Revival::Reload }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_have_sent_nothing_is_reloaded() {
        let url = "https://example.com/paid";
        for transition in [TransitionType::FormSubmit, TransitionType::Reload] {
            assert_eq!(revival(url, &transition), Revival::GoTo(url.to_owned()));
            assert_eq!(revival("about:blank", &transition), Revival::Reload);
        }
        for transition in [TransitionType::Link, TransitionType::Typed, TransitionType::Generated] {
            assert_eq!(revival(url, &transition), Revival::Reload);
        }
    }
}
