//! Holds what help pages were read as against what the programs' own completions
//! list, over a folder of captured pages.
//!
//! That is the project's own `corpus`, or the folder that `ARGWAY_CORPUS` names (its
//! `cobra` folder holds one folder a program).

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use argway_core::sources::help;

/// One captured command.
struct Captured {
    program: String,
    path: Vec<String>,
    text: String,
    /// Long flags that completion offered.
    offered: BTreeSet<String>,
    /// While a required flag is missing, completion offers nothing else; whether
    /// it could be satisfied.
    complete: bool,
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read(path).map_or_else(
        |_| String::new(),
        |bytes| String::from_utf8_lossy(&bytes).into_owned(),
    )
}

fn programs() -> Vec<PathBuf> {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let corpus = std::env::var_os("ARGWAY_CORPUS").map_or_else(own, PathBuf::from);
    let programs = folder(&corpus.join("cobra"));
    assert!(!programs.is_empty(), "{} is empty", corpus.display());
    programs
}

fn folder(path: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    entries
}

fn captured(program: &Path) -> Vec<Captured> {
    let name = program.file_name().unwrap().to_string_lossy();
    let name = name.split('@').next().unwrap();
    let is_page = |path: &PathBuf| path.to_string_lossy().ends_with(".help.txt");
    folder(program)
        .into_iter()
        .filter(is_page)
        .map(|page| {
            let text = read(&page);
            let stem = page
                .to_string_lossy()
                .trim_end_matches(".help.txt")
                .to_owned();
            let second = read(format!("{stem}.flags2.txt"));
            let second = second.lines().filter(|line| !line.starts_with('#'));
            let second: String = second.collect();
            let file = stem.rsplit('/').next().unwrap();
            let path = file.strip_prefix(name).unwrap();
            let path = path.split('.').filter(|word| !word.is_empty());
            Captured {
                program: name.to_owned(),
                path: path.map(str::to_owned).collect(),
                text,
                offered: offered(&stem),
                complete: second.is_empty() || second.contains("--"),
            }
        })
        .collect()
}

fn offered(stem: &str) -> BTreeSet<String> {
    [".flags.txt", ".flags2.txt"]
        .iter()
        .map(|end| read(format!("{stem}{end}")))
        .collect::<String>()
        .lines()
        .filter_map(|line| line.split('\t').next()?.strip_prefix("--"))
        .map(|name| name.trim_end_matches('=').to_owned())
        .filter(|name| name != "help" && name != "version")
        .collect()
}

/// Whether some line that starts with a flag has `--name` in its left part.
fn prints(text: &str, name: &str) -> bool {
    let spelled = format!("--{name}");
    // Texts mention flags too, but before the usage or elsewhere in a line.
    let text = match text.rsplit_once("\nUsage:\n") {
        Some((_, after)) if after.contains("lags:\n") => after,
        _ => text,
    };
    let listed = |line: &&str| matches!(line.find('-'), Some(2 | 4 | 6));
    let lines = text.lines().filter(listed).map(str::trim_start);
    lines.filter(|line| line.starts_with('-')).any(|line| {
        let left = line.get(..spelled.len() + 4).unwrap_or(line);
        left.find(&spelled).is_some_and(|at| {
            let next = line[at + spelled.len()..].chars().next();
            next.is_none_or(|c| " =[:\t".contains(c))
        })
    })
}

#[test]
fn flags_on_the_pages_agree_with_completion() {
    let mut poor = Vec::new();
    for program in programs() {
        let (mut found, mut missed, mut invented) = (0_usize, Vec::new(), Vec::new());
        let mut styles = BTreeMap::<String, usize>::new();
        for page in captured(&program) {
            let parsed = help::parse(&page.text, &page.program, &page.path);
            *styles.entry(format!("{:?}", parsed.style)).or_default() += 1;
            let listed: BTreeSet<String> = parsed
                .flags
                .iter()
                .filter_map(|flag| flag.long.clone())
                .filter(|name| name != "help" && name != "version")
                .collect();
            // A command that parses no flags itself completes none; and a manual speaks
            // of flags that other commands have.
            let manual = parsed.style == help::Style::Other;
            if page.offered.is_empty() || !page.complete || manual {
                continue;
            }
            found += listed.intersection(&page.offered).count();
            let missing = page.offered.difference(&listed);
            missed.extend(
                missing
                    .filter(|name| prints(&page.text, name))
                    .map(|name| format!("{} --{name}", page.path.join(" "))),
            );
            let wrong = listed.difference(&page.offered);
            invented.extend(wrong.map(|name| format!("{} --{name}", page.path.join(" "))));
        }
        let share = |bad: usize| found as f64 / (found + bad).max(1) as f64;
        let (recall, precision) = (share(missed.len()), share(invented.len()));
        println!(
            "{:<16} {found:>6} flags  recall {recall:.4}  precision {precision:.4}  {styles:?}",
            program.file_name().unwrap().to_string_lossy(),
        );
        for (what, list) in [("missed", &missed), ("invented", &invented)] {
            for line in list.iter().take(8) {
                println!("    {what} {line}");
            }
        }
        if found > 0 && (recall < 0.995 || precision < 0.995) {
            poor.push(program);
        }
    }
    assert!(poor.is_empty(), "below the mark: {poor:?}");
}

#[test]
fn commands_on_the_pages_are_the_ones_that_were_found() {
    let mut poor = Vec::new();
    for program in programs() {
        let pages = captured(&program);
        let paths: BTreeSet<&[String]> = pages.iter().map(|page| page.path.as_slice()).collect();
        let (mut found, mut missed, mut invented) = (0_usize, Vec::new(), Vec::new());
        for page in &pages {
            let parsed = help::parse(&page.text, &page.program, &page.path);
            // File names have dots between words, so one in a name became another sign.
            let below = |listed: &[help::ListedCommand]| -> BTreeSet<Vec<String>> {
                let names = listed.iter().map(|command| command.name.replace('.', "_"));
                names
                    .filter(|name| !["help", "completion"].contains(&name.as_str()))
                    .map(|name| [page.path.as_slice(), &[name]].concat())
                    .collect()
            };
            let listed = below(&parsed.commands);
            let topics = below(&parsed.topics);
            let children = paths
                .iter()
                .filter(|path| path.len() == page.path.len() + 1 && path.starts_with(&page.path));
            for path in children
                .filter(|path| !["help", "completion"].contains(&path[path.len() - 1].as_str()))
            {
                match listed.contains(*path) || topics.contains(*path) {
                    true => found += 1,
                    false => missed.push(path.join(" ")),
                }
            }
            let wrong = listed
                .iter()
                .filter(|path| !paths.contains(path.as_slice()));
            invented.extend(wrong.map(|path| path.join(" ")));
        }
        println!(
            "{:<16} {found:>5} commands  not listed {missed:?}  without a page {invented:?}",
            program.file_name().unwrap().to_string_lossy(),
        );
        if invented.len() * 200 > found {
            poor.push(program);
        }
    }
    assert!(poor.is_empty(), "names that are no commands: {poor:?}");
}
