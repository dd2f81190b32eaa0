//! Real attacks on the sandbox. Each works without one, and is stopped in the strict
//! tier and in the portable one, for root and for an ordinary user; what the portable
//! tier leaves open is one table, and argway itself says the same.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../ground/mod.rs"]
mod ground;
mod hogs;
mod supervisor;
mod table;
mod terminal;
mod victims;

use std::collections::BTreeSet;
use std::sync::RwLock;

use ground::server::Server;
use ground::{Answer, Ground, Tier, Who, all_hold, finish};
use serde_json::json;
use table::{ATTACKS, Alone, Attack, GAPS};
use victims::{Listeners, Victims};

/// Seconds of work for two processors, mostly spent waiting for processes.
const AT_A_TIME: usize = 6;

/// An attack that works reaches the victims of others too: it has the machine to itself.
static EVERYONE: RwLock<()> = RwLock::new(());

/// What of an attack is tried.
#[derive(Debug, Clone, Copy)]
enum Try {
    Alone,
    In(Tier),
    /// What a call gets by itself where the system makes no namespaces.
    WithoutNamespaces,
}

fn tries(ways: &[Try]) -> Vec<(&'static Attack, Who, Try)> {
    let mut tries = Vec::new();
    for attack in ATTACKS {
        for who in Who::all() {
            tries.extend(ways.iter().map(|&way| (attack, who, way)));
        }
    }
    tries
}

#[test]
fn every_attack_works_without_a_sandbox() {
    let listeners = Listeners::new();
    all_hold(&tries(&[Try::Alone]), AT_A_TIME, |(attack, who, _)| {
        if attack.reaches_everyone(*who) {
            return Ok(());
        }
        let _alone = matches!(attack.alone, Alone::WorksForUsers).then(|| EVERYONE.write());
        let ground = Ground::new(*who);
        let victims = Victims::new(&ground, &listeners);
        let answer = alone(&ground, &victims, attack);
        match answer.code {
            Some(0) => Ok(()),
            Some(1 | 2) if !attack.must_work(*who) => Ok(()),
            _ => Err(format!("{who:?}: {}: {answer:?}", attack.line)),
        }
    });
}

fn alone(ground: &Ground, victims: &Victims, attack: &Attack) -> Answer {
    let mut command = victims.exposed(ground, &ground.attacker());
    command.args(victims.words(attack.line));
    Answer::direct(&finish(command.spawn().unwrap()))
}

#[test]
fn every_attack_is_stopped_by_the_sandbox() {
    let listeners = Listeners::new();
    let mut ways: Vec<Try> = Tier::all().into_iter().map(Try::In).collect();
    ways.push(Try::WithoutNamespaces);
    all_hold(&tries(&ways), AT_A_TIME, |(attack, who, way)| {
        let tier = match *way {
            Try::Alone => return Ok(()),
            Try::In(tier) => tier,
            Try::WithoutNamespaces => Tier::Portable,
        };
        let _with_others = EVERYONE.read();
        let ground = Ground::new(*who);
        let victims = Victims::new(&ground, &listeners);
        let before = victims.state(&ground);
        let answer = sandboxed(&ground, &victims, attack, *way);
        let harm = before.changed(&victims.state(&ground));
        let told = || format!("{who:?}, {way:?}: {}: {answer:?} {harm:?}", attack.line);
        let open = tier == Tier::Portable && attack.open.is_some() && attack.must_work(*who);
        let stopped = match answer.code {
            Some(0) => false,
            Some(1) => answer.stdout.starts_with("blocked: "),
            Some(2) => answer.stdout.starts_with("n/a: "),
            // Ended for a system call that no program of this kind makes.
            Some(code) => code == 128 + 31,
            None => return Err(told()),
        };
        match (open, stopped) {
            (false, true) if harm.is_empty() => Ok(()),
            // A gap that is closed should leave the table.
            (true, false) if answer.code == Some(0) => Ok(()),
            _ => Err(told()),
        }
    });
}

fn sandboxed(ground: &Ground, victims: &Victims, attack: &Attack, way: Try) -> Answer {
    let definition = ground.definition("    timeout 60000");
    let words = victims.words(attack.line);
    let arguments = json!({ "args": words }).to_string();
    let argway = ground.argway();
    let (mut command, flag) = match way {
        Try::In(tier) => (victims.exposed(ground, &argway), tier.flag()),
        Try::Alone | Try::WithoutNamespaces => {
            let without = ground.binaries.path("bin/without");
            let mut command = victims.exposed(ground, &without);
            command.args(["namespaces", "--"]).arg(argway);
            (command, "--sandbox=enforced")
        }
    };
    command.arg("call").arg(definition).arg("cli_attack");
    command.args([&*arguments, "--json", flag]);
    Answer::of_argway(&finish(command.spawn().unwrap()))
}

/// What argway says of a run that is less than the policy promises.
fn gaps(tier: Tier, who: Who) -> Vec<String> {
    let ground = Ground::new(who);
    let definition = ground.definition("");
    let mut server = Server::start(&ground, &definition, tier);
    let call = server.begin(&["effective-user"]);
    let answer = server.answer(call);
    let held = &answer["result"]["_meta"]["argway/sandbox"];
    let name = format!("{tier:?}").to_lowercase();
    assert_eq!(held["tier"], json!(name), "{who:?}: {answer}");
    match held.get("gaps") {
        Some(said) => serde_json::from_value(said.clone()).unwrap(),
        None => Vec::new(),
    }
}

#[test]
fn what_the_portable_tier_leaves_open_is_what_argway_says() {
    for who in Who::all() {
        let said = gaps(Tier::Portable, who);
        for (gap, word) in GAPS {
            let matching = said.iter().filter(|sentence| sentence.contains(word));
            assert_eq!(matching.count(), 1, "{gap:?} ({word}) in {said:#?}");
        }
        let known = |sentence: &&String| GAPS.iter().any(|(_, word)| sentence.contains(word));
        let unknown: Vec<&String> = said.iter().filter(|it| !known(it)).collect();
        assert!(unknown.is_empty(), "not in the table: {unknown:#?}");
    }
}

#[test]
fn the_strict_tier_leaves_nothing_open() {
    if Tier::all().contains(&Tier::Strict) {
        for who in Who::all() {
            assert_eq!(gaps(Tier::Strict, who), [""; 0]);
        }
    }
}

#[test]
fn each_gap_is_shown_by_an_attack() {
    let shown: BTreeSet<_> = ATTACKS.iter().filter_map(|attack| attack.open).collect();
    let known: BTreeSet<_> = GAPS.iter().map(|(gap, _)| *gap).collect();
    assert_eq!(shown, known);
}
