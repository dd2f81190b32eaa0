//! Reaches the daemon, and starts one where there is none.
