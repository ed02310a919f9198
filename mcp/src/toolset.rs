//! The tools that a server has, as rmcp lists them.

use std::sync::Arc;

use porthole_tools::Tool;
use rmcp::model::{JsonObject, ToolAnnotations};
use serde_json::Value;

/// The tools that a server has. Clones share them.
#[derive(Clone, Debug)]
pub struct Toolset(Arc<[Listed]>);

#[derive(Debug)]
struct Listed {
    tool: &'static Tool,
    shown: rmcp::model::Tool,
}

/// A name that no tool has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no tool {0:?}")]
pub struct UnknownTool(pub String);

impl Toolset {
    /// All tools.
    #[must_use]
    pub fn all() -> Self {
        Self::filtered(|_| true)
    }

    /// The names of all tools.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        porthole_tools::all().iter().map(|tool| tool.name).collect()
    }

    /// The tools of a comma list, in our order; all where it names none.
    ///
    /// # Errors
    /// [`UnknownTool`].
    pub fn parse(list: &str) -> Result<Self, UnknownTool> {
        let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        match names.iter().find(|name| porthole_tools::tool(name).is_none()) {
            Some(unknown) => Err(UnknownTool((*unknown).to_owned())),
            None => Ok(Self::filtered(|tool| names.is_empty() || names.contains(&tool.name))),
        }
    }

    fn filtered(wanted: impl Fn(&Tool) -> bool) -> Self {
        let tools = porthole_tools::all().iter().filter(|tool| wanted(tool));
        Self(tools.map(|tool| Listed { tool, shown: shown(tool) }).collect())
    }

    /// The tools as clients are told of them.
    pub(crate) fn shown(&self) -> Vec<rmcp::model::Tool> {
        self.0.iter().map(|listed| listed.shown.clone()).collect()
    }

    /// The tool of this name as clients are told of it.
    pub(crate) fn shown_as(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.0.iter().find(|listed| listed.tool.name == name).map(|listed| listed.shown.clone())
    }

    /// The tool of this name, if it is one of these.
    pub(crate) fn tool(&self, name: &str) -> Option<&'static Tool> {
        self.0.iter().find(|listed| listed.tool.name == name).map(|listed| listed.tool)
    }
}

impl Default for Toolset {
    fn default() -> Self {
        Self::all()
    }
}

fn shown(tool: &Tool) -> rmcp::model::Tool {
    let schema = match &tool.input_schema {
        Value::Object(schema) => schema.clone(),
        _ => JsonObject::new(),
    };
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(tool.annotations.read_only)
        .destructive(tool.annotations.destructive)
        .idempotent(tool.annotations.idempotent)
        .open_world(tool.annotations.open_world);
    rmcp::model::Tool::new(tool.name, tool.description, schema).with_title(tool.title).with_annotations(annotations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_the_tools_and_an_unknown_one_is_refused() {
        let names = |list: &str| {
            Toolset::parse(list)
                .map(|tools| tools.shown().into_iter().map(|tool| tool.name.into_owned()).collect::<Vec<_>>())
        };
        assert_eq!(names(" browser_click, browser_navigate,").unwrap(), ["browser_navigate", "browser_click"]);
        assert_eq!(names("").unwrap().len(), porthole_tools::all().len());
        assert_eq!(names("browser_click,browser_fly"), Err(UnknownTool("browser_fly".to_owned())));
    }

    #[test]
    fn each_tool_says_all_four_hints_and_has_an_object_schema() {
        for tool in Toolset::all().shown() {
            let shown = serde_json::to_value(&tool).unwrap();
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(shown["annotations"][hint].is_boolean(), "{}: {hint}", tool.name);
            }
            assert_eq!(shown["inputSchema"]["type"], "object", "{}", tool.name);
            assert!(shown.get("outputSchema").is_none(), "clients hide text and pictures beside structured content");
        }
    }
}
