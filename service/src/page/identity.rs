//! The language, the time zone and the name that the browser gives to the sites of a session.

use std::sync::Arc;

use chromiumoxide_cdp::cdp::browser_protocol::emulation::{
    SetLocaleOverrideParams, SetTimezoneOverrideParams, SetUserAgentOverrideParams,
};
use porthole_contract::limits::CAPTURE_TIMEOUT;
use tokio::time::timeout;

use super::PageError;
use crate::cdp::{Call, CdpError, Session};

/// What the browser tells sites of its user. What is `None` stays the browser's own. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Identity(Arc<Overrides>);

#[derive(Debug, Default)]
struct Overrides {
    locale: Option<String>,
    time_zone: Option<String>,
    user_agent: Option<String>,
}

/// Why a page does not get an identity.
#[derive(Clone, Debug, thiserror::Error)]
pub enum IdentityError {
    /// The browser does not know a value.
    #[error("{field}: the browser refuses it: {message}")]
    Refused {
        /// The field of `open`.
        field: &'static str,
        /// The browser's message.
        message: String,
    },
    /// The page is gone or did not answer.
    #[error(transparent)]
    Page(#[from] PageError),
}

/// The answers to the commands that give a page its identity.
struct Applied {
    locale: Option<Call<<SetLocaleOverrideParams as chromiumoxide_types::Command>::Response>>,
    time_zone: Option<Call<<SetTimezoneOverrideParams as chromiumoxide_types::Command>::Response>>,
    names: Option<Call<<SetUserAgentOverrideParams as chromiumoxide_types::Command>::Response>>,
}

// === impl Identity ===

impl Identity {
    /// An identity of these parts: a BCP 47 language, an IANA time zone, and the `User-Agent` header.
    #[must_use]
    pub fn new(locale: Option<String>, time_zone: Option<String>, user_agent: Option<String>) -> Self {
        Self(Arc::new(Overrides { locale, time_zone, user_agent }))
    }

    /// Gives it to a target without waiting. A renderer has one locale and one time zone: for the second page in a
    /// process the browser reports that they are overridden already, which is as it should be.
    pub(super) fn apply(&self, session: &Session) {
        drop(self.send(session));
    }

    /// Gives it to a page and waits until the browser has taken it.
    ///
    /// # Errors
    /// [`IdentityError`].
    pub async fn try_on(&self, session: &Session) -> Result<(), IdentityError> {
        let Applied { locale, time_zone, names } = self.send(session);
        answered("locale", locale).await?;
        answered("time_zone", time_zone).await?;
        answered(if self.0.user_agent.is_some() { "user_agent" } else { "locale" }, names).await
    }

    fn send(&self, session: &Session) -> Applied {
        let Overrides { locale, time_zone, user_agent } = &*self.0;
        Applied {
            locale: locale.as_ref().map(|locale| {
                // ICU separates by underscores.
                session.call(&SetLocaleOverrideParams { locale: Some(locale.replace('-', "_")) })
            }),
            time_zone: time_zone.as_ref().map(|zone| session.call(&SetTimezoneOverrideParams::new(zone.as_str()))),
            names: (locale.is_some() || user_agent.is_some()).then(|| {
                // An empty name leaves the browser's own.
                let mut names = SetUserAgentOverrideParams::new(user_agent.clone().unwrap_or_default());
                names.accept_language.clone_from(locale);
                session.call(&names)
            }),
        }
    }
}

async fn answered<T: serde::de::DeserializeOwned>(
    field: &'static str,
    call: Option<Call<T>>,
) -> Result<(), IdentityError> {
    let Some(call) = call else { return Ok(()) };
    match timeout(CAPTURE_TIMEOUT, call).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(CdpError::Remote { message, .. })) => Err(IdentityError::Refused { field, message }),
        Ok(Err(error)) => Err(PageError::from(error).into()),
        Err(_) => Err(PageError::TimedOut("setting the page's identity").into()),
    }
}
