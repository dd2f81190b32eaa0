//! Tells a program's family from its first page.

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
    let clap = [
        "Print help",
        "Prints help information",
        "[possible values:",
        "Print version",
    ];
    if clap.iter().any(|phrase| has(phrase))
        && line(&|line| line.to_lowercase().starts_with("usage:"))
    {
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
    if line(&|line| line.starts_with("Usage of ") && line.ends_with(':')) {
        return Some(Family::GoFlag);
    }
    if name == "git" || (starts("usage: git ") && has("--[no-]")) {
        return Some(Family::Git);
    }
    if starts("Usage: ")
        && (has("display this help")
            || has("[OPTION]...")
            || has("Mandatory arguments to long options"))
    {
        return Some(Family::Gnu);
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
    fn a_page_by_hand_is_not_claps() {
        let page = "rg 14.1.0\n\nUSAGE:\n  rg [OPTIONS] PATTERN [PATH ...]\n\nINPUT OPTIONS:\n  -f, --file=PATTERNFILE\n    Search for patterns from the file.\n";
        assert_eq!(detect(page, "rg"), None);
    }
}
