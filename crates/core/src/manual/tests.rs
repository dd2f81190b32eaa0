use std::sync::Arc;

use snapbox::{assert_data_eq, str};

use super::*;
use crate::catalog::{Inherited, Selection};
use crate::model::{Family, Scalar};

fn flag(name: &str, short: &str, kind: &str, text: &str) -> Param {
    let mut param = Param::flag(name, kind.parse().expect("a kind"));
    param.text = text.to_owned();
    if let (false, crate::model::Role::Flag(spelling)) = (short.is_empty(), &mut param.role) {
        spelling.short = Some(short.to_owned());
    }
    param
}

fn command(path: &str, summary: &str) -> CommandSpec {
    CommandSpec {
        path: path.split_whitespace().map(str::to_owned).collect(),
        summary: summary.to_owned(),
        usage: format!("box {path} [flags]"),
        runnable: true,
        effect: Effect::Read,
        ..CommandSpec::default()
    }
}

/// A program with a parent, two leaves and shared flags.
fn program() -> Arc<Program> {
    let debug = flag("debug", "-D", "switch", "Say everything");
    let host = flag("host", "-H", "string", "Where to");
    let all: Arc<[Param]> = [debug.clone()].into();
    let images: Arc<[Param]> = [debug, host].into();
    let mut name = Param::positional("NAME", Kind::One(Scalar::String));
    name.required = true;
    let mut limit = flag("limit", "-n", "int", "At most so many");
    limit.default = Some("30".to_owned());
    let list = CommandSpec {
        params: vec![
            limit,
            flag("label", "-l", "csv<string>", "With these"),
            flag("env", "-e", "map<string>", "With this set"),
            flag("quiet", "-q", "count", "Say less"),
            name,
        ],
        inherited: Arc::clone(&images),
        examples: "$ box image list -n 5 --label a,b x # five\nbox image list 'a b' -qq --env k=v --env=l=w\n\
                   box image list x | wc\nbox image list $NAME\nbox image list --nothing x\n\
                   box other\nbox image list -Hhere \\\n  -- -x"
            .to_owned(),
        ..command("image list", "List images")
    };
    Arc::new(Program {
        name: "box".to_owned(),
        executable: None,
        version: Some("2.0".to_owned()),
        family: Family::Cobra,
        commands: vec![
            CommandSpec {
                runnable: false,
                ..command("", "Holds things")
            },
            CommandSpec {
                runnable: false,
                ..command("image", "Manage images")
            },
            list,
            CommandSpec {
                effect: Effect::Destructive,
                inherited: images,
                ..command("image rm", "Remove images")
            },
            CommandSpec {
                inherited: all,
                ..command("ping", "Ask whether it is there")
            },
        ],
    })
}

fn catalog(selection: &Selection, inherited: Inherited) -> Catalog {
    Catalog::build(&[program()], selection, inherited).expect("a catalog")
}

fn whole() -> Catalog {
    catalog(&Selection::default(), Inherited::default())
}

fn page(catalog: &Catalog, path: &str) -> String {
    let program = programs(catalog).remove(0);
    let path: Vec<String> = path.split_whitespace().map(str::to_owned).collect();
    help(catalog, &program, &path).unwrap_or_else(|| "nothing".to_owned())
}

