//! Faults on demand: which there are, which are wanted, and which of them is due.
//!
//! What a fault does is done where it strikes; here they are only kept and handed out. At each event the first wanted
//! fault that delays and the first that fails are due, so that a slow failure is two faults, and a series of failures
//! comes in the order in which they were asked for.

use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How many faults may be wanted at once.
const WANTED_MAX: usize = 1000;

/// Where a fault strikes.
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

/// What may befall a request of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ApiFault {
    /// It takes that much longer.
    Slow { ms: u64 },
    /// It is refused with this status and nothing is done.
    Status { code: u16, message: Option<String>, retry_after_s: Option<u64> },
    /// It is never answered and nothing is done.
    Hang,
    /// Its connection is closed without an answer and nothing is done.
    Refuse,
    /// It is done, and its connection is closed without an answer.
    LoseAnswer,
    /// It is done, and never answered.
    WithholdAnswer,
    /// It is done, and the answer's body is not JSON.
    Garbage,
    /// It is done, and the connect URL leads where nobody listens. For `create` alone.
    UnreachableConnectUrl,
}

/// What may befall a connection to a session. `after_messages` counts the messages that the client has been sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ConnectFault {
    /// Each message takes that much longer, in either direction. They keep their order, and as many as are sent are
    /// under way at once.
    Delay { each_way_ms: u64 },
    /// The upgrade is refused with this status.
    Status { code: u16 },
    /// The upgrade's connection is closed without an answer.
    Refuse,
    /// The upgrade is never answered.
    Hang,
    /// It is closed with this code.
    Close {
        #[serde(default = "policy_violation")]
        code: u16,
        #[serde(default)]
        reason: String,
        #[serde(default)]
        after_messages: u64,
    },
    /// It breaks off without a word, after so many bytes on the wire (in the middle of a frame, if that is where they
    /// end) or so many messages.
    DropAfter { bytes: Option<u64>, messages: Option<u64> },
    /// Something comes that no browser says.
    Garbage {
        kind: Garbage,
        #[serde(default)]
        after_messages: u64,
    },
    /// Nothing more comes from the browser. Pings are answered, and what the client says arrives.
    Mute {
        #[serde(default)]
        after_messages: u64,
    },
    /// Nothing more comes at all, pings are not answered, and it stays open: a line that is dead and does not tell.
    Freeze {
        #[serde(default)]
        after_messages: u64,
    },
    /// The session's browser is killed.
    KillBrowser {
        #[serde(default)]
        after_messages: u64,
    },
}

/// What no browser says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Garbage {
    /// A frame that the WebSocket protocol does not know.
    Frame,
    /// A text message that is not JSON.
    Text,
    /// JSON that is no message of the DevTools protocol.
    Json,
}

fn policy_violation() -> u16 {
    1008
}

/// A wanted fault, as it is asked for: one place, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
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
    /// How many more events it strikes; `None`: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<NonZeroU32>,
}

/// A wish that can't be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnfitFault {
    #[error("a fault names exactly one of create, release, get, list, connect")]
    Place,
    #[error("a status is from 400 to 599")]
    Status,
    #[error("a close code is one that may be sent: 1000 to 1003, 1007 to 1014, or 3000 to 4999")]
    CloseCode,
    #[error("drop_after names either bytes or messages")]
    DropAfter,
    #[error("unreachable_connect_url is for create alone")]
    OnlyCreate,
    #[error("{WANTED_MAX} faults at once are enough")]
    TooMany,
}

impl Wanted {
    fn judge(&self) -> Result<(), UnfitFault> {
        let api = [&self.create, &self.release, &self.get, &self.list];
        if api.iter().filter(|fault| fault.is_some()).count() + usize::from(self.connect.is_some()) != 1 {
            return Err(UnfitFault::Place);
        }
        let is_refusal = |code: u16| (400..=599).contains(&code);
        for fault in api.into_iter().flatten() {
            match fault {
                ApiFault::Status { code, .. } if !is_refusal(*code) => return Err(UnfitFault::Status),
                ApiFault::UnreachableConnectUrl if self.create.is_none() => return Err(UnfitFault::OnlyCreate),
                _ => {}
            }
        }
        match &self.connect {
            Some(ConnectFault::Status { code }) if !is_refusal(*code) => Err(UnfitFault::Status),
            Some(ConnectFault::Close { code, .. }) if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) => {
                Err(UnfitFault::CloseCode)
            }
            Some(ConnectFault::DropAfter { bytes, messages }) if bytes.is_some() == messages.is_some() => {
                Err(UnfitFault::DropAfter)
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

/// The faults that are wanted.
#[derive(Default)]
pub(crate) struct Faults(Mutex<Vec<Wanted>>);

/// What is due for one request of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ApiDue {
    pub(crate) slow: Duration,
    pub(crate) fault: Option<ApiFault>,
}

/// What is due for one connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ConnectDue {
    pub(crate) delay: Duration,
    pub(crate) fault: Option<ConnectFault>,
}

impl Faults {
    /// Wants these, too; all of them or none.
    pub(crate) fn want(&self, wishes: Vec<Wanted>) -> Result<(), UnfitFault> {
        wishes.iter().try_for_each(Wanted::judge)?;
        let mut wanted = self.wanted();
        if wanted.len() + wishes.len() > WANTED_MAX {
            return Err(UnfitFault::TooMany);
        }
        wanted.extend(wishes);
        Ok(())
    }

