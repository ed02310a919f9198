//! `https` and `wss`, with a certificate that only clients with the emulator's CA trust.

use std::sync::Arc;

use http::Method;
use nix::sys::signal::Signal;
use porthole_tests::Emulator;
use porthole_tests::emulator::EmulatorOptions;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::json;
use tokio_tungstenite::Connector;
use tokio_tungstenite::tungstenite::Error;

use super::client::{PATIENCE, create, release, try_connect};

fn trusting(pem: &[u8]) -> Connector {
    let mut roots = rustls::RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        roots.add(certificate.unwrap()).unwrap();
    }
    let config = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    Connector::Rustls(Arc::new(config))
}

#[tokio::test]
async fn everything_goes_over_tls_and_only_clients_with_the_ca_trust_it() {
    let mut emulator = Emulator::start(EmulatorOptions::new().tls()).await;
    assert!(emulator.url().starts_with("https://"));
    let session = create(&emulator, json!({})).await;
    let url = session["connectUrl"].as_str().unwrap();
    assert!(url.starts_with("wss://127.0.0.1:"), "the connect URL does not begin with wss");
    assert!(session["seleniumRemoteUrl"].as_str().unwrap().starts_with("https://"));

    let pem_path = emulator.ca_pem_path().unwrap().clone();
    let pem = std::fs::read(&pem_path).unwrap();
    assert!(!String::from_utf8_lossy(&pem).contains("PRIVATE"), "the CA file contains a private key");
    let by_name = url.replace("127.0.0.1", "localhost");
    for url in [url, &by_name] {
        let stranger = try_connect(url, Some(trusting(b""))).await;
        assert!(
            matches!(stranger, Err(Error::Io(_) | Error::Tls(_))),
            "a client without the CA trusted the certificate"
        );
    }
    let strange = reqwest::Client::builder().no_proxy().build().unwrap();
    assert!(strange.get(emulator.url()).send().await.is_err());
    let plain = emulator.url().replace("https:", "http:");
    assert!(emulator.http.get(plain).send().await.is_err(), "plain http is answered");

    let mut socket = try_connect(&by_name, Some(trusting(&pem))).await.unwrap();
    let large = socket.call("SystemInfo.getInfo", json!({})).await;
    assert!(large["commandLine"].as_str().is_some_and(|line| line.contains("--remote-debugging-pipe")));
    let (_, live) = emulator.call(Method::GET, &format!("{}/debug", super::client::path(&session)), None).await;
    assert!(live["wsUrl"].as_str().unwrap().starts_with("wss://"));
    release(&emulator, &session).await;
    assert_eq!(socket.ended().await, Some(1000));
    emulator.expect_all_given_back(PATIENCE).await;

    emulator.process.signal(Signal::SIGTERM);
    assert!(emulator.process.ended(PATIENCE).await.success());
    assert!(emulator.home.left_in_temp().is_empty(), "{:?}", emulator.home.left_in_temp());
}
