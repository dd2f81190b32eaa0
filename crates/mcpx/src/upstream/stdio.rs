//! A server that is a child process: one JSON message a line.
