//! The door with work that tests can see through, and clients that speak the wire.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tempfile::TempDir;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::*;
use crate::BUILD;
use crate::paths::Environment;
use crate::wire::{Stdin, receive, send};

const LONG: Duration = Duration::from_secs(3600);
const PROMPT: Duration = Duration::from_secs(20);

/// Does what the first word says.
#[derive(Default)]
struct Doubles {
    begun: Notify,
    go_on: Notify,
    cancelled: AtomicUsize,
    busy: AtomicBool,
    closed: AtomicBool,
}

impl Work for Doubles {
    async fn run(&self, caller: &mut Caller) -> Result<Exit, Gone> {
        let word = caller.invocation.words.first().cloned().unwrap_or_default();
        match word.to_str().unwrap() {
            "echo" => caller.stdout(b"here\n").await?,
            "panic" => panic!("on purpose"),
            "wait" => {
                self.begun.notify_one();
                tokio::select! {
                    () = self.go_on.notified() => caller.stdout(b"waited\n").await?,
                    gone = caller.gone() => {
                        self.cancelled.fetch_add(1, Ordering::SeqCst);
                        return Err(gone);
                    }
                }
            }
            other => panic!("{other}"),
        }
        Ok(Exit::Success)
    }

    fn is_idle(&self) -> bool {
        !self.busy.load(Ordering::SeqCst)
    }

    async fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }
}

/// A daemon in this process, in a folder of its own.
struct World {
    places: Places,
    work: Arc<Doubles>,
    stop: Arc<Notify>,
    serving: Option<JoinHandle<()>>,
    _folder: TempDir,
}

impl World {
    fn new(idle_time: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment(vec![
            ("HOME".into(), folder.path().into()),
            ("XDG_RUNTIME_DIR".into(), folder.path().into()),
        ]);
        let mut world = Self {
            places: Places::of(&environment).unwrap(),
            work: Arc::default(),
            stop: Arc::default(),
            serving: None,
            _folder: folder,
        };
        world.serving = Some(world.daemon(idle_time, &world.work));
        world
    }

    fn daemon(&self, idle_time: Duration, work: &Arc<Doubles>) -> JoinHandle<()> {
        let door = Door::open(self.places.clone()).unwrap();
        let (work, stop) = (Arc::clone(work), Arc::clone(&self.stop));
        tokio::spawn(async move { serve(door, work, idle_time, stop.notified()).await })
    }

    fn nonces(&self) -> Nonces {
        Nonces::read(&self.places.nonces()).unwrap()
    }

    async fn connect(&self) -> UnixStream {
        UnixStream::connect(&self.places.socket).await.unwrap()
    }

    fn hello(&self) -> Hello {
        Hello {
            nonce: self.nonces().client,
            build: BUILD.to_owned(),
        }
    }

    /// Says everything at once, as clients do.
    async fn call(&self, hello: Hello, word: &str) -> UnixStream {
        let mut stream = self.connect().await;
        let invocation = Invocation {
            words: vec![word.into()],
            folder: "/".into(),
            environment: Environment(vec![("HOME".into(), "/home/me".into())]),
            stdin: Stdin::Nothing,
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            columns: None,
        };
        send(&mut stream, &ToDaemon::Hello(hello)).await.unwrap();
        let invocation = ToDaemon::Invocation(Box::new(invocation));
        // The daemon may have hung up by now.
        _ = send(&mut stream, &invocation).await;
        stream
    }

    /// What the daemon answers, after its greeting.
    async fn answer(&self, mut stream: UnixStream) -> Vec<ToClient> {
        let first = receive(&mut stream).await.unwrap();
        assert!(
            matches!(first, Some(ToClient::Greeting { .. })),
            "{first:?}"
        );
        let mut heard = Vec::new();
        while let Ok(Some(message)) = receive(&mut stream).await {
            heard.push(message);
        }
        heard
    }

    async fn run(&self, word: &str) -> Vec<ToClient> {
        let stream = self.call(self.hello(), word).await;
        self.answer(stream).await
    }

