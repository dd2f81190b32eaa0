//! Which commands become tools, under which names, with which flags.

use super::*;
use crate::model::{Effect, Kind};

fn command(path: &str, aliases: &[&str]) -> CommandSpec {
    CommandSpec {
        path: path.split_whitespace().map(str::to_owned).collect(),
        aliases: aliases.iter().map(|&alias| alias.to_owned()).collect(),
        runnable: true,
        effect: Effect::Write,
        ..CommandSpec::default()
    }
}

fn program(name: &str, commands: Vec<CommandSpec>) -> Arc<Program> {
    let root = CommandSpec::default();
    Arc::new(Program {
        name: name.to_owned(),
        executable: None,
        version: None,
        family: Family::Cobra,
        commands: [root].into_iter().chain(commands).collect(),
    })
}

fn gh() -> Arc<Program> {
    let force = Param {
        effect: Some(Effect::Destructive),
        ..Param::flag("force", Kind::Switch)
    };
    let pr = CommandSpec {
        runnable: false,
        ..command("pr", &["pull"])
    };
    let list = CommandSpec {
        effect: Effect::Read,
        params: vec![force, Param::flag("limit", "int".parse().unwrap())],
        ..command("pr list", &["ls"])
    };
    let api = CommandSpec {
        effect: Effect::Read,
        raw_words: true,
        ..command("api", &[])
    };
    let old = CommandSpec {
        deprecated: Some("use pr".to_owned()),
        ..command("old", &[])
    };
    let secret = CommandSpec {
        hidden: true,
        ..command("secret", &[])
    };
    program(
        "gh",
        vec![
            pr,
            list,
            command("pr close", &[]),
            api,
            old,
            secret,
            command("help", &[]),
            command("completion bash", &[]),
            command("helpdesk", &[]),
        ],
    )
}

fn names(programs: &[Arc<Program>], selection: &Selection) -> String {
    match Catalog::build(programs, selection, Inherited::default()) {
        Ok(catalog) => {
            let names: Vec<&str> = catalog
                .tools()
                .iter()
                .map(|tool| tool.name.as_str())
                .collect();
            names.join(" ")
        }
        Err(error) => error.to_string(),
    }
}

fn allow(globs: &[&str]) -> Selection {
    Selection {
        allow: globs.iter().map(|&glob| glob.to_owned()).collect(),
        ..Selection::default()
    }
}

fn deny(globs: &[&str]) -> Selection {
    Selection {
        deny: globs.iter().map(|&glob| glob.to_owned()).collect(),
        ..Selection::default()
    }
}

#[test]
fn commands_that_run_are_tools_but_for_cobra_s_own() {
    assert_eq!(
        names(&[gh()], &Selection::default()),
        "gh_pr_list gh_pr_close gh_api gh_helpdesk"
    );
    let hidden = Selection {
        include_hidden: true,
        ..Selection::default()
    };
    assert_eq!(
        names(&[gh()], &hidden),
        "gh_pr_list gh_pr_close gh_api gh_old gh_secret gh_helpdesk"
    );
}

#[test]
fn a_command_is_allowed_by_any_of_its_names_or_its_parent_s() {
    let cases: [(&[&str], &str); 9] = [
        (&["pr list"], "gh_pr_list"),
        (&["gh pr list"], "gh_pr_list"),
        (&["gh_pr_list"], "gh_pr_list"),
        (&["pull ls"], "gh_pr_list"),
        (&["pr"], "gh_pr_list gh_pr_close"),
        (&["pr *"], "gh_pr_list gh_pr_close"),
        (&["*l*st", "api"], "gh_pr_list gh_api"),
        (&["gh"], "gh_pr_list gh_pr_close gh_api gh_helpdesk"),
        (&["  pr   list "], "gh_pr_list"),
    ];
    for (globs, expected) in cases {
        assert_eq!(names(&[gh()], &allow(globs)), expected, "{globs:?}");
    }
}

#[test]
fn what_is_denied_is_gone_whatever_allowed_it() {
    let cases: [(&[&str], &str); 5] = [
        (&["pr"], "gh_api gh_helpdesk"),
        (&["pull"], "gh_api gh_helpdesk"),
        (&["gh_pr"], "gh_api gh_helpdesk"),
        (&["pr_list"], "gh_pr_close gh_api gh_helpdesk"),
        (&["pull ls", "api"], "gh_pr_close gh_helpdesk"),
    ];
    for (globs, expected) in cases {
        assert_eq!(names(&[gh()], &deny(globs)), expected, "{globs:?}");
    }
    let both = Selection {
        deny: vec!["pr close".to_owned()],
        ..allow(&["pr"])
    };
    assert_eq!(names(&[gh()], &both), "gh_pr_list");
}

