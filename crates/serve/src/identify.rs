//! Finds a program's file and tells its family by reading it, never by running it.
