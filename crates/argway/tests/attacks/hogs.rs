//! Attacks on processor, memory, processes, descriptors, files and output: each is
//! ended at its bound, the result says which, and nothing of it is left.

use serde_json::Value;

use crate::ground::server::Server;
use crate::ground::{Answer, Ground, Tier, Who, all_hold, finish, none_left};

struct Hog {
    line: &'static str,
    /// The resources that it may have.
    resources: &'static str,
    /// Words of the result, of which one must be there.
    says: &'static [&'static str],
}

const MEMORY: &[&str] = &["more memory", "Cannot allocate memory"];
const PROCESSES: &[&str] = &["more processes", "Resource temporarily unavailable"];
// The system sends SIGXCPU and then SIGKILL to one process that computes for too long.
const PROCESSOR: &[&str] = &["more processor time", "signal 24"];

const HOGS: &[Hog] = &[
    hog("fork-bomb 600", "processes 64", PROCESSES),
    hog("hold-private 512", "memory_mb 128", MEMORY),
    hog("hold-shared 512", "memory_mb 128", MEMORY),
    hog("hold-tables 512", "memory_mb 128", MEMORY),
    hog("hold-in-many 8 64", "memory_mb 128", MEMORY),
    hog(
        "hold-memory-file 512",
        "memory_mb 128",
        &["more memory", "Function not implemented"],
    ),
    hog(
        "hold-shm-file 512",
        "memory_mb 128",
        &["more memory", "Permission denied", "No such file"],
    ),
    hog("burn 2500", "cpu_seconds 1", PROCESSOR),
    hog("burn-in-many 4 800", "cpu_seconds 1", PROCESSOR),
    hog("burn-in-turn 5 600", "cpu_seconds 1", PROCESSOR),
    hog(
        "descriptors 2000",
        "open_files 256",
        &["Too many open files"],
    ),
    hog("file 4096", "file_mb 64", &["signal 25", "File too large"]),
    hog("flood 300", "output_mb 64", &["printed more than"]),
];

const fn hog(line: &'static str, resources: &'static str, says: &'static [&'static str]) -> Hog {
    Hog {
        line,
        resources,
        says,
    }
}

/// They need what the machine has: few at a time.
const AT_A_TIME: usize = 2;

#[test]
fn every_hog_gets_what_it_wants_without_a_sandbox() {
    let mut jobs = Vec::new();
    for hog in HOGS {
        jobs.extend(Who::all().into_iter().map(|who| (hog, who)));
    }
    all_hold(&jobs, AT_A_TIME, |(hog, who)| {
        let ground = Ground::new(*who);
        // A container may give fewer descriptors than this; a shell's limit can be raised.
        let mut command = ground.command("/bin/sh");
        command
            .args(["-c", "ulimit -n \"$(ulimit -Hn)\"; exec \"$@\"", "sh"])
            .arg(ground.attacker())
            .args(hog.line.split(' '));
        let answer = Answer::direct(&finish(command.spawn().unwrap()));
        match answer.code {
            Some(0) => Ok(()),
            _ => Err(format!(
                "{who:?}: {}: {:?} {}",
                hog.line,
                answer.code,
                end_of(&answer.stdout)
            )),
        }
    });
}

#[test]
fn every_hog_is_ended_at_its_bound() {
    let mut jobs = Vec::new();
    for hog in HOGS {
        for who in Who::all() {
            jobs.extend(Tier::all().into_iter().map(|tier| (hog, who, tier)));
        }
    }
    all_hold(&jobs, AT_A_TIME, |(hog, who, tier)| {
        let ground = Ground::new(*who);
        let resources = format!(
            "    timeout 60000\n    sandbox {{ resources {{ {} }} }}",
            hog.resources
        );
        let definition = ground.definition(&resources);
        let mut server = Server::start(&ground, &definition, *tier);
        let words: Vec<&str> = hog.line.split(' ').chain([&*ground.token]).collect();
        let call = server.begin(&words);
        let answer = server.answer(call);
        let text = answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default();
        let failed = answer["result"]["isError"] == Value::Bool(true);
        let told = hog.says.iter().any(|word| text.contains(word));
        if !failed || !told || text.contains("works: ") {
            let what = (&answer["error"], end_of(text));
            return Err(format!("{who:?}, {tier:?}: {}: {what:?}", hog.line));
        }
        match none_left(&ground.token) {
            true => Ok(()),
            false => Err(format!("{who:?}, {tier:?}: {}: some are left", hog.line)),
        }
    });
}

/// The last words of a long text.
fn end_of(text: &str) -> String {
    let mut last: Vec<char> = text.chars().rev().take(400).collect();
    last.reverse();
    last.into_iter().collect()
}
