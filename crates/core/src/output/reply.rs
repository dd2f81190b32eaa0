//! Puts a reply together: the text that a person would see, the same for
//! programs, and what went wrong with what to do about it.

use std::fmt::Write;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::prompt::{self, Wanted};
use super::stream::Shown;
use super::{DataFormat, Ending, Outcome, Reply, declared};
use crate::catalog::{Layout, Tool};
use crate::model::{Encoding, Family, Param};
use crate::policy::{Enforcement, Exceeded, Tier};

/// Flags that a failed call's hint names at most.
const HINTED_FLAGS: usize = 40;

/// Stopped by the system for using a terminal from the background.
const TERMINAL_SIGNALS: [i32; 2] = [21, 22];

/// The reply to a call of `tool` that ended in `outcome`.
pub fn reply(tool: &Tool, layout: Layout, format: DataFormat, outcome: &Outcome) -> Reply {
    let streams = Streams::of(tool, outcome);
    let declared = declared::read(tool, format, outcome, &streams.stdout);
    let is_error = is_failure(tool, outcome.ending) || !declared.failures.is_empty();
    let mut notes = Notes::of(tool, outcome);
    notes.more.extend(declared.failures);
    notes.more.extend(declared.notes);
    notes.more.extend(outcome.sandbox.as_ref().and_then(gaps));
    let (text, structured) = match layout {
        Layout::Flat => (
            flat_text(tool, outcome, &streams, &notes),
            flat_structure(declared.data, outcome, &streams),
        ),
        Layout::Nested => {
            let structured = nested_structure(outcome, &streams, &notes);
            (structured.to_string(), structured)
        }
    };
    Reply {
        text,
        structured,
        meta: meta(outcome, &streams, layout, &notes),
        is_error,
        gaps: (outcome.sandbox.as_ref()).map_or_else(Vec::new, |sandbox| sandbox.gaps.clone()),
    }
}

/// What a run of `tool` that failed wanted from a terminal, and what to pass instead.
pub fn advice(tool: &Tool, outcome: &Outcome) -> Option<String> {
    Notes::of(tool, outcome).advice
}

/// Why a run of `tool` failed by what its definition says, whatever its exit code was.
pub fn failures(tool: &Tool, format: DataFormat, outcome: &Outcome) -> Vec<String> {
    let streams = Streams::of(tool, outcome);
    declared::read(tool, format, outcome, &streams.stdout).failures
}

/// Whether a run that ended so failed.
fn is_failure(tool: &Tool, ending: Ending) -> bool {
    let allowed = tool
        .spec()
        .run
        .as_ref()
        .is_some_and(|run| run.allow_failure);
    match ending {
        Ending::Exited(code) => code != 0 && !allowed,
        Ending::Signalled(_)
        | Ending::TimedOut(_)
        | Ending::Cancelled
        | Ending::Flooded(_)
        | Ending::Exceeded(_) => true,
    }
}

/// Both streams as the result has them.
struct Streams<'a> {
    stdout: Shown,
    /// What stdout is shown of, byte for byte.
    stdout_bytes: &'a [u8],
    /// Nothing where a definition keeps it to itself.
    stderr: Option<Shown>,
}

impl<'a> Streams<'a> {
    fn of(tool: &Tool, outcome: &'a Outcome) -> Self {
        let run = tool.spec().run.as_ref();
        let trims = run.is_some_and(|run| run.stdout.trim && run.stdout.encoding == Encoding::Utf8);
        let head = &outcome.stdout.head;
        Self {
            stdout: match run {
                Some(run) => Shown::declared(&outcome.stdout, &run.stdout),
                None => Shown::of(&outcome.stdout),
            },
            stdout_bytes: if trims { head.trim_ascii() } else { head },
            stderr: run
                .is_none_or(|run| run.stderr.capture)
                .then(|| Shown::of(&outcome.stderr)),
        }
    }

