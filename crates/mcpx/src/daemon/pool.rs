//! The servers that are open: one for each identity, opened once however many ask,
//! closed when nobody used it for a while.
//!
//! Each has a keeper, a task that opens it, hears what it says unasked, and closes it
//! when its time is over. A caller who goes away therefore ends nothing for others.

mod catalog;
mod promise;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::future::Future;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;

use crate::config::{Settings, Target};
use crate::upstream::{self, CallOptions, Connection, Event, Memory, Roll, UpstreamError};

use catalog::Catalog;
pub use catalog::Tools;
use promise::Promise;

/// How long closing every server may take.
const CLOSING: Duration = Duration::from_secs(5);

/// What an opening may take longer than it should.
const GRACE: Duration = Duration::from_secs(1);

/// Opens servers.
pub trait Opener: Send + Sync + 'static {
    /// What it opens.
    type Wire: Wire;

    /// Connects to a server. What it says unasked goes to `events`.
    fn open(
        &self,
        target: &Target,
        events: mpsc::Sender<Event>,
    ) -> impl Future<Output = Result<Self::Wire, UpstreamError>> + Send;
}

/// Why a listed tool must not be called, if it must not.
pub type Flaw = fn(&RawValue) -> Option<String>;

/// A conversation with a server.
pub trait Wire: Send + Sync + 'static {
    /// Asks, and waits for the result. Dropped, the request is cancelled.
    fn request(
        &self,
        method: &str,
        params: &RawValue,
        options: CallOptions,
    ) -> impl Future<Output = Result<Box<RawValue>, UpstreamError>> + Send;

    /// Whether the server is still there, as far as is known.
    fn is_alive(&self) -> bool;

    /// Whether it offers tools at all.
    fn has_tools(&self) -> bool;

    /// Whether calls can be made as tasks, by asking for that.
    fn makes_tasks(&self) -> bool {
        false
    }

    /// Tells which tools must not be called over this wire; mostly none.
    fn flaw(&self) -> Flaw {
        |_| None
    }

    /// Hangs up in order.
    fn close(&self) -> impl Future<Output = ()> + Send;
}

/// Opens the servers of the real world.
#[derive(Debug)]
pub struct Upstream {
    /// How each wants to be spoken to.
    pub memory: Memory,
    /// Which processes it started.
    pub roll: Arc<Roll>,
}

impl Opener for Upstream {
    type Wire = Connection;

    async fn open(
        &self,
        target: &Target,
        events: mpsc::Sender<Event>,
    ) -> Result<Connection, UpstreamError> {
        upstream::open(target, &self.memory, &self.roll, events).await
    }
}

impl Wire for Connection {
    async fn request(
        &self,
        method: &str,
        params: &RawValue,
        options: CallOptions,
    ) -> Result<Box<RawValue>, UpstreamError> {
        Connection::request(self, method, params, options).await
    }

    fn is_alive(&self) -> bool {
        Connection::is_alive(self)
    }

    fn has_tools(&self) -> bool {
        self.about().has_tools
    }

    fn makes_tasks(&self) -> bool {
        self.about().makes_tasks
    }

    fn flaw(&self) -> Flaw {
        match self.about().reads_headers {
            true => upstream::header_flaw,
            false => |_| None,
        }
    }

    async fn close(&self) {
        Connection::close(self).await;
    }
}

/// Every open server.
pub struct Pool<O: Opener = Upstream> {
    inner: Arc<Inner<O>>,
}

struct Inner<O: Opener> {
    opener: O,
    slots: Mutex<Slots<O::Wire>>,
    /// How many keepers there are: servers that are opening, open or closing.
    kept: watch::Sender<usize>,
    closing: watch::Sender<bool>,
}

struct Slots<W> {
    by_identity: BTreeMap<String, Slot<W>>,
    /// Tells a server from an earlier one of the same identity.
    serial: u64,
}

struct Slot<W> {
    serial: u64,
    server: Promise<Result<Arc<Server<W>>, UpstreamError>>,
    /// How many use it now.
    uses: usize,
    keepalive: Duration,
    /// When it is closed if it is not used again.
    deadline: Instant,
    /// Wakes the keeper.
    stir: Arc<Notify>,
}

impl<O: Opener> Pool<O> {
    /// No server is open yet.
    pub fn new(opener: O) -> Self {
        Self {
            inner: Arc::new(Inner {
                opener,
                slots: Mutex::new(Slots {
                    by_identity: BTreeMap::new(),
                    serial: 0,
                }),
                kept: watch::Sender::new(0),
                closing: watch::Sender::new(false),
            }),
        }
    }

