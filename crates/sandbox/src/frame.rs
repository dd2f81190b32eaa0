//! What the server and a launcher say to each other.
//!
//! The order lies in a file on descriptor 4, as large as it needs to be; the socket on
//! descriptor 3 carries single bytes to the launcher (asks) and reports back. Bytes,
//! not JSON: words and paths need not be text. Nothing here trusts a length.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use argway_core::policy::{Enforcement, Exceeded, Resources, Tier};
use rustix::io::Errno;

use crate::layers::LayerError;
use crate::view::View;

/// The descriptor that a launcher finds the socket on.
pub const CONTROL: i32 = 3;
/// The descriptor that a launcher finds its order on.
pub const ORDER: i32 = 4;
/// Asks everything to end.
pub const ASK: u8 = b'A';
/// To a ward: runs what the descriptors say that come with it, which are those of a launcher.
pub const RUN: u8 = b'R';
/// How many those are: the program's streams, the socket, the order.
pub const DESCRIPTORS: usize = 5;

/// No system takes words and variables of this size.
pub const LARGEST_ORDER: usize = 32 << 20;
/// Reports are a few sentences.
const LARGEST_REPORT: usize = 64 << 10;
/// A longer sentence is cut.
const LONGEST_SENTENCE: usize = 2 << 10;
/// So many sentences in one report.
const MOST_SENTENCES: usize = 24;

/// What a launcher is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Not one run: a ward, for others with this view.
    pub ward: bool,
    /// Which layers.
    pub tier: Tier,
    /// Go on without layers that are not to be had.
    pub best_effort: bool,
    /// The file to run.
    pub program: PathBuf,
    /// By which path that file is found from within the view.
    pub file: PathBuf,
    /// The words after it.
    pub words: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Which files it may reach, and where it runs.
    pub view: View,
    /// Whether it may use the network.
    pub network: bool,
    /// How much it may use.
    pub resources: Resources,
    /// A cgroup v2 folder that was delegated to us, where there is one.
    pub cgroup: Option<PathBuf>,
}

/// What a launcher says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// The program runs; this is what holds.
    Started(Enforcement),
    /// It was not started: this layer, or the program itself, could not be had.
    Refused {
        /// Which layer, as `doctor` names it; empty where the program could not be executed.
        layer: String,
        /// What failed, with the system's reason.
        what: String,
        /// How to allow it.
        remedy: String,
        /// The system's error number.
        errno: i32,
    },
    /// The program ended with this wait status; nothing that it started is left.
    Ended(i32),
    /// It used too much and is being ended.
    Exceeded(Exceeded),
    /// The program ended and others that it had started did not: they were ended.
    Leftovers,
}

impl Report {
    /// Whether it says that the strict tier is not to be had here at all, so that the
    /// portable one may take its place. A path that cannot be bound is something else.
    pub fn lets_portable_take_over(&self) -> bool {
        const NOT_ALLOWED: [Errno; 7] = [
            Errno::PERM,
            Errno::ACCESS,
            Errno::NOSYS,
            Errno::INVAL,
            // A /proc that only shows, where maps cannot be written.
            Errno::ROFS,
            // A limit on their number, which may be zero.
            Errno::NOSPC,
            Errno::USERS,
        ];
        let Self::Refused { layer, errno, .. } = self else {
            return false;
        };
        layer.ends_with("namespace") && NOT_ALLOWED.iter().any(|not| not.raw_os_error() == *errno)
    }
}

impl From<&LayerError> for Report {
    fn from(error: &LayerError) -> Self {
        Self::Refused {
            layer: error.layer.to_owned(),
            what: error.what.clone(),
            remedy: error.remedy.clone(),
            errno: error.errno,
        }
    }
}

/// What the program's process tells its supervisor before it becomes the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// A promise that is not kept.
    Gap(String),
    /// A layer that failed and that best effort goes on without.
    Without(String),
    /// All layers are on: what comes next is the program.
    Ready,
    /// It will not become the program, for the reason in this report.
    Refused(Report),
}

