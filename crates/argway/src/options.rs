//! Flags that several verbs share, in the groups that help shows them in.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use argway_core::catalog::{Inherited, Layout, Selection};
use argway_core::output::DataFormat;
use argway_core::policy::{Demand, Filesystem, PolicyOverrides, SandboxPolicy};
use argway_serve::bridge::{SandboxSettings, Settings};
use argway_serve::probe::Guard;
use clap::{ArgAction, Args, ValueEnum};

use argway_core::units;

use crate::exit::Failure;

/// How a program is read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Reading the program")]
pub struct ReadOptions {
    /// Read the program again even if its description is cached
    #[arg(long)]
    pub refresh: bool,
    /// Let the program see your HOME and XDG folders while it is read (for plugins and aliases)
    #[arg(long)]
    pub with_home: bool,
    /// Do not ask the program's parser about types that its help leaves open
    #[arg(long)]
    pub no_oracle: bool,
    /// Correct the program with this file, beside those of yours and of the project (repeatable)
    #[arg(long, value_name = "FILE")]
    pub overlay: Vec<PathBuf>,
    /// How many help pages are asked for at once [default: twice the processors]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// How much of the sandbox must hold, and that programs run in it too [default: programs are
    /// read in it where they work in it, definitions run in it]
    #[arg(
        long,
        help_heading = "Sandbox",
        value_enum,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "enforced"
    )]
    pub sandbox: Option<SandboxName>,
}

impl ReadOptions {
    /// The sandbox in which programs are read.
    pub fn guard(&self) -> Guard {
        match self.sandbox {
            // What cannot be had is left out, and said.
            None | Some(SandboxName::BestEffort) => Guard::WherePossible,
            Some(SandboxName::Off) => Guard::Off,
            Some(SandboxName::Enforced) => Guard::Always(Demand::Enforced),
            Some(SandboxName::Strict) => Guard::Always(Demand::Strict),
            Some(SandboxName::Portable) => Guard::Always(Demand::Portable),
        }
    }
}

/// Pages from a folder instead of the program.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading the program")]
pub struct TranscriptOption {
    /// Read pages captured in FOLDER (see `argway capture`) instead of running the program
    #[arg(long, value_name = "FOLDER")]
    pub transcript: Option<PathBuf>,
}

/// Which commands and flags are offered, and in which shape.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Choosing tools")]
pub struct ToolOptions {
    /// Offer only commands that match: `pr *`, `container ls` (repeatable, commas allowed)
    #[arg(long, value_name = "GLOB", value_delimiter = ',', action = ArgAction::Append)]
    pub allow: Vec<String>,
    /// Do not offer commands that match; stronger than --allow
    #[arg(long, value_name = "GLOB", value_delimiter = ',', action = ArgAction::Append)]
    pub deny: Vec<String>,
    /// Offer only flags that match: `output`, `no-*`
    #[arg(long, value_name = "GLOB", value_delimiter = ',', action = ArgAction::Append)]
    pub allow_flags: Vec<String>,
    /// Do not offer flags that match; stronger than --allow-flags
    #[arg(long, value_name = "GLOB", value_delimiter = ',', action = ArgAction::Append)]
    pub deny_flags: Vec<String>,
    /// Offer only commands known to change nothing
    #[arg(long)]
    pub read_only: bool,
    /// Offer commands and flags too that are marked as hidden or deprecated
    #[arg(long)]
    pub include_hidden: bool,
    /// Let calls of commands that match give what the command reads from stdin
    #[arg(long, value_name = "GLOB", value_delimiter = ',', action = ArgAction::Append)]
    pub stdin: Vec<String>,
    /// The shape of arguments and results
    #[arg(long, value_enum, default_value_t = LayoutName::Flat)]
    pub layout: LayoutName,
    /// List inherited flags in every tool, or leave them out [default: fold them beyond the limit]
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        conflicts_with = "inherited_limit"
    )]
    pub inherited: Option<InheritedName>,
    /// Fold more inherited flags than this into one `global_flags` object
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub inherited_limit: usize,
}

