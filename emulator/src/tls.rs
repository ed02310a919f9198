//! TLS with a certificate authority and a certificate that are made at start and kept in memory only.

use std::env;
use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio_rustls::TlsAcceptor;

/// Every user's clients may read the CA certificate.
const CA_FILE_MODE: u32 = 0o644;

/// Settings of the certificate.
#[derive(Clone, Debug)]
pub struct TlsSettings {
    /// Where its authority goes; `None`: the temp folder.
    pub ca_file: Option<PathBuf>,
}

/// Why TLS can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The certificate can't be made.
    #[error("the certificate can't be made")]
    Make(#[from] rcgen::Error),
    /// The certificate can't be served.
    #[error("the certificate can't be served")]
    Serve(#[from] rustls::Error),
    /// The CA file can't be written.
    #[error("{path} can't be written")]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// The TLS acceptor, and the CA file for clients. Dropping it removes the file.
pub(crate) struct Tls {
    pub(crate) acceptor: TlsAcceptor,
    ca_file: PathBuf,
}

impl Tls {
    /// Makes a certificate for `ip`, the loopback names and `more_names`, and writes the CA file.
    pub(crate) fn make(settings: &TlsSettings, ip: IpAddr, more_names: &[String]) -> Result<Self, TlsError> {
        let authority = authority()?;
        let mut names: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
        if !ip.is_unspecified() {
            names.push(ip.to_string());
        }
        names.extend(more_names.iter().cloned());
        names.dedup();
        let key = KeyPair::generate()?;
        let mut leaf = CertificateParams::new(names)?;
        leaf.distinguished_name.push(DnType::CommonName, "porthole-emulator");
        leaf.use_authority_key_identifier_extension = true;
        leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let leaf = leaf.signed_by(&key, &authority)?;

        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], PrivateKeyDer::from(key))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];

        let ca_file = settings
            .ca_file
            .clone()
            .unwrap_or_else(|| env::temp_dir().join(format!("porthole-emulator-{}-ca.pem", std::process::id())));
        write_whole(&ca_file, &authority.pem()).map_err(|source| TlsError::Write { path: ca_file.clone(), source })?;
        tracing::info!(ca_file = %ca_file.display(), "wrote the CA file that clients must trust");
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), ca_file })
    }
}

impl Drop for Tls {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.ca_file) {
            tracing::warn!(ca_file = %self.ca_file.display(), %error, "can't remove the CA file");
        }
    }
}

/// Writes a file atomically. Its temporary name is random, so that no link can have been planted there.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let readable = Permissions::from_mode(CA_FILE_MODE);
    let mut file = tempfile::Builder::new().permissions(readable).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

fn authority() -> Result<CertifiedIssuer<'static, KeyPair>, rcgen::Error> {
    let mut authority = CertificateParams::new(Vec::<String>::new())?;
    authority.distinguished_name.push(DnType::CommonName, "porthole-emulator's own authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    CertifiedIssuer::self_signed(authority, KeyPair::generate()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_whole_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (folder.path().join("ca.pem"), folder.path().join("elsewhere"));
        fs::write(&elsewhere, "untouched").unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        std::os::unix::fs::symlink(&elsewhere, folder.path().join("ca.pem.part")).unwrap();
        write_whole(&path, "the authority").unwrap();
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "untouched");
        assert_eq!(fs::read_to_string(&path).unwrap(), "the authority");
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "a temporary file is left");
    }
}
