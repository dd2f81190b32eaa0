//! Pages of real programs, and what they say.
