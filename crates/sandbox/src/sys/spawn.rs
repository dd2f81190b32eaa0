//! For the launch: starting a process with chosen descriptors, forking, executing, waiting.
