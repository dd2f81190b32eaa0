//! Reads pages of Python's argparse and optparse.

use super::{Ask, Manner, Page, Text, lines, oracle};
use crate::model::Family;

/// How these programs are read.
pub(super) const MANNER: Manner = Manner {
    family: Family::Argparse,
    ask: Ask::Flag,
    page: read,
    oracle: Some(oracle::Dialect::Argparse),
    runs_parents: false,
};

/// How these programs are read.
pub(super) const OPTPARSE: Manner = Manner {
    family: Family::Optparse,
    ask: Ask::Flag,
    page: read,
    oracle: None,
    runs_parents: false,
};

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    lines::page(text)
}
