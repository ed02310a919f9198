//! The budget: a lease's limits, and their renewal with each document.

use super::*;

const REQUESTS: u64 = 2;

async fn renewable(factor: u32) -> (Site, Egress) {
    let egress = open(EgressLimits { requests: REQUESTS, ..EgressLimits::default() }).await;
    egress.set_lease_factor(factor);
    (Site::that(Does::Answers(OK)).await, egress)
}

/// Returns how many of `tries` requests the site answers.
async fn answered(site: &Site, egress: &Egress, tries: usize) -> usize {
    let mut answered = 0;
    for _ in 0..tries {
        answered += usize::from(get(egress, &site.url("site.example")).await == OK);
    }
    answered
}

#[tokio::test]
async fn a_new_document_has_the_full_limits_again() {
    let (site, egress) = renewable(20).await;
    assert_eq!(answered(&site, &egress, 3).await, 2);
    egress.renew();
    assert_eq!(answered(&site, &egress, 3).await, 2);
}

#[tokio::test]
async fn all_documents_together_stay_within_the_leases_factor() {
    let (site, egress) = renewable(3).await;
    let mut all = 0;
    for _ in 0..10 {
        all += answered(&site, &egress, 2).await;
        egress.renew();
    }
    assert_eq!(all, 6, "three times the limit, refused requests included");
}

#[tokio::test]
async fn a_lease_without_a_factor_is_not_renewed() {
    let egress = open(EgressLimits { requests: REQUESTS, ..EgressLimits::default() }).await;
    let site = Site::that(Does::Answers(OK)).await;
    assert_eq!(answered(&site, &egress, 3).await, 2);
    egress.renew();
    assert_eq!(answered(&site, &egress, 1).await, 0);
}

#[tokio::test]
async fn bytes_are_renewed_and_bounded_like_requests() {
    // A closed connection loses what its buffers hold, a few hundred kilobytes.
    const BUDGET: u64 = 8_000_000;
    let egress = open(EgressLimits { bytes: BUDGET, ..EgressLimits::default() }).await;
    egress.set_lease_factor(2);
    let site = Site::that(Does::Pours(80_000_000)).await;
    let url = site.url("site.example");
    for _ in 0..2 {
        let mut caller = Caller::to(&egress).await;
        caller.write(&format!("GET {url} HTTP/1.1\r\n\r\n")).await;
        let read = caller.read_to_end().await.len() as u64;
        assert!(read > BUDGET / 4 && read <= BUDGET, "{read}");
        egress.renew();
    }
    for _ in 0..2 {
        assert!(get(&egress, &url).await.contains("x-porthole-egress: over_budget"), "the lease's own limit");
        egress.renew();
    }
}