#[test]
fn a_glob_that_matches_nothing_is_an_error_with_the_nearest_name() {
    let flags = |allow: &str, deny: &str| Selection {
        allow_flags: Vec::from_iter((!allow.is_empty()).then(|| allow.to_owned())),
        deny_flags: Vec::from_iter((!deny.is_empty()).then(|| deny.to_owned())),
        ..Selection::default()
    };
    let cases = [
        (
            allow(&["pr lst"]),
            "--allow `pr lst` matches no command; did you mean `pr list`?",
        ),
        (
            deny(&["pr clsoe"]),
            "--deny `pr clsoe` matches no command; did you mean `pr close`?",
        ),
        (deny(&["zzz*"]), "--deny `zzz*` matches no command"),
        (
            flags("--limt", ""),
            "--allow-flags `--limt` matches no flag; did you mean `limit`?",
        ),
        (
            flags("", "forse"),
            "--deny-flags `forse` matches no flag; did you mean `force`?",
        ),
        (
            allow(&["secret"]),
            "the selection leaves no tool: of 6 commands like `gh_pr_list`; 2 would need --include-hidden",
        ),
        (
            deny(&["*"]),
            "the selection leaves no tool: of 6 commands like `gh_pr_list`; 2 would need --include-hidden; \
             --deny takes away *",
        ),
    ];
    for (selection, expected) in cases {
        assert_eq!(names(&[gh()], &selection), expected);
    }
    assert_eq!(
        names(&[program("x", vec![])], &Selection::default()),
        "there is no command that runs by itself"
    );
}

#[test]
fn read_only_leaves_commands_known_to_be_harmless_without_what_raises_them() {
    let selection = Selection {
        read_only: true,
        ..Selection::default()
    };
    let catalog = Catalog::build(&[gh()], &selection, Inherited::default()).unwrap();
    // `api` only reads too, but passes on words that nobody checks.
    assert_eq!(catalog.tools().len(), 1);
    let flags: Vec<&str> = catalog.tools()[0]
        .flags
        .iter()
        .map(|flag| flag.name.as_str())
        .collect();
    assert_eq!(flags, ["limit"]);
}

#[test]
fn equal_names_are_numbered_in_path_order_and_a_selection_changes_none() {
    let app = program(
        "app",
        vec![
            command("a_b", &[]),
            command("a", &[]),
            command("a b", &[]),
            command("a_b_2", &[]),
        ],
    );
    assert_eq!(
        names(std::slice::from_ref(&app), &Selection::default()),
        "app_a_b_3 app_a app_a_b app_a_b_2"
    );
    assert_eq!(names(&[app], &allow(&["a_b"])), "app_a_b_3");
    let twice = [gh(), gh()];
    let catalog = Catalog::build(&twice, &allow(&["api"]), Inherited::default()).unwrap();
    assert_eq!(catalog.tools()[1].name, "gh_api_2");
    assert!(Arc::ptr_eq(
        &catalog.find("gh_api_2").unwrap().program,
        &twice[1]
    ));
    assert_eq!(catalog.nearest("gh_ap").unwrap().name, "gh_api");
}

#[test]
fn a_name_holds_only_what_clients_take() {
    let long = "x".repeat(70);
    let app = program(
        "my app",
        vec![
            command("größe", &[]),
            command(&long, &[]),
            command("a.b-c", &[]),
        ],
    );
    let catalog = Catalog::build(&[app], &Selection::default(), Inherited::default()).unwrap();
    let names: Vec<&str> = catalog
        .tools()
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names[0], "my_app_gr__e");
    assert_eq!(names[1].len(), 64);
    assert_eq!(names[2], "my_app_a.b-c");
}

