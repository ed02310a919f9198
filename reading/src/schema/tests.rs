//! Schemas as generators write them, known attacks, and agreement with another implementation.

use std::cell::Cell;

use porthole_contract::WarningCode;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::pattern::Pattern;
use super::{EXPANDED_MAX, MISFITS_MAX, STEPS_MAX, Schema};

fn refusal(schema: &Value) -> String {
    Schema::compile(schema).expect_err("is refused").to_string()
}

fn misfits_of(schema: &Value, value: &Value) -> Vec<String> {
    Schema::compile(schema)
        .unwrap_or_else(|refusal| panic!("{refusal}: {schema}"))
        .misfits(value, &Cell::new(STEPS_MAX))
        .into_iter()
        .map(String::from)
        .collect()
}

/// Builds `$defs` from 0 to `n`: `link` makes each from a reference to the next; the last is `leaf`.
fn chain(n: usize, leaf: &Value, link: impl Fn(Value) -> Value) -> Value {
    let mut defs = serde_json::Map::new();
    for at in 0..n {
        defs.insert(at.to_string(), link(json!({"$ref": format!("#/$defs/{}", at + 1)})));
    }
    defs.insert(n.to_string(), leaf.clone());
    json!({"$ref": "#/$defs/0", "$defs": defs})
}

#[test]
fn schemas_that_multiply_are_refused_by_their_keyword() {
    let leaf = json!({"minProperties": 1000});
    // A known stack overflow: a long chain below `unevaluatedProperties`.
    let mut deep = chain(1300, &leaf, |next| json!({"allOf": [next]}));
    assert!(refusal(&deep).contains("$ref"), "{}", refusal(&deep));
    deep["unevaluatedProperties"] = json!(false);
    assert!(refusal(&deep).contains("`unevaluatedProperties` at `/`"), "{}", refusal(&deep));
    // The same reference twice, a failing leaf at each level, and a double negation.
    for n in [20, 24, 48] {
        for link in [
            |next: Value| json!({"allOf": [next, next]}),
            |next: Value| json!({"allOf": [next, {"minProperties": 1, "allOf": [next]}]}),
            |next: Value| json!({"allOf": [next, {"not": {"not": next}}]}),
            |next: Value| json!({"properties": {"a": next, "b": next}}),
            |next: Value| json!({"if": next, "then": next, "else": next}),
        ] {
            let refusal = refusal(&chain(n, &leaf, link));
            assert!(refusal.starts_with("schema: ") && refusal.contains("$ref"), "{refusal}");
        }
    }
    for keyword in ["unevaluatedItems", "$dynamicRef", "$recursiveRef"] {
        let refusal = refusal(&json!({"properties": {"a": {keyword: false}}}));
        assert!(refusal.contains(&format!("`{keyword}` at `/properties/a`")), "{refusal}");
    }
}

#[test]
fn names_are_counted_by_their_length() {
    let long = "n".repeat(16_000);
    let spent = |schema: &Value, name: &str| {
        let steps = Cell::new(STEPS_MAX);
        let value = json!([{name: 1}, {name: 2}]);
        let _misfits = Schema::compile(schema).unwrap().misfits(&value, &steps);
        STEPS_MAX - steps.get()
    };
    for schema in [
        json!({"items": {"properties": {"q": true}}}),
        json!({"items": {"required": [long]}}),
        json!({"items": {"dependentRequired": {long.as_str(): ["q"]}}}),
        json!({"items": {"dependentSchemas": {long.as_str(): true}}}),
        json!({"uniqueItems": true}),
        json!({"items": {"enum": [{long.as_str(): 3}]}}),
    ] {
        assert!(spent(&schema, &long) > 1_000, "{}", schema.to_string().chars().take(60).collect::<String>());
        assert!(spent(&json!({"items": {"properties": {"q": true}}}), "n") < 100);
    }
}

