//! The ticket for a session's live view.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::SessionTimings;
use super::event::Event;
use super::request::session_request;
use crate::json::Invalid;
use crate::limits::{TICKET_TTL_DEFAULT_SECONDS, TICKET_TTL_MAX_SECONDS, TICKET_TTL_MIN_SECONDS};
use crate::request::in_range;
use crate::secret::expose_value;

session_request! {
    /// `POST session/viewer`: makes a ticket for the live view.
    ViewerRequest [] {
        /// What its holder may do.
        #[serde(default)]
        pub role: ViewerRole,
        /// How long it opens connections, in seconds; default 300.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 30, maximum = 3600, default = 300)]
        pub ttl_seconds: Option<u32>,
    }
}

/// What a viewer may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ViewerRole {
    /// Watch.
    #[default]
    View,
    /// Act too.
    Control,
}

impl ViewerRequest {
    /// How long the ticket opens connections, in seconds.
    #[must_use]
    pub fn ttl_or_default_seconds(&self) -> u32 {
        self.ttl_seconds.unwrap_or(TICKET_TTL_DEFAULT_SECONDS)
    }

    fn check(&self) -> Result<(), Invalid> {
        let (min, max) = (TICKET_TTL_MIN_SECONDS.into(), TICKET_TTL_MAX_SECONDS.into());
        in_range("ttl_seconds", self.ttl_seconds.map(u64::from), min, max)
    }
}

/// The answer to `viewer`. A type of its own: its `url` is the live view's, not the page's.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ViewerAnswer {
    /// Always true.
    pub ok: bool,
    /// The session's handle.
    pub session: String,
    /// The active tab.
    #[serde(default)]
    pub tab: String,
    /// The viewer's page, `…/live#ticket=…`. A secret, like the ticket in it.
    #[serde(serialize_with = "expose_value")]
    #[schema(value_type = String)]
    pub url: SecretString,
    /// The page's title, cut at 1000 characters.
    #[serde(default)]
    pub title: String,
    /// The ticket: the first message of a live view's connection has it.
    #[serde(serialize_with = "expose_value")]
    #[schema(value_type = String)]
    pub ticket: SecretString,
    /// What its holder may do.
    pub role: ViewerRole,
    /// Until when it opens connections, RFC 3339 in UTC.
    #[schema(format = DateTime)]
    pub expires_at: String,
    /// This call's id.
    pub request_id: String,
    /// Where the time went.
    pub timings_ms: SessionTimings,
    /// What else happened since the last call.
    #[serde(default)]
    pub events: Vec<Event>,
    /// What did not go quite as asked, each `code: sentence`.
    #[serde(default)]
    pub warnings: Vec<String>,
}
