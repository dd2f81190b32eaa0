//! Attempts to stay when all should end. Each process shows the token among its words,
//! by which a test counts them; each ends by itself after some minutes all the same.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, kill_process, setsid};

use super::sys;
use super::words::{Attack, Words, say};

pub const ATTACKS: &[(&str, Attack)] = &[
    ("linger", linger),
    ("sleeper", sleeper),
    ("keep-secret", keep_secret),
    ("find-secret", find_secret),
];

const LONGEST: u32 = 120;
const DEAF_TO: [i32; 8] = [
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGPIPE,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGXCPU,
];

/// `linger KIND TOKEN stay|leave`: lets something linger; itself stays as well, or ends.
fn linger(words: &Words) -> io::Result<String> {
    sys::end_after(LONGEST);
    match words.text(0) {
        "double-fork" => leave_behind(words.text(1))?,
        "session" => in_child(|| {
            setsid()?;
            Ok(())
        })?,
        "deaf" => {
            sys::ignore(&DEAF_TO);
            in_child(|| Ok(()))?;
        }
        "stopped" => in_child(|| Ok(kill_process(getpid(), Signal::STOP)?))?,
        "escaped" => escape(words.text(1))?,
        "forking" => in_child(fork_on)?,
        other => {
            let _ = super::words::misused(&format!("nobody lingers by `{other}`"));
            std::process::exit(64)
        }
    }
    say("lingers");
    match words.text(2) {
        "stay" if words.text(0) == "stopped" => kill_process(getpid(), Signal::STOP)?,
        "stay" => {}
        _ => return Ok("left something behind".to_owned()),
    }
    sleep()
}

fn sleeper(_: &Words) -> io::Result<String> {
    sys::end_after(LONGEST);
    sys::ignore(&DEAF_TO);
    let _ = setsid();
    sleep()
}

fn sleep() -> io::Result<String> {
    std::thread::sleep(Duration::from_secs(u64::from(LONGEST)));
    Ok("slept to the end".to_owned())
}

/// A child that prepares itself and then sleeps, without the streams of this one.
fn in_child(prepare: impl Fn() -> io::Result<()>) -> io::Result<()> {
    if sys::fork()?.is_none() {
        sys::end_after(LONGEST);
        drop_streams();
        let _ = prepare().and_then(|()| sleep());
        sys::exit(0);
    }
    Ok(())
}

/// What a daemon does: a session of its own, and no parent.
pub fn leave_behind(_token: &str) -> io::Result<()> {
    let Some(child) = sys::fork()? else {
        let _ = setsid();
        let _ = in_child(|| Ok(()));
        sys::exit(0)
    };
    sys::wait(child)?;
    Ok(())
}

/// Another group, another session, no variable of the caller, no common descriptor.
fn escape(token: &str) -> io::Result<()> {
    let own = fs::read_link("/proc/self/exe")?;
    Command::new(own)
        .args(["sleeper", token])
        .env_clear()
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(())
}

/// Each generation starts the next and ends: whoever looks for it, looks too late.
fn fork_on() -> io::Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        if sys::fork()?.is_some() {
            sys::exit(0);
        }
        sys::end_after(LONGEST);
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn drop_streams() {
    for stream in 0..3 {
        let _ = sys::call(libc::SYS_close, &[stream]);
    }
}

/// `keep-secret SECRET [FILE]`: keeps a secret in its temporary folder, says where, and
/// waits until it is ended.
fn keep_secret(words: &Words) -> io::Result<String> {
    let secret = std::env::temp_dir().join("kept");
    fs::write(&secret, words.text(0))?;
    let place = secret.display().to_string();
    say(&place);
    if let Some(file) = words.from(1).first() {
        // Whole at once for whoever waits for it.
        fs::write("place-for-now", place)?;
        fs::rename("place-for-now", file)?;
    }
    sleep()
}

/// `find-secret FILE SECRET`: where it was said to be, and everywhere around the own
/// temporary folder.
fn find_secret(words: &Words) -> io::Result<String> {
    let own = std::env::temp_dir();
    let around = [
        own.parent(),
        Some(Path::new("/tmp")),
        words.path(0).parent(),
    ];
    let mut candidates = vec![words.path(0).to_owned()];
    for folder in around.into_iter().flatten() {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        candidates.extend(entries.take(1000).map(|entry| entry.path().join("kept")));
    }
    let holds = |file: &&PathBuf| fs::read(file).is_ok_and(|text| text == words.text(1).as_bytes());
    match candidates.iter().find(holds) {
        Some(file) => Ok(format!("{} holds it", file.display())),
        None => Err(io::Error::other("it is nowhere to be seen")),
    }
}
