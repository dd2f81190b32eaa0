//! From an order to an outcome.

use std::path::Path;

use argway_core::output::Ending;
use argway_core::policy::{Demand, Tier};
use argway_serve::exec::ExecError;

use crate::common::token;
use crate::scene::{
    Scene, eventually, in_each_tier, launchers, nobody_is_left, run, temporary_folders, text,
};

pub fn streams_code_and_tier_arrive() {
    in_each_tier(|scene, tier| {
        let outcome = scene.run("printf out; printf err >&2; exit 3", "");
        assert_eq!(outcome.ending, Ending::Exited(3));
        assert_eq!(text(&outcome), ("out", "err"));
        assert!(!outcome.ended_leftovers);
        let enforcement = outcome.sandbox.unwrap();
        assert_eq!(enforcement.tier, tier);
        let gaps = enforcement.gaps.join("\n");
        assert_eq!(gaps.is_empty(), tier == Tier::Strict, "{gaps}");
    });
}

pub fn every_ending_is_told_as_it_was() {
    in_each_tier(|scene, _| {
        for code in [0, 1, 125, 126, 127, 255] {
            let outcome = scene.run(&format!("exit {code}"), "");
            assert_eq!(outcome.ending, Ending::Exited(code));
        }
        for (name, number) in [("SEGV", 11), ("KILL", 9), ("TERM", 15)] {
            let outcome = scene.run(&format!("kill -{name} $$"), "");
            assert_eq!(outcome.ending, Ending::Signalled(number));
        }
    });
}

pub fn an_order_of_any_size_arrives() {
    in_each_tier(|scene, _| {
        let mut invocation = scene.script(r#"echo $# "${#1}""#, "");
        let long = "x".repeat(100_000);
        invocation.words.truncate(3);
        invocation
            .words
            .extend(std::iter::repeat_n(long.into(), 15));
        assert_eq!(text(&run(invocation).unwrap()).0, "15 100000\n");
    });
}

pub fn a_large_stdin_and_its_echo_pass_each_other() {
    in_each_tier(|scene, _| {
        let bytes: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
        let mut invocation = scene.script("cat", "");
        invocation.stdin = Some(bytes.clone());
        invocation.limits.keep = 4 << 20;
        assert!(run(invocation).unwrap().stdout.head == bytes);
        assert_eq!(text(&scene.run("cat; echo end", "")).0, "end\n");
    });
}

pub fn only_the_given_variables_are_seen() {
    in_each_tier(|scene, _| {
        let mut invocation = scene.script("env", "");
        invocation.program = "/usr/bin/env".into();
        invocation.words.clear();
        let outcome = run(invocation).unwrap();
        let mut names: Vec<&str> = text(&outcome)
            .0
            .lines()
            .map(|line| line.split('=').next().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["HOME", "PATH", "TMPDIR"]);
    });
}

pub fn the_temporary_folder_goes_whatever_is_in_it() {
    in_each_tier(|scene, _| {
        let outcome = scene.run(
            r#"cd "$TMPDIR" && mkdir -p a/b && echo x >a/b/c && chmod 000 a/b/c a/b a && ls -a"#,
            "",
        );
        assert_eq!(outcome.ending, Ending::Exited(0), "{:?}", text(&outcome));
        assert!(text(&outcome).0.contains("a\n"));
        eventually("no temporary folder is left", || {
            temporary_folders(std::process::id()).is_empty()
        });
    });
}

pub fn what_cannot_be_executed_says_why() {
    in_each_tier(|scene, _| {
        let folder = scene.folder.path();
        std::fs::write(folder.join("text"), "no program").unwrap();
        std::fs::write(folder.join("odd"), "\u{1}\u{2}").unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.join("odd"), executable).unwrap();
        for (name, kind) in [
            ("missing", errno::ENOENT),
            ("text", errno::EACCES),
            ("odd", errno::ENOEXEC),
            (".", errno::EISDIR),
        ] {
            let mut invocation = scene.script("", "");
            invocation.program = folder.join(name);
            match run(invocation) {
                Err(ExecError::Spawn { program, reason }) => {
                    assert_eq!(program, folder.join(name));
                    assert_eq!(reason.raw_os_error(), Some(kind), "{name}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        eventually("no temporary folder is left", || {
            temporary_folders(std::process::id()).is_empty()
        });
    });
}

/// Numbers of the system's reasons.
mod errno {
    pub const ENOENT: i32 = rustix::io::Errno::NOENT.raw_os_error();
    pub const EACCES: i32 = rustix::io::Errno::ACCESS.raw_os_error();
    pub const EISDIR: i32 = rustix::io::Errno::ISDIR.raw_os_error();
    pub const ENOEXEC: i32 = rustix::io::Errno::NOEXEC.raw_os_error();
}

pub fn a_policy_that_cannot_be_is_refused() {
    in_each_tier(|scene, _| {
        let mut invocation = scene.script("echo ran", "");
        invocation.directory = Some("/".into());
        let refused = run(invocation).unwrap_err();
        assert!(matches!(refused, ExecError::Sandbox(_)), "{refused:?}");
    });
    assert_eq!(
        temporary_folders(std::process::id()),
        Vec::<std::path::PathBuf>::new()
    );
}

pub fn a_folder_that_is_not_there_is_named() {
    in_each_tier(|scene, _| {
        let mut invocation = scene.script("echo ran", "");
        invocation.directory = Some("/nowhere".into());
        let refused = run(invocation).unwrap_err();
        assert!(matches!(refused, ExecError::Directory(path) if path == Path::new("/nowhere")));
    });
}

pub fn a_cgroup_that_is_not_there_is_refused() {
    let this = std::env::current_exe().unwrap();
    for tier in ["strict", "portable"] {
        let output = std::process::Command::new(&this)
            .args([crate::scene::SERVER, tier, "token", "echo ran"])
            .env("ARGWAY_CGROUP", "/nowhere")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("cgroup: /nowhere/"), "{said}");
        assert!(said.contains("ARGWAY_CGROUP"), "{said}");
    }
}

pub fn no_descriptor_of_the_server_arrives() {
    // Inherited on purpose, as a careless library would.
    let leak = std::fs::File::open("/etc/passwd").unwrap();
    let leaked = rustix::io::dup(&leak).unwrap();
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).unwrap();
    in_each_tier(|scene, _| {
        let count = "for fd in 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do \
                     (eval \": <&$fd\") 2>/dev/null && echo $fd; done; echo end";
        let outcome = scene.run(&format!("bash -c '{}'", count.replace('\'', "'\\''")), "");
        assert_eq!(text(&outcome).0, "end\n", "{:?}", text(&outcome));
    });
}

