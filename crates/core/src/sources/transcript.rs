//! Answers a reader's questions from recorded pages.