#[test]
fn inherited_flags_are_listed_up_to_the_limit_then_folded_but_for_required_ones() {
    let mut flags: Vec<Param> = (0..5)
        .map(|n| Param::flag(format!("g{n}"), Kind::Switch))
        .collect();
    flags[2].required = true;
    let inherited: Arc<[Param]> = flags.into();
    let with = |path: &str| CommandSpec {
        inherited: Arc::clone(&inherited),
        ..command(path, &[])
    };
    let shadowing = CommandSpec {
        params: vec![Param::flag("g1", Kind::Count)],
        ..with("c")
    };
    let app = program("app", vec![with("a"), with("b"), shadowing]);
    let build =
        |choice| Catalog::build(&[Arc::clone(&app)], &Selection::default(), choice).unwrap();
    let shape = |tool: &Tool| (tool.flags.len(), tool.inherited.len(), tool.folded);
    for (choice, expected) in [
        (Inherited::Limit(5), (0, 5, false)),
        (Inherited::Limit(4), (1, 4, true)),
        (Inherited::All, (0, 5, false)),
        (Inherited::None, (1, 0, false)),
    ] {
        assert_eq!(shape(&build(choice).tools()[0]), expected, "{choice:?}");
    }
    let all = build(Inherited::All);
    assert!(Arc::ptr_eq(
        &all.tools()[0].inherited,
        &all.tools()[1].inherited
    ));
    assert_eq!(shape(&all.tools()[2]), (1, 4, false));
    let selection = Selection {
        deny_flags: vec!["g4".to_owned()],
        ..Selection::default()
    };
    let fewer = Catalog::build(&[app], &selection, Inherited::All).unwrap();
    assert_eq!(fewer.tools()[0].inherited.len(), 4);
    assert!(Arc::ptr_eq(
        &fewer.tools()[0].inherited,
        &fewer.tools()[1].inherited
    ));
}

#[test]
fn the_flags_that_a_root_passes_on_fold_like_those_its_children_inherit() {
    let global: Vec<Param> = (0..30)
        .map(|n| Param::flag(format!("g{n}"), Kind::Switch))
        .collect();
    let child = CommandSpec {
        inherited: global.clone().into(),
        ..command("a", &[])
    };
    let mut app = Arc::unwrap_or_clone(program("app", vec![child]));
    app.commands[0].runnable = true;
    app.commands[0].params = global;
    app.commands[0]
        .params
        .push(Param::flag("own", Kind::Switch));
    let app = [Arc::new(app)];
    let shape = |choice| {
        let catalog = Catalog::build(&app, &Selection::default(), choice).unwrap();
        let tool = catalog.find("app").unwrap();
        (tool.flags.len(), tool.inherited.len(), tool.folded)
    };
    assert_eq!(shape(Inherited::Limit(20)), (1, 30, true));
    assert_eq!(shape(Inherited::Limit(30)), (31, 0, false));
    assert_eq!(shape(Inherited::All), (31, 0, false));
    assert_eq!(shape(Inherited::None), (1, 30, true));
}

#[test]
fn a_parent_s_children_and_cobra_s_own_commands_are_reserved() {
    let app = program("app", vec![command("a", &["x"]), command("a b", &["y"])]);
    let mut app = Arc::unwrap_or_clone(app);
    app.commands[0].runnable = true;
    let catalog = Catalog::build(&[Arc::new(app)], &Selection::default(), Inherited::All).unwrap();
    let reserved = |name: &str| catalog.find(name).unwrap().reserved.join(" ");
    assert_eq!(
        reserved("app"),
        "a x help completion __complete __completeNoDesc"
    );
    assert_eq!(reserved("app_a"), "b y");
    assert_eq!(reserved("app_a_b"), "");
}

