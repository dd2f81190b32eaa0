//! Attacks on files: outside of the working directory, and those inside that would
//! become code outside.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, FileType, Mode, XattrFlags, inotify, mknodat, setxattr};

use super::sys;
use super::words::{Attack, Words};

pub const ATTACKS: &[(&str, Attack)] = &[
    ("read", read),
    ("list", list),
    ("write", write),
    ("append", append),
    ("open-for-writing", open_for_writing),
    ("truncate", truncate),
    ("remove", remove),
    ("make-folder", make_folder),
    ("read-through-symlink", read_through_symlink),
    ("write-through-symlink", write_through_symlink),
    ("hard-link", hard_link),
    ("move-out", move_out),
    ("move-in", move_in),
    ("chmod", chmod),
    ("touch", touch),
    ("setxattr", set_attribute),
    ("stat", stat),
    ("readlink", read_link),
    ("enter", enter),
    ("watch", watch),
    ("execute", execute),
    ("mark-setuid", mark_setuid),
    ("give-away", give_away),
    ("grant-capability", grant_capability),
    ("device", device),
    ("pipe-in-the-way", pipe_in_the_way),
    ("reopen", reopen),
    ("open-by-handle", open_by_handle),
    ("lease", lease),
    ("swap-symlinks", swap_symlinks),
    ("move-git", move_git),
    ("link-git", link_git),
    ("link-hook", link_hook),
    ("remove-tree", remove_tree),
    ("own-program", own_program),
];

fn said(what: &str, path: &Path) -> String {
    format!("{what} {}", path.display())
}

fn read(words: &Words) -> io::Result<String> {
    let mut bytes = [0; 64];
    match File::open(words.path(0))?.read(&mut bytes)? {
        0 => Err(io::Error::other("nothing is in there")),
        count => Ok(format!("{count} bytes of {}", words.text(0))),
    }
}

fn list(words: &Words) -> io::Result<String> {
    let count = fs::read_dir(words.path(0))?.count();
    match count {
        0 => Err(io::Error::other("nothing is in there")),
        _ => Ok(format!("{count} entries of {}", words.text(0))),
    }
}

fn write(words: &Words) -> io::Result<String> {
    fs::write(words.path(0), "evil")?;
    Ok(said("wrote", words.path(0)))
}

fn append(words: &Words) -> io::Result<String> {
    let mut file = OpenOptions::new().append(true).open(words.path(0))?;
    file.write_all(b"\nevil\n")?;
    Ok(said("added to", words.path(0)))
}

fn open_for_writing(words: &Words) -> io::Result<String> {
    OpenOptions::new().write(true).open(words.path(0))?;
    Ok(said("could write", words.path(0)))
}

fn truncate(words: &Words) -> io::Result<String> {
    let path = std::ffi::CString::new(words.text(0))?;
    sys::call(libc::SYS_truncate, &[sys::text(&path), 0])?;
    Ok(said("emptied", words.path(0)))
}

fn remove(words: &Words) -> io::Result<String> {
    fs::remove_file(words.path(0))?;
    Ok(said("removed", words.path(0)))
}

fn make_folder(words: &Words) -> io::Result<String> {
    fs::create_dir(words.path(0))?;
    Ok(said("made", words.path(0)))
}

fn read_through_symlink(words: &Words) -> io::Result<String> {
    symlink(words.path(0), "innocent")?;
    let text = fs::read("innocent")?;
    Ok(format!("{} bytes by a symlink", text.len()))
}

fn write_through_symlink(words: &Words) -> io::Result<String> {
    symlink(words.path(0), "innocent")?;
    fs::write("innocent", "evil")?;
    Ok(said("wrote by a symlink", words.path(0)))
}

fn hard_link(words: &Words) -> io::Result<String> {
    fs::hard_link(words.path(0), "innocent")?;
    let text = fs::read("innocent")?;
    Ok(format!("{} bytes by a hard link", text.len()))
}

fn move_out(words: &Words) -> io::Result<String> {
    fs::write("loot", "loot")?;
    fs::rename("loot", words.path(0))?;
    Ok(said("moved a file to", words.path(0)))
}

