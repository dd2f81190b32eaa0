//! Corrections.
