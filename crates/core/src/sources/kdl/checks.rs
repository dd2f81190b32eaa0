//! Words that must be more than words: names, variables, commands, paths.

use std::path::{Component, Path};

use super::fault::{Fault, Sort, Span};
use super::fields::Faults;
use crate::policy::loads_code;

/// Longest name of a tool: `cli_` goes before it, and clients take 64 characters.
pub(crate) const LONGEST_NAME: usize = 60;
/// Longest name of a variable.
const LONGEST_VARIABLE: usize = 128;

/// Whether something can be called `name`.
pub(crate) fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|char: char| char.is_ascii_alphanumeric());
    let fits = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    begins && fits && name.len() <= LONGEST_NAME
}

/// Whether `name` will do as the name of a `what`; a fault if not.
pub(crate) fn name(what: &str, name: &str, span: Span, faults: &mut Faults) -> bool {
    if is_name(name) {
        return true;
    }
    let short: String = name.chars().take(LONGEST_NAME).collect();
    let message = format!("`{what}` cannot be called \"{short}\"");
    let fault = Fault::new(Sort::Value, span, message);
    let plain = name.trim_start_matches('-');
    faults.add(match name.len() > LONGEST_NAME {
        true => fault.help(format!("names have at most {LONGEST_NAME} characters")),
        false if what == "flag" && plain.len() < name.len() && !plain.is_empty() => fault.help(
            format!("write `flag \"{plain}\"`, and the dashes in `long` or `short`"),
        ),
        false if name.starts_with('\'') => fault.help("write it in double quotes"),
        false => fault
            .help("names begin with a letter or digit and hold letters, digits, `_`, `-` and `.`"),
    });
    false
}

/// Whether a flag can be typed so.
pub(crate) fn is_spelling(text: &str) -> bool {
    let bare = text.trim_start_matches('-');
    let dashes = text.len() - bare.len();
    let fits = |char: char| !char.is_whitespace() && !char.is_control() && char != '=';
    (1..=2).contains(&dashes) && !bare.is_empty() && text.len() <= 128 && bare.chars().all(fits)
}

/// Whether a definition may speak of the variable `name`; a fault if not.
pub(crate) fn variable(name: &str, span: Span, faults: &mut Faults) -> bool {
    let begins = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    let fits = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !begins || !fits || name.len() > LONGEST_VARIABLE {
        let short: String = name.chars().take(LONGEST_VARIABLE).collect();
        let message = format!("a variable cannot be called \"{short}\"");
        let fault = Fault::new(Sort::Value, span, message);
        faults.add(fault.help("names hold letters, digits and `_`, and begin with no digit"));
        return false;
    }
    if loads_code(name) {
        let message = format!("`{name}` makes programs load code and can be set by no definition");
        faults.add(Fault::new(Sort::Unsafe, span, message));
        return false;
    }
    true
}

/// Finds fault with a command that is neither a name nor an absolute path.
pub(crate) fn command(command: &str, span: Span, faults: &mut Faults) {
    let fault = |message: String| Fault::new(Sort::Value, span, message);
    let is_path = command.contains('/');
    if command.starts_with('~') {
        let message = format!("\"{command}\": `~` stands for no folder here");
        faults.add(fault(message).help("write the absolute path"));
    } else if is_path && !command.starts_with('/') {
        let message =
            format!("\"{command}\" is a relative path: what it is depends on where argway runs");
        faults.add(fault(message).help("write the absolute path, or a name that is on PATH"));
    } else if command.ends_with('/') || matches!(command, "." | "..") {
        faults.add(fault(format!("\"{command}\" is a folder, not a command")));
    } else if !is_path && command.contains(char::is_whitespace) {
        let words: Vec<String> = command
            .split_whitespace()
            .map(|word| format!("\"{word}\""))
            .collect();
        let fault = fault(format!("\"{command}\" is not the name of one program"));
        faults.add(fault.help(format!("write `command {}`", words.join(" "))));
    }
}

/// Whether `path` may be named in a sandbox; a fault if not.
pub(crate) fn absolute(what: &str, path: &str, span: Span, faults: &mut Faults) -> bool {
    let climbs = Path::new(path)
        .components()
        .any(|part| part == Component::ParentDir);
    let fine = path.starts_with('/') && !climbs;
    if !fine {
        let message = format!("`{what}` takes absolute paths without `..`, not \"{path}\"");
        faults.add(Fault::new(Sort::Value, span, message));
    }
    fine
}

/// Whether a command may run in `path`; a fault if not.
pub(crate) fn workdir(path: &str, span: Span, faults: &mut Faults) -> bool {
    let climbs = Path::new(path)
        .components()
        .any(|part| part == Component::ParentDir);
    if climbs || path.starts_with('~') {
        let message = format!(
            "`workdir` is an absolute path, or one below the caller's folder, not \"{path}\""
        );
        let fault = Fault::new(Sort::Value, span, message);
        faults.add(fault.help("`~` and `..` stand for nothing here"));
        return false;
    }
    true
}
