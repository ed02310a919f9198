//! Maps errors to the contract's codes. No other file decides that.

use std::time::Duration;

use porthole_contract::session::{self, ErrorContext, Tried};
use porthole_contract::{ErrorCode, Failure};
use porthole_daemon::answer::Refused;

use crate::operation::{LadderError, OperationError};
use crate::owner_token::TokenError;
use crate::page::PageError;
use crate::page::interact::{ActError, BoundingBox, Missed};
use crate::provider::ProviderError;
use crate::session::{Context, Failed, SessionError};

/// A service that drains is gone within its grace time; the next one may be there sooner.
const DRAINING_RETRY_AFTER: Duration = Duration::from_secs(2);

/// When a call may come again for which its session has no room.
const CALLS_RETRY_AFTER: Duration = Duration::from_secs(1);

pub(super) fn of_token(error: TokenError) -> Refused {
    Refused::new(ErrorCode::Unauthorized, error.to_string())
}

pub(super) fn of_operation(error: OperationError) -> Refused {
    let details = error.to_string();
    Refused(match error {
        OperationError::Invalid(invalid) => invalid.into(),
        OperationError::Refused(refusal) => Failure::from(&refusal),
        OperationError::Overloaded(overloaded) => {
            Failure::new(ErrorCode::Overloaded, details).retry_after(overloaded.retry_after)
        }
        OperationError::Provider(ProviderError::Ending) => {
            Failure::new(ErrorCode::ShuttingDown, details).retry_after(DRAINING_RETRY_AFTER)
        }
        OperationError::Provider(ProviderError::NotConfigured(_)) => {
            Failure::new(ErrorCode::BrowserbaseNotConfigured, details)
        }
        OperationError::Provider(ProviderError::RateLimited { retry_after, .. }) => {
            let failure = Failure::new(ErrorCode::ProviderRateLimited, details);
            match retry_after {
                Some(wait) => failure.retry_after(wait),
                None => failure,
            }
        }
        OperationError::Provider(ProviderError::Resting { retry_after }) => {
            Failure::new(ErrorCode::SessionCreateFailed, details).retry_after(retry_after)
        }
        OperationError::Provider(_) => Failure::new(ErrorCode::SessionCreateFailed, details),
        OperationError::Page(error) => of_page(&error),
        OperationError::Ladder(LadderError::TooLarge { .. }) => Failure::new(ErrorCode::ImageTooLarge, details),
        OperationError::Ladder(LadderError::Unreadable(_)) => Failure::new(ErrorCode::Internal, details),
        OperationError::Empty(_) => Failure::new(ErrorCode::EmptyExtraction, details),
        OperationError::Deadline { .. } => Failure::new(ErrorCode::DeadlineExceeded, details),
    })
}

/// A call to a session that failed, with what its answer has of the session.
pub(super) fn of_session(failed: Failed) -> Refused {
    let Failed { error, context, may_have_acted } = failed;
    let details = error.to_string();
    let failure = match error {
        SessionError::NoPage => Failure::new(ErrorCode::NoPage, details),
        SessionError::NotFound => Failure::new(ErrorCode::SessionNotFound, details),
        SessionError::Lost => Failure::new(ErrorCode::SessionLost, details),
        SessionError::Limit(_) => Failure::new(ErrorCode::SessionLimit, details),
        SessionError::NotAttached => Failure::new(ErrorCode::CdpAttachFailed, details),
        SessionError::TooManyCalls { .. } => {
            Failure::new(ErrorCode::RateLimited, details).retry_after(CALLS_RETRY_AFTER)
        }
        SessionError::Overloaded(overloaded) => of_operation(overloaded.into()).0,
        SessionError::Invalid(invalid) => invalid.into(),
        SessionError::Provider(error) => of_operation(error.into()).0,
        SessionError::Refused(refusal) => Failure::from(&refusal),
        SessionError::Operation(error) => of_operation(error).0,
        SessionError::Deadline { .. } => Failure::new(ErrorCode::DeadlineExceeded, details),
        SessionError::Handle(_) => Failure::new(ErrorCode::Internal, details),
        SessionError::TabClosed { .. } | SessionError::LedAway { .. } => Failure::new(ErrorCode::StaleRef, details),
        SessionError::ControlHeld => Failure::new(ErrorCode::ControlHeld, details),
        SessionError::Dialog { .. } | SessionError::UntoldDialog { .. } => Failure::new(ErrorCode::DialogOpen, details),
        SessionError::Act(error) => of_act(&error, details),
        SessionError::Missed(missed) => return Refused(not_repeated(of_missed(&missed, context), may_have_acted)),
    };
    let failure = not_repeated(failure, may_have_acted);
    let Some(context) = context else { return Refused(failure) };
    Refused(failure.in_session(ErrorContext {
        session: Some(context.session),
        tab: Some(context.tab),
        events: Some(context.events),
        snapshot: context.snapshot,
        ..ErrorContext::default()
    }))
}

