//! What is on stdin: which kind it is, all of it, or only a look at how it begins.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Stat, fstat};
use rustix::io::Errno;

use super::system;
use crate::exit::Failure;
use crate::wire::{PIECE, STDIN_LIMIT, Stdin, StdinWish};

/// How long a silent pipe has to say something.
const PATIENCE: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_millis(5);

/// What reading stdin gave.
pub enum Taken {
    /// What there was to be had.
    Data(Option<Vec<u8>>),
    /// The daemon hung up while we read: it has nothing more to ask.
    Interrupted,
}

/// What stdin is.
pub fn kind() -> Stdin {
    match fstat(io::stdin()) {
        Ok(found) => kind_of(&found, || rustix::termios::isatty(io::stdin())),
        Err(_) => Stdin::Nothing,
    }
}

fn kind_of(found: &Stat, is_terminal: impl Fn() -> bool) -> Stdin {
    if FileType::from_raw_mode(found.st_mode) != FileType::CharacterDevice {
        return Stdin::Data;
    }
    if is_terminal() {
        return Stdin::Terminal;
    }
    match rustix::fs::stat("/dev/null") {
        Ok(null) if null.st_rdev == found.st_rdev => Stdin::Nothing,
        _ => Stdin::Data,
    }
}

/// Reads stdin as `wish` says; `daemon` is watched meanwhile.
pub fn take(wish: StdinWish, daemon: BorrowedFd<'_>) -> Result<Taken, Failure> {
    let stdin = io::stdin();
    let wanted = match (kind(), wish) {
        (Stdin::Nothing, _) | (Stdin::Terminal, StdinWish::IfObject) => false,
        (Stdin::Terminal | Stdin::Data, StdinWish::All) => true,
        (Stdin::Data, StdinWish::IfObject) => {
            let first =
                first_byte(stdin.as_fd()).map_err(|error| system("reading stdin", error))?;
            first == Some(b'{')
        }
    };
    match wanted {
        true => all(stdin.as_fd(), daemon, STDIN_LIMIT),
        false => Ok(Taken::Data(None)),
    }
}

