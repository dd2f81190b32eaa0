//! What the programs of the tables work on.

use super::world::World;

/// Text files, and some whose names or bytes ask for care.
const FILES: [(&str, &[u8]); 21] = [
    ("notes.txt", b"beta\nAlpha\ngamma\nalpha\n10\n9\n"),
    ("two words.txt", b"no newline at the end"),
    ("-dash.txt", b"a file like a flag\n"),
    ("\u{fc}n\u{ef}.md", "# Ünï\n\nText  \nand *more*\n".as_bytes()),
    (".hidden", b"out of sight\n"),
    ("empty", b""),
    ("more/deep/below.md", b"below\n"),
    ("more/beside.txt", b"beside\n"),
    ("code.py", b"import os\ndef f( a ):\n    unused = 'x'\n    return a\n"),
    ("good.py", b"def double(number):\n    return number * 2\n"),
    ("good.yaml", b"---\na: 1\n"),
    ("bad.yaml", b"a:   1\nb: [1,2 ]\n"),
    ("table.csv", "id,name\n1,Zoë\n2,Bob\n".as_bytes()),
    ("data.json", "{\"b\": [1, 2.50, \"é\"], \"a\": null}\n".as_bytes()),
    ("justfile", b"greeting := 'hi'\n\n# Says it\ntest: build\n    true\n\nbuild:\n    true\n"),
    ("typos.txt", b"teh word\n"),
    (
        "picture.svg",
        b"<svg xmlns=\"http://www.w3.org/2000/svg\">\n  <!-- a remark -->\n  <rect width=\"10.12345\" height=\"20\"/>\n</svg>\n",
    ),
    (
        "script.js",
        b"function add(first, second) { return first + second; }\nconsole.log(add(1, 2));\n",
    ),
    (
        "package/package.json",
        b"{\"name\": \"unneeded\", \"version\": \"1.0.0\", \"dependencies\": {\"left\": \"1\", \"used\": \"1\"}}\n",
    ),
    ("package/index.js", b"require('used');\n"),
    (
        "rules.yml",
        b"groups:\n- name: g\n  rules:\n  - record: a:b\n    expr: sum(up)\n",
    ),
];

/// Two commits, the second on top of the first; the same every time.
const HISTORY: [&[&str]; 8] = [
    &["init", "--quiet", "--initial-branch=main", "repo"],
    &["-C", "repo", "add", "one.txt", "\u{fc}.txt"],
    &["-C", "repo", "commit", "--quiet", "--message=The first: é"],
    &["-C", "repo", "tag", "v1"],
    &["-C", "repo", "branch", "other"],
    &["-C", "repo", "rm", "--quiet", "one.txt"],
    &["-C", "repo", "commit", "--quiet", "--message=The second"],
    &["-C", "repo", "config", "core.quotepath", "true"],
];

/// A world with all of it, and with a repository.
pub fn world() -> World {
    let world = World::new();
    for (name, bytes) in FILES {
        world.file(name, bytes);
    }
    world.file("bytes.bin", (0..=255).collect::<Vec<u8>>());
    world.file("repo/one.txt", "1\n");
    world.file("repo/\u{fc}.txt", "line\n".repeat(3));
    for words in HISTORY {
        let mut git = world.run("git").args(words);
        for who in ["AUTHOR", "COMMITTER"] {
            git = git
                .env(&format!("GIT_{who}_NAME"), "Zoë")
                .env(&format!("GIT_{who}_EMAIL"), "zoe@example.org")
                .env(&format!("GIT_{who}_DATE"), "2024-02-29T12:00:00+01:00");
        }
        git.assert().success();
    }
    world.file("repo/new.txt", "not yet known\n");
    world.file("repo/\u{fc}.txt", "line\nother\n");
    world
}
