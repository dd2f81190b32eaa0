//! Completion: the scripts of the shells, and what they ask for.
