//! The round trip is the identity for programs of every family: mcpx, talking to `argway
//! serve PROGRAM`, prints the bytes that PROGRAM prints, and succeeds and fails as it does.
//!
//! The tables beside this file say what is run. Nothing in them changes a file, and nothing
//! leaves the machine.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod clap;
mod files;
mod git;
mod go;
mod node;
mod python;
mod system;
mod unknown;
#[path = "../world/mod.rs"]
mod world;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use world::{World, sibling};

/// A program, and how it is called.
struct Subject {
    program: &'static str,
    rows: &'static [Row],
}

/// One invocation twice: the words for the program itself, and those for mcpx, the tool's
/// name first.
type Row = (&'static [&'static str], &'static [&'static str]);

const TABLES: [&[Subject]; 7] = [
    clap::TABLE,
    python::TABLE,
    node::TABLE,
    git::TABLE,
    system::TABLE,
    go::TABLE,
    unknown::TABLE,
];

/// What issues from fewer would say little of all programs.
const FEWEST_PROGRAMS: usize = 25;
const FEWEST_ROWS: usize = 60;

/// Programs that come out of packages of Debian's, a line each: program, package, name.
const PACKAGED: &str = include_str!("../../../../conformance/programs/debian.txt");

#[test]
fn mcpx_over_argway_is_the_program_itself() {
    let world = files::world();
    let present = subjects();
    for (subject, program) in &present {
        let served = ["serve", program.to_str().unwrap()];
        world.add(subject.program, sibling("argway"), &served);
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut differences = Vec::new();
        while let Some((subject, program)) = present.get(next.fetch_add(1, Ordering::Relaxed)) {
            read(&world, program);
            let pair = Pair {
                world: &world,
                program,
                server: subject.program,
            };
            differences.extend(subject.rows.iter().filter_map(|row| pair.difference(row)));
        }
        differences
    };
    let differences = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut all = work();
        all.extend(other.join().unwrap());
        all
    });
    assert!(
        differences.is_empty(),
        "{} calls differ:\n\n{}",
        differences.len(),
        differences.join("\n\n")
    );
}

#[test]
fn the_tables_show_enough() {
    let all = || TABLES.iter().copied().flatten();
    let programs: BTreeSet<&str> = all().map(|subject| subject.program).collect();
    assert_eq!(programs.len(), all().count(), "a program is there twice");
    assert!(programs.len() >= FEWEST_PROGRAMS, "{programs:?}");
    let rows: usize = all().map(|subject| subject.rows.len()).sum();
    assert!(rows >= FEWEST_ROWS, "{rows} rows");
}

/// The programs of the tables that are here, with their files.
fn subjects() -> Vec<(&'static Subject, PathBuf)> {
    let fetched = std::env::var_os("ARGWAY_PROGRAMS").map(PathBuf::from);
    let fetched = fetched.expect(
        "ARGWAY_PROGRAMS is not set: run ./scripts/test, or set it to what ./scripts/programs prints",
    );
    let mut present = Vec::new();
    let mut missing = Vec::new();
    for subject in TABLES.into_iter().flatten() {
        match find(&fetched, subject.program) {
            Some(file) => present.push((subject, file)),
            None if may_lack(subject.program) => {}
            None => missing.push(subject.program),
        }
    }
    assert!(
        missing.is_empty(),
        "not here: {missing:?}; ./scripts/programs fetches what is not the system's own"
    );
    let rows: usize = present.iter().map(|(subject, _)| subject.rows.len()).sum();
    assert!(present.len() >= FEWEST_PROGRAMS && rows >= FEWEST_ROWS);
    present
}

/// One that was fetched, or the system's own.
fn find(fetched: &Path, program: &str) -> Option<PathBuf> {
    std::iter::once(fetched.to_owned())
        .chain(search_path())
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

fn search_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// Whether a program may be missing: it comes out of a package, and there is no apt to get
/// packages with.
fn may_lack(program: &str) -> bool {
    let name = |line: &'static str| line.split_whitespace().last();
    let packaged = PACKAGED
        .lines()
        .any(|line| line.split_whitespace().next() == Some(program) || name(line) == Some(program));
    let apt = search_path()
        .iter()
        .any(|folder| folder.join("apt-get").is_file());
    packaged && !apt
}

/// What argway takes its time for is done before mcpx waits for it.
fn read(world: &World, program: &Path) {
    let argway = world.run(sibling("argway"));
    let words = ["describe".as_ref(), "--quiet".as_ref(), program.as_os_str()];
    argway.args(words).assert().success();
}

/// A program, and the same program by way of two protocols.
struct Pair<'a> {
    world: &'a World,
    program: &'a Path,
    server: &'a str,
}

impl Pair<'_> {
    /// Runs both, and says in what they differ.
    fn difference(&self, (words, mcpx): &Row) -> Option<String> {
        let own = self.world.run(self.program).args(*words).output();
        let through = self.world.call([&[self.server], *mcpx].concat()).output();
        let said = String::from_utf8_lossy(&through.stderr);
        let what = format!("{} {words:?}\nmcpx {mcpx:?}", self.server);
        // 2 and more are mcpx's own: the program was not even asked.
        if through.status.code().is_none_or(|code| code > 1) {
            return Some(format!("{what}\n{}: {said}", through.status));
        }
        if through.status.success() != own.status.success() {
            let complaint = String::from_utf8_lossy(&own.stderr);
            return Some(format!(
                "{what}\n{} itself: {complaint}\n{} through mcpx: {said}",
                own.status, through.status
            ));
        }
        (through.stdout != own.stdout).then(|| {
            format!(
                "{what}\nprints itself: {:?}\nthrough mcpx:  {:?}\n{said}",
                beginning(&own.stdout),
                beginning(&through.stdout),
            )
        })
    }
}

fn beginning(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(400)]).into_owned()
}