    /// Waits for the end of the daemon, and says whether it left anything.
    async fn ended(&mut self) {
        let serving = self.serving.take().unwrap();
        timeout(PROMPT, serving).await.expect("an end").unwrap();
        assert!(
            self.work.closed.load(Ordering::SeqCst),
            "servers are closed"
        );
    }
}

fn here() -> Vec<ToClient> {
    vec![ToClient::Stdout(b"here\n".to_vec()), ToClient::Exit(0)]
}

#[tokio::test]
async fn a_client_of_ours_is_served() {
    let world = World::new(LONG);
    assert_eq!(world.run("echo").await, here());
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&world.places.socket), 0o600);
    assert_eq!(mode(&world.places.nonces()), 0o600);
    assert_eq!(mode(&world.places.runtime), 0o700);
}

#[tokio::test]
async fn the_greeting_comes_before_anything_is_said() {
    let world = World::new(LONG);
    let mut silent = world.connect().await;
    let greeting: ToClient = receive(&mut silent).await.unwrap().unwrap();
    let nonce = world.nonces().daemon;
    assert_eq!(greeting, ToClient::Greeting { nonce });
}

#[tokio::test]
async fn a_panic_costs_one_command() {
    let world = World::new(LONG);
    let answer = world.run("panic").await;
    assert_eq!(answer.last(), Some(&ToClient::Exit(3)), "{answer:?}");
    assert!(matches!(&answer[0], ToClient::Stderr(text) if text.starts_with(b"mcpx: internal")));
    assert_eq!(world.run("echo").await, here());
}

#[tokio::test]
async fn who_does_not_know_the_nonce_is_refused_and_the_daemon_stays() {
    let world = World::new(LONG);
    let stranger = Hello {
        nonce: world.nonces().daemon,
        ..world.hello()
    };
    let stream = world.call(stranger, "echo").await;
    let answer = world.answer(stream).await;
    assert!(matches!(&answer[..], [ToClient::Refused(_)]), "{answer:?}");
    assert_eq!(world.run("echo").await, here());
}