impl ToolOptions {
    /// Which commands and flags are offered.
    pub fn selection(&self) -> Selection {
        Selection {
            allow: self.allow.clone(),
            deny: self.deny.clone(),
            allow_flags: self.allow_flags.clone(),
            deny_flags: self.deny_flags.clone(),
            read_only: self.read_only,
            include_hidden: self.include_hidden,
            stdin: self.stdin.clone(),
        }
    }

    /// How inherited flags appear.
    pub fn inherited(&self) -> Inherited {
        match self.inherited {
            Some(InheritedName::All) => Inherited::All,
            Some(InheritedName::None) => Inherited::None,
            None => Inherited::Limit(self.inherited_limit),
        }
    }
}

/// A call of a program that was read is ended after this long.
const LONGEST_CALL: Duration = Duration::from_secs(120);

/// How calls are run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Running commands")]
pub struct RunOptions {
    /// End a call after this long [default: 2m, or what its definition says]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,
    /// Keep so much of each output stream in the result; the rest goes to a file
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = units::bytes)]
    pub max_output: u64,
    /// End a call whose output stream grows beyond this
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = units::bytes)]
    pub max_spill: u64,
    /// Add the program's own JSON switch where it has one and the caller chose nothing
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = JsonOutput::Off)]
    pub json_output: JsonOutput,
    /// What stdout is read as, for the result's `data`
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = DataName::Json)]
    pub data: DataName,
    /// Run commands in this folder
    #[arg(long, value_name = "FOLDER")]
    pub cwd: Option<PathBuf>,
}

impl Default for RunOptions {
    /// As if no flag had been given.
    fn default() -> Self {
        Self {
            timeout: None,
            max_output: 1 << 20,
            max_spill: 1 << 30,
            json_output: JsonOutput::Off,
            data: DataName::Json,
            cwd: None,
        }
    }
}

impl RunOptions {
    /// How calls are run, with tools in `layout`.
    pub fn settings(&self, layout: LayoutName, sandbox: SandboxSettings) -> Settings {
        Settings {
            layout: layout.into(),
            timeout: LONGEST_CALL,
            operator_timeout: self.timeout,
            max_output: usize::try_from(self.max_output).unwrap_or(usize::MAX),
            max_spill: self.max_spill,
            format: match self.data {
                DataName::Json => DataFormat::Json,
                DataName::Any => DataFormat::Any,
                DataName::None => DataFormat::None,
            },
            json_output: self.json_output == JsonOutput::Auto,
            directory: self.cwd.clone(),
            sandbox,
        }
    }
}

/// What commands may do.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Sandbox")]
pub struct SandboxOptions {
    /// Let commands use the network, or (=false) never, whatever their definition says
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    pub network: Option<bool>,
    /// Which files commands may reach beside the system's
    #[arg(long, value_enum, value_name = "WHICH")]
    pub filesystem: Option<FilesystemName>,
    /// Let commands read this file or folder too (repeatable)
    #[arg(long, value_name = "PATH", value_parser = absolute)]
    pub read: Vec<String>,
    /// Let commands read and change this file or folder too (repeatable)
    #[arg(long, value_name = "PATH", value_parser = absolute)]
    pub write: Vec<String>,
    /// Let commands see this variable of your environment (repeatable, commas allowed)
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = variable)]
    pub pass_env: Vec<String>,
    /// End a call that used so much processor time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub cpu_seconds: Option<u64>,
    /// End a call that uses so much memory, in MiB
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_mb: Option<u64>,
    /// How many files a process may have open
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(16..))]
    pub open_files: Option<u64>,
    /// End a call that has more processes than this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub processes: Option<u64>,
    /// The largest file that may be written, in MiB
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub file_mb: Option<u64>,
}

