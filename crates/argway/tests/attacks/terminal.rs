//! Attacks on the terminal that argway was called from.

use std::fs;

use crate::ground::{Ground, Tier, Who, finish};

/// What a line prints that is run on a terminal, to a file.
fn on_a_terminal(ground: &Ground, words: &[String]) -> String {
    let quoted: Vec<String> = words
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', r"'\''")))
        .collect();
    let line = format!("{} > printed 2>&1", quoted.join(" "));
    let mut command = ground.command("script");
    command.args(["-qec", &line, "/dev/null"]);
    finish(command.spawn().unwrap());
    fs::read_to_string(ground.path("work/printed")).unwrap()
}

#[test]
fn a_program_without_a_sandbox_writes_to_the_terminal() {
    for who in Who::all() {
        let ground = Ground::new(who);
        let attacker = ground.attacker().display().to_string();
        let printed = on_a_terminal(&ground, &[attacker, "terminal".to_owned()]);
        assert!(printed.starts_with("works: "), "{who:?}: {printed}");
    }
}

#[test]
fn a_program_in_the_sandbox_has_no_terminal() {
    for who in Who::all() {
        for tier in Tier::all() {
            for attack in ["terminal", "type-into-terminal"] {
                let ground = Ground::new(who);
                let definition = ground.definition("").display().to_string();
                let arguments = format!("{{\"args\": [\"{attack}\"]}}");
                let argway = ground.argway().display().to_string();
                let words = [&*argway, "call", &definition, "cli_attack", &arguments];
                let mut words = words.map(str::to_owned).to_vec();
                words.push(tier.flag().to_owned());
                let printed = on_a_terminal(&ground, &words);
                let stopped = printed.contains("blocked: ") || printed.contains("n/a: ");
                assert!(stopped, "{who:?}, {tier:?}: {attack}: {printed}");
            }
        }
    }
}
