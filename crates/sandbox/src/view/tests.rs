//! Views of a small home with a project in it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use tempfile::TempDir;

use super::*;

/// A home with a project, a temporary folder and a way to ask.
struct Home {
    root: TempDir,
    policy: SandboxPolicy,
    program: PathBuf,
    directory: &'static str,
}

impl Home {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let home = Self {
            root,
            policy: SandboxPolicy::default(),
            program: "/bin/sh".into(),
            directory: "home/project",
        };
        home.folder("home/project")
            .folder("call")
            .folder("elsewhere")
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    fn folder(self, path: &str) -> Self {
        fs::create_dir_all(self.at(path)).unwrap();
        self
    }

    fn file(self, path: &str, text: &str) -> Self {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    fn link(self, path: &str, target: &str) -> Self {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        symlink(target, self.at(path)).unwrap();
        self
    }

    fn runs(mut self, program: &str) -> Self {
        self.program = self.at(program);
        self
    }

    fn within(mut self, directory: &'static str) -> Self {
        self.directory = directory;
        self
    }

    fn filesystem(mut self, filesystem: Filesystem) -> Self {
        self.policy.filesystem = filesystem;
        self
    }

    fn reads(mut self, path: &str) -> Self {
        let path = self.at(path).to_str().unwrap().to_owned();
        self.policy.readable.push(path);
        self
    }

    fn writes(mut self, path: &str) -> Self {
        let path = self.at(path).to_str().unwrap().to_owned();
        self.policy.writable.push(path);
        self
    }

    fn repository(self, path: &str) -> Self {
        self.file(&format!("{path}/HEAD"), "ref: refs/heads/main\n")
            .file(&format!("{path}/config"), "[core]\n\tbare = false\n")
            .folder(&format!("{path}/objects"))
            .folder(&format!("{path}/refs"))
    }

    fn view(&self) -> Result<View, ViewError> {
        view(
            &self.policy,
            &self.program,
            &self.at(self.directory),
            Some(&self.at("home")),
            &self.at("call"),
        )
    }

    /// Those of `paths` that are of this home, by their names in it.
    fn short(&self, paths: &[PathBuf]) -> Vec<String> {
        let root = self.at("");
        let below = paths
            .iter()
            .filter_map(|path| path.strip_prefix(&root).ok());
        below
            .map(|path| path.to_str().unwrap().to_owned())
            .collect()
    }

    #[track_caller]
    fn check_readable(&self, expected: &[&str]) {
        assert_eq!(self.short(&self.view().unwrap().readable), expected);
    }

    #[track_caller]
    fn check_writable(&self, expected: &[&str]) {
        assert_eq!(self.short(&self.view().unwrap().writable), expected);
    }

    #[track_caller]
    fn check_protected(&self, expected: &[&str]) {
        assert_eq!(self.short(&self.view().unwrap().protected), expected);
    }

    #[track_caller]
    fn check_refused(&self, expected: &str) {
        let ViewError::Refused(message) = self.view().unwrap_err();
        let root = self.at("").to_str().unwrap().to_owned();
        let message = message
            .replace(&root, "")
            .replace(root.trim_end_matches('/'), "ROOT");
        assert_eq!(message, expected);
    }
}

#[test]
fn the_default_is_the_working_directory_and_a_temporary_folder() {
    let home = Home::new();
    let view = home.view().unwrap();
    assert_eq!(home.short(&view.writable), ["call", "home/project"]);
    assert_eq!(home.short(&view.readable), [""; 0]);
    assert_eq!(view.directory, home.at("home/project"));
    assert_eq!(view.home, home.at("call"));
    assert!(!view.everything);
}

#[test]
fn the_system_is_readable_without_its_secrets() {
    let view = Home::new().view().unwrap();
    let readable = |path: &str| {
        let path = Path::new(path);
        view.readable
            .iter()
            .any(|granted| path.starts_with(granted))
    };
    for path in ["/usr/bin/env", "/usr/lib", "/etc/passwd", "/etc/group"] {
        assert!(readable(path), "{path}");
    }
    for path in [
        "/etc/shadow",
        "/etc",
        "/root",
        "/var",
        "/etc/ssl/private",
        "/etc/ssh",
        "/opt",
    ] {
        assert!(!readable(path), "{path}");
    }
    let mut outermost = super::outermost(view.readable.clone());
    outermost.retain(|path| path.exists());
    assert_eq!(outermost, view.readable);
}

#[test]
fn names_of_the_system_that_are_links_are_told() {
    for (name, target) in links() {
        assert_eq!(name.canonicalize().unwrap(), target);
        assert_ne!(name, target);
    }
}

#[test]
fn each_filesystem_has_its_writable_folders() {
    let home = || Home::new().within("elsewhere");
    home()
        .filesystem(Filesystem::None)
        .check_writable(&["call"]);
    home()
        .filesystem(Filesystem::Cwd)
        .check_writable(&["call", "elsewhere"]);
    home()
        .filesystem(Filesystem::Home)
        .check_writable(&["call", "elsewhere", "home"]);
    let none = home().filesystem(Filesystem::None);
    assert_eq!(none.view().unwrap().directory, none.at("call"));
    let of_home = home().filesystem(Filesystem::Home);
    assert_eq!(of_home.view().unwrap().home, of_home.at("home"));
    let full = home().filesystem(Filesystem::Full);
    let view = full.view().unwrap();
    assert!(view.everything && view.protected.is_empty());
    assert_eq!(view.home, full.at("home"));
}

#[test]
fn folders_that_are_too_much_are_refused() {
    Home::new().within("home").check_refused(
        "the working directory `home` is the home folder: name a folder within it (--cwd), or say \
         filesystem \"home\" or \"full\"",
    );
    Home::new().within("").check_refused(
        "the working directory `ROOT` holds the home folder: name a folder within it (--cwd), or say \
         filesystem \"home\" or \"full\"",
    );
    for (folder, part) in [
        ("/", "is everything"),
        ("/usr", "is the system's or everybody's"),
        ("/etc", "is the system's or everybody's"),
        ("/var/tmp", "is the system's or everybody's"),
        ("/proc/self", "is no file on a disk"),
        ("/dev", "is no file on a disk"),
    ] {
        let mut home = Home::new();
        home.policy.writable.push(folder.to_owned());
        let ViewError::Refused(of_a_path) = home.view().unwrap_err();
        assert!(of_a_path.contains(part), "{of_a_path}");
        let ViewError::Refused(of_the_directory) = view(
            &SandboxPolicy::default(),
            &home.program,
            Path::new(folder),
            None,
            &home.at("call"),
        )
        .unwrap_err();
        assert!(of_the_directory.contains(part), "{of_the_directory}");
    }
    Home::new()
        .within("home")
        .filesystem(Filesystem::Home)
        .check_writable(&["call", "home"]);
}

#[test]
fn paths_must_be_absolute_and_there() {
    let mut home = Home::new();
    home.policy.readable = vec!["data".into()];
    home.check_refused("the readable path `data` must be absolute");
    Home::new().reads("no").check_refused(
        "the readable path `no` is not there: No such file or directory (os error 2)",
    );
    Home::new()
        .file("home/file", "")
        .within("home/file")
        .check_refused("the working directory `home/file` is not a folder");
    let mut home = Home::new();
    home.program = "jq".into();
    home.check_refused("the command `jq` must be absolute in a sandbox");
    Home::new()
        .runs("home")
        .check_refused("`home` cannot be run: it is not a file");
    Home::new()
        .runs("gone/jq")
        .check_refused("`gone/jq` cannot be run: No such file or directory (os error 2)");
}

#[test]
fn named_paths_are_granted_where_their_links_lead() {
    let home = Home::new()
        .folder("data/in")
        .link("home/project/data", "../../data/in")
        .reads("home/project/data")
        .writes("elsewhere");
    home.check_readable(&["data/in"]);
    home.check_writable(&["call", "elsewhere", "home/project"]);
}

#[test]
fn a_link_as_working_directory_is_judged_by_where_it_leads() {
    Home::new()
        .link("elsewhere/link", "../home")
        .within("elsewhere/link")
        .check_refused(
            "the working directory `home` is the home folder: name a folder within it (--cwd), or say \
         filesystem \"home\" or \"full\"",
        );
}

#[test]
fn a_program_brings_its_file_and_no_more() {
    Home::new()
        .file("home/tools/jq", "\x7fELF")
        .file("home/tools/secret", "")
        .runs("home/tools/jq")
        .check_readable(&["home/tools/jq"]);
}

#[test]
fn a_program_in_a_bin_brings_the_prefix_s_code() {
    Home::new()
        .file("home/.cargo/bin/rg", "\x7fELF")
        .file("home/.cargo/credentials.toml", "token")
        .folder("home/.cargo/share")
        .runs("home/.cargo/bin/rg")
        .check_readable(&["home/.cargo/bin", "home/.cargo/share"]);
    Home::new()
        .file("home/bin/tool", "\x7fELF")
        .folder("home/lib")
        .folder("home/share")
        .runs("home/bin/tool")
        .check_readable(&["home/bin"]);
    Home::new()
        .file("home/.local/bin/tool", "\x7fELF")
        .folder("home/.local/lib")
        .folder("home/.local/share/keyrings")
        .runs("home/.local/bin/tool")
        .check_readable(&["home/.local/bin", "home/.local/lib"]);
}

#[test]
fn a_part_of_a_prefix_that_leads_elsewhere_is_not_brought() {
    Home::new()
        .file("home/tool/bin/tool", "\x7fELF")
        .folder("home/.ssh")
        .link("home/tool/share", "../.ssh")
        .link("home/tool/lib", "../..")
        .runs("home/tool/bin/tool")
        .check_readable(&["home/tool/bin"]);
}

#[test]
fn links_and_interpreters_are_followed_to_what_they_need() {
    let venv = "home/.local/share/pipx/venvs/tool";
    let home = Home::new();
    let line = format!("#!{}/bin/python\n", home.at(venv).display());
    home.file(&format!("{venv}/bin/tool"), &line)
        .file(&format!("{venv}/pyvenv.cfg"), "home = /usr/bin")
        .folder(&format!("{venv}/lib"))
        .link(&format!("{venv}/bin/python"), "/bin/sh")
        .link("home/.local/bin/tool", "../share/pipx/venvs/tool/bin/tool")
        .runs("home/.local/bin/tool")
        .check_readable(&[
            "home/.local/bin",
            "home/.local/share/pipx/venvs/tool/bin",
            "home/.local/share/pipx/venvs/tool/lib",
            "home/.local/share/pipx/venvs/tool/pyvenv.cfg",
        ]);
}

#[test]
fn a_node_program_brings_the_modules_around_it() {
    let cli = "home/.npm-global/lib/node_modules/tool/node_modules/dep/cli.js";
    Home::new()
        .file(cli, "#!/usr/bin/env sh\n")
        .link(
            "home/.npm-global/bin/tool",
            "../lib/node_modules/tool/node_modules/dep/cli.js",
        )
        .runs("home/.npm-global/bin/tool")
        .check_readable(&["home/.npm-global/bin", "home/.npm-global/lib"]);
    Home::new()
        .file("elsewhere/node_modules/tool/cli.js", "#!/bin/sh\n")
        .runs("elsewhere/node_modules/tool/cli.js")
        .check_readable(&["elsewhere/node_modules"]);
}

#[test]
fn a_program_keeps_its_name_where_the_view_shows_the_way() {
    let home = Home::new()
        .file("home/tool/bin/box", "\x7fELF")
        .link("home/tool/bin/ls", "box")
        .link("home/.local/bin/ls", "../../tool/bin/ls")
        .link("home/stuff/ls", "../tool/bin/ls");
    let named = |home: &Home| {
        let path = executable(&home.view().unwrap(), &home.program).unwrap();
        home.short(&[path]).remove(0)
    };
    let home = home.runs("home/tool/bin/ls");
    assert_eq!(named(&home), "home/tool/bin/ls");
    let home = home.runs("home/.local/bin/ls");
    assert_eq!(named(&home), "home/.local/bin/ls");
    let home = home.runs("home/stuff/ls");
    assert_eq!(named(&home), "home/tool/bin/box");
}

#[test]
fn what_becomes_code_is_protected_where_it_is() {
    Home::new()
        .repository("home/project/.git")
        .folder("home/project/.argway/cli")
        .folder("home/project/.vscode")
        .file("home/project/.envrc", "")
        .file("home/project/argway.kdl", "")
        .folder("home/project/src")
        .folder("home/.ssh")
        .check_protected(&[
            "home/project/.argway",
            "home/project/.envrc",
            "home/project/.git/config",
            "home/project/.git/hooks",
            "home/project/.vscode",
            "home/project/argway.kdl",
        ]);
}

#[test]
fn a_repository_without_hooks_gets_an_empty_folder_that_can_be_protected() {
    let home = Home::new().repository("home/project/.git");
    assert!(!home.at("home/project/.git/hooks").exists());
    home.check_protected(&["home/project/.git/config", "home/project/.git/hooks"]);
    assert!(home.at("home/project/.git/hooks").is_dir());
}

#[test]
fn hooks_and_settings_that_are_named_elsewhere_are_protected_too() {
    Home::new()
        .repository("home/project/.git")
        .file(
            "home/project/.git/config",
            "[core]\n hooksPath = tools/hooks\n[include]\n path = ../shared.config\n",
        )
        .folder("home/project/tools/hooks")
        .file("home/project/shared.config", "")
        .check_protected(&[
            "home/project/.git/config",
            "home/project/.git/hooks",
            "home/project/shared.config",
            "home/project/tools/hooks",
        ]);
}

#[test]
fn a_repository_of_links_is_read_only_as_a_whole() {
    Home::new()
        .repository("home/project/.git")
        .folder("elsewhere/hooks")
        .link("home/project/.git/hooks", "../../../elsewhere/hooks")
        .check_protected(&["home/project/.git"]);
}

#[test]
fn a_link_of_a_protected_name_is_refused() {
    Home::new()
        .folder("elsewhere/.vscode")
        .link("home/project/.vscode", "../../elsewhere/.vscode")
        .check_refused(
            "`home/project/.vscode` is a link, which a program could replace, and what it would \
             be replaced with becomes code: put the thing itself there, run in another folder, or \
             say filesystem \"full\"",
        );
}

#[test]
fn repositories_of_submodules_are_protected_one_by_one_or_all_at_once() {
    let home = Home::new()
        .repository("home/project/.git")
        .repository("home/project/.git/modules/libs/one")
        .repository("home/project/.git/modules/libs/one/modules/two");
    home.check_protected(&[
        "home/project/.git/config",
        "home/project/.git/hooks",
        "home/project/.git/modules/libs/one/config",
        "home/project/.git/modules/libs/one/hooks",
        "home/project/.git/modules/libs/one/modules/two/config",
        "home/project/.git/modules/libs/one/modules/two/hooks",
    ]);
    let many = (0..100).fold(home, |home, number| {
        home.folder(&format!("home/project/.git/modules/many/{number}"))
    });
    many.check_protected(&[
        "home/project/.git/config",
        "home/project/.git/hooks",
        "home/project/.git/modules",
    ]);
}

#[test]
fn a_further_working_tree_reaches_its_repository() {
    let home = Home::new().repository("main/.git");
    let back = format!("{}\n", home.at("home/project/.git").display());
    let pointer = format!("gitdir: {}\n", home.at("main/.git/worktrees/p").display());
    let home = home
        .file("main/.git/worktrees/p/HEAD", "ref: refs/heads/p\n")
        .file("main/.git/worktrees/p/commondir", "../..\n")
        .file("main/.git/worktrees/p/gitdir", &back)
        .file("home/project/.git", &pointer);
    home.check_readable(&["main/.git"]);
    home.check_writable(&[
        "call",
        "home/project",
        "main/.git/objects",
        "main/.git/refs",
        "main/.git/worktrees/p",
    ]);
    home.check_protected(&[
        "home/project/.git",
        "main/.git/worktrees/p/commondir",
        "main/.git/worktrees/p/gitdir",
    ]);
}

#[test]
fn a_submodule_reaches_its_repository() {
    let home = Home::new()
        .repository("home/.git/modules/project")
        .file(
            "home/.git/modules/project/config",
            "[core]\n\tworktree = ../../../project\n",
        )
        .file("home/project/.git", "gitdir: ../.git/modules/project\n");
    home.check_writable(&["call", "home/.git/modules/project", "home/project"]);
    home.check_protected(&[
        "home/.git/modules/project/config",
        "home/.git/modules/project/hooks",
        "home/project/.git",
    ]);
}

#[test]
fn a_file_that_names_a_repository_is_not_believed_alone() {
    for target in [
        "home/.ssh",
        "home/other/.git",
        "home/other/.git/worktrees/p",
    ] {
        let home = Home::new()
            .folder("home/.ssh")
            .repository("home/other/.git")
            .file("home/other/.git/worktrees/p/HEAD", "")
            .file(
                "home/other/.git/worktrees/p/gitdir",
                "/somewhere/else/.git\n",
            );
        let pointer = format!("gitdir: {}\n", home.at(target).display());
        let home = home.file("home/project/.git", &pointer);
        home.check_readable(&[]);
        home.check_writable(&["call", "home/project"]);
        home.check_protected(&["home/project/.git"]);
    }
}

#[test]
fn a_home_keeps_its_keys_and_the_files_that_shells_start_with() {
    Home::new()
        .file("home/.bashrc", "")
        .file("home/.ssh/authorized_keys", "")
        .file("home/dotfiles/zshrc", "")
        .link("home/.zshrc", "dotfiles/zshrc")
        .folder("home/.config/argway")
        .folder("home/.config/gh")
        .filesystem(Filesystem::Home)
        .check_protected(&[
            "home/.bashrc",
            "home/.cache/argway",
            "home/.cache/mcpx",
            "home/.config/argway",
            "home/.config/mcpx",
            "home/.config/slop-mcp",
            "home/.local/state/argway",
            "home/.ssh",
            "home/.zshrc",
            "home/dotfiles/zshrc",
        ]);
}

#[test]
fn links_that_lead_to_what_a_home_keeps_cannot_be_replaced() {
    Home::new()
        .folder("home/dotfiles/config/argway")
        .file("home/dotfiles/config/fish/config.fish", "")
        .link("home/.config", "dotfiles/config")
        .filesystem(Filesystem::Home)
        .check_protected(&[
            "home/.cache/argway",
            "home/.cache/mcpx",
            "home/.config",
            "home/.local/state/argway",
            "home/dotfiles/config/argway",
            "home/dotfiles/config/fish",
            "home/dotfiles/config/mcpx",
            "home/dotfiles/config/slop-mcp",
        ]);
}

#[test]
fn what_is_believed_without_asking_is_no_place_to_work_in() {
    for believed in [".local/state/argway/trust", ".cache/argway", ".config/mcpx"] {
        let directory: &'static str = format!("home/{believed}").leak();
        let home = Home::new().folder(directory).within(directory);
        let ViewError::Refused(said) = home.view().unwrap_err();
        assert!(said.contains("which is protected"), "{said}");
    }
}

#[test]
fn folders_that_programs_are_found_in_are_kept_at_home_and_made_where_they_are_missing() {
    let home = Home::new().folder("home/tools").folder("home/project/bin");
    let path = [
        "home/tools",
        "home/not/yet",
        "home/project/bin",
        "elsewhere",
    ];
    let path = std::env::join_paths(path.map(|folder| home.at(folder))).unwrap();
    let variable = |name: &str| (name == "PATH").then(|| path.clone());
    let surroundings = Surroundings::new(None, variable);
    let writable = ["home", "home/project", "elsewhere"].map(|folder| home.at(folder));
    let kept = protected::within(&writable, Some(&home.at("home")), &surroundings).unwrap();
    assert_eq!(home.short(&kept.protected), ["home/tools", "home/not/yet"]);
    let kept = protected::within(&writable[1..], Some(&home.at("home")), &surroundings).unwrap();
    assert_eq!(home.short(&kept.protected), [""; 0]);
}

#[test]
fn a_repository_whose_head_was_taken_away_is_one_all_the_same() {
    let home = Home::new()
        .repository("home/project/.git")
        .repository("home/project/.git/modules/a");
    let expected = [
        "home/project/.git/config",
        "home/project/.git/hooks",
        "home/project/.git/modules/a/config",
        "home/project/.git/modules/a/hooks",
    ];
    home.check_protected(&expected);
    fs::remove_file(home.at("home/project/.git/HEAD")).unwrap();
    fs::rename(
        home.at("home/project/.git/modules/a/HEAD"),
        home.at("home/project/.git/modules/a/H"),
    )
    .unwrap();
    home.check_protected(&expected);
}

#[test]
fn a_pipe_in_the_place_of_a_repository_keeps_nobody_waiting() {
    let pipe = |home: &Home, path: &str| {
        let mode = rustix::fs::Mode::RUSR;
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, home.at(path), kind, mode, 0).unwrap();
    };
    let home = Home::new();
    pipe(&home, "home/project/.git");
    home.check_protected(&["home/project/.git"]);
    let home = Home::new().folder("home/project/.git");
    pipe(&home, "home/project/.git/config");
    home.check_protected(&["home/project/.git/config", "home/project/.git/hooks"]);
}

