//! Fills in ${VAR}, and tells one instance of a server from another.
