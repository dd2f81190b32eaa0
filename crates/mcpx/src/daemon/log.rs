//! What servers write to stderr: a bounded file each.