#[test]
fn what_settings_name_is_kept_before_it_is_there_whatever_their_encoding() {
    let home = Home::new().repository("home/project/.git");
    let mut settings = b"[user]\n\tname = J\xf6rg\n".to_vec();
    settings.extend(b"[core]\n\thooksPath = tools/hooks\n[include]\n\tpath = ../own.cfg\n");
    settings.extend(b"[include]\n\tpath = ../../../elsewhere/no.cfg\n");
    fs::write(home.at("home/project/.git/config"), settings).unwrap();
    home.check_protected(&[
        "home/project/.git/config",
        "home/project/.git/hooks",
        "home/project/own.cfg",
        "home/project/tools/hooks",
    ]);
    assert!(!home.at("elsewhere/no.cfg").exists());
}

#[test]
fn a_script_is_shown_only_interpreters_that_can_be_run() {
    for line in [
        "#!{key}",
        "#!/usr/bin/env -S {key}",
        "#!/usr/bin/env -S -vS/bin/sh {key}",
    ] {
        let home = Home::new().file("elsewhere/key", "secret");
        let key = home.at("elsewhere/key");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        let line = line.replace("{key}", key.to_str().unwrap());
        let home = home.file("elsewhere/tool", &line).runs("elsewhere/tool");
        home.check_readable(&["elsewhere/tool"]);
    }
}

