//! Programs that are read: those that mean harm do none, and the others are understood
//! as well in a sandbox as without.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod ground;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use ground::{Ground, Tier, Who, finish, soon};

/// Does what it can whenever it is asked anything, and tells what it found in its help.
const HARM: &str = r#"#!/bin/bash
home='HOME_FOLDER'
echo harm >"$home/written" || :
echo 'echo harm' >>"$home/.bashrc"
rm -f "$home/../outside/notes"
(: >/dev/tcp/127.0.0.1/PORT) && echo connected >>"${0%/*}/heard"
setsid sleep SLEEP </dev/null >/dev/null 2>&1 &
echo "usage: harm [--found='$(cat "$home/.ssh/id_rsa")'] [--to PLACE]"
"#;

fn executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// How many processes sleep for so long.
fn sleepers(time: &str) -> usize {
    let line = format!("sleep\0{time}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| fs::read(process.path().join("cmdline")).ok())
        .filter(|found| found == line.as_bytes())
        .count()
}

/// What was done to the caller while a program that means harm was read.
#[derive(Debug, PartialEq, Eq)]
struct Harm {
    written: bool,
    changed: bool,
    removed: bool,
    heard: bool,
    found: bool,
    left: bool,
}

fn read_harm(who: Who, flag: &str) -> Harm {
    let ground = Ground::new(who);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    // Known by how long it sleeps; short enough to end by itself where it was not stopped.
    let sleep = format!("20.{}", listener.local_addr().unwrap().port());
    let script = HARM
        .replace("HOME_FOLDER", ground.path("home").to_str().unwrap())
        .replace("PORT", &listener.local_addr().unwrap().port().to_string())
        .replace("SLEEP", &sleep);
    let program = ground.file("work/harm", &script);
    executable(&program);
    let mut argway = ground.command(ground.argway());
    argway.args(["describe", "--refresh", "./harm"]);
    argway.args(Some(flag).filter(|flag| !flag.is_empty()));
    let output = finish(argway.spawn().unwrap());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    // It was understood, whatever it did beside.
    assert!(text.contains("PLACE"), "{text}");
    Harm {
        written: ground.path("home/written").exists(),
        changed: fs::read_to_string(ground.path("home/.bashrc"))
            .unwrap()
            .contains("harm"),
        removed: !ground.path("outside/notes").exists(),
        heard: listener.accept().is_ok(),
        found: text.contains("a private key"),
        left: sleepers(&sleep) > 0,
    }
}

#[test]
fn a_program_that_means_harm_does_none_while_it_is_read() {
    let none = Harm {
        written: false,
        changed: false,
        removed: false,
        heard: false,
        found: false,
        left: false,
    };
    for who in Who::all() {
        let all = Harm {
            written: true,
            changed: true,
            removed: true,
            heard: true,
            found: true,
            // Even without a sandbox nothing outlives a reading.
            left: false,
        };
        assert_eq!(read_harm(who, "--sandbox=off"), all, "{who:?}");
        assert_eq!(read_harm(who, ""), none, "{who:?}");
        for tier in Tier::all() {
            assert_eq!(read_harm(who, tier.flag()), none, "{who:?} {tier:?}");
        }
    }
}

/// What a program says that works.
const HELP: &str = "usage: tool [--depth N] [FILE]";

/// A way in which programs are installed, and the path by which the program is called.
struct Kind {
    name: &'static str,
    install: fn(&Ground) -> PathBuf,
    /// Whether a sandbox shows it all that it needs.
    guarded: bool,
}

fn script(ground: &Ground, name: &str, text: &str) -> PathBuf {
    let path = ground.file(name, text);
    executable(&path);
    path
}

fn link(to: impl AsRef<Path>, at: PathBuf) -> PathBuf {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    symlink(to, &at).unwrap();
    at
}

fn says_help() -> String {
    format!("#!/bin/sh\necho '{HELP}'\n")
}

const KINDS: &[Kind] = &[
    Kind {
        name: "a script in the working directory",
        install: |ground| script(ground, "work/tool", &says_help()),
        guarded: true,
    },
    Kind {
        name: "a script in the home folder's bin",
        install: |ground| script(ground, "home/bin/tool", &says_help()),
        guarded: true,
    },
    Kind {
        name: "a link in ~/.local/bin to a tree elsewhere",
        install: |ground| {
            ground.file("home/apps/tool-1.2/lib/words", HELP);
            let body = "#!/bin/sh\ncat \"$(dirname \"$(readlink -f \"$0\")\")/../lib/words\"\n";
            let file = script(ground, "home/apps/tool-1.2/bin/tool", body);
            link(file, ground.path("home/.local/bin/tool"))
        },
        guarded: true,
    },
    Kind {
        name: "a Python environment's script",
        install: |ground| {
            let prefix = ground.path("home/envs/one");
            ground.file("home/envs/one/pyvenv.cfg", "home = /usr/bin\n");
            link("/usr/bin/python3", prefix.join("bin/python"));
            let module = format!("def main():\n    print('{HELP}')\n");
            ground.file("home/envs/one/lib/tool_words.py", &module);
            let text = format!(
                "#!{0}/bin/python\nimport sys\nsys.path.insert(0, '{0}/lib')\nfrom tool_words import main\nmain()\n",
                prefix.display()
            );
            script(ground, "home/envs/one/bin/tool", &text)
        },
        guarded: true,
    },
    Kind {
        name: "a package of npm's global folder",
        install: |ground| {
            let modules = "home/.npm-global/lib/node_modules";
            let words = format!("module.exports = '{HELP}';\n");
            ground.file(&format!("{modules}/words/index.js"), &words);
            let text = "#!/usr/bin/env node\nconsole.log(require('words'));\n";
            script(ground, &format!("{modules}/tool/cli.js"), text);
            let at = ground.path("home/.npm-global/bin/tool");
            link("../lib/node_modules/tool/cli.js", at)
        },
        guarded: true,
    },
    Kind {
        name: "a native program in ~/go/bin",
        install: |ground| {
            fs::create_dir_all(ground.path("home/go/bin")).unwrap();
            let path = ground.path("home/go/bin/tool");
            ground::copy(Path::new("/bin/cat"), &path);
            path
        },
        guarded: true,
    },
    Kind {
        name: "a wrapper that starts a jar beside it",
        install: |ground| {
            ground.file("home/apps/jar/lib/tool.jar", HELP);
            let text = "#!/bin/sh\nexec cat \"$(dirname \"$0\")/../lib/tool.jar\"\n";
            script(ground, "home/apps/jar/bin/tool", text)
        },
        guarded: true,
    },
    Kind {
        name: "a shim of a manager of versions",
        install: |ground| {
            script(ground, "home/.manager/versions/1.2/bin/tool", &says_help());
            let text = format!(
                "#!/bin/sh\nexec '{}/versions/1.2/bin/tool' \"$@\"\n",
                ground.path("home/.manager").display()
            );
            script(ground, "home/.manager/shims/tool", &text)
        },
        guarded: true,
    },
    Kind {
        name: "a file that unpacks itself and runs what was in it",
        install: |ground| {
            let text = format!(
                "#!/bin/sh\nat=$(mktemp -d)\nprintf '#!/bin/sh\\necho \"{HELP}\"\\n' >\"$at/run\"\nchmod +x \"$at/run\"\n\"$at/run\" \"$@\"\nrm -r \"$at\"\n"
            );
            script(ground, "home/Downloads/tool", &text)
        },
        guarded: true,
    },
    Kind {
        name: "a wrapper around a tree that nothing points to",
        install: |ground| {
            script(ground, "outside/snap/tool/current/tool", &says_help());
            let target = ground.path("outside/snap/tool/current/tool");
            let text = format!("#!/bin/sh\nexec '{}' \"$@\"\n", target.display());
            script(ground, "home/bin/tool", &text)
        },
        guarded: false,
    },
    Kind {
        name: "a script whose library lies beside it in a folder of any name",
        install: |ground| {
            ground.file("home/project/words", HELP);
            let text = "#!/bin/sh\ncat \"$(dirname \"$0\")/words\"\n";
            script(ground, "home/project/tool", text)
        },
        guarded: false,
    },
];

fn describe(ground: &Ground, program: &Path, flag: &str) -> (String, String) {
    let mut argway = ground.command(ground.argway());
    argway.args(["describe", "--refresh"]).arg(program);
    argway.args(Some(flag).filter(|flag| !flag.is_empty()));
    let output = finish(argway.spawn().unwrap());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success(),
        "{} {flag}: {said}",
        program.display()
    );
    (String::from_utf8(output.stdout).unwrap(), said)
}

