//! Stays beside the program: reaps, watches what no rlimit holds, ends everything.
