//! OTLP's JSON encoding of spans: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>.
//!
//! Ids are hexadecimal, 64-bit integers are strings, enumerations are numbers. Events and links are not written, since
//! our spans have none.

use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry::trace::{SpanId, SpanKind, Status};
use opentelemetry::{Array, KeyValue, Value as Attribute};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SpanData;
use serde_json::{Value, json};

/// The next flag is valid (`SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK`).
const PARENT_IS_KNOWN: u32 = 0x100;
/// The parent is in another process (`SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK`).
const PARENT_IS_REMOTE: u32 = 0x200;

/// Returns the request body for these spans, which share one scope.
pub(super) fn request(resource: &Resource, spans: &[SpanData]) -> Value {
    let of_resource: Vec<Value> = resource.iter().map(|(key, value)| attribute(key.as_str(), value)).collect();
    let scope = spans.first().map_or("", |span| span.instrumentation_scope.name());
    json!({"resourceSpans": [{
        "resource": {"attributes": of_resource},
        "scopeSpans": [{"scope": {"name": scope}, "spans": spans.iter().map(span).collect::<Vec<_>>()}],
    }]})
}

fn span(span: &SpanData) -> Value {
    let context = &span.span_context;
    let remote = if span.parent_span_is_remote { PARENT_IS_REMOTE } else { 0 };
    let parent = Some(span.parent_span_id).filter(|parent| *parent != SpanId::INVALID);
    json!({
        "traceId": context.trace_id().to_string(),
        "spanId": context.span_id().to_string(),
        "parentSpanId": parent.map(|parent| parent.to_string()).unwrap_or_default(),
        "traceState": context.trace_state().header(),
        "flags": u32::from(context.trace_flags().to_u8()) | PARENT_IS_KNOWN | remote,
        "name": span.name,
        "kind": kind(&span.span_kind),
        "startTimeUnixNano": nanoseconds(span.start_time),
        "endTimeUnixNano": nanoseconds(span.end_time),
        "attributes": span.attributes.iter().map(|KeyValue { key, value, .. }| attribute(key.as_str(), value)).collect::<Vec<_>>(),
        "droppedAttributesCount": span.dropped_attributes_count,
        "status": status(&span.status),
    })
}

const fn kind(kind: &SpanKind) -> u8 {
    match kind {
        SpanKind::Internal => 1,
        SpanKind::Server => 2,
        SpanKind::Client => 3,
        SpanKind::Producer => 4,
        SpanKind::Consumer => 5,
    }
}

fn status(status: &Status) -> Value {
    match status {
        Status::Unset => json!({}),
        Status::Ok => json!({"code": 1}),
        Status::Error { description } => json!({"code": 2, "message": description}),
    }
}

fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

fn attribute(key: &str, value: &Attribute) -> Value {
    let value = match value {
        Attribute::Bool(value) => json!({"boolValue": value}),
        Attribute::I64(value) => json!({"intValue": value.to_string()}),
        Attribute::F64(value) => json!({"doubleValue": value}),
        Attribute::String(value) => json!({"stringValue": value.as_str()}),
        Attribute::Array(values) => json!({"arrayValue": {"values": array(values)}}),
        other => json!({"stringValue": other.to_string()}),
    };
    json!({"key": key, "value": value})
}

fn array(values: &Array) -> Vec<Value> {
    match values {
        Array::Bool(values) => values.iter().map(|value| json!({"boolValue": value})).collect(),
        Array::I64(values) => values.iter().map(|value| json!({"intValue": value.to_string()})).collect(),
        Array::F64(values) => values.iter().map(|value| json!({"doubleValue": value})).collect(),
        Array::String(values) => values.iter().map(|value| json!({"stringValue": value.as_str()})).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::time::Duration;

    use opentelemetry::InstrumentationScope;
    use opentelemetry::trace::{SpanContext, TraceFlags, TraceId};
    use opentelemetry_sdk::trace::{SpanEvents, SpanLinks};

    use super::*;

    #[test]
    fn a_span_is_encoded_as_the_protocol_requires() {
        let spans = [SpanData {
            span_context: SpanContext::new(
                TraceId::from(0xabc),
                SpanId::from(0xdef),
                TraceFlags::SAMPLED,
                false,
                "a=1".parse().unwrap(),
            ),
            parent_span_id: SpanId::from(7),
            parent_span_is_remote: true,
            span_kind: SpanKind::Server,
            name: Cow::Borrowed("POST /create"),
            start_time: UNIX_EPOCH + Duration::from_nanos(5),
            end_time: UNIX_EPOCH + Duration::from_secs(1),
            attributes: vec![
                KeyValue::new("text", "word"),
                KeyValue::new("number", 502),
                KeyValue::new("list", Attribute::Array(Array::I64(vec![1]))),
            ],
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::error("why"),
            instrumentation_scope: InstrumentationScope::builder("porthole").build(),
        }];
        let resource = Resource::builder_empty().with_service_name("porthole-service").build();
        assert_eq!(
            request(&resource, &spans),
            json!({"resourceSpans": [{
                "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "porthole-service"}}]},
                "scopeSpans": [{"scope": {"name": "porthole"}, "spans": [{
                    "traceId": "00000000000000000000000000000abc",
                    "spanId": "0000000000000def",
                    "parentSpanId": "0000000000000007",
                    "traceState": "a=1",
                    "flags": 0x301,
                    "name": "POST /create",
                    "kind": 2,
                    "startTimeUnixNano": "5",
                    "endTimeUnixNano": "1000000000",
                    "attributes": [
                        {"key": "text", "value": {"stringValue": "word"}},
                        {"key": "number", "value": {"intValue": "502"}},
                        {"key": "list", "value": {"arrayValue": {"values": [{"intValue": "1"}]}}},
                    ],
                    "droppedAttributesCount": 0,
                    "status": {"code": 2, "message": "why"},
                }]}],
            }]})
        );
    }
}
