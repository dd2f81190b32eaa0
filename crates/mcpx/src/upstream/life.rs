//! How a server wants to be spoken to: opened once (`initialize`), or asked afresh
//! each time (2026-07-28). Found out by trying, and remembered.

/// Which life worked with which server, kept over restarts.
#[derive(Debug)]
pub struct Memory {}
