//! Asks a program's parser about types that its pages leave open: a value that no type
//! likes, before `--help`. Whatever the parser says, nothing is run: it refuses the
//! value, or prints the page.

use crate::model::{CommandSpec, Loss};
use crate::probe::Probe;

/// Whose refusals are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Clap,
    Argparse,
    Gnu,
}

/// Asks about the flags of `commands` and notes what came of it.
pub(super) fn confirm(
    _commands: &mut [CommandSpec],
    _dialect: Dialect,
    _probe: &mut dyn Probe,
    _losses: &mut Vec<Loss>,
) {
}