fn move_in(words: &Words) -> io::Result<String> {
    fs::rename(words.path(0), "loot")?;
    Ok(said("moved here:", words.path(0)))
}

fn chmod(words: &Words) -> io::Result<String> {
    fs::set_permissions(words.path(0), fs::Permissions::from_mode(0o666))?;
    Ok(said("opened to everyone:", words.path(0)))
}

fn touch(words: &Words) -> io::Result<String> {
    let path = std::ffi::CString::new(words.text(0))?;
    // Both times the first of January 2001.
    let mut times = [978_307_200_i64, 0, 978_307_200, 0];
    let here = usize::MAX - 99;
    let words_of = [here, sys::text(&path), sys::place(&mut times), 0];
    sys::call(libc::SYS_utimensat, &words_of)?;
    Ok(said("made older:", words.path(0)))
}

fn set_attribute(words: &Words) -> io::Result<String> {
    setxattr(words.path(0), "user.attack", b"evil", XattrFlags::empty())?;
    Ok(said("marked", words.path(0)))
}

fn stat(words: &Words) -> io::Result<String> {
    let length = fs::metadata(words.path(0))?.len();
    Ok(format!("{} is {length} bytes long", words.text(0)))
}

fn read_link(words: &Words) -> io::Result<String> {
    Ok(said("a link to", &fs::read_link(words.path(0))?))
}

fn enter(words: &Words) -> io::Result<String> {
    std::env::set_current_dir(words.path(0))?;
    Ok(said("stands in", words.path(0)))
}

fn watch(words: &Words) -> io::Result<String> {
    let watcher = inotify::init(inotify::CreateFlags::CLOEXEC)?;
    inotify::add_watch(&watcher, words.path(0), inotify::WatchFlags::ALL_EVENTS)?;
    Ok(said("hears every change of", words.path(0)))
}

fn execute(words: &Words) -> io::Result<String> {
    let output = std::process::Command::new(words.path(0)).output()?;
    match output.status.success() {
        true => Ok(said("ran", words.path(0))),
        false => Err(io::Error::other(output.status.to_string())),
    }
}

fn mark_setuid(_: &Words) -> io::Result<String> {
    fs::write("raised", "#!/bin/sh\n")?;
    fs::set_permissions("raised", fs::Permissions::from_mode(0o4755))?;
    let mode = fs::metadata("raised")?.permissions().mode();
    match mode & 0o4000 {
        0 => Err(io::Error::other("the bit was dropped")),
        _ => Ok("a file here is set-user-ID".to_owned()),
    }
}

fn give_away(_: &Words) -> io::Result<String> {
    fs::write("gift", "gift")?;
    chown("gift", Some(1), Some(1))?;
    Ok("a file here is somebody else's".to_owned())
}

fn grant_capability(_: &Words) -> io::Result<String> {
    fs::write("capable", "#!/bin/sh\n")?;
    // Version 2, effective: CAP_NET_RAW.
    let mut value = vec![1, 0, 0, 2];
    value.extend([0, 0x20, 0, 0].into_iter().chain([0; 12]));
    setxattr(
        "capable",
        "security.capability",
        &value,
        XattrFlags::empty(),
    )?;
    Ok("a file here gives a capability".to_owned())
}

fn device(words: &Words) -> io::Result<String> {
    let (kind, major, minor) = match words.text(0) {
        "block" => (FileType::BlockDevice, 7, 0),
        _ => (FileType::CharacterDevice, 1, 1),
    };
    let number = rustix::fs::makedev(major, minor);
    mknodat(CWD, "device", kind, Mode::from_raw_mode(0o600), number)?;
    Ok(format!("made a {} device", words.text(0)))
}

fn pipe_in_the_way(words: &Words) -> io::Result<String> {
    mknodat(
        CWD,
        words.path(0),
        FileType::Fifo,
        Mode::from_raw_mode(0o644),
        0,
    )?;
    Ok(said("whoever reads this waits for ever:", words.path(0)))
}

/// Opens what may only be read a second time, by its descriptor, for writing.
fn reopen(words: &Words) -> io::Result<String> {
    let file = File::open(words.path(0))?;
    let again = format!("/proc/self/fd/{}", file.as_raw_fd());
    let mut again = OpenOptions::new().append(true).open(again)?;
    again.write_all(b"\n# evil\n")?;
    Ok(said("wrote through a descriptor:", words.path(0)))
}

