//! Roles and states that custom elements keep in `ElementInternals`: the document's functions can't read them, the protocol
//! can.

use chromiumoxide_cdp::cdp::js_protocol::runtime::{ReleaseObjectParams, RemoteObjectId};
use futures_util::future::join_all;
use porthole_contract::limits::CAPTURE_TIMEOUT;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{ActError, Frame};
use crate::cdp::command;
use crate::page::Page;

/// Longest text of one of them, in characters.
const TEXT_MAX_CHARS: usize = 1_000;

/// The states that are told.
const STATES: [&str; 8] = ["checked", "disabled", "expanded", "invalid", "pressed", "readonly", "required", "selected"];

/// `Accessibility.getPartialAXTree`, of which only what is read is parsed: newer browsers have other properties.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GetPartialTree {
    object_id: RemoteObjectId,
    fetch_relatives: bool,
}

#[derive(Debug, Deserialize)]
struct PartialTree {
    nodes: Vec<AxNode>,
}

#[derive(Debug, Deserialize)]
struct AxNode {
    role: Option<AxValue>,
    name: Option<AxValue>,
    value: Option<AxValue>,
    #[serde(default)]
    properties: Vec<AxProperty>,
}

#[derive(Debug, Deserialize)]
struct AxProperty {
    name: String,
    value: AxValue,
}

#[derive(Debug, Deserialize)]
struct AxValue {
    #[serde(default)]
    value: Value,
}

command!(GetPartialTree, "Accessibility.getPartialAXTree" => PartialTree);

impl Page {
    /// Asks the browser about the custom elements that a function of the kit names, and passes the answers to the kit. Returns
    /// whether anything is new to the kit. Takes [`CAPTURE_TIMEOUT`] at most, which a search does not count as its own time.
    pub(super) async fn read_internals(
        &self,
        frame: &Frame,
        customs: &str,
        arguments: Vec<Value>,
    ) -> Result<bool, ActError> {
        let asking = async {
            let session = frame.session();
            let (list, elements) = frame.objects(customs, arguments).await?;
            let trees =
                join_all(elements.iter().map(|element| {
                    session.call(&GetPartialTree { object_id: element.clone(), fetch_relatives: false })
                }));
            let internals: Vec<Value> = trees
                .await
                .into_iter()
                .map(|tree| tree.ok().and_then(|tree| tree.nodes.into_iter().next()).map_or(Value::Null, internals_of))
                .collect();
            for object in elements.into_iter().chain(list) {
                session.call(&ReleaseObjectParams::new(object)).forget();
            }
            Ok(internals)
        };
        let internals = self.unless_held(CAPTURE_TIMEOUT, "asking for roles", asking).await?;
        if internals.is_empty() {
            return Ok(false);
        }
        frame.call(self, CAPTURE_TIMEOUT, "keepInternals", vec![internals.into()]).await
    }
}

/// What the kit keeps of an element, see `script/interact/element/internals.js`.
fn internals_of(node: AxNode) -> Value {
    let AxNode { role, name, value, properties } = node;
    let mut internals = Map::new();
    let named = [("role", role), ("name", name), ("value", value)];
    let named = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let states = properties.into_iter().filter(|property| STATES.contains(&property.name.as_str()));
    for (name, AxValue { value }) in named.chain(states.map(|state| (state.name, state.value))) {
        let text = match value {
            Value::String(text) => text.chars().take(TEXT_MAX_CHARS).collect(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            _ => continue,
        };
        internals.insert(name, text.into());
    }
    json!(internals)
}
