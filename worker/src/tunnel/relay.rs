//! Relays a tunnel's bytes in both directions until a side closes, it is idle for too long, or the worker drains.

use std::io;
use std::time::Duration;

use porthole_contract::live::CloseCode;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::frames::Frames;

/// Size of a read buffer, in bytes; a tunnel has two.
const BUFFER_BYTES: usize = 16 * 1024;
/// A server's close frame with code 1001, "going away" (RFC 6455, 7.4.1).
const CLOSE_GOING_AWAY: [u8; 4] = [0x88, 2, 0x03, 0xe9];
/// A caller's pong with an empty payload and mask, which nothing answers (RFC 6455, 5.5.3).
const UNSOLICITED_PONG: [u8; 6] = [0x8a, 0x80, 0, 0, 0, 0];
/// How often such a pong is sent while the caller reads nothing.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);
/// Time from that frame to the end of the closing handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// How a tunnel ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The caller or the service closed its side.
    Closed,
    /// A connection broke.
    Broken(io::ErrorKind),
    /// The tunnel was idle for too long, and the caller got a close frame with 1001.
    Idle,
    /// The worker is draining, and the caller got a close frame with 1001.
    GoingAway,
}

/// Passes bytes between `caller` and `service`. Once `going_away` is cancelled, or after `idle_timeout` without a byte,
/// the caller gets a close frame with code 1001 after the current frame; its own close frame is passed to the service,
/// and both connections end.
///
/// While the caller reads nothing, nothing of the service is read either, its end included. So pongs are sent to it: writing
/// fails once it has closed its side.
pub(super) async fn relay(
    caller: impl AsyncRead + AsyncWrite,
    service: impl AsyncRead + AsyncWrite,
    going_away: CancellationToken,
    idle_timeout: Duration,
) -> Ended {
    let (mut from_caller, mut to_caller) = tokio::io::split(caller);
    let (mut from_service, mut to_service) = tokio::io::split(service);
    let (moved, movement) = watch::channel(());
    let closing = CancellationToken::new();
    let blocked = Notify::new();
    let mut up = Box::pin(pass_on(&mut from_caller, &mut to_service, &moved, &blocked));
    let mut down = Box::pin(pass_on_until_closed(&mut from_service, &mut to_caller, &moved, &closing, &blocked));
    let because = async {
        tokio::select! {
            () = going_away.cancelled() => Ended::GoingAway,
            () = standstill(movement, idle_timeout) => Ended::Idle,
        }
    };
    let ended = tokio::select! {
        ended = &mut up => return Ended::of(ended),
        ended = &mut down => match ended {
            Ok(()) => Ended::Closed,
            Err(error) => return Ended::Broken(error.kind()),
        },
        because = because => {
            closing.cancel();
            // A caller that does not read the current frame is cut, like one that does not answer the close frame.
            let told = tokio::time::timeout(CLOSE_TIMEOUT, async {
                tokio::select! {
                    ended = &mut up => ended,
                    ended = &mut down => ended,
                }
            });
            if !matches!(told.await, Ok(Ok(()))) {
                return because;
            }
            because
        }
    };
    drop(down);
    let deadline = Instant::now() + CLOSE_TIMEOUT;
    if ended != Ended::Closed {
        // The service closes after the caller's close frame; what it sends until then is dropped.
        tokio::select! {
            _ = &mut up => {}
            () = read_to_end(&mut from_service) => {}
            () = tokio::time::sleep_until(deadline) => {}
        }
    }
    drop(up);
    let last = async {
        let _ = to_caller.shutdown().await;
        // Closing a socket with unread bytes resets it, and the caller may lose the last frames.
        read_to_end(&mut from_caller).await;
    };
    let _in_time = tokio::time::timeout_at(deadline, last).await;
    ended
}

impl Ended {
    fn of(ended: io::Result<()>) -> Self {
        ended.map_or_else(|error| Self::Broken(error.kind()), |()| Self::Closed)
    }
}

