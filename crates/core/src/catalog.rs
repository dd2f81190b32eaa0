//! Which commands are tools, and under which names.
//!
//! Tool names are looked up here and nowhere taken apart.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{CommandSpec, Param, Program};

/// The shape of tools and their arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Flags and positionals as sibling properties.
    #[default]
    Flat,
    /// `{flags, args}` as ophis has it.
    Nested,
}

/// Which commands and flags are offered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Command globs; empty allows every command.
    pub allow: Vec<String>,
    /// Command globs that are left out; stronger than `allow`.
    pub deny: Vec<String>,
    /// Flag globs; empty allows every flag.
    pub allow_flags: Vec<String>,
    /// Flag globs that are left out; stronger than `allow_flags`.
    pub deny_flags: Vec<String>,
    /// Only commands known to be harmless, without the flags that raise them.
    pub read_only: bool,
    /// Hidden commands and flags too.
    pub include_hidden: bool,
}

/// How inherited flags appear in schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inherited {
    /// Listed in each schema up to so many, beyond it folded into `global_flags`.
    Limit(usize),
    /// Always listed.
    All,
    /// Not offered.
    None,
}

impl Default for Inherited {
    fn default() -> Self {
        Inherited::Limit(20)
    }
}

/// Every tool of the programs served.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    tools: Vec<Tool>,
    by_name: BTreeMap<String, usize>,
}

/// One command as a tool: what of it the selection left.
#[derive(Debug, Clone)]
pub struct Tool {
    /// The name under which it is called.
    pub name: String,
    /// The program it belongs to.
    pub program: Arc<Program>,
    /// Its index in the program's commands.
    pub command: usize,
    /// Own flags that are offered.
    pub flags: Vec<Param>,
    /// Inherited flags that are offered.
    pub inherited: Arc<[Param]>,
    /// Whether inherited flags are folded into one `global_flags` object.
    pub folded: bool,
    /// Positionals in order.
    pub positionals: Vec<Param>,
    /// Words that must not stand as a positional because the program would read
    /// them as a subcommand: names and aliases of the command's children.
    pub reserved: Vec<String>,
}

impl Tool {
    /// The command behind it.
    pub fn spec(&self) -> &CommandSpec {
        &self.program.commands[self.command]
    }
}

/// Why there is no catalog.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// A glob or the whole selection matches nothing.
    #[error("{0}")]
    NothingSelected(String),
}

impl Catalog {
    /// The tools of `programs` that `selection` offers.
    pub fn build(
        _programs: &[Arc<Program>],
        _selection: &Selection,
        _inherited: Inherited,
    ) -> Result<Self, CatalogError> {
        todo!()
    }

    /// The tools in order.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool called `name`.
    pub fn find(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name).map(|&index| &self.tools[index])
    }
}
