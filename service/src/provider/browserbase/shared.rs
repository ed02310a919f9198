//! What the provider, its remote sessions and its tasks share.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use super::accounts::Accounts;
use super::api::{Api, BrowserSettings};
use super::metadata::Process;
use super::warm::Warm;
use crate::guard::{Intercept, Network, RemoteNetwork};
use crate::provider::Credentials;
use crate::telemetry::LeaseMetrics;

/// Options of the provider.
#[derive(Clone, Debug)]
pub struct BrowserbaseOptions {
    /// The API's base.
    pub api: Url,
    /// The region of the sessions; Browserbase chooses if `None`.
    pub region: Option<String>,
    /// Browserbase's optional features for each session.
    pub browser: BrowserSettings,
    /// Whether sessions use Browserbase's proxies: the reported remote addresses are then the proxies', not the sites'.
    pub proxies: bool,
    /// This replica's name.
    pub instance: String,
    /// The service's own account, for the reaper and for warm sessions.
    pub own_account: Option<Credentials>,
    /// How many warm sessions are kept.
    pub warm: usize,
    /// How often the reaper searches for sessions that were left behind.
    pub reap_every: Duration,
}

pub(super) struct Shared {
    pub(super) api: Api,
    pub(super) options: BrowserbaseOptions,
    pub(super) process: Process,
    pub(super) accounts: Accounts,
    /// The warm sessions.
    pub(super) warm: Warm,
    pub(super) metrics: LeaseMetrics,
    pub(super) ending: CancellationToken,
    /// Creations, releases and searches for lost sessions that are under way.
    pub(super) tasks: TaskTracker,
}

impl Shared {
    /// The network of a remote page.
    pub(super) fn network(&self) -> Network {
        Network::Remote(RemoteNetwork {
            intercept: Intercept::DocumentsAndPrivate,
            whole_browser: true,
            judges_addresses: !self.options.proxies,
        })
    }
}
