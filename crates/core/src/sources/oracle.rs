//! Reads types out of what a parser says about a value that no parser likes.
