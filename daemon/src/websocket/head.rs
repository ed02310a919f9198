//! The head of a frame (RFC 6455, 5.2).

/// Longest head of a frame: 2 bytes, 8 of an extended length, 4 of a mask.
pub const HEAD_MAX_BYTES: usize = 14;

/// A frame's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// What the frame is: 0 continues a message, 1 is text, 2 binary, 8 and above are control frames.
    pub opcode: u8,
    /// Whether it is the last one of its message.
    pub is_last: bool,
    /// Whether a reserved bit is set, which only extensions use.
    pub is_extended: bool,
    /// The payload's mask; every frame of a client has one.
    pub mask: Option<[u8; 4]>,
    /// The head's own length, in bytes.
    pub bytes: usize,
    /// The payload's length, in bytes.
    pub payload_bytes: u64,
}

impl Head {
    /// Reads the head at the start of `bytes`; `None` until it is complete.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let [first, second, rest @ ..] = bytes else { return None };
        let (extended, short) = match second & 0x7f {
            126 => (2, 0),
            127 => (8, 0),
            length => (0, u64::from(length)),
        };
        let (length, rest) = rest.split_at_checked(extended)?;
        let payload_bytes = length.iter().fold(short, |sum, byte| sum << 8 | u64::from(*byte));
        let mask = match second & 0x80 {
            0 => None,
            _ => Some(*rest.first_chunk()?),
        };
        let bytes = 2 + extended + if mask.is_some() { 4 } else { 0 };
        let (opcode, is_last, is_extended) = (first & 0x0f, first & 0x80 != 0, first & 0x70 != 0);
        Some(Self { opcode, is_last, is_extended, mask, bytes, payload_bytes })
    }

    /// Whether it is a control frame: close, ping or pong.
    #[must_use]
    pub const fn is_control(&self) -> bool {
        self.opcode >= 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_every_length_are_read_when_they_are_complete() {
        for (bytes, opcode, payload_bytes, is_masked) in [
            (&[0x81, 5][..], 1, 5, false),
            (&[0x82, 0x80 | 125, 1, 2, 3, 4], 2, 125, true),
            (&[0x80, 126, 0xff, 0xff], 0, 65_535, false),
            (&[0x89, 0x80 | 126, 0, 126, 1, 2, 3, 4], 9, 126, true),
            (&[0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 9, 9, 9, 9], 1, 65_536, true),
            (&[0x81, 0xff, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0], 1, u64::MAX, true),
        ] {
            let head = Head::read(bytes).unwrap();
            assert_eq!((head.opcode, head.payload_bytes, head.mask.is_some()), (opcode, payload_bytes, is_masked));
            assert_eq!((head.bytes, head.is_last, head.is_extended), (bytes.len(), true, false));
            assert!((0..bytes.len()).all(|length| Head::read(&bytes[..length]).is_none()));
        }
        assert!(!Head::read(&[0x01, 0]).unwrap().is_last);
        assert!(Head::read(&[0xc1, 0]).unwrap().is_extended);
    }
}
