//! The model in which command lines and MCP tools meet, and the pure functions
//! around it.
//!
//! Sources read something into [`model`]; faces show it. Nothing here starts a
//! process, opens a file or knows a protocol: what a program printed arrives
//! through [`probe::Probe`], and what it should be called with leaves as words.

pub mod argv;
pub mod catalog;
pub mod cost;
pub mod export;
pub mod few;
pub mod glob;
pub mod manual;
pub mod model;
pub mod output;
pub mod overlay;
pub mod policy;
pub mod probe;
pub mod schema;
pub mod sources;
pub mod unique;
pub mod units;
