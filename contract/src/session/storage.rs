//! A session's cookies and local storage, as `state` gives them and `open` takes them. All of it is secret.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::url::check_url;
use crate::json::{Invalid, Validate};
use crate::request::not_blank;
use crate::secret::expose_value;

/// What a session knows about its sites.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StorageState {
    /// Cookies.
    #[serde(default)]
    pub cookies: Vec<Cookie>,
    /// Local storage, by origin.
    #[serde(default)]
    pub origins: Vec<OriginStorage>,
}

/// A cookie.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// Its value.
    #[serde(serialize_with = "expose_value")]
    #[schema(value_type = String)]
    pub value: SecretString,
    /// The host that it is for; with a dot before it also those below.
    pub domain: String,
    /// The path that it is for.
    #[serde(default = "root_path")]
    #[schema(default = "/")]
    pub path: String,
    /// When it ends, in seconds since 1970; without it with the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
    /// Whether scripts can't read it.
    #[serde(default)]
    pub http_only: bool,
    /// Whether it goes over TLS only.
    #[serde(default)]
    pub secure: bool,
    /// With which requests of other sites it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_site: Option<SameSite>,
    /// The site within which alone it is sent, of a partitioned cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<CookiePartition>,
}

fn root_path() -> String {
    "/".to_owned()
}

/// Where a partitioned cookie holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CookiePartition {
    /// The site of the top-level document.
    pub top_level_site: String,
    /// Whether a frame of another site stood between.
    #[serde(default)]
    pub has_cross_site_ancestor: bool,
}

/// With which requests of other sites a cookie goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum SameSite {
    /// With none.
    Strict,
    /// With navigations.
    Lax,
    /// With all.
    None,
}

/// An origin's local storage.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OriginStorage {
    /// The origin, as `https://example.com`.
    pub origin: String,
    /// Its entries.
    #[serde(default)]
    pub local_storage: Vec<StorageEntry>,
}

/// An entry of local storage.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StorageEntry {
    /// Its key.
    pub name: String,
    /// Its value.
    #[serde(serialize_with = "expose_value")]
    #[schema(value_type = String)]
    pub value: SecretString,
}

impl Validate for StorageState {
    fn validate(&self) -> Result<(), Invalid> {
        for (at, cookie) in self.cookies.iter().enumerate() {
            let path = |field: &str| format!("storage_state.cookies[{at}].{field}");
            not_blank(&path("domain"), Some(&cookie.domain))?;
            if !cookie.path.starts_with('/') {
                return Err(Invalid::new(path("path"), "must begin with /"));
            }
        }
        for (at, origin) in self.origins.iter().enumerate() {
            let path = format!("storage_state.origins[{at}].origin");
            check_url(&path, &origin.origin)?;
            let host = origin.origin.strip_prefix("https://").or_else(|| origin.origin.strip_prefix("http://"));
            if host.is_none_or(|host| host.is_empty() || host.contains(['/', '?', '#', '@'])) {
                return Err(Invalid::new(path, "must be an http or https origin, such as https://example.com"));
            }
        }
        Ok(())
    }
}
