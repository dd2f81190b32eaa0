//! Reads pages of clap, Rust's parser, of any of its versions.

use super::{Ask, Manner, Page, Text, lines, oracle};
use crate::model::Family;

/// How these programs are read.
pub(super) const MANNER: Manner = Manner {
    family: Family::Clap,
    ask: Ask::Flag,
    page: read,
    oracle: Some(oracle::Dialect::Clap),
    runs_parents: false,
};

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    lines::page(text)
}
