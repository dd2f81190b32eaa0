//! The MCP server: tools, resources and prompts over stdio, in every version of the
//! protocol that rmcp speaks. This file and its folder are the only place that
//! names rmcp.
//!
//! A call itself is [`Bridge`]'s work, and the texts are `argway_core::manual`'s.

mod handler;
mod page;
mod report;
mod shelf;
mod wire;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use argway_core::catalog::Catalog;
use rmcp::service::ServerInitializeError;
use rmcp::{ErrorData, Peer, RoleServer, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, watch};

use crate::bridge::{Bridge, Settings};
pub use page::PageLimit;
use shelf::Shelf;

/// Calls that run at once; more wait for their turn.
const CALLS_AT_ONCE: usize = 16;

/// How long calls may still run and answer after the client closed our stdin. A
/// script that pipes requests in closes it at once and reads the answers; a client
/// that is gone reads nothing, and gets no time.
const GRACE: Duration = Duration::from_secs(2);

/// How long what is already said may take to be written once all is over.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What the server says of itself.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The name that clients know it by.
    pub name: String,
    /// Its version.
    pub version: String,
    /// A name for people.
    pub title: String,
}

/// How a server behaves toward its client.
#[derive(Debug, Clone)]
pub struct Options {
    /// How lists are cut.
    pub page: PageLimit,
    /// How often served files are looked at.
    pub look_every: Duration,
    /// Who hears, once, what the sandbox of calls does not hold.
    pub operator: Operator,
}

/// What is done with a sentence for the operator.
type Tell = dyn Fn(&str) + Send + Sync;

/// Whoever started the server, and reads its log.
#[derive(Clone, Default)]
pub struct Operator(Option<Arc<Tell>>);

impl Operator {
    /// Somebody who is told by `tell`.
    pub fn told_by(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    fn tell(&self, text: &str) {
        if let Some(tell) = &self.0 {
            tell(text);
        }
    }
}

impl std::fmt::Debug for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() {
            "somebody"
        } else {
            "nobody"
        })
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            page: PageLimit::default(),
            look_every: Duration::from_secs(2),
            operator: Operator::default(),
        }
    }
}

/// Knows whether what is served has changed, and reads it again.
pub trait Refresh: Send + 'static {
    /// Whether a served file is another than at the last reading. Asked every few
    /// seconds on the server's one thread, so it must be cheap.
    fn changed(&mut self) -> bool;

    /// Reads again, or says why that failed, and the old tools stay. May take its
    /// time: it has a thread of its own.
    fn read(&mut self) -> Result<Arc<Catalog>, String>;
}

/// Why serving ended other than by the client's wish.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client's first words were not the protocol's.
    #[error("the client did not open the conversation: {0}")]
    Opening(String),
    /// Reading, writing or waiting failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// An MCP server for one client.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

struct Shared {
    identity: Identity,
    options: Options,
    served: RwLock<Arc<Served>>,
    /// The generation of `served`, for those who wait for the next.
    generation: watch::Sender<u64>,
    phase: watch::Sender<Phase>,
    tools: watch::Sender<Tools>,
    slots: Semaphore,
    level: handler::Level,
    /// Set once the operator knows what the sandbox does not hold.
    told_gaps: AtomicBool,
}

/// What is served until something changes.
struct Served {
    bridge: Bridge,
    generation: u64,
    shelf: OnceLock<Shelf>,
}

impl Served {
    fn new(bridge: Bridge, generation: u64) -> Arc<Self> {
        let shelf = OnceLock::new();
        Arc::new(Self {
            bridge,
            generation,
            shelf,
        })
    }

    fn shelf(&self) -> &Shelf {
        self.shelf.get_or_init(|| Shelf::of(&self.bridge.catalog))
    }
}

/// Whether there are tools yet.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tools {
    BeingRead,
    /// There are none, and why.
    Unreadable(String),
    Known,
}

/// Where a conversation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Open,
    /// The client will say no more: what runs may still answer.
    Closing,
    /// Whatever runs is ended.
    Over,
}

impl Server {
    /// A server of `bridge`'s tools.
    pub fn new(identity: Identity, bridge: Bridge, options: Options) -> Self {
        Self::with(identity, bridge, options, Tools::Known)
    }

    /// A server whose tools the [`Refresh`] that it is served with will read. A client
    /// need not wait for that with its opening, which many give little time; what it
    /// asks of tools is answered when they are read.
    pub fn unread(identity: Identity, settings: Settings, options: Options) -> Self {
        let catalog = Arc::default();
        Self::with(
            identity,
            Bridge { catalog, settings },
            options,
            Tools::BeingRead,
        )
    }

    fn with(identity: Identity, bridge: Bridge, options: Options, tools: Tools) -> Self {
        Self {
            shared: Arc::new(Shared {
                identity,
                options,
                served: RwLock::new(Served::new(bridge, 0)),
                generation: watch::Sender::new(0),
                phase: watch::Sender::new(Phase::Open),
                tools: watch::Sender::new(tools),
                slots: Semaphore::new(CALLS_AT_ONCE),
                level: handler::Level::default(),
                told_gaps: AtomicBool::new(false),
            }),
        }
    }

    /// Serves one client over `read` and `write` until either side ends it, and ends
    /// what still runs for it.
    pub async fn serve(
        &self,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        refresh: Option<Box<dyn Refresh>>,
    ) -> Result<(), ServeError> {
        self.converse(Box::new(read), Box::new(write), || true, refresh)
            .await
    }