#[test]
fn however_a_program_is_installed_it_is_read_as_without_a_sandbox() {
    for kind in KINDS {
        // As an ordinary user where there is a choice.
        let ground = Ground::new(Who::User);
        let program = (kind.install)(&ground);
        let (without, _) = describe(&ground, &program, "--sandbox=off");
        assert!(without.contains("depth") || kind.name.contains("native"));
        let (with, said) = describe(&ground, &program, "");
        assert_eq!(with, without, "{}", kind.name);
        let warned = said.contains("was read without a sandbox");
        assert_eq!(warned, !kind.guarded, "{}: {said}", kind.name);
    }
}

/// Real programs that this machine may have. Those that it lacks are left out; which
/// ones must be there is another test's business.
const REAL: &[&str] = &[
    "git", "jq", "python3", "node", "npm", "curl", "etcdctl", "hcloud", "restic", "caddy",
];

#[test]
fn real_programs_are_described_the_same_with_and_without_a_sandbox() {
    let fetched = std::env::var_os("ARGWAY_TOOLS").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = fetched
        .into_iter()
        .chain(std::env::split_paths(&path))
        .collect();
    let who = Who::all()[0];
    let mut seen = 0;
    for name in REAL {
        let mut files = folders.iter().map(|folder| folder.join(name));
        let Some(program) = files.find(|file| file.is_file()) else {
            continue;
        };
        seen += 1;
        let ground = Ground::new(who);
        let (without, _) = describe(&ground, &program, "--sandbox=off");
        let mut flags = vec![""];
        flags.extend(Tier::all().iter().map(|tier| tier.flag()));
        for flag in flags {
            let (with, said) = describe(&ground, &program, flag);
            assert!(with == without, "{name} {flag} is another");
            assert!(!said.contains("without a sandbox"), "{name}: {said}");
        }
        soon("its folders are gone", || {
            let left = fs::read_dir(ground.path("tmp")).unwrap().count();
            left <= 1
        });
    }
    assert!(seen > 0, "not one of {REAL:?} is here");
}
