//! An MCP server over HTTP that does what servers do, right and wrong.
//!
//! The path says how it behaves, as words joined by `+`:
//!
//! | word | meaning |
//! |---|---|
//! | `modern` | speaks 2026-07-28 only, and insists on its headers |
//! | `legacy` | wants `initialize` first; anything else before is a 400 |
//! | `old` | HTTP+SSE as in 2024: GET for the stream, POST where that says |
//! | `foreign` | with `old`: names an endpoint of another origin |
//! | `session` | gives a session, and wants it with every request |
//! | `forgetful` | with `session`: forgets it after each call |
//! | `vague` | with `session`: says 400 instead of 404 for one that it does not know |
//! | `fickle` | refuses the first modern request for its version, and names that version |
//! | `once` | with `session`: opens only one, ever |
//! | `frail` | with `session`: one that a call is cancelled in hangs up from then on |
//! | `sse` | answers as a stream of events, with progress and a comment before |
//! | `listen` | offers a stream of its own |
//! | `mute` | never answers `server/discover` |
//! | `refuse-401` | refuses everything with that status, any |
//! | `redirect-307` | redirects to the same path without this word, any 3xx |
//! | `away-307` | redirects to another host |
//! | `circle` | redirects to itself |
//! | `page` | is a web page |
//!
//! The faults of calls are tools: `tools/list` names them. A request with a whole URL,
//! or CONNECT, makes it a proxy, which goes to loopback whatever the name; `GET
//! /proxied` tells how many passed, `GET /seen` what it got: a line for each request.

mod answers;
mod exchange;
mod message;
mod proxy;
mod streams;
mod tls;
mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use exchange::{Exchange, Then};
use message::{Request, answer};
use serde_json::Value;

/// A server that runs in threads of this process until that ends.
#[derive(Debug, Clone)]
pub struct Fake {
    port: u16,
    world: Arc<World>,
}

/// What its connections share.
#[derive(Debug, Default)]
struct World {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    port: u16,
    count: u64,
    sessions: BTreeSet<String>,
    /// Those that hang up.
    broken: BTreeSet<String>,
    /// Who listens, by session.
    streams: BTreeMap<String, Sender<Value>>,
    /// Answers that were cut off, by the id of the last event.
    rest: BTreeMap<String, Value>,
    seen: Vec<String>,
    proxied: u64,
}

impl World {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> u64 {
        let mut state = self.state();
        state.count += 1;
        state.count
    }
}

impl Fake {
    /// Serves on a free port of loopback.
    pub fn start() -> io::Result<Self> {
        Self::serve(|stream, world| {
            let reader = BufReader::new(stream.try_clone()?);
            converse(reader, Box::new(stream.try_clone()?), &stream, world)
        })
    }

    /// Serves with TLS. The authority to trust is written to a file.
    pub fn start_tls(authority: &Path) -> io::Result<Self> {
        let config = tls::config(authority)?;
        Self::serve(move |stream, world| {
            let connection = rustls::ServerConnection::new(Arc::clone(&config));
            let connection = connection.map_err(io::Error::other)?;
            let both = rustls::StreamOwned::new(connection, stream.try_clone()?);
            let both = tls::Shared(Arc::new(Mutex::new(both)));
            converse(BufReader::new(both.clone()), Box::new(both), &stream, world)
        })
    }

    fn serve<F>(each: F) -> io::Result<Self>
    where
        F: Fn(TcpStream, &Arc<World>) -> io::Result<()> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let world = Arc::new(World::default());
        world.state().port = port;
        let fake = Self {
            port,
            world: Arc::clone(&world),
        };
        let each = Arc::new(each);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (each, world) = (Arc::clone(&each), Arc::clone(&world));
                // A client that hangs up is no failure of the server.
                thread::spawn(move || stream.set_nodelay(true).and_then(|()| each(stream, &world)));
            }
        });
        Ok(fake)
    }

    /// Where it serves.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A URL with this behaviour.
    pub fn url(&self, behaviour: &str) -> String {
        format!("http://127.0.0.1:{}/{behaviour}", self.port)
    }

    /// What it was asked: HTTP method and JSON-RPC method.
    pub fn seen(&self) -> Vec<String> {
        self.world.state().seen.clone()
    }

    /// How many requests and tunnels passed through it as a proxy.
    pub fn proxied(&self) -> u64 {
        self.world.state().proxied
    }

    /// How many streams of its own are listened to.
    pub fn streams(&self) -> usize {
        self.world.state().streams.len()
    }

    /// Forgets every session, as a restart does.
    pub fn forget(&self) {
        self.world.state().sessions.clear();
    }

    /// The sessions that it knows.
    pub fn sessions(&self) -> usize {
        self.world.state().sessions.len()
    }
}

fn converse(
    mut from: impl io::BufRead,
    mut to: Box<dyn Write>,
    stream: &TcpStream,
    world: &Arc<World>,
) -> io::Result<()> {
    // Somebody who wants TLS where there is none begins with a handshake's number.
    if from.fill_buf()?.first() == Some(&22) {
        return answer(to.as_mut(), 400, &[], b"");
    }
    while let Some(request) = Request::read(&mut from)? {
        if request.method == "CONNECT" || request.target.starts_with("http://") {
            world.state().proxied += 1;
            return proxy::forward(&request, stream);
        }
        let exchange = Exchange {
            request: &request,
            stream,
            world,
        };
        match exchange.serve(to.as_mut())? {
            Then::Next => {}
            Then::HangUp => break,
            Then::Reset => {
                // Without lingering, the end is a reset.
                rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO))?;
                return Ok(());
            }
        }
    }
    // A client that is gone needs no shutdown.
    let _ = stream.shutdown(Shutdown::Both);
    Ok(())
}
