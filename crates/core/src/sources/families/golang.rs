//! Reads pages of Go's parsers other than Cobra: flag, urfave/cli, kingpin and kong.

use super::{Ask, Manner, Page, Text, lines};
use crate::model::Family;

/// How these programs are read.
pub(super) const FLAG: Manner = Manner {
    family: Family::GoFlag,
    ask: Ask::Never,
    page: read,
    oracle: None,
    runs_parents: false,
};

/// How these programs are read.
pub(super) const URFAVE: Manner = Manner {
    family: Family::Urfave,
    ask: Ask::Flag,
    page: read,
    oracle: None,
    runs_parents: false,
};

/// How these programs are read.
pub(super) const KINGPIN: Manner = Manner {
    family: Family::Kingpin,
    ask: Ask::Flag,
    page: read,
    oracle: None,
    runs_parents: false,
};

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    lines::page(text)
}
