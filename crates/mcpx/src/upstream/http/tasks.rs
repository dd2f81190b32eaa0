//! What a link has under way: one task for each request, and one that listens.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;

/// Tasks that end with their link.
#[derive(Debug, Default)]
pub struct Tasks {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    requests: BTreeMap<i64, AbortHandle>,
    listener: Option<AbortHandle>,
    is_closed: bool,
}

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the request `id` until it is done or abandoned.
    pub fn start(self: &Arc<Self>, id: i64, work: impl Future<Output = ()> + Send + 'static) {
        let mut inner = self.lock();
        if inner.is_closed {
            return;
        }
        let tasks = Arc::downgrade(self);
        // The lock is held until the task is known, so it cannot end unknown.
        let task = tokio::spawn(async move {
            work.await;
            if let Some(tasks) = tasks.upgrade() {
                tasks.lock().requests.remove(&id);
            }
        });
        inner.requests.insert(id, task.abort_handle());
    }

    /// Listens beside the requests, instead of what listened before.
    pub fn listen(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut inner = self.lock();
        if inner.is_closed {
            return;
        }
        let task = tokio::spawn(work).abort_handle();
        if let Some(before) = inner.listener.replace(task) {
            before.abort();
        }
    }

    /// Whether something still listens.
    pub fn is_listening(&self) -> bool {
        self.lock()
            .listener
            .as_ref()
            .is_some_and(|task| !task.is_finished())
    }

    /// Stops working on a request.
    pub fn abandon(&self, id: i64) {
        if let Some(task) = self.lock().requests.remove(&id) {
            task.abort();
        }
    }

    /// Stops everything, for good. False if that was done before.
    pub fn close(&self) -> bool {
        let mut inner = self.lock();
        for task in std::mem::take(&mut inner.requests).into_values() {
            task.abort();
        }
        if let Some(task) = inner.listener.take() {
            task.abort();
        }
        !std::mem::replace(&mut inner.is_closed, true)
    }
}