/// Closes a caller's connection with this code, before anything else was sent to it.
pub(super) async fn close(caller: impl AsyncRead + AsyncWrite, code: CloseCode) {
    let (mut from_caller, mut to_caller) = tokio::io::split(caller);
    let last = async {
        if to_caller.write_all(&close_frame(code)).await.is_ok() && to_caller.shutdown().await.is_ok() {
            read_to_end(&mut from_caller).await;
        }
    };
    let _in_time = tokio::time::timeout(CLOSE_TIMEOUT, last).await;
}

/// A server's close frame (RFC 6455, 5.5.1). Reasons fit: a test of the contract bounds them.
fn close_frame(code: CloseCode) -> Vec<u8> {
    let reason = code.reason().as_bytes();
    let length = u8::try_from(2 + reason.len()).unwrap_or(2);
    let mut frame = vec![0x88, length];
    frame.extend(code.number().to_be_bytes());
    frame.extend(&reason[..usize::from(length) - 2]);
    frame
}

/// Reads and drops bytes until the end.
async fn read_to_end(from: &mut (impl AsyncRead + Unpin)) {
    let mut buffer = [0; 1024];
    while from.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
}

/// Returns after `timeout` without movement.
async fn standstill(mut movement: watch::Receiver<()>, timeout: Duration) {
    loop {
        let deadline = Instant::now() + timeout;
        match tokio::time::timeout_at(deadline, movement.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return,
        }
    }
}

/// Passes bytes on, and sends a pong between two frames whenever the other direction says that it is blocked.
async fn pass_on(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    moved: &watch::Sender<()>,
    blocked: &Notify,
) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut frames = Frames::default();
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read?,
            () = blocked.notified(), if frames.at_boundary() => {
                to.write_all(&UNSOLICITED_PONG).await?;
                to.flush().await?;
                continue;
            }
        };
        if read == 0 {
            return to.shutdown().await;
        }
        frames.follow(&buffer[..read]);
        to.write_all(&buffer[..read]).await?;
        to.flush().await?;
        moved.send_replace(());
    }
}

