//! What tools cost in a model's context.

use argway_core::catalog::{Catalog, Tool};
use argway_core::cost::{self, Cost};
use argway_core::schema;

use crate::options::LayoutName;

/// What `tool` costs in `layout`.
pub fn of(tool: &Tool, layout: LayoutName) -> Cost {
    cost::of(&schema::tool(tool, layout.into()).to_string())
}

/// What all tools of `catalog` cost together in `layout`.
pub fn total(catalog: &Catalog, layout: LayoutName) -> Cost {
    catalog.tools().iter().fold(Cost::default(), |sum, tool| {
        let one = of(tool, layout);
        Cost {
            bytes: sum.bytes + one.bytes,
            tokens: sum.tokens + one.tokens,
        }
    })
}
