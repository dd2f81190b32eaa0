//! Transcripts of a shell within a text: what is typed, and all that is printed.
//!
//! They are its `console` blocks, in the format of the trycmd crate: `$ ` begins a
//! command, `> ` goes on with it, `? 2` is its exit code where that is not 0, and the
//! rest is its output, stdout and stderr as they come. `[..]` stands for anything in a
//! line, `...` for any lines. Unlike trycmd's, commands may be whatever a shell
//! understands, and those of one block share a shell.

use std::process::Output;

/// Ends what a command printed; its exit code follows.
const END: &str = "-- end of the command, exit code";

/// `text` with every block as it looks when `shell` runs it: a script in, what it
/// printed out.
///
/// # Panics
/// Where a script does not come to its end.
pub fn replayed(text: &str, mut shell: impl FnMut(&str) -> Output) -> String {
    let mut looks = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        looks += &format!("{line}\n");
        if line == "```console" {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            looks += &run(&block, &mut shell);
            looks += "```\n";
        }
    }
    looks
}

/// The commands of a block, each with all its lines.
fn commands(block: &[&str]) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in block {
        let more = line.strip_prefix("> ").filter(|_| is_open);
        is_open = match (line.strip_prefix("$ "), more, commands.last_mut()) {
            (Some(first), ..) => {
                commands.push(first.to_owned());
                true
            }
            (None, Some(more), Some(last)) => {
                *last = format!("{last}\n{more}");
                true
            }
            (None, _, last) => {
                assert!(last.is_some(), "output before any command: {line}");
                false
            }
        };
    }
    commands
}

/// Runs the commands of a block in one shell, and writes down how that looks.
fn run(block: &[&str], shell: &mut impl FnMut(&str) -> Output) -> String {
    let commands = commands(block);
    let steps = commands
        .iter()
        .map(|command| format!("{{ {command}\n}} 2>&1\nprintf '\\n%s %s\\n' '{END}' $?\n"));
    let script: String = steps.collect();
    let output = shell(&script);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.is_empty(), "the shell says {stderr} to\n{script}");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let end = format!("\n{END} ");
    let mut rest = &*stdout;
    let mut looks = String::new();
    for command in &commands {
        let ended = rest
            .split_once(&end)
            .and_then(|(printed, after)| Some((printed, after.split_once('\n')?)));
        let Some((printed, (code, after))) = ended else {
            panic!("{command} did not come to its end");
        };
        rest = after;
        looks += &format!("$ {}\n", command.replace('\n', "\n> "));
        if code != "0" {
            looks += &format!("? {code}\n");
        }
        looks += printed;
        if !printed.is_empty() && !printed.ends_with('\n') {
            looks.push('\n');
        }
    }
    assert_eq!(rest, "");
    looks
}
