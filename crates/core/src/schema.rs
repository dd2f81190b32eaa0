//! Tools as MCP shows them: name, description, input and output JSON Schema,
//! annotations.

use serde_json::Value;

use crate::catalog::{Layout, Tool};

/// The JSON Schema of `tool`'s arguments.
pub fn input(_tool: &Tool, _layout: Layout) -> Value {
    todo!()
}

/// The JSON Schema of `tool`'s result.
pub fn output(_tool: &Tool, _layout: Layout) -> Value {
    todo!()
}

/// What a model reads about `tool`.
pub fn description(_tool: &Tool, _layout: Layout) -> String {
    todo!()
}

/// MCP's hints about `tool`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotations {
    /// A name for people.
    pub title: String,
    /// Changes nothing.
    pub read_only: bool,
    /// May remove or overwrite.
    pub destructive: bool,
    /// Again is the same as once.
    pub idempotent: bool,
    /// Reaches beyond this machine.
    pub open_world: bool,
}

/// The hints of `tool`.
pub fn annotations(_tool: &Tool) -> Annotations {
    todo!()
}

/// The whole MCP tool object, as in `tools/list`.
pub fn tool(_tool: &Tool, _layout: Layout) -> Value {
    todo!()
}
