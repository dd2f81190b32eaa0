//! Programs built with argparse, optparse, click and typer.

use super::Subject;

pub const TABLE: &[Subject] = &[
    // argparse
    Subject {
        program: "codespell",
        rows: &[
            (
                &["--context=1", "typos.txt"],
                &["codespell", "--context=1", "--files=typos.txt"],
            ),
            (
                &[
                    "--ignore-words-list=teh",
                    "--count",
                    "typos.txt",
                    "notes.txt",
                ],
                &[
                    "codespell",
                    "--ignore-words-list=teh",
                    "--count",
                    "--files=typos.txt",
                    "--files=notes.txt",
                ],
            ),
        ],
    },
    Subject {
        program: "yamllint",
        rows: &[
            (
                &["--format=parsable", "bad.yaml"],
                &["yamllint", "--format=parsable", "--file-or-dir=bad.yaml"],
            ),
            (
                &["--strict", "--config-data={extends: relaxed}", "good.yaml"],
                &[
                    "yamllint",
                    "--strict",
                    "--config-data={extends: relaxed}",
                    "--file-or-dir=good.yaml",
                ],
            ),
            (
                &["--list-files", "."],
                &["yamllint", "--list-files", "--file-or-dir=."],
            ),
        ],
    },
    Subject {
        program: "vulture",
        rows: &[
            (
                &["--min-confidence=60", "--sort-by-size", "code.py"],
                &[
                    "vulture",
                    "--min-confidence=60",
                    "--sort-by-size",
                    "--path=code.py",
                ],
            ),
            (
                &["--make-whitelist", "good.py"],
                &["vulture", "--make-whitelist", "--path=good.py"],
            ),
        ],
    },
    Subject {
        program: "flake8",
        rows: &[
            (
                &[
                    "--isolated",
                    "--jobs=1",
                    "--max-line-length=20",
                    "--show-source",
                    "code.py",
                ],
                &[
                    "flake8",
                    "--isolated",
                    "--jobs=1",
                    "--max-line-length=20",
                    "--show-source",
                    "--filename-arg=code.py",
                ],
            ),
            (
                &["-qq", "--isolated", "--jobs=1", "code.py"],
                &[
                    "flake8",
                    "--tool-quiet=2",
                    "--isolated",
                    "--jobs=1",
                    "--filename-arg=code.py",
                ],
            ),
        ],
    },
    Subject {
        program: "pygmentize",
        rows: &[
            (
                &["-l", "python", "-f", "html", "good.py"],
                &[
                    "pygmentize",
                    "--l=python",
                    "--f=html",
                    "--inputfile=good.py",
                ],
            ),
            (&["-N", "some.rs"], &["pygmentize", "--n=some.rs"]),
        ],
    },
    Subject {
        program: "virtualenv",
        rows: &[(
            &["--version", "nowhere"],
            &["virtualenv", "--tool-version", "--dest=nowhere"],
        )],
    },
    // optparse
    Subject {
        program: "pip",
        rows: &[
            (
                &[
                    "list",
                    "--format=json",
                    "--disable-pip-version-check",
                    "--no-index",
                ],
                &[
                    "pip_list",
                    "--format=json",
                    "--disable-pip-version-check",
                    "--no-index",
                ],
            ),
            (
                &["hash", "--algorithm=sha512", "notes.txt", "bytes.bin"],
                &[
                    "pip_hash",
                    "--algorithm=sha512",
                    "--file=notes.txt",
                    "--file=bytes.bin",
                ],
            ),
            (
                &["show", "no-such-package"],
                &["pip_show", "--package=no-such-package"],
            ),
        ],
    },
    Subject {
        program: "coverage",
        rows: &[(&["report"], &["coverage_report"])],
    },
    // click
    Subject {
        program: "black",
        rows: &[
            (
                &["--check", "--quiet", "code.py"],
                &["black", "--check", "--tool-quiet", "--src=code.py"],
            ),
            (
                &[
                    "--check",
                    "--line-length=100",
                    "--target-version=py312",
                    "good.py",
                ],
                &[
                    "black",
                    "--check",
                    "--line-length=100",
                    "--target-version=py312",
                    "--src=good.py",
                ],
            ),
            (
                &["--check", "--safe", "code.py"],
                &["black", "--check", "--no-fast", "--src=code.py"],
            ),
        ],
    },
    Subject {
        program: "sqlite-utils",
        rows: &[
            (
                &[
                    "memory",
                    "table.csv",
                    "select name, id + :more as m from [table] order by id",
                    "--param",
                    "more",
                    "3",
                    "--param",
                    "un-needed",
                    "é",
                    "--csv",
                ],
                &[
                    "sqlite-utils_memory",
                    "--paths=table.csv",
                    "--sql=select name, id + :more as m from [table] order by id",
                    "--param=more",
                    "--param=3",
                    "--param=un-needed",
                    "--param=é",
                    "--csv",
                ],
            ),
            (
                &[
                    "query",
                    ":memory:",
                    "select '' as nothing, 'ü' as letter",
                    "--nl",
                ],
                &[
                    "sqlite-utils_query",
                    "--path=:memory:",
                    "--sql=select '' as nothing, 'ü' as letter",
                    "--nl",
                ],
            ),
            (
                &["query", ":memory:", "--", "--no sql"],
                &["sqlite-utils_query", "--path=:memory:", "--sql=--no sql"],
            ),
        ],
    },
    Subject {
        program: "towncrier",
        rows: &[(
            &[
                "build",
                "--draft",
                "--version=1.0",
                "--name=thing",
                "--date=2024-02-29",
            ],
            &[
                "towncrier_build",
                "--draft",
                "--tool-version=1.0",
                "--name=thing",
                "--date=2024-02-29",
            ],
        )],
    },
    Subject {
        program: "flask",
        rows: &[(
            &["--app=nowhere", "routes", "--sort=rule"],
            &["flask_routes", "--app=nowhere", "--sort=rule"],
        )],
    },
    Subject {
        program: "mkdocs",
        rows: &[(
            &["build", "--config-file=nowhere.yml"],
            &["mkdocs_build", "--config-file=nowhere.yml"],
        )],
    },
    Subject {
        program: "cookiecutter",
        rows: &[(&["--list-installed"], &["cookiecutter", "--list-installed"])],
    },
    // typer
    Subject {
        program: "typer",
        rows: &[(&["utils"], &["typer_utils"])],
    },
];
