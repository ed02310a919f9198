//! Finds the boundaries of WebSocket frames (RFC 6455, 5.2) by their lengths, without reading payloads.

use porthole_daemon::websocket::{HEAD_MAX_BYTES, Head};

/// The position in a stream of frames.
#[derive(Debug)]
pub(super) enum Frames {
    /// In a frame's head, or before it if `read` is 0.
    Head { read: usize, bytes: [u8; HEAD_MAX_BYTES] },
    /// In a payload, with this number of bytes left.
    Payload(u64),
}

impl Default for Frames {
    fn default() -> Self {
        Self::Head { read: 0, bytes: [0; HEAD_MAX_BYTES] }
    }
}

impl Frames {
    /// Whether the position is between two frames.
    pub(super) fn at_boundary(&self) -> bool {
        matches!(self, Self::Head { read: 0, .. })
    }

    /// Advances to the end of the current frame at most, and returns the number of bytes consumed.
    pub(super) fn follow_one(&mut self, bytes: &[u8]) -> usize {
        let mut followed = 0;
        loop {
            match self {
                Self::Head { read, bytes: head } => {
                    let Some(&byte) = bytes.get(followed) else { return followed };
                    followed += 1;
                    head[*read] = byte;
                    *read += 1;
                    match Head::read(&head[..*read]).map(|head| head.payload_bytes) {
                        None => {}
                        Some(0) => *self = Self::default(),
                        Some(length) => *self = Self::Payload(length),
                    }
                }
                Self::Payload(left) => {
                    let here = (bytes.len() - followed) as u64;
                    if *left > here {
                        *left -= here;
                        return bytes.len();
                    }
                    followed += usize::try_from(*left).expect("at most the length of the buffer");
                    *self = Self::default();
                }
            }
            if self.at_boundary() {
                return followed;
            }
        }
    }

    /// Advances over all of these bytes.
    pub(super) fn follow(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = &bytes[self.follow_one(bytes)..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(masked: bool, payload_bytes: usize) -> Vec<u8> {
        let mask_bit = if masked { 0x80 } else { 0 };
        let mut frame = vec![0x82];
        match payload_bytes {
            0..126 => frame.push(mask_bit | u8::try_from(payload_bytes).unwrap()),
            126..65_536 => {
                frame.push(mask_bit | 126);
                frame.extend(u16::try_from(payload_bytes).unwrap().to_be_bytes());
            }
            _ => {
                frame.push(mask_bit | 127);
                frame.extend((payload_bytes as u64).to_be_bytes());
            }
        }
        if masked {
            frame.extend([1, 2, 3, 4]);
        }
        // The payload looks like frame heads.
        frame.extend(std::iter::repeat_n(0xff, payload_bytes));
        frame
    }

    #[test]
    fn boundaries_are_found_for_every_length_in_pieces_of_any_size() {
        let mut stream = Vec::new();
        let mut ends = vec![];
        for masked in [false, true] {
            for payload_bytes in [0, 1, 125, 126, 127, 65_535, 65_536, 70_000] {
                stream.extend(frame(masked, payload_bytes));
                ends.push(stream.len());
            }
        }
        for piece_bytes in [1, 2, 3, 7, 1000, 16_384, stream.len()] {
            let (mut frames, mut at, mut found) = (Frames::default(), 0, vec![]);
            for piece in stream.chunks(piece_bytes) {
                let mut rest = piece;
                while !rest.is_empty() {
                    let followed = frames.follow_one(rest);
                    at += followed;
                    rest = &rest[followed..];
                    if frames.at_boundary() {
                        found.push(at);
                    }
                }
            }
            assert_eq!(found, ends, "pieces of {piece_bytes}");
        }
    }

    #[test]
    fn a_position_within_a_frame_is_not_a_boundary() {
        for bytes in 1..frame(true, 300).len() {
            let mut frames = Frames::default();
            frames.follow(&frame(true, 300)[..bytes]);
            assert!(!frames.at_boundary(), "after {bytes} bytes");
        }
        let mut frames = Frames::default();
        frames.follow(&[frame(true, 300), frame(false, 5)].concat());
        assert!(frames.at_boundary());
    }
}
