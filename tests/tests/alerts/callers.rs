//! Alerts about callers: invalid owner tokens, and requests for private addresses.

use porthole_tests::Stack;
use serde_json::json;

use crate::prometheus::Prometheus;

#[tokio::test]
async fn refused_tokens_and_requests_for_private_addresses_fire_their_alerts() {
    let stack = Stack::start().await;
    let prometheus = Prometheus::watching(&stack).await;
    let caller = stack.caller();
    let asking = async {
        loop {
            let forged = json!({"url": "https://example.com/", "owner_token": "forged"});
            caller.extract(forged).await.expect_code("UNAUTHORIZED");
            caller.extract(json!({"url": "http://169.254.169.254/latest/"})).await.expect_code("BLOCKED_TARGET");
        }
    };
    tokio::select! {
        () = asking => {}
        () = prometheus.expect_firing(&["PortholeTokensRefused", "PortholeProbed"], &[]) => {}
    }
}
