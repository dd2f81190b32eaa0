//! System calls that rustix has no safe form of. The only `unsafe` of the sandbox:
//! each function says why it is sound.

#![allow(
    unsafe_code,
    reason = "the sandbox is made of raw system calls; each function says why it is sound"
)]

#[cfg(target_os = "linux")]
pub mod filter;
pub mod spawn;
#[cfg(target_os = "linux")]
pub mod world;
