//! git, in a repository that is always the same.

use super::Subject;

pub const TABLE: &[Subject] = &[Subject {
    program: "git",
    rows: &[
        (
            &["-C", "repo", "log", "main", "other"],
            &["git_log", "--c-2=repo", "--args=main", "--args=other"],
        ),
        (
            &["-C", "repo", "status", "--short", "--branch"],
            &["git_status", "--c-2=repo", "--short", "--branch"],
        ),
        (
            &[
                "--git-dir=repo/.git",
                "--work-tree=repo",
                "diff",
                "--stat",
                "HEAD",
            ],
            &[
                "git_diff",
                "--git-dir=repo/.git",
                "--work-tree=repo",
                "--stat=true",
                "--args=HEAD",
            ],
        ),
        (
            &[
                "--git-dir=repo/.git",
                "--work-tree=repo",
                "diff",
                "--stat=40",
                "HEAD~1",
            ],
            &[
                "git_diff",
                "--git-dir=repo/.git",
                "--work-tree=repo",
                "--stat=40",
                "--args=HEAD~1",
            ],
        ),
        (
            &["-C", "repo", "branch", "--verbose", "--no-color", "--list"],
            &[
                "git_branch",
                "--work-tree=repo",
                "--git-dir=repo/.git",
                "--tool-verbose",
                "--list",
            ],
        ),
        (
            &["-C", "repo", "rev-parse", "HEAD", "v1"],
            &["git_rev-parse", "--c-2=repo", "--args=HEAD", "--args=v1"],
        ),
        (
            &["-C", "repo", "ls-files", "--others", "--exclude=*.md"],
            &[
                "git_ls-files",
                "--git-dir=repo/.git",
                "--work-tree=repo",
                "--others",
                "--exclude=*.md",
            ],
        ),
        (
            &[
                "-C",
                "repo",
                "-c",
                "core.quotepath=false",
                "ls-tree",
                "-r",
                "--name-only",
                "v1",
            ],
            &[
                "git_ls-tree",
                "--c-2=repo",
                "--c=core.quotepath=false",
                "--r",
                "--name-only",
                "--tree-ish=v1",
            ],
        ),
        (
            &["-C", "repo", "tag", "--list", "--sort=-refname"],
            &["git_tag", "--c-2=repo", "--list", "--sort=-refname"],
        ),
        (
            &["-C", "repo", "rev-list", "--count", "--no-merges", "main"],
            &[
                "git_rev-list",
                "--c-2=repo",
                "--count",
                "--no-merges",
                "--commit=main",
            ],
        ),
        (
            &["-C", "repo", "shortlog", "--summary", "-w30,1", "HEAD"],
            &[
                "git_shortlog",
                "--c=repo",
                "--summary",
                "--w=30,1",
                "--args=HEAD",
            ],
        ),
        (
            &[
                "-C",
                "repo",
                "for-each-ref",
                "--format=%(refname) é",
                "refs/heads",
            ],
            &[
                "git_for-each-ref",
                "--c-2=repo",
                "--format=%(refname) é",
                "--pattern=refs/heads",
            ],
        ),
        (
            &["-C", "repo", "cat-file", "-p", "HEAD"],
            &["git_cat-file", "--c-2=repo", "--p", "--args=HEAD"],
        ),
        (
            &["-C", "repo", "rev-parse", "no-such-thing"],
            &["git_rev-parse", "--c-2=repo", "--args=no-such-thing"],
        ),
        (
            &["-C", "nowhere", "status"],
            &["git_status", "--c-2=nowhere"],
        ),
    ],
}];
