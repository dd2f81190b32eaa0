//! Reads pages of Python's click, and of typer and rich-click, which are made of it.

use super::{Ask, Manner, Page, Text, lines};
use crate::model::Family;

/// How these programs are read.
pub(super) const MANNER: Manner = Manner {
    family: Family::Click,
    ask: Ask::Flag,
    page: read,
    oracle: None,
    runs_parents: true,
};

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    lines::page(text)
}