/// Bytes that are not what they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the sandbox's launcher and its server do not understand each other: {0}")]
pub struct FrameError(&'static str);

impl Order {
    /// The bytes that [`Order::decode`] reads.
    pub fn encode(&self) -> Result<Vec<u8>, FrameError> {
        let mut to = Writer::default();
        to.flag(self.ward);
        to.tier(self.tier);
        to.flag(self.best_effort);
        to.path(&self.program);
        to.path(&self.file);
        to.list(&self.words, |to, word| to.bytes(word.as_bytes()));
        to.list(&self.environment, |to, (name, value)| {
            to.bytes(name.as_bytes());
            to.bytes(value.as_bytes());
        });
        let view = &self.view;
        to.flag(view.everything);
        for paths in [&view.readable, &view.writable, &view.protected] {
            to.list(paths, |to, path| to.path(path));
        }
        for path in [&view.directory, &view.temporary, &view.home] {
            to.path(path);
        }
        to.flag(self.network);
        for number in numbers(&self.resources) {
            to.long(number);
        }
        to.list(self.cgroup.as_slice(), |to, path| to.path(path));
        match to.0.len() <= LARGEST_ORDER {
            true => Ok(to.0),
            false => Err(FrameError("the words and variables are too many")),
        }
    }

    /// The order that was encoded; an error for anything else.
    pub fn decode(bytes: &[u8]) -> Result<Self, FrameError> {
        if bytes.len() > LARGEST_ORDER {
            return Err(FrameError("the order is too long"));
        }
        let mut from = Reader(bytes);
        let order = Self {
            ward: from.flag()?,
            tier: from.tier()?,
            best_effort: from.flag()?,
            program: from.path()?,
            file: from.path()?,
            words: from.list(|from| from.string())?,
            environment: from.list(|from| Ok((from.string()?, from.string()?)))?,
            view: View {
                everything: from.flag()?,
                readable: from.list(Reader::path)?,
                writable: from.list(Reader::path)?,
                protected: from.list(Reader::path)?,
                directory: from.path()?,
                temporary: from.path()?,
                home: from.path()?,
            },
            network: from.flag()?,
            resources: Resources {
                cpu_seconds: from.long()?,
                memory_mb: from.long()?,
                open_files: from.long()?,
                processes: from.long()?,
                file_mb: from.long()?,
                output_mb: from.long()?,
            },
            cgroup: from.list(Reader::path)?.pop(),
        };
        from.end()?;
        Ok(order)
    }
}

/// In the order in which [`Order::decode`] reads them.
fn numbers(resources: &Resources) -> [u64; 6] {
    [
        resources.cpu_seconds,
        resources.memory_mb,
        resources.open_files,
        resources.processes,
        resources.file_mb,
        resources.output_mb,
    ]
}

/// Something that goes over a socket with its length before it.
pub(crate) trait Message: Sized {
    fn write(&self, to: &mut Writer);
    fn read(from: &mut Reader) -> Result<Self, FrameError>;

    /// The whole frame.
    fn frame(&self) -> Vec<u8> {
        let mut to = Writer(vec![0; 4]);
        self.write(&mut to);
        let length = u32::try_from(to.0.len() - 4).unwrap_or(u32::MAX);
        to.0[..4].copy_from_slice(&length.to_le_bytes());
        to.0
    }
}

impl Message for Report {
    fn write(&self, to: &mut Writer) {
        match self {
            Self::Started(enforcement) => {
                to.0.push(0);
                to.tier(enforcement.tier);
                let most = enforcement.gaps.len().min(MOST_SENTENCES);
                to.list(&enforcement.gaps[..most], |to, gap| to.sentence(gap));
            }
            Self::Refused {
                layer,
                what,
                remedy,
                errno,
            } => {
                to.0.push(1);
                for text in [layer, what, remedy] {
                    to.sentence(text);
                }
                to.number(*errno);
            }
            Self::Ended(status) => {
                to.0.push(2);
                to.number(*status);
            }
            Self::Exceeded(what) => to.0.extend([
                3,
                match what {
                    Exceeded::Cpu => 0,
                    Exceeded::Memory => 1,
                    Exceeded::Processes => 2,
                },
            ]),
            Self::Leftovers => to.0.push(4),
        }
    }

    fn read(from: &mut Reader) -> Result<Self, FrameError> {
        Ok(match from.byte()? {
            0 => Self::Started(Enforcement {
                tier: from.tier()?,
                gaps: from.list(Reader::sentence)?,
            }),
            1 => Self::Refused {
                layer: from.sentence()?,
                what: from.sentence()?,
                remedy: from.sentence()?,
                errno: from.number()?,
            },
            2 => Self::Ended(from.number()?),
            3 => Self::Exceeded(match from.byte()? {
                0 => Exceeded::Cpu,
                1 => Exceeded::Memory,
                2 => Exceeded::Processes,
                _ => return Err(FrameError("an unknown bound")),
            }),
            4 => Self::Leftovers,
            _ => return Err(FrameError("an unknown report")),
        })
    }
}

impl Message for Step {
    fn write(&self, to: &mut Writer) {
        match self {
            Self::Gap(text) => {
                to.0.push(0);
                to.sentence(text);
            }
            Self::Without(text) => {
                to.0.push(1);
                to.sentence(text);
            }
            Self::Ready => to.0.push(2),
            Self::Refused(report) => {
                to.0.push(3);
                report.write(to);
            }
        }
    }

    fn read(from: &mut Reader) -> Result<Self, FrameError> {
        Ok(match from.byte()? {
            0 => Self::Gap(from.sentence()?),
            1 => Self::Without(from.sentence()?),
            2 => Self::Ready,
            3 => Self::Refused(Report::read(from)?),
            _ => return Err(FrameError("an unknown step")),
        })
    }
}

/// Puts messages together from the pieces in which they arrive.
#[derive(Debug, Default)]
pub(crate) struct Inbox(Vec<u8>);

impl Inbox {
    /// Takes what arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The next whole message, if it is there.
    pub fn next<M: Message>(&mut self) -> Result<Option<M>, FrameError> {
        let Some(length) = self.0.first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > LARGEST_REPORT {
            return Err(FrameError("a report is too long"));
        }
        let Some(payload) = self.0.get(4..4 + length) else {
            return Ok(None);
        };
        let mut from = Reader(payload);
        let message = M::read(&mut from)?;
        from.end()?;
        self.0.drain(..4 + length);
        Ok(Some(message))
    }
}

/// Numbers are little-endian; strings and lists have their length before them.
#[derive(Debug, Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }

    fn number(&mut self, number: i32) {
        self.0.extend(number.to_le_bytes());
    }

    fn long(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn length(&mut self, length: usize) {
        // What does not fit makes the whole too long, which `Order::encode` refuses.
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.0.extend(length.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    fn sentence(&mut self, text: &str) {
        self.bytes(&text.as_bytes()[..text.floor_char_boundary(LONGEST_SENTENCE)]);
    }

    fn path(&mut self, path: &Path) {
        self.bytes(path.as_os_str().as_bytes());
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.length(items.len());
        for item in items {
            each(self, item);
        }
    }

    fn tier(&mut self, tier: Tier) {
        self.0.push(match tier {
            Tier::Strict => 0,
            Tier::Portable => 1,
            Tier::Partial => 2,
        });
    }
}

#[derive(Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], FrameError> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(FrameError("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], FrameError> {
        let (taken, rest) = self
            .0
            .split_first_chunk()
            .ok_or(FrameError("it ends too early"))?;
        self.0 = rest;
        Ok(*taken)
    }

    fn byte(&mut self) -> Result<u8, FrameError> {
        self.chunk::<1>().map(|[byte]| byte)
    }

    fn flag(&mut self) -> Result<bool, FrameError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(FrameError("neither yes nor no")),
        }
    }

    fn number(&mut self) -> Result<i32, FrameError> {
        self.chunk().map(i32::from_le_bytes)
    }

    fn long(&mut self) -> Result<u64, FrameError> {
        self.chunk().map(u64::from_le_bytes)
    }

    fn length(&mut self) -> Result<usize, FrameError> {
        self.chunk().map(|bytes| u32::from_le_bytes(bytes) as usize)
    }

    fn string(&mut self) -> Result<OsString, FrameError> {
        let length = self.length()?;
        self.take(length)
            .map(|bytes| OsString::from_vec(bytes.to_vec()))
    }

    fn path(&mut self) -> Result<PathBuf, FrameError> {
        self.string().map(PathBuf::from)
    }

    fn sentence(&mut self) -> Result<String, FrameError> {
        let text = self.string()?.into_string();
        text.map_err(|_| FrameError("a sentence is not text"))
    }

    fn list<T>(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<T, FrameError>,
    ) -> Result<Vec<T>, FrameError> {
        let count = self.length()?;
        // Every item begins with a length: more cannot follow.
        if count > self.0.len() / 4 {
            return Err(FrameError("a list is longer than what follows"));
        }
        (0..count).map(|_| each(self)).collect()
    }

    fn tier(&mut self) -> Result<Tier, FrameError> {
        match self.byte()? {
            0 => Ok(Tier::Strict),
            1 => Ok(Tier::Portable),
            2 => Ok(Tier::Partial),
            _ => Err(FrameError("an unknown tier")),
        }
    }

    fn end(&self) -> Result<(), FrameError> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(FrameError("something follows its end")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use proptest::prelude::*;

    use super::*;

    fn string() -> impl Strategy<Value = OsString> {
        prop::collection::vec(any::<u8>(), 0..20).prop_map(OsString::from_vec)
    }

    fn paths() -> impl Strategy<Value = Vec<PathBuf>> {
        prop::collection::vec(string().prop_map(PathBuf::from), 0..4)
    }

    fn tier() -> impl Strategy<Value = Tier> {
        prop_oneof![
            Just(Tier::Strict),
            Just(Tier::Portable),
            Just(Tier::Partial)
        ]
    }

    prop_compose! {
        fn view()(
            everything in any::<bool>(),
            lists in [paths(), paths(), paths()],
            places in [string(), string(), string()],
        ) -> View {
            let [readable, writable, protected] = lists;
            let [directory, temporary, home] = places.map(PathBuf::from);
            View { everything, readable, writable, protected, directory, temporary, home }
        }
    }

    prop_compose! {
        fn order()(
            tier in tier(),
            [ward, best_effort] in any::<[bool; 2]>(),
            program in string(),
            words in prop::collection::vec(string(), 0..6),
            environment in prop::collection::vec((string(), string()), 0..6),
            view in view(),
            network in any::<bool>(),
            numbers in any::<[u64; 6]>(),
            cgroup in prop::option::of(string()),
        ) -> Order {
            let [cpu_seconds, memory_mb, open_files, processes, file_mb, output_mb] = numbers;
            Order {
                ward,
                tier,
                best_effort,
                file: PathBuf::from(&program),
                program: program.into(),
                words,
                environment,
                view,
                network,
                resources: Resources {
                    cpu_seconds, memory_mb, open_files, processes, file_mb, output_mb,
                },
                cgroup: cgroup.map(PathBuf::from),
            }
        }
    }

    fn report() -> impl Strategy<Value = Report> {
        prop_oneof![
            (tier(), prop::collection::vec(".{0,40}", 0..5))
                .prop_map(|(tier, gaps)| Report::Started(Enforcement { tier, gaps })),
            (".{0,40}", ".{0,40}", ".{0,40}", any::<i32>()).prop_map(
                |(layer, what, remedy, errno)| Report::Refused {
                    layer,
                    what,
                    remedy,
                    errno
                }
            ),
            any::<i32>().prop_map(Report::Ended),
            prop_oneof![
                Just(Exceeded::Cpu),
                Just(Exceeded::Memory),
                Just(Exceeded::Processes)
            ]
            .prop_map(Report::Exceeded),
            Just(Report::Leftovers),
        ]
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            ".{0,40}".prop_map(Step::Gap),
            ".{0,40}".prop_map(Step::Without),
            Just(Step::Ready),
            report().prop_map(Step::Refused),
        ]
    }

    proptest! {
        #[test]
        fn an_order_arrives_as_it_was_given(order in order()) {
            prop_assert_eq!(Order::decode(&order.encode().unwrap()), Ok(order));
        }

        #[test]
        fn half_an_order_is_none(order in order(), cut in any::<prop::sample::Index>()) {
            let bytes = order.encode().unwrap();
            prop_assert!(Order::decode(&bytes[..cut.index(bytes.len())]).is_err());
        }

        #[test]
        fn garbage_is_refused_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = Order::decode(&bytes);
            let mut inbox = Inbox::default();
            inbox.push(&bytes);
            for _ in 0..bytes.len() {
                let Ok(Some(_)) = inbox.next::<Report>() else { break };
            }
        }

        #[test]
        fn a_changed_byte_does_no_harm(
            order in order(),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut bytes = order.encode().unwrap();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = Order::decode(&bytes);
        }

        #[test]
        fn messages_arrive_whatever_the_pieces(
            reports in prop::collection::vec(report(), 0..6),
            size in 1usize..50,
        ) {
            let all: Vec<u8> = reports.iter().flat_map(Message::frame).collect();
            let mut inbox = Inbox::default();
            let mut heard = Vec::new();
            for piece in all.chunks(size) {
                inbox.push(piece);
                while let Some(report) = inbox.next::<Report>().unwrap() {
                    heard.push(report);
                }
            }
            prop_assert_eq!(heard, reports);
        }

        #[test]
        fn steps_arrive_too(step in step()) {
            let mut inbox = Inbox::default();
            inbox.push(&step.frame());
            prop_assert_eq!(inbox.next::<Step>(), Ok(Some(step)));
            prop_assert_eq!(inbox.next::<Step>(), Ok(None));
        }
    }

    #[test]
    fn a_report_that_would_be_too_long_is_cut_so_that_it_arrives() {
        let gaps = vec!["ü".repeat(5000); 100];
        let report = Report::Started(Enforcement {
            tier: Tier::Partial,
            gaps,
        });
        let mut inbox = Inbox::default();
        inbox.push(&report.frame());
        let Ok(Some(Report::Started(heard))) = inbox.next::<Report>() else {
            panic!("it did not arrive");
        };
        assert_eq!(heard.gaps.len(), MOST_SENTENCES);
        assert_eq!(heard.gaps[0], "ü".repeat(LONGEST_SENTENCE / 2));
    }

    #[test]
    fn an_order_that_no_system_could_run_is_not_encoded() {
        let order = Order {
            ward: false,
            tier: Tier::Portable,
            best_effort: false,
            program: "/bin/true".into(),
            file: "/bin/true".into(),
            words: vec![OsString::from_vec(vec![b'x'; LARGEST_ORDER])],
            environment: Vec::new(),
            view: View::default(),
            network: false,
            resources: Resources::default(),
            cgroup: None,
        };
        assert!(order.encode().is_err());
    }
}
