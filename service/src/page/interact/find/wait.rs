//! Waits for an element's state, a text, or a URL.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use super::search::{Round, Search, Within};
use super::wanted::{Plan, Step};
use crate::page::interact::{ActError, Element, Missed, UrlGlob, Wanted};
use crate::page::run::NEXT_DOCUMENT_AFTER;
use crate::page::{Page, PageError};

/// How long a document waits for its URL to change until it is asked anew.
const URL_SLICE: Duration = Duration::from_millis(1_000);
/// How long it may take to tell it at least.
const URL_LIMIT_MIN: Duration = Duration::from_millis(50);
/// How much longer its answer may take.
const URL_ANSWER: Duration = Duration::from_millis(500);

/// The state of an element that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// It is there and drawn.
    Visible,
    /// It is not drawn, or not there.
    Hidden,
    /// It is drawn and not disabled.
    Enabled,
}

impl Awaited {
    fn missed(self) -> &'static str {
        match self {
            Awaited::Visible => "was not visible",
            Awaited::Hidden => "was not hidden",
            Awaited::Enabled => "was not enabled",
        }
    }
}

impl Page {
    /// Waits until what is wanted is in a state, until `deadline` at most. Hidden is a target that has no visible match.
    ///
    /// # Errors
    /// [`Missed`] with [`ActError::TimedOut`], [`ActError::Invalid`], or what ended the page's work.
    pub async fn wait_for(&self, wanted: &Wanted, state: Awaited, deadline: Instant) -> Result<(), Missed> {
        let mut plan = wanted.plan()?;
        let within = wanted.within()?;
        self.comes_about(&mut plan, within, state, deadline, &wanted.value).await
    }

    /// Waits until an element is in a state, until `deadline` at most.
    ///
    /// # Errors
    /// As [`Page::wait_for`]; [`ActError::Stale`] for one of a ref that has left its document, else [`ActError::NotFound`], unless
    /// it shall be hidden.
    pub async fn wait_for_element(&self, element: &Element, state: Awaited, deadline: Instant) -> Result<(), Missed> {
        let mut plan = Plan::of_element(element.number);
        let within = Within::Document(element.frame.clone());
        let waited = self.comes_about(&mut plan, within, state, deadline, "the element").await;
        match waited {
            Err(Missed { error: error @ ActError::NotFound(_), .. }) => Ok(self.or_stale(element, Err(error)).await?),
            waited => waited,
        }
    }

    /// Waits until a text is shown anywhere in the page, in any case, until `deadline` at most.
    ///
    /// # Errors
    /// As [`Page::wait_for`].
    pub async fn wait_for_text(&self, text: &str, deadline: Instant) -> Result<(), Missed> {
        let mut plan = Plan::of_steps(vec![Step::shown_text(text)]);
        self.comes_about(&mut plan, Within::Page, Awaited::Visible, deadline, text).await
    }

    /// Waits until a text is shown nowhere in the page, until `deadline` at most.
    ///
    /// # Errors
    /// As [`Page::wait_for`].
    pub async fn wait_for_text_gone(&self, text: &str, deadline: Instant) -> Result<(), Missed> {
        let mut plan = Plan::of_steps(vec![Step::shown_text(text)]);
        self.comes_about(&mut plan, Within::Page, Awaited::Hidden, deadline, text).await
    }

    /// Waits until the page's URL matches, until `deadline` at most; that URL.
    ///
    /// # Errors
    /// [`ActError::TimedOut`], or what ended the page's work.
    pub async fn wait_for_url(&self, glob: &UrlGlob, deadline: Instant) -> Result<String, ActError> {
        let began = Instant::now();
        loop {
            match self.next_url(glob, deadline).await {
                Ok(url) if glob.matches(&url) => return Ok(url),
                Ok(_) => {}
                // The document is gone; the next one comes.
                Err(ActError::NotFound(_)) => sleep(NEXT_DOCUMENT_AFTER).await,
                // Its script may be busy until then.
                Err(ActError::Page(PageError::Leaving | PageError::TimedOut(_))) => {}
                Err(error) => return Err(error),
            }
            if Instant::now() >= deadline {
                return Err(timed_out(format!("the URL did not match {glob}"), began));
            }
        }
    }

    /// The document's URL: at once where it matches, else when it has changed or some time has passed.
    async fn next_url(&self, glob: &UrlGlob, deadline: Instant) -> Result<String, ActError> {
        let arrivals = self.state.borrow().arrivals;
        // A busy script answers nothing: the caller must be told in time.
        let limit = || URL_SLICE.min(deadline.saturating_duration_since(Instant::now())).max(URL_LIMIT_MIN);
        let main = self.main_document_within(limit()).await?;
        let url: String = main.call(self, limit(), "url", Vec::new()).await?;
        if glob.matches(&url) {
            return Ok(url);
        }
        let slice = URL_SLICE.min(deadline.saturating_duration_since(Instant::now()));
        let arguments = vec![json!(url), json!(slice.as_millis())];
        tokio::select! {
            changed = main.call(self, slice + URL_ANSWER, "urlChanges", arguments) => changed,
            arrived = self.reaches(deadline, |state| state.arrivals != arrivals) => Ok(arrived.map(|_| url)?),
        }
    }

    async fn comes_about(
        &self,
        plan: &mut Plan,
        within: Within,
        state: Awaited,
        deadline: Instant,
        what: &str,
    ) -> Result<(), Missed> {
        let began = Instant::now();
        (plan.visible, plan.enabled) = (true, state == Awaited::Enabled);
        let is_one = plan.element.is_some();
        let mut search = Search::new(self, plan, within, deadline);
        let done = |round: &Round| match state {
            // What is gone for good is not waited for.
            _ if is_one && round.best(plan).is_none() => true,
            Awaited::Hidden => round.best(plan).is_none_or(|(_, chosen)| !chosen.visible),
            Awaited::Visible | Awaited::Enabled => round.satisfies(plan),
        };
        let (round, came_about) = search.run(done).await.map_err(|error| match error {
            ActError::Page(silent @ (PageError::Leaving | PageError::TimedOut(_))) => {
                timed_out(format!("{what}: {silent}"), began)
            }
            error => error,
        })?;
        let is_gone = is_one && round.best(plan).is_none();
        match state {
            Awaited::Hidden if came_about || is_gone => Ok(()),
            _ if is_gone => Err(ActError::no_element(what.to_owned()).into()),
            _ if came_about => Ok(()),
            _ => {
                let mut missed = self.missed(plan, &round).await;
                missed.error = timed_out(format!("{what} {}", state.missed()), began);
                Err(missed)
            }
        }
    }
}

fn timed_out(what: String, began: Instant) -> ActError {
    ActError::TimedOut { what, waited_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX) }
}

// === impl Plan ===

impl Plan {
    fn of_element(number: u32) -> Self {
        Self { element: Some(number), ..Self::of_steps(Vec::new()) }
    }
}
