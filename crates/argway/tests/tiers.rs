//! On a system that lacks something, a call gets what is still whole and says what that
//! is, or nothing is started; and the doctor says the same. What is lacking is really
//! taken away, by the program `without`.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod ground;

use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use ground::server::Server;
use ground::{Ground, Tier, Who, all_hold, finish};
use serde_json::{Value, json};

const AT_A_TIME: usize = 4;

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Strict,
    Portable,
    /// Less than a tier: what is missing.
    Partial(&'static str),
    /// Not started: what is missing, and a word of what would allow it.
    Refused(&'static str, &'static str),
}

use Held::{Partial, Portable, Refused, Strict};

/// What an operator can demand.
const DEMANDS: [&str; 4] = ["enforced", "strict", "portable", "best-effort"];

struct Place {
    lacks: &'static [&'static str],
    /// Only for them; for everyone where it is nobody.
    only: Option<Who>,
    /// For each demand.
    held: [Held; 4],
}

const fn place(lacks: &'static [&'static str], held: [Held; 4]) -> Place {
    Place {
        lacks,
        only: None,
        held,
    }
}

const fn only(who: Who, lacks: &'static [&'static str], held: [Held; 4]) -> Place {
    Place {
        lacks,
        only: Some(who),
        held,
    }
}

/// Whatever is demanded.
const fn never(lacks: &'static [&'static str], layer: &'static str, remedy: &'static str) -> Place {
    place(lacks, [Refused(layer, remedy); 4])
}

/// Where no namespaces can be had, for this reason.
const fn fallen_back(
    lacks: &'static [&'static str],
    layer: &'static str,
    remedy: &'static str,
) -> Place {
    place(
        lacks,
        [Portable, Refused(layer, remedy), Portable, Portable],
    )
}

/// Where the portable tier cannot be had.
const fn strict_only(
    lacks: &'static [&'static str],
    layer: &'static str,
    remedy: &'static str,
) -> Place {
    place(lacks, [Strict, Strict, Refused(layer, remedy), Strict])
}

/// Where no tier can be had, and one can do without.
const fn less(lacks: &'static [&'static str], layer: &'static str, remedy: &'static str) -> Place {
    let refused = Refused(layer, remedy);
    place(lacks, [refused, refused, refused, Partial(layer)])
}

const ALL: [Held; 4] = [Strict, Strict, Portable, Strict];
const CONTAINER: &str = "seccomp=unconfined";

const PLACES: &[Place] = &[
    place(&[], ALL),
    // Namespaces.
    fallen_back(&["namespaces"], "user namespace", CONTAINER),
    fallen_back(
        &["namespace-quota"],
        "user namespace",
        "sysctl user.max_user_namespaces",
    ),
    fallen_back(&["mounts"], "mount namespace", CONTAINER),
    fallen_back(&["real-root"], "user namespace", "chroot"),
    fallen_back(&["whole-proc"], "mount namespace", "systempaths=unconfined"),
    fallen_back(&["writable-root"], "user namespace", "--sandbox=portable"),
    fallen_back(&["calls-after-5.0"], "mount namespace", "a kernel from 5.2"),
    // Landlock.
    strict_only(&["landlock"], "landlock", "a kernel from 5.13"),
    strict_only(&["calls-after-5.10"], "landlock", "a kernel from 5.13"),
    strict_only(&["landlock-in-use"], "landlock", "lsm="),
    strict_only(&["landlock-permission"], "landlock", "must allow"),
    place(
        &["namespaces", "landlock"],
        [
            Refused("landlock", "a kernel from 5.13"),
            Refused("user namespace", CONTAINER),
            Refused("landlock", "a kernel from 5.13"),
            Partial("landlock"),
        ],
    ),
    place(
        &["mounts", "landlock-in-use"],
        [
            Refused("landlock", "lsm="),
            Refused("mount namespace", CONTAINER),
            Refused("landlock", "lsm="),
            Partial("landlock"),
        ],
    ),
    // Other layers.
    less(&["seccomp"], "seccomp", "CONFIG_SECCOMP_FILTER"),
    less(&["limits"], "rlimits", "prlimit64"),
    only(
        Who::Root,
        &["capset"],
        [
            Refused("capabilities", "capset"),
            Refused("capabilities", "capset"),
            Refused("capabilities", "capset"),
            Partial("capabilities"),
        ],
    ),
    // In a world of its own an ordinary user has capabilities to give up, elsewhere not.
    only(
        Who::User,
        &["capset"],
        [
            Refused("capabilities", "capset"),
            Refused("capabilities", "capset"),
            Portable,
            Partial("capabilities"),
        ],
    ),
    // The watchdog.
    never(&["proc"], "watchdog", "mount a /proc"),
    strict_only(&["subreapers"], "supervisor", "prctl"),
    // Root sees those who hide.
    only(Who::Root, &["visible-processes"], ALL),
    only(
        Who::User,
        &["visible-processes"],
        [Strict, Strict, Refused("watchdog", "hidepid"), Strict],
    ),
    only(
        Who::User,
        &["visible-processes", "namespaces"],
        [
            Refused("watchdog", "hidepid"),
            Refused("user namespace", CONTAINER),
            Refused("watchdog", "hidepid"),
            Partial("watchdog"),
        ],
    ),
    // What the launcher needs.
    never(&["dev-null"], "launcher", "/dev/null"),
    never(&["writable-tmp"], "temporary folder", "TMPDIR"),
    never(&["descriptors=12"], "", "Too many open files"),
    only(
        Who::User,
        &["processes=1"],
        [Refused("launcher", "Resource temporarily unavailable"); 4],
    ),
    place(&["memfd"], ALL),
    place(&["exec-in-tmp"], ALL),
    place(&["parent"], ALL),
    fallen_back(&["parent", "namespaces"], "user namespace", CONTAINER),
];

