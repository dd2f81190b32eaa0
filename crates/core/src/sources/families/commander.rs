//! Reads pages of Node's commander.

use super::{Ask, Manner, Page, Text, lines};
use crate::model::Family;

/// How these programs are read.
pub(super) const MANNER: Manner = Manner {
    family: Family::Commander,
    ask: Ask::Flag,
    page: read,
    oracle: None,
    runs_parents: false,
};

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    lines::page(text)
}
