//! Is the daemon's terminal: prints what it says, reads what it asks for. The only file of the client that prints.
