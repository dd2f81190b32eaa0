//! Programs built with commander, yargs and oclif.

use super::Subject;

pub const TABLE: &[Subject] = &[
    // commander
    Subject {
        program: "svgo",
        rows: &[
            (
                &[
                    "--input",
                    "picture.svg",
                    "--output",
                    "-",
                    "--precision=2",
                    "--pretty",
                    "--indent=2",
                ],
                &[
                    "svgo",
                    "--input=picture.svg",
                    "--tool-output=-",
                    "--precision=2",
                    "--pretty",
                    "--indent=2",
                ],
            ),
            (&["--show-plugins"], &["svgo", "--show-plugins"]),
        ],
    },
    Subject {
        program: "terser",
        rows: &[
            (
                &["--mangle", "--", "script.js"],
                &["terser", "--mangle=true", "--files=script.js"],
            ),
            (
                &[
                    "--compress=passes=2,defaults=false",
                    "--toplevel",
                    "--",
                    "script.js",
                ],
                &[
                    "terser",
                    "--compress=passes=2,defaults=false",
                    "--toplevel",
                    "--files=script.js",
                ],
            ),
            (&["--", "nowhere.js"], &["terser", "--files=nowhere.js"]),
        ],
    },
    Subject {
        program: "markdownlint",
        rows: &[
            (
                &["--disable", "MD009", "MD013", "--", "\u{fc}n\u{ef}.md"],
                &[
                    "markdownlint",
                    "--disable=MD009",
                    "--disable=MD013",
                    "--files-or-directories-or-globs=\u{fc}n\u{ef}.md",
                ],
            ),
            (
                &["more"],
                &["markdownlint", "--files-or-directories-or-globs=more"],
            ),
        ],
    },
    Subject {
        program: "newman",
        rows: &[(
            &["run", "nowhere.json", "--silent"],
            &["newman_run", "--collection=nowhere.json", "--silent"],
        )],
    },
    // yargs
    Subject {
        program: "depcheck",
        rows: &[
            (
                &["package", "--json"],
                &["depcheck", "--directory=package", "--tool-json=true"],
            ),
            (
                &["package", "--ignores=left,used"],
                &["depcheck", "--directory=package", "--ignores=left,used"],
            ),
            (
                &["package", "--oneline", "--skip-missing"],
                &[
                    "depcheck",
                    "--directory=package",
                    "--oneline=true",
                    "--skip-missing",
                ],
            ),
        ],
    },
    Subject {
        program: "c8",
        rows: &[(
            &["report", "--temp-directory=nowhere"],
            &["c8_report", "--temp-directory=nowhere"],
        )],
    },
    Subject {
        program: "mocha",
        rows: &[(&["--list-reporters"], &["mocha", "--list-reporters"])],
    },
    // oclif
    Subject {
        program: "oclif",
        rows: &[
            (
                &["manifest", "nowhere"],
                &["oclif_manifest", "--path=nowhere"],
            ),
            (
                &["readme", "--dry-run", "--readme-path=nowhere.md"],
                &["oclif_readme", "--tool-dry-run", "--readme-path=nowhere.md"],
            ),
        ],
    },
];
