//! Reports a failed command: its message and a hint on standard error, and with `--json` its answer on standard output.

use std::process::ExitCode;

use porthole_client::{Code, Error, ErrorAnswer, ErrorCode};
use porthole_contract::Failure;
use serde::Serialize;

use super::failure::Failed;
use super::output::{self, printable};

const ADMIN_HINT: &str =
    "Is `porthole up` running? --admin-url URL names the worker's admin listener, --service asks the service's.";

impl Failed {
    /// Writes the failure to standard error, and with `--json` to standard output too; returns the exit code.
    pub(crate) fn report(&self, json: bool) -> ExitCode {
        match self {
            Failed::OutputClosed => return ExitCode::SUCCESS,
            Failed::Request(error) => {
                answer_if(json, &error.answer());
                output::note(&request_lines(error, hint(error)));
            }
            Failed::Metrics(error) => {
                answer_if(json, &error.answer());
                let is_another = matches!(error, Error::Connection { .. } | Error::UnexpectedAnswer { .. });
                output::note(&request_lines(error, is_another.then_some(ADMIN_HINT)));
            }
            Failed::Ended { error, open } => {
                answer_if(json, &error.answer());
                output::note(&request_lines(error, Some(open.to_string().as_str())));
            }
            Failed::NoSession(open) => {
                answer_if(json, &Failure::new(ErrorCode::NoPage, open.to_string()).answer(""));
                output::note(&self.to_string());
            }
            Failed::Usage(sentence) => {
                answer_if(json, &wrong_usage(sentence));
                output::note(&format!("error: {sentence}\n\nFor more information, try '--help'."));
            }
            // Error codes come from the process that answered and may hold control characters.
            Failed::Objective(sentences) => {
                sentences.lines().for_each(|sentence| output::note(&format!("porthole: {}", printable(sentence))));
            }
            other => output::note(&printable(&format!("porthole: {other}"))),
        }
        ExitCode::from(self.exit_code())
    }
}

/// The answer that stands for a wrong usage.
pub(crate) fn wrong_usage(sentence: &str) -> ErrorAnswer {
    Failure::new(ErrorCode::InvalidRequest, sentence).answer("")
}

/// Writes a failure to standard output, with `--json`.
pub(crate) fn answer_if(json: bool, answer: &impl Serialize) {
    if json && let Err(Failed::Io { what, source }) = output::json(answer) {
        output::note(&format!("porthole: can't {what}: {source}"));
    }
}

/// Formats a failed request: `CODE: sentence`, then details, request id and a hint, one line each.
fn request_lines(error: &Error, hint: Option<&str>) -> String {
    let mut lines = format!("{}: {}", error.code(), error.sentence());
    let details = error.details();
    if !details.is_empty() {
        lines += &format!("\n  {details}");
    }
    if let Some(id) = error.request_id() {
        lines += &format!("\n  request {id}");
    }
    if let Some(hint) = hint {
        lines += &format!("\n  {hint}");
    }
    printable(&lines)
}

fn hint(error: &Error) -> Option<&'static str> {
    match error {
        Error::Connection { .. } => Some("Is `porthole up` running, and is PORTHOLE_URL right?"),
        Error::UnexpectedAnswer { .. } => Some("Is PORTHOLE_URL right?"),
        Error::Unanswered { .. } => Some("It may have acted: `porthole snapshot` shows the page as it is now."),
        Error::Refused(refusal) if in_session(&refusal.code).is_some() => in_session(&refusal.code),
        Error::Refused(refusal) if refusal.code == ErrorCode::Unauthorized => {
            Some("If the worker asks for client keys, PORTHOLE_KEY must hold one of them.")
        }
        Error::Refused(refusal) if refusal.code == ErrorCode::InvalidUrl => {
            Some("A page's URL begins with http:// or https://.")
        }
        _ => None,
    }
}

/// What to do next after a call to a session failed.
fn in_session(code: &Code) -> Option<&'static str> {
    let Code::Known(code) = code else { return None };
    Some(match code {
        ErrorCode::SessionNotFound | ErrorCode::SessionLost | ErrorCode::NoPage => {
            "`porthole open URL` opens another; `porthole sessions` lists those that are open."
        }
        ErrorCode::SessionLimit => {
            "`porthole sessions` lists yours; `porthole close` ends the current one, `porthole close --session NUMBER` another."
        }
        ErrorCode::StaleRef => "`porthole snapshot` shows the page as it is now, with its refs.",
        ErrorCode::ElementNotFound => "`porthole snapshot` shows what there is; --partly takes a part of a text.",
        ErrorCode::NotVisible => {
            "`porthole hover` over its row, `porthole scroll` or a click elsewhere may show it; `porthole wait` waits for it."
        }
        ErrorCode::NotEnabled => "Fill in what it depends on, or `porthole wait … --state enabled`.",
        ErrorCode::NotEditable => {
            "`porthole snapshot` shows the fields; `porthole select`, `check`, and `press` with a slider's arrow keys set others. Some can be written in once they have been clicked."
        }
        ErrorCode::Covered => "Close what covers it first: `porthole snapshot` shows it.",
        ErrorCode::NoEffect => "`porthole snapshot` shows what the page made of it.",
        ErrorCode::Timeout => "A longer --timeout waits longer; `porthole snapshot` shows the page as it is.",
        ErrorCode::DialogOpen => "`porthole dialog accept` or `porthole dialog dismiss` answers it.",
        ErrorCode::ControlHeld => "Try again when the person has given control back.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_request_is_reported_with_its_cause_and_a_hint() {
        let error = Error::Connection { url: "http://w".to_owned(), cause: "refused\u{1b}[2J".to_owned() };
        let lines = request_lines(&error, hint(&error));
        assert!(
            lines.starts_with("SERVICE_UNAVAILABLE: The sandbox service can't be reached\n  can't reach http://w: ")
        );
        assert!(lines.contains("porthole up") && !lines.contains('\u{1b}'), "{lines}");
    }
}
