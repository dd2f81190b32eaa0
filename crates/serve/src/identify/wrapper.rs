//! Reads shell scripts that only start another program.

use std::path::{Path, PathBuf};

/// The program that a shell script hands all of its words to, where the script
/// does little else: `exec /opt/tool/bin/tool "$@"`.
pub(super) fn target(script: &str, path: &Path) -> Option<PathBuf> {
    let mut lines = script.lines();
    let shell = lines.next()?.strip_prefix("#!")?;
    let is_shell = |word: &str| {
        let name = word.rsplit('/').next();
        matches!(name, Some("sh" | "bash" | "dash" | "ash" | "zsh" | "ksh"))
    };
    if !shell.split_whitespace().take(2).any(is_shell) {
        return None;
    }
    let mut target = None;
    for line in lines.map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if target.is_some() {
            return None;
        }
        match line.strip_prefix("exec ") {
            Some(command) => target = Some(handed_to(command, path)?),
            None if is_setting(line) => {}
            None => return None,
        }
    }
    let target = target?;
    (target.is_absolute() && target.is_file()).then_some(target)
}

/// `export X=…`, `X=…`, `set -e`, `unset X`: lines that do not choose the program.
fn is_setting(line: &str) -> bool {
    // A second command, or one that is run inside, could choose anything.
    if line.contains([';', '`', '|', '&', '<', '>']) || line.contains("$(") {
        return false;
    }
    let line = line.strip_prefix("export ").unwrap_or(line);
    let first = line.split_whitespace().next().unwrap_or_default();
    let assigned = first.split_once('=').is_some_and(|(name, _)| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !name.is_empty() && name.chars().all(is_name)
    });
    assigned || matches!(first, "set" | "unset")
}

/// The program in `[-a NAME] PROGRAM [-x…] "$@"`, all words passed on.
fn handed_to(command: &str, script: &Path) -> Option<PathBuf> {
    let folder = script.parent()?.to_str()?;
    // The usual ways of saying "the folder of this script".
    let mut command = command.to_owned();
    for here in ["$(dirname \"$0\")", "$(dirname $0)", "${0%/*}"] {
        command = command.replace(here, folder);
    }
    let mut words = command
        .split_whitespace()
        .map(|word| word.trim_matches(['"', '\'']));
    let mut program = words.next()?;
    if program == "-a" {
        words.next()?;
        program = words.next()?;
    }
    let rest: Vec<&str> = words.collect();
    let (all, fixed) = rest.split_last()?;
    let plain = !program.contains(['$', '`', '*', '~', ';']);
    // Another word before "$@" would be a subcommand of some other program.
    let passes_on = *all == "$@" && fixed.iter().all(|word| word.starts_with('-'));
    (plain && passes_on).then(|| PathBuf::from(program))
}
