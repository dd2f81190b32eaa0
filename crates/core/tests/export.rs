//! What is written of a program, read back: the same tools, the same words.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use argway_core::argv::{self, Arguments};
use argway_core::catalog::names::Slot;
use argway_core::catalog::{Catalog, Inherited, Layout, Selection, Tool};
use argway_core::export;
use argway_core::model::{CommandSpec, Family, Kind, Loss, Param, Program, Reading, Scalar, Split};
use argway_core::schema;
use argway_core::sources::transcript::Transcript;
use argway_core::sources::{cobra, families, kdl, plain};
use serde_json::{Map, Value, json};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(of)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn transcript(folder: &Path) -> Option<Transcript> {
    let files: BTreeMap<String, String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| {
            let bytes = std::fs::read(&path).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect();
    Transcript::new(files).ok()
}

/// Everything that was captured, as each reader reads it.
fn readings() -> &'static [(String, Reading)] {
    static READINGS: OnceLock<Vec<(String, Reading)>> = OnceLock::new();
    READINGS.get_or_init(read_all)
}

fn read_all() -> Vec<(String, Reading)> {
    let mut readings = Vec::new();
    for family in folders(&corpus()) {
        let is_cobra = family.ends_with("cobra");
        if family.ends_with("definitions") || family.ends_with("mcp") {
            continue;
        }
        for folder in folders(&family) {
            let Some(mut pages) = transcript(&folder) else {
                continue;
            };
            let name = pages.program().to_owned();
            if let Ok(reading) = plain::read(&name, &mut pages) {
                readings.push((format!("{name}, one page"), reading));
            }
            let reading = match is_cobra {
                true => cobra::read(&name, &mut pages, cobra::Options { oracle: true }),
                false => {
                    let family = Some(pages.family()).filter(|it| *it != Family::Unknown);
                    families::read(
                        &name,
                        family,
                        &mut pages,
                        families::Options { oracle: true },
                    )
                }
            };
            if let Ok(reading) = reading {
                readings.push((name, reading));
            }
        }
    }
    assert!(readings.len() > 20, "{}", readings.len());
    readings
}

fn tools(program: &Program, inherited: Inherited) -> Catalog {
    let selection = Selection {
        include_hidden: true,
        ..Selection::default()
    };
    // Of some programs nothing can be called.
    Catalog::build(&[Arc::new(program.clone())], &selection, inherited).unwrap_or_default()
}

/// What the schema of `tool` says, but for its texts.
fn shape(tool: &Tool) -> Value {
    let mut schema = schema::input(tool, Layout::Flat);
    fn strip(value: &mut Value) {
        if let Value::Object(map) = value {
            if !map.get("description").is_some_and(Value::is_object) {
                map.remove("description");
            }
            // Nothing that is written can hold one; a comment says so.
            if map.get("default").and_then(Value::as_str) == Some("\0") {
                map.remove("default");
            }
            map.values_mut().for_each(strip);
        }
    }
    strip(&mut schema);
    schema
}

