//! Questions of a server, put to the person at the terminal.
