//! Guesses from names and texts what a command does to the world.

use crate::model::{CommandSpec, Effect, Param};

/// The effect of `command`, from its name, then its texts.
pub fn of_command(_command: &CommandSpec) -> Effect {
    Effect::Unknown
}

/// The effect that `flag` raises `command` to, if it does.
pub fn of_flag(_command: &CommandSpec, _flag: &Param) -> Option<Effect> {
    None
}