/// Every place for everyone who can be there. Where these tests run without namespaces,
/// those are left that take none to make.
fn places() -> Vec<(&'static Place, Who)> {
    let makeable = |place: &&Place| {
        Tier::all().contains(&Tier::Strict)
            || matches!(place.lacks, ["namespaces"] | ["namespaces", "landlock"])
    };
    let mut places = Vec::new();
    for place in PLACES.iter().filter(makeable) {
        let everyone = Who::all().into_iter();
        let here = everyone.filter(|who| place.only.is_none_or(|only| only == *who));
        places.extend(here.map(|who| (place, who)));
    }
    places
}

struct Called {
    output: Output,
    printed: Value,
    stderr: String,
    /// The program ran.
    left_a_mark: bool,
    left_a_folder: bool,
}

fn call(place: &Place, who: Who, demand: &str) -> Called {
    let ground = Ground::new(who);
    let mut command = ground.without(place.lacks);
    command.arg("call").arg(ground.definition(""));
    command.args(["cli_attack", r#"{"args": ["write", "mark"]}"#, "--json"]);
    command.arg(format!("--sandbox={demand}"));
    let output = finish(command.spawn().unwrap());
    Called {
        printed: serde_json::from_slice(&output.stdout).unwrap_or_default(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        left_a_mark: ground.path("work/mark").exists(),
        left_a_folder: has_folders(&ground.path("tmp")),
        output,
    }
}

/// Whether a run's folder is left: within that of the user, or beside it. Its launcher
/// removes it, which may end after the call.
fn has_folders(temporary: &Path) -> bool {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let left = || entries(temporary).any(|entry| entries(&entry.path()).next().is_some());
    let until = Instant::now() + Duration::from_secs(30);
    while left() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    left()
}

impl Called {
    fn is(&self, held: Held) -> bool {
        let code = self.output.status.code();
        let sandbox = &self.printed["_meta"]["argway/sandbox"];
        let gaps: Vec<String> = serde_json::from_value(sandbox["gaps"].clone()).unwrap_or_default();
        let ran = code == Some(0) && self.left_a_mark && !self.left_a_folder;
        match held {
            Strict => {
                ran && sandbox["tier"] == "strict" && gaps.is_empty() && self.stderr.is_empty()
            }
            Portable => {
                ran && sandbox["tier"] == "portable"
                    && gaps.len() == 3
                    && gaps.iter().all(|gap| self.stderr.contains(gap))
            }
            Partial(layer) => {
                ran && sandbox["tier"] == "partial"
                    && gaps.iter().any(|gap| gap.starts_with(layer))
                    && gaps.iter().all(|gap| self.stderr.contains(gap))
            }
            Refused(layer, remedy) => {
                code == Some(3)
                    && !self.left_a_mark
                    && !self.left_a_folder
                    && self.output.stdout.is_empty()
                    && self.stderr.contains(layer)
                    && self.stderr.contains(remedy)
            }
        }
    }
}

#[test]
fn every_demand_gets_what_it_asks_for_or_nothing_is_started() {
    let mut jobs = Vec::new();
    for (place, who) in places() {
        jobs.extend(DEMANDS.iter().zip(place.held).map(|it| (place, who, it)));
    }
    all_hold(&jobs, AT_A_TIME, |(place, who, (demand, held))| {
        let called = call(place, *who, demand);
        match called.is(*held) {
            true => Ok(()),
            false => Err(format!(
                "without {:?}, {who:?}, {demand}: not {held:?}, but {:?} {} {}, mark {}, folder {}",
                place.lacks,
                called.output.status.code(),
                called.printed,
                called.stderr,
                called.left_a_mark,
                called.left_a_folder,
            )),
        }
    });
}

#[test]
fn the_doctor_says_what_a_call_gets() {
    all_hold(&places(), AT_A_TIME, |(place, who)| {
        let ground = Ground::new(*who);
        let mut command = ground.without(place.lacks);
        let output = finish(command.args(["doctor", "--json"]).spawn().unwrap());
        let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let keeps = |tier: &str| {
            let promises = found["promises"].as_array().into_iter().flatten();
            promises
                .filter(|promise| promise[tier]["kept"] == true)
                .count()
                > 0
        };
        let [enforced, strict, portable, _] = place.held;
        let (tier, code) = match enforced {
            Strict => (json!("strict"), 0),
            Portable => (json!("portable"), 0),
            Partial(_) | Refused(..) => (Value::Null, 3),
        };
        let same = found["tier"] == tier
            && output.status.code() == Some(code)
            && keeps("strict") == (strict == Strict)
            && keeps("portable") == (portable == Portable);
        match same {
            true => Ok(()),
            false => Err(format!(
                "without {:?}, {who:?}: {:?} {found:#} {}",
                place.lacks,
                output.status.code(),
                String::from_utf8_lossy(&output.stderr),
            )),
        }
    });
}

#[test]
fn the_doctor_names_the_layer_that_is_missing() {
    for (lacks, layer) in [
        ("namespaces", "namespaces"),
        ("landlock", "Landlock"),
        ("seccomp", "seccomp"),
    ] {
        let ground = Ground::new(Who::User);
        let mut command = ground.without(&[lacks]);
        let output = finish(command.args(["doctor", "--json"]).spawn().unwrap());
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let layers = found["layers"].as_array().unwrap();
        let missing: Vec<&Value> = layers.iter().filter(|it| it["held"] == false).collect();
        assert!(
            missing.iter().any(|it| it["name"] == layer),
            "{lacks}: {missing:?}"
        );
    }
}

/// The answer of a server in such a place to a call under `demand`.
fn served(lacks: &[&str], demand: &str) -> Value {
    let ground = Ground::new(Who::User);
    let mut command = ground.without(lacks);
    command.arg("serve").arg(ground.definition(""));
    command.arg(format!("--sandbox={demand}"));
    let mut server = Server::talk_to(command);
    let call = server.begin(&["write", "mark"]);
    let answer = server.answer(call);
    let ran = ground.path("work/mark").exists();
    assert_eq!(ran, demand != "strict", "{answer}");
    answer
}

#[test]
fn a_served_result_says_what_did_not_hold() {
    for (lacks, tier, word) in [
        (&["namespaces"][..], "portable", "extended attributes"),
        (
            &["namespaces", "landlock"],
            "partial",
            "landlock: there is none",
        ),
    ] {
        let answer = served(lacks, "best-effort");
        let result = &answer["result"];
        let held = &result["_meta"]["argway/sandbox"];
        assert_eq!(held["tier"], tier, "{answer}");
        assert!(held["gaps"].to_string().contains(word), "{answer}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let note = format!("The sandbox ({tier}) leaves something open: ");
        assert!(text.contains(&note) && text.contains(word), "{text}");
    }
}

#[test]
fn a_server_refuses_what_it_cannot_hold() {
    let answer = served(&["namespaces"], "strict");
    let told = answer.to_string();
    assert!(
        told.contains("the sandbox cannot hold here: user namespace"),
        "{told}"
    );
    assert!(
        answer["result"]["isError"] == true || answer["error"].is_object(),
        "{told}"
    );
}
