//! The first message of a caller, read from the bytes of its connection, which are kept to be passed on.

use porthole_contract::limits::LIVE_MESSAGE_MAX_BYTES;
use porthole_contract::live::CloseCode;
use porthole_daemon::websocket::Head;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Most frames up to the end of the first message, control frames included.
const FRAMES_MAX: usize = 64;
/// Most bytes of a read.
const READ_BYTES: usize = 16 * 1024;
/// Longest payload of a control frame (RFC 6455, 5.5).
const CONTROL_MAX_BYTES: u64 = 125;

const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PONG: u8 = 10;

/// What has been read of a caller.
#[derive(Debug, Default)]
pub(super) struct First {
    /// Every byte so far, which may be more than the first message.
    pub(super) bytes: Vec<u8>,
}

/// Why there is no first message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoMessage {
    /// The caller has left.
    Gone,
    /// Its connection is to be closed with this code.
    Refused(CloseCode),
}

impl First {
    /// Reads until the first message is complete, and returns its text.
    ///
    /// # Errors
    /// [`NoMessage`] for any other message, for one that is too large, and when the caller leaves.
    pub(super) async fn read(&mut self, caller: &mut (impl AsyncRead + Unpin)) -> Result<String, NoMessage> {
        let mut buffer = vec![0; READ_BYTES];
        loop {
            if let Some(text) = text_of(&self.bytes)? {
                return Ok(text);
            }
            match caller.read(&mut buffer).await {
                Ok(0) | Err(_) => return Err(NoMessage::Gone),
                Ok(read) => self.bytes.extend_from_slice(&buffer[..read]),
            }
        }
    }
}

/// The text of the first message; `None` until it is complete. Bounded: a payload is never longer than it may be, and so
/// are the frames before it.
fn text_of(bytes: &[u8]) -> Result<Option<String>, NoMessage> {
    let bad = NoMessage::Refused(CloseCode::BadHello);
    // Payloads are unmasked once the message is complete: this is asked anew after each read.
    let (mut rest, mut text_bytes, mut parts) = (bytes, 0_u64, Vec::new());
    for _ in 0..FRAMES_MAX {
        let Some(head) = Head::read(rest) else { return Ok(None) };
        let is_control = matches!(head.opcode, CLOSE..=PONG) && head.payload_bytes <= CONTROL_MAX_BYTES;
        let is_text = head.opcode == CONTINUATION || (head.opcode == TEXT && text_bytes == 0);
        // Extensions are not offered, and a caller's frames are masked.
        let Some(mask) = head.mask.filter(|_| (is_control || is_text) && !head.is_extended) else { return Err(bad) };
        if text_bytes.saturating_add(head.payload_bytes) > LIVE_MESSAGE_MAX_BYTES as u64 {
            return Err(NoMessage::Refused(CloseCode::TooBig));
        }
        let Ok(payload_bytes) = usize::try_from(head.payload_bytes) else { return Err(bad) };
        let Some(payload) = rest.get(head.bytes..head.bytes + payload_bytes) else { return Ok(None) };
        if head.opcode == CLOSE {
            return Err(NoMessage::Gone);
        }
        if !is_control {
            text_bytes += head.payload_bytes;
            parts.push((payload, mask));
            if head.is_last {
                return String::from_utf8(unmasked(&parts)).map(Some).map_err(|_| bad);
            }
        }
        rest = &rest[head.bytes + payload_bytes..];
    }
    Err(bad)
}

fn unmasked(parts: &[(&[u8], [u8; 4])]) -> Vec<u8> {
    let bytes = parts.iter().flat_map(|(payload, mask)| payload.iter().zip(mask.iter().cycle()));
    bytes.map(|(byte, mask)| byte ^ mask).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mask = [1, 2, 3, 4];
        let mut frame = vec![first];
        match payload.len() {
            0..126 => frame.push(0x80 | u8::try_from(payload.len()).unwrap()),
            126..65_536 => {
                frame.push(0x80 | 126);
                frame.extend(u16::try_from(payload.len()).unwrap().to_be_bytes());
            }
            _ => {
                frame.push(0x80 | 127);
                frame.extend((payload.len() as u64).to_be_bytes());
            }
        }
        frame.extend(mask);
        frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        frame
    }

    async fn read(bytes: &[u8]) -> (Result<String, NoMessage>, First) {
        let mut first = First::default();
        (first.read(&mut &*bytes).await, first)
    }

    const WHOLE: u8 = 0x81;

    #[tokio::test]
    async fn the_first_text_is_read_and_every_byte_kept() {
        let later = frame(WHOLE, b"later");
        for stream in [
            [frame(WHOLE, "hällo".as_bytes()), later.clone()].concat(),
            [frame(0x01, b"h"), frame(0x89, b"ping"), frame(0x80, "ällo".as_bytes()), later.clone()].concat(),
            [frame(0x01, b""), frame(0x80, "hällo".as_bytes()), later.clone()].concat(),
        ] {
            let (text, first) = read(&stream).await;
            assert_eq!(text, Ok("hällo".to_owned()));
            assert_eq!(first.bytes, stream);
            for cut in 0..stream.len() - later.len() {
                assert_eq!(text_of(&stream[..cut]), Ok(None), "after {cut} bytes");
            }
        }
        let longest = "x".repeat(LIVE_MESSAGE_MAX_BYTES);
        assert_eq!(read(&frame(WHOLE, longest.as_bytes())).await.0, Ok(longest));
    }

    #[tokio::test]
    async fn anything_else_is_refused() {
        let bad = Err(NoMessage::Refused(CloseCode::BadHello));
        let too_big = Err(NoMessage::Refused(CloseCode::TooBig));
        let mut unmasked = frame(WHOLE, b"hello");
        unmasked[1] &= 0x7f;
        for (stream, outcome) in [
            (frame(0x82, b"binary"), bad),
            (frame(0xc1, b"compressed"), Err(NoMessage::Refused(CloseCode::BadHello))),
            (frame(WHOLE, &[0xff]), Err(NoMessage::Refused(CloseCode::BadHello))),
            (unmasked, Err(NoMessage::Refused(CloseCode::BadHello))),
            (frame(0x89, b"").repeat(FRAMES_MAX), Err(NoMessage::Refused(CloseCode::BadHello))),
            (frame(WHOLE, &[b'x'; LIVE_MESSAGE_MAX_BYTES + 1]), too_big),
            (vec![WHOLE, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], {
                Err(NoMessage::Refused(CloseCode::TooBig))
            }),
            (
                [frame(0x01, b"hello"), vec![0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]]
                    .concat(),
                { Err(NoMessage::Refused(CloseCode::TooBig)) },
            ),
            (frame(0x88, b""), Err(NoMessage::Gone)),
            (Vec::new(), Err(NoMessage::Gone)),
        ] {
            assert_eq!(read(&stream).await.0, outcome, "{:?}", &stream[..stream.len().min(20)]);
        }
    }
}
