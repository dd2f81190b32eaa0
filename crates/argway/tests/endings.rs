//! When a sandboxed run ends, for whatever reason, nothing that it started is left,
//! whatever that did to stay. Processes are counted by a token among their words.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod ground;

use ground::server::Server;
use ground::{Answer, Ground, Tier, Who, alive, all_hold, finish, happens, none_left};
use rustix::process::Signal;
use serde_json::json;

/// How a program tries to stay.
const WAYS: [&str; 6] = [
    "double-fork",
    "session",
    "deaf",
    "stopped",
    "escaped",
    "forking",
];

const AT_A_TIME: usize = 4;

fn jobs() -> Vec<(&'static str, Who, Tier)> {
    let mut jobs = Vec::new();
    for way in WAYS {
        for who in Who::all() {
            jobs.extend(Tier::all().into_iter().map(|tier| (way, who, tier)));
        }
    }
    jobs
}

/// A server with a run under way that has begun to linger.
struct Lingering {
    ground: Ground,
    server: Server,
    call: u64,
    told: String,
}

impl Lingering {
    fn begin(way: &str, who: Who, tier: Tier) -> Self {
        let ground = Ground::new(who);
        let definition = ground.definition("    timeout 600000");
        let mut server = Server::start(&ground, &definition, tier);
        let call = server.begin(&["linger", way, &ground.token, "stay"]);
        let told = format!("{who:?}, {tier:?}, {way}");
        // The program itself and at least one more.
        let begun = happens(|| alive(&ground.token).len() > 1);
        assert!(begun, "{told}: it never lingered");
        Self {
            ground,
            server,
            call,
            told,
        }
    }

    fn nothing_is_left(&self) -> Result<(), String> {
        match none_left(&self.ground.token) {
            true => Ok(()),
            false => Err(format!(
                "{}: {:?} are left",
                self.told,
                alive(&self.ground.token)
            )),
        }
    }
}

#[track_caller]
fn nothing_is_left_after(end: impl Fn(&mut Lingering) + Sync) {
    all_hold(&jobs(), AT_A_TIME, |&(way, who, tier)| {
        let mut lingering = Lingering::begin(way, who, tier);
        end(&mut lingering);
        lingering.nothing_is_left()
    });
}

#[test]
fn what_lingers_without_a_sandbox_stays() {
    for way in WAYS {
        let ground = Ground::new(Who::User);
        let mut command = ground.command(ground.attacker());
        command.args(["linger", way, &ground.token, "leave"]);
        let answer = Answer::direct(&finish(command.spawn().unwrap()));
        assert_eq!(answer.code, Some(0), "{way}: {answer:?}");
        let stays = happens(|| !alive(&ground.token).is_empty());
        assert!(stays, "{way}: nothing is left");
    }
}

#[test]
fn nothing_is_left_when_the_program_ends_by_itself() {
    all_hold(&jobs(), AT_A_TIME, |&(way, who, tier)| {
        let ground = Ground::new(who);
        let definition = ground.definition("    timeout 60000");
        let words = ["linger", way, &ground.token, "leave"].map(str::to_owned);
        let answer = ground.attack(&definition, &words, tier);
        let told = format!("{who:?}, {tier:?}, {way}: {answer:?}");
        if answer.code != Some(0) || !answer.stdout.contains("lingers") {
            return Err(told);
        }
        match none_left(&ground.token) {
            true => Ok(()),
            false => Err(format!("{told}: some are left")),
        }
    });
}

#[test]
fn nothing_is_left_after_a_timeout() {
    all_hold(&jobs(), AT_A_TIME * 2, |&(way, who, tier)| {
        // On a busy machine it may not have begun to linger when its time is over.
        for timeout in [1_000, 4_000, 16_000] {
            let ground = Ground::new(who);
            let definition = ground.definition(&format!("    timeout {timeout}"));
            let words = ["linger", way, &ground.token, "stay"].map(str::to_owned);
            let answer = ground.attack(&definition, &words, tier);
            let told = format!("{who:?}, {tier:?}, {way}: {answer:?}");
            if answer.code != Some(124) {
                return Err(told);
            }
            if !none_left(&ground.token) {
                return Err(format!("{told}: some are left"));
            }
            if answer.stdout.contains("lingers") {
                return Ok(());
            }
        }
        Err(format!("{who:?}, {tier:?}, {way}: it never lingered"))
    });
}

#[test]
fn nothing_is_left_when_the_call_is_cancelled() {
    nothing_is_left_after(|lingering| {
        let call = lingering.call;
        lingering.server.cancel(call);
    });
}

#[test]
fn a_server_goes_on_after_a_cancelled_call() {
    for who in Who::all() {
        for tier in Tier::all() {
            let mut lingering = Lingering::begin("deaf", who, tier);
            let call = lingering.call;
            lingering.server.cancel(call);
            lingering.nothing_is_left().unwrap();
            let next = lingering.server.begin(&["effective-user"]);
            let answer = lingering.server.answer(next);
            let code = &answer["result"]["structuredContent"]["exitCode"];
            assert_eq!(code, &json!(0), "{who:?}, {tier:?}: {answer}");
        }
    }
}

#[test]
fn nothing_is_left_when_the_client_goes_away() {
    nothing_is_left_after(|lingering| {
        lingering.server.disconnect();
        assert!(lingering.server.ended().success(), "{}", lingering.told);
    });
}

#[test]
fn nothing_is_left_when_the_server_is_asked_to_end() {
    nothing_is_left_after(|lingering| {
        lingering.server.signal(Signal::TERM);
        lingering.server.ended();
    });
}

#[test]
fn nothing_is_left_when_the_server_is_killed() {
    nothing_is_left_after(|lingering| {
        lingering.server.signal(Signal::KILL);
        lingering.server.ended();
    });
}

/// Many at once: the server ends in the middle of their beginnings.
#[test]
fn nothing_is_left_when_the_server_is_killed_while_runs_begin() {
    for who in Who::all() {
        for tier in Tier::all() {
            let ground = Ground::new(who);
            let definition = ground.definition("    timeout 600000");
            let mut server = Server::start(&ground, &definition, tier);
            for round in 0..12 {
                let way = WAYS[round % WAYS.len()];
                server.begin(&["linger", way, &ground.token, "stay"]);
            }
            let begun = happens(|| !alive(&ground.token).is_empty());
            assert!(begun, "{who:?}, {tier:?}: nothing began");
            server.signal(Signal::KILL);
            server.ended();
            let ended = none_left(&ground.token);
            assert!(ended, "{who:?}, {tier:?}: some are left");
        }
    }
}
