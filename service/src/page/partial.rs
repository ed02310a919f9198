//! `on_timeout: partial`: keeps a document that arrived but does not load in time.
//!
//! A script that never arrives blocks the parser, so such a document often shows nothing. `Page.stopLoading` abandons
//! the rest of the document along with the script (measured; docs/decisions). So the page is navigated again with the
//! pending requests blocked, and loading is stopped only if something else holds it up.

use std::collections::BTreeSet;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::StopLoadingParams;
use chromiumoxide_cdp::cdp::js_protocol::runtime::TerminateExecutionParams;
use porthole_contract::limits::{CAPTURE_TIMEOUT, NAVIGATION_TIMEOUT};
use porthole_contract::{OnTimeout, Until, Wait, Warning, WarningCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::script::PENDING;
use super::{Page, PageError, watch};
use crate::cdp::{CdpError, Session, command};
use crate::guard::Target;

/// Maximum time that is reserved for the steps after the navigation.
const RESERVE_MAX: Duration = Duration::from_secs(8);
/// Time limit for all navigations without the pending resources, after the first navigation has timed out.
const AGAIN_TIMEOUT: Duration = Duration::from_secs(12);
/// Time limit for one of them. A document that is not parsed by then waits for another dead host.
const AGAIN_EACH_TIMEOUT: Duration = Duration::from_secs(4);
/// Time limit for a document to report what it waits for, on a busy machine too. A document whose script is running
/// answers only after the script is terminated.
const ASK_TIMEOUT: Duration = Duration::from_secs(3);
/// Time limit for parsing a document that waits for no known resource, say because its script was just terminated.
const PARSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Time a page has to load before it is asked whether a stylesheet keeps it from being drawn.
const STYLES_AFTER: Duration = Duration::from_secs(1);
/// Maximum number of hosts that the warning names.
const HOSTS_NAMED_MAX: usize = 3;

/// The resources that a document waits for.
#[derive(Deserialize)]
struct Waiting {
    /// Whether it is still being parsed.
    parsing: bool,
    pending: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    kind: Kind,
    pattern: String,
    host: String,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Script,
    Style,
}

/// `Network.setBlockedURLs` with its older parameter, which remote browsers of any version know.
#[derive(Debug, Serialize)]
struct SetBlockedUrls {
    urls: Vec<String>,
}

command!(SetBlockedUrls, "Network.setBlockedURLs" => Value);

/// The requests to block in the page's next navigations.
#[derive(Default)]
struct LeftOut {
    patterns: BTreeSet<String>,
    hosts: BTreeSet<String>,
    /// The target session that blocks them.
    session: Option<Session>,
}

impl Page {
    /// Navigates like [`Page::navigate`]. With [`OnTimeout::Partial`], keeps a document that arrived but did not
    /// reach `DOMContentLoaded` in time, and returns a warning.
    ///
    /// # Errors
    /// [`PageError`], as for [`Page::navigate`]; [`PageError::NavigationTimedOut`] also if the document can't be
    /// shown because its renderer does not answer.
    pub async fn navigate_or(
        &self,
        on_timeout: OnTimeout,
        target: &Target,
        request_deadline: Instant,
    ) -> Result<Vec<Warning>, PageError> {
        if on_timeout == OnTimeout::Fail {
            return self.navigate(target).await.map(|()| Vec::new());
        }
        let started = Instant::now();
        let patient_until = (started + NAVIGATION_TIMEOUT).min(before(request_deadline));
        let navigated = tokio::select! {
            biased;
            navigated = self.navigate(target) => navigated,
            () = self.has_document_at(patient_until) => Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT)),
        };
        match navigated {
            Err(PageError::NavigationTimedOut(_)) if self.has_document() => {}
            navigated => return navigated.map(|()| Vec::new()),
        }
        let waited = started.elapsed();
        let left_out = self.load_as_far_as_possible(target, before(request_deadline)).await?;
        tracing::info!(waited_s = waited.as_secs(), without = ?left_out.hosts, "kept a page that did not load in time");
        Ok(vec![left_out.warning(waited)])
    }

    /// Waits for stylesheets within the request's wait, then has the page drawn without them and returns a warning. A
    /// missing stylesheet keeps a parsed page from being drawn, and a capture of it would wait for ever.
    ///
    /// # Errors
    /// [`PageError`] if the page is refused or crashes.
    pub async fn draw_without_styles(&self, wait: &Wait, request_deadline: Instant) -> Result<Vec<Warning>, PageError> {
        let started = Instant::now();
        let limit = Duration::from_millis(wait.timeout_or_default_ms().into());
        let deadline = (started + limit).min(before(request_deadline));
        // A caller that waits only for the parsed document does not wait for its stylesheets either.
        let look_after = if wait.until == Until::DomContentLoaded { Duration::ZERO } else { STYLES_AFTER };
        if self.reaches((started + look_after).min(deadline), |state| state.document.loaded).await? {
            return Ok(Vec::new());
        }
        if !self.waits_for_styles().await? || self.reaches(deadline, |state| state.document.loaded).await? {
            return Ok(Vec::new());
        }
        if !self.waits_for_styles().await? {
            return Ok(Vec::new());
        }
        self.stop_loading().await?;
        let waited_s = started.elapsed().as_secs();
        Ok(vec![
            WarningCode::Partial
                .says(format!("a stylesheet did not arrive within {waited_s} s, so the page is shown without it")),
        ])
    }

    async fn waits_for_styles(&self) -> Result<bool, PageError> {
        let waiting = self.waiting().await?;
        Ok(waiting.is_some_and(|waiting| waiting.pending.iter().any(|resource| resource.kind == Kind::Style)))
    }

    /// Whether the site's document has arrived, rather than an error page of the browser or the egress.
    fn has_document(&self) -> bool {
        let state = self.state.borrow();
        !state.document.loader.is_empty() && state.stop().is_none() && self.not_a_page(&state, false).is_none()
    }

    /// Waits until `patient_until`, and from then on until there is a document.
    async fn has_document_at(&self, patient_until: Instant) {
        sleep_until(patient_until).await;
        let mut state = self.state.clone();
        let came = state.wait_for(|state| !state.document.loader.is_empty()).await.is_ok();
        if !came {
            // The page is gone, which the navigation reports.
            std::future::pending::<()>().await;
        }
    }

    /// Gets the document parsed as far as possible by `deadline`, and returns the requests that were blocked for it.
    async fn load_as_far_as_possible(&self, target: &Target, deadline: Instant) -> Result<LeftOut, PageError> {
        let deadline = deadline.min(Instant::now() + AGAIN_TIMEOUT);
        let mut left_out = LeftOut::default();
        let mut was_given_time = false;
        loop {
            let Some(waiting) = self.waiting_or_end_script().await? else {
                return Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT));
            };
            if !waiting.parsing {
                return Ok(left_out);
            }
            let now = Instant::now();
            if now < deadline && left_out.add(&waiting.pending) {
                self.block(&mut left_out).await?;
                let limit = deadline.min(now + AGAIN_EACH_TIMEOUT);
                match timeout_at(limit, self.go(target, limit)).await {
                    Ok(Ok(())) => return Ok(left_out),
                    Ok(Err(PageError::NavigationTimedOut(_))) | Err(_) => was_given_time = false,
                    Ok(Err(error)) => return Err(error),
                }
            } else if now < deadline && !was_given_time {
                was_given_time = true;
                // The document of the latest navigation may not have arrived yet.
                let limit = if left_out.patterns.is_empty() { deadline.min(now + PARSE_TIMEOUT) } else { deadline };
                if self.reaches(limit, |state| state.document.dom_content_loaded).await? {
                    return Ok(left_out);
                }
            } else {
                self.stop_loading().await?;
                return Ok(left_out);
            }
        }
    }

    /// Returns what the document waits for. Terminates a running script that keeps the document from answering.
    async fn waiting_or_end_script(&self) -> Result<Option<Waiting>, PageError> {
        if let Some(waiting) = self.waiting().await? {
            return Ok(Some(waiting));
        }
        // Only now: without a running script this would terminate the next one.
        self.session.call(&TerminateExecutionParams::default()).forget();
        self.waiting().await
    }

    /// Returns what the document waits for; `None` if it does not answer.
    async fn waiting(&self) -> Result<Option<Waiting>, PageError> {
        match self.run(ASK_TIMEOUT, "asking what the page waits for", PENDING, []).await {
            Ok(waiting) => Ok(Some(waiting)),
            Err(error) if error.is_without_answer() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes requests that match `left_out` fail at once from now on.
    async fn block(&self, left_out: &mut LeftOut) -> Result<(), PageError> {
        let blocking = async {
            let session = match left_out.session.take() {
                Some(session) => session,
                None if self.network.remote().is_some() => self.session.clone(),
                // A local page's own target session disables its network domain, which drops the patterns.
                None => self.session.connection().browser().attach_to(&self.main_frame).await?,
            };
            session.call(&watch::network()).forget();
            session.call(&SetBlockedUrls { urls: left_out.patterns.iter().cloned().collect() }).await?;
            left_out.session = Some(session);
            Ok::<_, CdpError>(())
        };
        self.within(CAPTURE_TIMEOUT, "blocking pending requests", blocking).await
    }

    /// Stops the document's parsing and loading: it stays as it is now.
    async fn stop_loading(&self) -> Result<(), PageError> {
        match timeout(ASK_TIMEOUT, self.session.call(&StopLoadingParams::default())).await {
            Ok(stopped) => _ = stopped?,
            Err(_) => return Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT)),
        }
        self.reaches(Instant::now() + PARSE_TIMEOUT, |state| state.document.loaded).await.map(drop)
    }
}

