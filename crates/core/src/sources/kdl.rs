//! Tools that somebody described by hand, in KDL: text → [`Definition`]s.
//!
//! Both KDL 1 and KDL 2 are read. A mistake costs its definition, not the file; it
//! is a miette diagnostic with the place in the source. Where files come from, who
//! may be trusted and which file a command is are the caller's business.

use std::collections::BTreeMap;
use std::sync::Arc;

use miette::NamedSource;

use crate::model::Reading;

pub(crate) mod checks;
mod command;
pub(crate) mod fault;
pub(crate) mod fields;
pub(crate) mod mistake;
pub(crate) mod param;
mod relations;
mod run;
pub(crate) mod syntax;
pub(crate) mod types;

use fault::{Fault, Sort, Span};
use fields::Faults;
pub use mistake::Mistake;
pub use run::warnings;

/// What one file holds.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    /// The definitions without a mistake, in order.
    pub definitions: Vec<Definition>,
    /// Everything that is wrong, in order.
    pub mistakes: Vec<Mistake>,
}

/// One `cli` node.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// The tool: a program of [`crate::model::Family::Definition`] whose `executable` is
    /// the command as it is written; the root command and its subcommands each have a
    /// [`crate::model::RunSpec`].
    pub reading: Reading,
    /// The line of the `cli` node, from 1.
    pub line: usize,
    /// What its user should know before it runs (`shell true`), a sentence each.
    pub warnings: Vec<String>,
}

/// Reads the `cli` nodes of a file called `name`.
pub fn read(name: &str, text: &str) -> Definitions {
    let mut read = Definitions::default();
    let mut faults = Faults::default();
    match syntax::parse(text) {
        Ok(nodes) => {
            let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
            for node in &nodes {
                if let Some(definition) = definition(node, text, &mut seen, &mut faults) {
                    read.definitions.push(definition);
                }
            }
        }
        Err(fault) => faults.add(fault),
    }
    if faults.count() == 0 {
        return read;
    }
    read.mistakes = told(name, text, faults);
    read
}

/// The faults of the file called `name`, in order.
pub(crate) fn told(name: &str, text: &str, faults: Faults) -> Vec<Mistake> {
    // Of a file that is too large no line can be shown: it is not kept.
    let shown = if text.len() > syntax::MOST_BYTES {
        ""
    } else {
        text
    };
    let source = Arc::new(NamedSource::new(name, shown.to_owned()));
    let Faults { mut kept, more } = faults;
    kept.sort_by_key(|fault| fault.span);
    if let (true, Some(last)) = (more > 0, kept.last()) {
        let message = format!("{more} more mistakes follow");
        let fault = Fault::new(Sort::Size, last.span, message);
        kept.push(fault);
    }
    let mistakes = kept.into_iter();
    mistakes.map(|fault| Mistake::new(&source, fault)).collect()
}

/// What `node` defines, or faults.
fn definition<'a>(
    node: &'a syntax::Node,
    text: &str,
    seen: &mut BTreeMap<&'a str, Span>,
    faults: &mut Faults,
) -> Option<Definition> {
    let known = faults.count();
    if node.name.text != "cli" {
        let near = faults.nearest(&node.name.text, ["cli"]);
        let (name, names) = (&node.name, ["cli"].into_iter());
        let within = "a file of definitions";
        faults.add(fields::unknown(&name.text, name.span, within, near, names));
        return None;
    }
    let read = command::cli(node, faults);
    let named = node.entries.iter().find(|entry| entry.key.is_none());
    if let Some((syntax::Value::Text(name), span)) = named.map(|entry| (&entry.value, entry.span)) {
        match seen.get(name.as_str()) {
            Some(first) => {
                let message = format!("this file defines `{name}` twice");
                let fault = Fault::new(Sort::Conflict, span, message);
                faults.add(fault.other(*first, "it is first defined here"));
            }
            None => drop(seen.insert(name, span)),
        }
    }
    let (reading, warnings) = read?;
    (faults.count() == known).then(|| Definition {
        reading,
        line: mistake::line_of(text, node.name.span.start),
        warnings,
    })
}
