//! Flags that several verbs share, in the groups that help shows them in.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use argway_core::catalog::{Inherited, Layout, Selection};
use argway_core::output::DataFormat;
use argway_serve::bridge::{SandboxSettings, Settings};
use clap::{ArgAction, Args, ValueEnum};

use argway_core::units;

/// How a program is read.
#[derive(Debug, Clone, Args)]
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
    /// How many help pages are asked for at once [default: twice the processors]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
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

/// How calls are run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Running commands")]
pub struct RunOptions {
    /// End a call after this long
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = units::duration)]
    pub timeout: Duration,
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
            timeout: Duration::from_secs(120),
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
    pub fn settings(&self, layout: LayoutName) -> Settings {
        Settings {
            layout: layout.into(),
            timeout: self.timeout,
            operator_timeout: None,
            max_output: usize::try_from(self.max_output).unwrap_or(usize::MAX),
            max_spill: self.max_spill,
            format: match self.data {
                DataName::Json => DataFormat::Json,
                DataName::Any => DataFormat::Any,
                DataName::None => DataFormat::None,
            },
            json_output: self.json_output == JsonOutput::Auto,
            directory: self.cwd.clone(),
            sandbox: SandboxSettings::default(),
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
