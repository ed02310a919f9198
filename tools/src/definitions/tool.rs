//! A tool, and how a file of this folder declares one.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::arguments;

/// A tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name, as models write it.
    pub name: &'static str,
    /// A short name for people.
    pub title: &'static str,
    /// What it does and when to use it, for a model.
    pub description: &'static str,
    /// The service's route that does it, without the worker's prefix.
    pub route: &'static str,
    /// What may be assumed of it.
    pub annotations: Annotations,
    /// Its arguments: a JSON Schema of type `object`, names in camelCase.
    pub input_schema: Value,
    /// Calls of it, each its arguments.
    pub examples: Vec<Value>,
    /// Whether it takes the handle of a session.
    pub takes_session: bool,
    /// Whether its answer may have a snapshot.
    pub takes_snapshot: bool,
}

/// What may be assumed of a tool. Hints, as the Model Context Protocol has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Annotations {
    /// It changes nothing.
    #[serde(rename = "readOnlyHint")]
    pub read_only: bool,
    /// What it changes may not be undone.
    #[serde(rename = "destructiveHint")]
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    #[serde(rename = "idempotentHint")]
    pub idempotent: bool,
    /// It deals with things beyond the caller's own.
    #[serde(rename = "openWorldHint")]
    pub open_world: bool,
}

impl Annotations {
    pub(super) const ACTS: Self = Self { read_only: false, destructive: false, idempotent: false, open_world: true };
    pub(super) const READS: Self = Self { read_only: true, ..Self::ACTS };
    pub(super) const DESTROYS: Self = Self { destructive: true, ..Self::ACTS };
    pub(super) const ENDS: Self = Self { idempotent: true, ..Self::ACTS };
}

/// A tool of a session's route, as its file declares it.
pub(super) struct Definition {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) route: &'static str,
    pub(super) annotations: Annotations,
    /// Its own arguments: a name and a schema each, in order.
    pub(super) arguments: Vec<(&'static str, Value)>,
    pub(super) required: &'static [&'static str],
    pub(super) examples: Vec<Value>,
}

impl Definition {
    /// A tool of a session.
    pub(super) fn of_session(self, takes_snapshot: bool) -> Tool {
        let mut arguments = self.arguments;
        if takes_snapshot {
            arguments.push(arguments::snapshot());
        }
        arguments.extend(arguments::of_each_call());
        let tool = Definition { arguments, ..self }.one_shot();
        Tool { takes_session: true, takes_snapshot, ..tool }
    }

    /// A tool that needs no session.
    pub(super) fn one_shot(self) -> Tool {
        let properties: Map<String, Value> =
            self.arguments.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
        let mut input_schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
        if !self.required.is_empty() {
            input_schema["required"] = json!(self.required);
        }
        Tool {
            name: self.name,
            title: self.title,
            description: self.description,
            route: self.route,
            annotations: self.annotations,
            input_schema,
            examples: self.examples,
            takes_session: false,
            takes_snapshot: false,
        }
    }
}