#[test]
fn an_invalid_schema_is_refused_by_its_keyword() {
    for (schema, keyword) in [
        (json!({"type": 7}), "type"),
        (json!({"type": "text"}), "type"),
        (json!({"properties": {"a": {"minLength": -1}}}), "`minLength` at `/properties/a`"),
        (json!({"required": true}), "required"),
        (json!({"exclusiveMinimum": true}), "exclusiveMinimum"),
        (json!({"multipleOf": 0}), "multipleOf"),
        (json!({"pattern": "("}), "pattern"),
        (json!({"pattern": "(?=a)"}), "pattern"),
        (json!({"patternProperties": {"(a{1000}){1000}": true}}), "patternProperties"),
        (json!({"anyOf": []}), "anyOf"),
        (json!({"items": 7}), "/items"),
        (json!({"$ref": "#"}), "leads back to itself"),
        (json!({"properties": {"a": {"$ref": "#"}}}), "`$ref` at `/properties/a`"),
        (json!({"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}}), "leads back to itself"),
        (json!({"$ref": "https://example.com/schema"}), "$ref"),
        (json!({"$ref": "#/$defs/none"}), "$ref"),
        (json!({"items": {"$id": "https://example.com/"}}), "$id"),
        (json!([]), "no schema at `/`"),
    ] {
        let refusal = refusal(&schema);
        assert!(refusal.starts_with("schema: ") && refusal.contains(keyword), "{schema}: {refusal}");
    }
}

#[test]
fn schemas_written_by_generators_work() {
    // Pydantic's nested models, with its keywords beside a reference.
    let schema = json!({
        "$defs": {
            "Price": {"type": "object", "title": "Price", "required": ["value"], "properties": {
                "value": {"type": "number", "minimum": 0}, "currency": {"enum": ["EUR", "USD"], "default": "EUR"}}},
            "Item": {"type": "object", "properties": {"name": {"type": "string", "minLength": 1},
                "price": {"anyOf": [{"$ref": "#/$defs/Price"}, {"type": "null"}], "default": null}},
                "required": ["name"], "additionalProperties": false}
        },
        "title": "Shop", "type": "object", "required": ["items"],
        "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Item"}, "minItems": 1},
            "url": {"type": "string", "format": "uri", "pattern": "^https?://"},
            "first": {"$ref": "#/$defs/Item", "description": "the first"}}
    });
    let good = json!({"items": [{"name": "a", "price": {"value": 1.5, "currency": "EUR"}}, {"name": "b", "price": null}],
        "url": "https://example.com"});
    assert_eq!(misfits_of(&schema, &good), Vec::<String>::new());
    let bad = json!({"items": [{"name": "", "price": {"value": -1}}, {"colour": 1}], "url": "ftp://x", "first": 7});
    assert_eq!(
        misfits_of(&schema, &bad),
        [
            "schema_misfit: /first: 7 is not of type object",
            "schema_misfit: /items/0/name: \"\" has 0 characters, fewer than 1",
            "schema_misfit: /items/0/price: the object fits no schema of `anyOf`",
            "schema_misfit: /items/1/colour: no value is allowed here",
            "schema_misfit: /items/1: the property \"name\" is missing",
            "schema_misfit: /url: \"ftp://x\" does not match the pattern",
        ]
    );
    // zod-to-json-schema and older drafts.
    let older = json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/Pair",
        "definitions": {"Pair": {"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false}}});
    assert_eq!(misfits_of(&older, &json!(["a", 1])), Vec::<String>::new());
    assert_eq!(
        misfits_of(&older, &json!([1, 1.5, 2])),
        [
            "schema_misfit: /0: 1 is not of type string",
            "schema_misfit: /1: 1.5 is not of type integer",
            "schema_misfit: /2: no value is allowed here"
        ]
    );
    for schema in [json!(true), json!({}), json!({"x-own": {"$ref": 1}, "nullable": true, "format": "date"})] {
        assert_eq!(misfits_of(&schema, &json!({"a": ["b"]})), Vec::<String>::new(), "{schema}");
    }
}

#[test]
fn a_reference_may_be_used_often_as_long_as_its_expansion_is_bounded() {
    let uses = |n: usize| {
        let properties: serde_json::Map<String, Value> =
            (0..n).map(|at| (at.to_string(), json!({"$ref": "#/$defs/a"}))).collect();
        json!({"properties": properties, "$defs": {"a": {"type": "string"}}})
    };
    assert!(Schema::compile(&uses(EXPANDED_MAX / 2 - 1)).is_ok());
    assert!(refusal(&uses(EXPANDED_MAX)).contains("$ref"));
}

#[test]
fn a_long_check_is_ended_with_a_warning() {
    let schema = json!({"items": {"anyOf": (0..500).map(|at| json!({"const": at})).collect::<Vec<_>>()}});
    let value: Value = (0..1_000).map(|at| json!(at % 500)).collect();
    let schema = Schema::compile(&schema).unwrap();
    let steps = Cell::new(STEPS_MAX);
    assert_eq!(schema.misfits(&value, &steps), []);
    assert!(steps.get() < STEPS_MAX, "a check is paid for");
    steps.set(10_000);
    let ended = schema.misfits(&value, &steps);
    assert_eq!((ended[0].code, steps.get()), (WarningCode::SchemaUnchecked, 0));
    // A pattern that keeps all states of the engine active, on a long text.
    let slow = json!({"pattern": "(x?){400}y"});
    let ended = misfits_of(&slow, &json!("x".repeat(4_000_000)));
    assert!(ended[0].starts_with("schema_unchecked: "), "{ended:?}");
    // Patterns that take most for each byte: one match would not end for seconds.
    let text: String =
        (0..190_000_u32).map(|n| if n.wrapping_mul(2_654_435_761) >> 31 == 0 { 'a' } else { 'b' }).collect();
    for slow in ["(?:(?:a?b?){50}){50}c$", "^[ab]*a[ab]{2000}c$"] {
        let compiled = Pattern::compile(slow).unwrap();
        assert!(compiled.steps_max(&text) > STEPS_MAX, "{slow}");
        assert!(compiled.steps_max(&text[..2_000]) < STEPS_MAX, "{slow}");
        let ended = misfits_of(&json!({"pattern": slow}), &json!(text));
        assert!(ended[0].starts_with("schema_unchecked: "), "{slow}: {ended:?}");
    }
}

#[test]
fn listed_misfits_are_few_and_short() {
    let long = "k".repeat(10_000);
    let schema = json!({"items": {"required": [long], "type": "string", "const": long}});
    let value: Value = (0..1_000).map(|_| json!({"a": long})).collect();
    let listed = misfits_of(&schema, &value);
    assert_eq!(listed.len(), MISFITS_MAX + 1, "the last entry reports that there are more");
    assert!(listed.iter().all(|misfit| misfit.len() < 600), "{listed:?}");
    let deep = json!({"properties": {&long: {"type": "string"}}});
    assert!(misfits_of(&deep, &json!({long: 1}))[0].len() < 600);
}

/// Generates values from few different parts, so that they sometimes match a schema.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..6).prop_map(Value::from),
        prop::sample::select(vec![0.5, 1.0, 2.5]).prop_map(Value::from),
        prop::sample::select(vec!["", "a", "ab", "é1", "1"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(vec!["a", "b", "c1"]), inner, 0..4)
                .prop_map(|map| map.into_iter().map(|(name, one)| (name.to_owned(), one)).collect()),
        ]
    })
}

