//! Readers: what a program prints, turned into the model.

pub mod cobra;
pub mod complete;
pub mod described;
pub mod effect;
pub mod families;
pub mod help;
pub mod kdl;
pub mod oracle;
pub mod plain;
pub mod tool;
pub mod transcript;
pub mod usage;
