//! Answers that may be given again: off unless asked for, for the owner alone, bounded.