/// A file's handle is good for any mount of its file system, whatever can be seen of it.
fn open_by_handle(words: &Words) -> io::Result<String> {
    // Its length, its kind, and room for it.
    let mut handle = [0_u8; 136];
    handle[..4].copy_from_slice(&128_u32.to_ne_bytes());
    let mut mount = 0_i32;
    let path = std::ffi::CString::new(words.path(0).as_os_str().as_bytes())?;
    let here = usize::MAX - 99;
    let handle_at = sys::bytes(&mut handle);
    let wanted = [here, sys::text(&path), handle_at, sys::place(&mut mount), 0];
    sys::call(libc::SYS_name_to_handle_at, &wanted)?;
    let folder = File::open(".")?;
    let descriptor = usize::try_from(folder.as_raw_fd()).map_err(io::Error::other)?;
    sys::call(libc::SYS_open_by_handle_at, &[descriptor, handle_at, 0])?;
    Ok(said("opened by its handle:", words.path(0)))
}

/// Whoever wants to change the file waits for whoever has a lease on it. Given back at once.
fn lease(words: &Words) -> io::Result<String> {
    const SET_LEASE: usize = 1024;
    const READ: usize = 0;
    const NONE: usize = 2;
    let file = File::open(words.path(0))?;
    let descriptor = usize::try_from(file.as_raw_fd()).map_err(io::Error::other)?;
    sys::call(libc::SYS_fcntl, &[descriptor, SET_LEASE, READ])?;
    sys::call(libc::SYS_fcntl, &[descriptor, SET_LEASE, NONE])?;
    Ok(said("could make others wait for", words.path(0)))
}

/// One thread swaps a file with a symlink that leads out, another reads.
fn swap_symlinks(words: &Words) -> io::Result<String> {
    const ROUNDS: usize = 20_000;
    let wanted = words.path(0);
    fs::write("calm", "calm")?;
    symlink(wanted, "way-out")?;
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let flags = rustix::fs::RenameFlags::EXCHANGE;
                let _ = rustix::fs::renameat_with(CWD, "calm", CWD, "way-out", flags);
            }
        });
        let won = (0..ROUNDS).find(|_| fs::read("calm").is_ok_and(|text| text != b"calm"));
        done.store(true, Ordering::Relaxed);
        match won {
            Some(round) => Ok(format!("read {} in round {round}", wanted.display())),
            None => Err(io::Error::other(format!("{ROUNDS} rounds were lost"))),
        }
    })
}

fn move_git(_: &Words) -> io::Result<String> {
    fs::rename(".git", ".git-before")?;
    fs::create_dir_all(".git/hooks")?;
    fs::write(".git/hooks/post-commit", "#!/bin/sh\necho evil\n")?;
    Ok("another .git is in its place".to_owned())
}

fn link_git(_: &Words) -> io::Result<String> {
    fs::create_dir_all("elsewhere/hooks")?;
    fs::rename(".git", ".git-before")?;
    symlink("elsewhere", ".git")?;
    Ok(".git is a symlink".to_owned())
}

fn link_hook(_: &Words) -> io::Result<String> {
    fs::hard_link(".git/hooks/pre-commit", "innocent")?;
    fs::write("innocent", "#!/bin/sh\necho evil\n")?;
    Ok("a hook was written under another name".to_owned())
}

fn remove_tree(words: &Words) -> io::Result<String> {
    fs::remove_dir_all(words.path(0))?;
    Ok(said("removed all of", words.path(0)))
}

/// Whoever can put a file beside the program can replace it.
fn own_program(_: &Words) -> io::Result<String> {
    let own = fs::read_link("/proc/self/exe")?;
    if OpenOptions::new()
        .write(true)
        .open("/proc/self/exe")
        .is_ok()
    {
        return Ok(said("could write", &own));
    }
    let fresh = own.with_extension(format!("evil-{}", std::process::id()));
    fs::write(&fresh, "#!/bin/sh\necho evil\n")?;
    fs::remove_file(&fresh)?;
    Ok(said("could replace", &own))
}
