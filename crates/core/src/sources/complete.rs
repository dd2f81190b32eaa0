//! Reads what Cobra's `__complete` prints.
