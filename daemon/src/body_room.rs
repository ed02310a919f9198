//! Bounds what all request bodies of a process hold together, and those of one caller.
//!
//! A small body needs no room: connections are bounded, and so are they. What a large one has beyond that is counted as it
//! arrives, and held until the body is dropped.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use porthole_contract::limits::{BODIES_MAX_BYTES, BODIES_OF_ONE_MAX_BYTES, SERVICE_BODY_MAX_BYTES};

/// The room for the large bodies of a process.
#[derive(Debug, Default)]
pub struct BodyRoom(Mutex<Used>);

#[derive(Debug, Default)]
struct Used {
    total: usize,
    by_caller: HashMap<Arc<str>, usize>,
}

/// The room that one body takes, given back when this is dropped.
#[derive(Debug)]
pub struct Held {
    room: Arc<BodyRoom>,
    caller: Arc<str>,
    bytes: usize,
}

/// A body that was read, with the room that it takes.
#[derive(Debug)]
pub struct ReadBody {
    bytes: Bytes,
    held: Held,
}

impl Held {
    /// The room of a body of this caller, of which nothing has arrived yet.
    pub(crate) fn nothing(room: Arc<BodyRoom>, caller: &str) -> Self {
        Self { room, caller: caller.into(), bytes: 0 }
    }

    /// Takes room for a body that has grown to `length`. Whether there was enough.
    pub(crate) fn grow(&mut self, length: usize) -> bool {
        let wanted = length.saturating_sub(SERVICE_BODY_MAX_BYTES);
        let more = wanted.saturating_sub(self.bytes);
        if more == 0 {
            return true;
        }
        let mut used = self.room.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_caller = used.by_caller.get(&self.caller).copied().unwrap_or_default();
        if used.total + more > BODIES_MAX_BYTES || of_caller + more > BODIES_OF_ONE_MAX_BYTES {
            return false;
        }
        used.total += more;
        used.by_caller.insert(Arc::clone(&self.caller), of_caller + more);
        self.bytes += more;
        true
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut used = self.room.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.total -= self.bytes;
        if let Some(of_caller) = used.by_caller.get_mut(&self.caller) {
            *of_caller -= self.bytes;
            if *of_caller == 0 {
                used.by_caller.remove(&self.caller);
            }
        }
    }
}

impl ReadBody {
    pub(crate) fn new(bytes: Bytes, held: Held) -> Self {
        Self { bytes, held }
    }

    /// Drops the bytes and keeps their room, for what was made of them.
    #[must_use]
    pub fn into_held(self) -> Held {
        self.held
    }

    /// The bytes, and their room.
    #[must_use]
    pub fn into_parts(self) -> (Bytes, Held) {
        (self.bytes, self.held)
    }
}

impl Deref for ReadBody {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_bodies_share_a_room_of_which_one_caller_gets_half() {
        let room = Arc::new(BodyRoom::default());
        let body = |caller: &str| Held::nothing(Arc::clone(&room), caller);
        let size = 10 * 1024 * 1024 + SERVICE_BODY_MAX_BYTES;
        let mut of_a: Vec<Held> = (0..4).map(|_| body("a")).collect();
        let grown: Vec<bool> = of_a.iter_mut().map(|held| held.grow(size)).collect();
        assert_eq!(grown, [true, true, true, false]);
        assert!(of_a[3].grow(SERVICE_BODY_MAX_BYTES), "a small body needs no room");
        let mut of_b = (body("b"), body("b"), body("b"));
        assert!(of_b.0.grow(size) && of_b.1.grow(size) && of_b.2.grow(size));
        assert!(!body("c").grow(size), "the room is full");
        drop(of_a);
        assert!(body("c").grow(size));
        drop(of_b);
        let used = room.0.lock().unwrap();
        assert_eq!((used.total, used.by_caller.len()), (0, 0));
    }
}