impl SandboxOptions {
    /// What calls may do, where `--sandbox` says `how`. Saying what a sandbox allows asks
    /// for one.
    pub fn settings(&self, how: Option<SandboxName>) -> Result<SandboxSettings, Failure> {
        let overrides = PolicyOverrides {
            network: self.network,
            filesystem: self.filesystem.map(Filesystem::from),
            readable: self.read.clone(),
            writable: self.write.clone(),
            variables: self.pass_env.clone(),
            cpu_seconds: self.cpu_seconds,
            memory_mb: self.memory_mb,
            open_files: self.open_files,
            processes: self.processes,
            file_mb: self.file_mb,
        };
        let says_something = overrides != PolicyOverrides::default();
        if how == Some(SandboxName::Off) {
            if says_something {
                return Err(Failure::Usage(anyhow!(
                    "--sandbox=off allows everything: leave it out, or the flags that say what a sandbox allows"
                )));
            }
            return Ok(SandboxSettings {
                off: true,
                ..SandboxSettings::default()
            });
        }
        let programs = (how.is_some() || says_something).then(SandboxPolicy::default);
        Ok(SandboxSettings {
            off: false,
            demand: match how {
                None | Some(SandboxName::Enforced | SandboxName::Off) => Demand::Enforced,
                Some(SandboxName::Strict) => Demand::Strict,
                Some(SandboxName::Portable) => Demand::Portable,
                Some(SandboxName::BestEffort) => Demand::BestEffort,
            },
            programs,
            overrides,
        })
    }
}

impl SandboxOptions {
    /// Files and folders that a program may look at while it is read, too.
    pub fn readable(&self) -> Vec<PathBuf> {
        self.read
            .iter()
            .chain(&self.write)
            .map(PathBuf::from)
            .collect()
    }
}

/// A policy's paths are absolute: a call may run in another folder.
fn absolute(path: &str) -> Result<String, String> {
    let path = std::path::absolute(path).map_err(|error| error.to_string())?;
    Ok(path.to_string_lossy().into_owned())
}

fn variable(name: &str) -> Result<String, String> {
    match name.is_empty() || name.contains(['=', '\0']) {
        true => Err("a variable is passed by its name alone".to_owned()),
        false => Ok(name.to_owned()),
    }
}

/// How much of a sandbox must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SandboxName {
    /// The strict tier, or the portable one where namespaces are not allowed
    Enforced,
    /// The strict tier or nothing
    Strict,
    /// The portable tier
    Portable,
    /// Whatever can be had; results say what could not
    BestEffort,
    /// No sandbox, neither to read a program nor to run anything
    Off,
}

/// Which files commands may reach, beside the system's and a temporary folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FilesystemName {
    /// No others
    None,
    /// Those in the folder where they run
    Cwd,
    /// Those in your home folder too
    Home,
    /// All that you may
    Full,
}

impl From<FilesystemName> for Filesystem {
    fn from(name: FilesystemName) -> Self {
        match name {
            FilesystemName::None => Filesystem::None,
            FilesystemName::Cwd => Filesystem::Cwd,
            FilesystemName::Home => Filesystem::Home,
            FilesystemName::Full => Filesystem::Full,
        }
    }
}

/// The shape of tools, as it is written on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LayoutName {
    /// Flags and positionals side by side
    Flat,
    /// `{flags, args}`, as ophis has it
    Nested,
}

impl LayoutName {
    /// Every layout, in the order that tables show them.
    pub const ALL: [LayoutName; 2] = [LayoutName::Flat, LayoutName::Nested];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            LayoutName::Flat => "flat",
            LayoutName::Nested => "nested",
        }
    }
}

impl From<LayoutName> for Layout {
    fn from(name: LayoutName) -> Self {
        match name {
            LayoutName::Flat => Layout::Flat,
            LayoutName::Nested => Layout::Nested,
        }
    }
}

/// Which inherited flags tools list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InheritedName {
    /// All of them, in every tool
    All,
    /// None but those that are required
    None,
}

/// When the program's own JSON switch is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum JsonOutput {
    /// Where the command has one and the caller chose nothing
    Auto,
    /// Never
    Off,
}

