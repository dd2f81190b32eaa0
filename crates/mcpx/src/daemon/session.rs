//! One command from beginning to end.

use std::sync::Arc;

use super::caller::{Caller, Gone};
use super::pool::Pool;
use crate::exit::Exit;

/// What sessions share.
pub struct Shared {
    /// The open servers.
    pub pool: Pool,
}

/// Does what `caller` was called for. Everything it prints goes through the caller.
pub async fn run(caller: &mut Caller, shared: &Arc<Shared>) -> Result<Exit, Gone> {
    let _ = (caller, shared);
    todo!()
}
