use super::*;

/// The first usage line and the arguments of `git WORD`.
fn described(word: &str, page: &str) -> String {
    let lines: Vec<&str> = page.lines().collect();
    let page = read(&Text {
        lines: &lines,
        program: "git",
        path: &[word.to_owned()],
    });
    let positionals = page.positionals.iter();
    let shown: Vec<String> = positionals
        .map(|param| format!("{} {}", param.name, param.kind))
        .collect();
    format!("{}: {}", page.usage[0], shown.join(", "))
}

#[test]
fn a_usage_for_one_option_says_nothing_of_the_others() {
    let page = "usage: git diff --no-index [<options>] <path> <path>\n\n    -p, --patch   generate patch\n";
    assert_eq!(
        described("diff", page),
        "git diff --no-index [<options>] <path> <path>: args words<string>"
    );
    let page = "\
usage: git rev-parse --parseopt [<options>] -- [<args>...]
   or: git rev-parse --sq-quote [<arg>...]
   or: git rev-parse [<options>] [<arg>...]
";
    assert_eq!(
        described("rev-parse", page),
        "git rev-parse [<options>] [<arg>...]: args words<string>"
    );
}
