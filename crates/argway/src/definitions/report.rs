//! What is wrong with definitions, as people read it.
//!
//! What a file says is shown without its control characters: it may be a stranger's.

use argway_core::output::shown;
use argway_core::sources::kdl::Mistake;

/// `FILE:LINE:COLUMN: what is wrong`, for a log.
pub fn line(mistake: &Mistake) -> String {
    let text = match &mistake.help {
        Some(help) => format!("{mistake}; {help}"),
        None => mistake.to_string(),
    };
    harmless(&text).replace('\n', " ")
}

/// `text` without what would move a cursor or change a colour.
pub fn harmless(text: &str) -> String {
    shown(text.as_bytes())
}
