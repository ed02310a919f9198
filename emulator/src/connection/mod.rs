//! A client's connection to its session's browser: relays whole messages in both directions and applies faults. `calls`
//! decides which of the client's messages reach the browser.

mod calls;
mod carry;
mod cut;
mod handshake;
mod refusals;
mod strike;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::sink::drain;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{self, Message};

use self::calls::{Judged, judge};
use self::carry::{Carried, Step, carry};
use self::handshake::ClientSocket;
pub(crate) use self::handshake::{Upgrade, upgrade};
use self::refusals::{refusals, with_refusals};
use self::strike::{Strike, Struck, strikes_at_once};
use crate::browser::Connected;
use crate::faults::{ConnectDue, ConnectFault};
use crate::session::{Session, Socket};

/// Time for a browser's exit to be noticed after its socket has closed.
const BROWSER_END_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for a client to answer a close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Why the relay ended.
enum End {
    /// The client closed its socket or lost the connection.
    Client,
    /// The browser's socket closed.
    Browser,
    /// The session ended.
    Session,
    /// A fault interrupts the connection.
    Fault,
}

/// Relays messages between a client and its session's browser, until one of them closes, the session ends or a fault
/// breaks the connection. `held` counts it among the session's sockets.
pub(crate) async fn serve(session: Arc<Session>, held: Socket, upgrade: Upgrade, browser: Connected, due: ConnectDue) {
    let bytes_max = match &due.fault {
        Some(ConnectFault::DropAfter { bytes, .. }) => *bytes,
        _ => None,
    };
    let Some(client) = upgrade.socket(bytes_max).await else { return };
    let number = session.state().connections;
    tracing::info!(session = session.id, number, "a client has connected");
    serve_socket(&session, client, browser, due, number).await;
    drop(held);
    tracing::info!(session = session.id, number, "a client's connection has ended");
}

async fn serve_socket(session: &Session, client: ClientSocket, browser: Connected, due: ConnectDue, number: u32) {
    let Connected { socket, downloads } = browser;
    let (mut client_sink, mut client_stream) = client.split();
    let (browser_sink, browser_stream) = socket.split();
    let (refusals, refused) = refusals();
    let struck = Struck::of(due.fault);
    let traffic = session.traffic.as_ref();

    let to_browser = carry(&mut client_stream, browser_sink, refusals, due.delay, |message| {
        if let (Some(traffic), Message::Text(text)) = (traffic, message) {
            traffic.record_call(number, text);
        }
        judged(message, &downloads)
    });
    let mut sent = 0;
    let answers = with_refusals(browser_stream, refused);
    let to_client = carry(answers, &mut client_sink, drain(), due.delay, |message| {
        if let (Some(traffic), Message::Text(text)) = (traffic, message) {
            traffic.record_answer(number, text);
        }
        let step = struck.as_ref().map_or(Step::Deliver, |struck| struck.step(message, sent, session));
        sent += 1;
        step
    });
    let end = tokio::select! {
        () = strikes_at_once(struck.as_ref(), session) => End::Fault,
        carried = to_client => match carried {
            Carried::Stopped => End::Fault,
            Carried::SourceGone => End::Browser,
            Carried::TargetGone => End::Client,
        },
        carried = to_browser => match carried {
            Carried::SourceGone => End::Client,
            Carried::TargetGone | Carried::Stopped => End::Browser,
        },
        // Not before: a browser whose client has left sends the requests that the client had paused.
        () = session.killed.cancelled() => End::Session,
    };
    let Ok(client) = client_stream.reunite(client_sink) else { return };
    match (first_end(end, session).await, struck) {
        (End::Fault, Some(Struck { strike: Strike::Freeze, .. })) => tokio::select! {
            () = ignore_until_closed(client) => {}
            () = session.over.cancelled() => {}
        },
        (End::Fault, Some(Struck { strike: Strike::Close(frame), .. })) => close(client, frame).await,
        (End::Session, _) => {
            close(client, CloseFrame { code: CloseCode::Normal, reason: "the session is over".into() }).await;
        }
        _ => {}
    }
}

/// Decides what ended first: the session's end also kills its browser, and the session's keeper knows which came first.
/// A browser that ended by itself sends no close frame, even if the session's end is noticed first.
async fn first_end(end: End, session: &Session) -> End {
    if !matches!(end, End::Browser | End::Session) {
        return end;
    }
    let _ = timeout(BROWSER_END_TIMEOUT, session.over.cancelled()).await;
    let is_over = session.over.is_cancelled() && !session.lost_its_browser();
    if is_over { End::Session } else { End::Browser }
}

/// Sends a close frame. Best effort: the client may have left or may not read.
async fn close(mut client: ClientSocket, frame: CloseFrame) {
    let closing = async {
        client.send(Message::Close(Some(frame))).await?;
        // Reads the client's remaining messages: closing a connection with unread bytes resets it, and the close frame
        // would be lost.
        while client.next().await.transpose()?.is_some() {}
        Ok::<(), tungstenite::Error>(())
    };
    let _ = timeout(CLOSE_TIMEOUT, closing).await;
}

/// Reads and drops what a client sends, without answering even pings, until it leaves.
async fn ignore_until_closed(mut client: ClientSocket) {
    let mut ignored = [0; 4096];
    while client.get_mut().read(&mut ignored).await.is_ok_and(|read| read > 0) {}
}

/// Relays like [`serve`] for an observer, without faults; it neither counts as a connection nor ends the session.
pub(crate) async fn observe(session: Arc<Session>, upgrade: Upgrade, browser: Connected) {
    let Some(client) = upgrade.socket(None).await else { return };
    let Connected { socket, downloads } = browser;
    let (client_sink, client_stream) = client.split();
    let (browser_sink, browser_stream) = socket.split();
    let (refusals, refused) = refusals();
    let answers = with_refusals(browser_stream, refused);
    tokio::select! {
        _ = carry(client_stream, browser_sink, refusals, Duration::ZERO, |message| judged(message, &downloads)) => {}
        _ = carry(answers, client_sink, drain(), Duration::ZERO, |_| Step::Deliver) => {}
        () = session.killed.cancelled() => {}
    }
}

/// Decides about a client's message.
fn judged(message: &Message, downloads: &Path) -> Step {
    match judge(message, downloads) {
        Judged::Forward => Step::Deliver,
        Judged::Rewrite(other) => Step::DeliverInstead(other),
        Judged::Refuse(answer) => Step::Answer(answer),
    }
}
