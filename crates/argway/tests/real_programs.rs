//! Real Cobra programs, read and called as a user would. `scripts/test` fetches them;
//! those on PATH do too.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::path::PathBuf;

use argway_core::model::{Family, Reading};
use serde_json::Value;
use world::World;

/// A real program in a world of its own, where it is read only once.
struct Real {
    world: World,
    path: String,
    reading: Reading,
}

/// The folder that `scripts/tools` fetched programs into.
fn fetched() -> Option<PathBuf> {
    std::env::var_os("ARGWAY_TOOLS").map(PathBuf::from)
}

#[track_caller]
fn find(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = fetched().into_iter().chain(std::env::split_paths(&path));
    let mut files = folders.map(|folder| folder.join(name));
    files.find(|file| file.is_file()).unwrap_or_else(|| {
        panic!("{name} is not here: run ./scripts/test, which fetches it and sets ARGWAY_TOOLS")
    })
}

impl Real {
    #[track_caller]
    fn read(name: &str) -> Self {
        let path = find(name).to_str().unwrap().to_owned();
        let world = World::new();
        let text = world.stdout(["describe", &path]);
        let reading: Reading = serde_json::from_str(&text).unwrap();
        assert_eq!(reading.program.name, name);
        Self {
            world,
            path,
            reading,
        }
    }

    /// It has this command with this flag, of this type.
    #[track_caller]
    fn has(&self, command: &str, flag: &str, kind: &str) -> &Self {
        let words: Vec<&str> = command.split_whitespace().collect();
        let spec = self.reading.program.command(&words);
        let spec = spec.unwrap_or_else(|| panic!("no command {command}"));
        let param = spec.flags().find(|param| param.name == flag);
        let param = param.unwrap_or_else(|| panic!("{command} has no --{flag}"));
        assert_eq!(param.kind.to_string(), kind, "{command} --{flag}");
        self
    }

    /// Every tool of it has a name, a description and a closed schema.
    #[track_caller]
    fn is_offered(&self) -> &Self {
        let text = self.world.stdout(["tools", &self.path, "--json"]);
        let listed: Value = serde_json::from_str(&text).unwrap();
        let tools = listed["tools"].as_array().unwrap();
        let runnable = self.reading.program.commands.iter();
        let runnable = runnable.filter(|spec| spec.runnable).count();
        assert!(
            tools.len() * 10 >= runnable * 8,
            "{} of {runnable}",
            tools.len()
        );
        for tool in tools {
            assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
            assert_ne!(tool["description"], "", "{tool}");
        }
        self
    }

    /// A dry run of this call gives these words.
    #[track_caller]
    fn would_run(&self, tool: &str, arguments: &str, expected: &str) -> &Self {
        let words = ["call", &self.path, tool, arguments, "--dry-run"];
        let line = self.world.stdout(words);
        assert_eq!(line.trim_end(), format!("{} {expected}", self.path));
        self
    }

    /// This call prints something that starts so.
    #[track_caller]
    fn prints(&self, tool: &str, start: &str) -> &Self {
        let text = self.world.stdout(["call", &self.path, tool]);
        assert!(text.starts_with(start), "{text}");
        self
    }

    /// `argway try` makes one harmless call, and does not take more than two screens.
    #[track_caller]
    fn can_be_tried(&self) -> &Self {
        let shown = self.world.stdout(["try", &self.path]);
        assert!(shown.contains("One harmless call, really made"), "{shown}");
        assert!(shown.lines().count() < 80, "{shown}");
        self
    }
}

#[test]
fn gh() {
    let gh = Real::read("gh");
    assert_eq!(gh.reading.program.family, Family::Cobra);
    gh.has("pr list", "limit", "int")
        .has("pr list", "label", "csv<string>")
        .has("pr list", "draft", "switch")
        .has("api", "raw-field", "repeat<string>")
        .is_offered()
        .would_run(
            "gh_pr_list",
            r#"{"label": ["good first issue", "a,b"], "limit": 5}"#,
            r#"pr list '--label=good first issue,"a,b"' --limit=5"#,
        )
        .can_be_tried();
}

#[test]
fn etcdctl() {
    let etcdctl = Real::read("etcdctl");
    etcdctl
        .has("get", "prefix", "switch")
        .has("get", "limit", "int")
        .is_offered()
        .prints("etcdctl_version", "etcdctl version: ")
        .can_be_tried();
}

#[test]
fn restic() {
    let restic = Real::read("restic");
    restic
        .has("backup", "dry-run", "switch")
        .has("backup", "exclude", "repeat<string>")
        .is_offered()
        .prints("restic_version", "restic ")
        .can_be_tried();
}

#[test]
fn hcloud() {
    let hcloud = Real::read("hcloud");
    hcloud
        .has("server create", "name", "string")
        .has("server list", "output", "repeat<string>")
        .is_offered()
        .prints("hcloud_version", "hcloud ")
        .can_be_tried();
}

/// It has hundreds of global flags, which must not drown its tools.
#[test]
fn rclone() {
    let rclone = Real::read("rclone");
    rclone
        .has("copy", "create-empty-src-dirs", "switch")
        .has("copy", "transfers", "int")
        .is_offered()
        .prints("rclone_version", "rclone ");
    let folded = rclone.world.stdout(["tools", &rclone.path, "--json"]);
    assert!(folded.len() < 1_000_000, "{} bytes", folded.len());
}

#[test]
fn git_is_read_as_what_it_is() {
    let git = Real::read("git");
    assert_eq!(git.reading.program.family, Family::Git);
    assert!(git.reading.program.commands.len() > 100);
    git.can_be_tried();
    let shown = git.world.stdout(["try", &git.path]);
    assert!(
        shown.contains("a program of git: its help pages were read"),
        "{shown}"
    );
}

/// Programs that have no test of their own: those that `scripts/tools` builds where no
/// packages can be had, and those that it will fetch one day.
#[test]
fn every_other_fetched_program() {
    let folder = fetched().expect("ARGWAY_TOOLS is not set: run ./scripts/test, which sets it");
    let known = ["gh", "etcdctl", "restic", "hcloud", "rclone"];
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !known.contains(&name.as_str()) {
            let real = Real::read(&name);
            assert_eq!(real.reading.program.family, Family::Cobra, "{name}");
            assert!(real.reading.program.commands.len() > 1, "{name}");
            real.is_offered();
        }
    }
}