#[test]
fn what_is_denied_under_one_path_is_denied_under_the_other() {
    let rm = |path: &str, summary: &str| CommandSpec {
        summary: summary.to_owned(),
        usage: format!("docker {path} [OPTIONS] CONTAINER"),
        params: vec![Param::flag("force", Kind::Switch)],
        ..command(path, &[])
    };
    let docker = program(
        "docker",
        vec![
            command("container", &[]),
            rm("container rm", "Remove containers"),
            rm("rm", "Remove containers"),
            rm("image rm", "Remove images"),
        ],
    );
    let left = |deny: &str, allow: &str| {
        let globs = |text: &str| text.split_terminator(',').map(str::to_owned).collect();
        let selection = Selection {
            deny: globs(deny),
            allow: globs(allow),
            ..Selection::default()
        };
        let catalog = Catalog::build(&[Arc::clone(&docker)], &selection, Inherited::All).unwrap();
        let names = catalog.tools().iter().map(|tool| tool.name.as_str());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(left("container rm", ""), "docker_container docker_image_rm");
    assert_eq!(left("docker rm", ""), "docker_container docker_image_rm");
    assert_eq!(left("container", ""), "docker_image_rm");
    assert_eq!(left("", "container rm"), "docker_container_rm");
}

#[test]
fn two_programs_of_one_name_have_tools_and_addresses_of_their_own() {
    let one = program("same", vec![command("run", &[])]);
    let other = program("same", vec![command("run", &[]), command("stop", &[])]);
    let programs = [one, other];
    let catalog = Catalog::build(&programs, &Selection::default(), Inherited::All).unwrap();
    let tools: Vec<_> = catalog
        .tools()
        .iter()
        .map(|tool| (tool.name.as_str(), &*tool.label))
        .collect();
    assert_eq!(
        tools,
        [
            ("same_run", "same"),
            ("same_run_2", "same_2"),
            ("same_stop", "same_2")
        ]
    );
}

/// A definition `git` with a hidden parent and two subcommands.
fn git() -> Arc<Program> {
    let run = Some(Arc::new(crate::model::RunSpec {
        stdin: Some(crate::model::StdinSpec::default()),
        ..crate::model::RunSpec::default()
    }));
    let log = CommandSpec {
        run,
        ..command("log", &["l"])
    };
    Arc::new(Program {
        family: Family::Definition,
        ..Program::clone(&program(
            "git",
            vec![log, command("help", &[]), command("stash pop", &[])],
        ))
    })
}

#[test]
fn definitions_are_named_cli_and_selected_by_every_name() {
    let names = |selection: &Selection| -> Result<Vec<String>, String> {
        let catalog = Catalog::build(&[gh(), git()], selection, Inherited::default());
        let catalog = catalog.map_err(|error| error.to_string())?;
        let defined = catalog
            .tools()
            .iter()
            .filter(|tool| tool.program.name == "git");
        Ok(defined.map(|tool| tool.name.clone()).collect())
    };
    let allow = |glob: &str| Selection {
        allow: vec![glob.to_owned()],
        ..Selection::default()
    };
    let deny = |glob: &str| Selection {
        deny: vec![glob.to_owned()],
        ..Selection::default()
    };
    let all = ["cli_git_log", "cli_git_help", "cli_git_stash_pop"].map(str::to_owned);
    assert_eq!(names(&Selection::default()).unwrap(), all);
    for glob in [
        "git log",
        "log",
        "l",
        "git l",
        "cli_git_log",
        "cli git log",
        "cli_*_log",
    ] {
        assert_eq!(names(&allow(glob)).unwrap(), all[..1], "{glob}");
    }
    assert_eq!(names(&allow("git")).unwrap(), all);
    for glob in ["git", "cli_git", "cli git", "cli_*"] {
        assert_eq!(names(&deny(glob)).unwrap(), [""; 0], "{glob}");
    }
    for glob in ["cli_git_stash", "git_stash", "stash"] {
        assert_eq!(names(&deny(glob)).unwrap(), all[..2], "{glob}");
    }
    let wrong = names(&allow("cli_gti_log")).unwrap_err();
    assert!(
        wrong.starts_with("--allow `cli_gti_log` matches no command"),
        "{wrong}"
    );
}

#[test]
fn a_definition_says_itself_that_its_command_reads_something() {
    let catalog = Catalog::build(&[git()], &Selection::default(), Inherited::default()).unwrap();
    let reads = catalog
        .tools()
        .iter()
        .map(|tool| (tool.name.as_str(), tool.stdin));
    assert_eq!(
        reads.collect::<Vec<_>>(),
        [
            ("cli_git_log", true),
            ("cli_git_help", false),
            ("cli_git_stash_pop", false)
        ]
    );
}

#[test]
fn a_default_of_an_inherited_flag_stays_where_the_flag_is_left_out() {
    let pager = Param {
        default: Some("true".to_owned()),
        inject_default: true,
        ..Param::flag("no-pager", Kind::Switch)
    };
    let child = CommandSpec {
        inherited: [pager, Param::flag("dir", "path".parse().unwrap())].into(),
        ..command("log", &[])
    };
    let program = Arc::new(Program {
        family: Family::Definition,
        ..Program::clone(&program("git", vec![child]))
    });
    let words = |inherited| {
        let catalog = Catalog::build(&[Arc::clone(&program)], &Selection::default(), inherited);
        let tool = catalog.unwrap().tools()[0].clone();
        let json = serde_json::Map::new();
        let arguments = crate::argv::Arguments::check(&tool, Layout::Flat, &json).unwrap();
        crate::argv::encode(&tool, &arguments).unwrap()
    };
    for inherited in [Inherited::All, Inherited::None, Inherited::Limit(0)] {
        assert_eq!(words(inherited), ["log", "--no-pager"], "{inherited:?}");
    }
}

#[test]
fn an_output_schema_that_is_none_is_an_error() {
    let run = crate::model::RunSpec {
        output_schema: Some(serde_json::json!({"type": 5})),
        ..crate::model::RunSpec::default()
    };
    let bad = CommandSpec {
        run: Some(Arc::new(run)),
        ..command("bad", &[])
    };
    let error = Catalog::build(
        &[program("app", vec![bad])],
        &Selection::default(),
        Inherited::default(),
    )
    .unwrap_err()
    .to_string();
    let expected = "the output schema of `app bad` is not a JSON Schema: ";
    assert!(error.starts_with(expected), "{error}");
}
