//! What the server and a launcher say to each other, over the socket on descriptor 3.
//!
//! The server sends one order and then single bytes: asks. The launcher sends reports.
//! Bytes, not JSON: words and paths need not be text.

use std::ffi::OsString;
use std::path::PathBuf;

use argway_core::policy::{Enforcement, Exceeded, Resources, Tier};

use crate::view::View;

/// The descriptor that a launcher finds the socket on.
pub const CONTROL: i32 = 3;

/// What a launcher is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Which layers.
    pub tier: Tier,
    /// Go on without layers that are not to be had.
    pub best_effort: bool,
    /// The file to run.
    pub program: PathBuf,
    /// The words after it.
    pub words: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Which files it may reach, and where it runs.
    pub view: View,
    /// Whether it may use the network.
    pub network: bool,
    /// How much it may use.
    pub resources: Resources,
}

/// What a launcher says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// The program runs; this is what holds.
    Started(Enforcement),
    /// It was not started: this layer, or the program itself, could not be had.
    Refused {
        /// Which layer, as `doctor` names it; empty where the program could not be executed.
        layer: String,
        /// What failed, with the system's reason.
        what: String,
        /// How to allow it.
        remedy: String,
        /// The system's error number.
        errno: i32,
    },
    /// The program ended with this wait status; nothing that it started is left.
    Ended(i32),
    /// It used too much and is being ended.
    Exceeded(Exceeded),
}