    /// The server of `target`, opened if it is not. Concurrent callers share one
    /// opening; a slow one delays nobody else. It is kept open while the result lives,
    /// and for the keep-alive time after.
    pub async fn server(
        &self,
        target: &Target,
        settings: &Settings,
    ) -> Result<InUse<O>, UpstreamError> {
        if *self.inner.closing.borrow() {
            return Err(ending());
        }
        let (claim, server, opened) = self.claim(target, settings);
        match server.wait().await {
            Some(Ok(server)) => Ok(InUse {
                server,
                opened,
                _claim: claim,
            }),
            Some(Err(error)) => Err(error),
            // Its keeper is gone without a word.
            None => {
                self.inner.remove(&claim.identity, claim.serial);
                Err(ending())
            }
        }
    }

    /// Counts a use of the server, which is being opened from now on at the latest.
    #[allow(clippy::type_complexity, reason = "told apart at the only call")]
    fn claim(
        &self,
        target: &Target,
        settings: &Settings,
    ) -> (
        Claim<O>,
        Promise<Result<Arc<Server<O::Wire>>, UpstreamError>>,
        Opened,
    ) {
        let mut slots = self.inner.slots();
        let dead = match slots.by_identity.get(&target.identity) {
            Some(slot) => match slot.server.peek() {
                Some(Ok(server)) => !server.connection.is_alive(),
                Some(Err(_)) => true,
                None => false,
            },
            None => false,
        };
        if dead && let Some(slot) = slots.by_identity.remove(&target.identity) {
            slot.stir.notify_one();
        }
        let Slots {
            by_identity,
            serial,
        } = &mut *slots;
        let (slot, opened) = match by_identity.entry(target.identity.clone()) {
            Entry::Occupied(slot) => (slot.into_mut(), Opened::Before),
            Entry::Vacant(place) => {
                *serial += 1;
                let slot = self.open(target, settings, *serial);
                (place.insert(slot), Opened::Now)
            }
        };
        slot.uses += 1;
        slot.keepalive = settings.keepalive;
        let claim = Claim {
            inner: Arc::clone(&self.inner),
            identity: target.identity.clone(),
            serial: slot.serial,
        };
        (claim, slot.server.clone(), opened)
    }

    /// A server that is being opened by its keeper.
    fn open(&self, target: &Target, settings: &Settings, serial: u64) -> Slot<O::Wire> {
        let stir = Arc::new(Notify::new());
        let (teller, server) = promise::new();
        let keeper = Keeper::new(&self.inner, target, serial, &stir);
        tokio::spawn(keeper.run(target.clone(), teller));
        Slot {
            serial,
            server,
            uses: 0,
            keepalive: settings.keepalive,
            deadline: upstream::deadline(settings.keepalive),
            stir,
        }
    }

    /// Whether the server of `target` is open or being opened.
    pub fn is_open(&self, target: &Target) -> bool {
        self.inner
            .slots()
            .by_identity
            .contains_key(&target.identity)
    }

    /// Whether no server is open, being opened or being closed.
    pub fn is_empty(&self) -> bool {
        *self.inner.kept.borrow() == 0
    }

    /// Closes every server, in order and bounded in time. None is opened after that.
    pub async fn close(&self) {
        self.inner.closing.send_replace(true);
        self.inner.slots().by_identity.clear();
        let mut kept = self.inner.kept.subscribe();
        // Who does not end in time is ended when the process is.
        let _ = tokio::time::timeout(CLOSING, kept.wait_for(|kept| *kept == 0)).await;
    }
}

fn ending() -> UpstreamError {
    UpstreamError::Network("the daemon is ending; call again".into())
}

impl<O: Opener> Inner<O> {
    fn slots(&self) -> MutexGuard<'_, Slots<O::Wire>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remove(&self, identity: &str, serial: u64) {
        let mut slots = self.slots();
        if slots.of(identity, serial).is_some() {
            slots.by_identity.remove(identity);
        }
    }

    /// How long the keeper of a server rests. A server whose time is over is taken out.
    fn rest(&self, identity: &str, serial: u64) -> Rest {
        let mut slots = self.slots();
        match slots.of(identity, serial) {
            None => Rest::Over,
            Some(slot) if slot.uses > 0 => Rest::InUse,
            Some(slot) if slot.deadline > Instant::now() => Rest::Until(slot.deadline),
            Some(_) => {
                slots.by_identity.remove(identity);
                Rest::Over
            }
        }
    }
}

impl<W> Slots<W> {
    fn of(&mut self, identity: &str, serial: u64) -> Option<&mut Slot<W>> {
        let slot = self.by_identity.get_mut(identity);
        slot.filter(|slot| slot.serial == serial)
    }
}

enum Rest {
    InUse,
    Until(Instant),
    Over,
}

