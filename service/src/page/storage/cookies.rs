//! The cookies of a browser context, as the browser has them.

use chromiumoxide_cdp::cdp::browser_protocol::browser::BrowserContextId;
use chromiumoxide_cdp::cdp::browser_protocol::target::GetTargetInfoParams;
use porthole_contract::limits::CAPTURE_TIMEOUT;
use porthole_contract::session::{Cookie, CookiePartition, SameSite};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use tokio::time::timeout;

use super::StorageError;
use crate::cdp::{CdpError, Session, command};
use crate::guard::Network;
use crate::page::{Page, PageError};

/// `Storage.getCookies`. Our copy of the protocol has closed lists of a cookie's properties. Without a context it means
/// the browser's default one, even when a page is asked (tried).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GetCookies {
    #[serde(skip_serializing_if = "Option::is_none")]
    browser_context_id: Option<BrowserContextId>,
}

/// `Storage.setCookies`, which writes secrets.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SetCookies {
    cookies: Vec<NewCookie>,
    #[serde(skip_serializing_if = "Option::is_none")]
    browser_context_id: Option<BrowserContextId>,
}

#[derive(Debug, Deserialize)]
struct GotCookies {
    cookies: Vec<OldCookie>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldCookie {
    name: String,
    value: SecretString,
    domain: String,
    path: String,
    #[serde(default)]
    expires: f64,
    #[serde(default)]
    http_only: bool,
    #[serde(default)]
    secure: bool,
    #[serde(default)]
    session: bool,
    same_site: Option<String>,
    partition_key: Option<Partition>,
    #[serde(default)]
    partition_key_opaque: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct NewCookie {
    name: String,
    #[serde(serialize_with = "expose")]
    value: SecretString,
    /// Of a cookie for one host, in place of the domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    path: String,
    secure: bool,
    http_only: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    same_site: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition_key: Option<Partition>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Partition {
    top_level_site: String,
    #[serde(default)]
    has_cross_site_ancestor: bool,
}

command!(GetCookies, "Storage.getCookies" => GotCookies);

command!(SetCookies, "Storage.setCookies" => Value);

impl Page {
    /// The cookies of the page's browser context.
    ///
    /// # Errors
    /// [`PageError`] if the page is gone or does not answer.
    pub async fn cookies(&self) -> Result<Vec<Cookie>, PageError> {
        let asked = async {
            let browser_context_id = context_of(&self.session, &self.network).await?;
            self.session.connection().browser().call(&GetCookies { browser_context_id }).await
        };
        let got = self.within(CAPTURE_TIMEOUT, "asking for the cookies", asked).await?;
        // A cookie of an opaque partition belongs to a document that is gone with its session.
        Ok(got.cookies.into_iter().filter(|cookie| !cookie.partition_key_opaque).map(Cookie::from).collect())
    }
}

/// Sets cookies in the browser context of a page.
///
/// # Errors
/// [`StorageError`] if the browser refuses one, or does not answer.
pub async fn set_cookies(page: &Session, network: &Network, cookies: &[Cookie]) -> Result<(), StorageError> {
    if cookies.is_empty() {
        return Ok(());
    }
    let set = async {
        let browser_context_id = context_of(page, network).await?;
        let cookies = cookies.iter().map(NewCookie::from).collect();
        page.connection().browser().call(&SetCookies { cookies, browser_context_id }).await
    };
    match timeout(CAPTURE_TIMEOUT, set).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(CdpError::Remote { message, .. })) => Err(StorageError::Cookies(message)),
        Ok(Err(error)) => Err(PageError::from(error).into()),
        Err(_) => Err(PageError::TimedOut("setting the cookies").into()),
    }
}

/// The browser context of a page; `None` for the default one, which can't be named.
pub(in crate::page) async fn context_of(
    page: &Session,
    network: &Network,
) -> Result<Option<BrowserContextId>, CdpError> {
    if network.remote().is_some_and(|remote| remote.whole_browser) {
        return Ok(None);
    }
    Ok(page.call(&GetTargetInfoParams::default()).await?.target_info.browser_context_id)
}

impl From<OldCookie> for Cookie {
    fn from(old: OldCookie) -> Self {
        Self {
            name: old.name,
            value: old.value,
            domain: old.domain,
            path: old.path,
            expires: (!old.session).then_some(old.expires),
            http_only: old.http_only,
            secure: old.secure,
            same_site: old.same_site.and_then(|name| match name.as_str() {
                "Strict" => Some(SameSite::Strict),
                "Lax" => Some(SameSite::Lax),
                "None" => Some(SameSite::None),
                _ => None,
            }),
            partition: old.partition_key.map(|Partition { top_level_site, has_cross_site_ancestor }| CookiePartition {
                top_level_site,
                has_cross_site_ancestor,
            }),
        }
    }
}

impl From<&Cookie> for NewCookie {
    fn from(cookie: &Cookie) -> Self {
        // The browser makes a cookie for all hosts below of one that comes with a domain.
        let is_for_one_host = !cookie.domain.starts_with('.');
        let scheme = if cookie.secure { "https" } else { "http" };
        Self {
            name: cookie.name.clone(),
            value: cookie.value.clone(),
            url: is_for_one_host.then(|| format!("{scheme}://{}{}", cookie.domain, cookie.path)),
            domain: (!is_for_one_host).then(|| cookie.domain.clone()),
            path: cookie.path.clone(),
            secure: cookie.secure,
            http_only: cookie.http_only,
            same_site: cookie.same_site.map(|same_site| match same_site {
                SameSite::Strict => "Strict",
                SameSite::Lax => "Lax",
                SameSite::None => "None",
            }),
            expires: cookie.expires,
            partition_key: cookie.partition.as_ref().map(|partition| Partition {
                top_level_site: partition.top_level_site.clone(),
                has_cross_site_ancestor: partition.has_cross_site_ancestor,
            }),
        }
    }
}

fn expose<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}
