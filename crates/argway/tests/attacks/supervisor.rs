//! Attacks on the process that watches over a run, and on another run.

use std::io::{BufRead, BufReader};

use crate::ground::{Answer, Ground, Tier, Who, alive, all_hold, finish, happens, none_left};

const ATTACKS: [&str; 3] = ["kill-supervisor", "stop-supervisor", "trace-supervisor"];

fn jobs() -> Vec<(&'static str, Who, Tier)> {
    let mut jobs = Vec::new();
    for attack in ATTACKS {
        for who in Who::all() {
            jobs.extend(Tier::all().into_iter().map(|tier| (attack, who, tier)));
        }
    }
    jobs
}

#[test]
fn a_supervisor_that_is_no_sandbox_can_be_attacked() {
    for who in Who::all() {
        for attack in ATTACKS {
            let ground = Ground::new(who);
            let mut command = ground.command(ground.attacker());
            command.args(["beneath", attack, &ground.token]);
            let answer = Answer::direct(&finish(command.spawn().unwrap()));
            assert!(
                answer.stdout.starts_with("works: "),
                "{who:?}: {attack}: {answer:?}"
            );
            if attack == "kill-supervisor" {
                assert!(
                    happens(|| !alive(&ground.token).is_empty()),
                    "{who:?}: {attack}: nothing is left"
                );
            }
        }
    }
}

#[test]
fn the_sandboxs_supervisor_cannot_be_attacked() {
    all_hold(&jobs(), 4, |(attack, who, tier)| {
        let ground = Ground::new(*who);
        let definition = ground.definition("    timeout 60000");
        let words = [(*attack).to_owned(), ground.token.clone()];
        let answer = ground.attack(&definition, &words, *tier);
        let told = || format!("{who:?}, {tier:?}: {attack}: {answer:?}");
        if answer.code.is_none() || answer.stdout.contains("works: ") {
            return Err(told());
        }
        match none_left(&ground.token) {
            true => Ok(()),
            false => Err(format!("{}: something is left", told())),
        }
    });
}

#[test]
fn another_runs_temporary_folder_can_be_read_without_a_sandbox() {
    for who in Who::all() {
        let ground = Ground::new(who);
        let mut keeper = ground.command(ground.attacker());
        let mut keeper = keeper.args(["keep-secret", &ground.token]).spawn().unwrap();
        let mut place = String::new();
        let stdout = keeper.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut place).unwrap();
        let mut command = ground.command(ground.attacker());
        command.args(["find-secret", place.trim(), &ground.token]);
        let answer = Answer::direct(&finish(command.spawn().unwrap()));
        keeper.kill().unwrap();
        keeper.wait().unwrap();
        assert_eq!(answer.code, Some(0), "{who:?}: {answer:?}");
    }
}

#[test]
fn another_runs_temporary_folder_cannot_be_read() {
    use crate::ground::server::Server;

    for who in Who::all() {
        for tier in Tier::all() {
            let ground = Ground::new(who);
            let definition = ground.definition("    timeout 60000");
            let mut server = Server::start(&ground, &definition, tier);
            // The first run says where its secret is in a file, because nobody hears
            // what it prints before it ends.
            let keeper = server.begin(&["keep-secret", &ground.token, "place"]);
            let file = ground.path("work/place");
            assert!(happens(|| file.exists()), "{who:?}, {tier:?}: no secret");
            let place = std::fs::read_to_string(&file).unwrap();
            let finder = server.begin(&["find-secret", &place, &ground.token]);
            let answer = server.answer(finder);
            let result = &answer["result"]["structuredContent"];
            assert_eq!(result["exitCode"], 1, "{who:?}, {tier:?}: {answer}");
            server.cancel(keeper);
            assert!(none_left(&ground.token));
        }
    }
}
