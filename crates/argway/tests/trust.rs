//! A project's definitions are used only after somebody looked at them, and files
//! that others could have written are not used at all.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use snapbox::str;
use world::{World, mode};

fn echo(name: &str, text: &str) -> String {
    format!(
        "cli \"{name}\" {{\n    description \"Says {text}\"\n    command \"echo\" \"{text}\"\n}}\n"
    )
}

const USER: &str = "home/.config/argway/cli";

#[track_caller]
fn lists(world: &World, expected: &str) {
    world
        .argway(["tools"])
        .success()
        .stdout_eq(expected)
        .stderr_eq("");
}

#[test]
fn a_projects_file_is_used_once_it_is_trusted_and_until_it_changes() {
    let world = World::new();
    world.file(&format!("{USER}/a.kdl"), &echo("a", "mine"));
    world.file(".argway/cli/a.kdl", &echo("a", "theirs"));
    world
        .argway(["tools"])
        .success()
        .stdout_eq("cli_a  unknown      Says mine\n")
        .stderr_eq(str![[r#"
argway: [WORLD]/.argway/cli/a.kdl is not trusted yet and is not used; look at it, then run: argway trust [WORLD]/.argway/cli/a.kdl

"#]]);
    world.argway(["trust"]).success().stdout_eq(str![[r#"
[WORLD]/.argway/cli/a.kdl
  cli_a: echo theirs
    only its working folder, no network
  trusted, until it changes

"#]]);
    lists(&world, "cli_a  unknown      Says theirs\n");
    world.file(".argway/cli/a.kdl", &echo("a", "evil"));
    world
        .argway(["tools"])
        .success()
        .stdout_eq("cli_a  unknown      Says mine\n")
        .stderr_eq(str![[r#"
argway: [WORLD]/.argway/cli/a.kdl has changed since it was trusted and is not used; look at it, then run: argway trust [WORLD]/.argway/cli/a.kdl

"#]]);
    world
        .argway(["trust", "--list"])
        .success()
        .stdout_eq(str![[r#"
changed  [WORLD]/.argway/cli/a.kdl

"#]]);
    // The content that was trusted counts, not the time of the file.
    world.file(".argway/cli/a.kdl", &echo("a", "theirs"));
    lists(&world, "cli_a  unknown      Says theirs\n");
    world
        .argway(["trust", "--revoke"])
        .success()
        .stdout_eq(str![[r#"
[WORLD]/.argway/cli/a.kdl
1 file not trusted any more

"#]]);
    world
        .argway(["tools"])
        .success()
        .stdout_eq("cli_a  unknown      Says mine\n");
    world.argway(["trust", "--list"]).success().stdout_eq("");
}

#[test]
fn what_is_trusted_is_shown_with_all_that_it_may_do() {
    let world = World::new();
    world.file(
        "argway.kdl",
        r#"cli "deploy" {
    description "x"
    command "make" "-C" "my site"
    env { STAGE "production" }
    pass_env "TOKEN"
    sandbox {
        network true
        filesystem "home"
        read "/srv/data"
        write "/srv/out"
    }
}
cli "line" {
    description "x"
    command "echo hi | cat"
    shell true
}
"#,
    );
    world
        .argway(["trust"])
        .success()
        .stdout_eq(str![[r#"
[WORLD]/argway.kdl
  cli_deploy: make -C 'my site'
    uses the network
    reads and changes your home folder
    reads /srv/data
    reads and changes /srv/out
    sees the variables TOKEN
    sets STAGE=production
  cli_line: echo hi | cat
    runs through a shell
  trusted, until it changes

"#]])
        .stderr_eq("");
}

#[test]
fn projects_are_found_from_below_and_both_spellings_of_their_folder() {
    let world = World::new();
    world.file(".slop-mcp/cli/a.kdl", &echo("a", "slop"));
    world.file(".argway/cli/a.kdl", &echo("a", "argway"));
    world.file("argway.kdl", &echo("b", "inline"));
    fs::create_dir_all(world.path("deep/er")).unwrap();
    let below = |words: &[&'static str]| {
        let command = world.command(words.iter().copied());
        command.current_dir(world.path("deep/er")).assert()
    };
    below(&["trust"]).success();
    below(&["tools", "-v"])
        .success()
        .stdout_eq(str![[r#"
cli_a  unknown      Says argway
cli_b  unknown      Says inline

"#]])
        .stderr_eq(str![[r#"
argway: cli_a: /usr/bin/echo, defined in [WORLD]/.argway/cli/a.kdl:1, in place of [WORLD]/.slop-mcp/cli/a.kdl:1
argway: cli_b: /usr/bin/echo, defined in [WORLD]/argway.kdl:1

"#]]);
}

#[test]
fn a_file_that_is_named_needs_no_trust() {
    let world = World::new();
    world.file(".argway/cli/a.kdl", &echo("a", "theirs"));
    world
        .argway(["tools", ".argway/cli/a.kdl"])
        .success()
        .stdout_eq("cli_a  unknown      Says theirs\n")
        .stderr_eq("");
}

#[test]
fn only_some_files_can_be_trusted_and_taken_back() {
    let world = World::new();
    world.file(".argway/cli/a.kdl", &echo("a", "ay"));
    world.file(".argway/cli/b.kdl", &echo("b", "bee"));
    world.argway(["trust", ".argway/cli/b.kdl"]).success();
    world
        .argway(["-q", "tools"])
        .success()
        .stdout_eq("cli_b  unknown      Says bee\n");
    world.argway(["trust", ".argway/cli"]).success();
    lists(
        &world,
        "cli_a  unknown      Says ay\ncli_b  unknown      Says bee\n",
    );
    // A file that is gone can still be taken back.
    fs::remove_file(world.path(".argway/cli/a.kdl")).unwrap();
    world
        .argway(["trust", "--revoke", ".argway/cli/a.kdl"])
        .success()
        .stdout_eq(str![[r#"
[WORLD]/.argway/cli/a.kdl
1 file not trusted any more

"#]]);
    world
        .argway(["trust", "--list"])
        .success()
        .stdout_eq(str![[r#"
trusted  [WORLD]/.argway/cli/b.kdl

"#]]);
}

#[test]
fn trust_is_kept_for_its_owner_alone_where_the_standard_says() {
    let world = World::new();
    world.file(".argway/cli/a.kdl", &echo("a", "ay"));
    world.argway(["trust"]).success();
    let folder = world.path("home/.local/state/argway/trust");
    assert_eq!(mode(&folder), 0o700);
    for entry in fs::read_dir(&folder).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    world
        .command(["tools"])
        .env("XDG_STATE_HOME", world.path("elsewhere"))
        .assert()
        .code(3);
}

#[test]
fn there_must_be_something_to_trust() {
    let world = World::new();
    world.argway(["trust"]).code(2).stderr_eq(str![[r#"
argway: this folder is in no project with definitions (.argway, .slop-mcp, argway.kdl); name a PATH

"#]]);
    fs::create_dir(world.path(".argway")).unwrap();
    world.argway(["trust"]).code(2).stderr_eq(str![[r#"
argway: there is nothing to trust in [WORLD]/.slop-mcp/cli/*.kdl, [WORLD]/.argway/cli/*.kdl, [WORLD]/argway.kdl, [WORLD]/.argway/overlay/*.kdl

"#]]);
    world
        .argway(["trust", "none.kdl"])
        .code(2)
        .stderr_eq(str![[r#"
argway: none.kdl does not exist

"#]]);
    world
        .command(["trust", "none.kdl"])
        .env_remove("HOME")
        .assert()
        .code(3)
        .stderr_eq(str![[r#"
argway: there is nowhere to keep what is trusted: neither XDG_STATE_HOME nor HOME names a folder

"#]]);
}

#[test]
fn a_file_that_everybody_can_change_is_refused_wherever_it_is() {
    let world = World::new();
    for name in [&format!("{USER}/a.kdl"), ".argway/cli/a.kdl", "a.kdl"] {
        let path = world.file(name, &echo("a", "ay"));
        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    }
    world.argway(["tools"]).code(3).stderr_eq(str![[r#"
argway: [WORLD]/home/.config/argway/cli/a.kdl can be changed by everybody on this machine and is not used; run: chmod o-w [WORLD]/home/.config/argway/cli/a.kdl
argway: [WORLD]/.argway/cli/a.kdl can be changed by everybody on this machine and is not used; run: chmod o-w [WORLD]/.argway/cli/a.kdl
argway: no definition is in force; looked for [WORLD]/home/.config/slop-mcp/cli/*.kdl, [WORLD]/home/.config/argway/cli/*.kdl, [WORLD]/home/.config/argway/argway.kdl, [WORLD]/.slop-mcp/cli/*.kdl, [WORLD]/.argway/cli/*.kdl, [WORLD]/argway.kdl

"#]]);
    world.argway(["tools", "a.kdl"]).code(3).stderr_eq(str![[r#"
argway: a.kdl can be changed by everybody on this machine and is not used; run: chmod o-w a.kdl
argway: a.kdl has no definition that can be used

"#]]);
    world.argway(["trust"]).code(2).stderr_eq(str![[r#"
argway: [WORLD]/.argway/cli/a.kdl can be changed by everybody on this machine and is not used; run: chmod o-w [WORLD]/.argway/cli/a.kdl

"#]]);
    world.argway(["check", "a.kdl"]).code(2).stdout_eq(str![[r#"
a.kdl can be changed by everybody on this machine and is not used; run: chmod o-w a.kdl
0 definitions, 1 mistake

"#]]);
}

#[test]
fn a_folder_that_everybody_can_change_is_refused_with_its_files_alone() {
    let world = World::new();
    world.file(&format!("{USER}/a.kdl"), &echo("a", "ay"));
    world.file("home/.config/slop-mcp/cli/b.kdl", &echo("b", "bee"));
    fs::set_permissions(world.path(USER), Permissions::from_mode(0o777)).unwrap();
    world
        .argway(["tools"])
        .success()
        .stdout_eq("cli_b  unknown      Says bee\n")
        .stderr_eq(str![[r#"
argway: [WORLD]/home/.config/argway/cli/a.kdl can be changed by everybody on this machine and is not used; run: chmod o-w [WORLD]/home/.config/argway/cli

"#]]);
}

#[test]
fn a_link_is_what_it_leads_to() {
    let world = World::new();
    let real = world.file("dotfiles/a.kdl", &echo("a", "ay"));
    fs::create_dir_all(world.path(USER)).unwrap();
    symlink(&real, world.path(USER).join("a.kdl")).unwrap();
    symlink("nowhere", world.path(USER).join("b.kdl")).unwrap();
    world
        .argway(["tools"])
        .success()
        .stdout_eq("cli_a  unknown      Says ay\n")
        .stderr_eq("argway: [WORLD]/home/.config/argway/cli/b.kdl does not exist\n");
}

#[test]
fn a_link_in_a_project_is_trusted_with_what_it_leads_to() {
    let world = World::new();
    let (one, two) = (
        world.file("one.kdl", &echo("a", "one")),
        world.file("two.kdl", &echo("a", "one")),
    );
    fs::create_dir_all(world.path(".argway/cli")).unwrap();
    let link = world.path(".argway/cli/a.kdl");
    symlink(&one, &link).unwrap();
    world.argway(["trust"]).success();
    lists(&world, "cli_a  unknown      Says one\n");
    // The same content at another place was not looked at there.
    fs::remove_file(&link).unwrap();
    symlink(&two, &link).unwrap();
    world.argway(["tools"]).code(3);
}

#[test]
fn a_pipe_is_not_waited_for() {
    let world = World::new();
    world.file(&format!("{USER}/a.kdl"), &echo("a", "ay"));
    let pipe = world.path(USER).join("b.kdl");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    world
        .argway(["tools"])
        .success()
        .stdout_eq("cli_a  unknown      Says ay\n")
        .stderr_eq("argway: [WORLD]/home/.config/argway/cli/b.kdl is a pipe or a device, not a file with definitions\n");
}