/// Generates schemas with every keyword.
fn schemas() -> impl Strategy<Value = Value> {
    let count = || 0_u64..4;
    let name = || prop::sample::select(vec!["a", "b", "c1"]);
    let types = || prop::sample::select(vec!["null", "boolean", "object", "array", "number", "integer", "string"]);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        types().prop_map(|name| json!({"type": name})),
        prop::collection::vec(types(), 1..3).prop_map(|mut names| {
            names.sort_unstable();
            names.dedup();
            json!({"type": names})
        }),
        values().prop_map(|value| json!({"const": value})),
        prop::collection::vec(values(), 1..4).prop_map(|values| json!({"enum": values})),
        (-2_i64..4, prop::sample::select(vec!["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]))
            .prop_map(|(limit, keyword)| json!({keyword: limit})),
        (1_i64..4).prop_map(|divisor| json!({"multipleOf": divisor})),
        (
            count(),
            prop::sample::select(vec![
                "minLength",
                "maxLength",
                "minItems",
                "maxItems",
                "minProperties",
                "maxProperties"
            ])
        )
            .prop_map(|(count, keyword)| json!({keyword: count})),
        prop::sample::select(vec!["^a", "b$", r"\d", r"^\w+$", "[^a]", "^$"])
            .prop_map(|pattern| json!({"pattern": pattern})),
        prop::collection::vec(name(), 0..3).prop_map(|mut names| {
            names.sort_unstable();
            names.dedup();
            json!({"required": names})
        }),
        Just(json!({"uniqueItems": true})),
        (name(), name()).prop_map(|(one, other)| json!({"dependentRequired": {one: [other]}})),
    ];
    leaf.prop_recursive(3, 24, 3, move |inner| {
        let some = || prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            (prop::sample::select(vec!["allOf", "anyOf", "oneOf", "prefixItems"]), some())
                .prop_map(|(keyword, list)| json!({keyword: list})),
            (
                prop::sample::select(vec!["not", "items", "contains", "propertyNames", "additionalProperties"]),
                inner.clone()
            )
                .prop_map(|(keyword, one)| json!({keyword: one})),
            (name(), inner.clone(), inner.clone())
                .prop_map(|(name, one, rest)| json!({"properties": {name: one}, "additionalProperties": rest})),
            (inner.clone(), inner.clone())
                .prop_map(|(one, rest)| json!({"patternProperties": {"1$": one}, "additionalProperties": rest})),
            (name(), inner.clone()).prop_map(|(name, one)| json!({"dependentSchemas": {name: one}})),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(one, then, otherwise)| json!({"if": one, "then": then, "else": otherwise})),
            (some(), inner.clone()).prop_map(|(first, rest)| json!({"prefixItems": first, "items": rest})),
            (inner.clone(), 0_u64..3, 1_u64..4)
                .prop_map(|(one, least, most)| json!({"contains": one, "minContains": least, "maxContains": most})),
            (inner.clone(), inner.clone())
                .prop_map(|(one, other)| json!({"allOf": [{"$ref": "#/$defs/x"}, other], "$defs": {"x": one}})),
        ]
    })
}

