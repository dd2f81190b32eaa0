//! Reads pages of GNU's programs, and of those that print as they do.

use super::{Ask, Manner, Page, Text, lines, oracle};
use crate::model::Family;

/// How these programs are read.
pub(super) const MANNER: Manner = Manner {
    family: Family::Gnu,
    ask: Ask::Never,
    page: read,
    oracle: Some(oracle::Dialect::Gnu),
    runs_parents: false,
};

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    lines::page(text)
}
