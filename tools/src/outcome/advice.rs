//! What to do next after each error: sentences for a model.

use porthole_contract::ErrorCode;

/// What a model can do after a call failed with this code.
#[must_use]
pub const fn advice(code: ErrorCode) -> &'static str {
    use ErrorCode as Code;
    match code {
        Code::InvalidRequest => "Put the arguments right as the details say, and call again.",
        Code::InvalidUrl => "Send an absolute http or https URL, without user name and password.",
        Code::Unauthorized => {
            "You can't put this right: tell the user that the sandbox's token is missing, wrong or expired."
        }
        Code::BlockedTarget => {
            "Don't try this address again, in any spelling: private and local networks are closed. Use a public page, \
             or tell the user."
        }
        Code::OriginNotAllowed | Code::ToolsDisabled | Code::BrowserbaseNotConfigured => {
            "You can't put this right: tell the user that the operator of the browser service must change its settings."
        }
        Code::NotFound | Code::MethodNotAllowed => {
            "You can't put this right: tell the user that the browser service does not know this call."
        }
        Code::RequestTooLarge => "Send less: smaller files, or a shorter text.",
        Code::ImageTooLarge => "Take the picture of one element or of the viewport instead of the whole page.",
        Code::EmptyExtraction => {
            "The page shows no text there. Look at it with browser_snapshot or browser_screenshot, or wait for its content \
             with browser_wait."
        }
        Code::SelectorNotFound => {
            "Look at the page with browser_snapshot or without a selector, and choose one that is there."
        }
        Code::RateLimited | Code::Overloaded | Code::ProviderRateLimited => {
            "Wait some seconds, then call again once; if it fails again, tell the user that the browser service is busy."
        }
        Code::ShuttingDown | Code::ServiceUnavailable | Code::ServiceTimeout | Code::SessionCreateFailed => {
            "Call again once after some seconds; if it fails again, tell the user. An action may have happened: look at the \
             page with browser_snapshot before you repeat one."
        }
        Code::BrowserCrashed => "Open the page again with browser_navigate; if it crashes again, don't use this page.",
        Code::NavigationFailed => {
            "Check the address. The details name the browser's error; if the site is down, use another page or tell the user."
        }
        Code::NavigationTimeout => {
            "Call again once; with browser_navigate you can also send waitUntil \"domcontentloaded\". Then use another page."
        }
        Code::DeadlineExceeded => {
            "Look at the page with browser_snapshot: the action may have happened. Then call again with a larger timeoutMs \
             if it has not."
        }
        Code::Internal => "Call again once; if it fails again, tell the user.",
        Code::SessionNotFound | Code::SessionLost => {
            "The session is gone. Open the page again with browser_navigate, without session, and use the new handle."
        }
        Code::SessionLimit => {
            "Close a session with browser_close or a tab with browser_tabs that you no longer need, then call again."
        }
        Code::NoPage => {
            "Call browser_navigate with a URL first. If you have opened a page, send the session from that result."
        }
        Code::StaleRef => "Find the element in a fresh browser_snapshot, and use its ref there.",
        Code::ElementNotFound => {
            "Look at the page with browser_snapshot and use a ref from it. The details say which selectors were tried."
        }
        Code::NotVisible => {
            "Make it visible first: browser_hover over the row or the menu that it is in, open its tab or section, or scroll; \
             browser_snapshot shows what is there."
        }
        Code::NotEnabled => {
            "Do first what enables it, such as filling the required fields; or wait with browser_wait, state \"enabled\"."
        }
        Code::NotEditable => {
            "Choose the field itself: a textbox, searchbox or combobox in browser_snapshot. A slider takes browser_press with \
             its arrow keys, or browser_drag."
        }
        Code::Covered => "Close or move what covers it (the details name it), such as a banner, then call again.",
        Code::NoEffect => {
            "The page did not keep it. Look with browser_snapshot; try browser_click and browser_press, or type with slowly \
             true."
        }
        Code::DispatchFailed | Code::CdpAttachFailed => {
            "Look at the page with browser_snapshot, then call again if it has not happened."
        }
        Code::Timeout => {
            "Look at the page with browser_snapshot: it may show something else than you wait for. Then wait longer with \
             timeoutMs, or go on."
        }
        Code::DialogOpen => "Answer the dialog with browser_dialog, accept true or false, then call again.",
        Code::ControlHeld => {
            "A person is using the browser. Wait some seconds, then call again; looking with browser_snapshot is possible \
             meanwhile."
        }
    }
}

/// The same, where the result shows the page as it is now.
pub(super) const fn advice_with_page(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::StaleRef | ErrorCode::ElementNotFound => {
            "Find the element in the page below, which is fresh, and use its ref. If it is not there, look at all of it with \
             browser_snapshot."
        }
        code => advice(code),
    }
}

/// The same, where the result says that nothing has changed on the page since the snapshot before.
pub(super) const fn advice_without_changes(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::StaleRef | ErrorCode::ElementNotFound => {
            "Nothing has changed on the page since your last snapshot: find the element there and use its ref, or look at all \
             of the page with browser_snapshot."
        }
        code => advice(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::{all, tool};

    #[test]
    fn each_code_has_advice_that_names_only_tools_and_arguments_that_there_are() {
        for code in ErrorCode::ALL {
            for text in [advice(*code), advice_with_page(*code), advice_without_changes(*code)] {
                assert!(text.ends_with('.') && !text.contains("  "), "{code}: {text}");
                for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
                    if word.starts_with("browser_") {
                        assert!(tool(word).is_some(), "{code}: {word}");
                    }
                    if word.chars().skip(1).any(|c| c.is_ascii_uppercase()) {
                        let mut schemas = all().iter().map(|tool| &tool.input_schema["properties"]);
                        assert!(schemas.any(|arguments| !arguments[word].is_null()) || word == "URL", "{code}: {word}");
                    }
                }
            }
        }
    }
}