/// Values that `param` takes, from the plainest on.
fn samples(param: &Param) -> Vec<Value> {
    let one = |scalar: &Scalar, n: usize| -> Value {
        if let Some(choice) = param.choices.get(n % param.choices.len().max(1)) {
            return match scalar {
                Scalar::Int(_) | Scalar::Uint(_) | Scalar::Float(_) => {
                    choice.parse::<f64>().map_or(json!(choice), |it| json!(it))
                }
                _ => json!(choice),
            };
        }
        match scalar {
            Scalar::String | Scalar::Other(_) => json!(["word", "two words", "a\"b"][n % 3]),
            Scalar::Bool => json!(n == 0),
            Scalar::Int(_) => json!([7, -3, 0][n % 3]),
            Scalar::Uint(_) => json!([7, 3, 0][n % 3]),
            Scalar::Float(_) => json!([1.5, 2.0, -0.25][n % 3]),
            Scalar::Duration => json!(["5m", "1h30m", "0"][n % 3]),
            Scalar::Time => json!("2024-01-02T03:04:05Z"),
            Scalar::Ip => json!(["10.0.0.1", "::1", "1.2.3.4"][n % 3]),
            Scalar::IpNet => json!("10.0.0.0/8"),
            Scalar::IpMask => json!("255.255.255.0"),
            Scalar::Hex => json!("00ff"),
            Scalar::Base64 => json!("AAEC"),
            Scalar::Path => json!(["file", "-odd", "a b"][n % 3]),
        }
    };
    match &param.kind {
        Kind::Switch => vec![json!(true), json!(false)],
        Kind::Count => vec![json!(1), json!(3), json!(0)],
        Kind::One(scalar) => {
            let mut all: Vec<Value> = (0..3).map(|n| one(scalar, n)).collect();
            if param
                .spelling()
                .is_some_and(|spelling| spelling.bare.is_some())
            {
                all.push(json!(true));
            }
            if !param.is_flag() && param.choices.is_empty() && *scalar == Scalar::String {
                all.extend([json!("-dash"), json!("--"), json!("")]);
            }
            all
        }
        Kind::List(scalar, split) => {
            let plain: Vec<Value> = (0..2).map(|n| one(scalar, n)).collect();
            let mut all = vec![json!([one(scalar, 0)]), json!(plain), json!([])];
            if *split != Split::Joined {
                all.push(json!([one(scalar, 2)]));
            }
            if *scalar == Scalar::String && param.choices.is_empty() {
                all.push(json!(["a,b", "", "x=y"]));
            }
            all
        }
        Kind::Map(scalar) => vec![
            json!({"key": one(scalar, 0)}),
            json!({"a": one(scalar, 1), "b": one(scalar, 2)}),
            json!({}),
        ],
        Kind::Line => vec![json!(["a", "b"])],
    }
}

/// The words of a call, or that there are none.
fn words(tool: &Tool, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
    let checked = Arguments::check(tool, Layout::Flat, arguments).map_err(|it| it.to_string())?;
    argv::encode(tool, &checked).map_err(|it| it.to_string())
}

/// Holds two tools against each other; the number of calls that were compared.
///
/// Inherited flags are looked at where they are `shared` for the first time.
fn compare(
    name: &str,
    read: &Tool,
    written: &Tool,
    shared: bool,
    failures: &mut Vec<String>,
) -> usize {
    let mut fail = |what: String| failures.push(format!("{name}: {}: {what}", read.command_line()));
    let (one, other) = (shape(read), shape(written));
    if one != other {
        let keys = |schema: &Value| -> Vec<String> {
            schema["properties"]
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect()
        };
        match keys(&one) == keys(&other) {
            false => fail(format!("{:?} became {:?}", keys(&one), keys(&other))),
            true => {
                for key in keys(&one) {
                    let (one, other) = (&one["properties"][&key], &other["properties"][&key]);
                    if one != other {
                        fail(format!("{key}: {one} became {other}"));
                    }
                }
                if one["required"] != other["required"] {
                    fail(format!("{} became {}", one["required"], other["required"]));
                }
            }
        }
    }
    let properties = read.properties(Layout::Flat);
    let mut required = Map::new();
    let mut all = Map::new();
    for property in &properties {
        let sample = samples(property.param).remove(0);
        if property.param.required {
            required.insert(property.name.clone(), sample.clone());
        }
        all.insert(property.name.clone(), sample);
    }
    let mut calls = vec![required.clone(), all];
    // An argument stands only where those before it are.
    let mut before = required.clone();
    for property in &properties {
        // Flags that many commands share are the same in each.
        if !shared && matches!(property.slot, Slot::Inherited(_)) {
            continue;
        }
        // Of a thousand flags, the plainest value of each will do.
        let most = match properties.len() {
            0..=40 => 9,
            41..=200 => 2,
            _ => 1,
        };
        for sample in samples(property.param).into_iter().take(most) {
            let mut call = before.clone();
            call.insert(property.name.clone(), sample);
            calls.push(call);
        }
        if !property.param.is_flag() {
            before.insert(property.name.clone(), samples(property.param).remove(0));
        }
    }
    let count = calls.len();
    for call in calls {
        let (one, other) = (words(read, &call), words(written, &call));
        let same = match (&one, &other) {
            (Ok(one), Ok(other)) => one == other,
            (Err(_), Err(_)) => true,
            _ => false,
        };
        if !same {
            fail(format!(
                "{} gave {one:?}, now {other:?}",
                Value::Object(call)
            ));
        }
    }
    count
}

