//! Progress of a call that takes long: that it goes on, and for how long it has. Clients that asked for it wait longer.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// Time before the first notification: most calls end sooner, and are answered without a stream.
const FIRST_AFTER: Duration = Duration::from_millis(500);
/// Pause between two notifications.
const INTERVAL: Duration = Duration::from_secs(2);

/// Notifies the client at intervals, if it asked for that, until dropped. Never ends by itself.
pub(crate) async fn notify(context: &RequestContext<RoleServer>, tool: &str) -> std::convert::Infallible {
    let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
    let began = Instant::now();
    let mut ticks = interval_at(began + FIRST_AFTER, INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let seconds = began.elapsed().as_secs_f64();
        let progress = ProgressNotificationParam::new(token.clone(), seconds)
            .with_message(format!("{tool} has been running for {seconds:.1} s"));
        if context.peer.notify_progress(progress).await.is_err() {
            // The client is gone; that cancels the call in its own way.
            return std::future::pending().await;
        }
    }
}
