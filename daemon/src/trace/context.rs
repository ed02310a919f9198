//! `traceparent` and `tracestate` of W3C Trace Context: parsed strictly, re-serialised when passed on.

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};
use uuid::Uuid;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// `00-`, 32 digits of the trace, 16 of the span, 2 of flags, with dashes.
const TRACEPARENT_BYTES: usize = 55;
/// Longest `tracestate` that is passed on, in bytes: the least that the standard requires.
const TRACESTATE_MAX_BYTES: usize = 512;

/// A position in a trace: the trace's id, the span's id, whether it is recorded, and the `tracestate` of other vendors.
/// Every request has one among its extensions.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceContext(SpanContext);

impl TraceContext {
    /// Parses the caller's headers; `None` if they are missing or malformed.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(TRACEPARENT).iter();
        let (value, None) = (values.next()?, values.next()) else {
            return None;
        };
        let (trace, span, flags) = parse(value.to_str().ok()?)?;
        Some(Self(SpanContext::new(trace, span, flags, true, state(headers))))
    }

    /// Makes a new span of the caller's trace, or the first span of a new trace. It is not exported; exported spans
    /// have their own ids.
    pub(crate) fn within(caller: Option<&Self>) -> Self {
        let random = |bytes: &Uuid| u64::from_be_bytes(bytes.as_bytes()[8..].try_into().expect("half of 16 bytes"));
        let (trace, flags, state) = match caller {
            Some(Self(caller)) => (caller.trace_id(), caller.trace_flags(), caller.trace_state().clone()),
            None => (TraceId::from_bytes(*Uuid::new_v4().as_bytes()), TraceFlags::NOT_SAMPLED, TraceState::NONE),
        };
        // The second half of a version 4 UUID has its highest bit set, so it is never zero.
        let span = SpanId::from(random(&Uuid::new_v4()));
        Self(SpanContext::new(trace, span, flags, false, state))
    }

    pub(super) fn from_span(span: SpanContext) -> Self {
        Self(span)
    }

    pub(super) fn as_span(&self) -> &SpanContext {
        &self.0
    }

    /// Returns the trace's id, 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> String {
        self.0.trace_id().to_string()
    }

    /// Returns the headers that pass it on.
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
    // Later versions may have more fields after another dash; version 00 may not.
    let ends = version != "00" || text.len() == TRACEPARENT_BYTES;
    if !well_formed || version == "ff" || !ends {
        return None;
    }
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    // Version 00 only defines the flag "sampled"; others are not passed on.
    let sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
    let valid = trace != TraceId::INVALID && span != SpanId::INVALID;
    valid.then_some((trace, span, TraceFlags::default().with_sampled(sampled)))
}

/// Parses `tracestate`. A malformed one is dropped without dropping the `traceparent`.
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
    fn a_callers_trace_continues_under_our_own_span() {
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
    fn malformed_headers_are_ignored() {
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
    fn a_later_version_is_parsed_as_version_00() {
        let later = of(&[("traceparent", &format!("01-{TRACE}-b7ad6b7169203331-09-more-to-come"))]).unwrap();
        assert_eq!(written(&later), [format!("traceparent: 00-{TRACE}-b7ad6b7169203331-01")]);
    }

    #[test]
    fn a_malformed_state_is_dropped_alone() {
        let parent = format!("00-{TRACE}-b7ad6b7169203331-00");
        for malformed in ["no-value", "UPPER=1", "a=b=c", &format!("a={}", "x".repeat(600))] {
            let read = of(&[("traceparent", &parent), ("tracestate", malformed)]).unwrap();
            assert_eq!(written(&read), [format!("traceparent: {parent}")], "{malformed}");
        }
    }
}