impl LeftOut {
    /// Adds pending resources; returns whether any of them is new.
    fn add(&mut self, pending: &[Resource]) -> bool {
        let known = self.patterns.len();
        for resource in pending {
            self.patterns.insert(resource.pattern.clone());
            self.hosts.insert(resource.host.clone());
        }
        self.patterns.len() > known
    }

    fn warning(&self, waited: Duration) -> Warning {
        let waited_s = waited.as_secs();
        let stands = format!("the page did not load within {waited_s} s, so it is taken as it stands");
        if self.hosts.is_empty() {
            return WarningCode::Partial.says(stands);
        }
        let named: Vec<&str> = self.hosts.iter().take(HOSTS_NAMED_MAX).map(String::as_str).collect();
        let more = if self.hosts.len() > HOSTS_NAMED_MAX { " and other hosts" } else { "" };
        WarningCode::Partial.says(format!("{stands}, without what never came from {}{more}", named.join(", ")))
    }
}

/// Returns when to be done, so that time is left for the steps after it: half of the request's, at most
/// `RESERVE_MAX`.
#[must_use]
pub fn before(request_deadline: Instant) -> Instant {
    let left = request_deadline.saturating_duration_since(Instant::now());
    request_deadline - (left / 2).min(RESERVE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(number: usize) -> Resource {
        let host = format!("cdn{number}.example");
        Resource { kind: Kind::Script, pattern: format!("https://{host}/*"), host }
    }

    #[test]
    fn add_reports_only_resources_not_left_out_yet() {
        let mut left_out = LeftOut::default();
        assert!(!left_out.add(&[]));
        assert!(left_out.add(&[script(1)]));
        assert!(!left_out.add(&[script(1)]));
        assert!(left_out.add(&[script(1), script(2)]));
    }

    #[test]
    fn the_warning_names_three_hosts_at_most() {
        let waited = Duration::from_millis(15_040);
        let mut left_out = LeftOut::default();
        let stands = "partial: the page did not load within 15 s, so it is taken as it stands";
        assert_eq!(left_out.warning(waited).to_string(), stands);
        left_out.add(&[script(1)]);
        assert_eq!(
            left_out.warning(waited).to_string(),
            format!("{stands}, without what never came from cdn1.example")
        );
        left_out.add(&[script(2), script(3), script(4)]);
        let named = "cdn1.example, cdn2.example, cdn3.example and other hosts";
        assert_eq!(left_out.warning(waited).to_string(), format!("{stands}, without what never came from {named}"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_short_request_keeps_half_of_its_time_for_the_rest() {
        let now = Instant::now();
        let after = |seconds| now + Duration::from_secs(seconds);
        assert_eq!(before(after(60)), after(52));
        assert_eq!(before(after(10)), after(5));
        assert_eq!(before(now), now);
    }
}
