//! Tells a program's family from its first page.

use super::{gnu, golang};
use crate::model::Family;

/// The family whose layout and stock phrases `page` of the program `name` has.
pub fn detect(page: &str, name: &str) -> Option<Family> {
    let has = |phrase: &str| page.contains(phrase);
    let line = |test: &dyn Fn(&str) -> bool| page.lines().any(|line| test(line.trim_end()));
    let starts = |word: &str| line(&|line| line.trim_start().starts_with(word));
    if has("╭─ Options") || has("╭─ Commands") || has("╭─ Arguments") {
        return Some(Family::Click);
    }
    if has("Show this message and exit.") && starts("Usage:") {
        return Some(Family::Click);
    }
    if has("show this help message and exit") || has("show this help message & exit") {
        let lower = line(&|line| line.starts_with("usage:"));
        return Some(if lower {
            Family::Argparse
        } else {
            Family::Optparse
        });
    }
    if line(&|line| line.starts_with("usage: "))
        && (has("\npositional arguments:") || has("\noptional arguments:"))
    {
        return Some(Family::Argparse);
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
    if has("display help for command") {
        return Some(Family::Commander);
    }
    let tags = ["[boolean]", "[string]", "[number]", "[array]", "[count]"];
    if tags.iter().any(|tag| line(&|line| line.ends_with(tag))) {
        return Some(Family::Yargs);
    }
    let dollar = format!("$ {name} ");
    if line(&|line| line == "USAGE")
        && starts(&dollar)
        && (has("\nCOMMANDS\n") || has("\nTOPICS\n") || has("\nVERSION\n"))
    {
        return Some(Family::Oclif);
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