pub fn a_program_begins_with_usual_signals_and_a_session_of_its_own() {
    in_each_tier(|scene, _| {
        let outcome = scene.run(
            "while read name value; do case $name in SigBlk:|SigIgn:) echo $value;; esac; \
             done </proc/self/status; read -r stat </proc/self/stat; set -- ${stat##*)}; \
             [ $3 = $$ ] && [ $4 = $$ ] && echo leader",
            "",
        );
        let (said, _) = text(&outcome);
        let lines: Vec<&str> = said.lines().collect();
        let [blocked, ignored, "leader"] = lines[..] else {
            panic!("{said}");
        };
        // 32 and 33 belong to the C library, which ignores them in all that it spawns.
        let own = 0b11 << 31;
        let set = |hexadecimal| u64::from_str_radix(hexadecimal, 16).unwrap();
        assert_eq!((set(blocked), set(ignored) & !own), (0, 0), "{said}");
    });
}

pub fn without_namespaces_the_portable_tier_takes_over() {
    for (demand, expected) in [
        ("enforced", "Exited(0) Portable"),
        ("best-effort", "Exited(0) Portable"),
        ("portable", "Exited(0) Portable"),
        ("strict", "the sandbox cannot hold here: user namespace: "),
    ] {
        // A world in which no further one can be made.
        let output = std::process::Command::new("unshare")
            .args(["--user", "--map-root-user", "sh", "-c"])
            .arg("echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"")
            .arg("sh")
            .arg(std::env::current_exe().unwrap())
            .args([crate::scene::SERVER, demand, "token", "echo ran"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.starts_with(expected), "{demand}: {said} {output:?}");
        assert_eq!(said.contains("ran"), demand != "strict", "{said}");
        assert_eq!(
            said.contains("extended attributes"),
            demand != "strict",
            "{said}"
        );
    }
}

pub fn launchers_do_not_stay_as_zombies() {
    let token = token();
    for demand in [Demand::Strict, Demand::Portable] {
        for _ in 0..5 {
            Scene::new(demand).run("true", &token);
        }
    }
    eventually("no launcher is left", || {
        launchers(std::process::id()).is_empty()
    });
    nobody_is_left(&token);
}
