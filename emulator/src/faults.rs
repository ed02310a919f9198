//! Faults on demand: their kinds, and the queue of pending ones.
//!
//! This module only stores and hands out faults; the code at each place applies them. Each event triggers the first
//! pending fault that delays and the first other one: a slow failure is two faults, and a series of failures comes in
//! the order in which they were added.

use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Pending faults at once.
const PENDING_MAX: usize = 1000;

/// Where a fault applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    /// `POST /v1/sessions`.
    Create,
    /// `POST /v1/sessions/{id}`.
    Release,
    /// `GET /v1/sessions/{id}`.
    Get,
    /// `GET /v1/sessions`.
    List,
    /// The WebSocket of a connect URL.
    Connect,
}

/// A fault of an API request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ApiFault {
    /// Delays the request by this time.
    Slow { ms: u64 },
    /// Refuses the request with this status; nothing is done.
    Status { code: u16, message: Option<String>, retry_after_s: Option<u64> },
    /// Never answers; nothing is done.
    Hang,
    /// Closes the connection without an answer; nothing is done.
    Refuse,
    /// Handles the request, and closes the connection without an answer.
    LoseAnswer,
    /// Handles the request, and never answers.
    WithholdAnswer,
    /// Handles the request, and answers with a body that is not JSON.
    Garbage,
    /// Creates the session with a connect URL that names a closed port. For `create` alone.
    UnreachableConnectUrl,
}

/// A fault of a connection to a session. `after_messages` counts the messages that were sent to the client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ConnectFault {
    /// Delays each message by this time, in both directions. Messages keep their order, and any number may be in
    /// flight.
    Delay { each_way_ms: u64 },
    /// Refuses the upgrade with this status.
    Status { code: u16 },
    /// Closes the connection without an answer to the upgrade.
    Refuse,
    /// Never answers the upgrade.
    Hang,
    /// Closes the socket with this code.
    Close {
        #[serde(default = "policy_violation")]
        code: u16,
        #[serde(default)]
        reason: String,
        #[serde(default)]
        after_messages: u64,
    },
    /// Breaks the connection without a close frame, after this number of bytes on the wire (even in the middle of a
    /// frame) or of messages.
    DropAfter { bytes: Option<u64>, messages: Option<u64> },
    /// Sends something invalid that no browser sends.
    Garbage {
        kind: Garbage,
        #[serde(default)]
        after_messages: u64,
    },
    /// Drops all further messages of the browser. Pings are answered, and the client's messages arrive.
    Mute {
        #[serde(default)]
        after_messages: u64,
    },
    /// Loses the browser's events of these names for this time: a renderer that reports late what its page does.
    LoseEvents { names: Vec<String>, for_ms: u64 },
    /// Sends nothing more, not even pongs, and keeps the connection open: a dead connection without an error.
    Freeze {
        #[serde(default)]
        after_messages: u64,
    },
    /// Kills the session's browser.
    KillBrowser {
        #[serde(default)]
        after_messages: u64,
    },
}

/// A kind of invalid data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Garbage {
    /// A frame with a reserved opcode.
    Frame,
    /// A text message that is not JSON.
    Text,
    /// JSON that is not a DevTools message.
    Json,
}

fn policy_violation() -> u16 {
    1008
}

/// A pending fault, as the request writes it: one place, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PendingFault {
    #[serde(skip_serializing_if = "Option::is_none")]
    create: Option<ApiFault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<ApiFault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    get: Option<ApiFault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<ApiFault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connect: Option<ConnectFault>,
    /// Number of further events that it applies to; `None`: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<NonZeroU32>,
}

/// Why a fault is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidFault {
    #[error("a fault must name exactly one of create, release, get, list, connect")]
    Place,
    #[error("a fault's status must be from 400 to 599")]
    Status,
    #[error("a close code must be 1000 to 1003, 1007 to 1014, or 3000 to 4999")]
    CloseCode,
    #[error("drop_after must name either bytes or messages")]
    DropAfter,
    #[error("unreachable_connect_url is for create alone")]
    OnlyCreate,
    #[error("at most {PENDING_MAX} faults may be pending")]
    TooMany,
}

impl PendingFault {
    fn judge(&self) -> Result<(), InvalidFault> {
        let api = [&self.create, &self.release, &self.get, &self.list];
        if api.iter().filter(|fault| fault.is_some()).count() + usize::from(self.connect.is_some()) != 1 {
            return Err(InvalidFault::Place);
        }
        let is_refusal = |code: u16| (400..=599).contains(&code);
        for fault in api.into_iter().flatten() {
            match fault {
                ApiFault::Status { code, .. } if !is_refusal(*code) => return Err(InvalidFault::Status),
                ApiFault::UnreachableConnectUrl if self.create.is_none() => return Err(InvalidFault::OnlyCreate),
                _ => {}
            }
        }
        match &self.connect {
            Some(ConnectFault::Status { code }) if !is_refusal(*code) => Err(InvalidFault::Status),
            Some(ConnectFault::Close { code, .. }) if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) => {
                Err(InvalidFault::CloseCode)
            }
            Some(ConnectFault::DropAfter { bytes, messages }) if bytes.is_some() == messages.is_some() => {
                Err(InvalidFault::DropAfter)
            }
            _ => Ok(()),
        }
    }

    fn api(&self, place: Place) -> Option<&ApiFault> {
        match place {
            Place::Create => self.create.as_ref(),
            Place::Release => self.release.as_ref(),
            Place::Get => self.get.as_ref(),
            Place::List => self.list.as_ref(),
            Place::Connect => None,
        }
    }
}

/// The pending faults.
#[derive(Default)]
pub(crate) struct Faults(Mutex<Vec<PendingFault>>);

