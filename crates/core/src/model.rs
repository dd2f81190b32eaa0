//! What is known of a program: its commands, their parameters, and where each
//! fact came from.
//!
//! Every source fills these types and every face reads them. How they look as
//! JSON is the description format that GUIDE.md documents: change it only with
//! [`FORMAT`]. Reading and writing that JSON is [`crate::model::wire`]'s work.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

mod run;
mod wire;

pub use run::{
    Annotations, Encoding, Group, RunSpec, Secret, StderrSpec, StdinFormat, StdinSpec,
    StdoutFormat, StdoutSpec,
};

/// Version of the description format. A file with another number is refused.
pub const FORMAT: u32 = 1;

/// What a source understood, and what it did not.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The program as far as it was understood.
    pub program: Program,
    /// What the source said that the model cannot hold, in source order.
    pub losses: Vec<Loss>,
}

/// A command-line program.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The name it is called by, for example `gh`.
    pub name: String,
    /// The file that is run, resolved to an absolute path.
    pub executable: Option<String>,
    /// What the program says its version is.
    pub version: Option<String>,
    /// How it was recognised and read.
    pub family: Family,
    /// Every command, the root first, each parent before its children.
    pub commands: Vec<CommandSpec>,
}

impl Program {
    /// The command at `path` (without the program's name; empty is the root).
    pub fn command(&self, path: &[impl AsRef<str>]) -> Option<&CommandSpec> {
        self.commands.iter().find(|command| {
            command.path.len() == path.len()
                && command
                    .path
                    .iter()
                    .zip(path)
                    .all(|(have, want)| have == want.as_ref())
        })
    }

    /// How the command at `path` is called in a shell: `gh pr list`.
    pub fn command_line(&self, path: &[String]) -> String {
        let words = std::iter::once(&self.name).chain(path);
        words.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// The direct children of `parent`, in order.
    pub fn children<'a>(
        &'a self,
        parent: &'a CommandSpec,
    ) -> impl Iterator<Item = &'a CommandSpec> + 'a {
        self.commands.iter().filter(|command| {
            command.path.len() == parent.path.len() + 1 && command.path.starts_with(&parent.path)
        })
    }
}

/// The library that a program parses its command line with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// spf13/cobra with pflag.
    Cobra,
    /// Rust's clap.
    Clap,
    /// Python's argparse.
    Argparse,
    /// Python's optparse.
    Optparse,
    /// Python's click, and typer, which is made of it.
    Click,
    /// Node's commander.
    Commander,
    /// Node's yargs.
    Yargs,
    /// Node's oclif.
    Oclif,
    /// Go's own `flag`.
    GoFlag,
    /// urfave/cli.
    Urfave,
    /// kingpin, and kong, which prints as it does.
    Kingpin,
    /// git and programs with its option parser.
    Git,
    /// GNU's getopt_long, and programs that print their help as GNU's do.
    Gnu,
    /// It described itself, in a format made for that.
    Described,
    /// Not recognised: only its `--help` was read.
    Unknown,
    /// Described by hand, in KDL.
    Definition,
}

impl Family {
    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Family::Cobra => "Cobra",
            Family::Clap => "clap",
            Family::Argparse => "argparse",
            Family::Optparse => "optparse",
            Family::Click => "click",
            Family::Commander => "commander",
            Family::Yargs => "yargs",
            Family::Oclif => "oclif",
            Family::GoFlag => "Go's flag",
            Family::Urfave => "urfave/cli",
            Family::Kingpin => "kingpin",
            Family::Git => "git",
            Family::Gnu => "GNU",
            Family::Described => "its own description",
            Family::Unknown => "no known family",
            Family::Definition => "a definition",
        }
    }
}

