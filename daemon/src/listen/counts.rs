//! The metrics of a listener's connections.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Counts connections. Clones share the same metrics; the default's are not registered.
#[derive(Clone, Debug, Default)]
pub struct ConnectionCounts {
    open: Family<OfKind, Gauge>,
    shed: Family<OfReason, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfKind {
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfReason {
    reason: &'static str,
}

const PLAIN: OfKind = OfKind { kind: "plain" };
const UPGRADED: OfKind = OfKind { kind: "upgraded" };

/// Why a connection was shed.
#[derive(Clone, Copy)]
pub(super) enum Shed {
    /// It waited for its caller, and the listener was at its limit.
    Full,
    /// It waited for its caller, and its network was at its limit.
    Address,
    /// It was new, and its network was at its limit with all connections being answered.
    Refused,
}

impl Shed {
    const ALL: [Self; 3] = [Self::Full, Self::Address, Self::Refused];

    fn label(self) -> OfReason {
        let reason = match self {
            Self::Full => "full",
            Self::Address => "address",
            Self::Refused => "refused",
        };
        OfReason { reason }
    }
}

impl ConnectionCounts {
    /// Counts into these metrics of `registry`: `porthole_connections` and `porthole_connections_shed_total`.
    #[must_use]
    pub fn register(registry: &mut Registry) -> Self {
        let counts = Self::default();
        registry.register(
            "porthole_connections",
            "Open connections of the main listener: plain ones, and upgraded ones (WebSockets)",
            counts.open.clone(),
        );
        registry.register(
            "porthole_connections_shed",
            "Connections that the main listener closed to stay within its bounds, by reason",
            counts.shed.clone(),
        );
        counts.open(0, 0);
        for reason in Shed::ALL {
            drop(counts.shed.get_or_create(&reason.label()));
        }
        counts
    }

    pub(super) fn open(&self, plain: usize, upgraded: usize) {
        for (kind, number) in [(PLAIN, plain), (UPGRADED, upgraded)] {
            self.open.get_or_create(&kind).set(number.try_into().unwrap_or(i64::MAX));
        }
    }

    pub(super) fn shed(&self, reason: Shed) {
        self.shed.get_or_create(&reason.label()).inc();
    }
}