    fn stderr_text(&self) -> &str {
        self.stderr.as_ref().map_or("", |stderr| &stderr.text)
    }
}

/// What is to be said about a run besides its output.
struct Notes {
    /// How it ended, where that is not with an exit code.
    ending: Option<String>,
    /// What it wanted from a terminal, and what to pass instead.
    advice: Option<String>,
    /// What was done to processes that it left behind.
    leftovers: Option<&'static str>,
    /// What a definition or the sandbox has to say.
    more: Vec<String>,
}

impl Notes {
    fn of(tool: &Tool, outcome: &Outcome) -> Self {
        let (stdout, stderr) = (Shown::of(&outcome.stdout), Shown::of(&outcome.stderr));
        let heard = prompt::wanted(&stdout.text, &stderr.text);
        let wanted = match outcome.ending {
            // It went on without an answer; only an unanswered question is worth a word.
            Ending::Exited(0) => heard.filter(|wanted| *wanted == Wanted::Confirmation),
            Ending::Signalled(signal) if TERMINAL_SIGNALS.contains(&signal) => {
                Some(heard.unwrap_or(Wanted::Terminal))
            }
            Ending::Exited(_) | Ending::TimedOut(_) => heard,
            Ending::Signalled(_) | Ending::Cancelled | Ending::Flooded(_) | Ending::Exceeded(_) => {
                None
            }
        };
        let said = format!("{}\n{}", stderr.text, stdout.text);
        Self {
            ending: ending(tool, outcome.ending),
            advice: wanted.map(|wanted| prompt::advice(wanted, tool, &said)),
            leftovers: outcome.ended_leftovers.then_some(
                "Processes that the command left behind kept its output open and were ended.",
            ),
            more: Vec::new(),
        }
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        [
            self.ending.as_deref(),
            self.advice.as_deref(),
            self.leftovers,
        ]
        .into_iter()
        .flatten()
        .chain(self.more.iter().map(String::as_str))
    }
}

/// What the sandbox promises and did not keep.
fn gaps(sandbox: &Enforcement) -> Option<String> {
    let gaps: Vec<&str> = (sandbox.gaps.iter())
        .map(|gap| gap.trim().trim_end_matches('.'))
        .collect();
    (!gaps.is_empty()).then(|| {
        format!(
            "The sandbox ({}) leaves something open: {}.",
            tier(sandbox.tier),
            gaps.join("; ")
        )
    })
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Strict => "strict",
        Tier::Portable => "portable",
        Tier::Partial => "partial",
    }
}

/// How a bound is raised, by the node of a definition and by the flag of the server.
fn raised(tool: &Tool, node: &str, flag: Option<&str>) -> String {
    let node = (tool.program.family == Family::Definition)
        .then(|| format!("`sandbox {{ resources {{ {node} … }} }}` in its definition"));
    let flag = flag.map(|flag| format!("the server's `{flag}`"));
    match (node, flag) {
        (Some(node), Some(flag)) => format!(" To allow more: {node}, or {flag}."),
        (Some(way), None) | (None, Some(way)) => format!(" To allow more: {way}."),
        (None, None) => String::new(),
    }
}

fn ending(tool: &Tool, ending: Ending) -> Option<String> {
    Some(match ending {
        Ending::Exited(_) => return None,
        Ending::Signalled(signal) if TERMINAL_SIGNALS.contains(&signal) => {
            "The command was ended because it waited for a terminal.".to_owned()
        }
        Ending::Signalled(signal) => format!("The command was ended by {}.", signal_name(signal)),
        Ending::TimedOut(after) => format!(
            "The command was ended because it ran longer than {}. \
             {} sets how long it may take.",
            duration(after),
            match tool.program.family {
                Family::Definition => "`timeout` in its definition",
                _ => "The server's `--timeout`",
            }
        ),
        Ending::Cancelled => "The call was cancelled and the command ended.".to_owned(),
        Ending::Flooded(limit) => format!(
            "The command was ended because it printed more than {limit} bytes.{}",
            raised(tool, "output_mb", None)
        ),
        Ending::Exceeded(what) => {
            let (used, node, flag) = match what {
                Exceeded::Cpu => ("more processor time", "cpu_seconds", "--cpu-seconds"),
                Exceeded::Memory => ("more memory", "memory_mb", "--memory-mb"),
                Exceeded::Processes => ("more processes", "processes", "--processes"),
            };
            format!(
                "The command was ended because it used {used} than its sandbox allows.{}",
                raised(tool, node, Some(flag))
            )
        }
    })
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 60, seconds % 60) {
        (0, _) => format!("{} s", duration.as_millis() as f64 / 1000.0),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, rest) => format!("{minutes} min {rest} s"),
    }
}

