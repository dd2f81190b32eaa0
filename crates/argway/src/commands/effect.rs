//! Effects as people see them.

use argway_core::model::Effect;

use crate::terminal::Style;

/// Every effect, in the order that counts are told.
pub const EFFECTS: [Effect; 4] = [
    Effect::Read,
    Effect::Write,
    Effect::Destructive,
    Effect::Unknown,
];

/// The word for an effect.
pub fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "read",
        Effect::Unknown => "unknown",
        Effect::Write => "write",
        Effect::Destructive => "destructive",
    }
}

/// The colour for an effect.
pub fn effect_style(effect: Effect) -> Style {
    match effect {
        Effect::Read => Style::Green,
        Effect::Unknown => Style::Dim,
        Effect::Write => Style::Yellow,
        Effect::Destructive => Style::Red,
    }
}
