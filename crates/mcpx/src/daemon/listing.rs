//! Lists of servers and of tools.
