//! Programs built with clap.

use super::Subject;

pub const TABLE: &[Subject] = &[
    Subject {
        program: "fd",
        rows: &[
            (
                &["--threads=1", "--hidden", "--type=file", "hid"],
                &[
                    "fd",
                    "--threads=1",
                    "--hidden",
                    "--type=file",
                    "--pattern=hid",
                ],
            ),
            (
                &["-uu", "--threads=1", "hidden"],
                &["fd", "--unrestricted=2", "--threads=1", "--pattern=hidden"],
            ),
            (
                &["--threads=1", "--extension=md", ".", "more", "repo"],
                &[
                    "fd",
                    "--threads=1",
                    "--extension=md",
                    "--pattern=.",
                    "--path=more",
                    "--path=repo",
                ],
            ),
            (
                &["--threads=1", "--", "-dash"],
                &["fd", "--threads=1", "--pattern=-dash"],
            ),
            (
                &["--threads=1", "-1", "two"],
                &["fd", "--threads=1", "--1", "--pattern=two"],
            ),
            (&["["], &["fd", "--pattern=["]),
        ],
    },
    Subject {
        program: "rg",
        rows: &[
            (
                &["--line-number", "--ignore-case", "ALPHA", "notes.txt"],
                &[
                    "rg",
                    "--line-number",
                    "--ignore-case",
                    "--pattern=ALPHA",
                    "--path=notes.txt",
                ],
            ),
            (
                &["-e", "alpha", "-e", "-?10", "--count", "--glob=notes.txt"],
                &[
                    "rg",
                    "--regexp=alpha",
                    "--regexp=-?10",
                    "--count",
                    "--glob=notes.txt",
                ],
            ),
            (
                &["--replace=<$0>", "--", "-?al", "notes.txt"],
                &["rg", "--replace=<$0>", "--pattern=-?al", "--path=notes.txt"],
            ),
            (
                &["--files", "--sort=path", "--glob=*.md", "--glob=*.yaml"],
                &[
                    "rg",
                    "--files",
                    "--sort=path",
                    "--glob=*.md",
                    "--glob=*.yaml",
                ],
            ),
            (
                &["no such text", "notes.txt"],
                &["rg", "--pattern=no such text", "--path=notes.txt"],
            ),
        ],
    },
    Subject {
        program: "hexyl",
        rows: &[
            (
                &[
                    "--length=40",
                    "--border=ascii",
                    "--color=never",
                    "bytes.bin",
                ],
                &[
                    "hexyl",
                    "--length=40",
                    "--border=ascii",
                    "--color=never",
                    "--file=bytes.bin",
                ],
            ),
            (
                &[
                    "--skip=0x10",
                    "--no-squeezing",
                    "--border=none",
                    "bytes.bin",
                ],
                &[
                    "hexyl",
                    "--skip=0x10",
                    "--no-squeezing",
                    "--border=none",
                    "--file=bytes.bin",
                ],
            ),
            (&["nowhere"], &["hexyl", "--file=nowhere"]),
        ],
    },
    Subject {
        program: "sd",
        rows: &[
            (
                &["--preview", "(a)l", "$1-é", "notes.txt"],
                &[
                    "sd",
                    "--preview",
                    "--find=(a)l",
                    "--replace-with=$1-é",
                    "--files=notes.txt",
                ],
            ),
            (
                &["--preview", "--flags=i", "alpha", "", "notes.txt"],
                &[
                    "sd",
                    "--preview",
                    "--flags=i",
                    "--find=alpha",
                    "--replace-with=",
                    "--files=notes.txt",
                ],
            ),
        ],
    },
    Subject {
        program: "zoxide",
        rows: &[
            (
                &["init", "--no-aliases", "--hook=none", "bash"],
                &["zoxide_init", "--no-aliases", "--hook=none", "--shell=bash"],
            ),
            (&["query", "--list"], &["zoxide_query", "--list"]),
            (
                &["query", "nothing"],
                &["zoxide_query", "--keywords=nothing"],
            ),
        ],
    },
    Subject {
        program: "just",
        rows: &[
            (&["--completions", "fish"], &["just", "--completions=fish"]),
            (&["--list"], &["just", "--list=[]"]),
            (
                &["--list", "--unsorted", "--list-heading="],
                &["just", "--list=[]", "--unsorted", "--list-heading="],
            ),
            (
                &["--set", "greeting", "hé llo", "--evaluate", "greeting"],
                &[
                    "just",
                    "--set=greeting",
                    "--set=hé llo",
                    "--evaluate",
                    "--arguments=greeting",
                ],
            ),
            (
                &["--justfile=nowhere", "--summary"],
                &["just", "--justfile=nowhere", "--summary"],
            ),
        ],
    },
    Subject {
        program: "ruff",
        rows: &[
            (
                &[
                    "check",
                    "--isolated",
                    "--no-cache",
                    "--output-format=concise",
                    "--select=F,E",
                    "code.py",
                ],
                &[
                    "ruff_check",
                    "--isolated",
                    "--no-cache",
                    "--output-format=concise",
                    "--select=F",
                    "--select=E",
                    "--files=code.py",
                ],
            ),
            (
                &[
                    "format",
                    "--isolated",
                    "--no-cache",
                    "--diff",
                    "code.py",
                    "good.py",
                ],
                &[
                    "ruff_format",
                    "--isolated",
                    "--no-cache",
                    "--diff",
                    "--files=code.py",
                    "--files=good.py",
                ],
            ),
            (
                &["rule", "F401", "--output-format=json"],
                &["ruff_rule", "--rule=F401", "--output-format=json"],
            ),
            (
                &["check", "--isolated", "--no-cache", "good.py"],
                &["ruff_check", "--isolated", "--no-cache", "--files=good.py"],
            ),
        ],
    },
];
