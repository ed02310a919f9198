//! `traceparent` and `tracestate` as W3C Trace Context has them: read strictly, written anew.

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};
use uuid::Uuid;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// `00-`, a trace's 32 digits, a span's 16, two of flags.
const TRACEPARENT_BYTES: usize = 55;
/// The longest `tracestate` that goes on, in bytes: what everybody on the way has to pass on at least.
const TRACESTATE_MAX_BYTES: usize = 512;

/// A place in a trace: its trace's id, the id of the span that is there, whether it is recorded, and what others on the
/// way want to hear again. Every request has one among its extensions.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceContext(SpanContext);

impl TraceContext {
    /// What a caller sent; nothing where it is missing or not as the standard wants it.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(TRACEPARENT).iter();
        let (value, None) = (values.next()?, values.next()) else {
            return None;
        };
        let (trace, span, flags) = parse(value.to_str().ok()?)?;
        Some(Self(SpanContext::new(trace, span, flags, true, state(headers))))
    }

    /// A new span of this trace, or the first of a new one. It is not recorded: whoever records has its own ids.
    pub(crate) fn within(caller: Option<&Self>) -> Self {
        let random = |bytes: &Uuid| u64::from_be_bytes(bytes.as_bytes()[8..].try_into().expect("half of 16 bytes"));
        let (trace, flags, state) = match caller {
            Some(Self(caller)) => (caller.trace_id(), caller.trace_flags(), caller.trace_state().clone()),
            None => (TraceId::from_bytes(*Uuid::new_v4().as_bytes()), TraceFlags::NOT_SAMPLED, TraceState::NONE),
        };
        // The second half of such an id has its highest bit set: it is never zero.
        let span = SpanId::from(random(&Uuid::new_v4()));
        Self(SpanContext::new(trace, span, flags, false, state))
    }

    pub(super) fn from_span(span: SpanContext) -> Self {
        Self(span)
    }

    pub(super) fn as_span(&self) -> &SpanContext {
        &self.0
    }

    /// The trace's id, 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> String {
        self.0.trace_id().to_string()
    }

    /// The headers that pass it on.
    pub fn headers(&self) -> impl Iterator<Item = (HeaderName, HeaderValue)> + use<> {
        let span = &self.0;
        let parent = format!("00-{}-{}-{:02x}", span.trace_id(), span.span_id(), span.trace_flags().to_u8());
        let state = Some(span.trace_state().header()).filter(|state| !state.is_empty());
        let headers = [(TRACEPARENT, Some(parent)), (TRACESTATE, state)];
        headers.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::try_from(value?).ok()?)))
    }
}

fn parse(text: &str) -> Option<(TraceId, SpanId, TraceFlags)> {
    let hex = |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let mut parts = text.splitn(5, '-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let well_formed = [(version, 2), (trace, 32), (span, 16), (flags, 2)]
        .into_iter()
        .all(|(part, length)| part.len() == length && hex(part));
    // A later version may go on behind another dash; this one may not.
    let ends = version != "00" || text.len() == TRACEPARENT_BYTES;
    if !well_formed || version == "ff" || !ends {
        return None;
    }
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    // Of the flags only "sampled" means something in this version; others are not passed on.
    let sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
    let valid = trace != TraceId::INVALID && span != SpanId::INVALID;
    valid.then_some((trace, span, TraceFlags::default().with_sampled(sampled)))
}

/// A `tracestate` that can't be read is none; it takes no `traceparent` with it.
fn state(headers: &HeaderMap) -> TraceState {
    let values: Option<Vec<&str>> = headers.get_all(TRACESTATE).iter().map(|value| value.to_str().ok()).collect();
    let text = values.unwrap_or_default().join(",");
    if text.len() > TRACESTATE_MAX_BYTES {
        return TraceState::NONE;
    }
    text.parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

    fn of(headers: &[(&'static str, &str)]) -> Option<TraceContext> {
        let headers = headers.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
        TraceContext::of(&headers.collect())
    }

    fn written(context: &TraceContext) -> Vec<String> {
        context.headers().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
    }

    #[test]
    fn a_callers_trace_goes_on_under_a_span_of_our_own() {
        let parent = format!("00-{TRACE}-b7ad6b7169203331-01");
        let caller = of(&[("traceparent", &parent), ("tracestate", "a=1,"), ("tracestate", "b@c=2")]).unwrap();
        assert_eq!(written(&caller), [format!("traceparent: {parent}"), "tracestate: a=1,b@c=2".to_owned()]);
        let own = TraceContext::within(Some(&caller));
        let headers = written(&own);
        assert!(headers[0].starts_with(&format!("traceparent: 00-{TRACE}-")) && headers[0].ends_with("-01"));
        assert!(!headers[0].contains("b7ad6b7169203331") && headers[1] == "tracestate: a=1,b@c=2", "{headers:?}");
        assert_eq!(own.trace_id(), TRACE);
    }

    #[test]
    fn without_a_caller_the_trace_is_new_and_not_recorded() {
        let (one, other) = (TraceContext::within(None), TraceContext::within(None));
        assert_ne!(one.trace_id(), other.trace_id());
        assert!(of(&[("traceparent", written(&one)[0].trim_start_matches("traceparent: "))]).is_some());
        assert!(written(&one)[0].ends_with("-00"), "{one:?}");
    }

    #[test]
    fn what_is_not_as_the_standard_wants_it_begins_a_new_trace() {
        for malformed in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b71692033311-01",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01more",
            " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 x",
        ] {
            assert_eq!(of(&[("traceparent", malformed)]), None, "{malformed}");
        }
        let parent = format!("00-{TRACE}-b7ad6b7169203331-01");
        assert_eq!(of(&[("traceparent", &parent), ("traceparent", &parent)]), None, "two of them");
        assert_eq!(of(&[("tracestate", "a=1")]), None, "state alone");
    }

    #[test]
    fn a_later_version_is_read_as_far_as_this_one_goes() {
        let later = of(&[("traceparent", &format!("01-{TRACE}-b7ad6b7169203331-09-more-to-come"))]).unwrap();
        assert_eq!(written(&later), [format!("traceparent: 00-{TRACE}-b7ad6b7169203331-01")]);
    }

    #[test]
    fn a_state_that_cannot_be_read_is_left_out_alone() {
        let parent = format!("00-{TRACE}-b7ad6b7169203331-00");
        for malformed in ["no-value", "UPPER=1", "a=b=c", &format!("a={}", "x".repeat(600))] {
            let read = of(&[("traceparent", &parent), ("tracestate", malformed)]).unwrap();
            assert_eq!(written(&read), [format!("traceparent: {parent}")], "{malformed}");
        }
    }
}