/// Passes bytes on and tracks the frames: once `closing` is cancelled, ends after the current frame with a close frame.
async fn pass_on_until_closed(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    moved: &watch::Sender<()>,
    closing: &CancellationToken,
    blocked: &Notify,
) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut frames = Frames::default();
    loop {
        if closing.is_cancelled() && frames.at_boundary() {
            to.write_all(&CLOSE_GOING_AWAY).await?;
            return to.flush().await;
        }
        let read = tokio::select! {
            read = from.read(&mut buffer) => read?,
            () = closing.cancelled(), if !closing.is_cancelled() => continue,
        };
        if read == 0 {
            return to.shutdown().await;
        }
        let mut bytes = &buffer[..read];
        if closing.is_cancelled() {
            bytes = &bytes[..frames.follow_one(bytes)];
        } else {
            frames.follow(bytes);
        }
        let mut writing = std::pin::pin!(async {
            to.write_all(bytes).await?;
            to.flush().await
        });
        loop {
            match tokio::time::timeout(PROBE_INTERVAL, &mut writing).await {
                Ok(written) => break written?,
                Err(_) => blocked.notify_one(),
            }
        }
        moved.send_replace(());
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::DuplexStream;
    use tokio::task::JoinHandle;

    use super::*;

    const IDLE: Duration = Duration::from_secs(60);
    /// A text frame of the service, and a masked close frame of the caller.
    const FROM_SERVICE: &[u8] = b"\x81\x05hello";
    const CALLERS_CLOSE: &[u8] = &[0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9];

    fn started() -> (DuplexStream, DuplexStream, CancellationToken, JoinHandle<Ended>) {
        let (caller, callers_end) = tokio::io::duplex(64 * 1024);
        let (service, services_end) = tokio::io::duplex(64 * 1024);
        let going_away = CancellationToken::new();
        let relaying = tokio::spawn(relay(callers_end, services_end, going_away.clone(), IDLE));
        (caller, service, going_away, relaying)
    }

    async fn receives(stream: &mut DuplexStream, expected: &[u8]) {
        let mut bytes = vec![0; expected.len()];
        stream.read_exact(&mut bytes).await.unwrap();
        assert_eq!(bytes, expected);
    }

    async fn ends(stream: &mut DuplexStream) {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).await.unwrap();
        assert!(rest.is_empty(), "{rest:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn going_away_waits_for_the_frame_under_way_and_passes_the_callers_close_on() {
        let (mut caller, mut service, going_away, relaying) = started();
        service.write_all(&FROM_SERVICE[..3]).await.unwrap();
        receives(&mut caller, &FROM_SERVICE[..3]).await;
        going_away.cancel();
        tokio::task::yield_now().await;
        // The rest of the frame, and another one that comes too late.
        service.write_all(&[&FROM_SERVICE[3..], FROM_SERVICE].concat()).await.unwrap();
        receives(&mut caller, &FROM_SERVICE[3..]).await;
        receives(&mut caller, &CLOSE_GOING_AWAY).await;
        caller.write_all(CALLERS_CLOSE).await.unwrap();
        receives(&mut service, CALLERS_CLOSE).await;
        drop(service);
        ends(&mut caller).await;
        drop(caller);
        assert_eq!(relaying.await.unwrap(), Ended::GoingAway);
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_does_not_answer_the_close_frame_is_cut() {
        let (mut caller, _service, going_away, relaying) = started();
        going_away.cancel();
        receives(&mut caller, &CLOSE_GOING_AWAY).await;
        assert_eq!(relaying.await.unwrap(), Ended::GoingAway);
        ends(&mut caller).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_frame_that_never_ends_is_cut() {
        let (mut caller, mut service, going_away, relaying) = started();
        service.write_all(&FROM_SERVICE[..3]).await.unwrap();
        receives(&mut caller, &FROM_SERVICE[..3]).await;
        going_away.cancel();
        assert_eq!(relaying.await.unwrap(), Ended::GoingAway);
        ends(&mut caller).await;
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_in_either_direction_keep_a_tunnel_open() {
        let (mut caller, mut service, _going_away, relaying) = started();
        for _ in 0..3 {
            tokio::time::advance(IDLE * 2 / 3).await;
            caller.write_all(b"up").await.unwrap();
            receives(&mut service, b"up").await;
            tokio::time::advance(IDLE * 2 / 3).await;
            service.write_all(FROM_SERVICE).await.unwrap();
            receives(&mut caller, FROM_SERVICE).await;
        }
        receives(&mut caller, &CLOSE_GOING_AWAY).await;
        assert_eq!(relaying.await.unwrap(), Ended::Idle);
    }

    #[tokio::test(start_paused = true)]
    async fn the_service_s_end_is_seen_although_the_caller_reads_nothing() {
        // Room for less than the service sends.
        let (mut caller, callers_end) = tokio::io::duplex(8);
        let (mut service, services_end) = tokio::io::duplex(64 * 1024);
        let relaying = tokio::spawn(relay(callers_end, services_end, CancellationToken::new(), IDLE));
        service.write_all(&FROM_SERVICE.repeat(3)).await.unwrap();
        receives(&mut service, &UNSOLICITED_PONG).await;
        // No pong stands within a frame of the caller.
        let frame = [0x82, 0x84, 0, 0, 0, 0, 1, 2, 3, 4];
        caller.write_all(&frame[..7]).await.unwrap();
        receives(&mut service, &frame[..7]).await;
        tokio::time::advance(PROBE_INTERVAL * 5).await;
        caller.write_all(&frame[7..]).await.unwrap();
        receives(&mut service, &frame[7..]).await;
        receives(&mut service, &UNSOLICITED_PONG).await;
        drop(service);
        assert_eq!(relaying.await.unwrap(), Ended::Broken(io::ErrorKind::BrokenPipe));
        drop(caller);
    }

    #[tokio::test(start_paused = true)]
    async fn either_side_can_close_the_tunnel() {
        let (caller, mut service, _going_away, relaying) = started();
        drop(caller);
        ends(&mut service).await;
        assert_eq!(relaying.await.unwrap(), Ended::Closed);
        let (mut caller, mut service, _going_away, relaying) = started();
        service.write_all(FROM_SERVICE).await.unwrap();
        drop(service);
        receives(&mut caller, FROM_SERVICE).await;
        ends(&mut caller).await;
        drop(caller);
        assert_eq!(relaying.await.unwrap(), Ended::Closed);
    }
}