fn flat_text(tool: &Tool, outcome: &Outcome, streams: &Streams<'_>, notes: &Notes) -> String {
    let mut paragraphs = Vec::new();
    let out = streams.stdout.text.trim_end();
    let err = streams.stderr_text().trim_end();
    if !out.is_empty() {
        paragraphs.push(out.to_owned());
    }
    if !err.is_empty() {
        paragraphs.push(match out.is_empty() {
            true => err.to_owned(),
            false => format!("stderr:\n{err}"),
        });
    }
    if let Ending::Exited(code) = outcome.ending
        && code != 0
    {
        paragraphs.push(format!("exit code {code}"));
    }
    paragraphs.extend(notes.lines().map(str::to_owned));
    if matches!(outcome.ending, Ending::Exited(_)) && is_failure(tool, outcome.ending) {
        paragraphs.extend(usage(tool, &[out, err]));
    }
    if paragraphs.is_empty() {
        // Some models refuse a message with an empty text in it.
        return "(no output)".to_owned();
    }
    let mut text = paragraphs.join("\n\n");
    text.push('\n');
    text
}

/// The usage line and the flags, unless the program printed its usage itself.
fn usage(tool: &Tool, said: &[&str]) -> Option<String> {
    let usage = tool.spec().usage.trim();
    if usage.is_empty() || said.iter().any(|text| text.contains(usage)) {
        return None;
    }
    let mut hint = format!("Usage: {usage}");
    let required = |flag: &&Param| flag.required;
    let flags: Vec<&Param> = tool.flags.iter().filter(|flag| !flag.hidden).collect();
    let (first, rest): (Vec<&Param>, Vec<&Param>) = flags.into_iter().partition(required);
    let all: Vec<String> = first.into_iter().chain(rest).map(flag).collect();
    if !all.is_empty() {
        let shown = &all[..all.len().min(HINTED_FLAGS)];
        let _ = write!(hint, "\nFlags: {}", shown.join(", "));
        if all.len() > shown.len() {
            let _ = write!(hint, " and {} more", all.len() - shown.len());
        }
    }
    Some(hint)
}

fn flag(flag: &Param) -> String {
    let mut text = flag
        .spelling()
        .and_then(|spelling| spelling.long.as_deref().or(spelling.short.as_deref()))
        .unwrap_or(&flag.name)
        .to_owned();
    if flag.kind.takes_value() {
        let kind = flag.kind.to_string();
        let value = flag.value_name.as_deref().unwrap_or(&kind);
        let _ = write!(text, " {value}");
    }
    if flag.required {
        text.push_str(" (required)");
    }
    text
}