#[tokio::test]
async fn garbage_and_silence_cost_nobody_else_anything() {
    use tokio::io::AsyncWriteExt;
    let world = World::new(LONG);
    let _silent = world.connect().await;
    let mut babbler = world.connect().await;
    babbler.write_all(&[0xff; 4096]).await.unwrap();
    assert_eq!(world.answer(babbler).await, []);
    let mut early = world.connect().await;
    send(&mut early, &ToDaemon::Answer(None)).await.unwrap();
    assert_eq!(world.answer(early).await, []);
    assert_eq!(world.run("echo").await, here());
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_is_dropped_after_a_while() {
    let world = World::new(LONG);
    let silent = world.connect().await;
    let begun = Instant::now();
    assert_eq!(world.answer(silent).await, []);
    assert!(begun.elapsed() >= HELLO_TIME);
}

#[tokio::test]
async fn another_build_ends_the_daemon_when_running_calls_are_done() {
    let mut world = World::new(LONG);
    let running = world.call(world.hello(), "wait").await;
    world.work.begun.notified().await;

    let newer = Hello {
        build: "another".into(),
        ..world.hello()
    };
    let stream = world.call(newer, "echo").await;
    let answer = world.answer(stream).await;
    assert!(matches!(&answer[..], [ToClient::Refused(_)]), "{answer:?}");

    // The place is free for the next daemon while the call still runs.
    let gone = async {
        while world.places.socket.exists() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PROMPT, gone).await.expect("the socket is removed");
    assert_eq!(Nonces::read(&world.places.nonces()), None);
    assert!(!world.work.closed.load(Ordering::SeqCst));
    world.work.go_on.notify_one();
    let waited = [ToClient::Stdout(b"waited\n".to_vec()), ToClient::Exit(0)];
    assert_eq!(world.answer(running).await, waited);
    world.ended().await;
}

#[tokio::test]
async fn a_daemon_whose_place_was_taken_ends_and_leaves_the_other_alone() {
    let mut world = World::new(Duration::from_millis(50));
    world.work.busy.store(true, Ordering::SeqCst);
    fs::remove_file(&world.places.socket).unwrap();
    let other = Arc::new(Doubles::default());
    let second = world.daemon(LONG, &other);
    let nonces = world.nonces();
    world.ended().await;
    assert_eq!(world.nonces(), nonces);
    assert_eq!(world.run("echo").await, here());
    second.abort();
}

#[tokio::test]
async fn a_daemon_that_nobody_needs_ends_and_leaves_nothing() {
    let mut world = World::new(Duration::from_millis(20));
    world.ended().await;
    assert!(!world.places.socket.exists());
    assert!(!world.places.nonces().exists());
}

#[tokio::test(start_paused = true)]
async fn a_caller_or_an_open_server_keeps_the_daemon() {
    let idle_time = Duration::from_secs(10);
    let mut world = World::new(idle_time);
    let running = world.call(world.hello(), "wait").await;
    world.work.begun.notified().await;
    tokio::time::sleep(idle_time * 20).await;
    world.work.busy.store(true, Ordering::SeqCst);
    world.work.go_on.notify_one();
    assert_eq!(world.answer(running).await.len(), 2);
    tokio::time::sleep(idle_time * 20).await;
    assert!(!world.serving.as_ref().unwrap().is_finished());
    world.work.busy.store(false, Ordering::SeqCst);
    world.ended().await;
}

#[tokio::test]
async fn who_came_too_late_hears_no_greeting_and_may_ask_another() {
    let mut world = World::new(LONG);
    // Not let in: it waits in the queue while the door is closed.
    world.stop.notify_one();
    tokio::task::yield_now().await;
    let late = std::os::unix::net::UnixStream::connect(&world.places.socket);
    world.ended().await;
    if let Ok(late) = late {
        late.set_nonblocking(true).unwrap();
        let mut late = UnixStream::from_std(late).unwrap();
        let heard = receive::<ToClient>(&mut late).await;
        assert!(!matches!(heard, Ok(Some(_))), "{heard:?}");
    }
}

#[tokio::test]
async fn told_to_end_it_drops_its_callers_and_closes_its_servers() {
    let mut world = World::new(LONG);
    let running = world.call(world.hello(), "wait").await;
    world.work.begun.notified().await;
    world.stop.notify_one();
    world.ended().await;
    assert_eq!(world.answer(running).await, []);
    assert!(!world.places.socket.exists());
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_its_command() {
    let world = World::new(LONG);
    let running = world.call(world.hello(), "wait").await;
    world.work.begun.notified().await;
    drop(running);
    let cancelled = async {
        while world.work.cancelled.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PROMPT, cancelled)
        .await
        .expect("a cancelled command");
}

#[tokio::test]
async fn a_caller_without_a_home_is_told_so() {
    let world = World::new(LONG);
    let mut stream = world.connect().await;
    let invocation = Invocation {
        words: vec!["echo".into()],
        folder: "/".into(),
        environment: Environment::default(),
        stdin: Stdin::Nothing,
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        columns: None,
    };
    send(&mut stream, &ToDaemon::Hello(world.hello()))
        .await
        .unwrap();
    let invocation = ToDaemon::Invocation(Box::new(invocation));
    send(&mut stream, &invocation).await.unwrap();
    let answer = world.answer(stream).await;
    assert_eq!(answer.last(), Some(&ToClient::Exit(3)));
    assert!(
        matches!(&answer[0], ToClient::Stderr(text) if text.starts_with(b"mcpx: HOME is not set"))
    );
}

#[tokio::test]
async fn a_place_that_is_taken_is_not_taken_away() {
    let world = World::new(LONG);
    let nonces = world.nonces();
    let error = Door::open(world.places.clone()).unwrap_err();
    assert!(error.contains("mcpx.sock cannot be opened"), "{error}");
    assert_eq!(world.nonces(), nonces);
    assert_eq!(world.run("echo").await, here());
}

#[tokio::test]
async fn many_clients_at_once_are_all_served() {
    let world = Arc::new(World::new(LONG));
    let mut clients = JoinSet::new();
    for _ in 0..200 {
        let world = Arc::clone(&world);
        clients.spawn(async move { world.run("echo").await });
    }
    while let Some(answer) = clients.join_next().await {
        assert_eq!(answer.unwrap(), here());
    }
}
