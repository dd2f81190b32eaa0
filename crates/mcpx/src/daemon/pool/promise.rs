//! What several wait for and one finds out.

use tokio::sync::watch;

/// A value that is told once. Every clone hears it.
#[derive(Debug, Clone)]
pub struct Promise<T>(watch::Receiver<Option<T>>);

/// The one who tells it.
#[derive(Debug)]
pub struct Teller<T>(watch::Sender<Option<T>>);

/// A promise, and who keeps it.
pub fn new<T>() -> (Teller<T>, Promise<T>) {
    let (sender, receiver) = watch::channel(None);
    (Teller(sender), Promise(receiver))
}

impl<T> Teller<T> {
    /// Tells everybody who waits, and who will.
    pub fn tell(self, value: T) {
        self.0.send_replace(Some(value));
    }
}

impl<T: Clone> Promise<T> {
    /// The value, when it is told. Nothing if it never will be.
    pub async fn wait(mut self) -> Option<T> {
        let value = self.0.wait_for(Option::is_some).await.ok()?;
        value.clone()
    }

    /// The value, if it has been told.
    pub fn peek(&self) -> Option<T> {
        self.0.borrow().clone()
    }
}
