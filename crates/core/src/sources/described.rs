//! Programs that describe themselves, in a format made for that: what they say wins over
//! what could be parsed of their help.
//!
//! Each format is recognised by its content, so that a file serves as well as a program.
//! Nothing that a description says is ever run, expanded or fetched.

use crate::model::Reading;

mod carapace;
mod document;
mod dotnet;
mod find;
mod join;
mod machine;
mod oclif;
mod opencli;
mod swift;
mod tree;
mod usage;

pub use find::{Memory, Own, Sign, find};
pub use join::join;

/// Bytes of a description beyond which it is not read.
pub const MOST_BYTES: usize = 16 << 20;

/// The formats, in the order in which a text is tried for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `help --machine`: JSON of Cobra programs, schema version 1.x.
    Machine,
    /// A usage spec in KDL.
    Usage,
    /// OpenCLI, in JSON or YAML.
    OpenCli,
    /// oclif's manifest, or what `commands --json` prints.
    Oclif,
    /// A carapace spec in YAML.
    Carapace,
    /// Swift's `--experimental-dump-help`.
    Swift,
    /// .NET's `--cli-schema`.
    DotNet,
}

/// Why a description cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DescribedError(pub String);

/// Whether a text is in a format.
type Test = fn(&str) -> bool;

/// Which format `text` is in, if it is in one of them.
pub fn recognise(text: &str) -> Option<Format> {
    let tests: [(Format, Test); 7] = [
        (Format::Machine, machine::recognise),
        (Format::OpenCli, opencli::recognise),
        (Format::Oclif, oclif::recognise),
        (Format::Swift, swift::recognise),
        (Format::DotNet, dotnet::recognise),
        (Format::Carapace, carapace::recognise),
        (Format::Usage, usage::recognise),
    ];
    let found = tests.into_iter().find(|(_, test)| test(text));
    found.map(|(format, _)| format)
}

/// Why `text` is in none of the formats, in words that go on after its name.
pub fn why_not(text: &str) -> DescribedError {
    match document::parse(text) {
        Err(error) => error,
        Ok(_) => DescribedError(
            "is no description that argway knows: not its own, a usage spec, OpenCLI, a carapace \
             spec, `help --machine`, an oclif manifest, Swift's dump or .NET's schema"
                .to_owned(),
        ),
    }
}

/// Reads `text`, a description in `format` of the program that is called `name`; its own
/// name for the program is taken where `name` is nothing.
pub fn read(format: Format, name: Option<&str>, text: &str) -> Result<Reading, DescribedError> {
    if text.len() > MOST_BYTES {
        let what = format!("has {} bytes; at most {MOST_BYTES} are read", text.len());
        return Err(DescribedError(what));
    }
    match format {
        Format::Machine => machine::read(name, text),
        Format::Usage => usage::read(name, text),
        Format::OpenCli => opencli::read(name, text),
        Format::Oclif => oclif::read(name, text),
        Format::Carapace => carapace::read(name, text),
        Format::Swift => swift::read(name, text),
        Format::DotNet => dotnet::read(name, text),
    }
}

/// The name that the caller gave, else the description's own.
fn named<'a>(given: Option<&'a str>, own: &'a str) -> &'a str {
    given.unwrap_or(own.trim())
}

#[cfg(test)]
mod tests;