    async fn converse(
        &self,
        read: wire::Reader,
        write: wire::Writer,
        is_heard: fn() -> bool,
        refresh: Option<Box<dyn Refresh>>,
    ) -> Result<(), ServeError> {
        let server = self.clone();
        let lines = wire::Lines::new(read, write, move || server.client_left(is_heard()));
        let open = lines.open();
        let opening = tokio::select! {
            opening = self.clone().serve_with_ct(lines, Default::default()) => opening,
            () = self.reached(Phase::Over) => return Ok(()),
        };
        let running = match opening {
            Ok(running) => running,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(ServerInitializeError::TransportError { error, .. }) => {
                return Err(ServeError::Io(io::Error::other(error.error.to_string())));
            }
            // Its own words hold the whole message, which may hold a secret.
            Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
                let what = "it begins with `initialize`".to_owned();
                return Err(ServeError::Opening(what));
            }
            Err(error) => return Err(ServeError::Opening(error.to_string())),
        };
        open.store(true, Ordering::Relaxed);
        if refresh.is_none() && *self.shared.tools.borrow() == Tools::BeingRead {
            let nobody = "nobody reads what is served".to_owned();
            self.shared.tools.send_replace(Tools::Unreadable(nobody));
        }
        let watching = refresh.map(|refresh| {
            let watch = self.clone().watch(refresh, running.peer().clone());
            tokio::spawn(watch)
        });
        let token = running.cancellation_token();
        let finish = running.waiting();
        tokio::pin!(finish);
        tokio::select! {
            _ = &mut finish => {}
            () = self.reached(Phase::Over) => {
                token.cancel();
                // A client that reads nothing would keep the last words, and us, for ever.
                let _ = tokio::time::timeout(LAST_WORDS, finish).await;
            }
        }
        self.enter(Phase::Over);
        if let Some(watching) = watching {
            watching.abort();
        }
        Ok(())
    }

    /// Ends the conversation and whatever runs for it.
    pub fn stop(&self) {
        self.enter(Phase::Over);
    }

    fn client_left(&self, is_heard: bool) {
        if !is_heard {
            return self.enter(Phase::Over);
        }
        self.enter(Phase::Closing);
        let server = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(GRACE).await;
            server.enter(Phase::Over);
        });
    }

    fn enter(&self, next: Phase) {
        self.shared.phase.send_if_modified(|phase| {
            let later = next > *phase;
            *phase = next.max(*phase);
            later
        });
    }

    async fn reached(&self, wanted: Phase) {
        // The sender lives in `self`, so this cannot fail.
        let _ = (self.shared.phase.subscribe())
            .wait_for(|&phase| phase >= wanted)
            .await;
    }

    /// What is served, once it is read.
    async fn once_read(&self) -> Result<Arc<Served>, ErrorData> {
        let mut tools = self.shared.tools.subscribe();
        let read = tokio::select! {
            read = tools.wait_for(|tools| *tools != Tools::BeingRead) => read.map(|tools| tools.clone()),
            () = self.reached(Phase::Over) => Ok(Tools::BeingRead),
        };
        match read {
            Ok(Tools::Known) => Ok(self.served()),
            Ok(Tools::BeingRead) | Err(_) => {
                Err(ErrorData::internal_error("the server ends", None))
            }
            Ok(Tools::Unreadable(why)) => Err(ErrorData::internal_error(why, None)),
        }
    }

    fn served(&self) -> Arc<Served> {
        let served = self.shared.served.read();
        Arc::clone(&served.unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts `catalog` in the place of what was served.
    fn replace(&self, catalog: Arc<Catalog>) {
        let mut served = (self.shared.served.write()).unwrap_or_else(PoisonError::into_inner);
        let settings = served.bridge.settings.clone();
        let generation = served.generation + 1;
        *served = Served::new(Bridge { catalog, settings }, generation);
        drop(served);
        self.shared.generation.send_replace(generation);
    }

    /// Looks at what is served now and then, and tells the client of changes.
    async fn watch(self, mut refresh: Box<dyn Refresh>, peer: Peer<RoleServer>) {
        loop {
            let first = *self.shared.tools.borrow() == Tools::BeingRead;
            if !first {
                tokio::time::sleep(self.shared.options.look_every).await;
                if !refresh.changed() {
                    continue;
                }
            }
            let reading = tokio::task::spawn_blocking(move || {
                let catalog = refresh.read();
                (refresh, catalog)
            });
            let Ok((back, catalog)) = reading.await else {
                return;
            };
            refresh = back;
            let catalog = match catalog {
                Ok(catalog) => catalog,
                Err(why) if first => {
                    self.shared.tools.send_replace(Tools::Unreadable(why));
                    continue;
                }
                Err(_) => continue,
            };
            self.replace(catalog);
            self.shared.tools.send_replace(Tools::Known);
            // From 2026-07-28 on a client that wants to know has a subscription.
            if !first && peer.peer_info().is_some() {
                let _ = peer.notify_tool_list_changed().await;
                let _ = peer.notify_prompt_list_changed().await;
                let _ = peer.notify_resource_list_changed().await;
            }
        }
    }
}

/// Serves the client at stdin and stdout until it leaves or a signal comes. Whatever
/// runs then is ended.
pub async fn serve_stdio(
    server: Server,
    refresh: Option<Box<dyn Refresh>>,
) -> Result<(), ServeError> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let stopping = server.clone();
    let stop = tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hang_up.recv() => {}
        }
        stopping.stop();
    });
    let (read, write) = wire::stdio();
    let ended = server
        .converse(read, write, wire::stdout_is_heard, refresh)
        .await;
    stop.abort();
    // A program that is still being read, too.
    crate::probe::abandon();
    ended
}

/// [`serve_stdio`] on a runtime of its own: one thread, and no waiting for a read of
/// stdin that nobody will answer.
pub fn run_stdio(server: Server, refresh: Option<Box<dyn Refresh>>) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(serve_stdio(server, refresh));
    runtime.shutdown_background();
    ended
}
