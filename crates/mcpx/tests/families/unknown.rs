//! Programs of no family: their pages are their own.

use super::Subject;

pub const TABLE: &[Subject] = &[
    Subject {
        program: "jq",
        rows: &[
            (
                &["-c", ".b", "data.json"],
                &["jq", "--c", "--args-arg=.b", "--args-arg=data.json"],
            ),
            (
                &["-n", "-r", "--arg", "who", "Zoë -x", "$who"],
                &[
                    "jq",
                    "--n",
                    "--r",
                    "--arg=who",
                    "--arg=Zoë -x",
                    "--args-arg=$who",
                ],
            ),
            (
                &[".b[", "data.json"],
                &["jq", "--args-arg=.b[", "--args-arg=data.json"],
            ),
        ],
    },
    Subject {
        program: "tree",
        rows: &[
            (
                &["-a", "--noreport", "-L", "2", "more"],
                &["tree", "--a", "--noreport", "--l-2=2", "--directory=more"],
            ),
            (
                &["-J", "more", "package"],
                &["tree", "--j", "--directory=more", "--directory=package"],
            ),
        ],
    },
    Subject {
        program: "curl",
        rows: &[
            (
                &[
                    "--silent",
                    "--head",
                    "--url",
                    "file:///dev/null",
                    "file:///etc/hostname",
                ],
                &[
                    "curl",
                    "--silent",
                    "--head",
                    "--url=file:///dev/null",
                    "--url-arg=file:///etc/hostname",
                ],
            ),
            (
                &["--max-time", "5", "--fail", "http://127.0.0.1:1/"],
                &[
                    "curl",
                    "--max-time=5",
                    "--fail",
                    "--url-arg=http://127.0.0.1:1/",
                ],
            ),
        ],
    },
];