    /// Those that are still wanted.
    pub(crate) fn still_wanted(&self) -> Vec<Wanted> {
        self.wanted().clone()
    }

    /// Wants no more faults.
    pub(crate) fn clear(&self) {
        self.wanted().clear();
    }

    /// What is due for a request there.
    pub(crate) fn for_api(&self, place: Place) -> ApiDue {
        let mut wanted = self.wanted();
        let slow = take(&mut wanted, |wish| match wish.api(place) {
            Some(ApiFault::Slow { ms }) => Some(Duration::from_millis(*ms)),
            _ => None,
        });
        let fault = take(&mut wanted, |wish| match wish.api(place) {
            None | Some(ApiFault::Slow { .. }) => None,
            Some(fault) => Some(fault.clone()),
        });
        ApiDue { slow: slow.unwrap_or_default(), fault }
    }

    /// What is due for a connection.
    pub(crate) fn for_connection(&self) -> ConnectDue {
        let mut wanted = self.wanted();
        let delay = take(&mut wanted, |wish| match &wish.connect {
            Some(ConnectFault::Delay { each_way_ms }) => Some(Duration::from_millis(*each_way_ms)),
            _ => None,
        });
        let fault = take(&mut wanted, |wish| match &wish.connect {
            None | Some(ConnectFault::Delay { .. }) => None,
            Some(fault) => Some(fault.clone()),
        });
        ConnectDue { delay: delay.unwrap_or_default(), fault }
    }

    fn wanted(&self) -> MutexGuard<'_, Vec<Wanted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first that fits, once.
fn take<T>(wanted: &mut Vec<Wanted>, fits: impl Fn(&Wanted) -> Option<T>) -> Option<T> {
    let (at, fault) = wanted.iter().enumerate().find_map(|(at, wish)| Some((at, fits(wish)?)))?;
    if let Some(times) = wanted[at].times {
        match NonZeroU32::new(times.get() - 1) {
            Some(left) => wanted[at].times = Some(left),
            None => drop(wanted.remove(at)),
        }
    }
    Some(fault)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn want(faults: &Faults, wishes: serde_json::Value) -> Result<(), UnfitFault> {
        faults.want(serde_json::from_value(wishes).unwrap())
    }

    #[test]
    fn faults_come_in_their_order_as_often_as_wanted_and_delays_beside_them() {
        let faults = Faults::default();
        let wishes = json!([
            {"create": {"status": {"code": 500}}, "times": 2},
            {"create": "hang", "times": 1},
            {"create": {"slow": {"ms": 30}}, "times": 2},
            {"connect": {"delay": {"each_way_ms": 7}}},
        ]);
        want(&faults, wishes).unwrap();
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
        assert_eq!(faults.still_wanted().len(), 1);
        faults.clear();
        assert_eq!(faults.for_connection(), ConnectDue::default());
    }

    #[test]
    fn unfit_wishes_are_refused_and_take_the_others_with_them() {
        let faults = Faults::default();
        for (wish, error) in [
            (json!({}), UnfitFault::Place),
            (json!({"create": "hang", "release": "hang"}), UnfitFault::Place),
            (json!({"create": {"status": {"code": 200}}}), UnfitFault::Status),
            (json!({"connect": {"status": {"code": 101}}}), UnfitFault::Status),
            (json!({"connect": {"close": {"code": 1005}}}), UnfitFault::CloseCode),
            (json!({"connect": {"drop_after": {}}}), UnfitFault::DropAfter),
            (json!({"connect": {"drop_after": {"bytes": 1, "messages": 1}}}), UnfitFault::DropAfter),
            (json!({"release": "unreachable_connect_url"}), UnfitFault::OnlyCreate),
        ] {
            assert_eq!(want(&faults, json!([{"create": "hang"}, wish])), Err(error), "{wish}");
        }
        assert!(faults.still_wanted().is_empty());
        for unknown in [json!([{"create": "explode"}]), json!([{"times": 0, "create": "hang"}]), json!([{"at": 1}])] {
            assert!(serde_json::from_value::<Vec<Wanted>>(unknown.clone()).is_err(), "{unknown}");
        }
    }
}
