//! What every call to a session has: whose it is, which session and tab, how long, and the snapshot in its answer.

use secrecy::SecretString;

use super::handle::check_handle;
use super::snapshot_options::SnapshotOptions;
use crate::json::Invalid;
use crate::limits::{SESSION_TIMEOUT_DEFAULT_MS, TARGET_WAIT_DEFAULT_MS};
use crate::request;

/// Whose call it is.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// The sandbox.
    pub sandbox_id: &'a str,
    /// What its owner presents, not yet verified.
    pub token: Option<&'a SecretString>,
}

/// A call to a session, of any route.
pub trait SessionRequest {
    /// Whose call it is.
    fn owner(&self) -> Owner<'_>;

    /// The session's handle; none where the caller has no session yet.
    fn session(&self) -> Option<&str>;

    /// The tab; none for the one used last.
    fn tab(&self) -> Option<&str>;

    /// The whole call in the service, its time in the queue included, as it was asked for.
    fn timeout_asked_ms(&self) -> Option<u32>;

    /// The snapshot that the answer is to have, if any.
    fn snapshot(&self) -> Option<SnapshotOptions>;

    /// Browserbase's API key and project, which the worker set.
    fn browserbase(&self) -> (Option<&SecretString>, Option<&SecretString>);

    /// The whole call in the service, its time in the queue included.
    fn timeout_ms(&self) -> u32 {
        self.timeout_asked_ms().unwrap_or(SESSION_TIMEOUT_DEFAULT_MS)
    }

    /// How long a target is waited for, unless `options.timeout_ms` says otherwise.
    fn target_wait_ms(&self) -> u32 {
        self.timeout_ms().min(TARGET_WAIT_DEFAULT_MS)
    }
}

/// Refuses what is out of range in the fields of every call.
pub(super) fn check_call(call: &impl SessionRequest) -> Result<(), Invalid> {
    request::sandbox_id(call.owner().sandbox_id)?;
    check_handle("session", call.session())?;
    check_handle("tab", call.tab())?;
    request::timeout(call.timeout_asked_ms())?;
    call.snapshot().map_or(Ok(()), |options| options.check("snapshot."))
}