fn flat_structure(data: Option<Value>, outcome: &Outcome, streams: &Streams<'_>) -> Value {
    let mut structure = Map::new();
    // What a shell would say: 128 and the signal, 124 after a timeout.
    let code = match outcome.ending {
        Ending::Exited(code) => code,
        Ending::Signalled(signal) => 128 + signal,
        Ending::TimedOut(_) => 124,
        Ending::Cancelled => 130,
        Ending::Flooded(_) => 153,
        Ending::Exceeded(_) => 137,
    };
    structure.insert("exitCode".into(), json!(code));
    structure.insert("stdout".into(), json!(streams.stdout.text));
    if let Some(stderr) = &streams.stderr {
        structure.insert("stderr".into(), json!(stderr.text));
    }
    if let Some(data) = data {
        structure.insert("data".into(), data);
    }
    let both = [
        ("stdout", Some(&streams.stdout), &outcome.stdout),
        ("stderr", streams.stderr.as_ref(), &outcome.stderr),
    ];
    let truncated: Map<String, Value> = both
        .iter()
        .filter(|(_, shown, _)| shown.is_some_and(|shown| shown.cut))
        .map(|(name, _, captured)| {
            let mut facts = Map::new();
            facts.insert("bytes".into(), json!(captured.total));
            if let Some(file) = &captured.file {
                facts.insert("file".into(), json!(file.to_string_lossy()));
            }
            ((*name).to_owned(), Value::Object(facts))
        })
        .collect();
    if !truncated.is_empty() {
        structure.insert("truncated".into(), Value::Object(truncated));
    }
    let milliseconds = u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX);
    structure.insert("durationMs".into(), json!(milliseconds));
    Value::Object(structure)
}

/// ophis' shape: empty streams are left out, and -1 is Go's code for a program
/// that did not exit by itself. Its text block is this very JSON.
fn nested_structure(outcome: &Outcome, streams: &Streams<'_>, notes: &Notes) -> Value {
    let code = match outcome.ending {
        Ending::Exited(code) => code,
        Ending::Signalled(_)
        | Ending::TimedOut(_)
        | Ending::Cancelled
        | Ending::Flooded(_)
        | Ending::Exceeded(_) => -1,
    };
    let stdout = &streams.stdout;
    let mut stderr = streams.stderr_text().to_owned();
    for note in notes.lines() {
        if !stderr.is_empty() && !stderr.ends_with('\n') {
            stderr.push('\n');
        }
        stderr.push_str(note);
        stderr.push('\n');
    }
    let mut structure = Map::new();
    if !stdout.text.is_empty() {
        structure.insert("stdout".into(), json!(stdout.text));
    }
    if !stderr.is_empty() {
        structure.insert("stderr".into(), json!(stderr));
    }
    structure.insert("exitCode".into(), json!(code));
    Value::Object(structure)
}

/// The exact bytes of streams that the text does not hold exactly (what is too long
/// for that is in a file), what held while it ran, and what there is to say besides.
fn meta(outcome: &Outcome, streams: &Streams<'_>, layout: Layout, notes: &Notes) -> Option<Value> {
    let (stdout, stderr) = (&streams.stdout, streams.stderr.as_ref());
    let both = [
        ("argway/stdoutBase64", Some(stdout), streams.stdout_bytes),
        (
            "argway/stderrBase64",
            stderr,
            outcome.stderr.head.as_slice(),
        ),
    ];
    let mut meta: Map<String, Value> = both
        .into_iter()
        .filter(|(_, shown, _)| shown.is_some_and(|shown| !shown.exact && !shown.cut))
        .map(|(name, _, bytes)| (name.to_owned(), json!(STANDARD.encode(bytes))))
        .collect();
    if let Some(sandbox) = &outcome.sandbox {
        let mut facts = Map::new();
        facts.insert("tier".to_owned(), json!(tier(sandbox.tier)));
        if !sandbox.gaps.is_empty() {
            facts.insert("gaps".to_owned(), json!(sandbox.gaps));
        }
        meta.insert("argway/sandbox".to_owned(), Value::Object(facts));
    }
    // Nested has them in its stderr already.
    if layout == Layout::Flat {
        let notes: Vec<&str> = notes.lines().collect();
        if !notes.is_empty() {
            meta.insert("argway/notes".to_owned(), json!(notes));
        }
    }
    (!meta.is_empty()).then_some(Value::Object(meta))
}

#[cfg(test)]
mod tests;
