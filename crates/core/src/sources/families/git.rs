//! Reads pages of git's option parser.

use super::{Ask, Manner, Page, Text, lines};
use crate::model::Family;

/// How these programs are read.
pub(super) const MANNER: Manner = Manner {
    family: Family::Git,
    ask: Ask::ShortFlag,
    page: read,
    oracle: None,
    runs_parents: false,
};

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    lines::page(text)
}
