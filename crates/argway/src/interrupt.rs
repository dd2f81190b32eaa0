//! What a signal does while programs are read: everything that reading started ends
//! before this process does.
//!
//! A call and a server have their own way to end and listen for signals themselves.

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use argway_serve::{exec, probe};
use tokio::signal::unix::{SignalKind, signal};

/// How many readings are under way.
static READING: AtomicUsize = AtomicUsize::new(0);

/// While it lives, a signal ends what is being read and then this process.
#[derive(Debug)]
pub struct Reading(());

impl Reading {
    /// Starts to listen. Handlers stay for good, so the listener does too.
    pub fn begin() -> Self {
        static LISTENING: Once = Once::new();
        READING.fetch_add(1, Ordering::SeqCst);
        let (ready, listening) = std::sync::mpsc::channel();
        LISTENING.call_once(|| {
            std::thread::spawn(move || listen(&ready));
            let _ = listening.recv();
        });
        Self(())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        READING.fetch_sub(1, Ordering::SeqCst);
    }
}

fn listen(ready: &std::sync::mpsc::Sender<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else { return };
    loop {
        let ended = runtime.block_on(end_signal(|| {
            let _ = ready.send(());
        }));
        let Ok(number) = ended else { return };
        let reading = READING.load(Ordering::SeqCst) > 0;
        if reading {
            probe::abandon();
        } else if exec::any_under_way() {
            // A call, which hears the same signal.
            continue;
        }
        std::process::exit(128 + i32::from(number));
    }
}

/// The number of the first signal that asks us to end; `ready` is called once it
/// cannot be missed any more.
pub async fn end_signal(ready: impl FnOnce()) -> std::io::Result<u8> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    ready();
    Ok(tokio::select! {
        _ = interrupt.recv() => 2,
        _ = terminate.recv() => 15,
        _ = hang_up.recv() => 1,
    })
}
