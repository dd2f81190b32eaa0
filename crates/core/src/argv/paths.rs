//! Which files the arguments of a call name.

use super::{Arguments, Given};
use crate::catalog::names::Property;
use crate::catalog::{Layout, Tool};
use crate::model::{Kind, Scalar};

impl Arguments {
    /// Every path among the arguments, under the name of its property: as the program
    /// will read it, in the order of the tool's parameters.
    pub fn paths(&self, tool: &Tool) -> Vec<(String, String)> {
        let mut names: Option<Vec<Property<'_>>> = None;
        let mut paths = Vec::new();
        for (slot, given) in &self.given {
            let param = tool.param(*slot);
            let is_path = match &param.kind {
                Kind::One(scalar) | Kind::List(scalar, _) | Kind::Map(scalar) => {
                    *scalar == Scalar::Path
                }
                Kind::Switch | Kind::Count | Kind::Line => false,
            };
            if !is_path {
                continue;
            }
            let names = names.get_or_insert_with(|| {
                let mut all = tool.properties(Layout::Flat);
                all.extend(tool.global_properties(Layout::Flat));
                all
            });
            let property = names.iter().find(|property| property.slot == *slot);
            let name = property.map_or(&param.name, |property| &property.name);
            let values: Vec<&String> = match given {
                Given::One(value) => vec![value],
                Given::Many(values) => values.iter().collect(),
                Given::Pairs(pairs) => pairs.iter().map(|(_, value)| value).collect(),
                Given::Switch(_) | Given::Count(_) | Given::Bare => Vec::new(),
            };
            paths.extend(values.into_iter().map(|path| (name.clone(), path.clone())));
        }
        paths
    }
}