/// One command of a program: the root, a parent or a leaf.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandSpec {
    /// Words after the program's name; empty for the root.
    pub path: Vec<String>,
    /// What tools call it in place of the last word of `path`, which stays what is typed.
    pub called: Option<String>,
    /// Other names of the last word of `path`.
    pub aliases: Vec<String>,
    /// The heading that the parent's help lists it under.
    pub group: Option<String>,
    /// One line.
    pub summary: String,
    /// The long text, without the sections around it.
    pub description: String,
    /// The examples section as printed, unindented.
    pub examples: String,
    /// The usage line as printed, with the program's name: `gh pr list [flags]`.
    pub usage: String,
    /// Whether it does something by itself; a pure parent does not.
    pub runnable: bool,
    /// Left out of listings unless asked for.
    pub hidden: bool,
    /// Set when the program says that it is going away: the reason.
    pub deprecated: Option<String>,
    /// The program passes every word on without parsing flags (DisableFlagParsing),
    /// so `--` protects nothing.
    pub raw_words: bool,
    /// What running it does to the world.
    pub effect: Effect,
    /// Its own parameters: flags in printed order, then positionals in order.
    pub params: Vec<Param>,
    /// Flags that it has from its ancestors. Commands with the same set share it.
    pub inherited: Arc<[Param]>,
    /// Parameters that depend on each other.
    pub groups: Vec<Group>,
    /// Hints for clients, where somebody wrote them down.
    pub annotations: Annotations,
    /// What its stdout is read as, where somebody corrected that.
    pub output: Option<StdoutFormat>,
    /// How it is run, where a definition says so.
    pub run: Option<Arc<RunSpec>>,
    /// Where the facts above came from.
    pub from: Provenance,
}

impl CommandSpec {
    /// Own flags.
    pub fn own_flags(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| param.is_flag())
    }

    /// Own flags, then inherited ones.
    pub fn flags(&self) -> impl Iterator<Item = &Param> {
        self.own_flags().chain(self.inherited.iter())
    }

    /// Positional parameters in order.
    pub fn positionals(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| !param.is_flag())
    }
}

/// A flag or a positional argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// A flag's long name without dashes (its short one if it has no other), or
    /// a positional's name as the usage line has it, without brackets.
    pub name: String,
    /// How it is written on the command line.
    pub role: Role,
    /// What values it takes.
    pub kind: Kind,
    /// The program refuses to run without it.
    pub required: bool,
    /// The default as the program prints it, unquoted: `30`, `[a,b]`, `5m0s`.
    pub default: Option<String>,
    /// The only values that it takes; empty where any value of its type will do.
    pub choices: Vec<String>,
    /// The placeholder that the help prints for the value.
    pub value_name: Option<String>,
    /// The variable that the program takes it from where it is not given.
    pub env: Option<String>,
    /// What it is for.
    pub text: String,
    /// Left out of schemas unless asked for.
    pub hidden: bool,
    /// Set when the program says that it is going away: the reason.
    pub deprecated: Option<String>,
    /// Raises the command's effect when it is given.
    pub effect: Option<Effect>,
    /// A call that leaves it out gives the default: the program's own may differ.
    pub inject_default: bool,
    /// Set where the value is a secret: how it reaches the program.
    pub secret: Option<Secret>,
    /// Where the facts above came from.
    pub from: Provenance,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Param {
    /// A flag `--name` of this kind, with everything else unknown.
    pub fn flag(name: impl Into<String>, kind: Kind) -> Self {
        let name = name.into();
        let spelling = Spelling {
            long: Some(format!("--{name}")),
            ..Spelling::default()
        };
        Self::new(name, Role::Flag(spelling), kind)
    }

    /// A positional, with everything but its name and kind unknown.
    pub fn positional(name: impl Into<String>, kind: Kind) -> Self {
        Self::new(name.into(), Role::Positional, kind)
    }

    fn new(name: String, role: Role, kind: Kind) -> Self {
        Self {
            name,
            role,
            kind,
            required: false,
            default: None,
            choices: Vec::new(),
            value_name: None,
            env: None,
            text: String::new(),
            hidden: false,
            deprecated: None,
            effect: None,
            inject_default: false,
            secret: None,
            from: Provenance::default(),
        }
    }

    /// Whether it is written with a flag rather than by position.
    pub fn is_flag(&self) -> bool {
        matches!(self.role, Role::Flag(_))
    }

    /// The flag's spelling; nothing for a positional.
    pub fn spelling(&self) -> Option<&Spelling> {
        match &self.role {
            Role::Flag(spelling) => Some(spelling),
            Role::Positional => None,
        }
    }
}

/// How a parameter is written on the command line.
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    /// By name.
    Flag(Spelling),
    /// By its place among the positionals.
    Positional,
}

