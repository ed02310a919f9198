//! The metadata of our remote sessions: it identifies the owner and deadline of a session found later.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

/// Marks a session as Porthole's.
pub(super) const MARK: (&str, &str) = ("porthole", "1");
pub(super) const LEASE: &str = "lease";
const INSTANCE: &str = "instance";
const BOOT: &str = "boot";
const UNTIL: &str = "until";

/// How long after its deadline a session counts as left behind: clocks differ.
const GRACE: Duration = Duration::from_secs(30);
/// Browserbase accepts 512 characters of metadata in all; a host name can have 253.
pub(crate) const INSTANCE_MAX_CHARS: usize = 100;

/// One service process, from its start to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    /// The replica's name.
    pub instance: String,
    /// New at every start.
    pub boot: String,
}

impl Process {
    /// Builds the metadata of a session that serves `lease` until `until`.
    pub(super) fn metadata(&self, lease: &str, until: SystemTime) -> BTreeMap<&'static str, String> {
        BTreeMap::from([
            (MARK.0, MARK.1.to_owned()),
            (INSTANCE, self.instance.clone()),
            (BOOT, self.boot.clone()),
            (LEASE, lease.to_owned()),
            (UNTIL, unix_seconds(until).to_string()),
        ])
    }

    /// Returns whether a session with this metadata was left behind and may be released: its deadline has passed, or an
    /// earlier process of this replica created it. False for a session that another replica may still use.
    pub(super) fn was_left_behind(&self, metadata: &BTreeMap<String, Value>, now: SystemTime) -> bool {
        let text = |key: &str| metadata.get(key).and_then(Value::as_str);
        if text(MARK.0) != Some(MARK.1) {
            return false;
        }
        let is_of_an_earlier_process =
            text(INSTANCE) == Some(&self.instance) && text(BOOT).is_some_and(|boot| boot != self.boot);
        let is_late = text(UNTIL)
            .and_then(|until| until.parse().ok())
            .is_some_and(|until: u64| unix_seconds(now) > until.saturating_add(GRACE.as_secs()));
        is_of_an_earlier_process || is_late
    }
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(instance: &str, boot: &str) -> Process {
        Process { instance: instance.to_owned(), boot: boot.to_owned() }
    }

    fn found(process: &Process, until: SystemTime) -> BTreeMap<String, Value> {
        let metadata = process.metadata("lease", until);
        metadata.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect()
    }

    #[test]
    fn only_sessions_that_are_out_of_use_are_left_behind() {
        let now = SystemTime::now();
        let (soon, past) = (now + Duration::from_secs(60), now - Duration::from_secs(31));
        let us = process("a", "2");
        assert!(!us.was_left_behind(&found(&us, soon), now), "in use by us");
        assert!(!us.was_left_behind(&found(&process("b", "1"), soon), now), "in use by another replica");
        assert!(us.was_left_behind(&found(&process("a", "1"), soon), now), "of an earlier process of ours");
        assert!(us.was_left_behind(&found(&process("b", "1"), past), now), "another replica's, too late");
        assert!(us.was_left_behind(&found(&us, past), now), "ours, too late");
        assert!(!us.was_left_behind(&found(&process("b", "1"), now - Duration::from_secs(29)), now), "clocks differ");
    }

    #[test]
    fn a_session_that_is_not_clearly_ours_is_left_alone() {
        let now = SystemTime::now();
        let us = process("a", "2");
        let past = now - Duration::from_secs(3_600);
        for spoil in ["porthole", "until"] {
            let mut metadata = found(&process("b", "1"), past);
            metadata.insert(spoil.to_owned(), Value::Null);
            assert!(!us.was_left_behind(&metadata, now), "without {spoil}");
        }
        assert!(!us.was_left_behind(&BTreeMap::new(), now));
    }

    #[test]
    fn metadata_fits_browserbases_limit() {
        let process = process(&"i".repeat(INSTANCE_MAX_CHARS), &uuid::Uuid::new_v4().to_string());
        let metadata = process.metadata(&uuid::Uuid::new_v4().to_string(), SystemTime::now());
        assert!(serde_json::to_string(&metadata).unwrap().len() < 512);
    }
}
