//! How the fake server is told to behave from the start.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Which lives the server knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Era {
    /// `initialize` only.
    #[default]
    Legacy,
    /// Both.
    Modern,
    /// `server/discover` only.
    ModernOnly,
}

/// The flags.
#[derive(Debug, Default)]
pub struct Flags {
    /// `--banner`: greets on stdout, with lines that are no messages.
    pub banner: bool,
    /// `--protocol VERSION`: answers `initialize` with this version.
    pub protocol: Option<String>,
    /// `--era legacy|modern|modern-only`.
    pub era: Era,
    /// `--exit-on-discover`.
    pub exit_on_discover: bool,
    /// `--exit-on-initialize`: with `--era modern-only`, refuses and ends.
    pub exit_on_initialize: bool,
    /// `--never-initialize`: never answers it.
    pub never_initialize: bool,
    /// `--slow-initialize MS`.
    pub slow_initialize: Option<Duration>,
    /// `--exit-after-idle MS`.
    pub exit_after_idle: Option<Duration>,
    /// `--pages N`: tools come in so many pages.
    pub pages: usize,
    /// `--bad-tools`: some are no tools.
    pub bad_tools: bool,
    /// `--input-required`: offers `confirm`, which answers with a question.
    pub input_required: bool,
    /// `--fail-to-start CODE`: complains and ends.
    pub fail_to_start: Option<u8>,
    /// `--ignore-eof`: stays when its stdin is closed.
    pub ignore_eof: bool,
    /// `--deaf`: reads nothing after `initialize`.
    pub deaf: bool,
    /// `--crlf`: lines end as on Windows.
    pub crlf: bool,
    /// `--dies-of-cancel`: after a cancelled call, the next message is its end.
    pub dies_of_cancel: bool,
    /// `--untold`: does not tell when its tools change.
    pub untold: bool,
    /// `--shy`: tells log messages only after `logging/setLevel`.
    pub shy: bool,
    /// `--bom`: the first line begins with a byte order mark.
    pub bom: bool,
    /// `--script FILE`: offers and answers what the file says, see `script.rs`.
    pub script: Option<PathBuf>,
}

impl Flags {
    /// Reads the words after the program's name; those after `--` are for the `args`
    /// tool to show.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut flags = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--" => break,
                "--banner" => flags.banner = true,
                "--exit-on-discover" => flags.exit_on_discover = true,
                "--exit-on-initialize" => flags.exit_on_initialize = true,
                "--never-initialize" => flags.never_initialize = true,
                "--bad-tools" => flags.bad_tools = true,
                "--input-required" => flags.input_required = true,
                "--ignore-eof" => flags.ignore_eof = true,
                "--deaf" => flags.deaf = true,
                "--dies-of-cancel" => flags.dies_of_cancel = true,
                "--untold" => flags.untold = true,
                "--shy" => flags.shy = true,
                "--crlf" => flags.crlf = true,
                "--bom" => flags.bom = true,
                "--script" => flags.script = Some(value(&word, &mut words)?),
                "--protocol" => flags.protocol = Some(value(&word, &mut words)?),
                "--pages" => flags.pages = value(&word, &mut words)?,
                "--fail-to-start" => flags.fail_to_start = Some(value(&word, &mut words)?),
                "--slow-initialize" => flags.slow_initialize = Some(time(&word, &mut words)?),
                "--exit-after-idle" => flags.exit_after_idle = Some(time(&word, &mut words)?),
                "--era" => {
                    flags.era = match value::<String>(&word, &mut words)?.as_str() {
                        "legacy" => Era::Legacy,
                        "modern" => Era::Modern,
                        "modern-only" => Era::ModernOnly,
                        other => return Err(format!("no era is called {other}")),
                    }
                }
                other => return Err(format!("unknown flag {other}")),
            }
        }
        Ok(flags)
    }
}

fn value<T: FromStr>(flag: &str, words: &mut impl Iterator<Item = String>) -> Result<T, String> {
    let word = words.next().ok_or(format!("{flag} needs a value"))?;
    word.parse().map_err(|_| format!("{flag} cannot be {word}"))
}

fn time(flag: &str, words: &mut impl Iterator<Item = String>) -> Result<Duration, String> {
    value(flag, words).map(Duration::from_millis)
}