#[test]
fn nothing_is_swept_where_a_link_leads() {
    let home = Home::new()
        .repository("home/project/.git")
        .repository("elsewhere/theirs")
        .file("elsewhere/theirs/commondir", "../..\n");
    let view = home.view().unwrap();
    fs::rename(home.at("home/project/.git"), home.at("home/project/mine")).unwrap();
    let home = home.link("home/project/.git", "../../elsewhere/theirs");
    assert_eq!(sweep(&view), Vec::<PathBuf>::new());
    assert!(home.at("elsewhere/theirs/commondir").exists());
}

#[test]
fn a_protected_thing_is_not_granted_by_naming_it() {
    Home::new()
        .repository("home/project/.git")
        .folder("home/project/.git/hooks")
        .link("home/project/out", ".git/hooks")
        .writes("home/project/out")
        .check_refused(
            "the writable path `home/project/.git/hooks` lies within `home/project/.git`, which \
             is protected because it becomes code: name another, or say filesystem \"full\"",
        );
    Home::new()
        .folder("home/project/.vscode/cache")
        .writes("home/project/.vscode/cache")
        .check_refused(
            "the writable path `home/project/.vscode/cache` lies within `home/project/.vscode`, \
             which is protected because it becomes code: name another, or say filesystem \"full\"",
        );
    Home::new().folder("home/.ssh/x").within("home/.ssh/x").check_refused(
        "the working directory `home/.ssh/x` lies within `home/.ssh`, which is protected because \
         it becomes code: name another, or say filesystem \"full\"",
    );
}

#[test]
fn what_a_shell_starts_can_be_asked_for() {
    let home = Home::new()
        .file("home/.cargo/bin/rg", "\x7fELF")
        .runs("home/.cargo/bin/rg");
    let found = beside(&home.program, Some(&home.at("home"))).unwrap();
    assert_eq!(home.short(&found), ["home/.cargo/bin"]);
    assert_eq!(
        beside(Path::new("/bin/sh"), None).unwrap(),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn a_repository_that_was_led_astray_is_led_back() {
    let home = Home::new().repository("home/project/.git");
    let view = home.view().unwrap();
    assert_eq!(sweep(&view), Vec::<PathBuf>::new());
    let home = home.file("home/project/.git/commondir", "../evil\n");
    assert_eq!(home.short(&sweep(&view)), ["home/project/.git/commondir"]);
    assert!(!home.at("home/project/.git/commondir").exists());
    // What was there before is the owner's, and protected.
    let home = home.file("home/project/.git/commondir", ".\n");
    assert_eq!(sweep(&home.view().unwrap()), Vec::<PathBuf>::new());
}
