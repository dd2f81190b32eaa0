//! The codec against Go itself: everyflag, a real Cobra program built against
//! several releases, reads what argway writes.

#![allow(clippy::unwrap_used)]

mod ophis;
mod round_trip;
mod selection;
mod support;
mod values;