/// The written forms of a flag.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spelling {
    /// With its dashes: `--output`.
    pub long: Option<String>,
    /// With its dash: `-o`.
    pub short: Option<String>,
    /// How the value follows the name.
    pub joiner: Joiner,
    /// The value that the flag alone stands for (pflag's NoOptDefVal), where it
    /// takes a value but does not need one. Switches and counts leave it empty.
    pub bare: Option<String>,
    /// What stands between the values of a list that is [`Split::Joined`].
    pub separator: Option<String>,
    /// What switches it off, with its dashes: `--no-color`.
    pub negative: Option<String>,
    /// How many words of the command's path it stands behind, where that is not all of
    /// them: `git -C FOLDER status`.
    pub after_words: Option<usize>,
}

/// How a flag and its value are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Joiner {
    /// `--depth=2`. pflag needs this form to switch a boolean off.
    #[default]
    Equals,
    /// `--depth 2`. curl and jq refuse the other form.
    Space,
    /// `-d2`, as some old programs want it.
    Attached,
}

/// What values a parameter takes. Written as one word in descriptions:
/// `switch`, `count`, `int32`, `csv<string>`, `map<string>`, `other<SizeSuffix>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// On or off; a flag that needs no value.
    Switch,
    /// A flag whose repetitions are counted: `-vvv`.
    Count,
    /// One value.
    One(Scalar),
    /// Several values.
    List(Scalar, Split),
    /// `key=value` pairs.
    Map(Scalar),
    /// Words of a command line as the caller wrote them, flags too: an array, or a
    /// string that is split as a shell would, without a shell.
    Line,
}

impl Kind {
    /// Whether a flag of this kind is followed by a value.
    pub fn takes_value(&self) -> bool {
        !matches!(self, Kind::Switch | Kind::Count)
    }

    /// Whether giving it again adds to what was given before.
    pub fn is_repeatable(&self) -> bool {
        matches!(
            self,
            Kind::Count | Kind::List(..) | Kind::Map(_) | Kind::Line
        )
    }
}

/// How the values of a list are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Commas with CSV quoting, and repetition (pflag's StringSlice).
    Csv,
    /// Plain commas, no quoting, and repetition (pflag's IntSlice and its kin).
    Comma,
    /// Repetition only (pflag's StringArray).
    Repeat,
    /// One word each, as variadic positionals are.
    Words,
    /// One word for all, with the flag's separator between them.
    Joined,
}

/// One value's type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scalar {
    /// Any text.
    String,
    /// true or false, as a value.
    Bool,
    /// A signed integer of so many bits.
    Int(u8),
    /// An unsigned integer of so many bits.
    Uint(u8),
    /// A floating-point number of so many bits.
    Float(u8),
    /// A Go duration: `1h30m`.
    Duration,
    /// A point in time.
    Time,
    /// An IP address of either family.
    Ip,
    /// A network in CIDR notation.
    IpNet,
    /// An IPv4 mask.
    IpMask,
    /// Bytes in hexadecimal.
    Hex,
    /// Bytes in base64.
    Base64,
    /// A file or folder that must be within reach of the sandbox.
    Path,
    /// A type of the program's own, by the name that it gives it.
    Other(String),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::String => f.write_str("string"),
            Scalar::Bool => f.write_str("bool"),
            Scalar::Int(64) => f.write_str("int"),
            Scalar::Int(bits) => write!(f, "int{bits}"),
            Scalar::Uint(64) => f.write_str("uint"),
            Scalar::Uint(bits) => write!(f, "uint{bits}"),
            Scalar::Float(64) => f.write_str("float"),
            Scalar::Float(bits) => write!(f, "float{bits}"),
            Scalar::Duration => f.write_str("duration"),
            Scalar::Time => f.write_str("time"),
            Scalar::Ip => f.write_str("ip"),
            Scalar::IpNet => f.write_str("ip_net"),
            Scalar::IpMask => f.write_str("ip_mask"),
            Scalar::Hex => f.write_str("hex"),
            Scalar::Base64 => f.write_str("base64"),
            Scalar::Path => f.write_str("path"),
            Scalar::Other(name) => write!(f, "other<{name}>"),
        }
    }
}