/// The same, not to be retried where the call may have acted: a click that may have happened is not clicked again.
fn not_repeated(failure: Failure, may_have_acted: bool) -> Failure {
    use ErrorCode::{BrowserCrashed, DeadlineExceeded, Internal, NavigationFailed, NavigationTimeout};
    let unsure = [DeadlineExceeded, BrowserCrashed, Internal, NavigationFailed, NavigationTimeout];
    let is_unsure = unsure.contains(&failure.code);
    if may_have_acted && is_unsure { failure.retryable(false) } else { failure }
}

fn of_missed(missed: &Missed, context: Option<Context>) -> Failure {
    let Context { session, tab, events, snapshot, .. } = context.unwrap_or_default();
    let tried = missed.tried.iter().cloned().map(Tried::from);
    let bounding_box =
        missed.bounding_box.map(|BoundingBox { x, y, width, height }| session::BoundingBox { x, y, width, height });
    of_act(&missed.error, missed.details()).in_session(ErrorContext {
        session: Some(session),
        tab: Some(tab),
        events: Some(events),
        tried: Some(tried.collect()),
        matched_count: Some(missed.matched_count as u64),
        bounding_box,
        snapshot,
    })
}

fn of_act(error: &ActError, details: String) -> Failure {
    let code = match error {
        ActError::Stale(_) => ErrorCode::StaleRef,
        ActError::NotFound(_) => ErrorCode::ElementNotFound,
        ActError::NotVisible(_) => ErrorCode::NotVisible,
        ActError::NotEnabled(_) => ErrorCode::NotEnabled,
        ActError::NotEditable(_) => ErrorCode::NotEditable,
        ActError::Covered { .. } => ErrorCode::Covered,
        ActError::NoEffect(_) => ErrorCode::NoEffect,
        ActError::DispatchFailed(_) => ErrorCode::DispatchFailed,
        ActError::TimedOut { .. } => ErrorCode::Timeout,
        ActError::Dialog(_) => ErrorCode::DialogOpen,
        ActError::Invalid(_) => ErrorCode::InvalidRequest,
        // Within a session a page that can't go on in its history could not be navigated.
        ActError::Page(error) => return of_page(error),
    };
    Failure::new(code, details)
}

fn of_page(error: &PageError) -> Failure {
    let details = error.to_string();
    match error {
        PageError::Blocked(refusal) => Failure::from(refusal),
        PageError::Failed(error) => Failure::new(ErrorCode::NavigationFailed, details).retryable(error.is_transient()),
        PageError::Download(_) | PageError::NoHistory | PageError::OverBudget(_) | PageError::Flooded => {
            Failure::new(ErrorCode::NavigationFailed, details)
        }
        PageError::NavigationTimedOut(_) | PageError::Leaving => Failure::new(ErrorCode::NavigationTimeout, details),
        PageError::Crashed(_) => Failure::new(ErrorCode::BrowserCrashed, details),
        PageError::TimedOut(_) | PageError::NoFrame(_) => Failure::new(ErrorCode::DeadlineExceeded, details),
        PageError::SelectorNotFound(_) => Failure::new(ErrorCode::SelectorNotFound, details),
        PageError::InvalidSelector(_) => Failure::new(ErrorCode::InvalidRequest, details),
        PageError::Browser(_) => Failure::new(ErrorCode::Internal, details),
    }
}