/// Opens one server, keeps it, closes it.
struct Keeper<O: Opener> {
    inner: Arc<Inner<O>>,
    identity: String,
    serial: u64,
    stir: Arc<Notify>,
}

impl<O: Opener> Keeper<O> {
    fn new(inner: &Arc<Inner<O>>, target: &Target, serial: u64, stir: &Arc<Notify>) -> Self {
        inner.kept.send_modify(|kept| *kept += 1);
        Self {
            inner: Arc::clone(inner),
            identity: target.identity.clone(),
            serial,
            stir: Arc::clone(stir),
        }
    }

    async fn run(
        self,
        target: Target,
        teller: promise::Teller<Result<Arc<Server<O::Wire>>, UpstreamError>>,
    ) {
        let mut closing = self.inner.closing.subscribe();
        let (sender, events) = mpsc::channel(upstream::EVENTS);
        let opened = tokio::select! {
            opened = self.opened(&target, sender) => opened,
            _ = closing.wait_for(|closing| *closing) => Err(ending()),
        };
        match opened {
            Ok(wire) => {
                let server = Arc::new(Server::new(wire));
                teller.tell(Ok(Arc::clone(&server)));
                self.keep(&server, events, closing).await;
                // Whoever still holds it: that is a question that nobody waits for.
                server.connection.close().await;
            }
            Err(error) => {
                // Forgotten before it is told, so that who hears it can try afresh.
                self.inner.remove(&self.identity, self.serial);
                teller.tell(Err(error));
            }
        }
    }

    async fn opened(
        &self,
        target: &Target,
        events: mpsc::Sender<Event>,
    ) -> Result<O::Wire, UpstreamError> {
        let opening = self.inner.opener.open(target, events);
        // Who opens looks at the clock too, and can tell more about what was waited for.
        let patience = target.connect_timeout.saturating_add(GRACE);
        match tokio::time::timeout(patience, opening).await {
            Ok(opened) => opened,
            Err(_) => Err(UpstreamError::Start {
                reason: format!(
                    "it was not ready within {} s (`connect_timeout`)",
                    target.connect_timeout.as_secs_f64()
                ),
                stderr: String::new(),
            }),
        }
    }

    /// Hears the server until it is gone or its time is over.
    async fn keep(
        &self,
        server: &Arc<Server<O::Wire>>,
        mut events: mpsc::Receiver<Event>,
        mut closing: watch::Receiver<bool>,
    ) {
        let mut listening = true;
        loop {
            let deadline = match self.inner.rest(&self.identity, self.serial) {
                Rest::Over => return,
                Rest::InUse => None,
                Rest::Until(deadline) => Some(deadline),
            };
            tokio::select! {
                () = self.stir.notified() => {}
                () = sleep_until(deadline) => {}
                event = events.recv(), if listening => match event {
                    Some(Event::ToolsChanged) => server.forget_tools(),
                    // Said between calls, so that nobody is there to read it.
                    Some(Event::Log { .. }) => {}
                    None if server.connection.is_alive() => listening = false,
                    None => return self.inner.remove(&self.identity, self.serial),
                },
                _ = closing.wait_for(|closing| *closing) => return,
            }
        }
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

impl<O: Opener> Drop for Keeper<O> {
    fn drop(&mut self) {
        self.inner.kept.send_modify(|kept| *kept -= 1);
    }
}

/// One use of a server, from the first wish for it.
struct Claim<O: Opener> {
    inner: Arc<Inner<O>>,
    identity: String,
    serial: u64,
}

impl<O: Opener> Drop for Claim<O> {
    fn drop(&mut self) {
        let mut slots = self.inner.slots();
        if let Some(slot) = slots.of(&self.identity, self.serial) {
            slot.uses -= 1;
            if slot.uses == 0 {
                slot.deadline = upstream::deadline(slot.keepalive);
                slot.stir.notify_one();
            }
        }
    }
}

/// Whether a server was there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opened {
    Before,
    Now,
}

/// A server that is not closed while this lives.
pub struct InUse<O: Opener = Upstream> {
    server: Arc<Server<O::Wire>>,
    /// Whether this use opened it.
    pub opened: Opened,
    _claim: Claim<O>,
}

impl<O: Opener> Deref for InUse<O> {
    type Target = Arc<Server<O::Wire>>;

    fn deref(&self) -> &Self::Target {
        &self.server
    }
}

/// An open server.
pub struct Server<W = Connection> {
    /// The wire to it.
    pub connection: W,
    catalog: Mutex<Catalog>,
}

impl<W: Wire> Server<W> {
    fn new(connection: W) -> Self {
        Self {
            connection,
            catalog: Mutex::new(Catalog::default()),
        }
    }
}
