//! Real Cobra programs, read and called as a user would. `scripts/test` fetches them;
//! without it, those on PATH are used, and a test of a missing one says so.

mod world;

use std::path::PathBuf;

use argway_core::model::{Family, Reading};
use serde_json::Value;
use world::World;

fn find(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("ARGWAY_TOOLS")
        .into_iter()
        .chain(std::env::var_os("PATH"))
        .flat_map(|list| std::env::split_paths(&list).collect::<Vec<_>>())
        .map(|folder| folder.join(name))
        .find(|path| path.is_file());
    if folders.is_none() {
        eprintln!("{name} is not installed: not tested here (scripts/test fetches it)");
    }
    folders
}

/// Reads `program`, and tells at least these commands and flags, without any loss of a page.
#[track_caller]
fn reads(program: &str, expected: &[(&str, &str, &str)]) {
    let Some(path) = find(program) else { return };
    let world = World::new();
    let path = path.to_str().unwrap();
    let reading: Reading = serde_json::from_str(&world.stdout(["describe", path])).unwrap();
    assert_eq!(reading.program.family, Family::Cobra);
    assert_eq!(reading.program.name, program);
    for &(command, flag, kind) in expected {
        let words: Vec<&str> = command.split_whitespace().collect();
        let spec = reading.program.command(&words);
        let spec = spec.unwrap_or_else(|| panic!("{program} {command}"));
        let param = spec.flags().find(|param| param.name == flag);
        let param = param.unwrap_or_else(|| panic!("{program} {command} --{flag}"));
        assert_eq!(param.kind.to_string(), kind, "{program} {command} --{flag}");
    }
    let tools: Value = serde_json::from_str(&world.stdout(["tools", path, "--json"])).unwrap();
    let tools = tools["tools"].as_array().unwrap().len();
    assert!(tools >= expected.len(), "{tools} tools");
}

/// A dry run of a call gives these words, and the real program is not started for it.
#[track_caller]
fn dry_run(program: &str, tool: &str, arguments: &str, expected: &str) {
    let Some(path) = find(program) else { return };
    let world = World::new();
    let path = path.to_str().unwrap();
    let line = world.stdout(["call", path, tool, arguments, "--dry-run"]);
    assert_eq!(line.trim_end(), format!("{path} {expected}"));
}

#[test]
fn gh_is_read() {
    reads(
        "gh",
        &[
            ("pr list", "limit", "int"),
            ("pr list", "label", "csv<string>"),
            ("pr list", "draft", "switch"),
            ("api", "raw-field", "repeat<string>"),
        ],
    );
}

#[test]
fn etcdctl_is_read() {
    reads(
        "etcdctl",
        &[("get", "prefix", "switch"), ("get", "limit", "int")],
    );
}

#[test]
fn restic_is_read() {
    reads(
        "restic",
        &[
            ("backup", "dry-run", "switch"),
            ("backup", "host", "string"),
        ],
    );
}

#[test]
fn hcloud_is_read() {
    reads(
        "hcloud",
        &[
            ("server create", "name", "string"),
            ("server list", "output", "repeat<string>"),
        ],
    );
}

#[test]
fn rclone_is_read_although_it_has_hundreds_of_global_flags() {
    reads(
        "rclone",
        &[
            ("copy", "create-empty-src-dirs", "switch"),
            ("copy", "transfers", "int"),
        ],
    );
}

#[test]
fn a_list_survives_its_commas() {
    dry_run(
        "gh",
        "gh_pr_list",
        r#"{"label": ["good first issue", "a,b"], "limit": 5}"#,
        r#"pr list '--label=good first issue,"a,b"' --limit=5"#,
    );
}

#[test]
fn restic_tells_its_version() {
    let Some(path) = find("restic") else { return };
    let world = World::new();
    let text = world.stdout(["call", path.to_str().unwrap(), "restic_version"]);
    assert!(text.starts_with("restic "), "{text}");
}

#[test]
fn trying_a_real_program_makes_one_harmless_call() {
    for program in ["gh", "restic", "etcdctl", "hcloud", "git"] {
        let Some(path) = find(program) else { continue };
        let shown = World::new().stdout(["try", path.to_str().unwrap()]);
        assert!(shown.contains("One harmless call, really made"), "{shown}");
        assert!(shown.lines().count() < 80, "{shown}");
    }
}