/// Moves the `$defs` of a generated schema to its root, and its references with them.
fn with_references_at_the_root(schema: Value) -> Value {
    fn take(value: &mut Value, defs: &mut Vec<Value>) {
        match value {
            Value::Object(object) => {
                if let Some(Value::Object(mut own)) = object.remove("$defs") {
                    let mut one = own.remove("x").unwrap_or(Value::Bool(true));
                    take(&mut one, defs);
                    object["allOf"][0] = json!({"$ref": format!("#/$defs/{}", defs.len())});
                    defs.push(one);
                }
                object.values_mut().for_each(|one| take(one, defs));
            }
            Value::Array(list) => list.iter_mut().for_each(|one| take(one, defs)),
            _ => {}
        }
    }
    let mut schema = schema;
    let mut defs = Vec::new();
    take(&mut schema, &mut defs);
    let defs: serde_json::Map<String, Value> =
        defs.into_iter().enumerate().map(|(at, one)| (at.to_string(), one)).collect();
    json!({"allOf": [schema], "$defs": defs})
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    /// The `jsonschema` crate, which validates without bounds, agrees on everything that both support.
    #[test]
    fn another_implementation_agrees(schema in schemas(), value in values()) {
        let schema = with_references_at_the_root(schema);
        let other = jsonschema::draft202012::new(&schema).expect("the generated schema is valid");
        let own = Schema::compile(&schema).expect("the generated schema is valid");
        prop_assert_eq!(own.misfits(&value, &Cell::new(STEPS_MAX)).is_empty(), other.is_valid(&value), "{} {}", schema, value);
    }
}
