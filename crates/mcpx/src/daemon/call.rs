//! One tool call: arguments, the cache, the server, what is printed.
