//! GNU's programs, and busybox.

use super::Subject;

pub const TABLE: &[Subject] = &[
    Subject {
        program: "ls",
        rows: &[
            (
                &["-1", "--all", "--classify", "more"],
                &["ls", "--1", "--all", "--classify=true", "--file=more"],
            ),
            (
                &["--quoting-style=c", "--sort=extension"],
                &["ls", "--quoting-style=c", "--sort=extension"],
            ),
            (
                &["--", "-dash.txt", "nowhere"],
                &["ls", "--file=-dash.txt", "--file=nowhere"],
            ),
        ],
    },
    Subject {
        program: "sort",
        rows: &[
            (
                &["--numeric-sort", "--reverse", "--key=1,1", "notes.txt"],
                &[
                    "sort",
                    "--numeric-sort",
                    "--reverse",
                    "--key=1,1",
                    "--file=notes.txt",
                ],
            ),
            (
                &["--check", "notes.txt"],
                &["sort", "--check=true", "--file=notes.txt"],
            ),
            (
                &["--check=quiet", "notes.txt"],
                &["sort", "--check=quiet", "--file=notes.txt"],
            ),
        ],
    },
    Subject {
        program: "cut",
        rows: &[
            (
                &[
                    "--delimiter=,",
                    "--fields=2,1",
                    "--output-delimiter=",
                    "table.csv",
                ],
                &[
                    "cut",
                    "--delimiter=,",
                    "--fields=2,1",
                    "--output-delimiter=",
                    "--file=table.csv",
                ],
            ),
            (
                &["-b", "2-", "--", "-dash.txt"],
                &["cut", "--bytes=2-", "--file=-dash.txt"],
            ),
        ],
    },
    Subject {
        program: "head",
        rows: &[
            (
                &["--lines=-2", "--verbose", "notes.txt"],
                &["head", "--lines=-2", "--tool-verbose", "--file=notes.txt"],
            ),
            (
                &["--bytes=200", "bytes.bin"],
                &["head", "--bytes=200", "--file=bytes.bin"],
            ),
        ],
    },
    Subject {
        program: "wc",
        rows: &[(
            &["--lines", "--max-line-length", "notes.txt", "two words.txt"],
            &[
                "wc",
                "--lines",
                "--max-line-length",
                "--file=notes.txt",
                "--file=two words.txt",
            ],
        )],
    },
    Subject {
        program: "grep",
        rows: &[
            (
                &["--line-number", "--context=1", "gam", "notes.txt"],
                &[
                    "grep",
                    "--line-number",
                    "--context=1",
                    "--patterns=gam",
                    "--file-arg=notes.txt",
                ],
            ),
            (
                &["--color=always", "alpha", "notes.txt"],
                &[
                    "grep",
                    "--color=always",
                    "--patterns=alpha",
                    "--file-arg=notes.txt",
                ],
            ),
            (
                &["--", "-f", "notes.txt", "-dash.txt"],
                &[
                    "grep",
                    "--patterns=-f",
                    "--file-arg=notes.txt",
                    "--file-arg=-dash.txt",
                ],
            ),
            (
                &["--count", "", "notes.txt"],
                &["grep", "--count", "--patterns=", "--file-arg=notes.txt"],
            ),
            (
                &["nothing", "notes.txt"],
                &["grep", "--patterns=nothing", "--file-arg=notes.txt"],
            ),
        ],
    },
    Subject {
        program: "sed",
        rows: &[(
            &["--quiet", "--regexp-extended", "s/(a)l/\\1é/p", "notes.txt"],
            &[
                "sed",
                "--tool-quiet",
                "--regexp-extended",
                "--script-only-if-no-other-script=s/(a)l/\\1é/p",
                "--input-file=notes.txt",
            ],
        )],
    },
    Subject {
        program: "tar",
        rows: &[
            (
                &[
                    "--create",
                    "--file=-",
                    "--mtime=@0",
                    "--owner=0",
                    "--group=0",
                    "more",
                    "bytes.bin",
                ],
                &[
                    "tar",
                    "--create",
                    "--file=-",
                    "--mtime=@0",
                    "--owner=0",
                    "--group=0",
                    "--file-arg=more",
                    "--file-arg=bytes.bin",
                ],
            ),
            (
                &["--list", "--file=notes.txt"],
                &["tar", "--list", "--file=notes.txt"],
            ),
        ],
    },
    Subject {
        program: "date",
        rows: &[
            (
                &["--utc", "--date=2024-02-29 12:00", "+%A %s"],
                &["date", "--utc", "--date=2024-02-29 12:00", "--args=+%A %s"],
            ),
            (
                &["--utc", "--iso-8601", "--date=@0"],
                &["date", "--utc", "--iso-8601=true", "--date=@0"],
            ),
            (
                &["--utc", "--iso-8601=seconds", "--date=@0"],
                &["date", "--utc", "--iso-8601=seconds", "--date=@0"],
            ),
            (&["--date=never"], &["date", "--date=never"]),
        ],
    },
    Subject {
        program: "seq",
        rows: &[
            (
                &["--separator=, ", "1", "3"],
                &["seq", "--separator=, ", "--args=1", "--args=3"],
            ),
            (&["--", "-2", "2"], &["seq", "--args=-2", "--args=2"]),
        ],
    },
    Subject {
        program: "base64",
        rows: &[(
            &["--wrap=0", "bytes.bin"],
            &["base64", "--wrap=0", "--file=bytes.bin"],
        )],
    },
    Subject {
        program: "stat",
        rows: &[(
            &["--printf=%n %s\\0", "notes.txt", "two words.txt"],
            &[
                "stat",
                "--printf=%n %s\\0",
                "--file=notes.txt",
                "--file=two words.txt",
            ],
        )],
    },
    Subject {
        program: "diff",
        rows: &[
            (
                &[
                    "--unified=0",
                    "--label=a",
                    "--label=b",
                    "good.yaml",
                    "bad.yaml",
                ],
                &[
                    "diff",
                    "--unified=0",
                    "--label=a",
                    "--label=b",
                    "--files=good.yaml",
                    "--files=bad.yaml",
                ],
            ),
            (
                &["--brief", "--", "-dash.txt", "-dash.txt"],
                &["diff", "--brief", "--files=-dash.txt", "--files=-dash.txt"],
            ),
        ],
    },
    Subject {
        program: "printf",
        rows: &[(
            &["%s|%5.1f|%b", "é  ", "2.25", "a\\tb"],
            &[
                "printf",
                "--format=%s|%5.1f|%b",
                "--argument=é  ",
                "--argument=2.25",
                "--argument=a\\tb",
            ],
        )],
    },
    Subject {
        program: "busybox",
        rows: &[
            (
                &["seq", "-w", "8", "10"],
                &["busybox_seq", "--w", "--first=8", "--last=10"],
            ),
            (
                &["head", "-n", "2", "notes.txt"],
                &["busybox_head", "--n=2", "--file=notes.txt"],
            ),
            (
                &["cat", "two words.txt", "bytes.bin"],
                &["busybox_cat", "--file=two words.txt", "--file=bytes.bin"],
            ),
            (
                &["sort", "-r", "-u", "notes.txt"],
                &["busybox_sort", "--r", "--u", "--args=notes.txt"],
            ),
        ],
    },
];