#[test]
fn a_leaf_page_shows_the_tool_and_its_parameters() {
    assert_data_eq!(
        page(&whole(), "image list"),
        str![[r#"
box image list: List images
Tool: box_image_list (only reads)

Usage:
  box image list [flags]

Arguments:
  NAME (required)

Flags:
  -n, --limit int: At most so many (default 30)
  -l, --label string,…: With these
  -e, --env key=string: With this set
  -q, --quiet: Say less

Inherited flags:
  -D, --debug: Say everything
  -H, --host string: Where to

Examples:
  $ box image list -n 5 --label a,b x # five
  box image list 'a b' -qq --env k=v --env=l=w
  box image list x | wc
  box image list $NAME
  box image list --nothing x
  box other
  box image list -Hhere /
    -- -x

"#]]
    );
}

#[test]
fn a_parent_page_leads_on() {
    assert_data_eq!(
        page(&whole(), ""),
        str![[r#"
box: Holds things
Version: 2.0

Usage:
  box  [flags]

Commands:
  image: Manage images (see argway://box/help/image)
  ping: Ask whether it is there (tool box_ping)

"#]]
    );
}

#[test]
fn what_is_not_offered_is_not_shown() {
    let selection = Selection {
        deny: vec!["image rm".to_owned()],
        ..Selection::default()
    };
    let catalog = catalog(&selection, Inherited::default());
    assert_eq!(page(&catalog, "image rm"), "nothing");
    assert!(!page(&catalog, "image").contains("rm"));
    assert!(page(&catalog, "image").contains("list"));
    assert_eq!(page(&catalog, "no such"), "nothing");
}

#[test]
fn global_flags_are_listed_once_and_under_what_has_them() {
    let catalog = catalog(&Selection::default(), Inherited::Limit(1));
    let program = programs(&catalog).remove(0);
    assert_data_eq!(
        global_flags(&catalog, &program).expect("flags"),
        str![[r#"
Flags that the commands of box inherit.
Where a tool has a `global_flags` argument, it is an object of these: the flag's name without dashes, and its value.

Every command:
  -D, --debug: Say everything

Under box image:
  -H, --host string: Where to

"#]]
    );
}

#[test]
fn a_program_without_inherited_flags_has_no_list_of_them() {
    let catalog = catalog(&Selection::default(), Inherited::None);
    let program = programs(&catalog).remove(0);
    assert_eq!(global_flags(&catalog, &program), None);
}

#[test]
fn examples_that_need_no_shell_are_shown_as_calls() {
    let catalog = whole();
    let tool = catalog.find("box_image_list").expect("the tool");
    let calls = |layout| {
        let text = examples(tool, layout);
        let calls: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("  {"))
            .collect();
        calls.join("\n")
    };
    assert_data_eq!(
        calls(Layout::Flat),
        str![[r#"
"limit":5,"label":["a","b"],"name":"x"}
"quiet":2,"env":{"k":"v","l":"w"},"name":"a b"}
"host":"here","name":"-x"}
"#]]
    );
    assert_data_eq!(
        calls(Layout::Nested),
        str![[r#"
"flags":{"limit":5,"label":["a","b"]},"args":["x"]}
"flags":{"quiet":2,"env":{"k":"v","l":"w"}},"args":["a b"]}
"flags":{"host":"here"},"args":["-x"]}
"#]]
    );
}

#[test]
fn instructions_are_short_whatever_is_served() {
    for layout in [Layout::Flat, Layout::Nested] {
        let text = instructions(&catalog(&Selection::default(), Inherited::Limit(1)), layout);
        assert!(text.contains("box 2.0 (3 tools)"), "{text}");
        assert!(text.contains("argway://box/global-flags"), "{text}");
        assert!(text.contains("2 only read, 1 may remove"), "{text}");
        let many: Vec<Arc<Program>> = (0..50).map(|_| program()).collect();
        let many = Catalog::build(&many, &Selection::default(), Inherited::Limit(1));
        let text = instructions(&many.expect("a catalog"), layout);
        assert!(text.contains("and 44 more"), "{text}");
        assert!(text.len() < 2500, "{}", text.len());
    }
    let nothing = instructions(&Catalog::default(), Layout::Flat);
    assert!(!nothing.contains("Programs"), "{nothing}");
}

#[test]
fn an_address_holds_any_name() {
    let path = ["x y".to_owned()];
    assert_eq!(
        help_uri("a b/é", &path),
        "argway://a%20b%2F%C3%A9/help/x%20y"
    );
}

/// A tool defined by hand: `name` runs `command` with these fixed words.
fn defined(name: &str, command: &str, fixed: &[&str], params: Vec<Param>, examples: &str) -> Tool {
    let run = crate::model::RunSpec {
        words: fixed.iter().map(|&word| word.to_owned()).collect(),
        ..crate::model::RunSpec::default()
    };
    let spec = CommandSpec {
        summary: "Does things".to_owned(),
        runnable: true,
        params,
        examples: examples.to_owned(),
        run: Some(Arc::new(run)),
        ..CommandSpec::default()
    };
    let program = Program {
        name: name.to_owned(),
        executable: Some(command.to_owned()),
        version: None,
        family: Family::Definition,
        commands: vec![spec],
    };
    let catalog = Catalog::build(
        &[Arc::new(program)],
        &Selection::default(),
        Inherited::default(),
    );
    catalog.expect("a catalog").tools()[0].clone()
}

#[test]
fn the_examples_of_a_definition_are_calls_by_its_name_or_its_command() {
    let mut json = flag("json", "", "switch", "");
    let mut paths = flag("paths", "-p", "joined<path>", "");
    if let (crate::model::Role::Flag(json), crate::model::Role::Flag(paths)) =
        (&mut json.role, &mut paths.role)
    {
        json.long = Some("-json".to_owned());
        paths.separator = Some(":".to_owned());
    }
    let token = Param {
        secret: Some(crate::model::Secret::Stdin),
        ..flag("token", "", "string", "")
    };
    let params = vec![
        json,
        paths,
        token,
        Param::positional("db", Kind::One(Scalar::Path)),
    ];
    let tool = defined(
        "database",
        "/usr/bin/python3",
        &["-m", "db"],
        params,
        "# Everything\npython3 -m db -json x.db\n/usr/bin/python3 -m db -p a:b\ndatabase x.db\n\
         python3 x.db\ndatabase --token=t x.db",
    );
    let text = examples(&tool, Layout::Flat);
    let (_, calls) = text
        .split_once("arguments of the tool:\n\n")
        .expect("calls");
    assert_data_eq!(
        calls,
        str![[r#"
python3 -m db -json x.db
  {"json":true,"db":"x.db"}
/usr/bin/python3 -m db -p a:b
  {"paths":["a","b"]}
database x.db
  {"db":"x.db"}

"#]]
    );
}

#[test]
fn the_words_of_a_line_are_its_call() {
    let args = Param::positional("args", Kind::Line);
    let tool = defined("jq", "jq", &[], vec![args], "jq -r '.a b' f.json");
    for (layout, call) in [
        (Layout::Flat, r#"{"args":["-r",".a b","f.json"]}"#),
        (Layout::Nested, r#"{"args":["-r",".a b","f.json"]}"#),
    ] {
        let text = examples(&tool, layout);
        assert!(
            text.ends_with(&format!("jq -r '.a b' f.json\n  {call}\n")),
            "{text}"
        );
    }
}

#[test]
fn a_page_shows_that_a_flag_is_secret_and_not_its_default() {
    let token = Param {
        secret: Some(crate::model::Secret::Environment("TOKEN".to_owned())),
        default: Some("hunter2".to_owned()),
        ..flag("token", "", "string", "Who you are")
    };
    let tool = defined(
        "app",
        "app",
        &[],
        vec![token, flag("all", "", "joined<int>", "Which")],
        "",
    );
    let catalog = Catalog::build(
        &[Arc::clone(&tool.program)],
        &Selection::default(),
        Inherited::default(),
    );
    let page = help(&catalog.expect("a catalog"), &tool.program, &[]);
    assert_data_eq!(
        page.expect("a page"),
        str![[r#"
app: Does things
Tool: cli_app (what it changes is not known)

Flags:
  --token string: Who you are (secret)
  --all int…: Which

"#]]
    );
}
