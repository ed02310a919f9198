//! The operator's settings about targets, all of them together: the ranges to block (`deny`), overrides of DNS answers
//! (`overrides`), exceptions (`exception`). The guard applies them.

use super::deny::DenyCidrs;
use super::entries::PolicyError;
use super::exception::AllowTargets;
use super::host::HostAddresses;
use super::listeners::OwnListeners;
use super::overrides::ResolveOverrides;
use super::resolve::Resolver;

/// All of the operator's settings about targets.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// `PORTHOLE_ALLOW_TARGETS`.
    pub allow: AllowTargets,
    /// `PORTHOLE_ALLOW_TARGETS_FROM`.
    pub allow_from: AllowFrom,
    /// `PORTHOLE_DENY_CIDRS`.
    pub deny: DenyCidrs,
    /// `PORTHOLE_RESOLVE`.
    pub resolve: ResolveOverrides,
    /// The addresses that Porthole itself listens on.
    pub own: OwnListeners,
    /// Knows this host's addresses: from the kernel, or given by a test.
    pub host: HostAddresses,
    /// Resolves all other names: through the system, or through a test's DNS server.
    pub resolver: Resolver,
}

/// Which pages may use the exceptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AllowFrom {
    /// The document that the caller named, its redirects, and subresources of documents that are on an exception.
    #[default]
    Document,
    /// Every page that is opened.
    Any,
}

// === impl AllowFrom ===

impl AllowFrom {
    /// Reads `document` or `any`.
    pub fn parse(text: &str) -> Result<AllowFrom, PolicyError> {
        match text.trim() {
            "document" => Ok(AllowFrom::Document),
            "any" => Ok(AllowFrom::Any),
            _ => Err(PolicyError::From { entry: text.to_owned() }),
        }
    }
}