fn all(stdin: BorrowedFd<'_>, daemon: BorrowedFd<'_>, limit: usize) -> Result<Taken, Failure> {
    let mut data = Vec::new();
    let mut piece = vec![0; PIECE];
    loop {
        let mut waiting = [
            PollFd::from_borrowed_fd(stdin, PollFlags::IN),
            // Only its end is of interest, which is always told.
            PollFd::from_borrowed_fd(daemon, PollFlags::empty()),
        ];
        match poll(&mut waiting, None) {
            Ok(_) if !waiting[1].revents().is_empty() => return Ok(Taken::Interrupted),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(system("waiting for stdin", error)),
        }
        match rustix::io::read(stdin, &mut piece) {
            Ok(0) => return Ok(Taken::Data(Some(data))),
            Ok(count) if data.len() + count > limit => {
                return Err(Failure::Usage(format!(
                    "stdin holds more than {} MiB",
                    limit >> 20
                )));
            }
            Ok(count) => data.extend_from_slice(&piece[..count]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(system("reading stdin", error)),
        }
    }
}

/// The first byte that is no JSON white space, now or in a moment. Nothing is taken out.
fn first_byte(stdin: BorrowedFd<'_>) -> Result<Option<u8>, Errno> {
    match FileType::from_raw_mode(fstat(stdin)?.st_mode) {
        FileType::RegularFile => first_in_file(stdin),
        FileType::Fifo => in_a_moment(stdin, look_into_pipe),
        FileType::Socket => in_a_moment(stdin, look_into_socket),
        _ => Ok(None),
    }
}

fn first_in_file(file: BorrowedFd<'_>) -> Result<Option<u8>, Errno> {
    let mut place = rustix::fs::tell(file)?;
    let mut piece = vec![0; PIECE];
    loop {
        let count = rustix::io::pread(file, &mut piece, place)?;
        if count == 0 {
            return Ok(None);
        }
        if let Some(byte) = beyond_space(&piece[..count]) {
            return Ok(Some(byte));
        }
        place += count as u64;
    }
}

fn beyond_space(bytes: &[u8]) -> Option<u8> {
    let mut bytes = bytes.iter().copied();
    bytes.find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// What a look shows of what waits to be read.
enum Look {
    /// It begins with this, or with more white space than anybody writes.
    Found(Option<u8>),
    /// Only white space so far, or nothing.
    NotYet,
}

fn in_a_moment(
    stdin: BorrowedFd<'_>,
    look: impl Fn(BorrowedFd<'_>) -> Result<Look, Errno>,
) -> Result<Option<u8>, Errno> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).map_err(|_| Errno::INVAL)?;
        let mut waiting = [PollFd::from_borrowed_fd(stdin, PollFlags::IN)];
        match poll(&mut waiting, Some(&timeout)) {
            Ok(0) => return Ok(None),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        match look(stdin) {
            Ok(Look::Found(byte)) => return Ok(byte),
            Ok(Look::NotYet) | Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        if left.is_zero() {
            return Ok(None);
        }
        // There is something, but it does not tell yet: polling would return at once.
        std::thread::sleep(PAUSE.min(left));
    }
}

#[cfg(target_os = "linux")]
fn look_into_pipe(pipe: BorrowedFd<'_>) -> Result<Look, Errno> {
    use rustix::pipe::{PipeFlags, SpliceFlags, pipe_with, tee};
    let (copy, into) = pipe_with(PipeFlags::CLOEXEC)?;
    let mut left = tee(pipe, &into, PIECE, SpliceFlags::NONBLOCK)?;
    if left == 0 {
        return Ok(Look::Found(None));
    }
    let full = left >= PIECE;
    let mut piece = vec![0; left];
    while left > 0 {
        let count = rustix::io::read(&copy, &mut piece)?;
        if let Some(byte) = beyond_space(&piece[..count]) {
            return Ok(Look::Found(Some(byte)));
        }
        left = left.saturating_sub(count.max(1));
    }
    Ok(match full {
        true => Look::Found(None),
        false => Look::NotYet,
    })
}

/// Elsewhere nobody can look into a pipe without taking something out of it.
#[cfg(not(target_os = "linux"))]
fn look_into_pipe(_: BorrowedFd<'_>) -> Result<Look, Errno> {
    Ok(Look::Found(None))
}

fn look_into_socket(socket: BorrowedFd<'_>) -> Result<Look, Errno> {
    use rustix::net::{RecvFlags, recv};
    let mut piece = vec![0; PIECE];
    let (count, _) = recv(
        socket,
        piece.as_mut_slice(),
        RecvFlags::PEEK | RecvFlags::DONTWAIT,
    )?;
    Ok(match beyond_space(&piece[..count]) {
        Some(byte) => Look::Found(Some(byte)),
        None if count == 0 || count == piece.len() => Look::Found(None),
        None => Look::NotYet,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::fs::File;
    use std::io::{Read, Seek, SeekFrom, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    fn first_of_file(text: &str, from: u64) -> Option<u8> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.seek(SeekFrom::Start(from)).unwrap();
        let first = first_byte(file.as_fd()).unwrap();
        assert_eq!(file.stream_position().unwrap(), from);
        first
    }

    fn first_of_pipe(text: &str) -> Option<u8> {
        let (reader, writer) = io::pipe().unwrap();
        first_of_stream(reader, writer, text)
    }

    fn first_of_socket(text: &str) -> Option<u8> {
        let (reader, writer) = UnixStream::pair().unwrap();
        first_of_stream(reader, writer, text)
    }

    fn first_of_stream(
        mut reader: impl Read + AsFd,
        mut writer: impl Write,
        text: &str,
    ) -> Option<u8> {
        writer.write_all(text.as_bytes()).unwrap();
        let first = first_byte(reader.as_fd()).unwrap();
        drop(writer);
        let mut left = String::new();
        reader.read_to_string(&mut left).unwrap();
        assert_eq!(left, text, "nothing was taken out");
        first
    }

    const BEGINNINGS: [(&str, Option<u8>); 5] = [
        ("{\"a\": 1}", Some(b'{')),
        (" \t\r\n {}", Some(b'{')),
        ("one\ntwo\n", Some(b'o')),
        ("", None),
        (" \n", None),
    ];

    #[test]
    fn a_file_is_looked_at_from_where_it_stands() {
        for (text, first) in BEGINNINGS {
            assert_eq!(first_of_file(text, 0), first, "{text:?}");
        }
        assert_eq!(first_of_file("line\n{}", 5), Some(b'{'));
        assert_eq!(
            first_of_file(&format!("{}{{", " ".repeat(PIECE * 2)), 0),
            Some(b'{')
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pipe_is_looked_into_without_taking_anything() {
        for (text, first) in BEGINNINGS {
            assert_eq!(first_of_pipe(text), first, "{text:?}");
        }
    }

    #[test]
    fn a_socket_is_looked_into_without_taking_anything() {
        for (text, first) in BEGINNINGS {
            assert_eq!(first_of_socket(text), first, "{text:?}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pipe_that_begins_with_space_has_a_moment_to_go_on() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"\n").unwrap();
        let first = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(PAUSE);
                writer.write_all(b"{}").unwrap();
            });
            first_byte(reader.as_fd()).unwrap()
        });
        assert_eq!(first, Some(b'{'));
    }

    #[test]
    fn all_of_stdin_ends_with_its_end_or_with_the_daemon() {
        let (daemon, other_end) = UnixStream::pair().unwrap();
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"{}").unwrap();
        drop(writer);
        let taken = all(reader.as_fd(), daemon.as_fd(), 2).unwrap();
        assert!(matches!(taken, Taken::Data(Some(data)) if data == b"{}"));

        let (reader, _open_and_silent) = io::pipe().unwrap();
        drop(other_end);
        let taken = all(reader.as_fd(), daemon.as_fd(), 2).unwrap();
        assert!(matches!(taken, Taken::Interrupted));
    }

    #[test]
    fn more_than_may_be_kept_is_an_error() {
        let (daemon, _other_end) = UnixStream::pair().unwrap();
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"abc").unwrap();
        let error = all(reader.as_fd(), daemon.as_fd(), 2).err().unwrap();
        assert!(matches!(error, Failure::Usage(_)), "{error}");
    }

    #[test]
    fn null_is_nothing_and_other_devices_are_data() {
        let kind = |path: &str| kind_of(&fstat(File::open(path).unwrap()).unwrap(), || false);
        assert_eq!(kind("/dev/null"), Stdin::Nothing);
        assert_eq!(kind("/dev/zero"), Stdin::Data);
        assert_eq!(kind("/"), Stdin::Data);
    }
}
