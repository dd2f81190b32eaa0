//! Programs with Go's flag, urfave/cli and kingpin.

use super::Subject;

pub const TABLE: &[Subject] = &[
    Subject {
        program: "promtool",
        rows: &[
            (
                &["check", "rules", "rules.yml"],
                &["promtool_check_rules", "--rule-files=rules.yml"],
            ),
            (
                &["check", "rules", "--lint=none", "bad.yaml"],
                &[
                    "promtool_check_rules",
                    "--lint=none",
                    "--rule-files=bad.yaml",
                ],
            ),
        ],
    },
    Subject {
        program: "runc",
        rows: &[
            (
                &["--root", "nowhere", "list", "--format=json"],
                &["runc_list", "--root=nowhere", "--format=json"],
            ),
            (
                &["--root", "nowhere", "state", "none"],
                &["runc_state", "--root=nowhere", "--container-id=none"],
            ),
        ],
    },
    Subject {
        program: "lego",
        rows: &[(
            &["--path=nowhere", "dnshelp", "--code=exec"],
            &[
                "lego_dnshelp",
                "--code=exec",
                "--global-flags={\"path\": \"nowhere\"}",
            ],
        )],
    },
    Subject {
        program: "age",
        rows: &[(
            &["--decrypt", "--identity=nowhere", "notes.txt"],
            &[
                "age",
                "--decrypt",
                "--identity=nowhere",
                "--input=notes.txt",
            ],
        )],
    },
];