#[track_caller]
fn read_back(name: &str, text: &str) -> Program {
    let read = kdl::read("written.kdl", text);
    let told: Vec<String> = read.mistakes.iter().map(|it| it.render()).collect();
    assert!(told.is_empty(), "{name}: {}", told.join("\n"));
    assert_eq!(read.definitions.len(), 1, "{name}");
    read.definitions[0].reading.program.clone()
}

#[test]
fn a_definition_that_was_written_means_what_was_read() {
    let mut failures = Vec::new();
    let mut calls = 0;
    for (name, reading) in readings() {
        let text = export::kdl::definition(reading, "program").unwrap();
        let program = read_back(name, &text);
        let mut met = BTreeSet::new();
        for inherited in [Inherited::All, Inherited::default()] {
            let (read, written) = (
                tools(&reading.program, inherited),
                tools(&program, inherited),
            );
            let path = |tool: &Tool| tool.spec().path.clone();
            let by_path: BTreeMap<Vec<String>, &Tool> = written
                .tools()
                .iter()
                .map(|tool| (path(tool), tool))
                .collect();
            let paths: BTreeSet<Vec<String>> = read.tools().iter().map(path).collect();
            assert_eq!(paths.len(), written.tools().len(), "{name}");
            for tool in read.tools() {
                match by_path.get(&path(tool)) {
                    // Folded or not, the words are made of the same.
                    Some(other) if inherited != Inherited::All => {
                        // An argument that is called like a shared flag has another name in
                        // a definition, as a comment there says.
                        let mut read = shape(tool).to_string();
                        for param in other.positionals.iter().filter(|_| tool.folded) {
                            let renamed = format!("is called `{}` here", param.name);
                            let old = param.name.strip_suffix("_arg");
                            let is_new = !read.contains(&format!("\"{}\"", param.name));
                            if let Some(old) = old.filter(|_| is_new && text.contains(&renamed)) {
                                let (old, new) = (format!("\"{old}\""), &param.name);
                                read = read.replace(&old, &format!("\"{new}\""));
                            }
                        }
                        let written = shape(other).to_string();
                        assert_eq!(read, written, "{name} {}", tool.command_line());
                    }
                    Some(other) => {
                        let set = Arc::as_ptr(&tool.inherited).cast::<Param>();
                        let shared = met.insert((set, tool.inherited.len()));
                        calls += compare(name, tool, other, shared, &mut failures);
                    }
                    None => failures.push(format!("{name}: {} is gone", tool.command_line())),
                }
            }
        }
    }
    let shown: Vec<&String> = failures.iter().take(20).collect();
    assert!(
        failures.is_empty(),
        "{} differences\n{shown:#?}",
        failures.len()
    );
    assert!(calls > 15_000, "{calls}");
}

/// A flag of a spec as it is typed and what it takes.
fn spec_flag(flag: &usage::SpecFlag) -> (Vec<String>, bool) {
    let long = flag.long.iter().map(|long| format!("--{long}"));
    let short = flag.short.iter().map(|short| format!("-{short}"));
    (short.chain(long).collect(), flag.arg.is_some())
}

fn spec_command<'a>(spec: &'a usage::Spec, path: &[String]) -> Option<&'a usage::SpecCommand> {
    let mut command = &spec.cmd;
    for word in path {
        command = command.subcommands.get(word)?;
    }
    Some(command)
}

#[test]
fn another_reader_finds_the_same_in_a_usage_spec() {
    for (name, reading) in readings() {
        let text = export::usage::spec(reading).unwrap();
        let spec = match text.parse::<usage::Spec>() {
            Ok(spec) => spec,
            Err(error) => panic!("{name}: {error:?}"),
        };
        assert_eq!(spec.bin, reading.program.name);
        for command in &reading.program.commands {
            let line = reading.program.command_line(&command.path);
            let found = spec_command(&spec, &command.path).expect(&line);
            assert_eq!(found.hide, command.hidden, "{line}");
            let mut typed: Vec<(Vec<String>, bool)> = Vec::new();
            for depth in 0..=command.path.len() {
                let above = spec_command(&spec, &command.path[..depth]).unwrap();
                let is_own = depth == command.path.len();
                let flags = above.flags.iter().filter(|flag| is_own || flag.global);
                typed.extend(flags.map(spec_flag));
            }
            if command.raw_words {
                continue;
            }
            for flag in command.flags() {
                let spelling = flag.spelling().unwrap();
                let form = spelling.long.as_ref().or(spelling.short.as_ref()).unwrap();
                if spelling.after_words.is_some() || (form.len() > 2 && !form.starts_with("--")) {
                    continue;
                }
                // The nearest one is meant.
                let found = typed.iter().rev().find(|(forms, _)| forms.contains(form));
                let (_, takes_value) = found.unwrap_or_else(|| panic!("{line}: {form} is gone"));
                assert_eq!(*takes_value, flag.kind.takes_value(), "{line} {form}");
            }
            let args = command.positionals().count();
            assert_eq!(found.args.len(), args, "{line}");
        }
    }
}

