//! Guesses from names and texts what a command does to the world.

use crate::model::{CommandSpec, Effect};

/// The effect of `command`, from its name, then its texts.
pub fn of_command(_command: &CommandSpec) -> Effect {
    todo!()
}
