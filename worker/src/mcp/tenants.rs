//! Tenants: one for each client key, one for all callers where there are no keys. Each has a sandbox, whose owner token
//! the service gives to the worker. Tokens are kept in memory alone, and renewed before they expire.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use porthole_contract::limits::TOKEN_TTL_DEFAULT_SECONDS;
use porthole_contract::{CreateResponse, TenantRequest};
use porthole_daemon::bearer::KeyIndex;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

/// Prefix of the hashed text, so that a tenant's name can't be confused with a hash for another purpose.
const NAME_DOMAIN: &[u8] = b"porthole mcp tenant\0";
/// Length of a tenant's name in bytes, before it is written in hexadecimal.
const NAME_BYTES: usize = 16;
/// The tenant of callers without a key.
const WITHOUT_KEY: &str = "open";
/// How long a token is used: less than it is valid, and than most clients run.
const RENEWED_AFTER: Duration = Duration::from_secs(TOKEN_TTL_DEFAULT_SECONDS / 2);

/// A sandbox with its owner token.
#[derive(Clone, Debug)]
pub(super) struct Sandbox {
    pub(super) id: String,
    pub(super) owner_token: SecretString,
}

/// A tenant's sandbox once it is known, with the time at which its token is renewed. Locked while the service is asked.
type Known = Arc<tokio::sync::Mutex<Option<(Sandbox, Instant)>>>;

/// The tenants.
pub(super) struct Tenants {
    /// The names by the index of the key.
    of_keys: Vec<Arc<str>>,
    without_key: Arc<str>,
    /// At most one for each key, and one more.
    sandboxes: Mutex<HashMap<Arc<str>, Known>>,
}

impl Tenants {
    /// The tenants of these keys, named after their hashes. Workers with equal keys name them equally, so that a handle
    /// is good at all of them; the service's key keeps the names from being guessed.
    pub(super) fn new(keys: &[SecretString], service_key: Option<&SecretString>) -> Self {
        let salt = service_key.map_or("", |key| key.expose_secret());
        let salted = Sha256::new().chain_update(NAME_DOMAIN).chain_update(salt).chain_update([0]);
        let name = |key: &SecretString| {
            let hash = salted.clone().chain_update(key.expose_secret()).finalize();
            hash.iter().take(NAME_BYTES).map(|byte| format!("{byte:02x}")).collect::<String>().into()
        };
        Self { of_keys: keys.iter().map(name).collect(), without_key: WITHOUT_KEY.into(), sandboxes: Mutex::default() }
    }

    /// The name of the tenant with this key.
    pub(super) fn name(&self, key: Option<KeyIndex>) -> Arc<str> {
        let of_key = key.and_then(|KeyIndex(index)| self.of_keys.get(usize::try_from(index).ok()?));
        Arc::clone(of_key.unwrap_or(&self.without_key))
    }

    /// Returns the tenant's sandbox; `ask` gets it from the service where none is known or its token is old. Concurrent
    /// callers ask once.
    ///
    /// # Errors
    /// What `ask` fails with.
    pub(super) async fn sandbox<E>(
        &self,
        tenant: &Arc<str>,
        ask: impl AsyncFnOnce(TenantRequest) -> Result<CreateResponse, E>,
    ) -> Result<Sandbox, E> {
        let known = self.known(tenant);
        let mut known = known.lock().await;
        if let Some((sandbox, renewed)) = &*known
            && Instant::now() < *renewed
        {
            return Ok(sandbox.clone());
        }
        let request = TenantRequest { tenant: tenant.to_string(), ttl_seconds: TOKEN_TTL_DEFAULT_SECONDS };
        let answer = ask(request).await?;
        let sandbox = Sandbox { id: answer.sandbox_id, owner_token: answer.owner_token.unwrap_or_default() };
        *known = Some((sandbox.clone(), Instant::now() + RENEWED_AFTER));
        Ok(sandbox)
    }

    /// Forgets the tenant's token, which the service no longer takes.
    pub(super) async fn forget(&self, tenant: &Arc<str>) {
        *self.known(tenant).lock().await = None;
    }

    fn known(&self, tenant: &Arc<str>) -> Known {
        let mut sandboxes = self.sandboxes.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(sandboxes.entry(Arc::clone(tenant)).or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn keys() -> [SecretString; 2] {
        ["a".repeat(32).into(), "b".repeat(32).into()]
    }

    #[test]
    fn a_key_is_a_tenant_whatever_its_place_in_the_list() {
        let [a, b] = keys();
        let tenants = Tenants::new(&[a.clone(), b.clone()], None);
        let others = Tenants::new(&[b, a], None);
        assert_eq!(tenants.name(Some(KeyIndex(0))), others.name(Some(KeyIndex(1))));
        assert_ne!(tenants.name(Some(KeyIndex(0))), tenants.name(Some(KeyIndex(1))));
        assert_eq!(&*tenants.name(None), WITHOUT_KEY);
        let salted = Tenants::new(&keys(), Some(&"s".repeat(32).into()));
        assert_ne!(salted.name(Some(KeyIndex(0))), tenants.name(Some(KeyIndex(0))));
        let name = tenants.name(Some(KeyIndex(0)));
        assert!(name.len() == 2 * NAME_BYTES && name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_is_asked_for_once_and_renewed_before_it_expires() {
        let tenants = Tenants::new(&keys(), None);
        let asked = AtomicUsize::new(0);
        let sandbox = async |tenant: &str| {
            let ask = async |request: TenantRequest| {
                let number = asked.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(10)).await;
                Ok::<_, ()>(CreateResponse {
                    ok: true,
                    sandbox_id: request.sandbox_id(),
                    owner_token: Some(format!("token {number}").into()),
                    expires_at: String::new(),
                })
            };
            tenants.sandbox(&tenant.into(), ask).await.unwrap()
        };
        let (one, two) = tokio::join!(sandbox("a"), sandbox("a"));
        assert_eq!((one.id.as_str(), one.owner_token.expose_secret()), ("mcp-a", "token 0"));
        assert_eq!(two.owner_token.expose_secret(), "token 0");
        assert_eq!(sandbox("b").await.owner_token.expose_secret(), "token 1");
        tokio::time::advance(RENEWED_AFTER).await;
        assert_eq!(sandbox("a").await.owner_token.expose_secret(), "token 2");
        tenants.forget(&"a".into()).await;
        assert_eq!(sandbox("a").await.owner_token.expose_secret(), "token 3");
    }
}