/// A program that says `text` wherever it can say something.
fn says(text: &str) -> Reading {
    let mut flag = Param::flag("flag", Kind::One(Scalar::String));
    flag.text = text.to_owned();
    flag.default = Some(text.to_owned());
    flag.choices = vec!["plain".to_owned(), text.to_owned()];
    flag.env = Some(text.to_owned());
    flag.value_name = Some(text.to_owned());
    flag.deprecated = Some(text.to_owned());
    let mut arg = Param::positional(text, Kind::One(Scalar::Other(text.to_owned())));
    arg.text = text.to_owned();
    let root = CommandSpec {
        summary: text.to_owned(),
        description: text.to_owned(),
        examples: text.to_owned(),
        usage: text.to_owned(),
        runnable: true,
        params: vec![flag, arg],
        ..CommandSpec::default()
    };
    let child = CommandSpec {
        path: vec!["child".to_owned()],
        aliases: vec![text.to_owned()],
        deprecated: Some(text.to_owned()),
        summary: text.to_owned(),
        runnable: true,
        ..CommandSpec::default()
    };
    let odd = CommandSpec {
        path: vec![text.to_owned()],
        runnable: true,
        ..CommandSpec::default()
    };
    Reading {
        program: Program {
            name: text.to_owned(),
            executable: None,
            version: Some(text.to_owned()),
            family: Family::Unknown,
            commands: vec![root, child, odd],
        },
        losses: vec![Loss {
            path: Vec::new(),
            what: text.to_owned(),
        }],
    }
}

#[track_caller]
fn holds(text: &str) {
    let written = export::kdl::definition(&says(text), "program").unwrap();
    let program = read_back(text, &written);
    let root = &program.commands[0];
    let flag = &root.params[0];
    let plain = text.replace('\0', "");
    if !plain.trim().is_empty() {
        assert_eq!(root.description, plain.trim());
        assert_eq!(flag.text, plain.trim());
    }
    if plain == text {
        assert_eq!(flag.default.as_deref(), Some(text));
        assert!(flag.choices.contains(&plain), "{:?}", flag.choices);
    }
    // Nothing became a node of its own.
    assert_eq!(root.params.len(), 2, "{written}");
    assert!(
        root.run
            .as_ref()
            .is_some_and(|run| !run.shell && !run.sandbox.network)
    );
    let spec = export::usage::spec(&says(text)).unwrap();
    spec.parse::<usage::Spec>()
        .unwrap_or_else(|error| panic!("{error:?}\n{spec}"));
}

#[test]
fn no_text_of_a_program_becomes_more_than_text() {
    for text in [
        "a\nshell true\n",
        "\"; shell true; \"",
        "*/ shell true /*",
        "\\",
        "a\\",
        "\"\"\"",
        "#\"x\"#",
        "}\n}\ncli \"evil\" { }",
        "a\u{2028}shell true",
        "a\u{85}shell true",
        "a\rshell true",
        "a\u{b}shell true\u{c}shell true",
        "a\u{202e}b\u{200b}c\u{feff}",
        "\u{1b}[31mred",
        "a\0b",
        "  two\n    deep\n\n  lines  ",
        "blank\n   \nline",
        "tab\tand\n\ttab",
        "\\\n   continued",
        "größe 🦀",
        " ",
        "\n",
        "-",
        "/-",
        "$(touch x) `y`",
    ] {
        holds(text);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_reads_back(text in "[\\PC\"\\\\#/{};=\\n\\r\\t\u{85}\u{2028}\u{202e}\u{feff} -]{1,40}") {
        holds(&text);
    }
}
