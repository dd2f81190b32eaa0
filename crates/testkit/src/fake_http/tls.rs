//! TLS for loopback: a certificate signed by an authority that nobody knows.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// Makes both, and writes the authority's certificate to a file.
pub fn config(authority: &Path) -> io::Result<Arc<ServerConfig>> {
    let issuer = issuer().map_err(io::Error::other)?;
    std::fs::write(authority, pem(issuer.der()))?;
    let key = KeyPair::generate().map_err(io::Error::other)?;
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let signed = CertificateParams::new(names)
        .and_then(|asked| asked.signed_by(&key, &issuer))
        .map_err(io::Error::other)?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(vec![signed.der().clone()], key)
        .map_err(io::Error::other)?;
    Ok(Arc::new(config))
}

fn issuer() -> Result<CertifiedIssuer<'static, KeyPair>, rcgen::Error> {
    let mut asked = CertificateParams::new(Vec::new())?;
    asked.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(asked, KeyPair::generate()?)
}

fn pem(certificate: &[u8]) -> String {
    let mut text = "-----BEGIN CERTIFICATE-----\n".to_owned();
    for line in certificate.chunks(48) {
        text += &BASE64_STANDARD.encode(line);
        text.push('\n');
    }
    text + "-----END CERTIFICATE-----\n"
}

/// Both directions of a TLS connection, which are one thing.
#[derive(Debug, Clone)]
pub struct Shared(pub Arc<Mutex<rustls::StreamOwned<rustls::ServerConnection, TcpStream>>>);

impl Read for Shared {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .read(into)
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .flush()
    }
}
