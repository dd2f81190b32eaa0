//! Stand-ins for the outside world, for tests that want them in their own process.

pub mod fake_http;
