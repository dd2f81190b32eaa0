//! Tells a program's family from its first page.

use super::{gnu, golang};
use crate::model::Family;

/// The family whose layout and stock phrases `page` of the program `name` has.
pub fn detect(page: &str, name: &str) -> Option<Family> {
    looked_at(page, name, true)
}

/// The same for a program of machine code, which has Python's parsers only where it says
/// so in their very words.
pub(super) fn native(page: &str, name: &str) -> Option<Family> {
    looked_at(page, name, page.contains("show this help message and exit"))
}

fn looked_at(page: &str, name: &str, may_be_python: bool) -> Option<Family> {
    let has = |phrase: &str| page.contains(phrase);
    let line = |test: &dyn Fn(&str) -> bool| page.lines().any(|line| test(line.trim_end()));
    let starts = |word: &str| line(&|line| line.trim_start().starts_with(word));
    if has("╭─ Options") || has("╭─ Commands") || has("╭─ Arguments") {
        return Some(Family::Click);
    }
    if has("Show this message and exit.") && starts("Usage:") {
        return Some(Family::Click);
    }
    if let Some(family) = python(page).filter(|_| may_be_python) {
        return Some(family);
    }
    if let Some(family) = node(page) {
        return Some(family);
    }
    let clap = |line: &str| {
        let text = line.trim_start();
        let helps = ["Print help", "Print version", "Print version information"].contains(&text)
            || text.starts_with("Print help (see ")
            || text.starts_with("Print help information")
            || line.contains("--help ") && line.contains("Print help")
            || line.contains("--version ") && line.ends_with("Print version");
        helps || line.contains("Prints help information") || line.contains("[possible values:")
    };
    let clap = line(&clap);
    if clap && line(&|line| line.to_lowercase().starts_with("usage:")) {
        return Some(Family::Clap);
    }
    if line(&|line| line == "NAME:") && line(&|line| line == "USAGE:") && has("show help") {
        return Some(Family::Urfave);
    }
    if has("Show context-sensitive help") {
        return Some(Family::Kingpin);
    }
    if line(&|line| line.starts_with("Usage of ") && line.ends_with(':'))
        || golang::prints_defaults(page)
        || golang::is_hashicorps(page)
        || golang::is_go(page)
    {
        return Some(Family::GoFlag);
    }
    if name == "git" || (starts("usage: git ") && has("--[no-]")) {
        return Some(Family::Git);
    }
    if gnu::is_busybox(page) {
        return Some(Family::Gnu);
    }
    let lower = page.to_lowercase();
    if starts("Usage:")
        && (lower.contains("display this help")
            || lower.contains("give this help list")
            || has("[OPTION]...")
            || has("[OPTION...]")
            || has("Mandatory arguments to long options"))
    {
        return Some(Family::Gnu);
    }
    None
}

/// What argparse and optparse say of `--help` and `--version`, and programs that word it
/// a little differently.
fn python(page: &str) -> Option<Family> {
    let lower = page.to_lowercase();
    let usage = lower.lines().position(|line| line.starts_with("usage:"))?;
    let is_own = page
        .lines()
        .nth(usage)
        .is_some_and(|line| line.starts_with("usage:") || line.contains(" [-h]"));
    let family = match is_own {
        true => Family::Argparse,
        false => Family::Optparse,
    };
    let own = [
        "show this help message and exit",
        "show program's version number and exit",
        "\npositional arguments:",
        "\noptional arguments:",
    ];
    let worded = [
        "this help message and exit",
        "this help message & exit",
        "this help text and exit",
        "basic help message and exit",
    ];
    // In other words than the libraries' own it is said behind the option, or below it.
    let lines: Vec<&str> = lower.lines().collect();
    let said = lines.iter().enumerate().any(|(at, line)| {
        worded.iter().any(|phrase| {
            let before = line.find(phrase).and_then(|end| line.get(..end));
            let above = at.checked_sub(1).and_then(|above| lines.get(above));
            before.is_some_and(|before| {
                before.contains("--help")
                    || !before.contains('-') && above.is_some_and(|above| above.ends_with("--help"))
            })
        })
    });
    // pip's own formatter and its words.
    let pip = page.contains("\nGeneral Options:\n") && page.contains(" Show help.");
    (pip || said || own.iter().any(|phrase| lower.contains(phrase))).then_some(family)
}

/// The families of Node's programs. Their phrases and tags are no other's.
fn node(page: &str) -> Option<Family> {
    let has = |phrase: &str| page.contains(phrase);
    let line = |test: &dyn Fn(&str) -> bool| page.lines().any(|line| test(line.trim_end()));
    let commander = [
        "display help for command",
        "output usage information",
        "output the version number",
        // cac
        "For more info, run any command with the `--help` flag",
    ];
    let cac = has("Display this message") && has("Display version number");
    let option = |line: &str| line.trim_start().starts_with('-');
    let optionator = line(&|line| option(line) && line.contains("::String"));
    if commander.iter().any(|phrase| has(phrase)) || cac || optionator {
        return Some(Family::Commander);
    }
    let tags = ["[boolean]", "[string]", "[number]", "[array]", "[count]"];
    if tags.iter().any(|tag| line(&|line| line.ends_with(tag))) {
        return Some(Family::Yargs);
    }
    let usage = page.find("USAGE\n").and_then(|at| page.get(at + 6..));
    let dollar = usage.is_some_and(|rest| rest.trim_start().starts_with("$ "));
    let heads = ["\nCOMMANDS\n", "\nTOPICS\n", "\nVERSION\n", "\nFLAGS\n"];
    if line(&|line| line == "USAGE") && dollar && heads.iter().any(|head| has(head)) {
        return Some(Family::Oclif);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claps_words_for_help_tell_it_in_any_version() {
        for page in [
            "Usage: tool [OPTIONS]\n\nOptions:\n  -h, --help  Print help (see more with '--help')\n",
            "tool 1.0\n\nUSAGE:\n    tool\n\nFLAGS:\n    -h, --help    Prints help information\n",
            "Usage: tool <X>\n\nArguments:\n  <X>  One [possible values: a, b]\n",
        ] {
            assert_eq!(detect(page, "tool"), Some(Family::Clap), "{page}");
        }
    }

    #[test]
    fn pythons_parsers_are_told_by_their_words_behind_help() {
        let argparse =
            "usage: tool [-h] [-x]\n\noptions:\n  -h, --help  show this help message and exit\n";
        let optparse = "Usage: tool [OPTIONS]\n\n  -h, --help  Print this help text and exit\n";
        let below = "Usage: tool\n\n  -h, --help\n      Print this help text and exit\n";
        let by_hand = "usage: python [option] ...\n-h     : print this help message and exit (also -? or --help)\n";
        assert_eq!(detect(argparse, "tool"), Some(Family::Argparse));
        assert_eq!(detect(optparse, "tool"), Some(Family::Optparse));
        assert_eq!(detect(below, "tool"), Some(Family::Optparse));
        assert_eq!(detect(by_hand, "python"), None);
    }

    #[test]
    fn a_page_by_hand_is_not_claps() {
        let page = "rg 14.1.0\n\nUSAGE:\n  rg [OPTIONS] PATTERN [PATH ...]\n\nINPUT OPTIONS:\n  -f, --file=PATTERNFILE\n    Search for patterns from the file.\n";
        assert_eq!(detect(page, "rg"), None);
    }
}