/// The faults due for one API request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ApiDue {
    pub(crate) slow: Duration,
    pub(crate) fault: Option<ApiFault>,
}

/// The faults due for one connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ConnectDue {
    pub(crate) delay: Duration,
    pub(crate) fault: Option<ConnectFault>,
}

impl Faults {
    /// Adds these faults; all of them, or none if one is invalid.
    pub(crate) fn add(&self, added: Vec<PendingFault>) -> Result<(), InvalidFault> {
        added.iter().try_for_each(PendingFault::judge)?;
        let mut pending = self.locked();
        if pending.len() + added.len() > PENDING_MAX {
            return Err(InvalidFault::TooMany);
        }
        pending.extend(added);
        Ok(())
    }

    /// Returns the faults that are still pending.
    pub(crate) fn pending(&self) -> Vec<PendingFault> {
        self.locked().clone()
    }

    /// Removes all pending faults.
    pub(crate) fn clear(&self) {
        self.locked().clear();
    }

    /// Takes the faults due for a request at this place.
    pub(crate) fn for_api(&self, place: Place) -> ApiDue {
        let mut pending = self.locked();
        let slow = take(&mut pending, |fault| match fault.api(place) {
            Some(ApiFault::Slow { ms }) => Some(Duration::from_millis(*ms)),
            _ => None,
        });
        let fault = take(&mut pending, |fault| match fault.api(place) {
            None | Some(ApiFault::Slow { .. }) => None,
            Some(fault) => Some(fault.clone()),
        });
        ApiDue { slow: slow.unwrap_or_default(), fault }
    }

    /// Takes the faults due for a connection.
    pub(crate) fn for_connection(&self) -> ConnectDue {
        let mut pending = self.locked();
        let delay = take(&mut pending, |fault| match &fault.connect {
            Some(ConnectFault::Delay { each_way_ms }) => Some(Duration::from_millis(*each_way_ms)),
            _ => None,
        });
        let fault = take(&mut pending, |fault| match &fault.connect {
            None | Some(ConnectFault::Delay { .. }) => None,
            Some(fault) => Some(fault.clone()),
        });
        ConnectDue { delay: delay.unwrap_or_default(), fault }
    }

    fn locked(&self) -> MutexGuard<'_, Vec<PendingFault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the first fault that fits, and counts the use.
fn take<T>(pending: &mut Vec<PendingFault>, fits: impl Fn(&PendingFault) -> Option<T>) -> Option<T> {
    let (at, fault) = pending.iter().enumerate().find_map(|(at, fault)| Some((at, fits(fault)?)))?;
    if let Some(times) = pending[at].times {
        match NonZeroU32::new(times.get() - 1) {
            Some(left) => pending[at].times = Some(left),
            None => drop(pending.remove(at)),
        }
    }
    Some(fault)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn add(faults: &Faults, added: serde_json::Value) -> Result<(), InvalidFault> {
        faults.add(serde_json::from_value(added).unwrap())
    }

    #[test]
    fn faults_come_in_order_as_often_as_requested_with_delays_in_parallel() {
        let faults = Faults::default();
        let added = json!([
            {"create": {"status": {"code": 500}}, "times": 2},
            {"create": "hang", "times": 1},
            {"create": {"slow": {"ms": 30}}, "times": 2},
            {"connect": {"delay": {"each_way_ms": 7}}},
        ]);
        add(&faults, added).unwrap();
        let due: Vec<ApiDue> = (0..4).map(|_| faults.for_api(Place::Create)).collect();
        let status = ApiFault::Status { code: 500, message: None, retry_after_s: None };
        let slow = Duration::from_millis(30);
        assert_eq!(due[0], ApiDue { slow, fault: Some(status.clone()) });
        assert_eq!(due[1], ApiDue { slow, fault: Some(status) });
        assert_eq!(due[2], ApiDue { slow: Duration::ZERO, fault: Some(ApiFault::Hang) });
        assert_eq!(due[3], ApiDue::default());
        assert_eq!(faults.for_api(Place::Release), ApiDue::default());
        for _ in 0..3 {
            assert_eq!(faults.for_connection(), ConnectDue { delay: Duration::from_millis(7), fault: None });
        }
        assert_eq!(faults.pending().len(), 1);
        faults.clear();
        assert_eq!(faults.for_connection(), ConnectDue::default());
    }

    #[test]
    fn an_invalid_fault_refuses_the_whole_request() {
        let faults = Faults::default();
        for (fault, error) in [
            (json!({}), InvalidFault::Place),
            (json!({"create": "hang", "release": "hang"}), InvalidFault::Place),
            (json!({"create": {"status": {"code": 200}}}), InvalidFault::Status),
            (json!({"connect": {"status": {"code": 101}}}), InvalidFault::Status),
            (json!({"connect": {"close": {"code": 1005}}}), InvalidFault::CloseCode),
            (json!({"connect": {"drop_after": {}}}), InvalidFault::DropAfter),
            (json!({"connect": {"drop_after": {"bytes": 1, "messages": 1}}}), InvalidFault::DropAfter),
            (json!({"release": "unreachable_connect_url"}), InvalidFault::OnlyCreate),
        ] {
            assert_eq!(add(&faults, json!([{"create": "hang"}, fault])), Err(error), "{fault}");
        }
        assert!(faults.pending().is_empty());
        for unknown in [json!([{"create": "explode"}]), json!([{"times": 0, "create": "hang"}]), json!([{"at": 1}])] {
            assert!(serde_json::from_value::<Vec<PendingFault>>(unknown.clone()).is_err(), "{unknown}");
        }
    }
}
