//! Attacks on what a machine has little of. `works` means that it had all of it at once.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::sys;
use super::words::{Attack, Words};

pub const ATTACKS: &[(&str, Attack)] = &[
    ("fork-bomb", fork_bomb),
    ("hold-private", hold_private),
    ("hold-shared", hold_shared),
    ("hold-tables", hold_tables),
    ("hold-in-many", hold_in_many),
    ("hold-memory-file", hold_memory_file),
    ("hold-shm-file", hold_shm_file),
    ("burn", burn),
    ("burn-in-many", burn_in_many),
    ("burn-in-turn", burn_in_turn),
    ("descriptors", descriptors),
    ("file", file),
    ("flood", flood),
];

/// Whatever happens, nothing of a hog is left after this.
const LONGEST: u32 = 60;
/// A hog keeps what it has for a moment; who frees it at once is none.
const HELD: Duration = Duration::from_millis(700);
const MEGABYTE: usize = 1024 * 1024;
const PAGE: usize = 4096;

fn touch(memory: &mut [u8]) {
    for page in memory.chunks_mut(PAGE) {
        page[0] = 1;
    }
    std::hint::black_box(memory);
}

/// Runs `task` in this many children at once; each ends by itself or with this process.
fn in_children(count: usize, task: impl Fn() -> io::Result<()>) -> io::Result<Vec<i32>> {
    let mut children = Vec::new();
    for _ in 0..count {
        match sys::fork() {
            Ok(Some(child)) => children.push(child),
            Ok(None) => {
                sys::end_after(LONGEST);
                sys::exit(i32::from(task().is_err()))
            }
            Err(error) => {
                end(&children);
                return Err(error);
            }
        }
    }
    Ok(children)
}

fn end(children: &[i32]) {
    for &child in children {
        if let Some(pid) = Pid::from_raw(child) {
            let _ = kill_process(pid, Signal::KILL);
            let _ = sys::wait(child);
        }
    }
}

/// Waits for all; an error if one of them did not do its task.
fn all_done(children: &[i32]) -> io::Result<()> {
    let mut statuses = Vec::new();
    for &child in children {
        statuses.push(sys::wait(child)?);
    }
    match statuses.iter().find(|&&status| status != 0) {
        Some(status) => Err(io::Error::other(format!("a child ended with {status}"))),
        None => Ok(()),
    }
}

fn fork_bomb(words: &Words) -> io::Result<String> {
    let count = words.number(0);
    let children = in_children(count, || {
        std::thread::sleep(Duration::from_secs(u64::from(LONGEST)));
        Ok(())
    })?;
    std::thread::sleep(HELD);
    end(&children);
    Ok(format!("{count} processes at once"))
}

fn hold(memory: &mut [u8]) {
    touch(memory);
    std::thread::sleep(HELD);
}

fn hold_private(words: &Words) -> io::Result<String> {
    hold(sys::map(words.number::<usize>(0) * MEGABYTE, false, None)?);
    Ok(format!("held {} MB", words.text(0)))
}

fn hold_shared(words: &Words) -> io::Result<String> {
    hold(sys::map(words.number::<usize>(0) * MEGABYTE, true, None)?);
    Ok(format!("held {} MB that are shared", words.text(0)))
}

/// Memory that is no page of any process: a page of notes for every 2 MB of addresses.
fn hold_tables(words: &Words) -> io::Result<String> {
    const NOTED_BY_A_PAGE: usize = 2 * MEGABYTE;
    let pages = words.number::<usize>(0) * MEGABYTE / PAGE;
    sys::look_around(pages * NOTED_BY_A_PAGE, NOTED_BY_A_PAGE)?;
    std::thread::sleep(HELD);
    Ok(format!("held {} MB of notes on memory", words.text(0)))
}

fn hold_in_many(words: &Words) -> io::Result<String> {
    let length = words.number::<usize>(1) * MEGABYTE;
    let children = in_children(words.number(0), || {
        hold(sys::map(length, false, None)?);
        Ok(())
    })?;
    all_done(&children)?;
    Ok(format!("held {} times {} MB", words.text(0), words.text(1)))
}

fn hold_memory_file(words: &Words) -> io::Result<String> {
    let number = sys::call(libc::SYS_memfd_create, &[sys::text(c"hog"), 0])?;
    fill(File::from(sys::owned(number)?), words.number(0))?;
    Ok(format!("held {} MB in a file of memory", words.text(0)))
}

fn hold_shm_file(words: &Words) -> io::Result<String> {
    let path = format!("/dev/shm/attack-{}", std::process::id());
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)?;
    fs::remove_file(&path)?;
    fill(file, words.number(0))?;
    Ok(format!("held {} MB in /dev/shm", words.text(0)))
}

fn fill(file: File, megabytes: u64) -> io::Result<()> {
    file.set_len(megabytes * MEGABYTE as u64)?;
    let length = usize::try_from(megabytes).map_err(io::Error::other)? * MEGABYTE;
    hold(sys::map(length, true, Some(file.as_raw_fd()))?);
    Ok(())
}

/// Computes for so many milliseconds of this process' own time.
fn burn_for(milliseconds: u64) -> io::Result<()> {
    const OWN_TIME: usize = 2;
    let mut spent = [0_u64; 2];
    let begun = Instant::now();
    while spent[0] * 1000 + spent[1] / 1_000_000 < milliseconds {
        std::hint::black_box((0..100_000_u64).fold(0, u64::wrapping_add));
        sys::call(libc::SYS_clock_gettime, &[OWN_TIME, sys::place(&mut spent)])?;
        if begun.elapsed() > Duration::from_secs(u64::from(LONGEST)) {
            return Err(io::Error::other("it got no processor"));
        }
    }
    Ok(())
}

fn burn(words: &Words) -> io::Result<String> {
    burn_for(words.number(0))?;
    Ok(format!("computed for {} ms", words.text(0)))
}

fn burn_in_many(words: &Words) -> io::Result<String> {
    let time = words.number(1);
    all_done(&in_children(words.number(0), || burn_for(time))?)?;
    Ok(format!("{} computed for {time} ms each", words.text(0)))
}

fn burn_in_turn(words: &Words) -> io::Result<String> {
    let time = words.number(1);
    for _ in 0..words.number(0) {
        all_done(&in_children(1, || burn_for(time))?)?;
    }
    Ok(format!("{} computed for {time} ms in turn", words.text(0)))
}

fn descriptors(words: &Words) -> io::Result<String> {
    let mut open = Vec::new();
    for _ in 0..words.number(0) {
        open.push(File::open("/dev/null")?);
    }
    Ok(format!("{} files open", open.len()))
}

/// A file of so many megabytes, most of them a hole.
fn file(words: &Words) -> io::Result<String> {
    let mut file = File::create("hog")?;
    file.seek(SeekFrom::Start(words.number::<u64>(0) * MEGABYTE as u64))?;
    file.write_all(b"!")?;
    fs::remove_file("hog")?;
    Ok(format!("a file of {} MB", words.text(0)))
}

fn flood(words: &Words) -> io::Result<String> {
    let line = [b"0123456789abcde\n".repeat(MEGABYTE / 16)].concat();
    let mut out = io::stdout().lock();
    for _ in 0..words.number::<u64>(0) {
        out.write_all(&line)?;
    }
    Ok(format!("printed {} MB", words.text(0)))
}