impl FromStr for Scalar {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Ok(match text {
            "string" => Scalar::String,
            "bool" => Scalar::Bool,
            "int" => Scalar::Int(64),
            "int8" => Scalar::Int(8),
            "int16" => Scalar::Int(16),
            "int32" => Scalar::Int(32),
            "uint" => Scalar::Uint(64),
            "uint8" => Scalar::Uint(8),
            "uint16" => Scalar::Uint(16),
            "uint32" => Scalar::Uint(32),
            "float" => Scalar::Float(64),
            "float32" => Scalar::Float(32),
            "duration" => Scalar::Duration,
            "time" => Scalar::Time,
            "ip" => Scalar::Ip,
            "ip_net" => Scalar::IpNet,
            "ip_mask" => Scalar::IpMask,
            "hex" => Scalar::Hex,
            "base64" => Scalar::Base64,
            "path" => Scalar::Path,
            _ => match inside(text, "other") {
                Some(name) => Scalar::Other(name.to_owned()),
                None => return Err(UnknownKind(text.to_owned())),
            },
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Switch => f.write_str("switch"),
            Kind::Count => f.write_str("count"),
            Kind::One(scalar) => scalar.fmt(f),
            Kind::List(scalar, Split::Csv) => write!(f, "csv<{scalar}>"),
            Kind::List(scalar, Split::Comma) => write!(f, "comma<{scalar}>"),
            Kind::List(scalar, Split::Repeat) => write!(f, "repeat<{scalar}>"),
            Kind::List(scalar, Split::Words) => write!(f, "words<{scalar}>"),
            Kind::List(scalar, Split::Joined) => write!(f, "joined<{scalar}>"),
            Kind::Map(scalar) => write!(f, "map<{scalar}>"),
            Kind::Line => f.write_str("line"),
        }
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        let list = |name, split| inside(text, name).map(|of| Ok(Kind::List(of.parse()?, split)));
        match text {
            "switch" => return Ok(Kind::Switch),
            "count" => return Ok(Kind::Count),
            "line" => return Ok(Kind::Line),
            _ => {}
        }
        list("csv", Split::Csv)
            .or_else(|| list("comma", Split::Comma))
            .or_else(|| list("repeat", Split::Repeat))
            .or_else(|| list("words", Split::Words))
            .or_else(|| list("joined", Split::Joined))
            .or_else(|| inside(text, "map").map(|of| Ok(Kind::Map(of.parse()?))))
            .unwrap_or_else(|| text.parse().map(Kind::One))
    }
}

fn inside<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.strip_prefix(name)?
        .strip_prefix('<')?
        .strip_suffix('>')
}

/// A type name that no version of the format has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a type; expected one like string, int, switch, csv<string> or map<string>")]
pub struct UnknownKind(pub String);

/// What running a command does to the world, from harmless to worst. Unknown
/// stands above reading: what is not known to be harmless is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Only looks.
    Read,
    /// Nothing is known.
    #[default]
    Unknown,
    /// Changes or adds something.
    Write,
    /// Removes or overwrites something.
    Destructive,
}

/// A fact of a command or parameter that has a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// That it exists, and its written forms.
    Name,
    /// A command's other names.
    Aliases,
    /// A command's group.
    Group,
    /// Its text: summary, long text, a parameter's text.
    Text,
    /// A command's examples.
    Examples,
    /// Whether a command runs by itself.
    Runnable,
    /// What a command does.
    Effect,
    /// The type of a parameter's value, and whether it takes one.
    Type,
    /// The default.
    Default,
    /// Whether it must be given.
    Required,
    /// The closed list of values.
    Choices,
    /// The value that the flag alone stands for.
    Bare,
}

/// What showed a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The help page said so.
    Help,
    /// The program's completion said so.
    Completion,
    /// The program's parser accepted or refused a value.
    Oracle,
    /// The program described itself, in a format made for that.
    SelfDescription,
    /// A custom of such programs; nothing said so.
    Convention,
    /// A person wrote it.
    Definition,
}

/// Where each known fact came from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Provenance(BTreeMap<Fact, Evidence>);

impl Provenance {
    /// Notes that `fact` was shown by `evidence`.
    pub fn note(&mut self, fact: Fact, evidence: Evidence) {
        self.0.insert(fact, evidence);
    }

    /// What showed `fact`, if anything did.
    pub fn of(&self, fact: Fact) -> Option<Evidence> {
        self.0.get(&fact).copied()
    }

    /// Whether nothing is noted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Something that the program said and the model does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The command where it was met: its path, empty for the root.
    pub path: Vec<String>,
    /// What was lost, as a sentence a person can act on.
    pub what: String,
}