/// Declares a route's request: its own fields, those of every call, and those of the groups in brackets.
///
/// The groups, in this order: `target` or `maybe_target` (`ref`, `target` and `at`, of which exactly or at most one is
/// given), `open` (how a new session is to be), `snapshot` (the answer may have one). `serde` can't both flatten a
/// struct of them and refuse unknown fields. The type needs a `check(&self) -> Result<(), Invalid>` of its own fields.
macro_rules! session_request {
    ($(#[$meta:meta])* $name:ident [$($group:ident)*] { $($fields:tt)* }) => {
        session_request! { @group [$($group)*] [$(#[$meta])*] $name (without) { $($fields)* } }
    };
    (@group [target $($rest:ident)*] $meta:tt $name:ident $snapshot:tt { $($fields:tt)* }) => {
        session_request! { @target [$($rest)*] $meta $name $snapshot { $($fields)* } }

        impl crate::json::Validate for $name {
            fn validate(&self) -> Result<(), crate::json::Invalid> {
                super::request::check_call(self)?;
                super::target::Targeted::check_one(self, "")?;
                self.check()
            }
        }
    };
    (@group [maybe_target $($rest:ident)*] $meta:tt $name:ident $snapshot:tt { $($fields:tt)* }) => {
        session_request! { @target [$($rest)*] $meta $name $snapshot { $($fields)* } }

        impl crate::json::Validate for $name {
            fn validate(&self) -> Result<(), crate::json::Invalid> {
                super::request::check_call(self)?;
                super::target::Targeted::check_at_most_one(self, "")?;
                self.check()
            }
        }
    };
    (@group $groups:tt $meta:tt $name:ident $snapshot:tt $fields:tt) => {
        session_request! { @more $groups $meta $name $snapshot $fields }

        impl crate::json::Validate for $name {
            fn validate(&self) -> Result<(), crate::json::Invalid> {
                super::request::check_call(self)?;
                self.check()
            }
        }
    };
    (@target $groups:tt $meta:tt $name:ident $snapshot:tt { $($fields:tt)* }) => {
        session_request! { @more $groups $meta $name $snapshot {
            /// The element, by its ref in a snapshot: `@e5` or `e5`.
            #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
            #[schema(value_type = Option<String>)]
            pub reference: Option<super::handle::ElementRef>,
            /// The element, by what a person would name.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub target: Option<super::target::SemanticTarget>,
            /// A point of the viewport instead of an element.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub at: Option<super::target::Point>,
            $($fields)*
        } }

        impl super::target::Targeted for $name {
            fn given(
                &self,
            ) -> (Option<super::ElementRef>, Option<&super::SemanticTarget>, Option<super::Point>) {
                (self.reference, self.target.as_ref(), self.at)
            }
        }
    };
    (@more [open $($rest:ident)*] $meta:tt $name:ident $snapshot:tt { $($fields:tt)* }) => {
        session_request! { @more [$($rest)*] $meta $name $snapshot {
            $($fields)*
            /// The browser window; default 1280×720, scale 1, not mobile.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub viewport: Option<crate::Viewport>,
            /// What `prefers-color-scheme` says.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub color_scheme: Option<crate::ColorScheme>,
            /// What `prefers-reduced-motion` says.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub reduced_motion: Option<bool>,
            /// The page's language, as `de-CH`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(max_length = 35)]
            pub locale: Option<String>,
            /// The page's time zone, as `Europe/Zurich`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(max_length = 64)]
            pub time_zone: Option<String>,
            /// What the browser calls itself.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(max_length = 512)]
            pub user_agent: Option<String>,
            /// The only hosts that the session may reach: names, `*.` before them for all below, literal addresses.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(min_items = 1, max_items = 100)]
            pub allow_hosts: Option<Vec<String>>,
            /// The session ends after this long without a call, an input or a viewer, in seconds.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(minimum = 1, maximum = 300)]
            pub idle_seconds: Option<u32>,
            /// Cookies and local storage to begin with, as `state` gave them.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(write_only)]
            pub storage_state: Option<super::storage::StorageState>,
        } }

        impl super::open_options::Opens for $name {
            fn open_options(&self) -> super::open_options::OpenOptions {
                super::open_options::OpenOptions {
                    viewport: self.viewport,
                    color_scheme: self.color_scheme,
                    reduced_motion: self.reduced_motion,
                    locale: self.locale.clone(),
                    time_zone: self.time_zone.clone(),
                    user_agent: self.user_agent.clone(),
                    allow_hosts: self.allow_hosts.clone(),
                    idle_seconds: self.idle_seconds,
                    storage_state: self.storage_state.clone(),
                }
            }
        }
    };
    (@more [snapshot $($rest:ident)*] $meta:tt $name:ident (without) { $($fields:tt)* }) => {
        session_request! { @more [$($rest)*] $meta $name (with) {
            $($fields)*
            /// The snapshot in the answer: `none`, `changes` or `full`, or an object with that as `mode`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(value_type = Option<super::snapshot_options::SnapshotInAnswerSchema>)]
            pub snapshot: Option<super::snapshot_options::SnapshotInAnswer>,
        } }
    };
    (@more [] [$($meta:tt)*] $name:ident ($snapshot:ident) { $($fields:tt)* }) => {
        $($meta)*
        #[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// The sandbox that `create` named.
            #[schema(max_length = 128)]
            pub sandbox_id: String,
            /// Its owner's token.
            #[serde(
                default,
                skip_serializing_if = "Option::is_none",
                serialize_with = "crate::secret::expose_on_the_wire"
            )]
            #[schema(value_type = String, required = true)]
            pub owner_token: Option<secrecy::SecretString>,
            /// The session's handle, as an answer named it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(max_length = 64)]
            pub session: Option<String>,
            /// The tab; default the one used last.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(max_length = 64)]
            pub tab: Option<String>,
            $($fields)*
            /// The whole call in the service, its queue included, in milliseconds; default 30000.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(minimum = 1000, maximum = 60_000, default = 30_000)]
            pub timeout_ms: Option<u32>,
            /// Set by the worker; what a caller sends here is replaced or removed.
            #[serde(
                default,
                skip_serializing_if = "Option::is_none",
                serialize_with = "crate::secret::expose_on_the_wire"
            )]
            #[schema(value_type = Option<String>, write_only)]
            pub browserbase_api_key: Option<secrecy::SecretString>,
            /// Set by the worker; what a caller sends here is replaced or removed.
            #[serde(
                default,
                skip_serializing_if = "Option::is_none",
                serialize_with = "crate::secret::expose_on_the_wire"
            )]
            #[schema(value_type = Option<String>, write_only)]
            pub browserbase_project_id: Option<secrecy::SecretString>,
        }

        impl super::request::SessionRequest for $name {
            fn owner(&self) -> super::request::Owner<'_> {
                super::request::Owner { sandbox_id: &self.sandbox_id, token: self.owner_token.as_ref() }
            }

            fn session(&self) -> Option<&str> {
                self.session.as_deref()
            }

            fn tab(&self) -> Option<&str> {
                self.tab.as_deref()
            }

            fn timeout_asked_ms(&self) -> Option<u32> {
                self.timeout_ms
            }

            fn snapshot(&self) -> Option<super::snapshot_options::SnapshotOptions> {
                session_request!(@snapshot $snapshot self)
            }

            fn browserbase(&self) -> (Option<&secrecy::SecretString>, Option<&secrecy::SecretString>) {
                (self.browserbase_api_key.as_ref(), self.browserbase_project_id.as_ref())
            }
        }
    };
    (@snapshot with $request:ident) => {
        $request.snapshot.as_ref().and_then(super::snapshot_options::SnapshotInAnswer::options)
    };
    (@snapshot without $request:ident) => { None };
}

pub(super) use session_request;