/// What stdout is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DataName {
    /// JSON where it is JSON
    Json,
    /// JSON, JSON Lines, YAML or a table, whichever it is
    Any,
    /// Text only
    None,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        sandbox: SandboxOptions,
        #[command(flatten)]
        read: ReadOptions,
        words: Vec<String>,
    }

    fn settings(words: &[&str]) -> Result<SandboxSettings, String> {
        let words = ["argway"].iter().chain(words);
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        let settings = line.sandbox.settings(line.read.sandbox);
        settings.map_err(|failure| failure.message().unwrap_or_default())
    }

    #[test]
    fn without_a_flag_only_definitions_have_a_sandbox() {
        assert_eq!(settings(&[]), Ok(SandboxSettings::default()));
        assert_eq!(settings(&[]).map(|it| it.programs), Ok(None));
    }

    #[test]
    fn asking_for_a_sandbox_or_for_what_it_allows_gives_programs_one() {
        for words in [
            &["--sandbox"][..],
            &["--network"],
            &["--filesystem", "home"],
            &["--memory-mb", "64"],
            &["--read", "/srv"],
        ] {
            let programs = settings(words).unwrap().programs;
            assert_eq!(programs, Some(SandboxPolicy::default()), "{words:?}");
        }
    }

    #[test]
    fn the_word_after_a_bare_flag_is_not_its_value() {
        let line = Line::parse_from(["argway", "--sandbox", "gh", "--network", "kubectl"]);
        assert_eq!(line.words, ["gh", "kubectl"]);
        assert_eq!(line.read.sandbox, Some(SandboxName::Enforced));
        assert_eq!(line.sandbox.network, Some(true));
    }

    #[test]
    fn every_way_of_a_sandbox_can_be_asked_for() {
        for (how, demand) in [
            ("enforced", Demand::Enforced),
            ("strict", Demand::Strict),
            ("portable", Demand::Portable),
            ("best-effort", Demand::BestEffort),
        ] {
            let found = settings(&[&format!("--sandbox={how}")]).unwrap();
            assert_eq!((found.off, found.demand), (false, demand));
        }
        assert!(settings(&["--sandbox=off"]).unwrap().off);
        assert!(settings(&["--sandbox=none"]).is_err());
    }

    #[test]
    fn a_sandbox_that_is_asked_for_is_one_for_reading_too() {
        let guard = |words: &[&str]| {
            let line = Line::parse_from(["argway"].iter().chain(words));
            line.read.guard()
        };
        assert_eq!(guard(&[]), Guard::WherePossible);
        assert_eq!(guard(&["--sandbox=best-effort"]), Guard::WherePossible);
        assert_eq!(guard(&["--sandbox"]), Guard::Always(Demand::Enforced));
        assert_eq!(guard(&["--sandbox=strict"]), Guard::Always(Demand::Strict));
        assert_eq!(guard(&["--sandbox=off"]), Guard::Off);
    }

    #[test]
    fn what_the_operator_says_is_the_last_word_on_every_policy() {
        let found = settings(&[
            "--network=false",
            "--filesystem=full",
            "--pass-env=A,B",
            "--cpu-seconds=1",
            "--open-files=20",
            "--processes=3",
            "--file-mb=4",
        ]);
        let policy = found.unwrap().overrides.apply(&SandboxPolicy {
            network: true,
            ..SandboxPolicy::default()
        });
        assert!(!policy.network);
        assert_eq!(policy.filesystem, Filesystem::Full);
        assert_eq!(policy.variables, ["A", "B"]);
        let numbers = &policy.resources;
        assert_eq!(
            (
                numbers.cpu_seconds,
                numbers.open_files,
                numbers.processes,
                numbers.file_mb
            ),
            (1, 20, 3, 4)
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for words in [
            &["--sandbox=off", "--network"][..],
            &["--pass-env", "A=b"],
            &["--memory-mb", "0"],
            &["--filesystem", "some"],
        ] {
            assert!(settings(words).is_err(), "{words:?}");
        }
    }
}
