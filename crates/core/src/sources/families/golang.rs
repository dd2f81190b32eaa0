//! Reads pages of Go's parsers other than Cobra: flag, urfave/cli, kingpin and kong, and
//! the programs that put commands before Go's flag: HashiCorp's, and `go` itself.

use super::{Ask, Manner};
use crate::model::Family;

mod flag;
mod kingpin;
mod tags;
mod urfave;

/// A program with Go's flag alone. Whether it has commands its page does not say.
const FLAG: Manner = Manner {
    family: Family::GoFlag,
    ask: Ask::Never,
    page: flag::read,
    oracle: None,
    runs_parents: false,
};

/// Programs with HashiCorp's library of commands, which looks for `--help` among the
/// words before it chooses a command.
const HASHICORP: Manner = Manner {
    family: Family::GoFlag,
    ask: Ask::Flag,
    page: flag::read_commands,
    oracle: None,
    runs_parents: false,
};

/// `go`, whose `help X` prints a text that is built into it.
const GO: Manner = Manner {
    family: Family::GoFlag,
    ask: Ask::Help,
    page: flag::read_commands,
    oracle: None,
    runs_parents: false,
};

/// Programs with urfave/cli, which runs what the commands above want to be run before
/// (`Before`) and only then sees that a page is asked for.
pub(super) const URFAVE: Manner = Manner {
    family: Family::Urfave,
    ask: Ask::Flag,
    page: urfave::read,
    oracle: None,
    runs_parents: true,
};

/// Programs with kingpin or kong: both print the page of the words before it as soon as
/// all words are parsed, and before anything is run.
pub(super) const KINGPIN: Manner = Manner {
    family: Family::Kingpin,
    ask: Ask::Flag,
    page: kingpin::read,
    oracle: None,
    runs_parents: false,
};

/// How a program that parses with Go's flag is read, from its root's page.
pub(super) fn with_flag(page: &str) -> Manner {
    match () {
        () if is_hashicorps(page) => HASHICORP,
        () if is_go(page) => GO,
        () => FLAG,
    }
}

/// Whether a page has flags as Go's `PrintDefaults` writes them: the text of each on a line
/// of its own, behind four blanks and a tab.
pub(super) fn prints_defaults(page: &str) -> bool {
    let lines: Vec<&str> = page.lines().collect();
    let flags = lines.windows(2).filter(|pair| {
        pair[0].starts_with("  -") && !pair[0].starts_with("  --") && pair[1].starts_with("    \t")
    });
    flags.count() > 1
}

/// Whether a root's page is laid out by HashiCorp's library of commands.
pub(super) fn is_hashicorps(page: &str) -> bool {
    let usage = page.lines().find(|line| line.starts_with("Usage: "));
    let takes_command = usage.is_some_and(|line| {
        [
            "<command> [<args>]",
            "<command> [args]",
            "<subcommand> [args]",
        ]
        .iter()
        .any(|end| line.ends_with(end))
    });
    let lists = [
        "Available commands are:",
        "Main commands:",
        "Common commands:",
    ];
    takes_command && page.lines().any(|line| lists.contains(&line.trim_end()))
}

/// Whether a page is `go`'s own.
pub(super) fn is_go(page: &str) -> bool {
    page.contains("\n\tgo <command> [arguments]") && page.contains("Use \"go help <command>\"")
}

#[cfg(test)]
mod tests;
